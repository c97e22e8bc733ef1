"""The sentences about a step that failed: which one, why, what is left, and what to do. Pure."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from raidtui.backends.units import units_of
from raidtui.jobs.capsule import describe_signatures
from raidtui.jobs.guard import own_signatures
from raidtui.jobs.progress import StepState, has_destroyed, is_irreversible
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import EnsureLine, Plan, PlanKind, Step
from raidtui.plan.teardown import make_teardown


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


def disk_missing(
    plan: Plan, states: Mapping[str, StepState], live: Machine, reason: str, *, capsule: Path | None
) -> str:
    """The sentences about a begun job that goes neither on nor back because a disk is not there.

    They say what is left and how to clear it without that disk. Only disks with nothing but what this job has made
    are named for that: nobody looked at the others.

    Args:
        reason: which disk, and what about it.
        capsule: where what was on the disks is kept; ``None`` if nothing is.
    """
    begun = [step for step in plan.steps if states.get(step.id, StepState.UNDONE) is not StepState.UNDONE]
    said = [reason, f"Nothing was changed now: {_numbers(plan, begun)} of {len(plan.steps)} stay as they are"]
    said.append("Connect the disk that was confirmed and try again")
    lines = sorted({a.path for step in begun for a in step.actions if isinstance(a, EnsureLine)})
    others = _found(plan, live)
    ours = [disk.identity for disk in others if _is_ours(plan, disk)]
    if not has_destroyed(plan, states):
        said.append("Nothing was written to the disks")
    elif _is_removable(plan, live):
        said.append(
            f"Without it: 'raidtui teardown {plan.spec.name}' removes it from the other disks, and its lines "
            "in /etc"
        )
    else:
        if ours:
            said.append(
                f"Without it: 'wipefs --all' on each partition of {', '.join(ours)}, then on each disk, clears them"
            )
        elif not any(disk.every_signature or disk.partitions for disk in others):
            said.append("Nothing of this job is left on the other disks")
        if lines:
            said.append(f"Delete the lines of {plan.spec.name} in {' and '.join(lines)}")
    kept = f"; what this job overwrote is kept in {capsule}" if capsule is not None else ""
    return ". ".join(said) + kept


def _is_removable(plan: Plan, live: Machine) -> bool:
    """Whether a unit of this job is there, and can be removed without the disk."""
    if not any(unit.has_mark(mark) for unit in units_of(live) for mark in plan.marks):
        return False
    try:
        make_teardown(plan.spec.name, live, seed=plan.seed)
    except RaidtuiError:
        return False
    return True


def _found(plan: Plan, live: Machine) -> list[Disk]:
    """The disks of ``plan`` that are there."""
    found = []
    for planned in plan.disks:
        try:
            disk = live.disk(planned.identity)
        except BadInput:
            continue
        if disk.size_bytes == planned.size_bytes and disk.serial == planned.serial:
            found.append(disk)
    return found


def _is_ours(plan: Plan, disk: Disk) -> bool:
    """Whether something is on ``disk``, and nothing but what this plan's own steps put there."""
    there = set(describe_signatures(disk))
    return bool(there) and there <= own_signatures(plan, disk)


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
