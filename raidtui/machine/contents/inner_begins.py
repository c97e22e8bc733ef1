"""Where something begins inside a partition table or a physical volume of LVM, by the first page of that. Pure.

Formats: UEFI Specification, GUID Partition Table; LVM2's lib/format_text/layout.h.
"""

import struct
from collections.abc import Iterator
from typing import Final

from raidtui.machine.contents.btrfs_superblock import MAGIC as BTRFS
from raidtui.machine.contents.btrfs_superblock import PLACE
from raidtui.machine.contents.mbr import mbr_entries
from raidtui.model.units import KIB, SECTOR

_GPT_ENTRIES, _GPT_ENTRY = 2 * SECTOR, 128
_MOST: Final = 4  # partitions that are looked at
LABEL: Final = b"LABELONE"
AREA: Final = b" LVM2 x[5A%r0N*>"
"""What a label of LVM begins with, and the header of its metadata after a checksum."""
_LABEL_SECTORS: Final = 4
_FIRST_AREA: Final = 32 + 32 + 8  # in the sector of the label: its header, the UUID, the size
_SIZE: Final = _FIRST_AREA - 8
_METADATA: Final = 4 * KIB  # the header of LVM's metadata: every change of the group is written there


def inner_begins(first: bytes) -> tuple[int, ...]:
    """The offsets, from where ``first`` begins; none where neither is there."""
    return tuple(dict.fromkeys(one for one in (*_partitions(first), *_volume(first)) if one > 0))


def begins_here(place: int, page: bytes) -> bool:
    """Whether ``page``, at one of these places, is the beginning of a filesystem, or LVM's metadata."""
    return (
        page[1080:1082] == b"\x53\xef"
        or page.startswith(b"XFSB")
        or page.startswith(BTRFS, 64)
        or (place == _METADATA and page.startswith(AREA, 4))
    )


def _partitions(first: bytes) -> Iterator[int]:
    if first.startswith(b"EFI PART", SECTOR):
        for at in range(_GPT_ENTRIES, _GPT_ENTRIES + _MOST * _GPT_ENTRY, _GPT_ENTRY):
            (start,) = struct.unpack_from("<Q", first, at + 32)
            yield from _with_btrfs(start * SECTOR)
    elif not _is_boot_sector(first):
        for _, start, _ in mbr_entries(first):
            yield from _with_btrfs(start * SECTOR)


def _is_boot_sector(first: bytes) -> bool:
    """Whether it is that of a FAT or NTFS, which has the mark of a table and no partitions."""
    return b"FAT" in {first[54:57], first[82:85]} or first[3:7] in {b"NTFS", b"EXFA"}


def _volume(first: bytes) -> Iterator[int]:
    for at in range(0, _LABEL_SECTORS * SECTOR, SECTOR):
        if first.startswith(LABEL, at):
            (begin,) = struct.unpack_from("<Q", first, at + _FIRST_AREA)
            yield _METADATA
            yield from _with_btrfs(begin)


def volume_bytes(first: bytes) -> int:
    """The size of the device of the physical volume that begins with ``first``, at least 2 KiB; 0 if none does."""
    for at in range(0, _LABEL_SECTORS * SECTOR, SECTOR):
        if first.startswith(LABEL, at) and len(first) >= at + _FIRST_AREA:
            (size,) = struct.unpack_from("<Q", first, at + _SIZE)
            return int(size)
    return 0


def _with_btrfs(begin: int) -> tuple[int, ...]:
    return (begin, begin + PLACE) if 0 < begin < 1 << 62 else ()
