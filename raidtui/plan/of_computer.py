"""The frame of a plan that changes how this computer is set up, and no unit and no disk; and that of one about a unit."""

from collections.abc import Iterable

from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind, Step
from raidtui.model.spec import Spec
from raidtui.model.text import harmless
from raidtui.model.unit import Unit


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


def plan_of_unit(unit: Unit, machine: Machine, *, seed: str) -> Plan:
    """A plan about ``unit`` that has no steps yet."""
    return Plan(
        kind=PlanKind.CARE,
        spec=Spec(name=harmless(unit.shown), backend=unit.backend, level=unit.level),
        seed=seed,
        host=machine.system.hostname,
        array_uuid=unit.uuid,
        array_path=unit.path or unit.node,
        array_bytes=unit.size_bytes,
        steps=(),
    )
