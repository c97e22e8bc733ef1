"""Estimate the progress of a job's steps and the time left. Pure.

Each step is expected to take as long as in an earlier job on this computer, else a typical time. This is good enough
for a bar and "about 2 min left", not for anything exact. For a step that writes a whole disk no end is estimated: it
takes nearly all of the bar, and its progress is that of the unit it creates.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.jobs.progress import StepState, last_run, step_states, undoes
from raidtui.model.journal import Entry, Event, Outcome
from raidtui.model.plan import Plan, Step
from raidtui.model.struct import Record
from raidtui.model.units import about
from raidtui.plan.durations import expected_seconds
from raidtui.ui.shell import clock

_LASTING: Final = 99  # weight of a step that writes a whole disk, times all other steps


class Progress(Record, frozen=True, kw_only=True):
    """The progress of a job."""

    number: int  # the current step, from 1 in the order of the plan; 0 before the first
    count: int  # of steps in the plan
    share: float  # of the time, 0 to 1
    left_seconds: float | None  # None: unknown, or the step takes longer than expected
    as_long_as: str = ""  # if the job takes hours: what its end depends on
    undoing: bool = False
    left_steps: int = 0  # still to do, or still to undo

    @property
    def words(self) -> str:
        """The time left, in words."""
        if self.as_long_as:
            return self.as_long_as
        if self.left_seconds is None:
            return "this step takes longer than usual"
        if self.left_seconds < 10:
            return "a few seconds left"
        return f"{about(self.left_seconds)} left"


def progress(
    plan: Plan,
    entries: Sequence[Entry],
    outcome: Outcome,
    known: Mapping[str, float] | None = None,
    lasting: float = 0.0,
) -> Progress:
    """The progress of the job with this journal in ``plan``.

    Args:
        known: seconds of steps in earlier jobs, by id.
        lasting: progress, 0 to 1, of the current step if it writes a whole disk.
    """
    states = step_states(entries)
    expected = {step.id: (known or {}).get(step.id) or expected_seconds(step) for step in plan.steps}
    order = [step.id for step in plan.steps]
    at = next((e for e in reversed(entries) if e.event is Event.STEP and e.step in expected), None)
    undoing = (
        outcome is Outcome.ROLLED_BACK
        or undoes(entries)
        or bool({StepState.UNDOING, StepState.UNDONE} & set(states.values()))
    )
    if undoing:
        begun = [one for one in order if one in states]
        left = [one for one in begun if states[one] is not StepState.UNDONE]
    else:
        usual = sum(expected[step.id] for step in plan.steps if not step.as_long_as)
        expected |= {step.id: _LASTING * usual for step in plan.steps if step.as_long_as}
        begun = order
        left = [one for one in order if states.get(one) is not StepState.DONE]
    total = sum(expected[one] for one in begun) or 1.0
    rest = sum(expected[one] for one in left)
    endless = next((step for step in plan.steps if step.id in left and step.as_long_as and not undoing), None)
    spent = gone = 0.0
    of_step = expected[at.step] if at is not None else 0.0
    if at is not None and at in last_run(entries) and at.step in left and outcome is Outcome.RUNNING:
        spent = clock.since(at.at)
        at_endless = endless is not None and at.step == endless.id
        gone = lasting * of_step if at_endless else min(spent, of_step * 0.95)
    late = endless is not None or spent > max(2 * of_step, of_step + 5)
    return Progress(
        number=order.index(at.step) + 1 if at is not None else 0,
        count=len(order),
        share=min(1.0, max(0.0, 1 - (rest - gone) / total)),
        left_seconds=None if late else max(0.0, rest - spent),
        as_long_as=_lasts(endless, at, order),
        undoing=undoing,
        left_steps=len(left),
    )


def _lasts(step: Step | None, at: Entry | None, order: Sequence[str]) -> str:
    """What the duration of a step depends on, in words; empty for None."""
    if step is None:
        return ""
    which = "this step" if at is not None and at.step == step.id else f"step {order.index(step.id) + 1}"
    return f"{which} takes as long as {step.as_long_as}"


def seconds_of(entries: Sequence[Entry]) -> dict[str, float]:
    """The duration of each finished step in a journal."""
    return {
        entry.step: entry.seconds
        for entry in entries
        if entry.event is Event.STEP_DONE and entry.seconds is not None and not entry.text
    }
