"""The Btrfs superblocks on a device (struct btrfs_super_block, uapi/linux/btrfs_tree.h).

mkfs.btrfs first writes it with a temporary magic number, unknown to libblkid, and at the very end with the real one,
member by member. So a filesystem is complete once every member has a valid superblock. Of a lost one its copies are
read, and the older roots that they name (struct btrfs_root_backup).
"""

import os
import struct
import uuid
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple
from zlib import crc32

from raidtui.backends.btrfs.chunks import Chunk, distinct, item_bytes, parse_item
from raidtui.machine.contents.btrfs_superblock import PLACE, SIZE, is_superblock
from raidtui.machine.devices import opened, read_at
from raidtui.model.struct import Bytes, Record, Whole

CHECKSUMS: Final = ("crc32c", "xxhash64", "sha256", "blake2b")
"""By checksum type in the superblock."""

_CHECKSUM_BYTES: Final = 32
_DEVICE: Final = 0xC9  # struct btrfs_dev_item
_MAGIC: Final = 0x40
_LABEL: Final = 0x12B  # behind that
_DEVICE_UUID: Final = _DEVICE + 66
_SEEDING: Final = 1 << 32  # BTRFS_SUPER_FLAG_SEEDING
_SYSTEM: Final = 0x32B  # sys_chunk_array
_MOST_SYSTEM: Final = 2048
_KEY: Final = 17  # struct btrfs_disk_key
_POLYNOMIAL: Final = 0x82F63B78  # of crc32c, bit-reversed


class Superblock(Record, frozen=True, kw_only=True):
    """A superblock's fields about the filesystem and its own device. Sizes in bytes."""

    uuid: str
    label: str
    devices: Whole  # of the filesystem
    generation: Whole
    used_bytes: Bytes  # data and metadata, without copies
    checksum: str  # crc32c …; the number of an unknown type
    devid: Whole
    size_bytes: Bytes  # of this device
    allocated_bytes: Bytes  # of this device, to chunks
    device_uuid: str = ""
    seeding: bool = False  # other filesystems may have grown from it; read-only (btrfs(5), SEEDING DEVICE)
    roots: tuple[tuple[int, int], ...] = ()  # its own and the last ones before it: generation, place
    commit: Whole = 0  # a checksum of what the last commit wrote to every device alike
    system: tuple[Chunk, ...] = ()  # its system chunks, with the tree of all others in them


def read_superblock(path: str) -> Superblock | None:
    """Read the superblock on the device at ``path``, bypassing the page cache; None if there is no valid one."""
    try:
        with opened(path, os.O_RDONLY) as fd:
            return parse(read_at(fd, PLACE, SIZE))
    except OSError:
        return None


def parse(block: bytes, place: int = PLACE) -> Superblock | None:
    """Parse the superblock at ``place``; None if its magic number, position or checksum is wrong."""
    if not is_superblock(block, place):
        return None
    kind = _number(block, 0xC4, 2)
    checksum = CHECKSUMS[kind] if kind < len(CHECKSUMS) else str(kind)
    known = checksum_of(checksum, block[_CHECKSUM_BYTES:SIZE])
    if known is not None and block[: len(known)] != known:
        return None
    return Superblock(
        uuid=str(uuid.UUID(bytes=block[0x20:0x30])),
        label=block[_LABEL:0x22B].partition(b"\0")[0].decode(errors="replace"),
        devices=_number(block, 0x88),
        generation=_number(block, 0x48),
        used_bytes=_number(block, 0x78),
        checksum=checksum,
        devid=_number(block, _DEVICE),
        size_bytes=_number(block, _DEVICE + 8),
        allocated_bytes=_number(block, _DEVICE + 16),
        device_uuid=str(uuid.UUID(bytes=block[_DEVICE_UUID : _DEVICE_UUID + 16])),
        seeding=bool(_number(block, 0x38) & _SEEDING),
        roots=tuple((root.generation, root.place) for root in roots_in(block)),
        commit=crc32(block[_MAGIC:_LOG_ROOT] + block[_LOG_END:_LOG_LEVEL] + block[_LABEL:SIZE]),
        system=distinct(
            _system_chunks(block[_SYSTEM : _SYSTEM + min(_number(block, 0xA0, 4), _MOST_SYSTEM)])
        ),
    )


def used_apart(one: Superblock, other: Superblock) -> bool:
    """Whether two devices of a filesystem were written to without each other, so that each has what the other lacks."""
    if one.generation == other.generation:
        return one.commit != other.commit
    known = dict(one.roots)
    return any(known.get(generation, place) != place for generation, place in other.roots)


def _system_chunks(array: bytes) -> Iterator[Chunk]:
    """The chunks in ``sys_chunk_array``: a key of 17 bytes before each."""
    while (chunk := parse_item(array[_KEY:])) is not None:
        yield chunk
        array = array[_KEY + item_bytes(array[_KEY:]) :]


def _number(block: bytes, place: int, size: int = 8) -> int:
    return int.from_bytes(block[place : place + size], "little")


def checksum_of(kind: str, data: bytes) -> bytes | None:
    """The checksum of ``data``; None for a type that cannot be calculated here."""
    if kind == "crc32c":
        return crc32c(data).to_bytes(4, "little")
    import hashlib  # it loads OpenSSL, and crc32c is the usual type

    if kind == "sha256":
        return hashlib.sha256(data).digest()
    if kind == "blake2b":
        return hashlib.blake2b(data, digest_size=32).digest()
    return None


@cache
def _table() -> tuple[int, ...]:
    found = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        found.append(byte)
    return tuple(found)


def crc32c(data: bytes) -> int:
    """The CRC-32C of ``data`` (Castagnoli)."""
    table, value = _table(), 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ table[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


_AT: Final = struct.Struct("<Q")
_GENERATION: Final = 0x48
_ROOT: Final = 0x50
_LOG_ROOT: Final = 0x60
_LOG_END: Final = 0x70  # of what an fsync writes, to each device by itself; and the level
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
