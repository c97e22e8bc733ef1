"""What begins at a place within a device, as blkid says: a filesystem, a physical volume, a partition table. Read only."""

import os
import re
from functools import cache
from typing import Final

from raidtui.machine.ask import Ask, ToolAnswer
from raidtui.machine.contents.filesystem_copies import is_backup_of_ext
from raidtui.machine.contents.filesystem_size import filesystem_bytes
from raidtui.model.struct import Bytes, Record
from raidtui.model.units import KIB

TYPE: Final = re.compile(r"^(?:PT)?TYPE=(.+)$", re.MULTILINE)
UUID: Final = re.compile(r"^UUID=(.+)$", re.MULTILINE)
SUPERBLOCKS: Final = 256 * KIB  # md's is 4 KiB into it, that of Btrfs 64 KiB, those of ZFS 128 KiB and more


class BeginsAt(Record, frozen=True, kw_only=True):
    """What begins there."""

    kind: str  # as blkid calls it
    uuid: str = ""
    size_bytes: Bytes = 0  # of a filesystem; 0: not known

    def fits(self, room_bytes: int) -> bool:
        """Whether it may be in a partition of that size. In a wrong order of members, what began the array stands anywhere."""
        return self.size_bytes <= room_bytes


def begins_at(fd: int, path: str, place: int, *, ask: Ask, look_bytes: int = SUPERBLOCKS) -> BeginsAt | None:
    """What begins at ``place`` of ``path``, which is open as ``fd``; None if nothing known does.

    Nor does a copy of a superblock that ext4 keeps there, of a filesystem that began before.

    Args:
        look_bytes: blkid is asked only if not all of these are zero.

    Raises:
        OSError: it cannot be read there.
    """
    if not some(os.pread(fd, look_bytes, place)) or is_backup_of_ext(fd, place):
        return None
    answer = probe(path, place, ask).stdout
    kind, uuid = TYPE.search(answer), UUID.search(answer)
    if kind is None:
        return None
    size = filesystem_bytes(path, kind[1], place)
    return BeginsAt(kind=kind[1], uuid=uuid[1] if uuid else "", size_bytes=size)


def probe(path: str, place: int, ask: Ask) -> ToolAnswer:
    """blkid's answer about that place."""
    return ask(["blkid", "--probe", "--offset", str(place), "--output", "export", path])


def some(content: bytes) -> bool:
    """Whether any byte is not zero: a hundred times as fast as any(), and a computer has many blank disks."""
    return content != _zeros(len(content))


@cache
def _zeros(count: int) -> bytes:
    """Zeros to compare a sample with, made once for each size: new memory costs more than the comparison."""
    return bytes(count)
