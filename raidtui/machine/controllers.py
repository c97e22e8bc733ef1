"""Find a disk's PCI controller and ATA port from its path in sysfs."""

import os
import re
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.controller import RAID_CLASS, Controller
from raidtui.model.device import Device

_PORT: Final = re.compile(r"/(ata\d+)/")
_STORAGE: Final = "01"  # PCI base class: mass storage controller


def read_controller(tree: Tree, block: Device) -> Controller | None:
    """The storage controller nearest to a disk, or the one in RAID mode if there are several.

    Behind Intel's VMD, an NVMe drive has its own controller and that of VMD. ``None`` if there is no PCI storage
    controller: on USB, in a memory card reader, in most virtual machines.
    """
    found = [one for folder in _above(tree, block) if (one := _controller(tree, folder)) is not None]
    return next((one for one in found if one.pci_class == RAID_CLASS), found[0] if found else None)


def ata_port(tree: Tree, block: Device) -> str:
    """The ATA port of a disk, ``ata3``; empty if it has none. Disks behind a port multiplier share a port."""
    match = _PORT.search(_device_path(tree, block))
    return match[1] if match else ""


def _device_path(tree: Tree, block: Device) -> str:
    return os.path.realpath(tree.path(block.folder)).removeprefix(os.path.realpath(tree.root or "/")) + "/"


def _above(tree: Tree, block: Device) -> list[str]:
    """The sysfs folders above a disk, nearest first."""
    where = "/" + _device_path(tree, block).strip("/")
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
