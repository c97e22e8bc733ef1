"""Speed limits of a sync, in a few steps from gentlest to fastest. Pure.

md stays below ``sync_speed_max``, and below ``sync_speed_min`` it does not yield to other I/O (md(4)). LVM's RAID is
md's; Btrfs has a maximum only. The current step is read from the kernel, so every screen shows the same one.
"""

from typing import Final

from raidtui.model.struct import Record
from raidtui.model.unit import Limits
from raidtui.model.units import KIB, rate

_UNBOUND: Final = 4_000_000 * KIB
_GIVES_WAY: Final = 1000 * KIB  # md's default minimum


class Pace(Record, frozen=True, kw_only=True):
    """One step. Limits are bytes a second; None means the system's own."""

    words: str
    minimum: int | None = None
    maximum: int | None = None


def _at_most(megabytes: int) -> Pace:
    return Pace(
        words=f"gentle, at most {megabytes:,} MB/s", minimum=_GIVES_WAY, maximum=_whole(megabytes * 10**6)
    )


def _whole(bytes_per_second: int) -> int:
    """Round down to whole KiB, md's unit."""
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


def pace_of(limits: Limits) -> int | None:
    """The index in `PACES` of the current limits; None for limits set outside raidtui."""
    if not limits.own:
        return NORMAL
    return next(
        (
            number
            for number, pace in enumerate(PACES)
            if number != NORMAL
            and limits.most == pace.maximum
            and (limits.least == pace.minimum or limits.most_alone)
        ),
        None,
    )


def next_pace(limits: Limits, step: int) -> Pace | None:
    """The next step up or down; None at either end. "Slower" is always slower, and "faster" always faster.

    Limits set outside raidtui count as the system default. Where only a maximum can be set, nothing is faster than
    that default.
    """
    now = pace_of(limits)
    wanted = (NORMAL if now is None else now) + step
    most = limits.most if now in {None, NORMAL} else limits.usual_most
    # Skip gentle steps at or above the system's own limit: they would not slow anything down.
    while most is not None and 0 <= wanted < NORMAL and (PACES[wanted].maximum or 0) >= most:
        wanted += step
    return PACES[wanted] if 0 <= wanted <= (NORMAL if limits.most_alone else len(PACES) - 1) else None


def limit_words(limits: Limits) -> str:
    """The limits in words: "Speed limits: system default, 1.0 MB/s to 204.8 MB/s"."""
    least, most, now = limits.least, limits.most, pace_of(limits)
    if most is None:
        numbers = f"{rate(least)} or more" if least else ""
    elif limits.most_alone:
        numbers = f"at most {rate(most)}"
    else:
        numbers = f"{rate(least or 0)} to {rate(most)}" if most < _UNBOUND else f"{rate(least or 0)} or more"
    if now is None:
        return f"Speed limits: {numbers}"
    if now == NORMAL:
        return f"Speed limits: {', '.join(filter(None, (PACES[now].words, numbers)))}"
    return f"Speed limits: {PACES[now].words}"
