"""A member of a unit where a partition began whose table is gone: its own superblock or label says what it is. Read only.

What an array held begins with the same bytes as a member did, where the array lost its superblocks: a physical volume or a
Btrfs, which are then larger than the place, or on several disks.
"""

import os
import re
import struct
import uuid
from typing import Final

from raidtui.machine.contents.filesystem_size import filesystem_bytes
from raidtui.machine.contents.inner_begins import volume_bytes
from raidtui.machine.contents.vdev_labels import vdev_bytes
from raidtui.machine.md.superblock_bytes import LENGTH, device_sectors, is_of_version_1, summed
from raidtui.model.struct import Bytes, Record
from raidtui.model.units import KIB, MIB, SECTOR

_FIELD: Final = re.compile(r"^(TYPE|UUID|UUID_SUB)=(.+)$", re.MULTILINE)
MD: Final = "linux_raid_member"
_OF_UNITS: Final = frozenset({MD, "LVM2_member", "btrfs", "zfs_member"})
_LABELS: Final = 2 * KIB  # in which LVM's label is


_AFTER: Final = (
    33  # sectors after the last partition of a GPT: the copy of its entries, and that of its header
)
_ALIGNED: Final = MIB // SECTOR  # where partitioning programs let a partition end
_BEFORE: Final = 16  # sectors from a superblock of metadata 1.0 to the end of its device, at least …
_EIGHT: Final = ~7  # … where it begins at a multiple of eight
# In the superblock (struct mdp_superblock_1): UUID of the array, the sector that it is in, UUID of the member.
_UNIT: Final = 16
_SUPER_OFFSET: Final = 144
_DEVICE: Final = 168


class MemberThere(Record, frozen=True, kw_only=True):
    """What begins there."""

    kind: str  # libblkid's name
    unit: str  # UUID of the array, filesystem or pool; of a physical volume its own
    own: str  # UUID of the member
    size_bytes: Bytes = 0  # of the device that it was made on; 0: it does not say
    start_bytes: Bytes = 0  # where that begins


def member_there(answer: str, path: str, place: int, room: int) -> MemberThere | None:
    """The member that begins at ``place`` of ``path``; None if none does, or it is larger than ``room``.

    Args:
        answer: what blkid says of that place.
    """
    found: dict[str, str] = dict(_FIELD.findall(answer))
    kind, unit = found.get("TYPE", ""), found.get("UUID", "")
    if kind not in _OF_UNITS or not unit:
        return None
    size = device_bytes(path, kind, place)
    if size > room:
        return None
    own = found.get("UUID_SUB") or unit
    return MemberThere(kind=kind, unit=unit, own=own, size_bytes=size, start_bytes=place)


def device_bytes(path: str, kind: str, place: int) -> int:
    """The size of the device that the member at ``place`` was made on; 0 if it does not say."""
    if kind == "btrfs":
        return filesystem_bytes(path, kind, place)
    if kind == "LVM2_member":
        return volume_bytes(_read(path, place, _LABELS))
    if kind == MD:
        every = (device_sectors(_read(path, place + before * SECTOR, LENGTH), before) for before in (8, 0))
        return next(filter(None, every), 0) * SECTOR
    return vdev_bytes(path, place) if kind == "zfs_member" else 0


def member_before_the_end(fd: int, size: int) -> MemberThere | None:
    """The member of an array with metadata 1.0 in a partition that ends near the end of the disk; None if there is none.

    Raises:
        OSError: it cannot be read there.
    """
    for place, end in sorted(_places(size // SECTOR).items()):
        block = os.pread(fd, LENGTH, place)
        if len(block) < LENGTH or not is_of_version_1(block):
            continue
        start = place - struct.unpack_from("<Q", block, _SUPER_OFFSET)[0] * SECTOR
        if 0 < start < place:
            unit, own = (str(uuid.UUID(bytes=block[at : at + 16])) for at in (_UNIT, _DEVICE))
            right = summed(bytearray(block)) == block
            long = end - start if right else 0
            return MemberThere(kind=MD, unit=unit, own=own, start_bytes=start, size_bytes=long)
    return None


def _places(sectors: int) -> dict[int, int]:
    """Where the superblock of a partition is that ends where the disk does, or where partitioning programs end the last.

    Each with that end. Several ends that are near each other have one place; which it was makes no difference to md.
    """
    usable = (sectors, sectors - _AFTER)
    ends = [*usable, *(end // _ALIGNED * _ALIGNED for end in usable)]
    return {(end - _BEFORE & _EIGHT) * SECTOR: end * SECTOR for end in ends if end > _ALIGNED}


def _read(path: str, place: int, length: int) -> bytes:
    """What is there; nothing if it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(fd, length, place)
    except OSError:
        return b""
    finally:
        os.close(fd)
