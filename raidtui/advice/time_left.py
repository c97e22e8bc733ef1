"""How long a sync still takes, in words and as a range, and nothing while nobody can know."""

import math
from typing import Final

from raidtui.advice.time import Advancing, finish_range
from raidtui.model.units import duration

# The kernel counts a sync's rate from its start and in steps of three seconds (SYNC_MARK_STEP in drivers/md/md.c).
# In its first moments the rate is that of a few requests, and the estimate has been days where it took an hour.
_FIRST_SECONDS: Final = 5


def left_range(sync: Advancing, *, rotational: bool) -> tuple[float, float] | None:
    """Seconds, least and most, that are left; None for a sync that waits, stalls, or has just begun."""
    if sync.waiting or not sync.bytes_per_second:
        return None
    if sync.done_bytes < _FIRST_SECONDS * sync.bytes_per_second and sync.done_bytes < sync.total_bytes / 2:
        return None
    least, most = finish_range(sync, rotational=rotational)
    return None if math.isinf(most) else (least, most)


def time_left(sync: Advancing, *, rotational: bool) -> str:
    """When a sync ends: "3 h 20 min to 5 h 10 min left", "estimating time left", "stalled"; empty if nobody can know."""
    if sync.bytes_per_second is None:
        return ""
    found = left_range(sync, rotational=rotational)
    if found is None:
        stalled = sync.bytes_per_second <= 0 < sync.done_bytes
        return "stalled" if stalled else "estimating time left"
    soon, late = (duration(seconds) for seconds in found)
    return f"{soon} left" if soon == late else f"{soon} to {late} left"
