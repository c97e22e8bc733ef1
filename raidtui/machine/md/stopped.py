"""Arrays with superblocks on the disks of a reading that the kernel does not have: stopped, or not assembled at boot. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from raidtui.model.device import MEMBERS_OVER, Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.machine import STOPPED, Array, Machine, Member
from raidtui.model.problem import Problem
from raidtui.model.superblock import Superblock, complete
from raidtui.model.text import listed
from raidtui.model.uuids import same_uuid

MEMBER: Final = "linux_raid_member"
"""libblkid's type of a member of any array."""
FIRMWARE: Final = {
    "isw_raid_member": "imsm",
    "ddf_raid_member": "ddf",
}
"""What md can assemble, by libblkid's type."""


class Mark(NamedTuple):
    """A device whose signature is that of a member."""

    path: str
    disk: str  # the identity of the whole disk
    type: str  # libblkid's name of the signature
    label: str = ""  # lab:tank
    uuid: str = ""


def stopped_in(machine: Machine) -> tuple[Array, ...]:
    """The stopped arrays of a reading."""
    graph = graph_of(machine)
    on_disks = (
        Mark(one.device, disk.identity, one.type, one.label, one.uuid)
        for disk in machine.disks
        for one in disk.every_signature
    )
    over = (Mark(one.path, "", one.type, one.label, one.uuid) for one in graph if one.kind in MEMBERS_OVER)
    marks = (one for one in (*on_disks, *over) if not is_held(graph.at(one.path), graph))
    return stopped_arrays(tuple(marks), machine.superblocks, machine.arrays)


def unread_arrays(graph: DeviceGraph, arrays: Sequence[Array]) -> Iterator[Problem]:
    """The arrays that hold devices, and of which md does not say what they are."""
    known = {array.node for array in arrays}
    for one in graph:
        if one.kind is DeviceKind.ARRAY and not one.disk and one.slaves and one.path not in known:
            text = f"{one.name} runs on {listed(list(one.slaves))}, and its state cannot be read from /sys/block/{one.name}/md"
            yield Problem(what="arrays", text=text)


def is_held(block: Device | None, graph: DeviceGraph) -> bool:
    """Whether an array that the kernel has, readable or not, holds the device, or multipath does."""
    arrays = block is not None and any(one.kind is DeviceKind.ARRAY for one in graph.on(block))
    return arrays or graph.is_path(block)


def stopped_arrays(
    marks: Sequence[Mark], superblocks: Sequence[Superblock], arrays: Sequence[Array]
) -> tuple[Array, ...]:
    """The arrays of ``marks`` that are not among ``arrays``, with what their superblocks say."""
    known = {one.path: one for one in superblocks}
    by_uuid: dict[str, list[Mark]] = {}
    for mark in marks:
        if mark.type == MEMBER and mark.uuid and not any(same_uuid(mark.uuid, a.uuid) for a in arrays):
            by_uuid.setdefault(mark.uuid, []).append(mark)
    found = [_array(uuid, some, known) for uuid, some in sorted(by_uuid.items())]
    assembled = {member.path for array in arrays for member in array.members}
    for kind, name in FIRMWARE.items():
        some = [one for one in marks if one.type == kind and one.path not in assembled]
        if some:
            found.append(_firmware(name, some))
    return tuple(found)


def _array(uuid: str, marks: Sequence[Mark], known: Mapping[str, Superblock]) -> Array:
    stored = {mark.path: known[mark.path] for mark in marks if mark.path in known}
    newest = max(stored.values(), key=lambda one: one.events, default=None)
    current = complete(stored)
    # A disk and its last partition may show one superblock; only the partition has it then.
    here = [mark for mark in marks if not stored or mark.path in stored]
    label = newest.name if newest else marks[0].label
    return Array(
        name=label.partition(":")[2] or label or uuid,
        node="",
        full_name=label,
        uuid=uuid,
        level=newest.level if newest else "",
        metadata=newest.metadata if newest else "",
        consistency="lockless" if newest and newest.lockless else "",
        state=STOPPED,
        raid_disks=newest.raid_disks if newest else 0,
        members=tuple(
            sorted(
                (
                    Member(
                        path=mark.path,
                        disk=mark.disk,
                        slot=stored[mark.path].slot if mark.path in current else None,
                        state=() if mark.path in current or not stored else ("spare",),
                    )
                    for mark in here
                ),
                key=lambda one: (one.slot is None, one.slot or 0, one.path),
            )
        ),
    )


def _firmware(name: str, marks: Sequence[Mark]) -> Array:
    """A firmware RAID set. Only mdadm knows what volumes it has."""
    return Array(
        name=name,
        node="",
        level="container",
        metadata=f"external:{name}",
        state=STOPPED,
        members=tuple(Member(path=mark.path, disk=mark.disk) for mark in marks),
    )
