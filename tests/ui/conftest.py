"""Freeze the clock of the screens, so that snapshots do not depend on the time or time zone."""

from datetime import UTC, datetime

import pytest

from raidtui.ui.shell import clock
from tests.ui.idle import wait_exactly

NOW = datetime(2026, 11, 21, 4, 8, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def exact_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pilot wait until the event loop is idle."""
    wait_exactly(monkeypatch)


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze the clock at 04:08:12 UTC; each call of `monotonic` is a second later."""
    seconds, really = iter(range(10**9)), clock.local

    def local(moment: str) -> str:
        try:
            return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%d %H:%M")
        except ValueError:
            return really(moment)

    monkeypatch.setattr(clock, "now", lambda: NOW)
    monkeypatch.setattr(clock, "local", local)
    monkeypatch.setattr(clock, "hour", lambda: NOW.strftime("%H:%M:%S"))
    monkeypatch.setattr(clock, "monotonic", lambda: float(next(seconds)))
