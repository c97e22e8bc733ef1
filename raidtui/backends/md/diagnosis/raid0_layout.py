"""A RAID0 of members of different sizes whose superblocks do not say how its data lies where only the larger ones are. Pure.

Linux 3.14 placed it otherwise than before, by mistake. Since 5.4 md starts such an array only if a superblock, or a
parameter of its module, says which of the two is right (create_strip_zones() in drivers/md/raid0.c).
"""

from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.model.finding import Remedy
from raidtui.model.procedure import Start
from raidtui.model.superblock import Superblock, complete

LAYOUTS: Final[dict[int, str]] = {2: "Linux 3.14 and later", 1: "older ones"}
"""What wrote each; the likelier first: RAID0_ALT_MULTIZONE_LAYOUT, RAID0_ORIG_LAYOUT."""


def layout_is_said(layout: int) -> bool:
    """Whether a superblock with this layout says how the data lies."""
    return layout in LAYOUTS


def layouts_of(chunks: Sequence[int]) -> tuple[int, ...]:
    """The layouts that place data differently on members that hold this many chunks, the likelier first; none if all hold the same.

    In layout 1, the disk of a chunk follows from its number in the array; in layout 2, from its number in the zone of the
    members that are that large. These are alike where the chunks before each zone are a multiple of its members.
    """
    zones, before = sorted(set(chunks)), 0
    if len(zones) < 2:
        return ()
    for last, end in zip((0, *zones), zones, strict=False):
        members = sum(one > last for one in chunks)
        if before % members:
            return tuple(LAYOUTS)
        before += (end - last) * members
    return (next(iter(LAYOUTS)),)


def without_layout(stored: Mapping[str, Superblock]) -> tuple[Remedy, ...]:
    """What to do about such an array; nothing about any other."""
    every = tuple(complete(stored).values())
    if not every or any(one.level != "raid0" or not one.chunk_bytes for one in every):
        return ()
    chunks = [one.data_bytes // one.chunk_bytes for one in every]
    if any(layout_is_said(one.layout) for one in every) or sum(one > min(chunks) for one in chunks) < 2:
        return ()
    if len(layouts_of(chunks)) == 1 and all(one.metadata.startswith("1.") for one in every):
        return (
            Remedy(
                text="start it with a layout stored: Linux 5.4 and later does not start it without. No superblock says how its data lies where "
                "its members differ in size. On members of these sizes both layouts are the same, so either is right",
                procedure=Start(unit=every[0].uuid),
            ),
        )
    return (
        Remedy(
            text="do not start it by chance: no superblock says how its data lies where its members differ in size. Linux 5.4 and later "
            "does not start it. The wrong one of two layouts returns wrong data and destroys files when written. Linux 3.14 and later wrote "
            "layout 2, older ones layout 1"
        ),
        Remedy(
            text="set the parameter default_layout of md's module for RAID0 to that, start the array read-only (-o in mdadm(8)), and compare "
            "large files with a backup. If they are right, store it: --update=layout-alternate is 2, layout-original is 1"
        ),
    )
