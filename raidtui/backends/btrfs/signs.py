"""Whether a computer may have a Btrfs; loads nothing of Btrfs."""

from typing import Final

from raidtui.machine.tree import HERE, Tree
from raidtui.model.machine import Machine

TYPE: Final = "btrfs"
"""The type in libblkid and mount(8)."""
FOLDER: Final = "/sys/fs/btrfs"
_UUID: Final = 36  # characters; the directory also has entries that are not filesystems


def may_be_here(machine: Machine, tree: Tree = HERE) -> bool:
    """Whether something has the signature of Btrfs, or the kernel has one mounted, perhaps without any of its disks."""
    recorded = any(one.type == TYPE for one in machine.mounts)
    return TYPE in machine.types_found or recorded or bool(mounted(tree))


def mounted(tree: Tree) -> tuple[str, ...]:
    """The UUIDs of the filesystems that the kernel has mounted."""
    return tuple(name for name in tree.names(FOLDER) if len(name) == _UUID)
