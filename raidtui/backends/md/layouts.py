"""Layout words of md's levels, how many disks each takes, and on which members the copies of a chunk lie."""

import re
from difflib import get_close_matches
from typing import Final, NamedTuple

from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import MD_LEVELS

# md's own words; the kernel takes these and no others for each level (algorithm_valid_raid5, _raid6).
_RAID5: Final = (
    "left-symmetric",
    "left-asymmetric",
    "right-symmetric",
    "right-asymmetric",
    "parity-first",
    "parity-last",
)
_RAID6: Final = (
    *_RAID5,
    "ddf-zero-restart",
    "ddf-N-restart",
    "ddf-N-continue",
    "left-symmetric-6",
    "left-asymmetric-6",
    "right-symmetric-6",
    "right-asymmetric-6",
    "parity-first-6",
)
PARITY_LAYOUTS: Final = {"raid5": _RAID5, "raid6": _RAID6}
_RAID10_WORD: Final = re.compile(r"(?P<kind>[nfo])(?P<copies>[1-9]\d{0,2})")


class Copies(NamedTuple):
    """Where raid10 keeps its copies; ``near * far`` of each chunk."""

    near: int
    far: int
    offset: bool = False  # far copies in the next stripe instead of the next half of the disk

    @property
    def total(self) -> int:
        """Copies of each chunk."""
        return self.near * self.far


def copies_of(layout: str) -> Copies:
    """The copies that a raid10 layout word (``n2``, ``f2``, ``o3``) keeps.

    Raises:
        CannotBuild: not such a word.
    """
    match = _RAID10_WORD.fullmatch(layout)
    if match is None:
        raise CannotBuild(
            f"{layout!r} is not a layout of raid10; write n2, f2 or o2, or with more copies n3, f3 …"
        )
    count = int(match["copies"])
    return Copies(count, 1) if match["kind"] == "n" else Copies(1, count, match["kind"] == "o")


def default_layout(level: str) -> str:
    """The layout that mdadm takes when none is named; empty for levels that have none."""
    if level == "raid10":
        return "n2"
    return "left-symmetric" if level in PARITY_LAYOUTS else ""


def check_layout(level: str, layout: str | None, disks: int) -> str:
    """The layout that will be used, spelled as mdadm's.

    Raises:
        CannotBuild: an unknown level, or a layout that is another level's or nobody's.
    """
    if level not in MD_LEVELS:
        near = get_close_matches(level, MD_LEVELS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise CannotBuild(f"{level!r} is not a level of mdadm: {', '.join(MD_LEVELS)}{hint}")
    if not layout:
        return default_layout(level)
    if level == "raid10":
        copies = copies_of(layout)
        if copies.total < 2:
            raise CannotBuild(f"layout {layout} keeps one copy; raid10 keeps two or more, such as n2")
        if copies.total > disks > 1:
            raise CannotBuild(
                f"layout {layout} keeps {copies.total} copies, more than the {disks} disks there are"
            )
        return layout
    if level not in PARITY_LAYOUTS:
        raise CannotBuild(f"{level} has no layout; leave {layout!r} out")
    if layout not in PARITY_LAYOUTS[level]:
        known = PARITY_LAYOUTS[level]
        near = get_close_matches(layout, known, 1)
        raise CannotBuild(f"{layout!r} is not a layout of {level}; {near[0] if near else known[0]} is one")
    return layout


def check_count(level: str, disks: int, spares: int, layout: str) -> None:
    """Refuse what mdadm refuses by number (Create.c).

    Raises:
        CannotBuild: too few, too many, or spares where nothing could be rebuilt.
    """
    known = MD_LEVELS[level]
    least = known.least
    if disks == 0:
        raise CannotBuild(f"no disks given; {level} takes at least {least}")
    if disks < least:
        raise CannotBuild(f"{level} takes at least {least} disks, not {disks}")
    if known.parity and disks > 256:
        raise CannotBuild(f"{level} takes at most 256 disks, not {disks}")
    if spares and not known.redundant:
        raise CannotBuild(f"{level} cannot have spares: without redundancy there is nothing to rebuild from")
    if level == "raid10" and copies_of(layout).total > disks:
        raise CannotBuild(
            f"layout {layout} keeps {copies_of(layout).total} copies and there are only {disks} disks"
        )


def copy_groups(layout: str, disks: int) -> frozenset[frozenset[int]]:
    """The sets of members that together hold all copies of some chunk of a raid10 array.

    Losing every member of one group loses data, and nothing else does. Slots count from 0; the placement is
    that of ``__raid10_find_phys``: near copies follow each other round the members, each far copy lies
    ``near`` members further. It repeats after as many chunks as there are members.
    """
    near, far, _ = copies_of(layout)
    return frozenset(
        frozenset(
            (chunk * near + neighbour + shift * near) % disks
            for neighbour in range(near)
            for shift in range(far)
        )
        for chunk in range(disks)
    )
