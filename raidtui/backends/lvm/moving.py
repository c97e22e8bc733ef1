"""Volumes whose data was being moved to another disk, pvmove(8): after a power cut it moves on only when it is asked to. Pure.

The mirror that does the move stays in the group, so nothing is lost; but the old disk is still needed.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.report import LogicalVolume
from raidtui.backends.lvm.units import others, unfinished
from raidtui.model.chance import share
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.plan import Run
from raidtui.model.procedure import LetSync
from raidtui.model.text import harmless, listed

_INTERVAL: Final = "5"  # seconds between two looks of pvmove
_ALL: Final = 100.0
_A_DAY: Final = "+86400"
_LONGEST_SECONDS: Final = 60 * 86400


def moved(old: str, *new: str) -> Run:
    """Move what is on ``old`` and wait; pvmove(8) continues what has begun. Exit code 5: nothing is left to move."""
    return Run(
        argv=("pvmove", "--interval", _INTERVAL, old, *new), ok=(0, 5), timeout_seconds=_LONGEST_SECONDS
    )


def move_begun(old: str, new: str) -> Run:
    """Begin to mirror what is on ``old``; the old place is given up only by a second pvmove(8), see `moved`.

    pvmove itself would give it up as soon as all is copied, and flushes nothing: a power cut then loses what only the cache
    of the new disk has. By "+" the process that it leaves behind waits before its first look (polldaemon.c).
    """
    waits = ("--atomic", "--background", "--interval", _A_DAY)
    return Run(argv=("pvmove", "--config", "global/use_lvmpolld=0", *waits, old, new))


def moving(machine: Machine) -> Iterator[Finding]:
    """A finding for each volume group in which such a move has not ended; no report says whether its program still runs."""
    reading = reading_in(machine)
    for group in reading.known.groups if reading is not None else ():
        assert reading is not None, "the group is in it"
        moves = unfinished(group, reading.known)
        if moves and not others(group, reading):
            disks = dict.fromkeys(
                path for one in moves for part in one.segments for path in part.devices if path
            )
            yield Finding(
                name=group.name,
                kind=Kind.HELD,
                what=f"volume group {harmless(group.name)}: a move of data between {listed(list(disks))} {_stands(moves)}",
                unit=group.uuid,
                never="disconnect either of the disks",
                remedies=(
                    Remedy(
                        text="let it end: a job of raidtui or a pvmove(8) may be waiting for it. If none is any more, this continues it",
                        procedure=LetSync(unit=group.uuid),
                    ),
                    Remedy(text="or take it back: pvmove(8), --abort"),
                ),
            )


def _stands(moves: Sequence[LogicalVolume]) -> str:
    """How far a move is: the kernel copies while its mirror is active, whether or not a program waits for that."""
    done = [one.sync_percent for one in moves if one.active and one.sync_percent is not None]
    if len(done) < len(moves):
        return "has not ended"
    return f"runs, {share(min(done) / _ALL)}" if min(done) < _ALL else "has copied all, and has not ended"
