"""Read the whole disks of this computer and their identities: from udev where it runs, else from sysfs."""

import os
import re
from collections.abc import Mapping
from typing import Final

from raidtui.machine.blocks import read_devices
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import NONE, Properties, read_properties
from raidtui.model.config_lines import decoded
from raidtui.model.controller import RAID_CLASS, Controller
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.machine import Disk, Partition

# The other links of udev name what is on the disk (lvm-pv-uuid-…) or on top of it (dm-…).
# First the readable names with model and serial; then the WWN; then names that a host may assign twice.
_GOOD_LINKS: Final = (
    "ata-",
    "nvme-",
    "ubd-",
    "mmc-",
    "wwn-",
    "nvme-eui.",
    "scsi-",
    "usb-",
    "virtio-",
    "google-",
)
# Placeholders that drives and bridges report instead of a serial number or WWN: not unique.
_NO_NUMBER: Final = re.compile(
    r"([0fx#*?])\1*|(.)\2{5,}|0*1?2345678(9[0a-f]*)?|none|null|\(null\)|n/?a|unknown|default string|to be filled by o\.?e\.?m\.?",
    re.IGNORECASE,
)
# The last form is an NAA 5 WWN with the maker's OUI and only zeros for the drive.
_NO_WWN: Final = re.compile(
    r"(?:0x|eui\.|naa\.|nvme\.|uuid\.)?(?:[0f-]*|[1-6]?0+|([0-9a-f])\1*|5[0-9a-f]{6}0{9})", re.IGNORECASE
)
_KIND: Final = re.compile(r"sd|hd|xvd|vd|ubd|[a-z]+-?")
_TRANSPORTS: Final = (  # part of the sysfs path → transport; a bridge counts, not the disk behind it
    (re.compile(r"/usb\d"), "usb"),
    (re.compile(r"/end_device-"), "sas"),
    (re.compile(r"/rport-"), "fc"),
    (re.compile(r"/session\d"), "iscsi"),
    (re.compile(r"/ata\d"), "sata"),
    (re.compile(r"/virtio\d+/block/"), "virtio"),  # not behind its SCSI controller, which has a host
    (re.compile(r"/mmc\d"), "mmc"),
)
_BY_NAME: Final = {
    "nvme": "nvme",
    "ubd": "ubd",
    "vd": "virtio",
    "xvd": "xen",
    "nbd": "nbd",
    "pmem": "pmem",
    "sd": "scsi",
}


def disks_in(graph: DeviceGraph) -> list[Device]:
    """The disks in natural order: sdz before sdaa, nvme2n1 before nvme10n1."""
    return sorted((one for one in graph if one.kind is DeviceKind.DISK), key=_order)


def _order(block: Device) -> tuple[str, int, str]:
    kind = _KIND.match(block.name)
    start = kind[0] if kind else ""
    rest = block.name[len(start) :]
    return start, len(rest), rest


def read_disk(tree: Tree, graph: DeviceGraph, block: Device, properties: Mapping[str, Properties]) -> Disk:
    """Read ``block`` as a disk, without signatures, claims and health."""
    udev, folder, where = properties.get(block.number, NONE), block.folder, sysfs_path(tree, block)
    logical = tree.number(f"{folder}/queue/logical_block_size") or 512
    nvme = block.name.startswith("nvme")
    return Disk(
        name=block.name,
        path=block.path,
        device_number=block.number,
        size_bytes=block.size_bytes,
        serial=_serial(tree, folder, udev),
        wwn=_wwn(tree, folder, udev),
        by_id=_links(tree, block.name, udev),
        model=read_model_of(tree, folder, udev),
        vendor=_vendor(tree, folder, udev),
        firmware=tree.text(f"{folder}/device/{'firmware_rev' if nvme else 'rev'}")
        or udev.get("ID_REVISION", ""),
        transport=_transport(block.name, where),
        logical_sector_bytes=logical,
        physical_sector_bytes=tree.number(f"{folder}/queue/physical_block_size") or logical,
        rotational=tree.text(f"{folder}/queue/rotational") != "0",
        zoned=tree.text(f"{folder}/queue/zoned") or "none",
        removable=tree.text(f"{folder}/removable") == "1",
        read_only=tree.text(f"{folder}/ro") == "1",
        sequence=tree.number(f"{folder}/diskseq") or 0,
        scsi_timeout_seconds=tree.number(f"{folder}/device/timeout"),
        write_cache=tree.text(f"{folder}/queue/write_cache"),
        cache_type=_cache_type(tree, folder),
        alignment_offset_bytes=tree.number(f"{folder}/alignment_offset") or 0,
        controller=read_controller(tree, where),
        port=ata_port(where),
        partition_table=udev.get("ID_PART_TABLE_TYPE", ""),
        partitions=tuple(
            _partition(tree, part, properties.get(part.number, NONE)) for part in graph.parts(block)
        ),
    )


def disks_here() -> tuple[Disk, ...]:
    """Read the disks of this computer, without signatures, claims and health."""
    properties = read_properties()
    graph = DeviceGraph(read_devices(HERE, properties))
    return tuple(read_disk(HERE, graph, one, properties) for one in disks_in(graph))


def whole_folder(tree: Tree, folder: str) -> str:
    """The sysfs folder of the whole device, for a link to a device or partition."""
    # Folders on the way are links too, and md's links to its members are relative to where those lead.
    where = os.path.realpath(tree.path(folder))[len(tree.root) :]
    return os.path.dirname(where) if tree.exists(f"{where}/partition") else where


def read_identity_of(tree: Tree, folder: str, udev: Properties) -> str:
    """Read only the `Disk.identity` of the whole disk with the sysfs folder ``folder``."""
    links = _links(tree, os.path.basename(folder).replace("!", "/"), udev)
    return _serial(tree, folder, udev) or _wwn(tree, folder, udev) or (links[0] if links else "")


def _serial(tree: Tree, folder: str, udev: Properties) -> str:
    # For a SCSI disk, ID_SERIAL_SHORT is its WWN; the number on its label is ID_SCSI_SERIAL.
    reported = udev.get("ID_SCSI_SERIAL") or udev.get("ID_SERIAL_SHORT", "")
    if not reported and "ID_SERIAL" in udev and "ID_MODEL" not in udev:
        reported = udev["ID_SERIAL"]  # virtio disks have only this
    return _number(reported) or _number(_serial_in_sysfs(tree, folder))


def _number(text: str) -> str:
    """A serial number; empty for a placeholder."""
    bare = text.strip().strip("-_. ")
    return "" if not bare or _NO_NUMBER.fullmatch(bare) else text.strip()


def _serial_in_sysfs(tree: Tree, folder: str) -> str:
    for name in ("device/serial", "serial"):  # NVMe and memory cards; virtio
        text = tree.text(f"{folder}/{name}")
        if text and text != "(null)":
            return text
    page = tree.bytes(
        f"{folder}/device/vpd_pg80"
    )  # SCSI VPD page 0x80, unit serial number, after a header of four bytes
    return page[4:].decode("ascii", "replace").strip(" \0") if len(page) > 4 else ""


def _wwn(tree: Tree, folder: str, udev: Properties) -> str:
    for reported in (udev.get("ID_WWN_WITH_EXTENSION", ""), udev.get("ID_WWN", "")):
        if reported and not _NO_WWN.fullmatch(reported):
            return reported
    wwid = tree.text(f"{folder}/device/wwid") or tree.text(f"{folder}/wwid")
    kind, _, value = wwid.partition(".")
    if _NO_WWN.fullmatch(wwid):
        return ""
    if kind == "naa":
        return f"0x{value}"
    return wwid if kind == "eui" else ""


def read_model_of(tree: Tree, folder: str, udev: Properties) -> str:
    """Read the model of the whole disk with the sysfs folder ``folder``, as on its label."""
    # sysfs truncates the model of a SATA disk to 16 characters; udev reads it from the disk.
    encoded = decoded(udev.get("ID_MODEL_ENC", "")).strip()
    return (
        encoded or udev.get("ID_MODEL", "").replace("_", " ").strip() or tree.text(f"{folder}/device/model")
    )


def _vendor(tree: Tree, folder: str, udev: Properties) -> str:
    vendor = decoded(udev.get("ID_VENDOR_ENC", "")).strip() or tree.text(f"{folder}/device/vendor")
    # Virtio has its PCI vendor number here; the SCSI layer reports "ATA" for every SATA disk.
    return "" if vendor.startswith("0x") or vendor == "ATA" else vendor


def _links(tree: Tree, name: str, udev: Properties) -> tuple[str, ...]:
    """The /dev/disk/by-id links that point to this disk: if two disks claim one, only one of them has it."""
    claimed = (link.removeprefix("/dev/disk/by-id/") for link in udev.get("DEVLINKS", "").split())
    good = [
        link
        for link in claimed
        if "/" not in link
        and link.startswith(_GOOD_LINKS)
        and not _NO_WWN.fullmatch(link.removeprefix("wwn-").removeprefix("nvme-"))
        and tree.device_named(f"/dev/disk/by-id/{link}") == name
    ]
    return tuple(sorted(good, key=_rank))


def _rank(link: str) -> tuple[int, int, str]:
    best = max((prefix for prefix in _GOOD_LINKS if link.startswith(prefix)), key=len)
    # The longer NVMe name includes the namespace, so it is unique even on a drive with two namespaces.
    return _GOOD_LINKS.index(best), -len(link), link


def _transport(name: str, where: str) -> str:
    if name.startswith("nvme"):
        return "nvme"
    for pattern, transport in _TRANSPORTS:
        if pattern.search(where):
            return transport
    kind = re.match(r"[a-z]+", name)
    prefixes = sorted(_BY_NAME, key=len, reverse=True)
    return next((_BY_NAME[p] for p in prefixes if kind and kind[0].startswith(p)), "")


def _cache_type(tree: Tree, folder: str) -> str:
    addresses = tree.names(f"{folder}/device/scsi_disk")
    return tree.text(f"{folder}/device/scsi_disk/{addresses[0]}/cache_type") if addresses else ""


def _partition(tree: Tree, part: Device, udev: Properties) -> Partition:
    # The kernel reports a GPT partition's name, and newer kernels its UUID, even without udev.
    uevent = dict(line.partition("=")[::2] for line in tree.lines(f"{part.folder}/uevent"))
    return Partition(
        name=part.name,
        path=part.path,
        number=part.partition or 0,
        start_bytes=part.start_bytes,
        size_bytes=part.size_bytes,
        type=udev.get("ID_PART_ENTRY_TYPE", "").lower(),
        label=decoded(udev.get("ID_PART_ENTRY_NAME", "")) or uevent.get("PARTNAME", ""),
        uuid=udev.get("ID_PART_ENTRY_UUID", "") or uevent.get("PARTUUID", ""),
    )


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
