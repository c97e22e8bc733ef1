"""How far what another system made has been made readable here, and what of it cannot be. Pure."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from raidtui.advice.findings.foreign import ForeignSet
from raidtui.machine.contents.filesystem_copies import EXT
from raidtui.model.device import VIEW_MARK, Device
from raidtui.model.device_graph import graph_of
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, listed, spelled
from raidtui.model.unit import Health, Unit

FILESYSTEMS: Final = EXT | {"xfs", "btrfs"}
"""What is mounted here, each without replaying its journal."""
_GROUP: Final = "LVM2_member"
_CANNOT: Final = {
    "crypto_LUKS": "is encrypted (LUKS): its key is needed, and raidtui does not open it",
    "zfs_member": "is ZFS: import it read-only, zpool import -o readonly=on",
    "bcache": "is a bcache device: its cache may hold the newest data",
    "drbd": "has DRBD metadata, which this computer does not read",
}


class Layer(StrEnum):
    """What the next plan makes."""

    ASSEMBLE = "assemble"  # arrays that are not started
    MAP = "map"  # volumes on them
    MOUNT = "mount"
    NONE = "none"  # all that can be mounted is


def layer_of(one: ForeignSet, machine: Machine) -> Layer:
    """The next layer of a look at a set."""
    if closed(one):
        return Layer.ASSEMBLE
    if unmapped(one, machine):
        return Layer.MAP
    return Layer.NONE if mounted(one, machine) and not mountable(one, machine) else Layer.MOUNT


def closed(one: ForeignSet) -> tuple[Unit, ...]:
    """The arrays with data that are not started."""
    return tuple(unit for unit in one.data if unit.stopped or unit.health is Health.INACTIVE or not unit.node)


def levels_lacking(one: ForeignSet, machine: Machine) -> tuple[str, ...]:
    """The levels of its arrays that this kernel cannot start."""
    return tuple(dict.fromkeys(unit.level for unit in closed(one) if machine.system.lacks_level(unit.level)))


def is_opened(one: ForeignSet, machine: Machine) -> bool:
    """Whether a look has begun: an array was assembled read-only, a volume mapped, or something is mounted."""
    return (
        any(unit.node and unit.read_only for unit in one.data)
        or any(device.dm_uuid.startswith(VIEW_MARK) for device in _tops(one, machine))
        or bool(mounted(one, machine))
    )


def unmapped(one: ForeignSet, machine: Machine) -> tuple[Unit, ...]:
    """The volume groups of which no volume has a device."""
    graph = graph_of(machine)
    found = []
    for unit in one.above:
        below = [block for array in one.data if array.node and (block := graph.at(array.node)) is not None]
        if below and not any(graph.on(block) for block in below):
            found.append(unit)
    return tuple(found)


def mountable(one: ForeignSet, machine: Machine) -> tuple[Device, ...]:
    """The devices with a filesystem that can be mounted, and is not."""
    graph = graph_of(machine)
    return tuple(
        device
        for device in _tops(one, machine)
        if device.type in FILESYSTEMS and not any(True for _ in graph.mounts_on(device))
    )


def mounted(one: ForeignSet, machine: Machine) -> tuple[str, ...]:
    """Where it is mounted."""
    graph = graph_of(machine)
    return tuple(at.mount.target for device in _tops(one, machine) for at in graph.mounts_on(device))


def unreadable(one: ForeignSet, machine: Machine) -> Iterator[str]:
    """What is on it that cannot be read here, and why, each a clause."""
    for level in levels_lacking(one, machine):
        yield f"this kernel ({harmless(machine.system.kernel)}) has no {spelled(level)}, so it cannot be read here"
    seen = set()
    for device in _tops(one, machine):
        if device.type in FILESYSTEMS | {_GROUP, "swap", ""} or device.type in seen:
            continue
        seen.add(device.type)
        yield f"{harmless(device.dm_name or device.path)} {_CANNOT.get(device.type, f'holds {harmless(device.type)}, which is not mounted here')}"
    if one.maker == "QNAP" and one.above:
        names = listed([harmless(unit.name) for unit in one.above])
        yield f"the volumes of {names} are in a thin pool of QNAP's own LVM, as a rule: that needs a QNAP"


def _tops(one: ForeignSet, machine: Machine) -> tuple[Device, ...]:
    """Its arrays with data, and everything on them."""
    graph = graph_of(machine)
    blocks = [block for unit in one.data if unit.node and (block := graph.at(unit.node)) is not None]
    return tuple(dict.fromkeys(top for block in blocks for top in (block, *graph.all_on(block))))
