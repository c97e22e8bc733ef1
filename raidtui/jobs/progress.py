"""How far a job came, as its journal says, and what an interruption leaves in doubt. Pure."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from raidtui.backends.conditions import having
from raidtui.jobs.journal import data_of
from raidtui.model.journal import Entry, Event
from raidtui.model.plan import Check, Plan, Step, Undo


class StepState(StrEnum):
    """How far one step came. A step that is not in the journal was never begun."""

    BEGUN = "begun"  # it was not finished: how much of it happened, only the machine knows
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"


SHOWS: Final = "shows"  # in the data of a note: the signatures on the array that was just created
UNTOUCHED: Final = "untouched"  # in the data of a failure: the step had changed nothing yet


def step_states(entries: Sequence[Entry]) -> dict[str, StepState]:
    """The state of every step that the journal mentions; one that failed before it changed anything was not begun."""
    states: dict[str, StepState] = {}
    before: dict[str, StepState] = {}
    for entry in entries:
        if entry.event is Event.STEP_FAILED and data_of(entry).get(UNTOUCHED):
            states = dict(before)
        elif entry.event is Event.STEP:
            before = dict(states)
            states[entry.step] = StepState.UNDOING if data_of(entry).get("undo") else StepState.BEGUN
        elif entry.event is Event.STEP_DONE:
            states[entry.step] = StepState.DONE
        elif entry.event is Event.STEP_UNDONE:
            states[entry.step] = StepState.UNDONE
    return states


def last_run(entries: Sequence[Entry]) -> Sequence[Entry]:
    """What the process wrote that runs now, or that ran last."""
    starts = [place for place, entry in enumerate(entries) if entry.event is Event.STARTED]
    return entries[starts[-1] :] if starts else entries


def undoes(entries: Sequence[Entry]) -> bool:
    """Whether the process that runs now, or that ran last, was started to roll back."""
    return any(e.event is Event.STARTED and data_of(e).get("mode") == "rollback" for e in last_run(entries))


def stale_signatures(entries: Sequence[Entry]) -> frozenset[str]:
    """The signatures that the new array showed the moment it was there: what was on its members before."""
    told = [data_of(entry).get(SHOWS) for entry in entries if entry.event is Event.NOTE]
    return frozenset(str(one) for some in told if isinstance(some, list) for one in some)


def boot_of(entries: Sequence[Entry]) -> str:
    """The boot in which the job last ran; empty if it never did."""
    boots = [str(data_of(entry).get("boot", "")) for entry in entries if entry.event is Event.STARTED]
    return boots[-1] if boots else ""


def has_destroyed(plan: Plan, states: Mapping[str, StepState]) -> bool:
    """Whether a step was begun after which a disk is not what it was."""
    return any(step.destroys and _is_in_effect(states.get(step.id)) for step in plan.steps)


def is_irreversible(plan: Plan, states: Mapping[str, StepState]) -> bool:
    """Whether a step was begun after which the old contents are gone for good."""
    return any(step.undoable is Undo.IMPOSSIBLE and step.id in states for step in plan.steps)


def can_be_lost(step: Step) -> tuple[Check, ...]:
    """The conditions that ``step`` brought about and that must be asked again after an interruption."""
    return having(step.after, lambda one: one.can_be_lost)


def runs_unit(step: Step) -> tuple[Check, ...]:
    """The conditions of ``step`` about something that runs: lost at a reboot, and so again once it is activated."""
    return having(step.after, lambda one: one.runs_unit)


def proves_completion(step: Step, *, rebooted: bool) -> bool:
    """Whether the conditions after ``step``, if they all hold, prove that an interrupted run of it finished."""
    telling = having(step.after, lambda one: not one.may_be_older)
    return bool(telling) and not (rebooted and having(step.after, lambda one: one.can_be_half_true))


def _is_in_effect(state: StepState | None) -> bool:
    return state is not None and state is not StepState.UNDONE
