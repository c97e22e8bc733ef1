"""The time, in one place: tests replace it, so that snapshots do not change with the hour."""

import time
from datetime import UTC, datetime

from raidtui.model.text import harmless


def now() -> datetime:
    """The current time, UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds of a monotonic clock, to measure durations."""
    return time.monotonic()


def since(moment: str) -> float:
    """Seconds since ``moment`` (ISO 8601, as in journals); 0 if it is in the future or not a time."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return max(0.0, (now() - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds())


def local(moment: str) -> str:
    """``moment`` (ISO 8601) in local time, to the minute; as it is if it is not a time."""
    try:
        return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):  # the year 1 has no local time
        return harmless(moment)


def hour() -> str:
    """The local time of day, ``HH:MM:SS``."""
    return now().astimezone().strftime("%H:%M:%S")
