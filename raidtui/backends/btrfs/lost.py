"""The superblocks of a lost filesystem: their copies, and the older roots that they name. Pure.

All offsets are those of struct btrfs_super_block and struct btrfs_root_backup (uapi/linux/btrfs_tree.h).
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from raidtui.backends.btrfs.superblock import CHECKSUMS, checksum_of
from raidtui.machine.btrfs_copies import SIZE

_AT: Final = struct.Struct("<Q")
_GENERATION: Final = 0x48
_ROOT: Final = 0x50
_LOG_ROOT: Final = 0x60
_ROOT_LEVEL: Final = 0xC6
_LOG_LEVEL: Final = 0xC8
_BACKUPS: Final = 0xB2B
_BACKUP: Final = 168  # bytes of each of the four
_BACKUP_LEVEL: Final = 152


class Root(NamedTuple):
    """A root of the tree of trees."""

    generation: int
    place: int
    level: int


def placed(block: bytes, place: int) -> bytes:
    """A copy of a superblock as it has to be at ``place``; empty if its checksum cannot be made."""
    return _summed(block[:0x30] + _AT.pack(place) + block[0x38:])


def with_root(block: bytes, root: Root) -> bytes:
    """A superblock with this root and without a log; empty if its checksum cannot be made."""
    raw = bytearray(block)
    _AT.pack_into(raw, _GENERATION, root.generation)
    _AT.pack_into(raw, _ROOT, root.place)
    _AT.pack_into(raw, _LOG_ROOT, 0)
    raw[_ROOT_LEVEL], raw[_LOG_LEVEL] = root.level, 0
    return _summed(bytes(raw))


def has_log(block: bytes) -> bool:
    """Whether the last fsyncs are in a log, which a mount replays."""
    return bool(_AT.unpack_from(block, _LOG_ROOT)[0])


def roots_in(block: bytes) -> Iterator[Root]:
    """The roots that a superblock keeps, its own first."""
    yield Root(_AT.unpack_from(block, _GENERATION)[0], _AT.unpack_from(block, _ROOT)[0], block[_ROOT_LEVEL])
    for number in range(4):
        at = _BACKUPS + number * _BACKUP
        place, generation = struct.unpack_from("<QQ", block, at)
        if place and generation:
            yield Root(generation, place, block[at + _BACKUP_LEVEL])


def _summed(block: bytes) -> bytes:
    kind = int.from_bytes(block[0xC4:0xC6], "little")
    found = checksum_of(CHECKSUMS[kind] if kind < len(CHECKSUMS) else "", block[32:SIZE])
    return b"" if found is None else found.ljust(32, b"\0") + block[32:]
