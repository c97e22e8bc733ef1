"""The vdevs of a pool and their disks, and the sector size. Pure."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from raidtui.backends.arithmetic.disks import dealt_out
from raidtui.backends.zfs.options import USUAL_ASHIFT
from raidtui.model.errors import CannotBuild
from raidtui.model.units import spell_size

Member = TypeVar("Member")


def vdevs_of(level: str, disks: int, options: Mapping[str, str]) -> int:
    """The number of top-level vdevs; by default mirrors of two disks, or one raidz.

    Raises:
        CannotBuild: the disks cannot be divided evenly.
    """
    if level == "stripe":
        if options.get("vdevs", str(disks)) != str(disks):
            raise CannotBuild("each disk of a stripe is a vdev of its own; leave vdevs out")
        return disks
    chosen = options.get("vdevs")
    if chosen is None:
        if level == "mirror" and disks > 3 and disks % 2:
            raise CannotBuild(f"ZFS mirrors in pairs take an even number of disks, not {disks}")
        return disks // 2 if level == "mirror" and disks > 3 else 1
    count = int(chosen)
    dealt_out(range(disks), count, "vdevs")
    return count


def groups_of(level: str, members: Sequence[Member], options: Mapping[str, str]) -> list[Sequence[Member]]:
    """``members`` grouped by vdev, in their order."""
    return dealt_out(members, vdevs_of(level, len(members), options), "vdevs")


def ashift_of(options: Mapping[str, str], *, physical_sector: int) -> int:
    """The sector size of the pool as a power of two: 4 KiB, or the largest physical sector of its disks if larger.

    A disk with smaller sectors may have to be replaced by one with 4 KiB, which is not possible with ashift 9.

    Args:
        physical_sector: the largest of the disks, in bytes; 0 if unknown.

    Raises:
        CannotBuild: the chosen ashift is less than a physical sector.
    """
    needed = max(physical_sector - 1, 0).bit_length()
    chosen = options.get("ashift")
    if chosen is None:
        return max(USUAL_ASHIFT, needed)
    if int(chosen) < needed:
        raise CannotBuild(
            f"ashift {chosen} means sectors of {spell_size(1 << int(chosen))}, less than the {spell_size(physical_sector)} "
            f"of these disks: each write would be a read and a write; use {max(USUAL_ASHIFT, needed)}"
        )
    return int(chosen)


def words_of(level: str, disks: int, options: Mapping[str, str]) -> str:
    """``2 vdevs, each a mirror of 2 disks``, ``a raidz2 of 6 disks``, ``a stripe of 3 disks``."""
    count = vdevs_of(level, disks, options)
    if level == "stripe":
        return f"a stripe of {disks} disk{'' if disks == 1 else 's'}"
    each = f"a {level} of {disks // count} disks"
    return each if count == 1 else f"{count} vdevs, each {each}"
