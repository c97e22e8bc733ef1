"""The space that ext4, XFS and Btrfs leave for files on a device, right after mkfs.

ext4 follows the layout of mke2fs and agrees with ``statfs`` to a few blocks up to 16 TiB; XFS agrees to the block.
Btrfs agrees to the byte up to 1 TiB; above that, the checksums of future files are subtracted, so ``statfs`` of an
empty one shows up to 0.2 % more. Blocks are 4 KiB.
"""

from typing import Final, NamedTuple

from raidtui.machine.tools import is_older
from raidtui.model.errors import CannotBuild
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, TIB
from raidtui.steps.xfs_space import BLOCK, available_blocks

FILESYSTEMS: Final = ("ext4", "xfs", "btrfs", "none")
_GROUP: Final = 32768  # blocks of an ext4 block group
_INODE: Final = 256
_DESCRIPTOR: Final = 64
_LEAST_FREE: Final = 50  # blocks that a group needs beside its metadata
# (limit, journal): below limit blocks in the filesystem, the journal has this many (ext2fs_default_journal_size)
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
    """The space that ``df`` shows for an empty filesystem, in bytes."""

    size_bytes: int
    available_bytes: int  # to users other than root
    accuracy: str  # how exact the figures are, and for which case


def _inode_ratio(size: int) -> int:
    """Bytes per inode, by the size classes of mke2fs.conf."""
    if size < 512 * MIB:
        return 4096
    if size < 4 * TIB:
        return 16384
    return 32768 if size < 16 * TIB else 65536


def _backups(groups: int) -> set[int]:
    """The groups with a superblock: 0, 1 and the powers of 3, 5 and 7 (sparse_super)."""
    found = {0, 1}
    for base in (3, 5, 7):
        power = base
        while power < groups:
            found.add(power)
            power *= base
    return {group for group in found if group < groups}


class _Groups(NamedTuple):
    """The block groups of an ext4 filesystem. Sizes in blocks."""

    blocks: int  # of the whole filesystem
    number: int
    table: int  # the inode table of each group
    backup: int  # superblock and group descriptors, in each group that has a copy


def _groups(blocks: int, inodes: int) -> _Groups:
    """Divide a device as ext2fs_initialize() of libext2fs does: it omits a last group with no room for files."""
    number = -(-blocks // _GROUP)
    of_each = -(-inodes // number)
    table = -(-of_each * _INODE // BLOCK)
    descriptors = -(-number * _DESCRIPTOR // BLOCK)
    growth = -(-min(blocks * 1024, 2**32 - 1) // _GROUP)  # room to grow a thousandfold, at most to 16 TiB
    spare = min(1024, max(0, -(-growth * _DESCRIPTOR // BLOCK) - descriptors))
    found = _Groups(blocks, number, table, 1 + descriptors + spare)
    last = blocks % _GROUP
    least = 2 + table + (found.backup if number - 1 in _backups(number) else 0) + _LEAST_FREE
    return _groups(blocks - last, inodes) if 0 < last < least and number > 1 else found


def _has_orphan_file(mke2fs: str) -> bool:
    """Whether this version of mke2fs creates the orphan file: Debian's mke2fs.conf does from 1.47.1 on."""
    return bool(mke2fs) and not is_older(mke2fs, "1.47.1")


def _ext4(size: int, mke2fs: str) -> FilesystemSpace:
    found = _groups(size // BLOCK, -(-(size // BLOCK) * BLOCK // _inode_ratio(size)))
    blocks = found.blocks
    orphans = min(512, max(32, blocks // 4096)) if _has_orphan_file(mke2fs) else 0
    journal = next((count for limit, count in _JOURNALS if blocks < limit), _LARGEST_JOURNAL)
    overhead = found.number * (found.table + 2) + len(_backups(found.number)) * found.backup + journal
    root = blocks // 20
    kept = min(blocks // 50, 4096)  # s_resv_clusters
    free = blocks - overhead - 7 - orphans
    return FilesystemSpace(
        size_bytes=(blocks - overhead) * BLOCK,
        available_bytes=max(0, free - root - kept) * BLOCK,
        accuracy="ext4 to a few blocks up to 16 TiB, without the 5 % reserved for root (tune2fs -m 1 lowers that)",
    )


def _xfs(size: int, chunk: int, stripe: int) -> FilesystemSpace:
    blocks, available = available_blocks(size, chunk=chunk, stripe=stripe)
    return FilesystemSpace(
        size_bytes=blocks * BLOCK,
        available_bytes=available * BLOCK,
        accuracy="XFS as mkfs.xfs 6.1 makes it; with a reverse-mapping tree (rmapbt=1) 1.2 % less",
    )


def _btrfs(size: int) -> FilesystemSpace:
    if size > 50 * GIB:
        metadata = GIB
    elif size // 10 >= 256 * MIB:
        metadata = 256 * MIB
    else:  # a tenth for both copies of the metadata
        metadata = max(32 * MIB, size // 20 // (64 * KIB) * (64 * KIB))
    checksums = size // 1000
    kept = 2 * max(metadata, checksums) + 17 * MIB  # stored twice (dup), plus the system chunk
    return FilesystemSpace(
        size_bytes=size,
        available_bytes=max(0, size - kept),
        accuracy="Btrfs full of files; df shows up to 0.2 % more above 1 TiB, before there are checksums",
    )


def check_filesystem(kind: str) -> None:
    """Refuse an unknown filesystem. Raises CannotBuild: ``kind`` is not one of `FILESYSTEMS`."""
    if kind not in FILESYSTEMS:
        raise CannotBuild(f"unknown filesystem {kind!r}; valid values: {', '.join(FILESYSTEMS)}")


def filesystem_space(
    kind: str, size: int, *, chunk: int = 0, stripe: int = 0, mke2fs: str = ""
) -> FilesystemSpace:
    """The space of a new filesystem on a device of ``size`` bytes.

    Args:
        chunk: chunk of a striped array in bytes, 0 for any other device.
        stripe: bytes of data in a full stripe.
        mke2fs: version of mke2fs; empty: not known, 1.47.0 is assumed.

    Raises:
        CannotBuild: the filesystem is unknown, or the device is too small for it.
    """
    check_filesystem(kind)
    if kind == "none":
        return FilesystemSpace(size_bytes=size, available_bytes=size, accuracy="")
    least = {"ext4": 8 * MIB, "xfs": 300 * MIB, "btrfs": 128 * MIB}[kind]
    if size < least:
        raise CannotBuild(f"{kind} needs at least {least // MIB} MiB")
    if kind == "ext4":
        return _ext4(size, mke2fs)
    return _xfs(size, chunk, stripe) if kind == "xfs" else _btrfs(size)
