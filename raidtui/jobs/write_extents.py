"""Find where a plan's commands write on a disk before the first step that cannot be undone. Pure.

The capsule saves these extents, so every such command must declare what it writes. One that does not is an error
before anything is written, instead of bytes that cannot be restored.
"""

from collections.abc import Iterator

from raidtui.model.errors import StepFailed
from raidtui.model.plan import Extent, Plan, PlannedDisk, Run, Undo


def find_writes(plan: Plan, disk: PlannedDisk) -> tuple[Extent, ...]:
    """Every extent of ``disk`` that ``plan`` writes before its old contents can no longer be restored.

    Raises:
        StepFailed: a step that must be undoable runs a command without known write extents.
    """
    return tuple(one for one in _writes(plan) if one.disk == disk.path)


def _writes(plan: Plan) -> Iterator[Extent]:
    for step in plan.steps:
        if step.undoable is Undo.IMPOSSIBLE:
            return
        for action in step.actions:
            if isinstance(action, Run):
                if action.writes is None:
                    raise StepFailed(
                        f"it is not known where {' '.join(action.argv)!r} writes, so it could not be undone"
                    )
                yield from action.writes
