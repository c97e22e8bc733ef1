"""Which members to name to ``mdadm --assemble --force`` when an array has lost more than it survives.

Without names mdadm takes every member that it finds. Of an array that was being written to it then forces members in
until none is missing, because only that counts as enough for an unclean array (force_array() in Assemble.c, enough()
in util.c): also one that left long before the others. md reads that one's old data as current. So only the members
that left last are named, and no more of them than it takes to run.
"""

from collections.abc import Mapping, Sequence

from raidtui.machine.array_health import is_failed
from raidtui.machine.blocks import Blocks
from raidtui.machine.superblock import Superblock, read_superblock
from raidtui.machine.tree import Tree
from raidtui.model.machine import Array, Disk
from raidtui.model.md_levels import may_lose
from raidtui.model.nodes import stable_paths
from raidtui.model.uuids import same_uuid

_MARGIN = 1  # md takes a member one event behind as current (super_1_validate() in drivers/md/md.c)


def read_newest(tree: Tree, blocks: Blocks, disks: Sequence[Disk], array: Array) -> tuple[str, ...]:
    """Read from the superblocks which members of ``array`` to assemble it from by force: stable paths, by slot.

    Empty if it runs, starts without force, or cannot run with the members that are here.
    """
    stopped = array.state == "inactive"
    if not stopped and not is_failed(array):
        return ()
    # Partitions before their disk: a superblock at the end of the last one, metadata 1.0, may be read from both.
    former = (path for disk in disks for path in reversed(members_on(disk, array)))
    stored = {}
    for path in dict.fromkeys([*(member.path for member in array.members), *former]):
        block = blocks.named(path.removeprefix("/dev/"))
        found = read_superblock(tree, path, array.metadata, block.size_bytes) if block else None
        if found is not None and same_uuid(found.uuid, array.uuid):
            stored[path] = found
    by_slot = _complete(stored)
    if stopped and is_enough(_current(by_slot)):
        return ()
    stable = {path: name for disk in disks for path, name in stable_paths(disk).items()}
    return tuple(stable.get(path, path) for path in newest(by_slot))


def members_on(disk: Disk, array: Array) -> tuple[str, ...]:
    """The paths on ``disk`` that have a superblock of ``array``: the disk itself, then its partitions."""
    return tuple(
        one.device
        for one in disk.every_signature
        if one.type == "linux_raid_member" and same_uuid(one.uuid, array.uuid)
    )


def newest(by_slot: Mapping[str, Superblock]) -> tuple[str, ...]:
    """The fewest members with the newest data that the array can run with, by slot; empty if it cannot."""
    chosen = _current(by_slot)
    while not is_enough(chosen):
        older = [one.events for path, one in by_slot.items() if path not in chosen]
        if not older:
            return ()
        # Those of one event count left together, as after a pulled cable, and are equally good.
        chosen |= {path: one for path, one in by_slot.items() if one.events == max(older)}
    return tuple(sorted(chosen, key=lambda path: chosen[path].slot or 0))


def is_enough(members: Mapping[str, Superblock]) -> bool:
    """Whether an array runs with these members, each in a slot of its own (enough() in mdadm's util.c)."""
    if not members:
        return False
    here = {one.slot for one in members.values()}
    array = max(members.values(), key=lambda one: one.events)
    if array.level == "raid10":
        near, far = array.layout & 0xFF, array.layout >> 8 & 0xFF
        starts = range(0, near * array.raid_disks, near)  # of each set of copies
        return all(
            any((start + copy) % array.raid_disks in here for copy in range(near * far)) for start in starts
        )
    return len(here) >= array.raid_disks - (may_lose(array.level, array.raid_disks) or 0)


def _complete(stored: Mapping[str, Superblock]) -> dict[str, Superblock]:
    """The newest member of each slot, without spares and those that were still being rebuilt."""
    found: dict[int, str] = {}
    for path, one in stored.items():
        if one.slot is None or one.rebuilding:
            continue
        if one.slot not in found or one.events > stored[found[one.slot]].events:
            found[one.slot] = path
    return {path: stored[path] for path in found.values()}


def _current(by_slot: Mapping[str, Superblock]) -> dict[str, Superblock]:
    top = max((one.events for one in by_slot.values()), default=0)
    return {path: one for path, one in by_slot.items() if one.events + _MARGIN >= top}
