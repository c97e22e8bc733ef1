"""How large a filesystem is by its own superblock: ext2 to ext4, XFS and Btrfs. Read only.

Layouts: struct ext4_super_block (fs/ext4/ext4.h), struct xfs_dsb (fs/xfs/libxfs/xfs_format.h) and struct btrfs_super_block
(uapi/linux/btrfs_tree.h), in which each device of a filesystem has its own size.
"""

import os
import struct
from typing import Final

from msgspec.structs import replace

from raidtui.machine.tree import Tree
from raidtui.model.device import Device
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.units import KIB

_EXT: Final = frozenset({"ext2", "ext3", "ext4"})
_64BIT: Final = 0x80  # EXT4_FEATURE_INCOMPAT_64BIT
_BTRFS: Final = 64 * KIB
_MOST_EXT: Final = 6  # log2 of the largest block size, in KiB


def with_cut(device: Device, graph: DeviceGraph, tree: Tree) -> Device:
    """``device`` with what its filesystem has beyond its end; not if something else is on it, which may be larger."""
    if not device.size_bytes or graph.on(device) or device.type not in {*_EXT, "xfs", "btrfs"}:
        return device
    beyond = filesystem_bytes(tree.path(device.path), device.type) - device.size_bytes
    return replace(device, cut_bytes=beyond) if beyond > 0 else device


def filesystem_bytes(path: str, kind: str) -> int:
    """The size of the filesystem on ``path``, by its superblock; 0 if it is not known."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        block = os.pread(fd, 4 * KIB, {"xfs": 0, "btrfs": _BTRFS}.get(kind, KIB))
    except OSError:
        return 0
    finally:
        os.close(fd)
    if len(block) < KIB:
        return 0
    if kind == "xfs":
        size, blocks = struct.unpack_from(">IQ", block, 4)
        return size * blocks if block.startswith(b"XFSB") else 0
    if kind == "btrfs":
        return struct.unpack_from("<Q", block, 0xD1)[0] if block[0x40:0x48] == b"_BHRfS_M" else 0
    low, log = struct.unpack_from("<I", block, 4)[0], struct.unpack_from("<I", block, 24)[0]
    high = struct.unpack_from("<I", block, 0x150)[0] if block[0x60] & _64BIT else 0
    known = kind in _EXT and block[0x38:0x3A] == b"\x53\xef" and log <= _MOST_EXT
    return (high << 32 | low) * (KIB << log) if known else 0
