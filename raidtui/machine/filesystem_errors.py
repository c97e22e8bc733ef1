"""What the kernel says is wrong with a mounted filesystem. Nothing is written, and no program is started."""

import errno
import os
from datetime import UTC, datetime
from typing import Final

from raidtui.machine.contents.filesystem_copies import EXT
from raidtui.machine.mounts import is_below, remote_targets
from raidtui.machine.tree import Tree
from raidtui.model.machine import SHUT_DOWN, Mount
from raidtui.model.text import count_of

_EXT4: Final = (
    "/sys/fs/ext4"  # Documentation/ABI/testing/sysfs-fs-ext4: also what was counted before this mount
)
_STOPPED: Final = frozenset({"emergency_ro", "shutdown"})  # options that ext4 shows since Linux 6.15


def trouble_of(mount: Mount, tree: Tree) -> str:
    """In words; empty if nothing is known to be wrong. Btrfs and ZFS count errors themselves: see their units.

    ext4 and Btrfs set a filesystem read-only after an error, without changing the mount. XFS shuts it down: then every
    access fails, and it counts nothing.
    """
    own, *of_filesystem = mount.options.split(",")
    if own == "rw" and ("ro" in of_filesystem or _STOPPED & {*of_filesystem}):
        return f"read-only since an error{_counted(mount, tree, before=': ')}"
    if mount.type == "xfs" and _is_shut_down(mount, tree):
        return f"{SHUT_DOWN}: nothing can be read or written"
    return _counted(mount, tree)


def _counted(mount: Mount, tree: Tree, *, before: str = "") -> str:
    if mount.type not in EXT or not mount.device:
        return ""
    folder = f"{_EXT4}/{mount.device.rpartition('/')[2]}"
    count = tree.number(f"{folder}/errors_count")
    if not count:
        return ""
    last = tree.number(f"{folder}/last_error_time")
    when = (
        f", the last {datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M} UTC"
        if last and 0 < last < 2**33
        else ""
    )
    return f"{before}{count_of(count, 'error')} counted{when}"


def _is_shut_down(mount: Mount, tree: Tree) -> bool:
    if is_below(mount.target, remote_targets(tree)):
        return False  # not known: what is over or above it may not answer
    try:
        os.stat(tree.path(mount.target))  # XFS answers from memory
    except OSError as error:
        return error.errno == errno.EIO
    return False
