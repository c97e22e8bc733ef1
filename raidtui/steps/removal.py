"""Shared steps and checks of teardowns: remove fstab lines, erase partition tables, find what else is on a disk."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.nodes import partition_path
from raidtui.model.plan import Check, DropLine, EnsureLine, PlannedDisk, Role, Step, Undo
from raidtui.model.struct import Record
from raidtui.model.text import count_of
from raidtui.steps.devices import BLANK, UNCLAIMED
from raidtui.steps.files import LINE_NOT_IN
from raidtui.steps.fstab import FSTAB, reload_systemd
from raidtui.steps.pieces import called, check_identity, planned
from raidtui.steps.wipe import forget_table


class Placed(Protocol):
    """A member of a unit on a disk."""

    @property
    def disk(self) -> Disk:
        """The disk that it is on."""

    @property
    def device(self) -> str:
        """Its stable path: the disk's, or that of a partition."""


MEMBER: Final = "member"
M = TypeVar("M", bound=Placed)


class OnDisk(Record, frozen=True, kw_only=True):
    """A disk or partition that may be a member of a unit."""

    disk: Disk
    device: str  # its stable path
    path: str  # the kernel's path
    size_bytes: int

    @property
    def whole(self) -> str:
        """The path of the whole disk."""
        return self.disk.stable_path


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


def planned_disks(
    members: Sequence[M], machine: Machine, *, name: str, role: Callable[[M], str] = lambda _: MEMBER
) -> tuple[PlannedDisk, ...]:
    """The disks under ``members``, each once, as recorded in a plan that removes the unit ``name``.

    Where members on one disk differ in their role, the disk has that of the first.

    What else is on a disk, in partitions of its own, is left alone: the removal writes only to the members.

    Raises:
        Refused: the running system is on a disk, or a disk has no identity of its own to confirm it by.
    """
    own: dict[str, list[M]] = {}
    for member in members:
        own.setdefault(member.disk.key, []).append(member)
    found = []
    for some in own.values():
        disk, whole = some[0].disk, some[0].disk.stable_path
        if any(claim.weight is Weight.SYSTEM for claim in disk.taken_by):
            raise Refused(f"the running system is on {called(disk)}, a disk of {name}; it cannot be removed")
        check_identity(disk, machine)
        devices = {one.device for one in some}
        used = {claim.device for claim in disk.taken_by if claim.weight is not Weight.DATA}
        shares = tuple(
            part.number
            for part in disk.partitions
            if part.path in used and partition_path(whole, part.number) not in devices
        )
        found.append(planned(disk, whole, role(some[0]), shares))
    return tuple(found)


def identities(disks: Sequence[PlannedDisk], role: str = MEMBER) -> tuple[str, ...]:
    """The identities of the disks with that role, for a spec."""
    return tuple(disk.identity for disk in disks if disk.role == role)


def emptied(members: Sequence[Placed], *types: tuple[str, ...]) -> tuple[str, ...]:
    """The whole disks that have nothing but ``members``, so that their partition tables are erased too.

    Args:
        types: what the partitions of such a disk are, by number; the last ones may be no members.
    """
    found = []
    for disk in {member.disk.key: member.disk for member in members}.values():
        devices = {member.device for member in members if member.disk.key == disk.key}
        parts = {partition_path(disk.stable_path, part.number): part.type for part in disk.partitions}
        extra = sorted(kind for device, kind in parts.items() if device not in devices)
        kinds = {kind for device, kind in parts.items() if device in devices}
        if devices <= parts.keys() and any(
            kinds == {first} and extra == sorted(rest) for first, *rest in types
        ):
            found.append(disk.stable_path)
    return tuple(found)


def left_blank(members: Sequence[Placed], wholes: Sequence[str]) -> tuple[Check, ...]:
    """The checks that nothing is left on ``members``: on the whole disk where ``wholes`` has it."""
    places = (m.disk.stable_path if m.disk.stable_path in wholes else m.device for m in members)
    return tuple(BLANK.of(place) for place in dict.fromkeys(places))


def wholes_of(members: Sequence[Placed]) -> tuple[str, ...]:
    """The whole disks under ``members``, each once."""
    return tuple(dict.fromkeys(member.disk.stable_path for member in members))


def part_of(member: Placed) -> str:
    """A member for people: its disk, and which partition where the disk has several."""
    numbers = {partition_path(member.disk.stable_path, p.number): p.number for p in member.disk.partitions}
    number = numbers.get(member.device)
    return called(member.disk) + (f" (partition {number})" if number and len(numbers) > 1 else "")


def drop_fstab_lines(
    lines: Sequence[str], machine: Machine, *, what: str, unused: Sequence[str] = ()
) -> list[Step]:
    """Remove ``lines``, which mount ``what``, from fstab; no step if there are none.

    Args:
        unused: the devices that hold it. Nothing may use them any more, or the removal would fail after this.
    """
    if not lines:
        return []
    reload = reload_systemd(machine.system)
    return [
        Step(
            id="fstab",
            role=Role.REMOVE,
            title=f"Remove the {what} from {FSTAB}",
            reason="Otherwise the next boot waits for a filesystem that no longer exists.",
            actions=(*(DropLine(path=FSTAB, line=line) for line in lines), *reload),
            before=tuple(UNCLAIMED.of(device) for device in unused),
            after=tuple(LINE_NOT_IN.of(FSTAB, line) for line in lines),
            undo=(*(EnsureLine(path=FSTAB, line=line) for line in lines), *reload),
            undo_note="the lines are restored",
        )
    ]


def erase_tables(wholes: Sequence[str]) -> list[Step]:
    """Erase the partition table of each disk whose only partition was a member; no step if there are none."""
    if not wholes:
        return []
    return [
        Step(
            id="table",
            role=Role.REMOVE,
            title=f"Erase the partition table of {count_of(wholes, 'disk')}",
            reason="The member was its only partition: the disk is free again.",
            actions=tuple(run for whole in wholes for run in forget_table(whole)),
            after=tuple(BLANK.of(whole) for whole in wholes),
            undoable=Undo.IMPOSSIBLE,
            holds=tuple(wholes),
        )
    ]
