"""How large a filesystem is by its own superblock: ext2 to ext4, XFS and Btrfs, and whether its device is of another size.

Read only.

Layouts: struct ext4_super_block (fs/ext4/ext4.h), struct xfs_dsb (fs/xfs/libxfs/xfs_format.h) and struct btrfs_super_block
(uapi/linux/btrfs_tree.h), in which each device of a filesystem has its own size.
"""

import os
import struct
from typing import Final

from msgspec.structs import replace

from raidtui.machine.contents import btrfs_superblock
from raidtui.machine.contents.filesystem_copies import EXT, EXT_LARGEST, EXT_MAGIC
from raidtui.machine.contents.superblock_copies import copies_elsewhere
from raidtui.machine.tree import Tree
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.units import KIB, MIB

_64BIT: Final = 0x80  # EXT4_FEATURE_INCOMPAT_64BIT
_LEAST: Final = 16 * MIB  # less than an allocation group or a group of blocks needs is never used
_SHARE: Final = 100  # nor would anybody miss less than a hundredth


def with_misfit(device: Device, graph: DeviceGraph, tree: Tree) -> Device:
    """``device`` with what its filesystem has beyond its end, or leaves unused there, or whether it begins there alone.

    Not if something else is on it, whose size may be another one.
    """
    if not device.size_bytes or graph.on(device) or device.type not in {*EXT, "xfs", "btrfs"}:
        return device
    size = filesystem_bytes(tree.path(device.path), device.type)
    if size > device.size_bytes:
        return replace(device, cut_bytes=size - device.size_bytes)
    on_array = any(one.kind is DeviceKind.ARRAY for one in graph.all_below(device))
    if on_array and copies_elsewhere(tree.path(device.path), device.type, device.size_bytes):
        return replace(device, misplaced=True)
    unused = device.size_bytes - size if size else 0
    if unused < max(_LEAST, size // _SHARE) or _has_grown(size, device, graph, tree):
        return device
    return replace(device, unused_bytes=unused)


def _has_grown(size: int, device: Device, graph: DeviceGraph, tree: Tree) -> bool:
    """Whether it is mounted and larger than ``size``: XFS writes its superblock some time after it has grown."""
    places = [tree.path(one.mount.target) for one in graph.mounts_on(device) if one.here]
    return any(_mounted_bytes(place) > size for place in places)


def _mounted_bytes(place: str) -> int:
    """The size of a mounted filesystem without what it keeps for itself; 0 if it is not known."""
    try:
        status = os.statvfs(place)
    except OSError:
        return 0
    return status.f_blocks * status.f_frsize


def filesystem_bytes(path: str, kind: str, start: int = 0) -> int:
    """The size of the filesystem that begins at ``start`` of ``path``, by its superblock; 0 if it is not known."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        block = os.pread(fd, 4 * KIB, start + {"xfs": 0, "btrfs": btrfs_superblock.PLACE}.get(kind, KIB))
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
        return struct.unpack_from("<Q", block, 0xD1)[0] if block[0x40:0x48] == btrfs_superblock.MAGIC else 0
    low, log = struct.unpack_from("<I", block, 4)[0], struct.unpack_from("<I", block, 24)[0]
    high = struct.unpack_from("<I", block, 0x150)[0] if block[0x60] & _64BIT else 0
    known = kind in EXT and block[0x38:0x3A] == EXT_MAGIC and log <= EXT_LARGEST
    return (high << 32 | low) * (KIB << log) if known else 0
