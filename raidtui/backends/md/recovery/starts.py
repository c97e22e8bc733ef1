"""Find where an array's data begins on its members: a filesystem that begins there says so, and often what array it is on.

Formats: ext4's struct ext4_super_block, XFS's struct xfs_dsb, the header of LUKS, LVM's label, and Btrfs's superblock.
"""

import os
import struct
from collections.abc import Iterator
from typing import Final

from raidtui.machine.contents.filesystem_copies import EXT_MAGIC, copy_of_ext
from raidtui.machine.contents.inner_begins import LABEL
from raidtui.machine.devices import PIECE, opened, pieces_at
from raidtui.model.recovery import Source
from raidtui.model.struct import Record
from raidtui.model.units import KIB, MIB

_SEARCHED: Final = (
    260 * MIB
)  # mdadm leaves 128 MiB at most in front of the data; a reshape moves it by less than that
_GRAIN: Final = 4 * KIB  # data begins at multiples of this
_SPARSE: Final = 1  # RO_COMPAT_SPARSE_SUPER
_MOST_COPIES: Final = 40


class Mark(Record, frozen=True, kw_only=True):
    """Bytes that must be at a place of the array if it is put together rightly."""

    at: int  # byte of the array
    bytes: bytes


class Start(Record, frozen=True, kw_only=True):
    """The beginning of a filesystem on a member."""

    source: str
    offset_bytes: int
    kind: str
    marks: tuple[Mark, ...] = ()  # copies of its superblock, spread over the array
    size_bytes: int = 0  # of the filesystem; 0: not known
    chunk_bytes: int = 0  # of the array, as the filesystem was told; 0: not known
    data_disks: int = 0  # members less parity, likewise


def find_starts(source: Source, offset_bytes: int = -1) -> tuple[Start, ...]:
    """The beginnings of filesystems near the beginning of a member; with an offset, only there.

    Raises:
        OSError: it cannot be read.
    """
    found: list[Start] = []
    begin = max(0, offset_bytes)
    end = min(source.size_bytes, begin + PIECE if offset_bytes >= 0 else _SEARCHED) // PIECE * PIECE
    with opened(source.path, os.O_RDONLY) as fd:
        tail = b""  # what begins at the end of a piece is looked at with the next one
        place = begin
        for piece in pieces_at(fd, begin, max(0, end - begin)):
            raw = tail + bytes(piece)
            for at in range(0, len(raw) - _GRAIN, _GRAIN):
                start = _start(raw, at, source.name, place - len(tail) + at)
                if start is not None:
                    found.append(start)
            place += len(piece)
            tail = raw[-_GRAIN:]
            if offset_bytes >= 0:
                break
    if offset_bytes <= 0 and not any(one.offset_bytes == 0 for one in found):
        found += _from_copy(source)
    return tuple(one for one in found if offset_bytes < 0 or one.offset_bytes == offset_bytes)


def _from_copy(source: Source) -> Iterator[Start]:
    """An ext4 that began at the start of a member, whose own superblock is gone: that of a mirror with metadata 0.90 or 1.0."""
    with open(source.path, "rb", buffering=0) as device:
        fd = device.fileno()
        place = copy_of_ext(fd, source.size_bytes)
        copy = bytearray(os.pread(fd, KIB, place))
    copy[90:92] = bytes(2)  # s_block_group_nr, as the first one has it
    if place and (start := _ext(bytes(copy), source.name, 0)) is not None:
        yield start


def _start(raw: bytes, at: int, source: str, offset: int) -> Start | None:
    if raw[at + 1080 : at + 1082] == EXT_MAGIC:
        return _ext(raw[at + 1024 : at + 2048], source, offset)
    if raw[at : at + 4] == b"XFSB":
        return _xfs(raw[at : at + 512], source, offset)
    for kind, place, magic in (("crypto_LUKS", 0, b"LUKS\xba\xbe"), ("LVM2_member", 512, LABEL)):
        if raw[at + place : at + place + len(magic)] == magic:
            return Start(source=source, offset_bytes=offset, kind=kind)
    return None


def _ext(sb: bytes, source: str, offset: int) -> Start | None:
    blocks, first, log_block = (struct.unpack_from("<I", sb, at)[0] for at in (4, 20, 24))
    per_group, group, ro_compat = (
        struct.unpack_from(form, sb, at)[0] for form, at in (("<I", 32), ("<H", 90), ("<I", 100))
    )
    stride, width = struct.unpack_from("<H", sb, 356)[0], struct.unpack_from("<I", sb, 368)[0]
    if group or log_block > 6 or not per_group or first > 1:
        return None  # a copy of the superblock, or not one
    block = KIB << log_block
    if struct.unpack_from("<I", sb, 96)[0] & 0x80:  # INCOMPAT_64BIT
        blocks |= struct.unpack_from("<I", sb, 336)[0] << 32
    groups = range(1, -(-(blocks - first) // per_group))
    copies = [one for one in groups if not ro_compat & _SPARSE or _has_copy(one)][:_MOST_COPIES]
    magic = sb[56:58]
    return Start(
        source=source,
        offset_bytes=offset,
        kind="ext4",
        marks=tuple(
            mark
            for one in copies
            for place in ((first + one * per_group) * block,)
            for mark in (Mark(at=place + 56, bytes=magic), Mark(at=place + 104, bytes=sb[104:120]))
        ),
        size_bytes=blocks * block,
        chunk_bytes=stride * block,
        data_disks=width // stride if stride else 0,
    )


def _has_copy(group: int) -> bool:
    """Whether a group has a copy of the superblock: 1 and the powers of 3, 5 and 7 (ext4_bg_has_super())."""
    for base in (3, 5, 7):
        power = 1
        while power < group:
            power *= base
        if power == group:
            return True
    return False


def _xfs(sb: bytes, source: str, offset: int) -> Start | None:
    block, blocks = struct.unpack_from(">IQ", sb, 4)
    ag_blocks, ag_count = struct.unpack_from(">II", sb, 84)
    unit, width = struct.unpack_from(">II", sb, 184)
    if not 512 <= block <= 64 * KIB or not ag_blocks or not 0 < ag_count < 1 << 20:
        return None
    return Start(
        source=source,
        offset_bytes=offset,
        kind="xfs",
        marks=tuple(
            mark
            for number in range(1, min(ag_count, _MOST_COPIES))
            for place in (number * ag_blocks * block,)
            for mark in (Mark(at=place, bytes=b"XFSB"), Mark(at=place + 32, bytes=sb[32:48]))
        ),
        size_bytes=blocks * block,
        chunk_bytes=unit * block,
        data_disks=width // unit if unit else 0,
    )
