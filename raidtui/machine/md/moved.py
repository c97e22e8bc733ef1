"""Read where the data of a member is that missed the end of a reshape: `raidtui.model.superblock.missed_end`."""

from msgspec.structs import replace

from raidtui.machine.tree import Tree
from raidtui.model.machine import Member
from raidtui.model.units import SECTOR


def with_moved(tree: Tree, md: str, members: tuple[Member, ...]) -> tuple[Member, ...]:
    """The members of a started array with their `Member.moved_to_bytes`; ``md`` is its folder in sysfs.

    md keeps both places until the array is stopped. Before the end of a reshape they differ for every member.
    """
    begins = {one.offset_bytes for one in members if one.slot is not None}
    if len(begins) < 2 or tree.text(f"{md}/reshape_position") != "none":
        return members
    found = []
    for one in members:
        name = one.path.removeprefix("/dev/").replace("/", "!")
        to = (tree.number(f"{md}/dev-{name}/new_offset") or 0) * SECTOR
        found.append(replace(one, moved_to_bytes=0 if to == one.offset_bytes else to))
    return tuple(found)
