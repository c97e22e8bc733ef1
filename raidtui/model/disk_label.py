"""What is printed on the label of a disk. Pure."""

from raidtui.model.machine import Disk


def label_of(disk: Disk) -> str:
    """The serial number on the label of ``disk``, by SMART, if a USB bridge reports another or none; else empty."""
    own = disk.smart.serial if disk.smart is not None else ""
    return own if own != disk.serial and (disk.transport == "usb" or not disk.serial) else ""
