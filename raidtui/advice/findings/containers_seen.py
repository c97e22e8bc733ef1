"""On which device an encrypted container is, and on which it was when it was last seen. Pure."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import called
from raidtui.machine.md.health import is_failed
from raidtui.model.config_lines import name_in
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, graph_of
from raidtui.model.history import ContainerSeen
from raidtui.model.luks import Left
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.text import harmless
from raidtui.model.uuids import bare

LUKS: Final = "crypto_LUKS"
_NOT_READ: Final = frozenset({ClaimKind.UNREADABLE, ClaimKind.UNREAD})
OPENED: Final = "CRYPT-LUKS"  # how the dm/uuid of an open one begins; the version and its UUID follow


def containers_here(machine: Machine) -> Iterator[ContainerSeen]:
    """Every container whose header can be used, as a record. None without root: contents are not known then."""
    graph = graph_of(machine)
    for device in machine.devices if machine.complete else ():
        whole = device.luks is None or device.luks.left is Left.SECOND
        if device.type == LUKS and device.uuid and whole and (place := place_of(device, machine, graph)):
            yield ContainerSeen(
                subject=device.uuid.lower(), at=machine.read_at, place=place, words=words_of(device, machine)
            )


def seen(source: str, machine: Machine) -> ContainerSeen | None:
    """The last record of the container that ``source`` of crypttab names by its UUID; None without one."""
    uuid = uuid_of(source)
    records = machine.history.containers if machine.history is not None else ()
    return next((one for one in reversed(records) if uuid and bare(one.subject) == uuid), None)


def device_seen(source: str, machine: Machine) -> Device | None:
    """The device that had that container when it was last seen, if it is here and what is on it was read."""
    record, graph = seen(source, machine), graph_of(machine)
    if record is None:
        return None
    found = (one for one in machine.devices if place_of(one, machine, graph) == record.place)
    return next((one for one in found if _was_read(one, machine, graph)), None)


def without_partition(record: ContainerSeen, machine: Machine) -> bool:
    """Whether the disk or array of ``record`` is here, and the partition that had the container is not."""
    graph, whole = graph_of(machine), record.place.rpartition(" ")[0]
    places = {place_of(one, machine, graph) for one in machine.devices}
    return bool(whole) and whole in places and record.place not in places


def _was_read(device: Device, machine: Machine, graph: DeviceGraph) -> bool:
    """Whether nothing kept its beginning from being read, so that what is not there is known."""
    below = {one.path for one in graph.all_below(graph.whole(device))}
    arrays = [one for one in machine.arrays if one.node in below]
    disks = [] if arrays else [one for one in machine.disks if one.path in below]
    return (
        machine.complete
        and device.size_bytes > 0
        and all(one.started and not is_failed(one) and not one.unread for one in arrays)
        and not any(claim.what in _NOT_READ for disk in disks for claim in disk.taken_by)
    )


def uuid_of(source: str) -> str:
    """The UUID by which ``source`` of crypttab names a container, bare; empty if it names it otherwise."""
    name = name_in(source)
    return bare(name.value) if name.tag == "UUID" else ""


def opened_as(source: str, machine: Machine) -> str:
    """The name under which the container that ``source`` names by its UUID is open; empty if it is not, or that is not known."""
    uuid = uuid_of(source)
    opened = (one for one in machine.devices if uuid and one.dm_uuid.startswith(OPENED))
    return next((one.dm_name for one in opened if one.dm_uuid.split("-")[2:3] == [uuid]), "")


def place_of(device: Device, machine: Machine, graph: DeviceGraph) -> str:
    """What stays the same of a device when it is seen again: of an array and a disk with the partition; empty if nothing does."""
    whole = graph.whole(device)
    if whole.kind is DeviceKind.VOLUME:
        own = whole.dm_uuid
    elif whole.kind is DeviceKind.ARRAY:
        own = next((bare(one.uuid) for one in machine.arrays if one.node == whole.path), "")
    else:
        own = next((one.identity for one in machine.disks if one.path == whole.path), "")
    return own and (own if device.partition is None else f"{own} {device.partition}")


def words_of(device: Device, machine: Machine) -> str:
    """The array, or the disk, that it is, for people."""
    array = next((one for one in machine.arrays if one.node == device.path), None)
    disk = next((one for one in machine.disks if device.path in one.every_path), None)
    if array is not None:
        return f"array {harmless(array.shown)}"
    return called(disk) if disk is not None else harmless(device.dm_name or device.path)
