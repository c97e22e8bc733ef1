"""The time left for a sync, as a range and in words, if it can be estimated."""

import math
from typing import Final

from raidtui.advice.time import Advancing, finish_range
from raidtui.model.units import duration

# The kernel measures a sync's rate in steps of three seconds from its start (SYNC_MARK_STEP in drivers/md/md.c).
# At first the rate is that of a few requests: an estimate of days for a sync of an hour has been seen.
_FIRST_SECONDS: Final = 5


def left_range(sync: Advancing, *, rotational: bool) -> tuple[float, float] | None:
    """Shortest and longest time left in seconds; None for a sync that is waiting, stalled, or has just started."""
    if sync.waiting or not sync.bytes_per_second:
        return None
    if sync.done_bytes < _FIRST_SECONDS * sync.bytes_per_second and sync.done_bytes < sync.total_bytes / 2:
        return None
    least, most = finish_range(sync, rotational=rotational)
    return None if math.isinf(most) else (least, most)


def time_left(sync: Advancing, *, rotational: bool) -> str:
    """The time left: "3 h 20 min to 5 h 10 min left", "estimating time left", "stalled"; empty if the rate is not known."""
    if sync.bytes_per_second is None:
        return ""
    found = left_range(sync, rotational=rotational)
    if found is None:
        stalled = sync.bytes_per_second <= 0 < sync.done_bytes
        return "stalled" if stalled else "estimating time left"
    soon, late = (duration(seconds) for seconds in found)
    return f"{soon} left" if soon == late else f"{soon} to {late} left"
