"""Find a disk's PCI controller and ATA port from its path in sysfs."""

import os
import re
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.controller import RAID_CLASS, Controller
from raidtui.model.device import Device

_PORT: Final = re.compile(r"/(ata\d+)/")
_STORAGE: Final = "01"  # PCI base class: mass storage controller


def sysfs_path(tree: Tree, block: Device) -> str:
    """The path of a disk in sysfs, without links: ``/sys/devices/pci0000:00/…/block/sda``."""
    # A link of sysfs leads straight to the folder of the device, which has no links above it.
    link = tree.link(block.folder)
    return os.path.normpath(os.path.join(os.path.dirname(block.folder), link)) if link else block.folder


def read_controller(tree: Tree, where: str) -> Controller | None:
    """The storage controller nearest to a disk whose `sysfs_path` is ``where``, or the one in RAID mode if there are several.

    Behind Intel's VMD, an NVMe drive has its own controller and that of VMD. ``None`` if there is no PCI storage
    controller: on USB, in a memory card reader, in most virtual machines.
    """
    found = [one for folder in _above(where) if (one := _controller(tree, folder)) is not None]
    return next((one for one in found if one.pci_class == RAID_CLASS), found[0] if found else None)


def ata_port(where: str) -> str:
    """The ATA port of a disk whose `sysfs_path` is ``where``: ``ata3``; empty if it has none. Disks behind a port multiplier share a port."""
    match = _PORT.search(where)
    return match[1] if match else ""


def _above(where: str) -> list[str]:
    """The sysfs folders above a disk, nearest first."""
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
