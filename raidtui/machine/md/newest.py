"""Which members to name to ``mdadm --assemble --force`` when an array has lost more than it survives.

Without names mdadm takes every member that it finds. Of an array that was being written to it then forces members in
until none is missing, because only that counts as enough for an unclean array (force_array() in Assemble.c, enough()
in util.c): also one that left long before the others. md reads that one's old data as current. So only the members
that left last are named, and no more of them than it takes to run.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from raidtui.machine.md.health import is_failed
from raidtui.machine.md.mirror_heads import settled
from raidtui.machine.md.superblock import find_superblock
from raidtui.machine.tree import Tree
from raidtui.model.device import MEMBERS_OVER
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.machine import Array, Disk
from raidtui.model.nodes import stable_in
from raidtui.model.superblock import Superblock, clones, complete, current, is_enough, of_array, used_apart
from raidtui.model.uuids import same_uuid

_MEMBER: Final = "linux_raid_member"


def read_superblocks(
    tree: Tree, graph: DeviceGraph, disks: Sequence[Disk], arrays: Sequence[Array]
) -> tuple[Superblock, ...]:
    """Read every md superblock on ``disks``, their partitions, LUKS on these, and the members of ``arrays``, each once."""
    on_disks = (
        one.device
        for disk in disks
        for one in disk.every_signature
        if one.type == _MEMBER and not graph.is_path(graph.at(one.device))
    )
    over = (one.path for one in graph if one.kind in MEMBERS_OVER and one.type == _MEMBER)
    in_arrays = (member.path for array in arrays for member in array.members)
    return settled(tree, arrays, read_superblocks_at(tree, graph, [*in_arrays, *on_disks, *over]))


def read_superblocks_at(tree: Tree, graph: DeviceGraph, paths: Iterable[str]) -> tuple[Superblock, ...]:
    """Read the superblocks on the devices ``paths``."""
    found: list[Superblock] = []
    # Partitions before their disk: a superblock at the end of the last one, metadata 1.0, may be read from both.
    for path in sorted(dict.fromkeys(paths), key=lambda one: (-len(one), one)):
        block = graph.at(path)
        one = find_superblock(tree, path, block.size_bytes) if block else None
        if one is None or block is None:
            continue
        parts = {part.path for part in graph.parts(block)}
        if not any(
            other.path in parts and (other.uuid, other.device) == (one.uuid, one.device) for other in found
        ):
            found.append(one)
    return tuple(sorted(found, key=lambda one: (one.uuid, one.slot is None, one.slot or 0, one.path)))


def find_newest(superblocks: Sequence[Superblock], disks: Sequence[Disk], array: Array) -> tuple[str, ...]:
    """Which members of ``array`` to assemble it from by force: stable paths, by slot.

    Empty if it runs, starts without force, or cannot run with the members that are here; also where it is not certain
    which data is meant: with a clone beside a member, members that were used apart, an interrupted reshape, a journal.
    """
    if array.started and not is_failed(array):
        return ()
    stored = of_array(array.uuid, superblocks)
    by_slot = complete(stored)
    if clones(stored) or used_apart(by_slot) or any(one.journal for one in stored.values()):
        return ()
    if not array.started and is_enough(current(by_slot).values()):
        return ()
    chosen, stable = newest(stored), stable_in(disks)
    return (
        ()
        if any(stored[path].reshaping for path in chosen)
        else tuple(stable.get(path, path) for path in chosen)
    )


def members_on(disk: Disk, array: Array) -> tuple[str, ...]:
    """The paths on ``disk`` that have a superblock of ``array``: the disk itself, then its partitions."""
    return tuple(
        one.device for one in disk.every_signature if one.type == _MEMBER and same_uuid(one.uuid, array.uuid)
    )


def name_of_member(path: str, disks: Sequence[Disk], arrays: Sequence[Array] = ()) -> str:
    """How a trial names the member at ``path``: the identity of its disk, with -partN of a partition; else the path.

    One of ``arrays`` has the name that udev gives it: that of the kernel may be another one after a boot.
    """
    for disk in disks:
        if path == disk.path:
            return disk.identity or path
        for part in disk.partitions:
            if part.path == path:
                return f"{disk.identity or disk.path}-part{part.number}"
    return next((one.path for one in arrays if one.node == path and one.path), path)


def newest(stored: Mapping[str, Superblock]) -> tuple[str, ...]:
    """The fewest members with the newest data that the array can run with, by slot; empty if it cannot.

    Also empty if one that is not here may have left later than one that would be needed: its data is newer then. One
    that was still being rebuilt held no data of its own.

    Args:
        stored: every superblock of the array that is here, by path.
    """
    by_slot = complete(stored)
    chosen = current(by_slot)
    fresh = {*chosen}
    while not is_enough(chosen.values()):
        older = [one.events for path, one in by_slot.items() if path not in chosen]
        if not older:
            return ()
        # Those of one event count left together, as after a pulled cable, and are equally good.
        chosen |= {path: one for path, one in by_slot.items() if one.events == max(older)}
    gone = {*range(max(one.raid_disks for one in chosen.values()))} - {one.slot for one in stored.values()}
    for path, one in chosen.items():
        if path not in fresh and gone and (not one.active or gone & set(one.active)):
            return ()
    return tuple(sorted(chosen, key=lambda path: chosen[path].slot or 0))
