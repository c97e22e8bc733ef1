"""Check that the state folder is not on a disk of the job, writable only by root, and not full."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from raidtui.machine.blocks import whole_disks
from raidtui.machine.devices import device_number
from raidtui.machine.mounted import find_mounts
from raidtui.machine.own_files import check_owner, open_to_others, refuse_link
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk
from raidtui.model.plan import Plan
from raidtui.model.units import KIB

_LEAST_ROOM: Final = 512 * KIB
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})


def check_place(folder: Path, plan: Plan, disks: Mapping[str, Disk]) -> None:
    """Check that ``folder`` is not on one of the job's disks. Raises Refused: it is on one."""
    below = disks_below(folder)
    for identity, disk in disks.items():
        if disk.device_number in below:
            raise Refused(
                f"the state folder {folder} is on {identity} ({disk.path}), which {plan.called} {'are' if plan.also else 'is'} about; "
                "set RAIDTUI_STATE to a folder on another disk"
            )


def check_private(state: Path, job: Path | None = None) -> None:
    """Check that only root, or the user who became root with sudo, can change what root's jobs do.

    Args:
        job: the folder of a job, whose files are checked too.

    Raises:
        Refused: another user owns the state folder or something in it that a job uses, or may write there; or it is
            a link.
    """
    if os.geteuid() != 0:
        return  # without root no disk can be changed, so the owner does not matter
    real = state.resolve()
    of_the_job = (job, *job.rglob("*")) if job is not None else ()
    for path in (real, *real.glob("*"), *of_the_job):
        if not os.path.lexists(path):
            continue
        refuse_link(path)
        check_owner(path, path.lstat())
    for folder in real.parents:
        about = folder.stat()
        # In a sticky folder, as /tmp is, nobody can replace the folder of another user.
        if about.st_mode & 0o002 and not about.st_mode & stat.S_ISVTX:
            raise open_to_others(folder, about)


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
    return whole_disks(*numbers)


def is_in_memory(folder: Path) -> bool:
    """Whether ``folder`` is on a filesystem in memory, and so lost in a power cut."""
    found = os.stat(folder).st_dev
    number = f"{os.major(found)}:{os.minor(found)}"
    return any(m.type in _IN_MEMORY for m in find_mounts() if m.device_number == number)
