"""The steps of a job with their states. Pure."""

from collections.abc import Sequence

from raidtui.jobs.progress import StepState, last_run, step_states
from raidtui.model.journal import Entry, Event, Outcome, seconds_between
from raidtui.model.plan import Plan
from raidtui.model.struct import Record
from raidtui.ui.care.journal_text import took

_SIGNS = {
    StepState.DONE: ("done", "$text-success"),
    StepState.BEGUN: ("now", "bold $text-primary"),
    StepState.UNDOING: ("undoing", "bold $text-primary"),
    StepState.UNDONE: ("undone", "$text-muted"),
}


class StepView(Record, frozen=True, kw_only=True):
    """A row for a step."""

    id: str
    title: str
    sign: str  # done, now, FAILED, cut off, undoing, undone, or empty: not begun
    style: str
    took: str


def step_views(plan: Plan, entries: Sequence[Entry], outcome: Outcome) -> tuple[StepView, ...]:
    """All steps of ``plan`` in order, with their states."""
    states, failed = step_states(entries), failed_steps(entries)
    running = {e.step for e in last_run(entries) if e.event is Event.STEP and outcome is Outcome.RUNNING}
    return tuple(
        StepView(
            id=step.id,
            title=step.title,
            sign=sign,
            style=style,
            took=_took(entries, step.id),
        )
        for step in plan.steps
        for sign, style in [_sign(states.get(step.id), step.id in failed, running=step.id in running)]
    )


def failed_steps(entries: Sequence[Entry]) -> set[str]:
    """The steps whose last attempt failed."""
    failed: set[str] = set()
    for entry in entries:
        if entry.event is Event.STEP:
            failed.discard(entry.step)
        elif entry.event is Event.STEP_FAILED:
            failed.add(entry.step)
    return failed


def current_step(entries: Sequence[Entry]) -> str:
    """The step that was begun last; empty if none was."""
    return next(
        (e.step for e in reversed(entries) if e.event in {Event.STEP, Event.STEP_FAILED} and e.step), ""
    )


def _sign(state: StepState | None, failed: bool, *, running: bool) -> tuple[str, str]:
    if failed:  # first: a step that failed before changing anything does not count as begun
        return "FAILED", "bold $text-error"
    if state is None:
        return "", "$text-muted"
    if state in {StepState.BEGUN, StepState.UNDOING} and not running:
        return "cut off", "$text-warning"
    return _SIGNS[state]


def _took(entries: Sequence[Entry], step: str) -> str:
    begin, text = "", ""
    for entry in entries:
        if entry.step != step:
            continue
        if entry.event is Event.STEP:
            begin, text = entry.at, ""
        elif entry.event in {Event.STEP_DONE, Event.STEP_UNDONE, Event.STEP_FAILED} and begin:
            text = took(seconds_between(begin, entry.at))
    return text
