"""The time, in one place: tests put another clock here, so that pictures do not change with the hour."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds since some moment, for measuring how long something took."""
    return time.monotonic()


def since(moment: str) -> float:
    """Seconds from ``moment``, as journals write it (ISO 8601), until now; 0 if it lies ahead or cannot be read."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return max(0.0, (now() - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds())


def spoken(moment: str) -> str:
    """``moment`` (ISO 8601) in local time, to the minute; as it is if it cannot be read."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return moment
    return then.astimezone().strftime("%Y-%m-%d %H:%M")


def hour() -> str:
    """The time of day, as a log of events shows it."""
    return now().astimezone().strftime("%H:%M:%S")
