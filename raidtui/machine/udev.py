"""Read udev's properties of block devices through pyudev; empty on systems without udev."""

import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from raidtui.machine.tree import HERE, Tree

if TYPE_CHECKING:
    import pyudev

Properties = Mapping[str, str]
"""The properties of one device: ID_SERIAL_SHORT, ID_WWN, ID_MODEL_ENC, DEVLINKS …"""

NONE: Final[Properties] = {}
DATABASE: Final = "/run/udev/data"
"""The folder that changes with every event of udev. Only libudev reads what is in it: its format is not public."""


def udev_runs(tree: Tree = HERE) -> bool:
    """Whether a udev daemon is running."""
    return tree.exists("/run/udev/control")


def read_properties(tree: Tree = HERE) -> Mapping[str, Properties]:
    """The properties of every block device, by device number; empty without udev or libudev."""
    # Twice as fast as Context.list_devices(), in which libudev opens each device once more to sort them.
    every = tree.names("/sys/dev/block") if udev_runs(tree) else []
    return {number: found for number in every if (found := properties_of(number))}


def properties_of(number: str) -> Properties:
    """The properties of one block device of this computer, by number; empty without udev or if it is gone."""
    if not udev_runs():
        return NONE
    try:
        import pyudev
    except ImportError:
        return NONE
    major, _, minor = number.partition(":")
    try:
        device = pyudev.Devices.from_device_number(_context(), "block", os.makedev(int(major), int(minor)))
        return dict(device.properties)
    except (pyudev.DeviceNotFoundError, OSError, ValueError, KeyError, OverflowError):
        return NONE


@functools.cache
def _context() -> "pyudev.Context":
    import pyudev

    return pyudev.Context()
