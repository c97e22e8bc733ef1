"""Explain a failed step: which one, why, what remains, and what to do. Pure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from raidtui.backends.units import units_of
from raidtui.jobs.disk_contents import describe_signatures, own_signatures
from raidtui.jobs.progress import StepState, has_destroyed, is_irreversible
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import EnsureLine, Plan, PlanKind, Step, Undo
from raidtui.model.text import listed
from raidtui.plan.teardown import make_teardown

_ON_UNITS: Final = frozenset({PlanKind.REPLACE, PlanKind.CARE})


def failure(plan: Plan, states: Mapping[str, StepState], step: Step, reason: str, *, job: str) -> str:
    """Explain a failed step: which one, why, what is left of the old contents, and what to do.

    Args:
        states: the state of each step, including ``step`` unless it failed before it changed anything.
    """
    named = [disk.named for disk in plan.erased or plan.disks]
    disks = listed(named) if plan.kind in _ON_UNITS else "the disks"
    if is_irreversible(plan, states) and plan.kind is PlanKind.CARE and not plan.erased:
        left = "No disk was erased"
    elif is_irreversible(plan, states):
        left = f"The old contents of {disks} are lost"
    elif has_destroyed(plan, states):
        left = f"The old contents of {disks} can still be restored"
    else:
        left = "Nothing was written to the disks"
    todo = f"'raidtui resume {job}' tries this step again"
    kept = any(one.undoable is Undo.CAPSULE for one in plan.steps) and not is_irreversible(plan, states)
    if plan.kind is PlanKind.BUILD or (plan.kind is PlanKind.CARE and kept):
        todo += f", 'raidtui rollback {job}' undoes everything"
    done = _numbers(plan, [s for s in plan.steps if states.get(s.id) is StepState.DONE])
    return f"{_failed(plan, step, reason)}. {left}. Done before it: {done}. {todo}"


def undo_failure(plan: Plan, states: Mapping[str, StepState], step: Step, reason: str, *, job: str) -> str:
    """Explain a failed undo: which step, why, what is left to undo, and what to do."""
    left = _numbers(plan, [s for s in plan.steps if s == step or states.get(s.id) is StepState.DONE])
    todo = f"'raidtui rollback {job}' continues"
    return f"undoing {_failed(plan, step, reason)}. Not undone yet: {left}. {todo}"


def other_commands(began_with: str, *, capsule: Path | None) -> str:
    """Explain that this version of raidtui would run other commands than those that were confirmed.

    Args:
        began_with: the version that has begun the job; empty if no step was begun.
        capsule: the folder with the old contents; ``None`` if nothing was saved.
    """
    text = "this version of raidtui derives different commands from those that were confirmed"
    if not began_with:
        return f"{text}; make a new plan and confirm it"
    kept = f"; what the job overwrote is kept in {capsule}" if capsule is not None else ""
    return f"{text}. Nothing was changed now. Install {began_with}, which began this job, to resume it or roll it back{kept}"


def disk_missing(
    plan: Plan, states: Mapping[str, StepState], live: Machine, reason: str, *, capsule: Path | None
) -> str:
    """Explain why an unfinished job can neither resume nor roll back, because a disk is missing.

    Says what remains and how to clear it without that disk. Names only disks that hold nothing but what this job
    created; the others were not checked.

    Args:
        reason: which disk is missing or differs, and how.
        capsule: the folder with the old contents; ``None`` if nothing was saved.
    """
    begun = [step for step in plan.steps if states.get(step.id, StepState.UNDONE) is not StepState.UNDONE]
    sentences = [
        reason,
        f"Nothing was changed now: {_numbers(plan, begun)} of {len(plan.steps)} stay as they are",
    ]
    sentences.append("Connect the disk that was confirmed and try again")
    lines = sorted({a.path for step in begun for a in step.actions if isinstance(a, EnsureLine)})
    others = _found(plan, live)
    ours = [disk.identity for disk in others if _is_ours(plan, disk)]
    if not has_destroyed(plan, states):
        sentences.append("Nothing was written to the disks")
    elif _is_removable(plan, live):
        sentences.append(
            f"Without it: 'raidtui teardown {plan.spec.name}' removes it from the other disks, and its lines "
            "in /etc"
        )
    else:
        if ours:
            sentences.append(
                f"Without it: choose {', '.join(ours)} for something new, which erases what is on them"
            )
        elif not any(disk.every_signature or disk.partitions for disk in others):
            sentences.append("Nothing of this job is left on the other disks")
        if lines:
            sentences.append(f"Delete the lines of {plan.spec.name} in {' and '.join(lines)}")
    kept = f"; what this job overwrote is kept in {capsule}" if capsule is not None else ""
    return ". ".join(sentences) + kept


def _is_removable(plan: Plan, live: Machine) -> bool:
    """Whether a unit of this job exists and can be removed without the missing disk."""
    if not any(unit.has_mark(mark) for unit in units_of(live) for mark in plan.marks):
        return False
    try:
        make_teardown(plan.spec.name, live, seed=plan.seed)
    except RaidtuiError:
        return False
    return True


def _found(plan: Plan, live: Machine) -> list[Disk]:
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
    """Whether ``disk`` holds something, and only what this plan's steps put there."""
    there = set(describe_signatures(disk))
    return bool(there) and there <= own_signatures(plan, disk)


def _numbers(plan: Plan, steps: Sequence[Step]) -> str:
    """Steps by number in the plan: ``steps 1 to 4, 6``."""
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


def too_late(plan: Plan, *, job: str) -> str:
    """Why a plan that has destroyed the old contents cannot be undone; empty if it can be all the same."""
    if plan.kind is PlanKind.TEARDOWN:
        return f"what was on {plan.called} is already erased and cannot be restored; 'raidtui resume {job}' finishes the teardown"
    if plan.kind in {PlanKind.REPLACE, PlanKind.CARE}:
        return f"the member is already in the array, or has left it; 'raidtui resume {job}' finishes the job"
    return ""
