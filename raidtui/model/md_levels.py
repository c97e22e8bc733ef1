"""The md levels: copies, parity and chunks. LVM's RAID is the same kernel code with the same level names."""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Final

from raidtui.model.struct import Record
from raidtui.model.units import KIB

DEFAULT_CHUNK: Final = 512 * KIB  # mdadm.h; bytes


class MdLevel(Record, frozen=True):
    """One level. ``module`` is its kernel module."""

    module: str
    least: int = 2  # members
    parity: int = 0  # parity per stripe, in members
    copies: bool = False  # whether data is mirrored
    chunked: bool = True  # whether data is striped in chunks

    @property
    def redundant(self) -> bool:
        """Whether it survives the loss of any one member."""
        return self.copies or self.parity > 0


MD_LEVELS: Final = {
    "raid0": MdLevel("raid0"),
    "linear": MdLevel("linear", chunked=False),
    "raid1": MdLevel("raid1", copies=True, chunked=False),
    "raid4": MdLevel("raid456", parity=1),
    "raid5": MdLevel("raid456", parity=1),
    "raid6": MdLevel("raid456", least=4, parity=2),
    "raid10": MdLevel("raid10", copies=True),
}
"""In display order."""


def parity_of(level: str) -> int:
    """The parity of a level, in members; 0 for a level that md does not have."""
    return MD_LEVELS[level].parity if level in MD_LEVELS else 0


def loses_all_with_one(level: str) -> bool:
    """Whether the loss of one member destroys the array; False for a level that md does not have."""
    return level in MD_LEVELS and not MD_LEVELS[level].redundant


def may_lose(level: str, members: int) -> int | None:
    """How many members may fail, no matter which; None if that depends on the layout or is not known."""
    known = MD_LEVELS.get(level)
    if known is None or (known.copies and known.chunked):
        return None
    return members - 1 if known.copies else known.parity


class Left(StrEnum):
    """What one more failure does to a unit that has lost members, in the words that every backend uses."""

    NOTHING = "degraded, not redundant"  # any further failure loses data
    CHANCE = "degraded, the next failure may lose data"  # it depends on which member fails
    SOME = "degraded, redundancy reduced"  # any single further failure is survived

    @property
    def urgency(self) -> int:
        """Sort key: what one more failure would take comes first."""
        return (Left.NOTHING, Left.CHANCE, Left.SOME).index(self)

    @classmethod
    def of_state(cls, state: str) -> "Left | None":
        """What the state of a unit begins with, as that of every backend does; None if it says nothing of it."""
        return next((one for one in cls if state.startswith(one)), None)


def left(here: Collection[int], runs: Callable[[Collection[int]], bool]) -> Left:
    """What is left with the members ``here``; ``runs`` returns whether the unit runs with some of them."""
    survived = [runs([one for one in here if one != lost]) for lost in here]
    if not any(survived):
        return Left.NOTHING
    return Left.SOME if all(survived) else Left.CHANCE


def left_of(survives: int) -> Left:
    """What is left if any ``survives`` further members may fail, and no more."""
    return Left.SOME if survives > 0 else Left.NOTHING


def runs_with(level: str, layout: int, raid_disks: int, slots: Collection[int]) -> bool:
    """Whether an array runs with the members in ``slots`` (enough() in mdadm's util.c).

    Args:
        layout: of raid10, as md stores it: near copies | far copies << 8.
    """
    here = set(slots)
    if level == "raid10":
        near, far = layout & 0xFF, layout >> 8 & 0xFF
        starts = range(0, near * raid_disks, max(1, near))  # of each set of copies
        return bool(here) and all(
            any((start + copy) % raid_disks in here for copy in range(near * far)) for start in starts
        )
    return bool(here) and len(here) >= raid_disks - (may_lose(level, raid_disks) or 0)


def raid10_layout(words: str) -> int:
    """The number in which md stores the layout of a raid10: ``n2``, ``f2``, ``o3``; 0 if it is not one."""
    kind, copies = words[:1], words[1:]
    if kind not in {"n", "f", "o"} or not copies.isdecimal():
        return 0
    count = int(copies)
    return count | 1 << 8 if kind == "n" else 1 | count << 8 | (kind == "o") << 16
