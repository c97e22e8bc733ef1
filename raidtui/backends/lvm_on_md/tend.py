"""Look at a volume group on arrays that another system made: as at any other volume group."""

from typing import Final

from raidtui.backends.lvm.view import put_away, view
from raidtui.backends.tending import Tender, does_not
from raidtui.model.machine import Machine
from raidtui.model.plan import Step
from raidtui.model.procedure import Tended
from raidtui.model.unit import Unit


class LvmOnMdTender(Tender):
    """lvm2 on arrays of md."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """None yet: what is to be done is done to the arrays below it."""
        raise does_not(procedure, unit)

    def view(self, unit: Unit, machine: Machine, called: str) -> tuple[Step, ...]:
        """Map its volumes read-only, without LVM."""
        return tuple(view(unit, machine, called))

    def put_away(self, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        """Remove what was mapped."""
        return tuple(put_away(unit, machine))


TENDER: Final = LvmOnMdTender()
