"""What is left on an array, a partition of one or a volume whose beginning was overwritten. Read only."""

from typing import Final

from msgspec.structs import replace

from raidtui.machine.ask import Ask, ask
from raidtui.machine.contents.filesystem_copies import read_lost_beginning
from raidtui.machine.contents.luks_header import read_luks_left
from raidtui.machine.contents.unknown_data import read_lost_table
from raidtui.machine.tree import Tree
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph

_VOLUME: Final = len("LVM-") + 64  # of the dm/uuid of a volume that people use; that of others has an ending
_HERE: Final = frozenset({DeviceKind.ARRAY, DeviceKind.VOLUME, DeviceKind.CRYPT})


def with_lost_beginning(device: Device, graph: DeviceGraph, tree: Tree, *, ask: Ask = ask) -> Device:
    """``device`` with what is left of the filesystem or partition table that began there, if nothing known is on it, and of its LUKS header."""
    inside = len(device.dm_uuid) > _VOLUME  # such as a thin pool, in which filesystems lie anywhere
    # Of a disk and its partitions, `raidtui.machine.contents.unknown_data` says so.
    kind = graph.whole(device).kind
    if kind not in _HERE or (inside and kind is DeviceKind.VOLUME) or not device.size_bytes:
        return device
    if any(True for _ in graph.mounts_on(device)):
        return device
    path = tree.path(device.path)
    if (luks := read_luks_left(path)) is not None:
        return replace(device, luks=luks)
    if device.type or device.is_swap or graph.on(device) or graph.parts(device):
        return device
    if (left := read_lost_beginning(path)) is not None:
        return replace(device, began=left.words, began_type=left.type, began_uuid=left.uuid)
    if kind is DeviceKind.CRYPT or device.partition is not None:  # people seldom partition these
        return device
    table = read_lost_table(path, device.size_bytes, ask=ask)
    if table is None:
        return device
    return replace(device, began=table.words, began_uuid=table.uuid, table=table.copied)
