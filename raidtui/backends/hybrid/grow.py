"""Let a volume over bands grow: by a further disk, or into the free space of its disks, as new bands.

For new bands nothing that is there moves. Until LVM takes a new array it is beside the volume, so a power cut loses nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.growing import Grower, Grown, Shape, Way
from raidtui.backends.hybrid.adding import (
    WiderBand,
    bands_over,
    fitting_disks,
    gain_of,
    joining_steps,
    least_of,
    needs_of,
    reached,
)
from raidtui.backends.hybrid.bands import volume_bytes
from raidtui.backends.hybrid.levels import redundancy_of
from raidtui.backends.hybrid.new_bands import bases_in, partition_steps, wait_step
from raidtui.backends.hybrid.room import Room, Tail, room_of
from raidtui.backends.lvm.conditions import GROUP, VOLUME_RUNS
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.reading import group_in, reading_in
from raidtui.backends.lvm.report import VolumeGroup
from raidtui.backends.lvm.space import EXTENT
from raidtui.backends.lvm.units import main_volume, others
from raidtui.backends.lvm_on_md.base import Base, arrays_steps, devices_step, lines_of
from raidtui.backends.lvm_on_md.units import arrays_of
from raidtui.backends.md.array_names import address, entries_of
from raidtui.backends.md.conditions import ARRAY_WHOLE
from raidtui.backends.md.growing.shapes import RESHAPE, UNTIL_ADDED, why_not_now
from raidtui.backends.md.persistence import boot_steps
from raidtui.backends.md.replace import need_of
from raidtui.backends.md.states import shown_name
from raidtui.backends.replacing import Leaving, Naming
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Machine
from raidtui.model.plan import KEPT, Check, PlannedDisk, Role, Run, Step, member_step
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Unit
from raidtui.model.units import decimal
from raidtui.steps.flush import flushed
from raidtui.steps.ids import unique_ids
from raidtui.steps.pieces import called, planned
from raidtui.steps.settle import settle_partitions

_CHANGE: Final = "new bands"


class HybridGrower(Grower):
    """mdadm and LVM."""

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        """What the volume is, and what the free space of its disks gives."""
        return (
            _shape(unit, "today", unit_bytes=unit.size_bytes),
            _further_disk(unit, machine),
            _new_bands(unit, machine),
        )

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        if order.level or len(order.add) + order.to_largest != 1:
            raise Refused(
                f"{harmless(unit.name)} grows by one disk at a time, or into the free space of its disks"
            )
        arrays, free = _arrays(unit, machine), _free(unit, machine)
        if order.add:
            joining = _joining(unit, order, machine)
            need, *further = needs_of(joining, machine)
            return Grown(
                need=need,
                further=tuple(further),
                unit_bytes=unit.size_bytes + free + gain_of(joining),
                device=unit.path,
                moves=True,
                creates=tuple(band.array.uuid for band in joining),
            )
        room = _room(unit, machine)
        if not room.bands and not free:
            raise Refused(f"{harmless(unit.name)} cannot grow now: it needs {_lacking(room)}")
        used = sorted({place for band in room.bands for place in band.disks})
        return Grown(
            need=need_of(arrays[0], None, "", Leaving("", None, (), machine), spare=True),
            unit_bytes=unit.size_bytes + free + volume_bytes(room.bands),
            device=unit.path,
            disks=tuple(_kept(room.tails[place]) for place in used),
            creates=tuple(
                uuid
                for base in bases_in(unit, arrays, room, machine)
                for uuid in (base.uuid, base.holder.uuid)
            ),
        )

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """Let the disk join its arrays, or create the array of each new band; then the volume takes all of the group."""
        if order.add:
            joining = _joining(unit, order, machine)
            volume = _whole_volume(unit, machine, gain_of(joining))
            return unique_ids([*joining_steps(joining, new, machine), volume])
        arrays, room, system = _arrays(unit, machine), _room(unit, machine), machine.system
        bases = bases_in(unit, arrays, room, machine)
        devices = [piece.device for base in bases for piece in base.resolved.pieces]
        named = any(entries_of(array, machine) for array in arrays)
        steps = [
            *partition_steps(bases),
            *([settle_partitions(devices, udev=system.udev)] if bases else []),
            *arrays_steps(bases, system),
            *(boot_steps(lines_of(bases, "1.2"), system) if bases and named else []),
            *([devices_step(bases)] if bases else []),
            *_extended(unit, bases, room, machine),
            *(wait_step(base) for base in bases),
        ]
        roles = {Role.PERSIST: Role.FIX, Role.WAIT: Role.WAIT}
        return [replace(step, role=roles.get(step.role, Role.MEMBER)) for step in unique_ids(steps)]

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """Every array that it had has full redundancy; the size of the volume was a condition of its step."""
        return tuple(ARRAY_WHOLE.of(uuid) for uuid in unit.below)

    def last(self, unit: Unit) -> list[Step]:
        """Nothing: the new arrays were just synced as a whole, and those that a disk has joined were checked."""
        return []


def _bands(unit: Unit, machine: Machine) -> tuple[WiderBand, ...]:
    arrays, group, known = _arrays(unit, machine), _group(unit, machine), reading_in(machine)
    assert known is not None, "its group was found"
    if group.extent_bytes != EXTENT:
        raise Refused(
            f"the extents of {harmless(unit.name)} are not of 4 MiB, so it is not of raidtui's making"
        )
    return bands_over(unit, arrays, known.known.devices_of(group), machine)


def _joining(unit: Unit, order: Grow, machine: Machine) -> tuple[WiderBand, ...]:
    """The bands that the disk of ``order`` joins."""
    bands, disk = _bands(unit, machine), machine.disk(order.add[0])
    found = reached(bands, disk)
    if not found:
        raise Refused(f"{called(disk)} is too small for {harmless(unit.name)}, which needs {least_of(bands)}")
    return found


def _further_disk(unit: Unit, machine: Machine) -> Shape:
    change = "+1 disk"
    try:
        bands, free = _bands(unit, machine), _free(unit, machine)
    except Refused as error:
        return _shape(unit, change, refused=str(error))
    disks = fitting_disks(bands, machine)
    joining = reached(bands, disks[0]) if disks else bands
    return replace(
        _shape(
            unit,
            change,
            unit_bytes=unit.size_bytes + free + gain_of(joining),
            way=Way.MOVE,
            moved_bytes=sum(band.array.component_bytes for band in joining),
            checked_bytes=sum(band.array.component_bytes for band in joining),
            risk=RESHAPE,
            needs="" if disks else least_of(bands),
            undo=UNTIL_ADDED,
            fits=tuple(one.identity for one in disks),
            add=(disks[0].identity,) if disks else (),
            procedure=Grow(unit=unit.uuid, add=(disks[0].identity,)) if disks else None,
        ),
        members=unit.raid_disks + 1,
    )


def _shape(unit: Unit, change: str, **more: object) -> Shape:
    return Shape(
        change=change,
        level=unit.level,
        members=unit.raid_disks,
        survives=redundancy_of(unit.level),
        **more,  # type: ignore[arg-type]  # the optional fields
    )


def _new_bands(unit: Unit, machine: Machine) -> Shape:
    try:
        room, free = _room(unit, machine), _free(unit, machine)
    except Refused as error:
        return _shape(unit, _CHANGE, refused=str(error))
    if not room.bands and not free:
        return _shape(unit, _CHANGE, unit_bytes=unit.size_bytes, way=Way.SYNC, needs=_lacking(room))
    return _shape(
        unit,
        _CHANGE,
        unit_bytes=unit.size_bytes + free + volume_bytes(room.bands),
        way=Way.SYNC,
        moved_bytes=sum(band.geometry.component_bytes for band in room.bands),
        risk="none: nothing that is there moves",
        undo="until LVM has taken the new arrays",
        procedure=Grow(unit=unit.uuid, to_largest=True),
    )


def _group(unit: Unit, machine: Machine) -> VolumeGroup:
    if (found := group_in(unit, machine)) is None:
        raise Refused(f"LVM does not say what {harmless(unit.name)} is made of")
    reading, group = found
    if whose := others(group, reading):
        raise Refused(f"{harmless(unit.name)} is {whose}; let it grow there")
    volume = main_volume(group, reading.known)
    if volume is None or volume.name != VOLUME or volume.type != "linear" or not volume.active:
        raise Refused(f"{harmless(unit.name)} has no active linear volume called {VOLUME}")
    return group


def _free(unit: Unit, machine: Machine) -> int:
    """Bytes of the group that no volume has."""
    return _group(unit, machine).free_bytes


def _arrays(unit: Unit, machine: Machine) -> list[Array]:
    """The arrays below, all of them and all able to take part.

    Raises:
        Refused: one is missing, degraded, busy or has errors.
    """
    _group(unit, machine)
    found = list(arrays_of(unit, machine))
    if not found or len(found) != len(unit.members):
        raise Refused(f"an array of {harmless(unit.name)} is missing")
    for array in found:
        if why := why_not_now(array):
            raise Refused(f"{shown_name(array)}: {why}")
    return found


def _room(unit: Unit, machine: Machine) -> Room:
    return room_of(unit, _arrays(unit, machine), machine)


def _lacking(room: Room) -> str:
    """What is lacking for a new band, in words."""
    if room.gain:
        large = max(room.tails, key=lambda tail: tail.disk.size_bytes).disk
        return (
            f"no new space yet: one more disk of {decimal(large.size_bytes)} in place of {harmless(room.smallest)} "
            f"gives {decimal(room.gain)} (raidtui replace)"
        )
    which = "larger disks" if room.lacking > 1 else "a larger disk"
    return f"{which}: replace {count_of(range(room.lacking), 'more disk')}, one after the other (raidtui replace)"


def _kept(tail: Tail) -> PlannedDisk:
    """The disk, on which only the free space changes."""
    shares = tuple(part.number for part in tail.disk.partitions)
    return planned(tail.disk, tail.disk.stable_path, KEPT, shares=shares)


def _flushed(unit: Unit, machine: Machine, further: Sequence[str]) -> Run:
    """Flush the metadata of the group on all its arrays."""
    return flushed(*(address(array) for array in _arrays(unit, machine)), *further)


def _extended(unit: Unit, bases: Sequence[Base], room: Room, machine: Machine) -> Iterator[Step]:
    """The group takes the new physical volumes, and the volume all that is free."""
    group, known = _group(unit, machine), reading_in(machine)
    assert known is not None, "its group was found"
    before = len(known.known.devices_of(group))
    devices, name = [base.holder.device for base in bases], group.name
    count = before + len(devices)
    if devices:
        reduce = (Run(argv=("vgreduce", name, *devices), ok=(0, 5)),)
        yield Step(
            id="extend-group",
            role=Role.MEMBER,
            title=f"Add {count_of(devices, 'physical volume')} to the volume group {harmless(name)}",
            reason="Its volume can be extended onto them then.",
            actions=(Run(argv=("vgextend", name, *devices)), _flushed(unit, machine, devices)),
            before=(GROUP.of(unit.uuid, f"{name} {before}"),),
            after=(GROUP.of(unit.uuid, f"{name} {count}"),),
            undo=reduce,
            undo_note="the volume group is as it was",
            repair=reduce,
        )
    yield _whole_volume(unit, machine, volume_bytes(room.bands), devices)


def _whole_volume(unit: Unit, machine: Machine, gain: int, further: Sequence[str] = ()) -> Step:
    """The volume takes all of its group, which has ``gain`` bytes more, on ``further`` new physical volumes."""
    group, known = _group(unit, machine), reading_in(machine)
    assert known is not None, "its group was found"
    count = len(known.known.devices_of(group)) + len(further)
    size = unit.size_bytes + group.free_bytes + gain
    name = group.name
    return member_step(
        id="extend-volume",
        title=f"Let the volume {harmless(name)}/{VOLUME} take all of the volume group",
        reason="It continues on the new space where it ended.",
        # Exit code 5: it has all of it already; the condition decides.
        actions=(
            Run(argv=("lvextend", "--extents", "+100%FREE", f"{name}/{VOLUME}"), ok=(0, 5)),
            _flushed(unit, machine, further),
        ),
        after=(VOLUME_RUNS.of(unit.uuid, f"linear {count} {size}"),),
    )


GROWER: Final = HybridGrower()
