"""The stopped arrays of this computer now, read without the rest of it."""

from collections.abc import Iterable, Sequence
from typing import Final

from raidtui.machine.blocks import read_devices
from raidtui.machine.disks import read_identity_of
from raidtui.machine.md.newest import read_superblocks_at
from raidtui.machine.md.stopped import FIRMWARE, MEMBER, Mark, is_held, stopped_arrays
from raidtui.machine.md.superblock import are_readable
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import DATABASE, NONE, read_properties
from raidtui.model.device import MEMBERS_OVER, Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.machine import Array
from raidtui.model.superblock import Superblock, complete, of_array
from raidtui.model.uuids import same_uuid

_HIDDEN: Final = "hidden"  # to udev it has no superblock, and it may have one
_MAY_BE_BLANK: Final = frozenset({DeviceKind.DISK, DeviceKind.PARTITION, DeviceKind.ARRAY, *MEMBERS_OVER})


def read_stopped(arrays: Sequence[Array], tree: Tree = HERE) -> tuple[Array, ...]:
    """The stopped arrays of this computer; ``arrays``: those that the kernel has.

    udev names the disks to open, and the superblocks on them count: udev misses a write that ends while it probes.
    While a stopped array lacks a member, this opens also what is blank to udev, or has a partition table, which hides a
    superblock from udev. Without root, what udev knows is all.
    """
    properties = read_properties(tree)
    wanted = {MEMBER, *FIRMWARE}
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
        if block.path in inside or is_held(block, graph) or _is_of(udev.get("ID_FS_UUID", ""), arrays):
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
            return Mark(block.path, disk, MEMBER, found.name, found.uuid)
        kind, label, uuid = (udev.get(f"ID_FS_{key}", "") for key in ("TYPE", "LABEL", "UUID"))
        return Mark(block.path, disk, kind, label, uuid)

    members = by_type.get(MEMBER, [])
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
