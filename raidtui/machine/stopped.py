"""Arrays with superblocks on the disks here that the kernel does not have: stopped, or not assembled at boot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from raidtui.machine.blocks import read_devices
from raidtui.machine.disks import read_identity_of
from raidtui.machine.newest import of_array, read_superblocks_at
from raidtui.machine.superblock import are_readable
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import DATABASE, NONE, read_properties
from raidtui.model.device import MEMBERS_OVER, Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.machine import STOPPED, Array, Machine, Member
from raidtui.model.problem import Problem
from raidtui.model.superblock import Superblock, complete
from raidtui.model.text import listed
from raidtui.model.uuids import same_uuid

_MEMBER: Final = "linux_raid_member"
FIRMWARE: Final = {
    "isw_raid_member": "imsm",
    "ddf_raid_member": "ddf",
}
"""What md can assemble, by libblkid's type."""
_HIDDEN: Final = "hidden"  # to udev it has no superblock, and it may have one
_MAY_BE_BLANK: Final = frozenset({DeviceKind.DISK, DeviceKind.PARTITION, DeviceKind.ARRAY, *MEMBERS_OVER})


class Mark(NamedTuple):
    """A device whose signature is that of a member."""

    path: str
    disk: str  # the identity of the whole disk
    type: str  # libblkid's name of the signature
    label: str = ""  # lab:tank
    uuid: str = ""


def stopped_in(machine: Machine) -> tuple[Array, ...]:
    """The stopped arrays of a reading. Pure."""
    graph = graph_of(machine)
    on_disks = (
        Mark(one.device, disk.identity, one.type, one.label, one.uuid)
        for disk in machine.disks
        for one in disk.every_signature
    )
    over = (Mark(one.path, "", one.type, one.label, one.uuid) for one in graph if one.kind in MEMBERS_OVER)
    marks = (one for one in (*on_disks, *over) if not _is_held(graph.at(one.path), graph))
    return stopped_arrays(tuple(marks), machine.superblocks, machine.arrays)


def read_stopped(arrays: Sequence[Array], tree: Tree = HERE) -> tuple[Array, ...]:
    """The stopped arrays of this computer; ``arrays``: those that the kernel has.

    udev names the disks to open, and the superblocks on them count: udev misses a write that ends while it probes.
    While a stopped array lacks a member, this opens also what is blank to udev, or has a partition table, which hides a
    superblock from udev. Without root, what udev knows is all.
    """
    properties = read_properties(tree)
    wanted = {_MEMBER, *FIRMWARE}
    if not any(one.get("ID_FS_TYPE") in wanted for one in properties.values()):
        return ()
    graph = DeviceGraph(read_devices(tree))
    inside = {member.path for array in arrays for member in array.members}
    by_type: dict[str, list[Device]] = {}
    for block in graph:
        udev = properties.get(block.number, NONE)
        if (
            block.kind is DeviceKind.VOLUME
        ):  # mostly the disk of a virtual machine, which starts its arrays itself
            continue
        if block.path in inside or _is_held(block, graph) or _is_of(udev.get("ID_FS_UUID", ""), arrays):
            continue
        kind = udev.get("ID_FS_TYPE", "")
        if kind not in wanted:
            blank = not kind and block.size_bytes and block.kind in _MAY_BE_BLANK
            kind = _HIDDEN if blank or "ID_PART_TABLE_TYPE" in udev else ""
        by_type.setdefault(kind, []).append(block)

    def mark(block: Device, found: Superblock | None = None) -> Mark:
        whole, udev = graph.whole(block), properties.get(block.number, NONE)
        disk = read_identity_of(tree, whole.folder, properties.get(whole.number, NONE))
        if found is not None:
            return Mark(block.path, disk, _MEMBER, found.name, found.uuid)
        kind, label, uuid = (udev.get(f"ID_FS_{key}", "") for key in ("TYPE", "LABEL", "UUID"))
        return Mark(block.path, disk, kind, label, uuid)

    members = by_type.get(_MEMBER, [])
    superblocks = read_superblocks_at(tree, graph, (one.path for one in members))
    read = {one.path for one in superblocks}
    unread = [
        one
        for one in members
        if one.path not in read and not are_readable(tree, one.path, size_bytes=one.size_bytes)
    ]
    known = {one.uuid for one in superblocks if not _is_of(one.uuid, arrays)}
    stopped = [of_array(uuid, superblocks) for uuid in known]
    if any(len(complete(some)) < next(iter(some.values())).raid_disks for some in stopped):
        # Superblocks 0.90 have no UUIDs of their own.
        seen = {(one.uuid, one.device or one.slot) for one in superblocks}
        more = read_superblocks_at(tree, graph, (one.path for one in by_type.get(_HIDDEN, ())))
        superblocks += tuple(
            one for one in more if one.uuid in known and (one.uuid, one.device or one.slot) not in seen
        )
    at = {block.path: block for block in graph}
    marks = (
        *(mark(at[one.path], one) for one in superblocks),
        *(mark(one) for kind in FIRMWARE for one in by_type.get(kind, ())),
        *(mark(one) for one in unread),
    )
    return stopped_arrays(marks, superblocks, arrays)


def _is_of(uuid: str, arrays: Iterable[Array]) -> bool:
    return bool(uuid) and any(same_uuid(uuid, array.uuid) for array in arrays)


class StoppedArrays:
    """The stopped arrays of this computer, read again only if udev's database or the arrays have changed."""

    def __init__(self) -> None:
        self._seen: object = None
        self._stopped: tuple[Array, ...] = ()

    def beside(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """The stopped arrays; ``arrays``: those that the kernel has now."""
        # udev renames a new file into this folder for every event.
        changed = HERE.modified(DATABASE)
        seen = (
            changed,
            frozenset((one.uuid, tuple(member.path for member in one.members)) for one in arrays),
        )
        if seen != self._seen:
            self._seen, self._stopped = seen, read_stopped(arrays, HERE)
        return self._stopped


def unread_arrays(graph: DeviceGraph, arrays: Sequence[Array]) -> Iterator[Problem]:
    """The arrays that hold devices, and of which md does not say what they are."""
    known = {array.node for array in arrays}
    for one in graph:
        if one.kind is DeviceKind.ARRAY and not one.disk and one.slaves and one.path not in known:
            text = f"{one.name} runs on {listed(list(one.slaves))}, and its state cannot be read from /sys/block/{one.name}/md"
            yield Problem(what="arrays", text=text)


def _is_held(block: Device | None, graph: DeviceGraph) -> bool:
    """Whether an array that the kernel has, readable or not, holds the device, or multipath does."""
    arrays = block is not None and any(one.kind is DeviceKind.ARRAY for one in graph.on(block))
    return arrays or graph.is_path(block)


def stopped_arrays(
    marks: Sequence[Mark], superblocks: Sequence[Superblock], arrays: Sequence[Array]
) -> tuple[Array, ...]:
    """The arrays of ``marks`` that are not among ``arrays``, with what their superblocks say. Pure."""
    known = {one.path: one for one in superblocks}
    by_uuid: dict[str, list[Mark]] = {}
    for mark in marks:
        if mark.type == _MEMBER and mark.uuid and not any(same_uuid(mark.uuid, a.uuid) for a in arrays):
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
