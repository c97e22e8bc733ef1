"""What there is of md: its arrays, read from the kernel."""

from typing import TYPE_CHECKING

from raidtui.backends.md.units import measured, unit_of, units_of
from raidtui.machine.arrays import read_arrays
from raidtui.machine.ask import Ask
from raidtui.machine.sync_limits import read_limits
from raidtui.machine.tree import HERE
from raidtui.model.machine import Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit

if TYPE_CHECKING:
    from raidtui.backends.contract import Reader


class MdReader:
    """Arrays of md."""

    interval = 0.0  # md notifies a poll of its files

    def read(self, machine: Machine, ask: Ask) -> None:
        """Arrays are in every reading."""

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every array."""
        return units_of(machine)

    def now(self) -> tuple[Unit, ...]:
        """Every array."""
        usual = read_limits(HERE)
        return tuple(unit_of(array, usual) for array in read_arrays())

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """What is known of its array."""
        return next(measured(one) for one in machine.arrays if one.node == unit.node)


READER: "Reader" = MdReader()
