"""What the levels of md are made of: copies, parity and chunks. LVM's RAID is the same code under the same names."""

from typing import Final, NamedTuple

from raidtui.model.units import KIB

DEFAULT_CHUNK: Final = 512 * KIB  # mdadm.h; bytes


class MdLevel(NamedTuple):
    """One level. ``module`` is the kernel's that runs it."""

    module: str
    least: int = 2  # members
    parity: int = 0  # members' worth of it in a stripe
    copies: bool = False  # whether every piece of data is on several members
    chunked: bool = True  # whether data goes to the members in turn

    @property
    def redundant(self) -> bool:
        """Whether any one member may fail."""
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
"""In the order in which they are shown."""


def parity_of(level: str) -> int:
    """How many members' worth of parity a level has; none of a level that md does not know."""
    return MD_LEVELS[level].parity if level in MD_LEVELS else 0


def loses_all_with_one(level: str) -> bool:
    """Whether one failed member is the end of the array; not said of a level that md does not know."""
    return level in MD_LEVELS and not MD_LEVELS[level].redundant


def may_lose(level: str, members: int) -> int | None:
    """How many members may fail, whichever they are; None where that depends on the layout, or is not known."""
    known = MD_LEVELS.get(level)
    if known is None or (known.copies and known.chunked):
        return None
    return members - 1 if known.copies else known.parity
