"""Filesystems and volume managers that stand on several devices: Btrfs while mounted, LVM's volume groups."""

from collections.abc import Mapping, Sequence

from msgspec import DecodeError

from raidtui.machine.ask import Ask
from raidtui.machine.blocks import Blocks
from raidtui.machine.tree import Tree
from raidtui.model.struct import Record, decode_json


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
