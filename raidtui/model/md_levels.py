"""The md levels: copies, parity and chunks. LVM's RAID is the same kernel code with the same level names."""

from typing import Final, NamedTuple

from raidtui.model.units import KIB

DEFAULT_CHUNK: Final = 512 * KIB  # mdadm.h; bytes


class MdLevel(NamedTuple):
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
