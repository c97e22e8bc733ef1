"""Read volume groups on arrays."""

from raidtui.backends.contract import Reader
from raidtui.backends.lvm_on_md.units import measured, units_now, units_of
from raidtui.machine.ask import Ask
from raidtui.model.machine import ClaimKind, Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit


class LvmOnMdReader(Reader):
    """Volume groups on arrays."""

    interval = 2.0  # LVM is polled; the arrays below report changes
    claims = frozenset({ClaimKind.ARRAY, ClaimKind.MD_MEMBER, ClaimKind.LVM})

    def read(self, machine: Machine, ask: Ask) -> None:
        """Return None: arrays are part of every reading, and the LVM backend stores LVM's report."""

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """Every group on arrays."""
        return units_of(machine)

    def now(self) -> tuple[Unit, ...]:
        """Every group on arrays, with the current state of the arrays."""
        return units_now()

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """The properties of the arrays under it."""
        return measured(unit, machine)


READER = LvmOnMdReader()
