"""What a unit can become with more or larger disks, and the steps to it.

A backend says what is possible by what was measured, not by what its tool accepts: each `Shape` that it refuses has the
reason. `raidtui.plan.grow` makes the plan: the new disks are prepared, the unit grows, then what is on it.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from raidtui.backends.replacing import Naming, Need
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Hazard, PlannedDisk, Step
from raidtui.model.procedure import Grow
from raidtui.model.struct import Record
from raidtui.model.unit import Unit


class Way(StrEnum):
    """How a unit gets there, which decides how long it takes."""

    NOTHING = "nothing"  # it is so already
    COPY = "copy"  # a new member is written
    MOVE = "reshape"  # everything is read and written to another place on the same disks
    SYNC = "sync"  # the new space is synced


class Shape(Record, frozen=True, kw_only=True):
    """What a unit is or can become: a row of the table. Sizes in bytes."""

    change: str  # "today", "+1 disk", "larger members", "to raid6"
    level: str
    layout: str = ""
    members: int
    unit_bytes: int = 0  # what it holds; 0 if it is refused
    survives: int | None = 0  # failures of any members; None: not known
    way: Way = Way.NOTHING
    moved_bytes: int = 0  # read or written on each member on the way
    checked_bytes: int = 0  # read on each member by the check at the end
    risk: str = ""  # on the way, a sentence
    reserve_bytes: int = (
        0  # of each disk, if it only takes what a build leaves free at the end for a smaller replacement
    )
    needs: str = ""  # what is lacking for it here; empty: nothing
    note: str = ""  # what its size means, if it is not simply what can be stored
    undo: str = ""  # whether it can be undone on the way
    refused: str = ""  # why it is not done; empty: it can be
    fits: tuple[str, ...] = ()  # identities of the free disks that fit, the smallest first
    add: tuple[str, ...] = ()  # those of them for which `procedure` is
    procedure: Grow | None = None  # None: not done, or something is lacking


def refused(level: str, change: str, members: int, why: str) -> Shape:
    """What a unit of this level does not become."""
    return Shape(change=change, level=level, members=members, refused=why)


class Grown(Record, frozen=True, kw_only=True):
    """A unit that grows, as its backend sees it."""

    need: Need  # what each new disk has to be like
    further: tuple[Need, ...] = ()  # further members on the same disk, each in a partition of its own
    unit_bytes: int  # its size afterwards
    chunk_bytes: int = 0  # 0: it has no chunk
    width_bytes: int = 0  # one full stripe of data afterwards
    moves: bool = False  # all of its data is moved on the way
    device: str  # stable path of the unit
    within: bool = False  # it is the filesystem itself: nothing is on it that would grow after it
    disks: tuple[PlannedDisk, ...] = ()  # members whose partitions change
    hazards: tuple[Hazard, ...] = ()  # of the way that it grows, in its backend's words
    creates: tuple[
        str, ...
    ] = ()  # the UUIDs of what its steps make or join: a resumed job knows it as its own


class Grower(Protocol):
    """The part of a backend that lets its units grow. All of it is pure."""

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        """What ``unit`` is, and can become with the free disks of ``machine``; also what is never done, and why."""
        ...

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        """What ``order`` makes of ``unit``. Raises Refused: it is not possible now, or could lose data."""
        ...

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """From prepared disks to the grown unit, before what is on it grows."""
        ...

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """What shows that it has grown, and has its full redundancy."""
        ...

    def last(self, unit: Unit) -> list[Step]:
        """The steps after all others: a check of all its data."""
        ...
