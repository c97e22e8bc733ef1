"""Check that this computer can run a guest, and find room for its files."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import psutil

from raidtui.model import packages
from raidtui.model.errors import BadInput, Refused
from raidtui.model.units import GIB, MIB, binary, spell_size

DEFAULT_MEMORY: Final = GIB
MIN_MEMORY: Final = 256 * MIB
SPARE_MEMORY: Final = 64 * MIB

# Sparse disks take space as they are written. They are rarely filled, and 14 TB disks are only for calculations.
_LIKELY_SHARE: Final = 4
_LIKELY_MOST: Final = 4 * GIB

SBIN: Final = "/usr/local/sbin:/usr/sbin:/sbin"


def memory_that_fits(least: int) -> int:
    """The memory of a guest where nobody chose it: the default; where less is available that, but not below ``least``."""
    available = psutil.virtual_memory().available - SPARE_MEMORY
    return max(least, min(DEFAULT_MEMORY, available) // MIB * MIB)


def check_memory(wanted: int, least: int = MIN_MEMORY) -> None:
    """Refuse a guest of ``wanted`` bytes that would not run, or would make this computer swap.

    Raises:
        BadInput: ``wanted`` is less than ``least``.
        Refused: that much memory is not available.
    """
    if wanted < least:
        raise BadInput(
            f"--memory {spell_size(wanted)} is too little for the guest; the least is {spell_size(least)}"
        )
    available = psutil.virtual_memory().available
    if available < wanted + SPARE_MEMORY:
        less = f" or give it less, for example --memory {spell_size(least)}" if wanted > least else ""
        raise Refused(
            f"the guest needs {binary(wanted)} of memory and {binary(available)} are available; "
            f"close something{less}"
        )


def check_room(folder: Path, promised: int) -> None:
    """Refuse disks of ``promised`` bytes in total if not even a likely part of that is free.

    Raises:
        Refused: there is not enough space.
    """
    needed = min(promised // _LIKELY_SHARE, _LIKELY_MOST)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Refused(
            f"{folder} has {binary(free)} free; the virtual disks need {binary(needed)} or more. "
            "Set TMPDIR to a folder with more room; in the lab --disks makes them smaller"
        )


def scratch_folder(promised: int) -> Path:
    """The folder for temporary files with the most room for disks of ``promised`` bytes in total.

    ``TMPDIR`` decides if it is set; otherwise /var/tmp is preferred to /tmp, which is often in memory.
    """
    chosen = os.environ.get("TMPDIR")
    choices = [Path(chosen)] if chosen else [Path("/var/tmp"), Path(tempfile.gettempdir())]
    # The kernel's command line has no quotes and at most 2 KiB.
    usable = [one for one in choices if os.access(one, os.W_OK | os.X_OK) and len(str(one).split()) == 1]
    usable = [one.absolute() for one in usable if len(str(one)) < 256] or [Path("/tmp")]
    best = max(usable, key=_free_capped(promised))
    check_room(best, promised)
    return best


def _free_capped(promised: int) -> Callable[[Path], int]:
    return lambda folder: min(shutil.disk_usage(folder).free, promised)


def to_install(missing: Sequence[str]) -> str:
    """The command that installs these packages of Debian, which packages the lab's kernel; others do not."""
    try:
        family = packages.family_in(Path("/etc/os-release").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        family = None
    return packages.to_install(missing, packages.Family.UBUNTU if family is packages.Family.UBUNTU else None)


def check_share(share: Path) -> Path:
    """The folder to share, by its real path, because the guest mounts it there.

    Raises:
        BadInput: it is not a folder, the caller may not write to it, or it cannot be mounted.
    """
    folder = share.resolve()
    if not folder.is_dir():
        raise BadInput(f"--share {share} is not a folder")
    if "," in str(folder):
        raise BadInput(
            f"--share {folder} has a comma in its name, which a mount option cannot hold; rename it"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"--share {folder} is not writable by you")
    return folder
