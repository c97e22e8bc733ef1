"""The unit under a target that decides its speed."""

import os

from raidtui.backends.registry import reader
from raidtui.backends.units import units_of
from raidtui.bench.device_stack import Below
from raidtui.model.machine import Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.struct import Record
from raidtui.model.unit import Unit


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
