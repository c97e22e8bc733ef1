"""Change fields of a superblock of version 1, `struct mdp_superblock_1` of Linux's include/uapi/linux/raid/md_p.h. Pure."""

import struct
from typing import Final

LENGTH: Final = 4096
"""Bytes of a superblock with the roles of as many members as it can have."""
RESHAPES: Final = 4  # in the feature map: MD_FEATURE_RESHAPE_ACTIVE

_HEAD: Final = 256  # bytes; the roles of the members follow, two bytes each
_U32: Final = struct.Struct("<I")
_U64: Final = struct.Struct("<Q")
_FEATURES, _BEGIN, _DATA_SIZE, _SUPER_OFFSET, _SUM, _ROLES = 8, 128, 136, 144, 216, 220
_OF_RESHAPE: Final = (
    RESHAPES | 32 | 64
)  # and MD_FEATURE_RESHAPE_BACKWARDS, MD_FEATURE_NEW_OFFSET: where it has moved the data to
_SHIFT: Final = 124  # by how many sectors


def is_of_version_1(content: bytes) -> bool:
    """Whether it begins as such a superblock does."""
    return struct.unpack_from("<II", content) == (0xA92B4EFC, 1)


def summed(content: bytearray) -> bytes:
    """The superblock with the checksum of its fields, as calc_sb_1_csum in drivers/md/md.c computes it."""
    _U32.pack_into(content, _SUM, 0)
    length = _HEAD + 2 * min(_U32.unpack_from(content, _ROLES)[0], (LENGTH - _HEAD) // 2)
    total: int = sum(word for (word,) in _U32.iter_unpack(bytes(content[: length // 4 * 4])))
    if length % 4:
        total += int.from_bytes(content[length - 2 : length], "little")
    _U32.pack_into(content, _SUM, (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF)
    return bytes(content)


def device_sectors(content: bytes, before: int) -> int:
    """The sectors of the device of a member whose superblock is ``before`` sectors after its begin: 0, or 8.

    Data offset and data size together are what mdadm had there when it added the member. 0 if the superblock is damaged or
    belongs elsewhere, or while a reshape moves the data.
    """
    if (
        len(content) < LENGTH
        or not is_of_version_1(content)
        or summed(bytearray(content)) != content[:LENGTH]
    ):
        return 0
    begin, data = _U64.unpack_from(content, _BEGIN)[0], _U64.unpack_from(content, _DATA_SIZE)[0]
    moves = _U32.unpack_from(content, _FEATURES)[0] & _OF_RESHAPE
    elsewhere = _U64.unpack_from(content, _SUPER_OFFSET)[0] != before
    return 0 if moves or elsewhere or not begin or not data else int(begin + data)


def beginning_at(content: bytes, sector: int) -> bytes:
    """The superblock of a member whose data begins at ``sector``, and that is in no reshape any more."""
    made = bytearray(content)
    features = _U32.unpack_from(made, _FEATURES)[0]
    _U32.pack_into(made, _FEATURES, features & ~_OF_RESHAPE)
    _U32.pack_into(made, _SHIFT, 0)
    _U64.pack_into(made, _BEGIN, sector)
    return summed(made)
