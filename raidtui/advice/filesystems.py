"""What ext4, XFS and Btrfs leave of an array for files, right after mkfs.

ext4 is counted as mke2fs 1.47 lays it out and agrees with ``statfs`` to a few blocks up to 16 TiB; XFS and Btrfs
agree to 0.1 %. Blocks are of 4 KiB.
"""

from typing import Final

from raidtui.advice.layouts import CannotBuild
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, TIB

BLOCK: Final = 4 * KIB
FILESYSTEMS: Final = ("ext4", "xfs", "btrfs", "none")
_GROUP: Final = 32768  # blocks of an ext4 block group
_INODE: Final = 256
_DESCRIPTOR: Final = 64
# blocks of the filesystem below which the journal has so many blocks (ext2fs_default_journal_size)
_JOURNALS: Final = (
    (2048, 0),
    (32 * 1024, 1024),
    (256 * 1024, 4096),
    (512 * 1024, 8192),
    (4096 * 1024, 16384),
    (8192 * 1024, 32768),
    (16384 * 1024, 65536),
    (32768 * 1024, 131072),
)
_LARGEST_JOURNAL: Final = 262144


class FilesystemSpace(Record, frozen=True, kw_only=True):
    """What ``df`` shows of an empty filesystem, in bytes."""

    size_bytes: int
    available_bytes: int  # to everybody but root
    root_bytes: int  # held back for root (ext4's 5 %)
    words: str


def _inode_ratio(size: int) -> int:
    """Bytes for each inode, by the size classes of mke2fs.conf."""
    if size < 512 * MIB:
        return 4096
    if size < 4 * TIB:
        return 16384
    return 32768 if size < 16 * TIB else 65536


def _backups(groups: int) -> int:
    """Groups with a superblock: 0, 1 and the powers of 3, 5 and 7 (sparse_super)."""
    found = min(groups, 2)
    for base in (3, 5, 7):
        power = base
        while power < groups:
            found += 1
            power *= base
    return found


def _ext4(size: int) -> FilesystemSpace:
    blocks = size // BLOCK
    groups = -(-blocks // _GROUP)
    inodes = -(-blocks * BLOCK // _inode_ratio(size) // groups)
    table = -(-inodes * _INODE // BLOCK)
    descriptors = -(-groups * _DESCRIPTOR // BLOCK)
    growth = -(-min(blocks * 1024, 2**32 - 1) // _GROUP)  # room to grow a thousandfold, at most to 16 TiB
    spare = min(1024, max(0, -(-growth * _DESCRIPTOR // BLOCK) - descriptors))
    journal = next((count for limit, count in _JOURNALS if blocks < limit), _LARGEST_JOURNAL)
    overhead = groups * (table + 2) + _backups(groups) * (1 + descriptors + spare) + journal
    root = blocks // 20
    kept = min(blocks // 50, 4096)  # s_resv_clusters
    free = blocks - overhead - 7
    return FilesystemSpace(
        size_bytes=(blocks - overhead) * BLOCK,
        available_bytes=max(0, free - root - kept) * BLOCK,
        root_bytes=root * BLOCK,
        words="ext4: inode tables, journal and 5 % held back for root (tune2fs -m 1 lowers that)",
    )


def _xfs(size: int, striped: bool) -> FilesystemSpace:
    blocks = size // BLOCK
    log = min(max(16384, blocks // 2048), 521728)
    groups = 4
    if striped:  # mkfs.xfs takes more groups on several disks
        groups = 32 if size >= 512 * GIB else 16 if size >= 8 * GIB else 8
    groups = max(groups, -(-size // TIB))
    # Each group keeps room for the largest trees of free inodes and of shared blocks.
    kept = round(blocks * 0.006969) + groups * 2055
    return FilesystemSpace(
        size_bytes=(blocks - log) * BLOCK,
        available_bytes=max(0, blocks - log - kept) * BLOCK,
        root_bytes=0,
        words="XFS: log and room kept for its trees",
    )


def _btrfs(size: int) -> FilesystemSpace:
    metadata = GIB if size > 50 * GIB else min(256 * MIB, size // 10)
    checksums = size // 1000
    kept = 2 * max(metadata, checksums) + 17 * MIB  # kept twice (dup), and the system chunk
    return FilesystemSpace(
        size_bytes=size,
        available_bytes=max(0, size - kept),
        root_bytes=0,
        words="Btrfs: metadata and checksums, kept twice",
    )


def check_filesystem(kind: str) -> None:
    """Refuse a filesystem that is not known here.

    Raises:
        CannotBuild: it is not.
    """
    if kind not in FILESYSTEMS:
        raise CannotBuild(f"{kind!r} is no filesystem that is known here: {', '.join(FILESYSTEMS)}")


def filesystem_space(kind: str, size: int, *, striped: bool = True) -> FilesystemSpace:
    """What a new filesystem leaves of a device of ``size`` bytes; ``striped`` if the device tells a stripe width.

    Raises:
        CannotBuild: an unknown filesystem, or a device that is too small for it.
    """
    check_filesystem(kind)
    if kind == "none":
        return FilesystemSpace(size_bytes=size, available_bytes=size, root_bytes=0, words="no filesystem")
    least = {"ext4": 8 * MIB, "xfs": 300 * MIB, "btrfs": 128 * MIB}[kind]
    if size < least:
        raise CannotBuild(f"{kind} needs at least {least // MIB} MiB")
    if kind == "ext4":
        return _ext4(size)
    return _xfs(size, striped) if kind == "xfs" else _btrfs(size)
