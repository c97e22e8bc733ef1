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
from raidtui.machine.md.superblock_bytes import LENGTH, is_of_version_1
from raidtui.model.struct import Bytes, Record
from raidtui.model.units import KIB, MIB, SECTOR

_FIELD: Final = re.compile(r"^(TYPE|UUID|UUID_SUB)=(.+)$", re.MULTILINE)
_OF_UNITS: Final = frozenset({"linux_raid_member", "LVM2_member", "btrfs", "zfs_member"})
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
    size = _volume_at(path, place) if kind == "LVM2_member" else 0
    size = filesystem_bytes(path, kind, place) if kind == "btrfs" else size
    return (
        MemberThere(unit=unit, own=found.get("UUID_SUB") or unit, size_bytes=size) if size <= room else None
    )


def member_before_the_end(fd: int, size: int) -> MemberThere | None:
    """The member of an array with metadata 1.0 in a partition that ends near the end of the disk; None if there is none.

    Raises:
        OSError: it cannot be read there.
    """
    for place in sorted(_places(size // SECTOR)):
        block = os.pread(fd, LENGTH, place)
        if len(block) < LENGTH or not is_of_version_1(block):
            continue
        start = place - struct.unpack_from("<Q", block, _SUPER_OFFSET)[0] * SECTOR
        if 0 < start < place:
            unit, own = (str(uuid.UUID(bytes=block[at : at + 16])) for at in (_UNIT, _DEVICE))
            return MemberThere(unit=unit, own=own, start_bytes=start)
    return None


def _places(sectors: int) -> set[int]:
    """Where the superblock of a partition is that ends where the disk does, or where partitioning programs end the last."""
    usable = (sectors - _AFTER, sectors)
    ends = {*usable, *(end // _ALIGNED * _ALIGNED for end in usable)}
    return {(end - _BEFORE & _EIGHT) * SECTOR for end in ends if end > _ALIGNED}


def _volume_at(path: str, place: int) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return volume_bytes(os.pread(fd, _LABELS, place))
    except OSError:
        return 0
    finally:
        os.close(fd)
