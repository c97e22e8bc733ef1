"""Estimate how long a resync, recovery or check takes, as a range.

A rotating disk is about twice as fast on its outer tracks, where every sync starts, as on its inner ones, so the
kernel's estimate at the start is about a third too short. All members work in parallel: the time is that of one
component at the speed of the slowest member, whatever the level. Rates are bytes a second.
"""

import math
from itertools import pairwise
from typing import Final, Protocol

# The kernel's default of dev.raid.speed_limit_max: 200,000 KiB/s for each device (md.4, md.c).
DEFAULT_LIMIT: Final = 200_000 * 1024
INNER_SHARE: Final = 0.475  # innermost to outermost track speed: 85/180 … 135/285 in data sheets

# Outer-track speed of common 3.5-inch disks by capacity in bytes.
_OUTER: Final = (
    (1e12, 150e6),
    (4e12, 180e6),
    (8e12, 210e6),
    (12e12, 250e6),
    (16e12, 260e6),
    (20e12, 285e6),
)
SHINGLED_FACTOR: Final = 13.5  # ServeTheHome 2020, WD40EFAX in a RAIDZ: over 9 days instead of 16 hours
# The rate over 30 seconds is off by a tenth either way, and other I/O adds to the time.
_EARLY: Final = 0.87
_LATE: Final = 1.2
# Disks of one capacity differ by about a third. Not all of what they can do is reached: a RAID6 of 8 disks of 3 TiB,
# which read at 150 MB/s, was rebuilt at 75 MiB/s at most (stripe cache, processor, bus).
_QUICK: Final = 1.3
_SLOW: Final = 0.6
_COMPUTED: Final = 1.3  # times longer, where parity is computed by disks of known speed


def zoned_seconds(size: float, outer: float, inner: float, limit: float = math.inf) -> float:
    """Seconds to read ``size`` bytes as the speed falls linearly from ``outer`` to ``inner``, capped at ``limit``."""
    if inner >= outer:
        return size / min(outer, limit)
    slope = outer - inner
    at_limit = min(1.0, max(0.0, (outer - limit) / slope))
    start = outer - slope * at_limit
    capped = size * at_limit / limit if at_limit else 0.0
    return capped + size / slope * math.log(start / inner) if at_limit < 1 else capped


def typical_outer_speed(size: float) -> float:
    """Expected outer-track rate of a rotating disk of ``size`` bytes, if not measured."""
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
    parity: bool = False,
) -> tuple[float, float]:
    """Shortest and longest time in seconds of a whole initial sync, recovery or check on idle disks.

    The range is of disks that do nothing else, on a computer that keeps up with them: md's speed limit and a shared
    bus count if they are given; a processor or a controller that is slower still does not.

    Args:
        component_bytes: used on each member.
        bytes_per_second: measured sequential rate of the slowest member on its outer tracks; ``None``: the usual
            rate for this size.
        limit: for each device; ``None``: md's default of 204.8 MB/s.
        disks: number of disks that work at once.
        bus: bytes a second that they share, for example on one USB cable or port multiplier.
        shingled: the disks are SMR. The shortest time then assumes sequential writes, the longest is scaled by a
            measurement without them (9 days instead of 16 hours).
        parity: it is computed from all disks, which takes longer than a copy if the default stripe cache is small.
    """
    bound = float(limit or DEFAULT_LIMIT)
    if bus is not None:
        bound = min(bound, bus / disks)
    low, high = _pass(component_bytes, rotational, bytes_per_second, bound)
    if parity and rotational and bytes_per_second:
        high *= _COMPUTED
    return low, high * (SHINGLED_FACTOR if shingled else 1)


def _pass(size: int, rotational: bool, rate: float | None, bound: float) -> tuple[float, float]:
    if not rotational:
        fast = min(rate or 2e9, bound)
        slow = min(rate * 0.8 if rate else 300e6, bound) / 1.1
        return size / fast, size / slow
    if rate:
        return zoned_seconds(size, rate, rate * 0.55, bound), zoned_seconds(size, rate, rate * 0.40, bound)
    outer = typical_outer_speed(size)
    quick, slow = outer * _QUICK, outer * _SLOW
    return (
        zoned_seconds(size, quick, quick * INNER_SHARE, bound),
        zoned_seconds(size, slow, slow * INNER_SHARE, bound),
    )


def reshape_range(
    component_bytes: int, *, rotational: bool, bytes_per_second: float | None, limit: float | None
) -> tuple[float, float]:
    """Shortest and longest time in seconds to reshape an array, which reads and writes the same disks in turn.

    Measured reshapes of rotating disks ran at 25 to 40 % of the sequential rate; flash loses about half.
    """
    low, high = _pass(component_bytes, rotational, bytes_per_second, float(limit or DEFAULT_LIMIT))
    best, worst = (0.40, 0.25) if rotational else (0.6, 0.4)
    return low / best, high / worst


class Advancing(Protocol):
    """A sync or unit activity with progress in bytes."""

    @property
    def done_bytes(self) -> int:
        """Bytes done so far."""

    @property
    def total_bytes(self) -> int:
        """Bytes to do in all."""

    @property
    def bytes_per_second(self) -> int | None:
        """The current rate; None: not known."""

    @property
    def waiting(self) -> str:
        """What it is waiting for; empty while it runs."""


def finish_range(
    sync: Advancing, *, rotational: bool, seen: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Shortest and longest time left in seconds for a sync in progress.

    The shortest assumes the current rate, like the kernel's estimate: correct if the disk is not the bottleneck.
    The longest lets the rate fall as towards a disk's inner tracks. Both allow for noise in that rate, which is a
    mean over 30 seconds. Both are infinite if the rate is zero.

    Args:
        seen: the slowest and the fastest mean rate so far, which other I/O may bring back.
    """
    left = max(0, sync.total_bytes - sync.done_bytes)
    if left == 0:
        return 0.0, 0.0
    rate = sync.bytes_per_second
    if not rate:
        return math.inf, math.inf
    slow, fast = (min(rate, seen[0]), max(rate, seen[1])) if seen else (rate, rate)
    if not rotational:
        return left / fast * _EARLY, left / slow * _LATE
    here = 1 - (1 - INNER_SHARE) * sync.done_bytes / sync.total_bytes
    return left / fast * _EARLY, zoned_seconds(left, slow, slow * INNER_SHARE / here) * _LATE
