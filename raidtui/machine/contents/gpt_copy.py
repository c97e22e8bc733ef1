"""The second copy of a GPT, at the end of a disk whose first one is damaged: UEFI specification, chapter 5.

The kernel takes the copy only with the boot parameter gpt, so it shows no partitions.
"""

import os
import struct
import zlib
from typing import Final

_MAGIC: Final = b"EFI PART"
# Up to the first LBA of the entries: magic, revision, size, CRC, reserved, own LBA, the other's, first, last, GUID.
_HEADER: Final = struct.Struct("<8sIIIIQQQQ16sQIII")
_CRC_AT: Final = 16
_LARGEST_TABLE: Final = 1024 * 1024
_ENTRY: Final = struct.Struct("<16s16sQQ")
_PROTECTIVE: Final = 0xEE
_BEGIN: Final = 4096  # the first KiB of ext4 is zero


def partitions_in_copy(fd: int, head: bytes, size: int, sector: int) -> int:
    """How many partitions the copy has, if it is intact and the first one is not; 0 if there is nothing to it.

    A copy that was left behind after the disk was used otherwise has no protective MBR, and nothing where its
    partitions begin; or the head of the disk holds something else.
    """
    last = size // sector - 1
    if _entries(fd, head[sector : 2 * sector], 1, sector, last):
        return 0
    found = _entries(fd, os.pread(fd, sector, last * sector), last, sector, last)
    if head[510:512] == b"\x55\xaa" and head[450] == _PROTECTIVE:
        return len(found)
    begins = any(any(os.pread(fd, _BEGIN, first * sector)) for first, _ in found if first <= last)
    return len(found) if begins and not any(head) else 0


def partitions_of_gpt(fd: int, size: int, sector: int) -> list[tuple[int, int]]:
    """The first and last sector of each partition, by the table or else its copy; empty if there is none."""
    last = size // sector - 1
    for own in (1, last):
        if found := _entries(fd, os.pread(fd, sector, own * sector), own, sector, last):
            return found
    return []


def _entries(fd: int, raw: bytes, own: int, sector: int, last: int) -> list[tuple[int, int]]:
    """The first and last sector of each partition of a table; empty if it is damaged, lies beyond the ``last`` sector, or has none."""
    if len(raw) < _HEADER.size or not raw.startswith(_MAGIC):
        return []
    _, _, length, crc, _, place, _, _, _, _, at, count, each, entries_crc = _HEADER.unpack_from(raw)
    header = raw[:length]
    if not _HEADER.size <= length <= len(raw) or place != own or each < _ENTRY.size:
        return []
    if (
        zlib.crc32(header[:_CRC_AT] + bytes(4) + header[_CRC_AT + 4 :]) != crc
        or count * each > _LARGEST_TABLE
        or at > last
    ):
        return []
    table = os.pread(fd, count * each, at * sector)
    if len(table) != count * each or zlib.crc32(table) != entries_crc:
        return []
    entries = [_ENTRY.unpack_from(table, place) for place in range(0, len(table), each)]
    return [(first, end) for kind, _, first, end in entries if any(kind)]
