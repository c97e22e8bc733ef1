"""Let a volume over bands grow into the free space of its disks: as new bands, each an array of its own.

Nothing that is there moves. Until LVM takes a new array it is beside the volume, so a power cut loses nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.contract import Resolved
from raidtui.backends.facts import Options
from raidtui.backends.growing import Grower, Grown, Shape, Way
from raidtui.backends.hybrid.bands import Band, volume_bytes
from raidtui.backends.hybrid.levels import redundancy_of
from raidtui.backends.hybrid.room import Room, Tail, room_of
from raidtui.backends.lvm.conditions import GROUP, VOLUME_RUNS
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.reading import group_in, reading_in
from raidtui.backends.lvm.report import VolumeGroup
from raidtui.backends.lvm.units import main_volume, others
from raidtui.backends.lvm_on_md.base import Base, arrays_steps, base_of, devices_step, lines_of
from raidtui.backends.lvm_on_md.units import arrays_of
from raidtui.backends.md.array_names import entries_of
from raidtui.backends.md.backend import BACKEND as MD
from raidtui.backends.md.conditions import ARRAY_WHOLE
from raidtui.backends.md.facts import facts_of
from raidtui.backends.md.persistence import boot_steps
from raidtui.backends.md.replace import need_of
from raidtui.backends.md.shapes import why_not_now
from raidtui.backends.md.states import shown_name
from raidtui.backends.replacing import Leaving, Naming
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Machine
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.nodes import partition_path
from raidtui.model.plan import KEPT, Check, Extent, PlannedDisk, Role, Run, Step, Undo
from raidtui.model.procedure import Grow
from raidtui.model.spec import Spec
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Unit
from raidtui.model.units import decimal
from raidtui.steps.devices import PARTITION
from raidtui.steps.ids import unique_ids
from raidtui.steps.partitions import LINUX_RAID
from raidtui.steps.pieces import Piece, called, planned
from raidtui.steps.seeds import derive
from raidtui.steps.settle import settle_partitions
from raidtui.steps.wipe import END_BYTES, zero

_CHANGE: Final = "new bands"
_ADDING: Final = "a mirror would have to become RAID5, which has not been measured; replace a smaller disk by a larger one (raidtui replace)"
_DAYS: Final = 30 * 24 * 3600


class HybridGrower(Grower):
    """mdadm and LVM."""

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        """What the volume is, and what the free space of its disks gives."""
        return (
            _shape(unit, "today", unit_bytes=unit.size_bytes),
            _new_bands(unit, machine),
            _shape(unit, "+1 disk", refused=_ADDING),
        )

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        """What the volume becomes."""
        if order.add or not order.to_largest:
            raise Refused(f"{harmless(unit.name)} takes no further disk: {_ADDING}")
        arrays, room, free = _arrays(unit, machine), _room(unit, machine), _free(unit, machine)
        if not room.bands and not free:
            raise Refused(f"{harmless(unit.name)} cannot grow now: it needs {_lacking(room)}")
        used = sorted({place for band in room.bands for place in band.disks})
        return Grown(
            need=need_of(arrays[0], None, "", Leaving("", None, (), machine), spare=True),
            unit_bytes=unit.size_bytes + free + volume_bytes(room.bands),
            device=unit.path,
            disks=tuple(_kept(room.tails[place]) for place in used),
            creates=tuple(
                uuid for base in _bases(unit, arrays, room, machine) for uuid in (base.uuid, base.holder.uuid)
            ),
        )

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """Create the array of each new band, and let the group and its volume take them."""
        arrays, room, system = _arrays(unit, machine), _room(unit, machine), machine.system
        bases = _bases(unit, arrays, room, machine)
        devices = [piece.device for base in bases for piece in base.resolved.pieces]
        named = any(entries_of(array, machine) for array in arrays)
        steps = [
            *_partitions(bases),
            *([settle_partitions(devices, udev=system.udev)] if bases else []),
            *arrays_steps(bases, system),
            *(boot_steps(lines_of(bases, "1.2"), system) if bases and named else []),
            *([devices_step(bases)] if bases else []),
            *_extended(unit, bases, room, machine),
            *(_wait(base) for base in bases),
        ]
        roles = {Role.PERSIST: Role.FIX, Role.WAIT: Role.WAIT}
        return [replace(step, role=roles.get(step.role, Role.MEMBER)) for step in unique_ids(steps)]

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """Every array that it had has full redundancy; the size of the volume was a condition of its step."""
        return tuple(ARRAY_WHOLE.of(uuid) for uuid in unit.below)

    def last(self, unit: Unit) -> list[Step]:
        """Nothing: the new arrays were just synced as a whole."""
        return []


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


def _numbers(unit: Unit, machine: Machine) -> Iterator[int]:
    """The numbers that no array has yet, for the names of new ones."""
    lines = machine.system.mdadm_conf_arrays
    number = 1
    while True:
        name = f"{unit.name}-{number}"
        known = any(array.is_called(name) for array in machine.arrays)
        if not known and not any(f"/dev/md/{name}" in line.split() for line in lines):
            yield number
        number += 1


def _bases(unit: Unit, arrays: Sequence[Array], room: Room, machine: Machine) -> list[Base]:
    """The array of each new band."""
    found = []
    nth: dict[str, int] = {}
    for number, band in zip(_numbers(unit, machine), room.bands, strict=False):
        pieces = []
        for slot, tail in enumerate(room.tails[place] for place in band.disks):
            whole = tail.disk.stable_path
            part = tail.number(nth.get(whole, 0))
            nth[whole] = nth.get(whole, 0) + 1
            pieces.append(
                Piece(
                    disk=tail.disk,
                    role="member",
                    number=slot,
                    whole=whole,
                    device=partition_path(whole, part),
                    part=part,
                    extent=Extent(offset=tail.start + band.start, length=band.height),
                )
            )
        mark = derive(arrays[0].uuid, "band", *(f"{one.disk.identity} {one.extent.offset}" for one in pieces))
        found.append(base_of(_resolved(unit, number, band, pieces), str(number), seed=mark))
    return found


def _resolved(unit: Unit, number: int, band: Band, pieces: Sequence[Piece]) -> Resolved:
    geometry = band.geometry
    spec = Spec(
        name=f"{unit.name}-{number}",
        level=geometry.level,
        members=tuple(piece.disk.identity for piece in pieces),
        chunk=geometry.chunk_bytes if MD_LEVELS[geometry.level].chunked else None,
        metadata=geometry.metadata,
        consistency=geometry.consistency,
    )
    return Resolved(spec=MD.defaults(spec), pieces=tuple(pieces), facts=facts_of(geometry, Options()))


def _partitions(bases: Sequence[Base]) -> Iterator[Step]:
    """A further partition on each disk, in its free space; what is there stays, and is in use meanwhile."""
    for base in bases:
        for piece in base.resolved.pieces:
            disk, whole, extent = piece.disk, piece.whole, piece.extent
            sector = disk.logical_sector_bytes
            line = (
                f"start={extent.offset // sector}, size={extent.length // sector}, type={LINUX_RAID}, "
                f'name="{base.resolved.spec.name}-{piece.number}"'
            )
            quietly = ("--no-reread", "--no-tell-kernel")
            drop = (
                Run(argv=("partx", "--delete", "--nr", str(piece.part), whole), ok=(0, 1)),
                Run(argv=("sfdisk", *quietly, "--delete", whole, str(piece.part)), ok=(0, 1)),
            )
            yield Step(
                id="partition",
                role=Role.MEMBER,
                title=f"Create partition {piece.part} in the free space of {called(disk)}",
                reason="What is on its other partitions stays, and is in use meanwhile.",
                actions=(
                    zero(whole, extent.offset, END_BYTES),
                    zero(whole, extent.end - END_BYTES, END_BYTES),
                    Run(
                        argv=("sfdisk", *quietly, "--wipe-partitions=always", "--append", whole),
                        input=f"{line}\n",
                    ),
                    Run(argv=("partx", "--add", "--nr", str(piece.part), whole)),
                ),
                after=(PARTITION.of(piece.device, f"{extent.offset} {extent.length}"),),
                undo=drop,
                undo_note="the partition is removed",
                repair=drop,
            )


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
            actions=(Run(argv=("vgextend", name, *devices)),),
            before=(GROUP.of(unit.uuid, f"{name} {before}"),),
            after=(GROUP.of(unit.uuid, f"{name} {count}"),),
            undo=reduce,
            undo_note="the volume group is as it was",
            repair=reduce,
        )
    size = unit.size_bytes + group.free_bytes + volume_bytes(room.bands)
    yield Step(
        id="extend-volume",
        role=Role.MEMBER,
        title=f"Let the volume {harmless(name)}/{VOLUME} take all of the volume group",
        reason="It continues on the new arrays where it ended.",
        # Exit code 5: it has all of it already; the condition decides.
        actions=(Run(argv=("lvextend", "--extents", "+100%FREE", f"{name}/{VOLUME}"), ok=(0, 5)),),
        after=(VOLUME_RUNS.of(unit.uuid, f"linear {count} {size}"),),
        undoable=Undo.IMPOSSIBLE,
    )


def _wait(base: Base) -> Step:
    return Step(
        id="sync",
        role=Role.WAIT,
        title=f"Wait until {base.path} is in sync",
        reason="The volume can be used meanwhile; md continues if raidtui ends.",
        actions=(
            # Exit code 1: there was nothing left to wait for.
            Run(argv=("mdadm", "--wait", base.path), timeout_seconds=_DAYS, ok=(0, 1)),
        ),
        after=(ARRAY_WHOLE.of(base.uuid),),
        undoable=Undo.IMPOSSIBLE,
        as_long_as="writing the new partition of one disk",
        sync_bytes=base.resolved.facts.component_bytes,
    )


GROWER: Final = HybridGrower()
