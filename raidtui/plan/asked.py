"""What the command of a finding asks to be accepted: the HIGH hazards of its plan."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from raidtui.model.errors import RaidtuiError
from raidtui.model.finding import Finding, Remedy
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Severity
from raidtui.model.procedure import Procedure
from raidtui.model.text import harmless
from raidtui.plan.care import make_care
from raidtui.steps.seeds import new_seed


def with_asked(findings: Sequence[Finding], machine: Machine | None) -> tuple[Finding, ...]:
    """``findings`` with what each command asks; without a reading they are as they were."""
    if machine is None:
        return tuple(findings)
    return tuple(
        replace(finding, remedies=tuple(_asked(one, machine) for one in finding.remedies))
        for finding in findings
    )


class _Asked(NamedTuple):
    """What the procedures of one reading ask: --watch and the screens look at one again and again, and a plan takes up to 50 ms."""

    machine: Machine | None
    hazards: dict[Procedure, tuple[Hazard, ...]]


_last = _Asked(None, {})


def hazards_asked(procedure: Procedure, machine: Machine) -> tuple[Hazard, ...]:
    """The HIGH hazards of its plan, one of each id; none if there is no plan now, and its command says why."""
    global _last
    known = _last
    if known.machine is not machine:
        known = _last = _Asked(machine, {})
    if procedure not in known.hazards:
        known.hazards[procedure] = _of_plan(procedure, machine)
    return known.hazards[procedure]


def _of_plan(procedure: Procedure, machine: Machine) -> tuple[Hazard, ...]:
    try:
        plan = make_care(procedure, machine, seed=new_seed())
    except RaidtuiError:
        return ()
    return tuple({one.id: one for one in plan.hazards if one.severity is Severity.HIGH}.values())


def _asked(remedy: Remedy, machine: Machine) -> Remedy:
    if remedy.procedure is None or remedy.is_trial:
        return remedy
    high = hazards_asked(remedy.procedure, machine)
    untold = (
        harmless(one.told)
        for one in high
        if not any(text.startswith(f"{one.severity} {one.id}:") for text in remedy.warnings)
    )
    return replace(remedy, warnings=(*remedy.warnings, *untold), accept=tuple(hazard.id for hazard in high))
