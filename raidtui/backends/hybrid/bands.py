"""Bands of unequal disks: each is an md array over a part of every disk that is large enough.

The smallest disk decides the first band, the next larger size the second, and so on, as in Synology's SHR. What lies
above the last band is pending: too few disks reach there for an array with this redundancy.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.backends.facts import Options
from raidtui.backends.lvm_on_md.space import on_md
from raidtui.backends.md.facts import geometry_with
from raidtui.backends.md.geometry import Geometry
from raidtui.model.errors import CannotBuild
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.units import GIB, MIB, both

THIN_BAND: Final = GIB
"""A thinner band is not worth an array; on small disks an eighth of the smallest is enough."""
MOST_BANDS: Final = 9
"""The names of the arrays end with one digit; more arrays on the same disks would be more than anybody can manage."""


class Band(NamedTuple):
    """One array: the same range of bytes in the members of these disks."""

    start: int  # within the member: the part of a disk between its partition table and its reserve
    height: int
    disks: tuple[int, ...]  # indexes in the list of members
    geometry: Geometry

    @property
    def volume_bytes(self) -> int:
        """What the array adds to the volume."""
        return on_md(self.geometry)


def level_of(disks: int, redundancy: int) -> str:
    """md's level of a band over this number of disks; empty if these are too few for the redundancy.

    A mirror where each disk holds all the data anyway, else parity: RAID5 for one failed disk, RAID6 for two.
    """
    if disks <= redundancy:
        return ""
    if disks == redundancy + 1:
        return "raid1"
    return "raid5" if redundancy == 1 else "raid6"


def thinnest(sizes: Sequence[int]) -> int:
    """Bytes that a band on members of these sizes has at least."""
    return max(min(THIN_BAND, min(sizes) // MIB * MIB // 8), MIB)


def ends_of(sizes: Sequence[int]) -> tuple[int, ...]:
    """Where bands may end: at the size of each member in whole MiB, except where a band would be too thin."""
    found: list[int] = []
    for end in sorted({size // MIB * MIB for size in sizes}):
        if not found or end - found[-1] >= thinnest(sizes):
            found.append(end)
    return tuple(found)


def bands_of(sizes: Sequence[int], redundancy: int, options: Options) -> tuple[Band, ...]:
    """The bands of members with these sizes in bytes, from the start of the disks to the end.

    Raises:
        CannotBuild: there are not enough disks for any band, or mdadm would refuse an array.
    """
    if not level_of(len(sizes), redundancy):
        raise CannotBuild(
            f"hybrid{redundancy} takes at least {redundancy + 1} disks to survive {redundancy} failed, not {len(sizes)}"
        )
    if min(sizes) < MIB:
        raise CannotBuild(f"a disk of {both(min(sizes))} is too small for a partition of whole MiB")
    found: list[Band] = []
    start = 0
    for end in ends_of(sizes):
        disks = tuple(place for place, size in enumerate(sizes) if size >= end)
        level = level_of(len(disks), redundancy)
        if not level:
            break
        height = end - start
        chunk = options.chunk if MD_LEVELS[level].chunked else None
        geometry = geometry_with(level, [height] * len(disks), replace(options, chunk=chunk, layout=None))
        band = Band(start, height, disks, geometry)
        if not band.volume_bytes:
            raise CannotBuild(f"a band of {both(height)} is too small for LVM's extents of 4 MiB")
        found.append(band)
        start = end
    if len(found) > MOST_BANDS:
        raise CannotBuild(
            f"the sizes of these disks make {len(found)} bands, and a hybrid volume has at most {MOST_BANDS}"
        )
    return tuple(found)


def volume_bytes(bands: Sequence[Band]) -> int:
    """Bytes of one logical volume over these bands."""
    return sum(band.volume_bytes for band in bands)


def used_on(bands: Sequence[Band], disk: int) -> tuple[int, int]:
    """Bytes of data, copies and parity on the member ``disk``, and bytes that md keeps to itself there."""
    over = [band for band in bands if disk in band.disks]
    used = sum(band.geometry.component_bytes for band in over)
    return used, sum(band.height for band in over) - used


def pending_on(bands: Sequence[Band], disk: int, size: int) -> int:
    """Bytes of the member ``disk`` above its last band."""
    return size - max(band.start + band.height for band in bands if disk in band.disks)


def with_more(sizes: Sequence[int], more: int, redundancy: int, options: Options) -> int:
    """Bytes that one more member of ``more`` bytes would add to the volume.

    Existing bands keep their ends: a smaller disk than the first band reaches adds nothing.
    """
    now = bands_of(sizes, redundancy, options)
    return volume_bytes(bands_of((*sizes, more), redundancy, options)) - volume_bytes(now)
