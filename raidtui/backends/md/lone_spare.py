"""Mirrors of one member with a hot spare, which waits for ever: no slot is empty, and the failure of that member loses all.

Somebody reduced the array to the member that was left (--raid-devices=1), and added the new disk after that.
"""

import shlex
from collections.abc import Iterator

from raidtui.backends.care import called
from raidtui.machine.array_health import is_spare
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.unit_names import command_word


def lone_spares(machine: Machine) -> Iterator[Finding]:
    """A finding for each."""
    disks = {path: disk for disk in machine.disks for path in disk.every_path}
    for array in machine.arrays:
        spares = [disks[one.path] for one in array.members if is_spare(one) and one.path in disks]
        if not (array.started and array.level == "raid1" and array.raid_disks == 1 and spares):
            continue
        name, disk = command_word(array, machine.arrays), spares[0]
        one = disk.identity
        grow = shlex.join(("raidtui", "grow", name, "--add", one, "--erase", one))
        yield Finding(
            name=name,
            kind=Kind.NO_REDUNDANCY,
            what=f"array {array.shown}: it has one member only, and its hot spare {called(disk)} waits in vain: no slot is "
            "empty",
            unit=array.uuid,
            left=f"none, one more failure loses {array.shown}",
            remedies=(
                Remedy(
                    text=f"make the spare a member: take it out, then: {grow}",
                    commands=(shlex.join(("raidtui", "care", name, "--do", "remove-spare", "--with", one)),),
                ),
            ),
        )
