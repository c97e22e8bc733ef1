"""What a backend gives to the removal of a unit: its core, and what is its own. `raidtui.plan.removal` is the frame."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Check, Run, Step, removal_step
from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.footprint import Footprint
from raidtui.steps.pieces import called

MEMBER: Final = "member"


class OnDisk(Record, frozen=True, kw_only=True):
    """A disk or partition that may be a member of a unit."""

    disk: Disk
    device: str  # its stable path; empty for a drive behind a RAID card
    path: str  # the kernel's path
    size_bytes: int
    role: str = MEMBER

    @property
    def whole(self) -> str:
        return self.disk.stable_path

    @property
    def shows(self) -> tuple[str, ...]:
        """Kernel paths of it and its partitions; signatures of the unit's contents may show there."""
        return (self.path, *(p.path for p in self.disk.partitions if self.path == self.disk.path))

    @property
    def shown(self) -> str:
        """It for people: its disk, and which partition where the disk has several."""
        numbers = {partition_path(self.whole, p.number): p.number for p in self.disk.partitions}
        number = numbers.get(self.device)
        return called(self.disk) + (f" (partition {number})" if number and len(numbers) > 1 else "")


class Erasable(Protocol):
    """A device with a part of a unit: on a disk, or a unit itself."""

    @property
    def device(self) -> str:
        """Its stable path."""

    @property
    def whole(self) -> str:
        """The path of the whole disk; empty if it is on none of its own."""

    @property
    def shown(self) -> str:
        """It for people."""


M = TypeVar("M", bound=Erasable)


class Removal(Record, frozen=True, kw_only=True):
    """How one unit is removed: what the frame needs to know, and the backend's own steps in the middle.

    The frame unmounts it, removes its lines, takes the core, erases the partition tables of disks that are left with
    nothing, waits for udev, and removes the mount points that a build created.
    """

    spec: Spec  # of the unit, as far as it is known; the frame fills in the members
    noun: str  # what it is: array, volume group
    mark: str  # one of the unit's marks; empty for a single disk
    path: str  # the device that holds the data
    size_bytes: int
    uuids: tuple[str, ...] = ()  # of what is removed from the disks
    filesystem_uuid: str = ""
    members: tuple[OnDisk, ...]  # what it leaves blank; each once
    partition_type: str = ""  # of its members' partitions: a disk with nothing else loses its table too
    leftover_type: str = ""  # of a partition that may be beside them, and goes with the table
    footprint: Footprint
    source: str = ""  # what to mount again by, where neither fstab nor another mount helps
    mounts_itself: Mapping[tuple[str, str], Run] = {}  # the backend's own mounts, by source and target
    free: tuple[str, ...] = ()  # devices that nothing may use any more before its lines are removed
    core: tuple[Step, ...]
    gone: tuple[Check, ...] = ()  # hold when it is gone, and still after udev has seen the disks
    folders: tuple[str, ...] = ()  # its mount points
    built: str = ""  # by which a build recorded that it created them
    forget: tuple[Step, ...] = ()  # its other lines in /etc; equal steps of several units become one
    release: tuple[Run, ...] = ()
    below: tuple["Removal", ...] = ()  # units that it is built on and that go with it

    @property
    def every(self) -> tuple["Removal", ...]:
        """It and all that goes with it, topmost first."""
        return (self, *(inner for one in self.below for inner in one.every))


def devices_by_path(machine: Machine) -> dict[str, OnDisk]:
    """Every disk and partition of ``machine``, by the kernel's path."""
    return {
        path: OnDisk(disk=disk, device=device, path=path, size_bytes=size)
        for disk in machine.disks
        for path, device, size in (
            (disk.path, disk.stable_path, disk.size_bytes),
            *((p.path, partition_path(disk.stable_path, p.number), p.size_bytes) for p in disk.partitions),
        )
    }


def members_at(
    paths: Sequence[str], machine: Machine, *, called_as: str, instead: Callable[[str], str]
) -> tuple[OnDisk, ...]:
    """The members at ``paths``, the kernel's.

    Args:
        called_as: what one is: "a device of tank".
        instead: what to do about one that is on no disk.

    Raises:
        Refused: one is neither a disk nor a partition.
    """
    devices = devices_by_path(machine)
    for path in paths:
        if path not in devices:
            raise Refused(
                f"{path}, {called_as}, is neither a disk nor a partition, so it cannot be erased here. {instead(path)}"
            )
    return tuple(devices[path] for path in paths)


def erase_step(
    id: str,  # noqa: A002
    members: Sequence[M],
    erase: Callable[[M], Sequence[Run]],
    *,
    title: str,
    reason: str,
    destroys: Callable[[M], str],
) -> Step:
    """Erase every trace of a unit on ``members``: nothing may use one before, and each is blank afterwards."""
    return removal_step(
        id=id,
        title=title,
        reason=reason,
        actions=tuple(run for member in members for run in erase(member)),
        destroys=tuple(map(destroys, members)),
        before=tuple(UNCLAIMED.of(member.device) for member in members),
        after=tuple(BLANK.of(member.device) for member in members),
        holds=wholes_of(members),
    )


def wholes_of(members: Sequence[Erasable]) -> tuple[str, ...]:
    """The whole disks under ``members`` that have a device, each once."""
    return tuple(dict.fromkeys(member.whole for member in members if member.device and member.whole))
