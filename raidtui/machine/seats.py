"""The disk under a path: its identity, its model and where it is connected, to find it in the case."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from raidtui.machine.blocks import read_devices
from raidtui.machine.disks import disks_in, read_identity_of, read_model_of, whole_folder
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import NONE, Properties, UntilEvent, properties_of, read_properties
from raidtui.model.device_graph import DeviceGraph

_PORT: Final = re.compile(r"/(ata\d+)/")
_ENCLOSURE: Final = "enclosure_device:"  # the rest of the link's name is the enclosure's name for the slot


def read_seat(
    path: str, tree: Tree = HERE, lookup: Callable[[str], Properties] = properties_of
) -> tuple[str, str]:
    """Read model and place of the disk under ``path``, a member's node; each empty if not known.

    The place is the slot of an enclosure ("enclosure Slot 04"), the ATA port ("ata3"), or udev's path to the disk.
    """
    folder = whole_folder(tree, f"/sys/class/block/{path.removeprefix('/dev/')}")
    number = tree.text(f"{folder}/dev")
    if not number:
        return "", ""
    udev = lookup(number)
    names = tree.names(f"{folder}/device")
    slot = next((name.removeprefix(_ENCLOSURE) for name in names if name.startswith(_ENCLOSURE)), "")
    port = _PORT.search(folder + "/")
    place = f"enclosure {slot}" if slot else port[1] if port else udev.get("ID_PATH", "")
    return read_model_of(tree, folder, udev), place


def _connected(tree: Tree) -> Mapping[str, str]:
    properties = read_properties(tree)
    found: dict[str, str] = {}
    for disk in disks_in(DeviceGraph(read_devices(tree, properties))):
        udev = properties.get(disk.number, NONE)
        found.setdefault(read_identity_of(tree, disk.folder, udev), disk.path)
    return found


connected_disks: Final = UntilEvent(_connected)
"""The node of every whole disk that is connected, by its identity."""


def identity_under(path: str) -> str:
    """Read the identity of the whole disk under ``path``, a disk or partition; empty if not known."""
    folder = whole_folder(HERE, f"/sys/class/block/{path.removeprefix('/dev/')}")
    number = HERE.text(f"{folder}/dev")
    return read_identity_of(HERE, folder, properties_of(number)) if number else ""
