"""The clock of the screens stands still, so that no picture depends on the hour or the time zone."""

from datetime import UTC, datetime

import pytest

from raidtui.ui.shell import clock
from tests.ui.idle import wait_exactly

NOW = datetime(2026, 11, 21, 4, 8, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def exact_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key has had its effect when the event loop has nothing more to do."""
    wait_exactly(monkeypatch)


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight past four in UTC; a second lies between any two looks at the stopwatch."""
    seconds = iter(range(10**9))

    def spoken(moment: str) -> str:
        return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%d %H:%M")

    monkeypatch.setattr(clock, "now", lambda: NOW)
    monkeypatch.setattr(clock, "spoken", spoken)
    monkeypatch.setattr(clock, "hour", lambda: NOW.strftime("%H:%M:%S"))
    monkeypatch.setattr(clock, "monotonic", lambda: float(next(seconds)))
