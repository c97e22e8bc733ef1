"""How the block devices of a computer lie on each other, and what follows from that: one answer for everybody. Pure.

A device lies on those that the kernel names as its slaves, on its disk if it is a partition, and on what holds the
file of a loop device. A mount is of the device that the kernel reports for it, never of what its place suggests.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec.structs import replace

from raidtui.model.device import Device, DeviceKind, kind_of
from raidtui.model.machine import Array, Disk, Machine, Mount, Signature
from raidtui.model.struct import Record
from raidtui.model.unit import Unit

TABLES: Final = frozenset({"gpt", "PMBR", "dos"})
"""Signatures of partition tables."""
NUMBERED: Final = frozenset({"btrfs", "bcachefs"})
"""Filesystems on block devices whose mounts have a device number of their own."""


class MountedAt(Record, frozen=True, kw_only=True):
    """A mount and its mount namespace."""

    mount: Mount
    namespace: str = ""  # "mnt:[4026531841]"; of a recorded mount elsewhere only that of its process is known
    pid: int = 0  # of a process in that namespace
    here: bool  # in our own namespace
    host: bool = True  # in our own namespace or that of process 1
    apart: bool = False  # in another namespace, and it stays when the same is unmounted in our own


class Swap(Record, frozen=True, kw_only=True):
    """A device or file in use as swap."""

    path: str
    partition: bool  # a device, not a file


class DeviceGraph:
    """All block devices of one reading, and how they are stacked."""

    def __init__(
        self,
        devices: Iterable[Device],
        mounts: Sequence[MountedAt] = (),
        sets: Sequence[tuple[str, ...]] = (),
    ) -> None:
        """``mounts`` in mount order; ``sets``: the devices of each mounted filesystem that has several."""
        self.by_name = {device.name: device for device in devices}
        self.mounts = mounts
        self._sets = {name: names for names in sets for name in names}

    def __iter__(self) -> Iterator[Device]:
        return iter(self.by_name.values())

    @cached_property
    def by_number(self) -> dict[str, Device]:
        """The devices by number."""
        return {device.number: device for device in self if device.number}

    def at(self, path: str) -> Device | None:
        """The device that a node or link means."""
        return self.by_name.get(path.removeprefix("/dev/")) or self._by_link.get(path)

    def parts(self, device: Device) -> tuple[Device, ...]:
        """The partitions of a whole device."""
        return self._those(device.partitions)

    def whole(self, device: Device) -> Device:
        """The whole device of a partition; a whole device itself."""
        return self.by_name.get(device.disk, device)

    def on(self, device: Device) -> tuple[Device, ...]:
        """The devices directly on ``device``, loop devices too, but not its partitions."""
        loops = self._loops_on.get(device.name, ())
        return self._those(tuple(dict.fromkeys((*device.holders, *loops))))

    def is_path(self, device: Device | None) -> bool:
        """Whether it is a path of a multipath device, which stands for all of its paths."""
        return device is not None and any(one.kind is DeviceKind.MULTIPATH for one in self.on(device))

    def all_on(self, device: Device) -> tuple[Device, ...]:
        """All devices on ``device``, nearest first, including their partitions, each once."""
        return _reached(self.on(device), lambda one: (*self.parts(one), *self.on(one)))

    def below(self, device: Device) -> tuple[Device, ...]:
        """The devices directly below ``device``, of a partition its disk; a disk is the bottom, whatever it is made of."""
        if device.kind is DeviceKind.DISK:
            return ()
        under = self.under_loop(device)
        return self._those(
            (*device.slaves, *((device.disk,) if device.disk else ()), *((under.name,) if under else ()))
        )

    def all_below(self, *devices: Device) -> tuple[Device, ...]:
        """These and everything below them, nearest first, each once."""
        return _reached(devices, self.below)

    def under_loop(self, loop: Device) -> Device | None:
        """What is behind a loop device: a device, or that with the filesystem of its file, if it is known."""
        if loop.kind is not DeviceKind.LOOP or not loop.backing:
            return None
        return self.holding(loop.backing) if loop.is_image else self.at(loop.backing)

    def holding(self, file: str) -> Device | None:
        """The device whose filesystem, mounted in our own namespace, has the file or folder at the path ``file``."""
        deepest: MountedAt | None = None
        for one in self.mounts:
            if one.here and lies_in(file, one.mount.target):
                longer = deepest is None or len(one.mount.target) >= len(deepest.mount.target)
                deepest = one if longer else deepest
        return self.at(deepest.mount.device) if deepest and deepest.mount.device else None

    def disks_under(self, *devices: Device) -> tuple[Device, ...]:
        """The whole devices at the bottom of ``devices``, each once."""
        return tuple(one for one in self.all_below(*devices) if not self.below(one))

    def disks_of(self, unit: Unit) -> tuple[Device, ...]:
        """The whole disks under a unit, each once; a virtual drive is the disk itself."""
        paths = (*(member.path for member in unit.members), unit.node)
        return self.disks_under(*(one for path in paths if path and (one := self.at(path)) is not None))

    def mounts_of(self, *devices: Device) -> tuple[MountedAt, ...]:
        """The mounts of ``devices`` themselves, in mount order, stacked ones too, in every namespace that counts.

        Those in other namespaces that end with one of our own are left out.
        """
        numbers, paths = {one.number for one in devices} - {""}, {one.path for one in devices}
        return tuple(
            one for one in self.mounts if (one.here or one.apart) and is_of(one.mount, numbers, paths)
        )

    def mounts_on(self, *devices: Device) -> tuple[MountedAt, ...]:
        """The mounts of the filesystems that ``devices`` are of, whichever of their devices these name; else as `mounts_of`."""
        return self.mounts_of(*(member for device in devices for member in self.together(device)))

    def in_set(self, device: Device) -> bool:
        """Whether it is a device of a mounted filesystem that may have several, even if no mount names it."""
        return device.name in self._sets

    def together(self, device: Device) -> tuple[Device, ...]:
        """The devices of the mounted filesystem that ``device`` is one of: a mount names one of its members only."""
        return self._those(self._sets.get(device.name, (device.name,)))

    @cached_property
    def _by_link(self) -> dict[str, Device]:
        return {link: device for device in self for link in device.links}

    @cached_property
    def _loops_on(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for loop in self:
            for under in self.together(below) if (below := self.under_loop(loop)) is not None else ():
                found.setdefault(under.name, []).append(loop.name)
        return found

    def _those(self, names: Iterable[str]) -> tuple[Device, ...]:
        return tuple(self.by_name[name] for name in names if name in self.by_name)


def is_of(
    mount: Mount, numbers: Collection[str], nodes: Collection[str], links: Collection[str] = ()
) -> bool:
    """Whether a mount is of one of the devices with these numbers, nodes and links; Btrfs' has no device's number."""
    if mount.device_number in numbers or mount.device in nodes:
        return True
    # Where the node is not known, as in old recordings, the number decides, else the source, which may be any word.
    own_number = not mount.device_number.startswith("0:")
    decided = bool(mount.device) or (bool(numbers) if own_number else mount.type not in NUMBERED)
    return not decided and (mount.source in nodes or mount.source in links)


def lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def in_the_way(other: str, target: str) -> bool:
    """Whether a later mount at ``other`` is over one at ``target``, or inside it."""
    return (other != "/" and lies_in(target, other)) or lies_in(other, target)


def overlay_folders(mount: Mount) -> tuple[str, ...]:
    """The folders that an overlay is made of, which keep their filesystems in use; none of anything else."""
    options = mount.options.split(",") if mount.type == "overlay" else ()
    return tuple(
        folder
        for word in options
        if word.startswith(("lowerdir=", "upperdir="))
        for folder in word.partition("=")[2].replace(r"\040", " ").split(":")  # as the kernel writes a blank
    )


def disks_of(unit: Unit, machine: Machine) -> tuple[Disk, ...]:
    """The disks under a unit of a reading, each once: the drives themselves where they are behind a RAID card."""
    known = {member.disk for member in unit.members} - {""}
    under = {device.name for device in graph_of(machine).disks_of(unit)}
    behind = tuple(disk for disk in machine.disks if not disk.has_device and disk.identity in known)
    return behind or tuple(d for d in machine.disks if d.name in under or d.identity in known)


def graph_of(machine: Machine) -> DeviceGraph:
    """The graph of a reading; of a recording without devices, as much of it as can be derived."""
    elsewhere = (
        MountedAt(mount=one.mount, pid=one.pid, here=False, host=False, apart=True)
        for one in machine.mounts_elsewhere
    )
    devices = machine.devices or _derived(machine)
    sets: dict[str, list[str]] = {}
    for device in devices:
        if device.type in NUMBERED and device.uuid:
            sets.setdefault(device.uuid, []).append(device.name)
    return DeviceGraph(
        devices,
        (*(MountedAt(mount=mount, here=True) for mount in machine.mounts), *elsewhere),
        sets=[tuple(names) for names in sets.values()],
    )


def _derived(machine: Machine) -> tuple[Device, ...]:
    """The devices that a recording names, from its disks, arrays and mounts."""
    found: dict[str, Device] = {}
    for disk in machine.disks:
        found |= {one.name: one for one in _of_disk(disk)}
    for array in machine.arrays:
        if array.node:
            found[array.node.removeprefix("/dev/")] = _of_array(array)
    for path, number in (
        *((mount.device, mount.device_number) for mount in machine.mounts),
        *((s.device, "") for array in machine.arrays for s in array.signatures),
    ):
        name = path.removeprefix("/dev/")
        if path and name not in found:
            base = next((a for a in found.values() if _is_part_of(name, a)), None)
            found[name] = Device(
                name=name,
                number="" if number.startswith("0:") else number,
                kind=kind_of(name, is_disk=False, partition=base is not None),
                disk=base.name if base else "",
            )
            if base is not None:
                found[base.name] = replace(base, partitions=(*base.partitions, name))
    for upper in tuple(found.values()):
        for name in upper.slaves:
            if (lower := found.get(name)) is not None:
                found[name] = replace(lower, holders=(*lower.holders, upper.name))
    return tuple(found.values())


def _is_part_of(name: str, whole: Device) -> bool:
    rest = name.removeprefix(f"{whole.name}p")
    return whole.kind is DeviceKind.ARRAY and rest != name and rest.isdigit()


def _of_disk(disk: Disk) -> Iterator[Device]:
    if not disk.has_device:
        return
    yield Device(
        name=disk.name,
        number=disk.device_number,
        kind=DeviceKind.DISK,
        size_bytes=disk.size_bytes,
        partitions=tuple(part.name for part in disk.partitions),
        read_only=disk.read_only,
        links=tuple(f"/dev/disk/by-id/{link}" for link in disk.by_id),
        **content_of(disk.signatures),
    )
    for part in disk.partitions:
        yield Device(
            name=part.name,
            kind=DeviceKind.PARTITION,
            size_bytes=part.size_bytes,
            start_bytes=part.start_bytes,
            partition=part.number,
            disk=disk.name,
            links=tuple(f"/dev/disk/by-id/{link}-part{part.number}" for link in disk.by_id),
            partition_label=part.label,
            partition_uuid=part.uuid,
            **content_of(part.signatures),
        )


def _of_array(array: Array) -> Device:
    return Device(
        name=array.node.removeprefix("/dev/"),
        kind=DeviceKind.ARRAY,
        size_bytes=array.size_bytes,
        slaves=tuple(member.path.removeprefix("/dev/") for member in array.members),
        links=tuple(filter(None, (array.path,))),
        **content_of(tuple(s for s in array.signatures if s.device == array.node)),
    )


def content_of(signatures: Sequence[Signature]) -> dict[str, Any]:
    """What is on a device, as a device says it."""
    one = next((s for s in signatures if s.type not in TABLES), None)
    return {key: getattr(one, key, "") for key in ("type", "label", "uuid")}


def _reached(first: Iterable[Device], more: Callable[[Device], Iterable[Device]]) -> tuple[Device, ...]:
    """The devices ``first`` and all that ``more`` leads to from them, each once."""
    found: dict[str, Device] = {}
    waiting = list(first)
    while waiting:
        one = waiting.pop(0)
        if one.name not in found:
            found[one.name] = one
            waiting += more(one)
    return tuple(found.values())
