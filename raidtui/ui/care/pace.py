"""How fast a sync may go, in a few steps from the gentlest to the fastest. Pure.

md keeps to ``sync_speed_max``, and below ``sync_speed_min`` it does not yield to other I/O
(md(4)). Which step is in force is read from the kernel, so every screen knows it.
"""

from typing import Final

from raidtui.model.machine import Array
from raidtui.model.struct import Record
from raidtui.model.system import System
from raidtui.model.units import KIB, rate

_UNBOUND: Final = 4_000_000 * KIB
_GIVES_WAY: Final = 1000 * KIB  # md's own default for the least


class Pace(Record, frozen=True, kw_only=True):
    """One step. Limits are bytes a second; none means the system's own."""

    words: str
    minimum: int | None = None
    maximum: int | None = None


def _at_most(megabytes: int) -> Pace:
    return Pace(
        words=f"gentle, at most {megabytes} MB/s", minimum=_GIVES_WAY, maximum=_whole(megabytes * 10**6)
    )


def _whole(bytes_per_second: int) -> int:
    """md counts in KiB."""
    return bytes_per_second // KIB * KIB


PACES: Final = (
    _at_most(5),
    _at_most(20),
    _at_most(50),
    Pace(words="system default"),
    Pace(
        words="fast, at least 50 MB/s even under other I/O",
        minimum=_whole(50 * 10**6),
        maximum=_UNBOUND,
    ),
    Pace(words="fastest, other I/O waits", minimum=_UNBOUND, maximum=_UNBOUND),
)
NORMAL: Final = 3


def pace_of(array: Array, system: System | None) -> int | None:
    """Which of `PACES` the array has now; None for limits set by somebody else."""
    if system is not None and (array.sync_speed_min, array.sync_speed_max) == (
        system.raid_speed_min,
        system.raid_speed_max,
    ):
        return NORMAL
    return next(
        (
            number
            for number, pace in enumerate(PACES)
            if number != NORMAL
            and (array.sync_speed_min, array.sync_speed_max) == (pace.minimum, pace.maximum)
        ),
        None,
    )


def next_pace(now: int | None, step: int) -> int | None:
    """The step after the present one; None at the end of the ladder. Somebody else's limits count as the system's."""
    wanted = (NORMAL if now is None else now) + step
    return wanted if 0 <= wanted < len(PACES) else None


def limits(array: Array, system: System | None) -> str:
    """The limits in words: "Speed limits: system default, 1.0 MB/s to 204.8 MB/s"."""
    least, most = array.sync_speed_min, array.sync_speed_max
    if least is None or most is None:
        return ""
    now = pace_of(array, system)
    numbers = f"{rate(least)} to {rate(most)}" if most < _UNBOUND else f"{rate(least)} or more"
    if now is None:
        return f"Speed limits: {numbers}"
    if now == NORMAL:
        return f"Speed limits: {PACES[now].words}, {numbers}"
    return f"Speed limits: {PACES[now].words}"
