"""Volume groups on arrays as units: their members are the arrays, which determine their health."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.now import reading_now
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import PhysicalVolume, VolumeGroup
from raidtui.backends.lvm.units import ALONE, lacks_words, main_volume
from raidtui.backends.lvm.units import unit_of as group_alone
from raidtui.backends.lvm_on_md.levels import level_over
from raidtui.backends.md.units import measured as measured_array
from raidtui.backends.md.units import unit_of as array_unit
from raidtui.backends.urgency import WORST_FIRST
from raidtui.machine.md.arrays import read_arrays
from raidtui.machine.mounts import read_mounts
from raidtui.machine.tree import HERE
from raidtui.model.machine import Array, Machine, Mount
from raidtui.model.md_levels import loses_all_with_one
from raidtui.model.result import MeasuredUnit
from raidtui.model.spec import Backend
from raidtui.model.unit import Activity, Health, Unit, UnitMember

BANDS: Final = "raidtui-hybrid"
"""The tag of a group whose arrays are bands of the same disks: it is a unit of the backend of these."""


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every volume group of ``machine`` that is only on arrays."""
    reading = reading_in(machine)
    return () if reading is None else units_in(reading, machine.arrays, machine.mounts)


def units_now() -> tuple[Unit, ...]:
    """Read the current state of every volume group on arrays."""
    reading = reading_now(on_arrays=True)
    return () if reading is None else units_in(reading, read_arrays(), read_mounts(HERE))


def units_in(reading: LvmReading, arrays: Sequence[Array], mounts: Sequence[Mount]) -> tuple[Unit, ...]:
    """Every volume group of a reading that is only on ``arrays``, without those of bands."""
    return tuple(
        unit_over(group, reading, arrays, mounts)
        for group in reading.known.groups
        if reading.known.on_arrays(group) and BANDS not in group.tags
    )


def arrays_under(group: VolumeGroup, reading: LvmReading, arrays: Iterable[Array]) -> tuple[Array, ...]:
    """The arrays under a group, in the order in which its volume uses them."""
    found = (_array_at(device, arrays) for device in _devices(group, reading))
    return tuple(array for array in found if array is not None)


def arrays_of(unit: Unit, machine: Machine) -> tuple[Array, ...]:
    """The arrays under a unit that are here, in the order in which its volume uses them."""
    return tuple(one for uuid in unit.below for one in machine.arrays if one.uuid == uuid)


def measured(unit: Unit, machine: Machine) -> MeasuredUnit:
    """What a benchmark result records: the first array's properties, the disks of all, the name of the group."""
    arrays = [measured_array(one) for one in arrays_of(unit, machine)]
    return replace(
        arrays[0],
        raid_disks=sum(one.raid_disks for one in arrays),
        degraded=_sum(one.degraded for one in arrays),
        mismatch_sectors=_sum(one.mismatch_sectors for one in arrays),
        backend=unit.backend,
        name=unit.name,
        uuid=unit.uuid,
        level=unit.level,
        size_bytes=unit.size_bytes,
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    """The sum; None if any is unknown."""
    every = list(numbers)
    return None if None in every else sum(one or 0 for one in every)


def unit_over(
    group: VolumeGroup, reading: LvmReading, arrays: Sequence[Array], mounts: Sequence[Mount]
) -> Unit:
    """A volume group with the arrays under it as its members."""
    alone = group_alone(group, reading, mounts, {})
    devices = _devices(group, reading)
    on = [array_unit(array) for array in arrays_under(group, reading, arrays)]
    health, state = _health(alone, on)
    lacks = lacks_words(group, reading.known)
    state = f"{state}; {lacks}" if lacks and lacks not in state else state
    return replace(
        alone,
        backend=Backend.LVM_ON_MD,
        level=level_over(alone.level, tuple(one.level for one in on))
        if len(on) == len(devices)
        else alone.level,
        raid_disks=sum(one.raid_disks for one in on),
        chunk_bytes=on[0].chunk_bytes if on else 0,
        health=health,
        state=state,
        members=tuple(_member(slot, device, arrays) for slot, device in enumerate(devices)),
        activity=_activity(on),
        below=tuple(one.uuid for one in on),
    )


def _devices(group: VolumeGroup, reading: LvmReading) -> list[PhysicalVolume]:
    """The physical volumes in the order in which the volume uses them; LVM lists them by node."""
    known, volume = reading.known, main_volume(group, reading.known)
    legs = [path for leg in known.legs(volume) for path in leg] if volume is not None else []
    return sorted(
        known.devices_of(group), key=lambda one: legs.index(one.path) if one.path in legs else len(legs)
    )


def _health(alone: Unit, on: Sequence[Unit]) -> tuple[Health, str]:
    """The health and state of the group or of its worst array, whichever is graver."""
    worst = min(on, key=lambda one: WORST_FIRST.index(one.health), default=None)
    if worst is None or alone.health in {Health.INACTIVE, Health.FAILED}:
        return alone.health, alone.state
    level = LEVELS.get(alone.level)
    if level is not None and level.redundant and worst.health in {Health.OK, Health.FAILED}:
        return alone.health, alone.state  # the volume has copies of its own, on several arrays
    if WORST_FIRST.index(alone.health) < WORST_FIRST.index(worst.health):
        return alone.health, alone.state.replace(ALONE, worst.state)
    alike = all(one.state == worst.state for one in on)
    named = "" if alike else f"array {worst.name}: "
    return worst.health, f"{named}{worst.state}"


def _member(slot: int, device: PhysicalVolume, arrays: Iterable[Array]) -> UnitMember:
    array = _array_at(device, arrays)
    if array is None:
        return UnitMember(path=device.path, slot=slot, state="missing" if device.missing else "in use")
    unit = array_unit(array)
    well = "in use" if loses_all_with_one(array.level) else "in sync"
    return UnitMember(
        path=array.node,
        slot=slot,
        state=well if unit.health is Health.OK else unit.health.value,
        called=f"array {array.name}",
    )


def _array_at(device: PhysicalVolume, arrays: Iterable[Array]) -> Array | None:
    return next((one for one in arrays if device.path and device.path in {one.node, one.path}), None)


def _activity(on: Sequence[Unit]) -> Activity | None:
    """The activity of the arrays; if several are active, their totals, under the name of the first one's activity."""
    every = [one.activity for one in on if one.activity is not None]
    if len(every) < 2:
        return every[0] if every else None
    done, total = sum(one.done_bytes for one in every), sum(one.total_bytes for one in every)
    left = [one.seconds_left for one in every]
    return replace(
        every[0],
        fraction=done / total if total else min(one.fraction for one in every),
        done_bytes=done,
        total_bytes=total,
        bytes_per_second=sum(one.bytes_per_second or 0 for one in every),
        seconds_left=None if None in left else max(one for one in left if one is not None),
        paused=all(one.paused for one in every),
        waiting=every[0].waiting if all(one.waiting for one in every) else "",
    )
