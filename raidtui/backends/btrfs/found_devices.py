"""Which block devices have a superblock of Btrfs, without starting a process."""

from functools import lru_cache
from typing import Final

from raidtui.backends.btrfs.signs import TYPE
from raidtui.backends.btrfs.superblock import read_superblock
from raidtui.machine.tree import Tree
from raidtui.machine.udev import UntilEvent, properties_of


@lru_cache(maxsize=1)
def on_devices(changes: str, tree: Tree) -> tuple[str, ...]:
    """The block devices with a Btrfs superblock: udev may not have looked at one yet, or have missed it.

    Args:
        changes: the number of the kernel's last event; until the next one no device is read again.
    """
    # What another device lies on, such as one side of a mirror, shows the superblock of that.
    names = (
        one for one in tree.names("/sys/class/block") if not tree.names(f"/sys/class/block/{one}/holders")
    )
    every = [f"/dev/{name.replace('!', '/')}" for name in names]
    return tuple(path for path in every if read_superblock(path) is not None)


def _with_signature(tree: Tree) -> tuple[str, ...]:
    """The devices with a Btrfs signature in udev's database."""
    found = []
    for name in tree.names("/sys/class/block"):
        number = tree.text(f"/sys/class/block/{name}/dev")
        if number and properties_of(number).get("ID_FS_TYPE") == TYPE:
            found.append(f"/dev/{name.replace('!', '/')}")
    return tuple(found)


known_to_udev: Final = UntilEvent(_with_signature)
