"""Find what a disk in use is a member of, which a teardown would remove to free it. Pure."""

from collections.abc import Iterable

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import ClaimKind, Disk, Machine
from raidtui.model.unit import Unit


def has_only_a_table(disk: Disk, machine: Machine) -> bool:
    """Whether a partition table without partitions is all that is on the disk, which a teardown would erase."""
    # True for few disks: do not load the teardown of single disks for the first picture.
    if disk.partitions or not any(claim.what is ClaimKind.PARTITION_TABLE for claim in disk.taken_by):
        return False
    from raidtui.backends.single.empty_table import find_empty

    try:
        return bool(disk.identity) and find_empty(disk.identity, machine) is not None
    except RaidtuiError:
        return False


def what_it_belongs_to(disk: Disk, units: Iterable[Unit], machine: Machine) -> str:
    """What a teardown would remove to free this disk: a unit's UUID, the identity of a single disk, or empty."""
    if disk.free:
        return ""
    if has_only_a_table(disk, machine):
        return disk.identity
    for unit in units if disk.identity else ():  # missing members have no identity either
        if unit.uuid and not unit.stopped and any(member.disk == disk.identity for member in unit.members):
            return unit.uuid
    # True for most disks in use: do not load the teardown of single disks for the first picture.
    if len(disk.partitions) != 1:
        return ""
    from raidtui.backends.single.teardown import find_alone

    try:
        return disk.identity if find_alone(disk.identity, machine) is not None else ""
    except RaidtuiError:
        return ""
