"""Read what is mounted now from the kernel's mountinfo."""

import errno
import os
from pathlib import Path
from typing import Final

from raidtui.machine.devices import device_number, partition_numbers, whole_disks
from raidtui.machine.mounts import parse_mountinfo
from raidtui.model.device_graph import NUMBERED, lies_in
from raidtui.model.machine import Mount

_MOUNTINFO: Final = Path("/proc/self/mountinfo")
_NO_DEVICE: Final = "0:"  # the major number of mounts without a block device of their own


def find_mounts() -> tuple[Mount, ...]:
    """Every mount in this mount namespace, the kernel's own included, in mount order."""
    return parse_mountinfo(_MOUNTINFO.read_text(errors="replace"))


def disk_under_mount(path: str) -> frozenset[str]:
    """Device numbers of the whole disks under the partition at ``path``; empty unless it is mounted."""
    number = device_number(path)
    mounted = {device_number(mount.source) for mount in find_mounts() if mount.source.startswith("/dev/")}
    return whole_disks(number) if number and number in mounted else frozenset()


def files_on(path: str) -> dict[str, list[str]]:
    """List the mount points of the device at ``path`` and its partitions, each with the names in it.

    Raises:
        OSError: another filesystem is mounted over one of them, so what is in it cannot be seen.
    """
    number = device_number(path)
    devices = {number, *partition_numbers(number)} if number else set()
    found: dict[str, list[str]] = {}
    mounts = find_mounts()
    for order, mount in enumerate(mounts):
        if not _is_on(mount, devices):
            continue
        for later in mounts[order + 1 :]:
            covers = later.target != "/" and lies_in(mount.target, later.target)
            if covers and not _is_on(later, devices):
                raise OSError(errno.EBUSY, f"{later.source} ({later.type}) is mounted over it", mount.target)
        if os.path.isdir(mount.target):
            found[mount.target] = sorted(os.listdir(mount.target))
    return found


def _is_on(mount: Mount, devices: set[str]) -> bool:
    """Whether a mount is of one of the devices with these numbers."""
    if mount.device_number in devices:
        return True
    # Btrfs has a number of its own; the source of other such mounts is any word.
    own_number = mount.device_number.startswith(_NO_DEVICE) and mount.type in NUMBERED
    return own_number and device_number(mount.source) in devices
