"""What erasing a partition table or an md superblock leaves: bytes that mean nothing any more. Pure."""

from typing import Final

from raidtui.machine.contents.begins_at import some
from raidtui.model.units import KIB, SECTOR

# A GPT header with its signature erased: eight zeros, then revision 1.0 and the header size.
_ERASED_GPT: Final = bytes(8) + bytes.fromhex("000001005c000000")
_GPT_ENTRIES: Final = 32 * KIB  # 128 entries end before this, with sectors of 512 or 4096 bytes
_ENTRIES: Final = 16 * KIB  # size of 128 entries
_ERASED_MD: Final = ((4 * KIB, bytes(4)), (8 * KIB, b"bitm"))  # md 1.2 with its magic erased, and its bitmap
_SECTOR_SIZES: Final = (512, 4096)


def without_remains(head: bytes) -> bytes:
    """The head of a device, without what wipefs and mdadm leave of a partition table or md superblock."""
    if all(head[place : place + len(magic)] == magic for place, magic in _ERASED_MD):
        return head[: 4 * KIB]
    return without_table(head)


def without_table(head: bytes) -> bytes:
    """The head of a device, without what wipefs leaves of a partition table."""
    for sector in _SECTOR_SIZES:
        if head[sector : sector + len(_ERASED_GPT)] == _ERASED_GPT:
            return head[_GPT_ENTRIES:].rjust(len(head), b"\0")
    entries, mark = head[446:510], head[510:SECTOR]
    if any(entries) and not any(mark) and not some(head[SECTOR:]) and set(entries[::16]) <= {0x00, 0x80}:
        return b""  # an MBR
    return head


def without_second_gpt(tail: bytes) -> bytes:
    """The tail of a device, without what wipefs leaves of the backup GPT: its entries, and its header at the end."""
    for sector in _SECTOR_SIZES:
        if tail[-sector:].startswith(_ERASED_GPT):
            return tail[: -sector - _ENTRIES]
    return tail
