"""Copy to a sparse file what a plan will find and overwrite on a disk, so that the plan can be rehearsed on the copy.

The disk is opened read-only. What is copied is what a recovery capsule saves: partition tables, signatures and
superblocks are there, files are not.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from raidtui.jobs.capsule import regions_to_save
from raidtui.machine.devices import opened, pieces_at
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Disk
from raidtui.model.plan import Extent
from raidtui.model.units import both


def blank_copy(disk: Disk, path: Path) -> None:
    """Make a sparse file of the size of ``disk``.

    Raises:
        Refused: the filesystem of ``path`` cannot hold a file of that size.
    """
    try:
        with path.open("xb") as file:
            os.ftruncate(file.fileno(), disk.size_bytes)
    except OSError as error:
        raise Refused(
            f"{path.parent} cannot hold a copy of {disk.identity} with {both(disk.size_bytes)}: {error.strerror}; "
            "set TMPDIR to a folder on another filesystem"
        ) from error


def copy_disk(disk: Disk, planned: Iterable[Extent], path: Path) -> int:
    """Make a sparse file with what matters of ``disk``; return the bytes that were copied.

    Args:
        planned: where the plan writes on it; see `raidtui.jobs.write_extents.find_writes`.

    Raises:
        Refused: the filesystem of ``path`` cannot hold it.
        StepFailed: the disk cannot be read.
    """
    blank_copy(disk, path)
    copied = 0
    try:
        with opened(disk.path, os.O_RDONLY) as source, path.open("r+b") as target:
            os.posix_fadvise(
                source, 0, 0, os.POSIX_FADV_DONTNEED
            )  # md and LVM write past the cache of the disk
            for region in regions_to_save(disk, planned):
                target.seek(region.offset)
                for piece in pieces_at(source, region.offset, region.length):
                    if any(piece):
                        target.write(piece)
                    else:
                        target.seek(len(piece), os.SEEK_CUR)
                copied += region.length
    except OSError as error:
        raise StepFailed(f"{disk.identity} ({disk.path}) cannot be copied: {error.strerror}") from error
    return copied
