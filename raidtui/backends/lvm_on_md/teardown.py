"""Tear down a group with LVM's steps, then the arrays under it with md's steps."""

from collections.abc import Sequence

from raidtui.backends.lvm.create import Holder
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.lvm.teardown import Group, check_is_ours, the_group
from raidtui.backends.lvm.teardown import removal_steps as group_steps
from raidtui.backends.lvm_on_md.create import with_unique_ids
from raidtui.backends.lvm_on_md.units import arrays_under, units_of
from raidtui.backends.md.array_names import address, nodes
from raidtui.backends.md.create import release_members
from raidtui.backends.md.teardown import Found, called_here, find_all, forget_steps
from raidtui.backends.md.teardown import removal_steps as array_steps
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Array, Machine
from raidtui.model.plan import Plan, PlanKind, Step
from raidtui.model.spec import Backend, Spec
from raidtui.steps.fstab import remove_folder_steps
from raidtui.steps.multi_device import check_on_no_other
from raidtui.steps.removal import identities, planned_disks


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


def remove_group(found: Group, machine: Machine, *, seed: str) -> Plan:
    """The plan that removes a group and every array under it, and leaves the disks blank.

    Raises:
        BadInput: no member of an array is on a disk.
        Refused: the group belongs to another system or a cluster; the running system is on it; a physical volume is
            not an array; or its contents span other devices too.
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
    members = {array.uuid: find_all(array, machine) for array in arrays}
    every = [member for some in members.values() for member in some]
    disks = planned_disks(every, machine, name=name, role=lambda one: one.role)
    own = {path for member in every for path in member.shows} | known
    check_on_no_other(name, unit.signatures, machine, own=own, unread=unit.unread)
    uuids = {device.path: device.uuid for device in found.reading.known.devices_of(found.group)}
    holders = [
        Holder(device=address(array), uuid=next(uuids[node] for node in nodes(array) if node in uuids))
        for array in arrays
    ]
    return Plan(
        kind=PlanKind.TEARDOWN,
        spec=Spec(
            name=name,
            backend=Backend.LVM_ON_MD,
            level=unit.level,
            members=identities(disks),
            spares=identities(disks, "spare"),
            metadata=arrays[0].metadata or None,
            partition=any(m.device != m.whole for m in every),
        ),
        seed=seed,
        host=machine.system.hostname,
        array_uuid=found.mark,
        uuids=(*(one.uuid for one in holders), *(array.uuid for array in arrays)),
        array_path=unit.path or f"/dev/{found.group.name}",
        array_bytes=unit.size_bytes,
        disks=disks,
        steps=(
            *group_steps(
                found, holders, machine, names=[f"the array {called_here(array)}" for array in arrays]
            ),
            *_array_steps(arrays, members, machine),
            *remove_folder_steps(unit.mountpoints, built=found.mark),
            *forget_steps(arrays, machine),
        ),
        release=tuple(release_members(array.uuid) for array in arrays),
    )


def _array_steps(
    arrays: Sequence[Array], members: dict[str, tuple[Found, ...]], machine: Machine
) -> list[Step]:
    """md's steps for each array, with unique ids."""
    return with_unique_ids(
        step for array in arrays for step in array_steps(array, members[array.uuid], machine)
    )
