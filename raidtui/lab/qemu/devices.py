"""The devices of a QEMU guest: each disk on its bus, and the controllers for them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from raidtui.lab.disks import SCSI_4KN, CopiedDisk, VirtualDisk

BUSES: Final = ("scsi", "scsi4kn", "sata", "nvme", "usb", "enclosure", "megaraid")
"""The default first. ``scsi4kn`` has 4096-byte sectors, ``sata`` 512-byte logical on 4096-byte physical ones.

``enclosure`` is one on USB whose bridge has a serial number for all its disks, and hides theirs.
"""

_LONGEST_SERIAL: Final = 36
SATA_PORTS: Final = 6
USB_PORTS: Final = 8
_ENCLOSURE_SERIAL: Final = "LAB-ENCLOSURE"

Device = dict[str, str | int | bool]
"""Properties by name, as ``-device`` and ``device_add`` take them."""

_SCSI: Final[Device] = {
    "driver": "scsi-hd",
    "vendor": "RAIDTUI",
    "product": "LAB_DISK",
    "rotation_rate": 7200,
}


def identity(disk: VirtualDisk) -> str:
    """The name of its device in QEMU, and with ``-file`` of its data."""
    return disk.file_name.partition(".")[0].lower()


def device_of(disk: VirtualDisk, place: int) -> Device:
    """The device for ``disk``, number ``place`` on its bus, from 0."""
    name = identity(disk)
    common: Device = {"id": name, "drive": f"{name}-file"}
    if isinstance(disk, CopiedDisk):
        return common | _copy(disk, place)
    wwn = int(disk.wwn, 16)
    match disk.bus or BUSES[0]:
        case "nvme":
            # The data are attached to the controller, so that both are plugged and pulled together.
            return common | {"driver": "nvme", "serial": disk.serial, "bus": "pci.0"}
        case "usb":
            hub, port = divmod(place, USB_PORTS)
            return common | {
                "driver": "usb-storage",
                "serial": disk.serial,
                "bus": f"usb{hub}.0",
                "port": str(port + 1),
            }
        case "enclosure":
            return common | _SCSI | {"bus": "enclosure.0", "lun": place}
        case "sata":
            controller, port = divmod(place, SATA_PORTS)
            return common | {
                "driver": "ide-hd",
                "serial": disk.serial,
                "wwn": 5 << 60
                | wwn & (1 << 60) - 1,  # udev accepts the WWN of an ATA disk only if it is NAA 5
                "model": "RAIDTUI LAB_SATA",
                "rotation_rate": 5400,
                "physical_block_size": 4096,
                "bus": f"sata{controller}.{port}",
            }
        case "megaraid":
            return common | _SCSI | {"serial": disk.serial, "wwn": wwn, "bus": "megaraid.0", "scsi-id": place}
        case "scsi4kn":
            sectors: Device = {"logical_block_size": 4096, "physical_block_size": 4096}
            where: Device = {"bus": "scsi.0", "scsi-id": scsi_id(disk, place)}
            return common | _SCSI | sectors | {"serial": disk.serial, "wwn": wwn} | where
        case _:
            return common | _SCSI | {"serial": disk.serial, "wwn": wwn, "bus": "scsi.0", "scsi-id": place}


def _copy(disk: CopiedDisk, place: int) -> Device:
    """The rest of the device of a copy, which is on SCSI: udev gives it its names, so the device itself has none."""
    size = disk.sector_bytes
    return {
        "driver": "scsi-hd",
        "logical_block_size": size,
        "physical_block_size": size,
        "bus": "scsi.0",
        "scsi-id": scsi_id(disk, place),
        **({"serial": disk.serial[:_LONGEST_SERIAL]} if disk.serial else {}),
    }


def scsi_id(disk: VirtualDisk, place: int) -> int:
    """The number on the SCSI bus of a disk that is number ``place`` among those with its sectors."""
    return 64 + place if disk.bus == SCSI_4KN else place


def names(disks: Iterable[VirtualDisk]) -> Iterator[tuple[str, CopiedDisk]]:
    """The copies among ``disks``, with the name of each as KERNELS in a udev rule has it."""
    numbers = places(disks)
    return (
        (f"[0-9]*:0:{scsi_id(disk, numbers[identity(disk)])}:0", disk)
        for disk in disks
        if isinstance(disk, CopiedDisk)
    )


def places(disks: Iterable[VirtualDisk]) -> dict[str, int]:
    """The number of each disk, by its `identity`, among those on its bus."""
    count: dict[str, int] = {}
    numbers = {}
    for disk in disks:
        bus = disk.bus or BUSES[0]
        numbers[identity(disk)] = count.get(bus, 0)
        count[bus] = count.get(bus, 0) + 1
    return numbers


def controllers(disks: Iterable[VirtualDisk]) -> Iterator[Device]:
    """The controllers that these disks need."""
    count: dict[str, int] = {}
    for disk in disks:
        bus = disk.bus or BUSES[0]
        count[bus] = count.get(bus, 0) + 1
    yield {"driver": "virtio-scsi-pci", "id": "scsi"}
    for number in range(-(-count.get("sata", 0) // SATA_PORTS)):
        yield {"driver": "ich9-ahci", "id": f"sata{number}"}
    for number in range(-(-count.get("usb", 0) // USB_PORTS)):
        yield {"driver": "qemu-xhci", "id": f"usb{number}", "p2": USB_PORTS, "p3": USB_PORTS}
    if "enclosure" in count:
        yield {"driver": "qemu-xhci", "id": "usb-enclosure"}
        yield {
            "driver": "usb-bot",
            "id": "enclosure",
            "serial": _ENCLOSURE_SERIAL,
            "bus": "usb-enclosure.0",
        }
    if "megaraid" in count:
        yield {"driver": "megasas-gen2", "id": "megaraid"}


def data_of(disk: VirtualDisk) -> Mapping[str, object]:
    """The block device node with the data of ``disk``: a file in QEMU's working folder."""
    return {
        "node-name": f"{identity(disk)}-file",
        "driver": "raw",
        "discard": "unmap",
        "file": {"driver": "file", "filename": disk.file_name, "discard": "unmap"},
    }


def arguments(disks: tuple[VirtualDisk, ...]) -> list[str]:
    """The part of QEMU's command line for the disks."""
    numbers = places(disks)
    words: list[str] = []
    for controller in controllers(disks):
        words += ["-device", json.dumps(controller)]
    for disk in disks:
        words += [
            "-blockdev",
            json.dumps(data_of(disk)),
            "-device",
            json.dumps(device_of(disk, numbers[identity(disk)])),
        ]
    return words


def share(tag: str, folder: Path, *, writable: bool) -> list[str]:
    """The part of QEMU's command line that shares a folder of the host with the guest, over 9p."""
    # Commas are doubled in QEMU's options.
    path = str(folder).replace(",", ",,")
    mode = "" if writable else ",readonly=on"
    return [
        "-fsdev",
        f"local,id={tag},path={path},security_model=none,multidevs=remap{mode}",
        "-device",
        f"virtio-9p-pci,fsdev={tag},mount_tag={tag}",
    ]
