"""The progress of a job according to its journal, and what is unknown after an interruption. Pure."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from raidtui.backends.conditions import having
from raidtui.jobs.journal import data_of
from raidtui.model.journal import Entry, Event
from raidtui.model.plan import Check, Plan, Role, Step, Undo


class StepState(StrEnum):
    """The state of one step. A step that is not in the journal was never started."""

    BEGUN = "begun"  # not finished; only the machine shows how much of it was done
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"


SHOWS: Final = "shows"  # key in the data of a note: the signatures on the array right after its creation
UNTOUCHED: Final = "untouched"  # key in the data of a failure: the step had not changed anything
REASON: Final = "reason"  # key in the data of a failure: why, without what can be done about it


def step_states(entries: Sequence[Entry]) -> dict[str, StepState]:
    """The state of every step in the journal; a step that failed before it changed anything counts as not started."""
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


def of_failure(reason: str, *, untouched: bool) -> dict[str, object]:
    """The data of a failure in the journal."""
    return {UNTOUCHED: untouched, REASON: reason}


def last_run(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The entries of the current process, or the last one."""
    starts = [place for place, entry in enumerate(entries) if entry.event is Event.STARTED]
    return entries[starts[-1] :] if starts else entries


def undoes(entries: Sequence[Entry]) -> bool:
    """Whether the current process, or the last one, is a rollback."""
    return any(e.event is Event.STARTED and data_of(e).get("mode") == "rollback" for e in last_run(entries))


def stale_signatures(entries: Sequence[Entry]) -> frozenset[str]:
    """The signatures on the new array right after its creation, left from earlier use of its members."""
    noted = [data_of(entry).get(SHOWS) for entry in entries if entry.event is Event.NOTE]
    return frozenset(str(one) for some in noted if isinstance(some, list) for one in some)


def boot_of(entries: Sequence[Entry]) -> str:
    """The boot ID of the job's last run; empty if it never ran."""
    boots = [str(data_of(entry).get("boot", "")) for entry in entries if entry.event is Event.STARTED]
    return boots[-1] if boots else ""


def began_with(entries: Sequence[Entry]) -> str:
    """The version that began the job, such as "raidtui 0.1.0"; empty if it never ran."""
    first = next((entry.text for entry in entries if entry.event is Event.STARTED), "")
    return first.partition(",")[0]


def has_destroyed(plan: Plan, states: Mapping[str, StepState]) -> bool:
    """Whether a step was started that changes the contents of a disk, and not undone."""
    return any(
        (step.destroys or step.undoable is Undo.CAPSULE) and _is_in_effect(states.get(step.id))
        for step in plan.steps
    )


def is_irreversible(plan: Plan, states: Mapping[str, StepState]) -> bool:
    """Whether a step was started after which the old contents cannot be restored."""
    return any(step.undoable is Undo.IMPOSSIBLE and step.id in states for step in plan.steps)


def is_unformatted(plan: Plan, states: Mapping[str, StepState]) -> bool:
    """Whether nothing can be stored yet in what ``plan`` creates: its filesystem is not complete."""
    made = [states.get(step.id) for step in plan.steps if step.role is Role.FORMAT]
    return bool(made) and StepState.DONE not in made


def can_be_lost(step: Step) -> tuple[Check, ...]:
    """The conditions after ``step`` that must be checked again after an interruption."""
    return having(step.after, lambda one: one.can_be_lost)


def runs_unit(step: Step) -> tuple[Check, ...]:
    """The conditions after ``step`` about a running unit: lost at a reboot, met again once it is activated."""
    return having(step.after, lambda one: one.runs_unit)


def may_be_done(step: Step, *, begun: bool, rebooted: bool) -> bool:
    """Whether ``step``, interrupted or never started, may be done already, which the conditions after it then prove.

    A reboot mounts what is in fstab, and md takes a spare by itself when a member fails. What was being created as the power
    failed is created again: md may count its last member as in sync before anything was written there.
    """
    if rebooted and step.role is Role.CREATE and step.repair:
        return False
    by_itself = rebooted or step.role in {Role.MEMBER, Role.WAIT}
    conclusive = having(step.after, lambda one: not one.may_be_older)
    proves = bool(conclusive) and not (rebooted and having(step.after, lambda one: one.can_be_half_true))
    return proves and (begun or by_itself)


def _is_in_effect(state: StepState | None) -> bool:
    return state is not None and state is not StepState.UNDONE
