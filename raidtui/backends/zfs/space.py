"""Capacity of a new ZFS pool: labels, metaslabs, parity with padding, and the slop space that ZFS reserves.

SIZE is as in ``zpool list``; the available bytes are USED plus AVAIL of the empty pool in ``zfs list``. The rules
are OpenZFS's (vdev.c, vdev_raidz.c, spa_misc.c, libzfs_pool_os.c). They match twelve pools made by OpenZFS 2.1.11 to
the byte.
"""

from collections.abc import Sequence
from typing import Final

from raidtui.model.errors import CannotBuild
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, both, spell_size

LABELS: Final = 4 * MIB + 512 * KIB  # two labels and the boot block before, two labels after
DEFAULT_RECORD: Final = 128 * KIB
_PART9_SECTORS: Final = 16384
_LEAST: Final = 64 * MIB  # SPA_MINDEVSIZE
PARITY: Final = {"stripe": 0, "mirror": 0, "raidz1": 1, "raidz2": 2, "raidz3": 3}


class PoolSpace(Record, frozen=True, kw_only=True):
    """A pool, in bytes."""

    size_bytes: int  # zpool list SIZE: parity included
    available_bytes: int  # zfs list USED + AVAIL of the empty pool, at 128 KiB records
    leaves: tuple[int, ...]  # for each group: bytes of each of its disks for data and parity
    efficiency: float  # data / (data + parity + padding) at the given record size


def whole_disk_bytes(disk: int) -> int:
    """Bytes of the data partition that ZFS makes on a whole disk: from 1 MiB on, aligned to 1 MiB, 8 MiB free at the end."""
    last_usable = disk // 512 - 34
    end = (last_usable + 1 - _PART9_SECTORS - 2048) // 2048 * 2048
    return (end - 2048) * 512


def allocated(size: int, disks: int, parity: int, ashift: int) -> int:
    """Bytes allocated for a block of ``size`` on a raidz of ``disks``, with parity and padding (vdev_raidz_asize)."""
    sectors = -(-size // (1 << ashift))
    if parity:
        sectors += parity * -(-sectors // (disks - parity))
        sectors = -(-sectors // (parity + 1)) * (parity + 1)
    return sectors << ashift


def efficiency(record: int, disks: int, parity: int, ashift: int = 12) -> float:
    """The fraction of raw space that holds data if all blocks are ``record`` bytes long."""
    return record / allocated(record, disks, parity, ashift)


def _metaslab_shift(asize: int) -> int:
    count = asize >> 29
    if count < 16:
        shift = (asize // 16).bit_length()
    elif count > 200:
        shift = (asize // 200).bit_length()
    else:
        shift = 29
    return min(max(shift, 24), 34)


def check_record(record: int) -> None:
    """Refuse a record size that ZFS does not take.

    Raises:
        CannotBuild: it is not a power of two from 512 bytes to 16 MiB (zfsprops(7), recordsize).
    """
    if not 512 <= record <= 16 * MIB or record & (record - 1):
        raise CannotBuild(
            f"a record size of {spell_size(record)} is not a power of two from 512 bytes to 16 MiB"
        )


def _leaf(group: Sequence[int], *, whole_disks: bool) -> int:
    """Bytes for data and parity of each disk of a vdev. Raises CannotBuild: they are too small."""
    device = whole_disk_bytes(min(group)) if whole_disks else min(group)
    if device < _LEAST:
        raise CannotBuild(f"a disk of {both(min(group))} is too small for ZFS; 64 MiB are the least")
    return device // (256 * KIB) * (256 * KIB) - LABELS


def pool_space(
    kind: str,
    groups: Sequence[Sequence[int]],
    *,
    ashift: int = 12,
    record: int = DEFAULT_RECORD,
    whole_disks: bool = True,
    made: Sequence[Sequence[int]] = (),
) -> PoolSpace:
    """The pool made of these groups of disks (top-level vdevs), each a stripe of one, a mirror or a raidz.

    Args:
        made: what the first of these groups were made of, if they have grown since. A vdev keeps the size of its
            metaslabs, and its space is counted by its first width.

    Raises:
        CannotBuild: an unknown kind, too few disks in a group, or disks too small.
    """
    if kind not in PARITY:
        raise CannotBuild(f"{kind!r} is not a layout of ZFS: {', '.join(PARITY)}")
    parity = PARITY[kind]
    if not 9 <= ashift <= 16:
        raise CannotBuild(f"ashift {ashift} is not between 9 and 16; 12 means sectors of 4 KiB")
    check_record(record)
    least = {"stripe": 1, "mirror": 2}.get(kind, parity + 1 if parity else 1)
    raw = data = reserved = 0
    leaves = []
    for number, group in enumerate(groups):
        first = made[number] if number < len(made) else group
        if len(group) < max(least, parity + 1):
            raise CannotBuild(f"ZFS {kind} takes at least {max(least, parity + 1)} disks, not {len(group)}")
        leaf = _leaf(group, whole_disks=whole_disks)
        leaves.append(leaf)
        asize = leaf * len(group) if parity else leaf
        origin = _leaf(first, whole_disks=whole_disks) * (len(first) if parity else 1)
        shift = _metaslab_shift(origin)
        slabs = asize >> shift
        log = 1 if origin >> shift > 64 else 0  # one metaslab of each large vdev serves as the intent log
        # ZFS counts space in 512-byte units times a 17-bit ratio for 128 KiB blocks
        ratio = (1 << 17) // (allocated(DEFAULT_RECORD, len(first), parity, ashift) >> 9)
        raw += slabs << shift
        data += ((slabs - log) << shift >> 9) * ratio
        reserved += (log << shift >> 9) * ratio
    slop = min(data >> 5, 128 * GIB)
    slop -= min(reserved, slop >> 1)
    slop = max(slop, min(data >> 1, 128 * MIB))
    return PoolSpace(
        size_bytes=raw,
        available_bytes=data - slop,
        leaves=tuple(leaves),
        efficiency=efficiency(record, len(groups[0]), parity, ashift) if parity else 1.0,
    )
