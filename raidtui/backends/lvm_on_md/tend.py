"""Check a volume over arrays: every array below it, one after the other. Look at one that another system made.

A group that is not active is activated. All else is done to the arrays themselves.
"""

from typing import Final

from raidtui.backends.lvm.tend import TENDER as LVM
from raidtui.backends.lvm.view import put_away, view
from raidtui.backends.lvm_on_md.units import arrays_of
from raidtui.backends.md.procedures.scrubs import scrub
from raidtui.backends.md.tend import overwrites
from raidtui.backends.tending import Tender, does_not
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Step
from raidtui.model.procedure import LetSync, Scrub, Start, Tended
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.steps.ids import unique_ids


class LvmOnMdTender(Tender):
    """lvm2 on arrays of md: arrays on the same disks are not read at once."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """A check or repair of every array; the activation of the group, and what was interrupted in it."""
        if isinstance(procedure, Start | LetSync):
            return LVM.steps(procedure, unit, machine)
        if not isinstance(procedure, Scrub):
            raise does_not(procedure, unit)
        arrays = arrays_of(unit, machine)
        if len(arrays) != len(unit.members):
            raise Refused(f"not every array of {harmless(unit.name)} is here")
        return tuple(unique_ids(step for one in arrays for step in scrub(one, repair=procedure.repair)))

    def hazards(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Hazard, ...]:
        """What a person has to know before a repair."""
        return (overwrites(unit),) if isinstance(procedure, Scrub) and procedure.repair else ()

    def view(self, unit: Unit, machine: Machine, called: str) -> tuple[Step, ...]:
        """Map its volumes read-only, without LVM."""
        return tuple(view(unit, machine, called))

    def put_away(self, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """Remove what was mapped."""
        return tuple(put_away(unit, machine))


TENDER: Final = LvmOnMdTender()
