"""Read every block device of the kernel, and which is stacked on which, from sysfs and udev."""

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from raidtui.machine.contents.btrfs_superblock import read_mounted_btrfs
from raidtui.machine.mounts import is_below, read_all_mounts, read_mounts, remote_targets
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import NONE, Properties
from raidtui.model.config_lines import decoded
from raidtui.model.device import Device, kind_of
from raidtui.model.device_graph import DeviceGraph, MountedAt
from raidtui.model.units import SECTOR

# Not for arrays: virtual devices, optical drives, floppies, boot partitions of memory cards.
_NOT_DISKS: Final = re.compile(
    r"(loop|ram|zram|sr|fd|dm-|md|bcache|drbd|zd|mtdblock)\d.*|md_.*|mmcblk\d+(boot\d+|rpmb|gp\d+)"
)
_NOTHING: Final[Mapping[str, Properties]] = {}


def read_graph(tree: Tree) -> DeviceGraph:
    """The block devices of this computer and what is mounted in every mount namespace."""
    return DeviceGraph(read_devices(tree), read_all_mounts(tree), read_mounted_btrfs(tree))


def read_own(tree: Tree = HERE) -> DeviceGraph:
    """The block devices of this computer and what is mounted in our own mount namespace."""
    mounts = [MountedAt(mount=mount, here=True) for mount in read_mounts(tree)]
    return DeviceGraph(read_devices(tree), mounts, read_mounted_btrfs(tree))


def whole_disks(*numbers: str, tree: Tree = HERE) -> frozenset[str]:
    """Numbers of the whole disks under the devices ``numbers``; an image lies on the disk with its file.

    Empty if none is that of a block device: a tmpfs, an overlay, a network filesystem.
    """
    graph = read_own(tree)
    devices = (graph.by_number[number] for number in numbers if number in graph.by_number)
    return frozenset(disk.number for disk in graph.disks_under(*devices))


def read_devices(tree: Tree, properties: Mapping[str, Properties] = _NOTHING) -> tuple[Device, ...]:
    """Read every block device in sysfs; ``properties``: udev's, by device number."""
    found: list[Device] = []
    for entry in tree.names("/sys/block"):
        folder = f"/sys/block/{entry}"
        if tree.text(f"{folder}/hidden") == "1":
            continue  # one path of an NVMe disk with native multipath: the disk itself is listed as well
        number = tree.text(f"{folder}/dev")
        if not number:
            continue
        inside, name, udev = tree.names(folder), _plain(entry), properties.get(number, NONE)
        parts = [
            part
            for one in inside
            if (part := _read_partition(tree, folder, entry, one, properties)) is not None
        ]
        size = (tree.number(f"{folder}/size") or 0) * SECTOR
        uuid = tree.text(f"{folder}/dm/uuid") if "dm" in inside else ""
        found.append(
            Device(
                name=name,
                number=number,
                kind=kind_of(name, is_disk=_is_disk(name, size, udev), dm_uuid=uuid),
                size_bytes=size,
                read_only=tree.text(f"{folder}/ro") == "1",
                partitions=tuple(p.name for p in sorted(parts, key=lambda p: p.partition or 0)),
                holders=_links(tree, folder, "holders"),
                slaves=_links(tree, folder, "slaves"),
                dm_name=tree.text(f"{folder}/dm/name") if "dm" in inside else "",
                dm_uuid=uuid,
                backing=_loop_file(tree, folder) if "loop" in inside else "",
                autoclear="loop" in inside and tree.text(f"{folder}/loop/autoclear") == "1",
                **_names(udev),
            )
        )
        found += parts
    return tuple(found)


def _read_partition(
    tree: Tree, disk_folder: str, disk: str, entry: str, properties: Mapping[str, Properties]
) -> Device | None:
    if not entry.startswith(disk):
        return None
    folder = f"{disk_folder}/{entry}"
    partition, number = tree.number(f"{folder}/partition"), tree.text(f"{folder}/dev")
    if partition is None or not number:
        return None
    udev = properties.get(number, NONE)
    return Device(
        name=_plain(entry),
        number=number,
        kind=kind_of(_plain(entry), is_disk=False, partition=True),
        size_bytes=(tree.number(f"{folder}/size") or 0) * SECTOR,
        start_bytes=(tree.number(f"{folder}/start") or 0) * SECTOR,
        read_only=tree.text(f"{folder}/ro") == "1",
        partition=partition,
        disk=_plain(disk),
        holders=_links(tree, folder, "holders"),
        **_names(udev),
    )


def _is_disk(name: str, size_bytes: int, udev: Properties) -> bool:
    """Whether a whole device is a disk that can be used for arrays.

    The lab's properties take precedence: they hide its internal disks, and may present any device as a disk.
    """
    if udev.get("RAIDTUI_LAB_INTERNAL") == "1":
        return False
    if udev.get("RAIDTUI_LAB_DISK") == "1":
        return True
    if name.startswith("nbd") and not size_bytes:
        return False  # the driver creates sixteen, connected or not
    return _NOT_DISKS.fullmatch(name) is None


def _names(udev: Properties) -> dict[str, Any]:
    """What udev knows of a device: its links, and what is on it."""
    return {
        "links": tuple(udev.get("DEVLINKS", "").split()),
        "type": udev.get("ID_FS_TYPE", ""),
        "label": decoded(udev.get("ID_FS_LABEL_ENC", "")) or udev.get("ID_FS_LABEL", ""),
        "uuid": udev.get("ID_FS_UUID", ""),
        "partition_label": decoded(udev.get("ID_PART_ENTRY_NAME", "")),
        "partition_uuid": udev.get("ID_PART_ENTRY_UUID", ""),
    }


def _links(tree: Tree, folder: str, name: str) -> tuple[str, ...]:
    return tuple(_plain(entry) for entry in tree.names(f"{folder}/{name}"))


def _loop_file(tree: Tree, folder: str) -> str:
    # The path as it was opened: it may be a by-id name or another link.
    file = tree.text(f"{folder}/loop/backing_file")
    device = tree.device_named(file) or _device_of_node(tree, file)
    return f"/dev/{device}" if device else file


def _device_of_node(tree: Tree, file: str) -> str:
    """The kernel name of the device if ``file``, outside /dev, is a device node; else empty."""
    if not file.startswith("/") or is_below(file, remote_targets(tree)):
        return ""
    number = tree.block_number(file)
    return _plain(os.path.basename(tree.link(f"/sys/dev/block/{number}"))) if number else ""


def _plain(entry: str) -> str:
    return entry.replace("!", "/")
