"""The sentences about a step that failed: which one, why, what is left, and what to do. Pure."""

from collections.abc import Mapping, Sequence

from raidtui.jobs.progress import StepState, has_destroyed, is_irreversible
from raidtui.model.plan import Plan, PlanKind, Step


def failure(plan: Plan, states: Mapping[str, StepState], step: Step, reason: str, *, job: str) -> str:
    """The sentence about a step that failed: which, why, what is left of what was on the disks, and what to do.

    Args:
        states: how far each step came, ``step`` too unless it failed before it changed anything.
    """
    if is_irreversible(plan, states):
        left = "The old contents of the disks are lost"
    elif has_destroyed(plan, states):
        left = "The old contents of the disks can still be restored"
    else:
        left = "Nothing was written to the disks"
    todo = f"'raidtui resume {job}' tries this step again"
    if plan.kind is PlanKind.BUILD:
        todo += f", 'raidtui rollback {job}' undoes everything"
    done = _numbers(plan, [s for s in plan.steps if states.get(s.id) is StepState.DONE])
    return f"{_failed(plan, step, reason)}. {left}. Done before it: {done}. {todo}"


def undo_failure(plan: Plan, states: Mapping[str, StepState], step: Step, reason: str, *, job: str) -> str:
    """The sentence about a step that could not be undone: which, why, what is left to undo, and what to do."""
    left = _numbers(plan, [s for s in plan.steps if s == step or states.get(s.id) is StepState.DONE])
    todo = f"'raidtui rollback {job}' continues"
    return f"undoing {_failed(plan, step, reason)}. Not undone yet: {left}. {todo}"


def _numbers(plan: Plan, steps: Sequence[Step]) -> str:
    """Steps by their numbers in the plan: ``steps 1 to 4, 6``."""
    numbers = [number for number, step in enumerate(plan.steps, 1) if step in steps]
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"{'steps' if len(numbers) > 1 else 'step'} {', '.join(words)}" if words else "nothing"


def _failed(plan: Plan, step: Step, reason: str) -> str:
    number = [one.id for one in plan.steps].index(step.id) + 1
    return f"step {number} of {len(plan.steps)} ({step.title}) failed: {reason.rstrip('.')}"
