"""Write to block devices uncached, flush their caches and reread their partition tables."""

import errno
import fcntl
import mmap
import os
import time
from typing import Final

from raidtui.machine.devices import PIECE, device_number, opened
from raidtui.model.errors import StepFailed
from raidtui.plan.busy import WAITS

_BLKRRPART: Final = 0x125F
_BLKFLSBUF: Final = 0x1261


def write_at(fd: int, offset: int, content: bytes) -> None:
    """Write ``content`` at ``offset``; its length and ``offset`` must be multiples of the logical sector size.

    Raises:
        OSError: a write error, or the end of the disk.
    """
    with mmap.mmap(-1, PIECE) as buffer, memoryview(buffer) as view:
        for start in range(0, len(content), PIECE):
            piece = content[start : start + PIECE]
            with view[: len(piece)] as source:
                source[:] = piece
                done = os.pwritev(fd, [source], offset + start)
            if done != len(piece):
                raise OSError(
                    errno.EIO, f"{done:,} of {len(piece):,} bytes could be written at byte {offset + start:,}"
                )


def forget_cache(path: str) -> None:
    """Drop the kernel's cache of the device, which may be older than the disk."""
    if not device_number(path):
        return  # an image file has a single cache
    with opened(path, os.O_RDONLY) as fd:
        fcntl.ioctl(fd, _BLKFLSBUF, 0)


def reread_partitions(path: str) -> None:
    """Make the kernel reread the partition table. Raises StepFailed: a partition of the disk is in use."""
    if not device_number(path):
        return  # the kernel has no partitions of an image file
    for wait in (*WAITS, None):
        try:
            with opened(path, os.O_RDONLY) as fd:
                fcntl.ioctl(fd, _BLKRRPART, 0)
        except OSError as error:
            if error.errno == errno.EINVAL:
                return  # a device that cannot have partitions
            if error.errno != errno.EBUSY or wait is None:
                raise StepFailed(
                    f"the kernel cannot read the partition table of {path} again: {os.strerror(error.errno or 0)}"
                ) from error
            time.sleep(wait)
        else:
            return
