"""Check that the state folder is not on a disk of the job, writable only by root, and not full."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from raidtui.machine.devices import device_number, whole_disks
from raidtui.machine.mounted import find_mounts
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk
from raidtui.model.plan import Plan
from raidtui.model.units import KIB

_LEAST_ROOM: Final = 512 * KIB
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})


def check_place(folder: Path, plan: Plan, disks: Mapping[str, Disk]) -> None:
    """Check that ``folder`` is not on one of the job's disks.

    Raises:
        Refused: it is on one.
    """
    below = disks_below(folder)
    for identity, disk in disks.items():
        if disk.device_number in below:
            raise Refused(
                f"the state folder {folder} is on {identity} ({disk.path}), which {plan.spec.name} is about; "
                "set RAIDTUI_STATE to a folder on another disk"
            )


def check_private(state: Path) -> None:
    """Check that only root, or the user who became root with sudo, can change what root's jobs do.

    Raises:
        Refused: another user owns the state folder or its jobs folder, or may write there.
    """
    if os.geteuid() != 0:
        return  # without root no disk can be changed, so the owner does not matter
    owners = {0, int(os.environ.get("SUDO_UID", "0"))}
    groups = {0, int(os.environ.get("SUDO_GID", "0"))}
    real = state.resolve()
    for folder in (real, real / "jobs"):
        if not folder.is_dir():
            continue
        about = folder.stat()
        others = stat.S_IMODE(about.st_mode) & 0o022
        if about.st_gid in groups:
            others &= 0o002
        if about.st_uid not in owners or (others and not about.st_mode & stat.S_ISVTX):
            raise _open_to_others(folder)
    for folder in real.parents:
        mode = folder.stat().st_mode if folder.is_dir() else 0
        if mode & 0o002 and not mode & stat.S_ISVTX:
            raise _open_to_others(folder)


def _open_to_others(folder: Path) -> Refused:
    about = folder.stat()
    return Refused(
        f"other users can change what is in {folder} (owner {about.st_uid}, mode {stat.S_IMODE(about.st_mode):o}), "
        "and so what root's jobs do. Set RAIDTUI_STATE to a folder that only root may write to"
    )


def check_room(folder: Path) -> None:
    """Check that there is room to start a journal; without it a job could not even report that the disk is full.

    Raises:
        Refused: the filesystem of ``folder`` is full.
    """
    about = os.statvfs(folder)
    if about.f_bavail * about.f_frsize < _LEAST_ROOM:
        raise Refused(
            f"the filesystem of {folder} is full, so a job cannot keep its journal; "
            "make room there, or set RAIDTUI_STATE to a folder elsewhere"
        )


def disks_below(folder: Path) -> frozenset[str]:
    """Device numbers of the whole disks under ``folder``; empty if none is known."""
    found = os.stat(folder).st_dev
    number = f"{os.major(found)}:{os.minor(found)}"
    # Btrfs and overlays have their own device numbers; their mount names the real device.
    sources = [m.source for m in find_mounts() if m.device_number == number]
    numbers = {number, *(device_number(source) for source in sources)}
    return frozenset().union(*(whole_disks(one) for one in numbers if one))


def is_in_memory(folder: Path) -> bool:
    """Whether ``folder`` is on a filesystem in memory, and so lost in a power cut."""
    found = os.stat(folder).st_dev
    number = f"{os.major(found)}:{os.minor(found)}"
    return any(m.type in _IN_MEMORY for m in find_mounts() if m.device_number == number)
