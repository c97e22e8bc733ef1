"""Read what is mounted now from the kernel's mountinfo."""

import errno
import os
from pathlib import Path
from typing import Final

from raidtui.machine.blocks import read_own
from raidtui.machine.devices import device_number
from raidtui.machine.mounts import parse_mountinfo
from raidtui.model.device_graph import lies_in
from raidtui.model.machine import Mount

_MOUNTINFO: Final = Path("/proc/self/mountinfo")


def find_mounts() -> tuple[Mount, ...]:
    """Every mount in this mount namespace, the kernel's own included, in mount order."""
    return parse_mountinfo(_MOUNTINFO.read_text(errors="replace"))


def disk_under_mount(path: str) -> frozenset[str]:
    """Device numbers of the whole disks under the partition at ``path``; empty unless it is mounted."""
    graph = read_own()
    device = graph.by_number.get(device_number(path))
    disks = graph.disks_under(device) if device is not None and graph.mounts_of(device) else ()
    return frozenset(disk.number for disk in disks)


def files_on(path: str) -> dict[str, list[str]]:
    """List the mount points of the device at ``path`` and its partitions, each with the names in it.

    Raises:
        OSError: another filesystem is mounted over one of them, so what is in it cannot be seen.
    """
    graph = read_own()
    device = graph.by_number.get(device_number(path))
    devices = (device, *graph.parts(device)) if device is not None else ()
    own = graph.mounts_on(*devices)
    found: dict[str, list[str]] = {}
    for order, one in enumerate(graph.mounts):
        target = one.mount.target
        if one not in own:
            continue
        for later in graph.mounts[order + 1 :]:
            if later not in own and later.mount.target != "/" and lies_in(target, later.mount.target):
                what = f"{later.mount.source} ({later.mount.type}) is mounted over it"
                raise OSError(errno.EBUSY, what, target)
        if os.path.isdir(target):
            found[target] = sorted(os.listdir(target))
    return found
