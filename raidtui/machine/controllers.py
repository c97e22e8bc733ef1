"""What a disk is connected to: its controller on the PCI bus and its ATA port, both from the disk's path in sysfs."""

import os
import re
from typing import Final

from raidtui.machine.blocks import Block
from raidtui.machine.tree import Tree
from raidtui.model.machine import RAID_CLASS, Controller

_PORT: Final = re.compile(r"/(ata\d+)/")
_STORAGE: Final = "01"  # PCI base class: mass storage controller


def read_controller(tree: Tree, block: Block) -> Controller | None:
    """The storage controller nearest to a disk; of several the one that is in RAID mode.

    Intel's VMD is such a one: NVMe drives behind it have a controller of their own besides. ``None`` where the disk
    hangs on no storage controller of a PCI bus: on USB, in a memory card reader, in most virtual machines.
    """
    found = [one for folder in _above(tree, block) if (one := _controller(tree, folder)) is not None]
    return next((one for one in found if one.pci_class == RAID_CLASS), found[0] if found else None)


def ata_port(tree: Tree, block: Block) -> str:
    """The ATA port a disk hangs on, ``ata3``; empty if on none. Behind a port multiplier several disks share one."""
    match = _PORT.search(_where(tree, block))
    return match[1] if match else ""


def _where(tree: Tree, block: Block) -> str:
    return os.path.realpath(tree.path(block.folder)).removeprefix(os.path.realpath(tree.root or "/")) + "/"


def _above(tree: Tree, block: Block) -> list[str]:
    """The folders in sysfs above a disk, the nearest first."""
    where = "/" + _where(tree, block).strip("/")
    folders = []
    while (where := os.path.dirname(where)).startswith("/sys/devices/"):
        folders.append(where)
    return folders


def _controller(tree: Tree, folder: str) -> Controller | None:
    kind = tree.text(f"{folder}/class").removeprefix("0x")
    if not kind.startswith(_STORAGE) or len(kind) != 6:
        return None
    return Controller(
        driver=os.path.basename(tree.link(f"{folder}/driver")),
        pci_class=kind[:4],
        pci_vendor=tree.text(f"{folder}/vendor").removeprefix("0x"),
        address=os.path.basename(folder),
    )
