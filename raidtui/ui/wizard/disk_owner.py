"""What a disk in use is a member of, and what would be removed to free it. Pure."""

from collections.abc import Iterable

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.unit import Unit


def what_it_belongs_to(disk: Disk, units: Iterable[Unit], machine: Machine) -> str:
    """What a teardown would remove to free this disk: a unit's UUID, a single disk's name, or nothing."""
    if disk.free:
        return ""
    for unit in units if disk.identity else ():  # a member that is missing has no identity either
        if unit.uuid and any(member.disk == disk.identity for member in unit.members):
            return unit.uuid
    if (
        len(disk.partitions) != 1
    ):  # as on most disks in use: what removes one need not be loaded for the first picture
        return ""
    from raidtui.backends.single.teardown import find_alone

    try:
        return disk.identity if find_alone(disk.identity, machine) is not None else ""
    except RaidtuiError:
        return ""
