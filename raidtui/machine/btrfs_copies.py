"""The copies of a Btrfs superblock, which stay where the first one was overwritten (btrfs-man5, BTRFS_SUPER_MIRROR_*).

libblkid and wipefs see the first one only: neither do they name a copy, nor does ``wipefs --all`` erase one.
"""

import os
import uuid
from typing import Final

from raidtui.model.struct import Record, Whole
from raidtui.model.text import harmless
from raidtui.model.units import GIB, KIB, MIB, binary

PLACE: Final = 64 * KIB
COPIES: Final = (64 * MIB, 256 * GIB)
"""Offsets of the superblock copies, on devices large enough."""
SIZE: Final = 4 * KIB
MAGIC: Final = b"_BHRfS_M"


class Copy(Record, frozen=True, kw_only=True):
    """What a copy of a superblock says."""

    place: Whole  # bytes from the start of the device
    uuid: str
    label: str
    devices: Whole  # of the filesystem
    devid: Whole

    @property
    def words(self) -> str:
        """What is on the device, in one line."""
        name = harmless(self.label) or self.uuid
        return (
            f"superblock of a Btrfs gone, a copy of it is at {binary(self.place)}: {name}, devid {self.devid} of "
            f"{self.devices}"
        )


def read_copy(fd: int) -> Copy | None:
    """The first copy on an open device; None if there is none.

    Its checksum is not compared: a damaged copy too says that the device was a Btrfs.

    Raises:
        OSError: the place of a copy cannot be read.
    """
    for place in COPIES:
        block = os.pread(fd, SIZE, place)
        if is_superblock(block, place):
            return Copy(
                place=place,
                uuid=str(uuid.UUID(bytes=block[0x20:0x30])),
                label=block[0x12B:0x22B].partition(b"\0")[0].decode(errors="replace"),
                devices=int.from_bytes(block[0x88:0x90], "little"),
                devid=int.from_bytes(block[0xC9:0xD1], "little"),
            )
    return None


def is_superblock(block: bytes, place: int) -> bool:
    """Whether ``block`` has the magic number, and says that it belongs at ``place``."""
    return (
        len(block) == SIZE and block[0x40:0x48] == MAGIC and block[0x30:0x38] == place.to_bytes(8, "little")
    )
