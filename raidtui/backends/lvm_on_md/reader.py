"""What there is of volume groups on arrays."""

from raidtui.backends.contract import Reader
from raidtui.backends.lvm_on_md.units import measured, units_now, units_of
from raidtui.machine.ask import Ask
from raidtui.model.machine import Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit


class LvmOnMdReader(Reader):
    """Volume groups on arrays."""

    interval = 2.0  # LVM is asked; the arrays below report by themselves

    def read(self, machine: Machine, ask: Ask) -> None:
        """Arrays are in every reading, and LVM's own backend keeps what LVM says."""

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every group on arrays."""
        return units_of(machine)

    def now(self) -> tuple[Unit, ...]:
        """Every group on arrays, with the arrays as they are now."""
        return units_now()

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """What is known of the arrays under it."""
        return measured(unit, machine)


READER = LvmOnMdReader()
