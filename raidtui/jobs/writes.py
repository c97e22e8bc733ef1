"""Where the commands of a plan write on a disk before the first step that cannot be undone. Pure.

The capsule saves these stretches, so this must know every program that such a step may run: an unknown one is an
error while nothing has been written, and not a byte that does not come back.
"""

import re
from collections.abc import Iterator
from typing import Final

from raidtui.model.errors import StepFailed
from raidtui.model.plan import Plan, PlannedDisk, Run, Undo
from raidtui.model.struct import Record
from raidtui.steps.devices import PARTITION

# wipefs writes over signatures, sfdisk over both ends of the disk and of the new partitions: saved in any case.
_WRITES_AT_KNOWN_PLACES: Final = frozenset({"wipefs", "sfdisk"})
_WRITES_NOTHING: Final = frozenset({"blockdev", "udevadm"})


class Extent(Record, frozen=True, kw_only=True):
    """A stretch of a whole disk, in bytes."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.offset + self.length


def find_writes(plan: Plan, disk: PlannedDisk) -> tuple[Extent, ...]:
    """Every stretch of ``disk`` that ``plan`` names before the array is created: zeroed ones, new partitions.

    Raises:
        StepFailed: a step that must be undoable runs a program of which it is not known where it writes.
    """
    return (*_zeroed(plan, disk), *_partitions(plan, disk))


def _zeroed(plan: Plan, disk: PlannedDisk) -> Iterator[Extent]:
    others = {other.path for other in plan.disks}
    for step in plan.steps:
        if step.undoable is Undo.IMPOSSIBLE:
            return
        for action in step.actions:
            if not isinstance(action, Run) or action.argv[0] in _WRITES_NOTHING | _WRITES_AT_KNOWN_PLACES:
                continue
            words = dict(word.split("=", 1) for word in action.argv[1:] if "=" in word)
            if action.argv[0] != "dd" or words.get("of") not in others or words.get("oflag") != "seek_bytes":
                raise StepFailed(
                    f"it is not known where {' '.join(action.argv)!r} writes, so it could not be undone"
                )
            if words["of"] == disk.path:
                yield Extent(offset=int(words["seek"]), length=int(words["bs"]) * int(words["count"]))


def _partitions(plan: Plan, disk: PlannedDisk) -> Iterator[Extent]:
    name = re.compile(re.escape(disk.path) + r"(-part|p)?\d+")
    for step in plan.steps:
        for check in step.after:
            if check.kind == PARTITION.kind and name.fullmatch(check.subject):
                start, size = (int(word) for word in check.expect.split())
                yield Extent(offset=start, length=size)
