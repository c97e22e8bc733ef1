"""How long a resync, recovery or check takes, as a range.

A rotating disk is about twice as fast on its outer tracks, where every sync starts, as on its inner ones, so the
kernel's own estimate is about a third too short at the start of one. All members work in parallel: the time is
that of one component at the speed of the slowest member, whatever the level. Rates are bytes a second.
"""

import math
from itertools import pairwise
from typing import Final, Protocol

# dev.raid.speed_limit_max of an untouched kernel: 200,000 KiB/s for each device (md.4, md.c).
DEFAULT_LIMIT: Final = 200_000 * 1024
INNER_SHARE: Final = (
    0.475  # speed of the innermost tracks over the outermost: 85/180 … 135/285 in data sheets
)

# Outer-track speed of common 3.5-inch disks by capacity in bytes.
_OUTER: Final = (
    (1e12, 150e6),
    (4e12, 180e6),
    (8e12, 210e6),
    (12e12, 250e6),
    (16e12, 260e6),
    (20e12, 285e6),
)
SHINGLED_FACTOR: Final = 13.5  # ServeTheHome 2020, WD40EFAX in a RAIDZ: more than 9 days against 16 hours
# The rate of half a minute is off by a tenth either way, and what else the disks do comes on top.
_EARLY: Final = 0.87
_LATE: Final = 1.2
_SPREAD: Final = 0.3  # disks of one capacity differ by about this much either way


def zoned_seconds(size: float, outer: float, inner: float, limit: float = math.inf) -> float:
    """Seconds to pass over ``size`` bytes whose speed falls evenly from ``outer`` to ``inner``, never above ``limit``."""
    if inner >= outer:
        return size / min(outer, limit)
    slope = outer - inner
    at_limit = min(1.0, max(0.0, (outer - limit) / slope))
    start = outer - slope * at_limit
    capped = size * at_limit / limit if at_limit else 0.0
    return capped + size / slope * math.log(start / inner) if at_limit < 1 else capped


def typical_outer_speed(size: float) -> float:
    """Outer-track rate to expect of a rotating disk of ``size`` bytes when nothing was measured."""
    if size <= _OUTER[0][0]:
        return _OUTER[0][1]
    for (low, slow), (high, fast) in pairwise(_OUTER):
        if size <= high:
            return slow + (fast - slow) * (size - low) / (high - low)
    return _OUTER[-1][1]


def sync_range(
    component_bytes: int,
    *,
    rotational: bool,
    bytes_per_second: float | None,
    limit: float | None,
    disks: int = 1,
    bus: float | None = None,
    shingled: bool = False,
) -> tuple[float, float]:
    """Seconds, least and most, of a whole initial sync, recovery or check of undisturbed disks.

    Args:
        component_bytes: used of each member.
        bytes_per_second: measured sequential rate of the slowest member (its outer tracks); ``None`` takes
            what disks of this size usually do.
        limit: of each device; ``None`` takes md's default of 204.8 MB/s.
        disks: how many work at once.
        bus: bytes a second that they share, such as one USB cable or one port multiplier.
        shingled: the disks are SMR; the least holds while md writes in order, the most is what was measured
            where it did not (9 days in place of 16 hours).
    """
    bound = float(limit or DEFAULT_LIMIT)
    if bus is not None:
        bound = min(bound, bus / disks)
    low, high = _pass(component_bytes, rotational, bytes_per_second, bound)
    return low, high * (SHINGLED_FACTOR if shingled else 1)


def _pass(size: int, rotational: bool, rate: float | None, bound: float) -> tuple[float, float]:
    if not rotational:
        fast = min(rate or 2e9, bound)
        slow = min(rate * 0.8 if rate else 300e6, bound) / 1.1
        return size / fast, size / slow
    if rate:
        return zoned_seconds(size, rate, rate * 0.55, bound), zoned_seconds(size, rate, rate * 0.40, bound)
    outer = typical_outer_speed(size)
    quick, slow = outer * (1 + _SPREAD), outer * (1 - _SPREAD)
    return (
        zoned_seconds(size, quick, quick * INNER_SHARE, bound),
        zoned_seconds(size, slow, slow * INNER_SHARE, bound),
    )


def reshape_range(
    component_bytes: int, *, rotational: bool, bytes_per_second: float | None, limit: float | None
) -> tuple[float, float]:
    """Seconds, least and most, to reshape an array: the same disks are read and written in turn.

    Measured reshapes of rotating disks ran at 25 to 40 % of their sequential rate; flash loses about half.
    """
    low, high = _pass(component_bytes, rotational, bytes_per_second, float(limit or DEFAULT_LIMIT))
    best, worst = (0.40, 0.25) if rotational else (0.6, 0.4)
    return low / best, high / worst


class Advancing(Protocol):
    """A sync, or what a unit does: anything of which some bytes are done."""

    @property
    def done_bytes(self) -> int:
        """Bytes that are done …"""

    @property
    def total_bytes(self) -> int:
        """… of all these."""

    @property
    def bytes_per_second(self) -> int | None:
        """The rate now; None: not known."""

    @property
    def waiting(self) -> str:
        """What it waits for; empty while it runs."""


def finish_range(sync: Advancing, *, rotational: bool) -> tuple[float, float]:
    """Seconds, least and most, that are left of a sync under way.

    The least is what is left at the present rate, as the kernel estimates it: right where something other than
    the disk is the bound. The most lets the present rate fall as a disk's does from here to its inner tracks.
    Both leave room for the noise of that rate, a mean of half a minute. Both are infinite while nothing moves.
    """
    left = max(0, sync.total_bytes - sync.done_bytes)
    if left == 0:
        return 0.0, 0.0
    if not sync.bytes_per_second:
        return math.inf, math.inf
    steady = left / sync.bytes_per_second
    if not rotational:
        return steady * _EARLY, steady * _LATE
    here = 1 - (1 - INNER_SHARE) * sync.done_bytes / sync.total_bytes
    inner = sync.bytes_per_second * INNER_SHARE / here
    return steady * _EARLY, zoned_seconds(left, sync.bytes_per_second, inner) * _LATE
