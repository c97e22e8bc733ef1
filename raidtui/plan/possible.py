"""What can be done to a unit that is well: the words whose plan can be made now."""

from typing import Final

from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.plan import Severity
from raidtui.model.procedure import asked_for, words_of_a_well_one
from raidtui.model.unit import Unit
from raidtui.plan.care import make_care
from raidtui.steps.seeds import new_seed

_A_GROUP: Final = "spares"


def possible(unit: Unit, machine: Machine) -> tuple[str, ...]:
    """What ``care UNIT --do`` can be now: with some disk of this computer, where a word needs one."""
    arguments = ("", _A_GROUP, *(disk.identity for disk in machine.disks if disk.identity))
    return tuple(
        word
        for word in words_of_a_well_one()
        if any(_can_be_planned(word, unit, one, machine) for one in arguments)
    )


def _can_be_planned(word: str, unit: Unit, argument: str, machine: Machine) -> bool:
    procedure = asked_for(word, unit.uuid, argument)
    if procedure is None:
        return False
    try:
        plan = make_care(procedure, machine, seed=new_seed())
    except RaidtuiError:
        return False
    return all(hazard.severity is not Severity.BLOCK for hazard in plan.hazards)
