"""Whether the members of a mirror that runs begin alike. One that was written by itself, without the array, does not.

md does not know of such a write, and reads from one member or the other. While the array is written its members differ
for a moment, so they are compared several times, and only while it is at rest; else nothing is known.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.machine.md.superblock import read_head
from raidtui.machine.tree import Tree
from raidtui.model.machine import Array
from raidtui.model.superblock import Superblock
from raidtui.model.uuids import same_uuid

_TIMES: Final = 3
_PAUSE_SECONDS: Final = 0.3  # longer than md's write-behind takes for what it still has
_WRITES: Final = 4  # number of writes: Documentation/block/stat.rst


def settled(tree: Tree, arrays: Sequence[Array], superblocks: Sequence[Superblock]) -> tuple[Superblock, ...]:
    """``superblocks``; of a mirror that runs, the heads only if they are equal, or differ at rest each time."""
    unsure: set[str] = set()
    for array in arrays:
        mine = [one for one in superblocks if one.head and same_uuid(one.uuid, array.uuid)]
        inside = {one.path for one in array.members if "in_sync" in one.state}
        mine = [one for one in mine if one.path in inside]
        if array.started and len({one.head for one in mine}) > 1 and not _differ(tree, array, mine):
            unsure |= inside
    return tuple(replace(one, head="") if one.path in unsure else one for one in superblocks)


def _differ(tree: Tree, array: Array, members: Sequence[Superblock]) -> bool:
    """Whether the members differ in the same way each time, and nothing is written to the array meanwhile."""
    seen = {(tuple(one.head for one in members), _at_rest(tree, array))}
    for heads in _again(tree, members):
        seen.add((heads, _at_rest(tree, array)))
    ((heads, rest), *others) = seen
    return bool(rest) and not others and "" not in heads


def _again(tree: Tree, members: Sequence[Superblock]) -> Iterator[tuple[str, ...]]:
    for _ in range(_TIMES - 1):
        time.sleep(_PAUSE_SECONDS)
        yield tuple(read_head(tree, one.path, one.data_offset_bytes) for one in members)


def _at_rest(tree: Tree, array: Array) -> str:
    """The number of its writes so far; empty if one is under way, a sync runs, or it is not known."""
    name = array.node.removeprefix("/dev/")
    counts, running = tree.text(f"/sys/block/{name}/stat").split(), tree.text(f"/sys/block/{name}/inflight")
    idle = tree.text(f"{array.md_folder}/sync_action") == "idle"
    return counts[_WRITES] if idle and len(counts) > _WRITES and running.split()[1:] == ["0"] else ""
