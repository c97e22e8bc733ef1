"""Capacity of a volume on an md array, and on bands of arrays over disks of mixed sizes."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from raidtui.backends.lvm.space import EXTENT, LvmSpace, extents, first_extent
from raidtui.backends.md.geometry import Geometry, md_geometry
from raidtui.model.errors import CannotBuild
from raidtui.model.units import GIB, MIB

THIN_BAND: Final = GIB  # a thinner band is not worth an array


class Band(NamedTuple):
    """One md array of a mixed layout: a part of each disk that is large enough. Bytes."""

    start: int
    height: int
    disks: tuple[int, ...]  # indexes in the list of disks
    geometry: Geometry


def data_start(level: str, members: int, *, chunk: int, width: int) -> int:
    """Bytes before LVM's first extent on an array of ``level``: 1 MiB, aligned to a full stripe."""
    # lvm2 assumes half the members as data disks of raid10, whatever the layout.
    counted = chunk * (members // 2) if level == "raid10" else width
    return first_extent(stripe_width=counted, io_min=chunk, io_opt=width)


def on_md(geometry: Geometry) -> int:
    """Bytes of a volume group on this md array alone."""
    chunk, width = geometry.chunk_bytes, geometry.stripe_width_bytes
    start = data_start(geometry.level, len(geometry.members), chunk=chunk, width=width)
    return extents(geometry.array_bytes, start) * EXTENT


def _merged(ends: Sequence[int]) -> list[int]:
    """The ends of the bands: the ends of the disks, except where a band would be too thin."""
    found: list[int] = []
    for end in sorted(set(ends)):
        if not found or end - found[-1] >= THIN_BAND:
            found.append(end)
    return found


def bands(sizes: Sequence[int], redundancy: int) -> tuple[Band, ...]:
    """Divide disks of mixed sizes into bands, each an md array over the disks that are large enough.

    With a redundancy of one, three or more disks become raid5, two raid1; with two, four or more become raid6, three
    raid1. ``sizes``: bytes of each member, to be divided into its parts of the bands.

    Raises:
        CannotBuild: there are not enough disks for any band: two, or three with a redundancy of two.
    """
    found = []
    start = 0
    for end in _merged([size // MIB * MIB for size in sizes]):
        disks = tuple(place for place, size in enumerate(sizes) if size >= end)
        if len(disks) <= redundancy:
            break
        raid1 = len(disks) == redundancy + 1
        level = "raid1" if raid1 else "raid5" if redundancy == 1 else "raid6"
        found.append(Band(start, end - start, disks, md_geometry(level, [end - start] * len(disks))))
        start = end
    if not found:
        raise CannotBuild(
            f"a mixed layout that survives {redundancy} takes at least {redundancy + 1} disks, not {len(sizes)}"
        )
    return tuple(found)


def volume_over(over: Sequence[Band], disks: int) -> LvmSpace:
    """One logical volume over the bands of these disks."""
    used = [0] * disks
    for band in over:
        for place in band.disks:
            used[place] += band.geometry.component_bytes
    return LvmSpace(data_bytes=sum(on_md(band.geometry) for band in over), used=tuple(used))
