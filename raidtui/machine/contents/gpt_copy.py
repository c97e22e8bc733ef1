"""The second copy of a GPT, at the end of a disk whose first one is damaged: UEFI specification, chapter 5.

The kernel takes the copy only with the boot parameter gpt, so it shows no partitions.
"""

import os
import struct
import uuid
import zlib
from typing import Final

from raidtui.model.struct import Record

_MAGIC: Final = b"EFI PART"
# Up to the first LBA of the entries: magic, revision, size, CRC, reserved, own LBA, the other's, first, last, GUID.
_HEADER: Final = struct.Struct("<8sIIIIQQQQ16sQIII")
_CRC_AT: Final = 16
_LARGEST_TABLE: Final = 1024 * 1024
_ENTRY: Final = struct.Struct("<16s16sQQ")
_NAMED: Final = struct.Struct("<Q72s")  # attributes and name, after that
_LEAST_ENTRY: Final = _ENTRY.size + _NAMED.size
_PROTECTIVE: Final = 0xEE
_BEGIN: Final = 4096  # the first KiB of ext4 is zero


class GptPart(Record, frozen=True, kw_only=True):
    """A partition in it."""

    number: int
    first: int  # sector
    last: int
    type: str  # GUID, lower case
    uuid: str
    attributes: int
    name: str | None  # None: not in UTF-16


class Gpt(Record, frozen=True, kw_only=True):
    """A table whose checksums are right."""

    uuid: str
    first: int  # sector that a partition can begin with
    last: int  # sector that one can end with
    entries: int
    parts: tuple[GptPart, ...]

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The first and last sector of each partition."""
        return [(one.first, one.last) for one in self.parts]


def partitions_in_copy(fd: int, head: bytes, size: int, sector: int) -> int:
    """How many partitions the copy has, if it is intact and the first one is not; 0 if there is nothing to it.

    A copy that was left behind after the disk was used otherwise has no protective MBR, and nothing where its
    partitions begin; or the head of the disk holds something else.
    """
    last = size // sector - 1
    if _table(fd, head[sector : 2 * sector], 1, sector, last):
        return 0
    copy = copy_of_gpt(fd, size, sector)
    found = copy.ranges if copy is not None else []
    if head[510:512] == b"\x55\xaa" and head[450] == _PROTECTIVE:
        return len(found)
    begins = any(any(os.pread(fd, _BEGIN, first * sector)) for first, _ in found if first <= last)
    return len(found) if begins and not any(head) else 0


def copy_of_gpt(fd: int, size: int, sector: int) -> Gpt | None:
    """The copy at the end of a device with ``size`` bytes; None if there is none, or it is damaged, or has no partition."""
    last = size // sector - 1
    return _table(fd, os.pread(fd, sector, last * sector), last, sector, last)


def partitions_of_gpt(fd: int, size: int, sector: int) -> list[tuple[int, int]]:
    """The first and last sector of each partition, by the table or else its copy; empty if there is none."""
    last = size // sector - 1
    for own in (1, last):
        if found := _table(fd, os.pread(fd, sector, own * sector), own, sector, last):
            return found.ranges
    return []


def _table(fd: int, raw: bytes, own: int, sector: int, last: int) -> Gpt | None:
    """The table with this header; None if it is damaged, lies beyond the ``last`` sector, or has no partition."""
    if len(raw) < _HEADER.size or not raw.startswith(_MAGIC):
        return None
    _, _, length, crc, _, place, _, begin, end, own_uuid, at, count, each, entries_crc = _HEADER.unpack_from(
        raw
    )
    header = raw[:length]
    if not _HEADER.size <= length <= len(raw) or place != own or each < _LEAST_ENTRY:
        return None
    if (
        zlib.crc32(header[:_CRC_AT] + bytes(4) + header[_CRC_AT + 4 :]) != crc
        or count * each > _LARGEST_TABLE
        or at > last
    ):
        return None
    table = os.pread(fd, count * each, at * sector)
    if len(table) != count * each or zlib.crc32(table) != entries_crc:
        return None
    parts = tuple(
        _part(table[each * number : each * (number + 1)], number + 1)
        for number in range(count)
        if any(table[each * number : each * number + 16])
    )
    return Gpt(uuid=_guid(own_uuid), first=begin, last=end, entries=count, parts=parts) if parts else None


def _part(entry: bytes, number: int) -> GptPart:
    kind, own, first, last = _ENTRY.unpack_from(entry)
    attributes, name = _NAMED.unpack_from(entry, _ENTRY.size)
    return GptPart(
        number=number,
        first=first,
        last=last,
        type=_guid(kind),
        uuid=_guid(own),
        attributes=attributes,
        name=_text(name),
    )


def _guid(raw: bytes) -> str:
    return str(uuid.UUID(bytes_le=raw))


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-16-le").partition("\0")[0]
    except UnicodeDecodeError:
        return None
