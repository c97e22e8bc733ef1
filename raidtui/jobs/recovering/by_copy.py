"""Read a filesystem whose beginning was overwritten by a copy of its superblock, on the overlay of a trial.

ext4 is mounted and checked by its copy. Of a Btrfs the first superblock is written anew (super-recover in btrfs-rescue(8)).
XFS, and ext4 that lost more, are repaired (xfs_repair(8), e2fsck(8)). All that goes to the overlay. What was in lost folders
is in lost+found then.
"""

import os
from typing import Final

from raidtui.jobs.commands import Commands
from raidtui.machine.contents import btrfs_superblock
from raidtui.machine.contents.filesystem_copies import EXT, EXT_MAGIC, begins, copy_of_ext, copy_of_xfs
from raidtui.model.units import KIB

_SECONDS: Final = 1800.0


def kind_by_copy(device: str) -> str:
    """The filesystem that began on ``device``: ext4, xfs or btrfs; empty if its beginning is there, or no copy is known."""
    try:
        with open(device, "rb", buffering=0) as file:
            fd = file.fileno()
            if begins(fd):
                return ""
            if btrfs_superblock.read_copy(fd) is not None:  # first, as in `read_lost_beginning`
                return "btrfs"
            if _ext_copy(fd) is not None:
                return "ext4"
            return "xfs" if copy_of_xfs(fd, os.lseek(fd, 0, os.SEEK_END)) else ""
    except OSError:  # a part of it is missing
        return ""


def ext_copy(device: str) -> tuple[int, int] | None:
    """The block of the copy of its superblock, and the size of blocks, if the beginning of an ext4 was overwritten."""
    try:
        with open(device, "rb", buffering=0) as file:
            return _ext_copy(file.fileno())
    except OSError:
        return None


def _ext_copy(fd: int) -> tuple[int, int] | None:
    size = os.lseek(fd, 0, os.SEEK_END)
    if os.pread(fd, 2, KIB + 0x38) == EXT_MAGIC or not (place := copy_of_ext(fd, size)):
        return None
    block: int = KIB << int.from_bytes(os.pread(fd, 4, place + 0x18), "little")
    return place // block, block


def write_superblock(commands: Commands, overlay: str) -> None:
    """Write the first superblock of a Btrfs anew on ``overlay`` if only a copy is left; nothing else is changed."""
    if kind_by_copy(overlay) == "btrfs":
        commands.run(["btrfs", "rescue", "super-recover", "-y", overlay], timeout_seconds=_SECONDS)


def repair(commands: Commands, kind: str, overlay: str) -> bool:
    """Repair an ext4 or XFS on ``overlay`` of which only a copy of the superblock is left; False: it is none."""
    if kind in EXT and (copy := ext_copy(overlay)) is not None:
        words = ["e2fsck", "-f", "-y", "-b", str(copy[0]), "-B", str(copy[1])]
    elif kind == "xfs" and kind_by_copy(overlay) == kind:
        words = ["xfs_repair"]
    else:
        return False
    commands.run([*words, overlay], timeout_seconds=_SECONDS)
    return True
