"""A reader without units: a single disk is shown among the disks."""

from raidtui.backends.contract import Reader
from raidtui.machine.ask import Ask
from raidtui.model.machine import Machine
from raidtui.model.result import MeasuredUnit
from raidtui.model.unit import Unit


class SingleReader(Reader):
    """The filesystem of a single disk, which is not a unit."""

    interval = 0.0  # it has no units

    def read(self, machine: Machine, ask: Ask) -> None:
        """Disks are in every reading."""

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """None: a single disk is shown among the disks."""
        return ()

    def now(self) -> tuple[Unit, ...]:
        """None."""
        return ()

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """Nothing: it has no units."""
        raise AssertionError(f"{unit.name} cannot be of a single disk")


READER = SingleReader()
