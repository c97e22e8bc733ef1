"""Mirrors of one member with a hot spare, which waits for ever: no slot is empty, and the failure of that member loses all.

Somebody reduced the array to the member that was left (--raid-devices=1), and added the new disk after that.
"""

from collections.abc import Iterator, Sequence

from raidtui.backends.care import called
from raidtui.machine.md.health import is_spare
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.procedure import RemoveSpare, UseSpare
from raidtui.model.unit_names import command_word


def lone_spares(machine: Machine) -> Iterator[Finding]:
    """A finding for each."""
    disks = {path: disk for disk in machine.disks for path in disk.every_path}
    for array in machine.arrays:
        spares = [disks[one.path] for one in array.members if is_spare(one) and one.path in disks]
        if not (array.started and array.level == "raid1" and array.raid_disks == 1 and spares):
            continue
        yield Finding(
            name=command_word(array, machine.arrays),
            kind=Kind.NO_REDUNDANCY,
            what=f"array {array.shown}: it has one member only, and its hot spare {called(spares[0])} waits in vain: no slot is "
            "empty",
            unit=array.uuid,
            left=f"none, one more failure loses {array.shown}",
            remedies=(_remedy(array.uuid, spares),),
        )


def _remedy(array: str, spares: Sequence[Disk]) -> Remedy:
    """The spare becomes a member; with another one md would choose between them."""
    if len(spares) > 1:
        last = spares[-1]
        return Remedy(
            text=f"take the spare {called(last)} out first: with two, md chooses which one it uses",
            procedure=RemoveSpare(unit=array, disk=last.identity),
        )
    return Remedy(
        text=f"make the spare {called(spares[0])} a member: md copies the array to it",
        procedure=UseSpare(unit=array, disk=spares[0].identity),
    )
