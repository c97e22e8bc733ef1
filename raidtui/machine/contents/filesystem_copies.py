"""Find what is left of a filesystem whose beginning was overwritten: the copies that it keeps of its superblock."""

import os
import uuid
from collections.abc import Iterator
from typing import Final

from raidtui.machine.contents import btrfs_superblock
from raidtui.model.struct import Record
from raidtui.model.units import KIB, MIB, SECTOR, TIB, binary

EXT: Final = frozenset({"ext2", "ext3", "ext4"})
"""The types with the superblock of ext2."""
EXT_MAGIC: Final = b"\x53\xef"
EXT_LARGEST: Final = 6  # log2 of the largest block size, in KiB
_XFS_MAGIC: Final = b"XFSB"
_EXT_UUID, _XFS_UUID = 0x68, 32  # offsets in their superblocks
_XFS_BLOCK: Final = 4 * KIB  # as mkfs.xfs chooses it
_XFS_GROUPS: Final = (4, 8, 16, 32, 2)  # by the size of the device, and whether it is an array
_XFS_LARGEST: Final = TIB // _XFS_BLOCK - 1  # blocks of an allocation group
_NTFS: Final = b"NTFS    "
_EXFAT: Final = b"EXFAT   "
_EXFAT_COPY: Final = 12  # the sector where its second boot region begins


class Copy(Record, frozen=True, kw_only=True):
    """What a copy of a superblock or boot sector says."""

    words: str  # which filesystem it is of, and where the copy is
    type: str  # of it, as libblkid calls it
    uuid: str  # of it, as libblkid writes it


def is_backup_of_ext(fd: int, place: int) -> bool:
    """Whether a backup superblock of ext2, ext3 or ext4 is at ``place``, as one is 8 MiB into a small filesystem.

    Its filesystem does not begin there, and is left behind by wipefs, which erases only the first one. See struct
    ext2_super_block: s_magic, and s_block_group_nr, which is 0 in the first.
    """
    magic, group = os.pread(fd, 2, place + KIB + 0x38), os.pread(fd, 2, place + KIB + 0x5A)
    return magic == EXT_MAGIC and group != bytes(2)


def filesystem_copy(fd: int, size: int) -> Copy | None:
    """Which filesystem began at the start of the device, by a copy of what began it; None if none is found.

    Btrfs not included: see `btrfs_superblock.read_copy`.
    """
    places = (
        ("ext4", "ext2, ext3 or ext4", "its superblock", copy_of_ext(fd, size)),
        ("xfs", "XFS", "its superblock", copy_of_xfs(fd, size)),
        ("ntfs", "NTFS", "its boot sector", _copy_of_ntfs(fd, size)),
        ("exfat", "exFAT", "its boot sector", _copy_of_boot_sector(fd, _EXFAT_COPY * SECTOR, _EXFAT)),
    )
    for kind, name, what, place in places:
        if place:
            return Copy(
                words=f"{name} without its beginning, with a copy of {what} at {binary(place)}: damaged, or what 'wipefs --all' leaves",
                type=kind,
                uuid=_uuid(os.pread(fd, SECTOR, place), kind),
            )
    return None


def _uuid(block: bytes, kind: str) -> str:
    """The UUID in a superblock, or the serial number in a boot sector."""
    match kind:
        case "ntfs":
            return f"{int.from_bytes(block[0x48:0x50], 'little'):016X}"
        case "exfat":
            number = f"{int.from_bytes(block[100:104], 'little'):08X}"
            return f"{number[:4]}-{number[4:]}"
    at = _EXT_UUID if kind == "ext4" else _XFS_UUID
    return str(uuid.UUID(bytes=block[at : at + 16]))


def begins(fd: int) -> bool:
    """Whether ext4, XFS or Btrfs begins at the start of the device: its first superblock is in its place."""
    place = btrfs_superblock.PLACE
    return (
        os.pread(fd, 2, KIB + 0x38) == EXT_MAGIC
        or os.pread(fd, 4, 0) == _XFS_MAGIC
        or btrfs_superblock.is_superblock(os.pread(fd, btrfs_superblock.SIZE, place), place)
    )


def read_lost_beginning(path: str) -> Copy | None:
    """What a copy says of the filesystem that began on the device ``path``; None also if it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if begins(fd):
            return None
        if (btrfs := btrfs_superblock.read_copy(fd)) is not None:
            return Copy(words=btrfs.words, type="btrfs", uuid=btrfs.uuid)
        return filesystem_copy(fd, os.lseek(fd, 0, os.SEEK_END))
    except OSError:
        return None
    finally:
        os.close(fd)


def copy_of_ext(fd: int, size: int) -> int:
    """Where the first backup superblock is of an ext2, ext3 or ext4 that began at the start; 0 if there is none."""
    for log, place in enumerate((8193 * KIB, 32 * MIB, 128 * MIB)):  # of blocks of 1, 2 and 4 KiB
        block = os.pread(fd, KIB, place)
        if len(block) < KIB or block[0x38:0x3A] != EXT_MAGIC:
            continue
        blocks, stored_log = (int.from_bytes(block[at : at + 4], "little") for at in (4, 0x18))
        first_copy = int.from_bytes(block[0x5A:0x5C], "little") == 1  # s_block_group_nr
        if first_copy and stored_log == log and place < blocks * (KIB << log) <= size:
            return place
    return 0


def copy_of_xfs(fd: int, size: int) -> int:
    """Where a copy is of the superblock of an XFS that began at the start; 0 if there is none.

    Each allocation group begins with one (struct xfs_dsb): sb_blocksize, sb_dblocks, sb_agblocks.
    """
    for blocks in _groups_of_xfs(size // _XFS_BLOCK):
        place = blocks * _XFS_BLOCK
        head = os.pread(fd, SECTOR, place)
        if head[:4] != _XFS_MAGIC or int.from_bytes(head[4:8], "big") != _XFS_BLOCK:
            continue
        of_all, of_group = (int.from_bytes(head[at:end], "big") for at, end in ((8, 16), (84, 88)))
        if of_group and blocks % of_group == 0 and place < of_all * _XFS_BLOCK <= size:
            return place
    return 0


def _groups_of_xfs(blocks: int) -> Iterator[int]:
    """How many blocks an allocation group commonly has on a device of that number of blocks: see calc_default_ag_geometry()."""
    yield _XFS_LARGEST
    yield from (-(-blocks // count) for count in _XFS_GROUPS)


def _copy_of_ntfs(fd: int, size: int) -> int:
    """Where the copy is of the boot sector of an NTFS that began at the start; 0 if there is none.

    It is in the last sector, which the number of sectors does not count. That of a last partition ends there too.
    """
    place = _copy_of_boot_sector(fd, size - SECTOR, _NTFS)
    head = os.pread(fd, SECTOR, place)
    sector, sectors = int.from_bytes(head[11:13], "little"), int.from_bytes(head[0x28:0x30], "little")
    return place if place and (not sectors or (sectors + 1) * sector == size) else 0


def _copy_of_boot_sector(fd: int, place: int, name: bytes) -> int:
    """``place``, if the copy of a boot sector is there; else 0."""
    return place if os.pread(fd, 11, max(0, place))[3:] == name else 0
