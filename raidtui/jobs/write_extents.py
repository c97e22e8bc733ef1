"""Where the commands of a plan write on a disk before the first step that cannot be undone. Pure.

The capsule saves these stretches, so each such command must say where it writes: one that does not is an error while
nothing has been written, and not a byte that does not come back.
"""

from collections.abc import Iterator

from raidtui.model.errors import StepFailed
from raidtui.model.plan import Extent, Plan, PlannedDisk, Run, Undo


def find_writes(plan: Plan, disk: PlannedDisk) -> tuple[Extent, ...]:
    """Every stretch of ``disk`` that ``plan`` writes before its old contents are gone for good.

    Raises:
        StepFailed: a step that must be undoable runs a command of which it is not known where it writes.
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
