"""What a directory or a device is on: its mount, the devices below, and the unit that decides its speed."""

import os
from collections.abc import Sequence
from typing import Final

from raidtui.backends.registry import reader
from raidtui.backends.units import units_of
from raidtui.machine.contents.filesystem_copies import EXT
from raidtui.machine.devices import device_number as find_number
from raidtui.machine.mounts import parse_mountinfo
from raidtui.machine.tree import HERE, Tree
from raidtui.model.device import Device
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.machine import Machine, Mount
from raidtui.model.result import MeasuredUnit
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Unit

IN_MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
# They overwrite a block in place; others write elsewhere, and more than they were given.
IN_PLACE: Final = EXT | {"", "xfs", "vfat", "exfat"}
_COMPRESSING: Final = frozenset({"zfs", "bcachefs"})  # may compress, whatever the mount options say


class Below(Record, frozen=True, kw_only=True):
    """Block devices by the kernel's names (``md127``)."""

    top: tuple[str, ...] = ()  # the devices the filesystem is on (Btrfs: one or more), or the device itself
    all: tuple[str, ...] = ()  # these and everything below them
    disks: tuple[str, ...] = ()  # the whole devices at the bottom
    rotational: bool = False


def mount_of(descriptor: int) -> Mount | None:
    """The mount of an open directory, by the kernel's mount ID and not by its path."""
    number = ""
    for line in HERE.lines(f"/proc/self/fdinfo/{descriptor}"):
        key, _, value = line.partition(":")
        if key == "mnt_id":
            number = value.strip()
    for line in HERE.lines("/proc/self/mountinfo"):
        if number and line.split(" ", 1)[0] == number:
            return next(iter(parse_mountinfo(line)), None)
    return None


def option(mount: Mount, name: str) -> str | None:
    """The value of a mount option, empty if it takes none; ``None`` if it is not set."""
    for word in mount.options.split(","):
        key, _, value = word.partition("=")
        if key == name:
            return value
    return None


def in_memory(mount: Mount) -> str:
    """Why data written to ``mount`` stays in memory; empty if it does not.

    An overlay writes to its upper folder; one whose upper folder cannot be seen is refused too.
    """
    if mount.type in IN_MEMORY:
        return f"a {mount.type}, which is in memory"
    if mount.type == "overlay":
        upper = option(mount, "upperdir")
        if upper is None:
            return "an overlay that nothing can be written to"
        try:
            descriptor = os.open(upper, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return f"an overlay whose upper folder {harmless(upper)} cannot be seen from here"
        try:
            below = mount_of(descriptor)
        finally:
            os.close(descriptor)
        if below is None or below.type == "overlay" or below.type in IN_MEMORY:
            return "an overlay whose upper folder is in memory"
    return ""


def compresses(mount: Mount) -> bool:
    """Whether equal or compressible blocks may take less space there."""
    return mount.type in _COMPRESSING or any(
        key.startswith("compress") and value not in {"no", "none"}
        for key, _, value in (word.partition("=") for word in mount.options.split(","))
    )


def devices_under(mount: Mount, device_number: str, graph: DeviceGraph) -> tuple[Device, ...]:
    """The block devices that the filesystem of ``mount`` is on; none for a network filesystem or if unknown."""
    numbers = (device_number, mount.device_number, find_number(mount.source))
    # Btrfs and ZFS use device numbers of no disk; the source of the mount names one.
    device = next((graph.by_number[number] for number in numbers if number in graph.by_number), None)
    return graph.together(device) if device else ()


def look_below(top: Sequence[Device], graph: DeviceGraph, *, tree: Tree = HERE) -> Below:
    disks = graph.disks_under(*top)
    return Below(
        top=tuple(one.name for one in top),
        all=tuple(one.name for one in graph.all_below(*top)),
        disks=tuple(sorted(disk.name for disk in disks)),
        rotational=any(tree.text(f"{disk.folder}/queue/rotational") == "1" for disk in disks),
    )


def read_queue(name: str, file: str) -> str:
    """A setting of a device's queue: ``scheduler``, ``logical_block_size``."""
    return HERE.text(f"/sys/block/{name.replace('/', '!')}/queue/{file}")


class Nearest(Record, frozen=True, kw_only=True):
    """A unit, and what a result stores about it."""

    unit: Unit
    made: MeasuredUnit


def unit_mounted_at(place: str, machine: Machine) -> Unit | None:
    """The unit mounted at ``place`` that has no device of its own: its filesystem names no disk."""
    return next((one for one in units_of(machine) if not one.node and place in one.mountpoints), None)


def nearest(below: Below, machine: Machine, *, mounted: Unit | None = None) -> Nearest | None:
    """The nearest unit of several members under a device; None if there is none.

    A unit of one member, such as a volume group on one disk or on an array, only passes I/O through.
    """
    if mounted is not None:
        return Nearest(unit=mounted, made=reader(mounted.backend).measured(mounted, machine))
    units = {os.path.basename(os.path.realpath(one.node)): one for one in units_of(machine) if one.node}
    for unit in (units[name] for name in below.all if name in units):
        made = reader(unit.backend).measured(unit, machine)
        if made.raid_disks > 1:
            return Nearest(unit=unit, made=made)
    return None
