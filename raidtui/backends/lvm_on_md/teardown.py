"""Tear down a group with LVM's core, then the arrays under it with md's."""

from msgspec.structs import replace

from raidtui.backends.lvm.create import Holder
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.teardown import Group, check_is_ours, group_removal, the_group
from raidtui.backends.lvm_on_md.units import arrays_under, units_of
from raidtui.backends.md.array_names import address, nodes
from raidtui.backends.md.teardown import called_here
from raidtui.backends.md.teardown import removal_of as array_removal
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.steps.multi_device import check_on_no_other
from raidtui.steps.removal import Removal


def find_group(word: str, machine: Machine) -> Group | None:
    """The group that ``word`` means, directly or by one of its arrays; None if there is none.

    Raises:
        BadInput: there are several.
    """
    reading = reading_in(machine)
    if reading is None:
        return None
    units = units_of(machine)
    arrays = [array.uuid for array in machine.arrays if array.is_called(word)]
    below = [unit.uuid for unit in units for uuid in arrays if uuid in unit.below]
    return the_group(word, units, reading) or (
        the_group(below[0], units, reading) if len(set(below)) == 1 else None
    )


def removal_of(found: Group, machine: Machine) -> Removal:
    """How a group and every array under it are removed.

    Raises:
        BadInput: no member of an array is on a disk.
        Refused: the group belongs to another system or a cluster; a physical volume is not an array; or its contents
            span other devices too.
    """
    unit, name = found.unit, found.name
    check_is_ours(found)
    arrays = arrays_under(found.group, found.reading, machine.arrays)
    known = {node for array in arrays for node in nodes(array)}
    for path in (member.path for member in unit.members if member.path):
        if path not in known:
            raise Refused(
                f"{path}, a physical volume of {name}, is not a whole array, so it cannot be erased here. "
                f"Remove the group with 'vgremove {name}', then 'pvremove {path}'"
            )
    if not arrays:
        raise BadInput(f"no array of the volume group {name} is in this computer")
    below = tuple(array_removal(array, machine, emptied=True) for array in arrays)
    inside = [inner for one in below for inner in one.every]
    own = known | {path for one in inside for member in one.members for path in member.shows}
    check_on_no_other(name, unit.signatures, machine, own=own, unread=unit.unread)
    uuids = found.uuids
    devices = [
        Holder(device=address(array), uuid=next(uuids[node] for node in nodes(array) if node in uuids))
        for array in arrays
    ]
    group = group_removal(found, devices, names=[f"the array {called_here(array)}" for array in arrays])
    spec = replace(group.spec, backend=Backend.LVM_ON_MD, metadata=arrays[0].metadata or None)
    return replace(group, spec=spec, below=below)
