"""Parse md's version 0.90 superblock: struct mdp_superblock_s in include/uapi/linux/raid/md_p.h.

It is in the byte order of the computer that made it. It has no name and no host, and a
clone of a member looks like its original. mdadm names its array by the number it had, as in /dev/md0.
"""

import struct
import uuid
from typing import Final

from raidtui.model.superblock import Superblock
from raidtui.model.units import KIB

ALIGNED: Final = 64 * KIB
"""It is in the last whole block of this size but one at the end of a device (MD_NEW_SIZE_SECTORS)."""
BITMAP: Final = 4 * KIB
"""The offset of the bitmap's superblock from it (super_90_load() in drivers/md/md.c)."""

_MAGIC: Final = 0xA92B4EFC
_WORDS: Final = 1024
_ORDERS: Final = "<>"
_RESHAPING: Final = 91  # minor version
_CLEAN, _HAS_BITMAP = 1, 1 << 8  # of the array's state
_FAULTY, _ACTIVE, _SYNC = 1, 2, 4  # of a device's
_DEVICES, _DEVICE_WORDS, _MOST, _THIS = 128, 32, 27, 992  # where the devices are, in words


def place(size_bytes: int) -> int:
    """Its offset on a device of this size; negative on one too small."""
    return size_bytes // ALIGNED * ALIGNED - ALIGNED


def has_bitmap(raw: bytes) -> bool:
    """Whether a bitmap follows it."""
    words = words_of(raw)
    return words is not None and bool(words[33] & _HAS_BITMAP)


def parse(
    raw: bytes, *, path: str, levels: dict[int, str], cleared: int | None, data_bytes: int = 0
) -> Superblock | None:
    """Parse it; None if it is not one.

    Args:
        levels: the names of md's levels.
        cleared: the event count when a bit of its bitmap was last cleared.
        data_bytes: the space before it, which is where the data is.
    """
    words = words_of(raw)
    if words is None:
        return None
    low, high = (39, 40) if _is_little(raw) else (40, 39)
    level = words[7] - (1 << 32) if words[7] >> 31 else words[7]
    devices = [
        words[at : at + _DEVICE_WORDS]
        for at in range(_DEVICES, _DEVICES + _MOST * _DEVICE_WORDS, _DEVICE_WORDS)
    ]
    number = words[_THIS]
    slot, state = (devices[number][3], devices[number][4]) if number < _MOST else (0, _FAULTY)
    member = bool(state & (_SYNC | _ACTIVE)) and not state & _FAULTY and slot < words[10]
    return Superblock(
        path=path,
        metadata="0.90",
        uuid=str(uuid.UUID(bytes=struct.pack(">4I", words[5], *words[13:16]))),
        name=f"md{words[11]}",
        level=levels.get(level, ""),
        layout=words[64] if level else 0,  # RAID0 has none in it
        raid_disks=words[10],
        created=words[6],
        events=words[high] << 32 | words[low],
        bitmap_cleared=cleared,
        rebuilding=member and not state & _SYNC,
        reshaping=words[2] >= _RESHAPING,
        clean=bool(words[33] & _CLEAN),
        slot=slot if member else None,
        chunk_bytes=words[65],
        component_bytes=words[8] * KIB,
        data_bytes=data_bytes,
        active=tuple(
            sorted(
                {one[3] for one in devices if one[4] & _SYNC and not one[4] & _FAULTY and one[3] < words[10]}
            )
        ),
    )


def words_of(raw: bytes) -> tuple[int, ...] | None:
    """Its words; None if it is not one, or not of version 0."""
    if len(raw) < 4 * _WORDS:
        return None
    for order in _ORDERS:
        words = struct.unpack_from(f"{order}{_WORDS}I", raw)
        if words[0] == _MAGIC and words[1] == 0 and 0 < words[10] <= _MOST:
            return words
    return None


def _is_little(raw: bytes) -> bool:
    return int.from_bytes(raw[:4], "little") == _MAGIC
