"""Look up block devices by number, and read them uncached.

Devices are identified by number, not by the name of their node. They are read with O_DIRECT, because a disk and
each of its partitions have separate page caches that are not coherent.
"""

import errno
import mmap
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SYSFS: Final = Path("/sys/dev/block")
PIECE: Final = 256 * 1024  # fits the processor's cache

SECTOR: Final = 512


def device_number(path: str | int) -> str:
    """The number of the block device at ``path``, or open there, such as ``8:0``; empty if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    if not stat.S_ISBLK(found.st_mode):
        return ""
    return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"


def partition_at(path: str) -> str:
    """The device number of the partition at ``path``; empty if the kernel has none.

    A link such as ``…-part3`` is resolved even if udev has not made it yet.
    """
    if number := device_number(path):
        return number if (SYSFS / number / "partition").exists() else ""
    disk, _, index = path.rpartition("-part")
    whole = device_number(disk) if disk else ""
    parts = partition_numbers(whole) if whole else ()
    return next((part for part in parts if (SYSFS / part / "partition").read_text().strip() == index), "")


def partition_numbers(disk: str) -> tuple[str, ...]:
    """Device numbers of the kernel's partitions of the disk with number ``disk``."""
    found = [path.parent for path in (SYSFS / disk).glob("*/partition")]
    return tuple(sorted((folder / "dev").read_text().strip() for folder in found))


def node(number: str) -> str:
    """The kernel's node of a device number: ``/dev/sda1``."""
    return f"/dev/{(SYSFS / number).resolve().name}"


def extent(number: str) -> tuple[int, int]:
    """Start (on its disk) and size in bytes of the device with that number; a whole disk starts at 0."""
    folder = SYSFS / number
    start = folder / "start"
    return (
        int(start.read_text()) * SECTOR if start.exists() else 0,
        int((folder / "size").read_text()) * SECTOR,
    )


@contextmanager
def opened(path: str, flags: int) -> Iterator[int]:
    """Open ``path``, with O_DIRECT if it is a block device, and yield the descriptor."""
    is_device = stat.S_ISBLK(os.stat(path).st_mode)
    fd = os.open(path, flags | os.O_CLOEXEC | (os.O_DIRECT if is_device else 0))
    try:
        yield fd
    finally:
        os.close(fd)


def read_at(fd: int, offset: int, length: int) -> bytes:
    """Read ``length`` bytes at ``offset``; both must be multiples of the logical sector size.

    Raises:
        OSError: a read error, or the end of the disk.
    """
    return b"".join(bytes(piece) for piece in pieces_at(fd, offset, length))


def pieces_at(fd: int, offset: int, length: int) -> Iterator[memoryview]:
    """Like `read_at`, in pieces; each is overwritten by the next."""
    if offset + length > sys.maxsize:  # a place that a damaged superblock names
        raise OSError(errno.EINVAL, f"no device has a byte {offset:,}")
    with mmap.mmap(-1, PIECE) as buffer, memoryview(buffer) as view:  # page-aligned, as O_DIRECT requires
        while length:
            piece = min(length, PIECE)
            with view[:piece] as target:
                got = os.preadv(fd, [target], offset)
                if got != piece:
                    raise OSError(errno.EIO, f"{got:,} of {piece:,} bytes could be read at byte {offset:,}")
                yield target
            offset += piece
            length -= piece
