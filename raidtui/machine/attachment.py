"""How a disk is attached, if it can be unplugged. Pure."""

from raidtui.model.machine import Disk


def attachment(disk: Disk) -> str:
    """How a disk that may be unplugged at any time is attached: "USB", "removable"; else empty."""
    if disk.transport == "usb":
        return "USB"
    return "removable" if disk.removable else ""
