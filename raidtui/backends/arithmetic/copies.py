"""The copies of RAID10: how many a layout keeps, and on which members."""

import re
from typing import Final, NamedTuple

from raidtui.model.errors import CannotBuild

RAID10_LAYOUT: Final = "n2"
"""The default."""
_RAID10_WORD: Final = re.compile(r"(?P<kind>[nfo])(?P<copies>[1-9]\d{0,2})")


class Copies(NamedTuple):
    """The copies of a raid10 layout: ``near * far`` of each chunk."""

    near: int
    far: int
    offset: bool = False  # far copies in the next stripe instead of the next half of the disk

    @property
    def total(self) -> int:
        """Copies of each chunk."""
        return self.near * self.far


def copies_of(layout: str) -> Copies:
    """The copies of a raid10 layout such as ``n2``, ``f2`` or ``o3``.

    Raises:
        CannotBuild: not a raid10 layout.
    """
    match = _RAID10_WORD.fullmatch(layout)
    if match is None:
        raise CannotBuild(
            f"{layout!r} is not a layout of RAID10; write n2, f2 or o2, or n3 or f3 for more copies"
        )
    count = int(match["copies"])
    return Copies(count, 1) if match["kind"] == "n" else Copies(1, count, match["kind"] == "o")


def copy_groups(layout: str, disks: int) -> frozenset[frozenset[int]]:
    """The sets of members that together hold all copies of some chunk of a raid10 array.

    Data is lost if and only if all members of one such set fail. Slots count from 0. The placement is that of
    ``__raid10_find_phys``: near copies are on consecutive members, each far copy ``near`` members further. It repeats
    after as many chunks as there are members.
    """
    near, far, _ = copies_of(layout)
    return frozenset(
        frozenset(
            (chunk * near + neighbor + shift * near) % disks
            for neighbor in range(near)
            for shift in range(far)
        )
        for chunk in range(disks)
    )
