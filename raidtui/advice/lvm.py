"""What LVM offers on bare disks, on an md array, and on bands of md arrays over disks of mixed sizes.

Exact to the extent: physical extents start where lvm2's set_pe_align puts them, every RAID image has one or more
extents of metadata beside it (raid_manip.c), and whole stripes only are used.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from raidtui.advice.geometry import Geometry, md_geometry
from raidtui.advice.layouts import CannotBuild
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, SECTOR, both

EXTENT: Final = 4 * MIB
_MIB_SECTORS: Final = 2048
THIN_BAND: Final = GIB  # a band thinner than this is not worth an array of its own


class LvmSpace(Record, frozen=True, kw_only=True):
    """A logical volume over all of a volume group, in bytes; ``used`` is of each disk, data, copies and parity."""

    data_bytes: int
    used: tuple[int, ...]
    stripe_bytes: int = 0  # lvcreate's stripe size, which md calls the chunk; 0 where nothing is striped
    stripe_width_bytes: int = 0  # data of one full stripe


class Band(NamedTuple):
    """One md array of a mixed-size layout: the disks that reach so far, and the piece of each."""

    start: int
    height: int
    disks: tuple[int, ...]  # places in the list of disks
    geometry: Geometry


def first_extent(*, stripe_width: int = 0, io_min: int = 0, io_opt: int = 0) -> int:
    """Bytes before the first physical extent: 1 MiB, or the next multiple of a stripe that does not divide it."""
    align = _MIB_SECTORS
    for size in (stripe_width, io_min, io_opt):
        if size and align % (size // SECTOR):
            align = size // SECTOR
    return -(-_MIB_SECTORS // align) * align * SECTOR


def extents(device: int, start: int) -> int:
    """Whole physical extents of a device."""
    return max(0, device - start) // EXTENT


def _metadata_extents(image: int) -> int:
    """Extents beside a RAID image for md's superblock and bitmap (_raid_rmeta_extents)."""
    region = 2 * MIB
    while image // region > 1 << 21:
        region *= 2
    size = 8192 + -(-(image // region) // 8)
    return max(1, -(-size // EXTENT))


# The words of lvcreate --type. raid0 is striped made by the driver of RAID; it takes the same room.
_LEAST: Final = {
    "linear": 2,
    "striped": 2,
    "raid0": 2,
    "raid1": 2,
    "raid4": 3,
    "raid5": 3,
    "raid6": 5,
    "raid10": 4,
}


# MAX_STRIPES, and DEFAULT_RAID_MAX_IMAGES of lvm2's defaults.h; a linear volume takes any number.
_MOST: Final = {"striped": 128, "raid0": 64, "raid1": 64, "raid4": 64, "raid5": 64, "raid6": 64, "raid10": 64}

STRIPED: Final = frozenset(_LEAST) - {"linear", "raid1"}
"""The types that have a stripe size."""

DEFAULT_STRIPE: Final = 64 * KIB
_LEAST_STRIPE: Final = 4 * KIB  # STRIPE_SIZE_MIN of lvm2's metadata-exported.h


def check_stripe(level: str, stripe: int) -> None:
    """Refuse a stripe size (``lvcreate -I``) that LVM refuses or ignores, or that does not divide an extent; bytes.

    Raises:
        CannotBuild: a type without stripes, not a power of two, or out of range.
    """
    if level not in STRIPED:
        raise CannotBuild(f"LVM {level} has no stripe size; leave chunk out")
    if stripe & (stripe - 1) or not _LEAST_STRIPE <= stripe <= EXTENT:
        raise CannotBuild(
            f"a stripe size of {both(stripe)} is not possible: take a power of two from 4 KiB to 4 MiB, the extent"
        )


def lvm_space(level: str, sizes: Sequence[int], *, stripe: int | None = None) -> LvmSpace:
    """One logical volume over every disk, as large as they allow.

    Whole extents of each disk are used, and every stripe size divides an extent: it does not change the space.

    Args:
        level: the word of ``lvcreate --type``.
        sizes: bytes of each physical volume: a whole disk or a partition.
        stripe: bytes, ``lvcreate -I``; none for the default, and for linear and raid1.

    Raises:
        CannotBuild: an unknown type, too few disks for it, an odd number for raid10, disks too small, or a stripe
            size that LVM does not take.
    """
    if level not in _LEAST:
        raise CannotBuild(f"{level!r} is not a type of logical volume: {', '.join(_LEAST)}")
    disks = len(sizes)
    if disks < _LEAST[level]:
        raise CannotBuild(f"LVM {level} takes at least {_LEAST[level]} disks, not {disks}")
    if disks > _MOST.get(level, disks):
        raise CannotBuild(f"LVM {level} takes at most {_MOST[level]} disks, not {disks}")
    if level == "raid10" and disks % 2:
        raise CannotBuild(f"LVM raid10 takes an even number of disks, not {disks}")
    if stripe is not None:
        check_stripe(level, stripe)
    each = [extents(size, first_extent()) for size in sizes]
    if min(each) < 2:
        raise CannotBuild(f"a disk of {both(min(sizes))} is too small for LVM's extents of 4 MiB")
    if level == "linear":
        return LvmSpace(data_bytes=sum(each) * EXTENT, used=tuple(count * EXTENT for count in each))
    smallest = min(each)
    plain = level in {"striped", "raid0"}  # without an extent of metadata beside each image
    image = smallest if plain else smallest - _metadata_extents(smallest * EXTENT)
    stripes = {"raid1": 1, "raid4": disks - 1, "raid5": disks - 1, "raid6": disks - 2, "raid10": disks // 2}
    data = stripes.get(level, disks)
    size = (stripe or DEFAULT_STRIPE) if level in STRIPED else 0
    return LvmSpace(
        data_bytes=image * data * EXTENT,
        used=(smallest * EXTENT,) * disks,
        stripe_bytes=size,
        stripe_width_bytes=size * data,
    )


def on_md(geometry: Geometry) -> int:
    """Bytes of a volume group whose one physical volume is this md array."""
    width = geometry.stripe_width_bytes
    if geometry.level == "raid10":  # lvm2 counts half the members, whatever the layout
        width = geometry.chunk_bytes * (len(geometry.members) // 2)
    start = first_extent(stripe_width=width, io_min=geometry.chunk_bytes, io_opt=geometry.stripe_width_bytes)
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
