"""An array that runs and whose members md reads at the wrong place, since they missed the end of a reshape. Pure."""

from collections.abc import Iterator, Mapping

from raidtui.backends.care import called_at
from raidtui.backends.md.states import misread
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Recover
from raidtui.model.superblock import Superblock, missed_end
from raidtui.model.text import harmless, listed

_OLD = "where their data was before the reshape"


def misplaced(machine: Machine) -> Iterator[Finding]:
    """A finding for each such array: what is read from it is wrong, and a write makes that permanent."""
    for array in machine.arrays:
        if not (wrong := misread(array)):
            continue
        names = listed([*map(harmless, called_at([one.path for one in wrong], machine))])
        yield Finding(
            name=array.shown,
            kind=Kind.MISPLACED,
            what=f"array {array.shown}: md reads {names} {_OLD}. A power cut interrupted its end, and what the array returns is "
            "wrong",
            unit=array.uuid,
            never="write to it, mount it, repair it, or add a member",
            remedies=(_look(array),),
        )


def not_started(array: Array, stored: Mapping[str, Superblock], machine: Machine) -> tuple[Remedy, ...]:
    """What comes in place of a start, after which md would read members at the wrong place; nothing if it would not."""
    missed = missed_end(stored)
    if not missed:
        return ()
    names = listed([*map(harmless, called_at(missed, machine))])
    return (
        Remedy(text=f"do not start it: md would read {names} {_OLD}, whose end a power cut interrupted"),
        _look(array),
    )


def _look(array: Array) -> Remedy:
    return Remedy(
        text="look for its files on overlays, with each member read where the reshape has put its data. If they are whole, what was "
        "tried can be done for real",
        procedure=Recover(unit=array.uuid),
    )
