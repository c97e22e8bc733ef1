"""Whether the copies of its superblock are where a filesystem has them: ext2 to ext4, XFS and Btrfs.

On a striped array they are elsewhere if it was created again with another chunk, layout or order of members. Its beginning,
which fits into one chunk, may then look right. Read only.

Layouts: fs/ext4/super.c and mke2fs(8), sparse_super; fs/xfs/libxfs/xfs_format.h; uapi/linux/btrfs_tree.h.
"""

import os
import struct
from collections.abc import Iterator
from itertools import islice
from typing import Final

from raidtui.machine.contents import btrfs_superblock
from raidtui.machine.contents.filesystem_copies import EXT, EXT_LARGEST, EXT_MAGIC
from raidtui.model.units import KIB

_SPARSE_SUPER2: Final = 0x200  # EXT4_FEATURE_COMPAT_SPARSE_SUPER2: the copies are elsewhere
_WITH_COPY: Final = (1, 3, 5, 7, 9, 25, 27, 49, 81, 125, 243, 343)  # groups, with sparse_super and without it
_MOST: Final = 8  # copies that are looked at


def copies_elsewhere(path: str, kind: str, size: int) -> bool:
    """Whether a copy of the superblock of the filesystem on ``path`` is not in its place; False if not known.

    Layouts of one level differ in a part of the stripes only, so that one copy may be all that shows it.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        places = ((at, magic) for at, magic in _places(fd, kind) if at + len(magic) <= size)
        return any(os.pread(fd, len(magic), at) != magic for at, magic in islice(places, _MOST))
    except (OSError, struct.error):
        return False
    finally:
        os.close(fd)


def _places(fd: int, kind: str) -> Iterator[tuple[int, bytes]]:
    """Where the magic numbers of the copies are, the nearest first; none if the superblock itself is not known."""
    if kind == "xfs":
        block = os.pread(fd, 512, 0)
        size, blocks, groups = *struct.unpack_from(">I", block, 4), *struct.unpack_from(">II", block, 84)
        if block.startswith(b"XFSB"):
            yield from ((number * blocks * size, b"XFSB") for number in range(1, min(groups, _MOST + 1)))
    elif kind == "btrfs":
        if os.pread(fd, 8, btrfs_superblock.PLACE + 0x40) == btrfs_superblock.MAGIC:
            yield btrfs_superblock.COPIES[0] + 0x40, btrfs_superblock.MAGIC
    elif kind in EXT:
        block = os.pread(fd, KIB, KIB)
        first, log, per_group = (struct.unpack_from("<I", block, at)[0] for at in (20, 24, 32))
        compatible = struct.unpack_from("<I", block, 0x5C)[0]
        known = block[0x38:0x3A] == EXT_MAGIC and log <= EXT_LARGEST and per_group
        if known and not compatible & _SPARSE_SUPER2:
            blocks = struct.unpack_from("<I", block, 4)[0]
            for number in _WITH_COPY:
                if (at := first + number * per_group) < blocks:
                    yield at * (KIB << log) + 0x38, EXT_MAGIC
