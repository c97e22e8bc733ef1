"""How a replacement ends: what is proven, where the old disk is that may leave, and what is left to do."""

import shlex
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from raidtui.advice.findings.alerts import alert_findings
from raidtui.jobs.checks import ask_checks
from raidtui.model.errors import RaidtuiError
from raidtui.model.plan import Plan
from raidtui.model.text import harmless
from raidtui.model.uuids import same_uuid
from raidtui.plan.words import replaced_disk

if TYPE_CHECKING:
    from raidtui.commands._look import Look

_PROVEN: Final = {"prove": "Full redundancy", "complete": "Complete, but not all of it is redundant"}


def replaced(plan: Plan) -> str:
    """What a replacement has proven, and what the old disk may do now."""
    proven = [
        f"{_PROVEN[step.id]}: {'; '.join(found)}"
        for step in plan.steps
        if step.id in _PROVEN
        and (
            found := [answer.text for answer in ask_checks(step.after, held=lambda _: False) if answer.holds]
        )
    ]
    if not proven:
        return f"{harmless(plan.spec.name)} still lacks a member: 'raidtui care' says what is next."
    seen = _look()
    old = replaced_disk(plan, seen.machine if seen is not None else None)
    leaves = (f"{old} is in no array any more and may leave the computer.",) if old else ()
    # Where a scrub is not a part of it, what the other members hold was not read. What has no copy has nothing to compare.
    is_read = any(step.id == "complete" or step.id.startswith("scrub") for step in plan.steps)
    checks = [
        f"To read and compare all its data: raidtui care {shlex.quote(one.spec.name)} --do check"
        for one in (() if is_read else (plan, *plan.also))
    ]
    uuids = [one.array_uuid for one in (plan, *plan.also)]
    left = left_to_do(uuids, seen) if seen is not None else ()
    return "\n".join(map(harmless, (". ".join(proven), *leaves, *checks, *left)))


def left_to_do(uuids: Collection[str], seen: "Look") -> Iterator[str]:
    """What is wrong with these units still, what names them and what watches them; or that nothing is."""
    units = [one for one in seen.findings if any(same_uuid(one.unit, uuid) for uuid in uuids)]
    alerts = [one for one in alert_findings(seen.machine, seen.units) if one not in units]
    for command, some in (("care", units), ("alerts", alerts)):
        yield from (f"Left to do, see 'raidtui {command}': {one.what}" for one in some)
    here = seen.machine.alerts
    if not units and not alerts and seen.machine.complete and here is not None and here.ways:
        yield "Nothing is left to do: /etc names what it should, and alerts are set and proven."


def _look() -> "Look | None":
    """The computer now; None if it cannot be read."""
    from raidtui.commands._look import look

    try:
        return look(None)
    except (RaidtuiError, OSError):
        return None
