"""The copies of RAID10: how many its layout keeps, and on which members those of a chunk lie."""

import re
from typing import Final, NamedTuple

from raidtui.model.errors import CannotBuild

RAID10_LAYOUT: Final = "n2"
"""Where none is named."""
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
