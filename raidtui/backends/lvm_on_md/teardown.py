"""Tear down a group with LVM's core, then the arrays under it with md's; it may be on disks beside them."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.backends.lvm.create import Holder
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.teardown import Group, by_hand, check_is_ours, group_removal, the_group
from raidtui.backends.lvm.units import units_of as groups_of
from raidtui.backends.lvm_on_md.units import arrays_under, units_of
from raidtui.backends.md.array_names import address, nodes
from raidtui.backends.md.teardown import called_here
from raidtui.backends.md.teardown import removal_of as array_removal
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.unit import Unit
from raidtui.steps.multi_device import check_on_no_other
from raidtui.steps.partitions import LINUX_LVM
from raidtui.steps.removal import Removal, members_at


def removal(word: str, machine: Machine) -> Removal | None:
    """How the group that ``word`` means, itself or by one of its arrays, is removed; None if there is none.

    Raises:
        BadInput: there are several, or as `removal_of`.
        Refused: as `removal_of`.
    """
    reading = reading_in(machine)
    if reading is None:
        return None
    nodes = {array.node for array in machine.arrays}
    mixed = [one for one in groups_of(machine) if nodes & {member.path for member in one.members}]
    found = group_below(word, (*units_of(machine), *mixed), reading, machine)
    return None if found is None else removal_of(found, machine)


def group_below(word: str, units: Sequence[Unit], reading: LvmReading, machine: Machine) -> Group | None:
    """The group among ``units`` that ``word`` means, directly or by one of its arrays; None if there is none.

    Raises:
        BadInput: there are several.
    """
    arrays = [array.uuid for array in machine.arrays if array.is_called(word)]
    below = [unit.uuid for unit in units for uuid in arrays if uuid in unit.below]
    return the_group(word, units, reading) or (
        the_group(below[0], units, reading) if len(set(below)) == 1 else None
    )


def removal_of(found: Group, machine: Machine) -> Removal:
    """How a group and every array under it are removed.

    Raises:
        BadInput: no member of an array is on a disk.
        Refused: the group belongs to another system or a cluster; a physical volume is neither an array nor on a disk;
            or its contents span other devices too.
    """
    unit, name = found.unit, found.name
    check_is_ours(found)
    arrays = arrays_under(found.group, found.reading, machine.arrays)
    known = {node for array in arrays for node in nodes(array)}
    on_disks = members_at(
        [member.path for member in unit.members if member.path and member.path not in known],
        machine,
        called_as=f"a physical volume of {name}",
        instead=by_hand,
    )
    if not arrays:
        raise BadInput(f"no array of the volume group {name} is in this computer")
    below = tuple(array_removal(array, machine, emptied=True) for array in arrays)
    inside = [inner for one in below for inner in one.every]
    own = known | {path for one in inside for member in one.members for path in member.shows}
    own |= {member.path for member in on_disks}
    check_on_no_other(name, unit.signatures, machine, own=own, unread=unit.unread)
    uuids = found.uuids
    holders = [
        Holder(device=address(array), uuid=next(uuids[node] for node in nodes(array) if node in uuids))
        for array in arrays
    ]
    holders += [Holder(device=one.device, uuid=uuids[one.path], whole=one.whole) for one in on_disks]
    names = [*(f"the array {called_here(array)}" for array in arrays), *(one.shown for one in on_disks)]
    group = group_removal(found, holders, names=names)
    spec = replace(group.spec, backend=Backend.LVM_ON_MD, metadata=arrays[0].metadata or None)
    return replace(group, spec=spec, below=below, members=on_disks, partition_type=LINUX_LVM)
