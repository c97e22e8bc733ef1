"""The superblock of Btrfs and its copies, which stay where the first one was overwritten (BTRFS_SUPER_MIRROR_*).

libblkid and wipefs see the first one only: neither do they name a copy, nor does ``wipefs --all`` erase one.
"""

import os
import uuid
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.struct import Record, Whole
from raidtui.model.text import harmless
from raidtui.model.units import GIB, KIB, MIB, binary

PLACE: Final = 64 * KIB
COPIES: Final = (64 * MIB, 256 * GIB)
"""Offsets of the superblock copies, on devices large enough."""
SIZE: Final = 4 * KIB
MAGIC: Final = b"_BHRfS_M"
TARGET: Final = 0  # the devid of the new disk while a replacement has not ended


class Found(Record, frozen=True, kw_only=True):
    """What a superblock, or a copy of it, says."""

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


def read_mounted_btrfs(tree: Tree) -> tuple[tuple[str, ...], ...]:
    """Read the kernel names of the devices of every mounted Btrfs; mountinfo names only one of them."""
    folders = (f"/sys/fs/btrfs/{uuid}/devices" for uuid in tree.names("/sys/fs/btrfs"))
    found = (tuple(name.replace("!", "/") for name in tree.names(folder)) for folder in folders)
    return tuple(names for names in found if names)


def count_btrfs_devices(path: str) -> int | None:
    """Read the number of devices of the Btrfs filesystem on ``path``; ``None`` if it cannot be read.

    0 if the device is none of them yet: a replacement that was interrupted copies one of them to it.
    """
    try:
        with open(path, "rb", buffering=0) as device:
            found = _read(device.fileno(), PLACE)
    except OSError:
        return None
    if found is None or not found.devices:
        return None
    return 0 if found.devid == TARGET else found.devices


def read_copy(fd: int) -> Found | None:
    """The first copy on an open device; None if there is none.

    Its checksum is not compared: a damaged copy too says that the device was a Btrfs.

    Raises:
        OSError: the place of a copy cannot be read.
    """
    return next((found for place in COPIES if (found := _read(fd, place)) is not None), None)


def _read(fd: int, place: int) -> Found | None:
    block = os.pread(fd, SIZE, place)
    if not is_superblock(block, place):
        return None
    return Found(
        place=place,
        uuid=str(uuid.UUID(bytes=block[0x20:0x30])),
        label=block[0x12B:0x22B].partition(b"\0")[0].decode(errors="replace"),
        devices=int.from_bytes(block[0x88:0x90], "little"),
        devid=int.from_bytes(block[0xC9:0xD1], "little"),
    )


def is_superblock(block: bytes, place: int) -> bool:
    """Whether ``block`` has the magic number, and says that it belongs at ``place``."""
    return (
        len(block) == SIZE and block[0x40:0x48] == MAGIC and block[0x30:0x38] == place.to_bytes(8, "little")
    )
