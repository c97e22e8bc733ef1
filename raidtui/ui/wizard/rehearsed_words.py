"""Which plans can be rehearsed, what a rehearsal is given, and its result in words. Does not load Textual."""

from typing import TYPE_CHECKING

from raidtui.backends.registry import find_rehearser
from raidtui.model.journal import JobRequest
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.rehearsal import NOT_REHEARSED, ONLY_BUILDS
from raidtui.model.text import harmless
from raidtui.ui.shell.world import Access, World
from raidtui.ui.widgets.parts import Parts
from raidtui.ui.wizard.draft import Draft
from raidtui.ui.wizard.wanted import Purpose

if TYPE_CHECKING:
    from raidtui.model.rehearsal import Rehearsal

_BEGINS = "Nothing on the real disks is written. Reading them..."
_BEGINS_BLANK = "The copies are blank: a recording has no contents."
NEEDS_ROOT = "a rehearsal reads the disks, and needs root: run the same command with sudo"


def why_not_rehearsed(plan: Plan, world: World) -> str:
    """Why the lab cannot have what ``plan`` builds or changes, or may not be started here; empty if it can."""
    recorded = world.access is Access.RECORDED
    if recorded and plan.kind is not PlanKind.BUILD:
        return ONLY_BUILDS
    if world.in_lab:
        return "this is the lab already: its disks are virtual, so there is nothing to rehearse"
    if why := _why_never(plan):
        return why
    return "" if recorded or world.access is Access.ROOT else NEEDS_ROOT


def begins(world: World) -> str:
    """What a rehearsal says first."""
    return _BEGINS_BLANK if world.access is Access.RECORDED else _BEGINS


def _why_never(plan: Plan) -> str:
    """Why nobody can rehearse ``plan``; empty if somebody can."""
    if plan.kind is PlanKind.BUILD:
        why = NOT_REHEARSED.get(plan.spec.backend, "")
        return why and f"a plan of {plan.spec.backend} cannot be rehearsed: {why}"
    if not plan.disks:
        return "this plan changes no disk, so there is nothing to rehearse on"
    if plan.spec.alone or find_rehearser(plan.spec.backend) is not None:
        return ""
    return f"the lab cannot have a unit of {plan.spec.backend} as it is here"


def order_to_rehearse(purpose: Purpose, draft: Draft) -> JobRequest:
    """What a rehearsal is given: the draft's array, or what ``purpose`` says."""
    from raidtui.jobs.rehearsed import order_of

    if purpose.procedure is not None:
        return order_of(procedure=purpose.procedure, seed=draft.seed)
    if purpose.teardown:
        return order_of(array=purpose.teardown, seed=draft.seed)
    return order_of(spec=draft.spec, seed=draft.seed)


def not_rehearsed(why: str) -> Parts:
    """That there is no result, and why."""
    return [("Not rehearsed: ", "bold $text-error"), harmless(why)]


def result_parts(shown: "Rehearsal") -> Parts:
    """The result: passed or not first, then what was seen."""
    from raidtui.jobs.rehearsed import seen_words

    parts: Parts = [("PASSED ", "bold $text-success"), f"{shown.done} of {len(shown.steps)} steps"]
    if not shown.passed:
        parts = [("DID NOT PASS: ", "bold $text-error"), harmless(shown.sentence)]
    failed = next((step for step in shown.steps if step.error), None)
    lines = [*([harmless(f"Failed: {failed.title}")] if failed is not None else []), *seen_words(shown)]
    return [*parts, *(f"\n{line}" for line in lines)]
