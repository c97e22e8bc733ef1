"""Volume groups on bands of arrays as units: one unit, its arrays one level below."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.backends.hybrid.levels import level_over
from raidtui.backends.lvm.now import reading_now
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import VolumeGroup
from raidtui.backends.lvm_on_md.units import BANDS, arrays_under, unit_over
from raidtui.backends.lvm_on_md.units import measured as measured_volume
from raidtui.machine.md.arrays import read_arrays
from raidtui.machine.mounts import read_mounts
from raidtui.machine.tree import HERE
from raidtui.model.machine import Array, Machine, Mount
from raidtui.model.result import MeasuredUnit
from raidtui.model.spec import Backend
from raidtui.model.unit import Unit


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every volume group of ``machine`` on bands of arrays."""
    reading = reading_in(machine)
    return () if reading is None else units_in(reading, machine.arrays, machine.mounts)


def units_now() -> tuple[Unit, ...]:
    """Read the current state of every volume group on bands of arrays."""
    reading = reading_now(on_arrays=True)
    return () if reading is None else units_in(reading, read_arrays(), read_mounts(HERE))


def units_in(reading: LvmReading, arrays: Sequence[Array], mounts: Sequence[Mount]) -> tuple[Unit, ...]:
    """Every volume group of a reading on bands of ``arrays``."""
    groups = (one for one in reading.known.groups if BANDS in one.tags and reading.known.on_arrays(one))
    return tuple(_unit(group, reading, arrays, mounts) for group in groups)


def measured(unit: Unit, machine: Machine) -> MeasuredUnit:
    """What a benchmark result records: the first array's properties, and the disks of the one with most."""
    return replace(measured_volume(unit, machine), raid_disks=unit.raid_disks)


def _unit(group: VolumeGroup, reading: LvmReading, arrays: Sequence[Array], mounts: Sequence[Mount]) -> Unit:
    over = arrays_under(group, reading, arrays)
    unit = unit_over(group, reading, arrays, mounts)
    return replace(
        unit,
        backend=Backend.HYBRID,
        level=level_over((array.level, array.raid_disks) for array in over) or unit.level,
        raid_disks=max((array.raid_disks for array in over), default=0),  # all disks are in the first band
    )
