"""Capacity of a logical volume on bare disks, exact to the extent.

Physical extents start where lvm2's set_pe_align puts them, every RAID image has one or more extents of metadata
beside it (raid_manip.c), and only whole stripes are used.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.disks import data_disks
from raidtui.backends.lvm.levels import LEVELS
from raidtui.model.errors import CannotBuild
from raidtui.model.struct import Bytes, Record
from raidtui.model.text import spelled
from raidtui.model.units import KIB, MIB, SECTOR, both

EXTENT: Final = 4 * MIB
_MIB_SECTORS: Final = 2048


class LvmSpace(Record, frozen=True, kw_only=True):
    """A logical volume that fills its group, in bytes; ``used``: per disk, for data, copies and parity."""

    data_bytes: Bytes
    used: tuple[int, ...]
    stripe_bytes: Bytes = 0  # lvcreate's stripe size, md's chunk; 0 without striping
    stripe_width_bytes: Bytes = 0  # data of one full stripe


def first_extent(*, stripe_width: int = 0, io_min: int = 0, io_opt: int = 0) -> int:
    """Bytes before the first physical extent: 1 MiB, rounded up to a whole stripe or I/O size."""
    align = _MIB_SECTORS
    for size in (stripe_width, io_min, io_opt):
        if size and align % (size // SECTOR):
            align = size // SECTOR
    return -(-_MIB_SECTORS // align) * align * SECTOR


def extents(device: int, start: int) -> int:
    """Whole physical extents of a device."""
    return max(0, device - start) // EXTENT


def metadata_extents(image: int) -> int:
    """Extents for md's superblock and bitmap beside a RAID image (_raid_rmeta_extents)."""
    region = 2 * MIB
    while image // region > 1 << 21:
        region *= 2
    size = 8192 + -(-(image // region) // 8)
    return max(1, -(-size // EXTENT))


# MAX_STRIPES, and DEFAULT_RAID_MAX_IMAGES of lvm2's defaults.h; a linear volume takes any number.
MOST_IMAGES: Final = {
    "striped": 128,
    "raid0": 64,
    "raid1": 64,
    "raid4": 64,
    "raid5": 64,
    "raid6": 64,
    "raid10": 64,
}

DEFAULT_STRIPE: Final = 64 * KIB
_LEAST_STRIPE: Final = 4 * KIB  # STRIPE_SIZE_MIN of lvm2's metadata-exported.h


def data_stripes(level: str, disks: int) -> int:
    """Disks' worth of data in a stripe over all of them; 1 for a mirror."""
    return int(data_disks(LEVELS[level].placed_as or level, disks))


def check_stripe(level: str, stripe: int) -> None:
    """Refuse a stripe size (``lvcreate -I``, bytes) that LVM refuses or ignores, or that does not divide an extent.

    Raises:
        CannotBuild: a type without stripes, not a power of two, or out of range.
    """
    if not LEVELS[level].has_chunk:
        raise CannotBuild(f"LVM {spelled(level)} has no stripe size; leave chunk out")
    if stripe & (stripe - 1) or not _LEAST_STRIPE <= stripe <= EXTENT:
        raise CannotBuild(
            f"a stripe size of {both(stripe)} is not possible: take a power of two from 4 KiB to 4 MiB, the extent"
        )


def lvm_space(level: str, sizes: Sequence[int], *, stripe: int | None = None) -> LvmSpace:
    """One logical volume over all disks, as large as possible.

    LVM uses whole extents of each disk, and every stripe size divides an extent, so that it does not affect capacity.

    Args:
        level: as in ``lvcreate --type``.
        sizes: bytes of each physical volume: a whole disk or a partition.
        stripe: bytes, ``lvcreate -I``; None for the default, and for linear and raid1.

    Raises:
        CannotBuild: an unknown type, too few disks for it, an odd number for raid10, disks too small, or a stripe
            size that LVM does not take.
    """
    if level not in LEVELS:
        raise CannotBuild(f"{level!r} is not a type of logical volume: {', '.join(LEVELS)}")
    known, disks = LEVELS[level], len(sizes)
    if disks < known.min_disks:
        raise CannotBuild(f"LVM {spelled(level)} takes at least {known.min_disks} disks, not {disks}")
    if disks > MOST_IMAGES.get(level, disks):
        raise CannotBuild(f"LVM {spelled(level)} takes at most {MOST_IMAGES[level]} disks, not {disks}")
    if level == "raid10" and disks % 2:
        raise CannotBuild(f"LVM RAID10 takes an even number of disks, not {disks}")
    if stripe is not None:
        check_stripe(level, stripe)
    each = [extents(size, first_extent()) for size in sizes]
    if min(each) < 2:
        raise CannotBuild(f"a disk of {both(min(sizes))} is too small for LVM's extents of 4 MiB")
    if level == "linear":
        return LvmSpace(data_bytes=sum(each) * EXTENT, used=tuple(count * EXTENT for count in each))
    smallest, data = min(each), data_stripes(level, disks)
    # Types without redundancy have no metadata beside their images.
    image = smallest - metadata_extents(smallest * EXTENT) if known.redundant else smallest
    size = (stripe or DEFAULT_STRIPE) if known.has_chunk else 0
    return LvmSpace(
        data_bytes=image * data * EXTENT,
        used=(smallest * EXTENT,) * disks,
        stripe_bytes=size,
        stripe_width_bytes=size * data,
    )
