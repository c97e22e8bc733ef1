"""The share of data in a stripe, by level; the rest is copies and parity."""

from raidtui.backends.arithmetic.copies import RAID10_LAYOUT, copies_of
from raidtui.model.md_levels import MD_LEVELS


def data_disks(level: str, disks: int, layout: str = "") -> float:
    """Members' worth of data in a stripe: 1.5 for RAID10 with layout n2 on 3 disks.

    Raises:
        CannotBuild: not a layout of RAID10.
    """
    known = MD_LEVELS[level]
    if known.copies:
        return disks / copies_of(layout or RAID10_LAYOUT).total if known.chunked else 1.0
    return float(disks - known.parity)
