"""Disks that nothing names: what gives them a name of their own. Pure."""

from typing import Final

from raidtui.model.machine import Disk

WHY: Final = "it has no serial number, WWN or by-id name of its own, so it could be mistaken for another disk"
_BRIDGE: Final = (
    "Connect it directly (SATA, SAS). For a USB bridge try the module option usb-storage.quirks=VID:PID:u"
)
_IN_SETTINGS: Final = "Give it a serial number in the settings of the virtual machine"
_SETTINGS: Final = {  # by hypervisor: VMware's virtual disks have a WWN only with this, QEMU's a serial number if it is set
    "vmware": 'Set disk.EnableUUID = "TRUE" in the settings of the virtual machine',
    "kvm": f"{_IN_SETTINGS}: serial=NAME (QEMU, Proxmox VE) or <serial> (libvirt)",
    "qemu": f"{_IN_SETTINGS}: serial=NAME (QEMU, Proxmox VE) or <serial> (libvirt)",
}


def how_to_name(disk: Disk, hypervisor: str) -> str:
    """What makes ``disk`` report a name of its own; a sentence without its full stop."""
    if hypervisor and disk.transport != "usb":
        return _SETTINGS.get(hypervisor, _IN_SETTINGS)
    return _BRIDGE
