"""How far the steps of a job are, and about when they end. Pure.

No step says how long it will take, so each is expected to take what it took in an earlier job of this computer, or
what it commonly takes. The figure is for a bar and for "about 2 min left", and for nothing that has to be exact. Where
a step writes a whole disk, no end is expected of it or of the job that it is in: it is nearly all of the bar, and as
far as the unit that it makes.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.jobs.progress import StepState, last_run, step_states, undoes
from raidtui.model.journal import Entry, Event, Outcome
from raidtui.model.plan import Plan, Run, SaveCapsule, Step
from raidtui.model.struct import Record
from raidtui.model.units import about
from raidtui.ui.shell import clock

# Seconds that a command commonly takes, between what fast disks and slow ones need.
_SECONDS: Final = {
    "update-initramfs": 45.0,
    "dracut": 45.0,
    "mdadm": 3.0,
    "mkfs.ext4": 8.0,
    "mkfs.xfs": 4.0,
    "mkfs.btrfs": 3.0,
    "udevadm": 1.0,
    "mount": 1.0,
    "umount": 1.0,
}
_OTHERWISE: Final = 0.5
_CAPSULE: Final = 1.0  # of each disk
_LASTING: Final = 99  # times all other steps: what a step takes that writes a whole disk


class Progress(Record, frozen=True, kw_only=True):
    """How far a job is."""

    number: int  # the step that it is at, counted from 1 in the order of the plan; 0 before the first
    count: int  # steps of the plan
    share: float  # 0 to 1, by time
    left_seconds: float | None  # None: not known, or the step takes longer than was expected
    as_long_as: str = ""  # what decides when the job ends, where that takes hours
    undoing: bool = False
    left_steps: int = 0  # still to do, or still to undo

    @property
    def words(self) -> str:
        """When it ends."""
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
    """How far the job with this journal is in ``plan``.

    Args:
        known: seconds that steps took in earlier jobs, by id.
        lasting: how much is done, 0 to 1, of a step that takes as long as writing a whole disk, where it is at one.
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
    """What a step takes as long as, in words; empty for none."""
    if step is None:
        return ""
    which = "this step" if at is not None and at.step == step.id else f"step {order.index(step.id) + 1}"
    return f"{which} takes as long as {step.as_long_as}"


def expected_seconds(step: Step) -> float:
    """About how long ``step`` takes."""
    seconds = _OTHERWISE
    for action in step.actions:
        if isinstance(action, Run):
            seconds += _SECONDS.get(action.argv[0], _OTHERWISE)
        elif isinstance(action, SaveCapsule):
            seconds += _CAPSULE * len(action.disks)
    return seconds


def seconds_of(entries: Sequence[Entry]) -> dict[str, float]:
    """How long each step took that a journal says was done."""
    return {
        entry.step: entry.seconds
        for entry in entries
        if entry.event is Event.STEP_DONE and entry.seconds is not None and not entry.text
    }
