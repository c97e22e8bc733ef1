"""What a level needs and gives in disks: sizes, data disks, groups, reads in a rebuild. Pure."""

from collections.abc import Sequence
from typing import Final, TypeVar

from raidtui.backends.arithmetic.copies import RAID10_LAYOUT, copies_of
from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.text import count_of
from raidtui.model.units import TIB

LARGEST_DEVICE: Final = 1024 * 1024 * TIB  # 1 EiB: no disk is larger, so the number is a typing error


def check_sizes(sizes: Sequence[int]) -> None:
    """Refuse sizes that no disk has. Raises CannotBuild: zero, negative, or more than 1 EiB."""
    for number, size in enumerate(sizes, 1):
        if size <= 0:
            raise CannotBuild(f"disk {number} has {size:,} bytes; a size must be positive")
        if size > LARGEST_DEVICE:
            raise CannotBuild(f"disk {number} has {size:,} bytes, more than 1 EiB; no disk is that large")


def data_disks(level: str, disks: int, layout: str = "") -> float:
    """Members' worth of data in a stripe: 1.5 for RAID10 with layout n2 on 3 disks.

    Raises:
        CannotBuild: not a layout of RAID10.
    """
    known = MD_LEVELS[level]
    if known.copies:
        return disks / copies_of(layout or RAID10_LAYOUT).total if known.chunked else 1.0
    return float(disks - known.parity)


Member = TypeVar("Member")


def dealt_out(
    members: Sequence[Member], groups: int, what: str, *, of: str = "disk"
) -> list[Sequence[Member]]:
    """``members`` by group, in their order.

    Args:
        what: the noun for the groups, for the error: ``vdevs``.
        of: the noun for a member.

    Raises:
        CannotBuild: they cannot be divided evenly.
    """
    width, rest = divmod(len(members), groups)
    if rest:
        raise CannotBuild(f"{count_of(members, of)} cannot be divided evenly among {groups} {what}")
    return [members[start * width : (start + 1) * width] for start in range(groups)]


def read_in_rebuild(level: str, disks: int, component_bytes: int) -> int:
    """Bytes that must be readable to rebuild a disk once no redundancy is left."""
    known = MD_LEVELS[level]
    if not known.redundant:
        return 0
    return component_bytes if known.copies else component_bytes * (disks - known.parity)
