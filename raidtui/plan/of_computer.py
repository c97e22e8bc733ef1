"""The frame of a plan that changes how this computer is set up, and no unit and no disk."""

from collections.abc import Iterable

from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind, Step
from raidtui.model.spec import Spec


def plan_of_computer(name: str, steps: Iterable[Step], machine: Machine, *, seed: str) -> Plan:
    """A plan of ``steps``; ``name`` is what it is about, in a word."""
    return Plan(
        kind=PlanKind.CARE,
        spec=Spec(name=name, level=""),
        seed=seed,
        host=machine.system.hostname,
        array_uuid="",
        array_path="",
        steps=tuple(steps),
    )
