"""Which unit a device is of: an array, a partition or an open container on one, or a volume. Pure."""

from collections.abc import Sequence

from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.text import harmless
from raidtui.model.unit import Unit

_OF_LVM = "LVM-"  # in dm/uuid, the UUID of the group follows without its hyphens


def unit_of(device: Device, units: Sequence[Unit], graph: DeviceGraph) -> Unit | None:
    """That which makes the device, or has it as a partition; of an open container that which it lies on."""
    whole = graph.whole(device)
    if whole.kind is DeviceKind.CRYPT:
        below = graph.below(whole)
        return unit_of(below[0], units, graph) if len(below) == 1 else None
    return next((one for one in units if one.uuid and _is_of(whole, one)), None)


def place_of(device: Device, unit: Unit) -> str:
    """The device in words: "array tank", "partition md127p1 of array tank", "volume tank-photos"."""
    match device.kind:
        case DeviceKind.VOLUME:
            return harmless(f"volume {device.dm_name}")
        case DeviceKind.CRYPT:
            return harmless(f"container {device.dm_name}")
        case DeviceKind.PARTITION:
            return harmless(f"partition {device.name} of array {unit.shown}")
    return harmless(f"array {unit.shown}")


def _is_of(device: Device, unit: Unit) -> bool:
    if device.kind is DeviceKind.VOLUME:
        return device.dm_uuid.startswith(_OF_LVM + unit.uuid.replace("-", ""))
    return unit.node == device.path
