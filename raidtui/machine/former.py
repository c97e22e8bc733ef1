"""How to put a former member back into its array, which is assembled without it.

``mdadm --re-add`` returns a former member to its slot and rebuilds only what was written in the meantime. md accepts
it if its slot is still empty and the bitmap has recorded everything since it left: its event count is not below the
bitmap's ``events_cleared`` (super_1_validate() in drivers/md/md.c). Otherwise mdadm refuses it until its superblock
is erased, and it is then rebuilt as a new member.

An array that lost more members than it survives can run again only with those that left last, see
`raidtui.machine.newest`. Erasing them would lose the data for good.
"""

import shlex

from raidtui.machine.array_health import is_failed, missing
from raidtui.machine.blocks import Block
from raidtui.machine.facts import Facts
from raidtui.machine.superblock import Superblock, read_superblock
from raidtui.model.machine import Array


def way_back(facts: Facts, block: Block, array: Array) -> tuple[str, str]:
    """How ``block`` relates to the assembled ``array``, in words, and the command that puts it back or erases it."""
    started = array.state != "inactive"
    how = "which has failed without it" if started else "which is not started"
    if array.newest:
        return how, " && ".join(assemble_again(array))
    if not started:
        return how, f"mdadm --incremental {block.path}"
    if is_failed(array):
        return how, "connect the other disks that it lost; until then keep this one as it is"
    if not missing(array):
        return "which runs without it", f"wipefs --all {block.path}"
    if _can_be_readded(facts, block, array):
        return (
            "which runs degraded without it: it can be re-added",
            f"mdadm {array.node} --re-add {block.path}",
        )
    return (
        "which runs degraded without it: it can be rebuilt as a new member",
        f"mdadm --zero-superblock {block.path} && mdadm {array.node} --add {block.path}",
    )


def assemble_again(array: Array) -> tuple[str, ...]:
    """The commands that start ``array`` by force with its newest members."""
    return (
        *(f"umount {shlex.quote(place)}" for place in array.mountpoints),
        f"mdadm --stop {array.node}",
        f"mdadm --assemble --force {array.node} --uuid={array.uuid} {' '.join(map(shlex.quote, array.newest))}",
    )


def _can_be_readded(facts: Facts, block: Block, array: Array) -> bool:
    """Whether md accepts ``block`` back in its slot; False if a superblock cannot be read."""
    own = read_superblock(facts.tree, block.path, array.metadata, block.size_bytes)
    running = _superblock_of_a_member(facts, array)
    if own is None or running is None or own.uuid != running.uuid or running.bitmap_cleared is None:
        return False
    empty = own.slot is not None and all(member.slot != own.slot for member in array.members)
    return empty and own.events >= running.bitmap_cleared


def _superblock_of_a_member(facts: Facts, array: Array) -> Superblock | None:
    for member in array.members:
        block = facts.blocks.named(member.path.removeprefix("/dev/"))
        if block is not None and "in_sync" in member.state:
            return read_superblock(facts.tree, member.path, array.metadata, block.size_bytes)
    return None
