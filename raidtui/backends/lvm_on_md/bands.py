"""What LVM offers on an array of md, and on bands of arrays over disks of mixed sizes."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from raidtui.backends.lvm.space import EXTENT, LvmSpace, extents, first_extent
from raidtui.backends.md.geometry import Geometry, md_geometry
from raidtui.model.errors import CannotBuild
from raidtui.model.units import GIB, MIB

THIN_BAND: Final = GIB  # a band thinner than this is not worth an array of its own


class Band(NamedTuple):
    """One md array of a mixed-size layout: the disks that reach so far, and the piece of each."""

    start: int
    height: int
    disks: tuple[int, ...]  # places in the list of disks
    geometry: Geometry


def data_start(level: str, members: int, *, chunk: int, width: int) -> int:
    """Where LVM begins with its extents on an array of ``level``: after 1 MiB, at the start of a full stripe; bytes."""
    # lvm2 counts half the members of raid10, whatever the layout.
    counted = chunk * (members // 2) if level == "raid10" else width
    return first_extent(stripe_width=counted, io_min=chunk, io_opt=width)


def on_md(geometry: Geometry) -> int:
    """Bytes of a volume group whose one physical volume is this md array."""
    chunk, width = geometry.chunk_bytes, geometry.stripe_width_bytes
    start = data_start(geometry.level, len(geometry.members), chunk=chunk, width=width)
    return extents(geometry.array_bytes, start) * EXTENT


def _merged(ends: Sequence[int]) -> list[int]:
    """Where bands end: at the disks' own ends, without bands that are too thin to be worth an array."""
    found: list[int] = []
    for end in sorted(set(ends)):
        if not found or end - found[-1] >= THIN_BAND:
            found.append(end)
    return found


def bands(sizes: Sequence[int], redundancy: int) -> tuple[Band, ...]:
    """Mixed-size disks in bands, each an md array over the disks that reach that far.

    Three or more disks are raid5 and two raid1; with a redundancy of two four or more are raid6 and three raid1.
    ``sizes`` are bytes of the usable part of each disk, from 1 MiB to before the backup GPT.

    Raises:
        CannotBuild: no two (three) disks share any band.
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
