"""What a remedy does, in a line: the procedure with the disk that it needs, or the commands for a person."""

from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.plan import Role
from raidtui.model.procedure import ReAdd, Recover, Replace, word_of
from raidtui.plan.care import make_care
from raidtui.plan.words import command_line


def does(remedy: Remedy) -> list[str]:
    """ "replace with S-0005", "re-add S-0004", "start"; else its commands."""
    match remedy.procedure:
        case None:
            return list(remedy.commands)
        case Replace(new=disk):
            return [f"replace with {disk}"]
        case ReAdd(disk=disk):
            return [f"re-add {disk}"]
    assert remedy.commands == ()
    return [word_of(remedy.procedure)]


def runs(remedy: Remedy, machine: Machine) -> tuple[str, ...]:
    """The commands for a person, or those of the plan that does it, without those that prepare the new disk."""
    if remedy.procedure is None or isinstance(remedy.procedure, Recover):  # which has no plan
        return remedy.commands
    plan = make_care(remedy.procedure, machine, seed="5b6e0d6a-9ab0-4a2e-8d5a-3f8f1c1f7f11")
    steps = [step for step in plan.steps if step.role is not Role.PREPARE]
    return tuple(command_line(action) for step in steps for action in step.actions)
