"""What a backend does about a finding other than a replacement: the steps of a procedure on one of its units."""

from typing import Protocol

from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Step
from raidtui.model.procedure import RestoreMetadata, Tended, word_of
from raidtui.model.text import harmless
from raidtui.model.unit import Unit


class Tender(Protocol):
    """The part of a backend that tends its units."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """The steps of ``procedure`` on ``unit``. Pure.

        Raises:
            Refused: it is not possible now, or could lose data.
        """
        ...

    def hazards(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Hazard, ...]:
        """What a person has to know before. Pure."""
        return ()

    def restore(self, order: RestoreMetadata, machine: Machine) -> tuple[Hazard, tuple[Step, ...]]:
        """What a person has to know before a version of metadata is restored, and the steps that restore it. Pure.

        Raises:
            Refused: something is not as it was when it was tried, or needs no restore.
        """
        raise Refused("this backend has no versions of metadata that can be restored")

    def view(self, unit: Unit, machine: Machine, called: str) -> tuple[Step, ...]:
        """The steps that make a unit of another system readable, without a write to its disks. Pure.

        Args:
            called: the name of the new device.

        Raises:
            Refused: it cannot be read here, and why.
        """
        raise Refused(f"{harmless(unit.shown)} cannot be read here without a write")

    def put_away(self, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """The steps that undo `view`, as far as it was done. Pure."""
        return ()


def does_not(procedure: Tended, unit: Unit) -> Refused:
    """The refusal of a procedure that the unit's backend does not have."""
    return Refused(f"{unit.backend} has no procedure {word_of(procedure)} ({harmless(unit.name)})")
