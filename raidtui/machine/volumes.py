"""Filesystems and volume managers that stand on several devices: Btrfs while mounted, LVM's volume groups."""

import os
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import DecodeError

from raidtui.machine.ask import Ask
from raidtui.machine.blocks import Blocks
from raidtui.machine.tree import Tree
from raidtui.model.struct import Record, decode_json

# struct btrfs_super_block (include/uapi/linux/btrfs_tree.h): the first copy's place, and its fields used here.
_BTRFS_PLACE: Final = 64 * 1024
_BTRFS_MAGIC: Final = slice(0x40, 0x48)
_BTRFS_DEVICES: Final = slice(0x88, 0x90)


class MountedBtrfs(Record, frozen=True, kw_only=True):
    """A Btrfs filesystem that is mounted somewhere."""

    uuid: str
    label: str
    devices: tuple[str, ...]  # kernel names


class PhysicalVolume(Record, frozen=True, kw_only=True):
    """A device that LVM has in a volume group; ``group`` is empty for one in none."""

    group: str
    group_uuid: str  # without dashes, as it stands in dm/uuid
    group_devices: int  # how many physical volumes the group has


def read_mounted_btrfs(tree: Tree) -> tuple[MountedBtrfs, ...]:
    """Every mounted Btrfs with all its devices; mountinfo names only one of them."""
    found = []
    for uuid in tree.names("/sys/fs/btrfs"):
        devices = tree.names(f"/sys/fs/btrfs/{uuid}/devices")
        if devices:
            label = tree.text(f"/sys/fs/btrfs/{uuid}/label")
            names = tuple(name.replace("!", "/") for name in devices)
            found.append(MountedBtrfs(uuid=uuid, label=label, devices=names))
    return tuple(found)


def count_btrfs_devices(path: str) -> int | None:
    """How many devices the Btrfs filesystem on the device ``path`` has; ``None`` if that cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        block = os.pread(fd, 4096, _BTRFS_PLACE)
    except OSError:
        return None
    finally:
        os.close(fd)
    return int.from_bytes(block[_BTRFS_DEVICES], "little") if block[_BTRFS_MAGIC] == b"_BHRfS_M" else None


def read_physical_volumes(tree: Tree, blocks: Blocks, ask: Ask) -> Mapping[str, PhysicalVolume]:
    """LVM's physical volumes by kernel name; empty where LVM is not installed or may not look."""
    columns = "pv_name,vg_name,vg_uuid,pv_count"
    # --readonly takes no lock and changes nothing, not even LVM's own notes.
    answer = ask(["lvm", "pvs", "--readonly", "--reportformat", "json", "-o", columns])
    if answer.returncode != 0:
        return {}
    try:
        rows = decode_json(answer.stdout, _Report).report[0].pv
    except (DecodeError, IndexError):
        return {}
    found = {}
    for row in rows:
        name = tree.device_named(row.pv_name)
        name = name.removeprefix("mapper/") if name not in blocks.by_name else name
        found[name] = PhysicalVolume(
            group=row.vg_name, group_uuid=row.vg_uuid.replace("-", ""), group_devices=_number(row.pv_count)
        )
    return found


class _Row(Record, frozen=True, kw_only=True):
    pv_name: str
    vg_name: str = ""
    vg_uuid: str = ""
    pv_count: str = ""  # LVM writes every value as text


class _Rows(Record, frozen=True, kw_only=True):
    pv: Sequence[_Row] = ()


class _Report(Record, frozen=True, kw_only=True):
    report: Sequence[_Rows] = ()


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0
