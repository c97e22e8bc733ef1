"""The entries of an MBR partition table."""

import struct
from collections.abc import Iterator
from typing import Final

_MARK: Final = b"\x55\xaa"
_ENTRIES: Final = range(446, 510, 16)


def mbr_entries(head: bytes) -> Iterator[tuple[int, int, int]]:
    """Type, first sector and number of sectors of each entry of the table that ``head`` begins with; none without its mark."""
    if head[510:512] == _MARK:
        for at in _ENTRIES:
            yield head[at + 4], *struct.unpack_from("<II", head, at + 8)
