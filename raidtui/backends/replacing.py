"""What a backend says and does when a disk with a member of one of its units is replaced.

`raidtui.plan.replace` makes one plan for everything on that disk: the new disk is prepared once, then each unit gets its
new member, the one that another failure would take first. A backend finds its units that are concerned, and gives the
steps of each.
"""

from typing import NamedTuple, Protocol

from raidtui.backends.care import Place
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.plan import Check, Run, Step
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Unit


class Need(Record, frozen=True, kw_only=True):
    """A unit that gets a new member."""

    unit: Unit
    left: Left  # what one more failure does to it
    old: str  # stable path of the old member; empty if its device is gone
    old_path: str  # the kernel's path of it
    copied: bool  # the old member works and is copied, so redundancy does not drop
    spare: bool = False  # the old member is a spare
    places: tuple[Place, ...]  # of the old member, and of those that stay: the new one is like the first
    present: tuple[Disk, ...]  # the disks of the members that stay
    least: int  # bytes that the member needs at least
    lacks: int = 0  # members that it still lacks when this one is replaced
    partition_type: str  # GPT type of its partition
    words: tuple[str, ...] = ()  # what only its backend understands

    @property
    def name(self) -> str:
        """The unit's name in a sentence."""
        return harmless(self.unit.name or self.unit.node)


class Naming(NamedTuple):
    """How the steps of one unit name things: the disks in a sentence, the paths in commands, the ids of the steps."""

    old: str
    new: str
    device: str  # stable path of the new member
    whole: str  # that of the whole new disk
    suffix: str  # of each step's id


class Replacer(Protocol):
    """The part of a builder that replaces members."""

    def needs(
        self, disk: str, old: Disk | None, missing_from: tuple[str, ...], machine: Machine
    ) -> tuple[Need, ...]:
        """Find the units that get a new member. Pure.

        Args:
            disk: identity of the disk that is replaced; empty if it is not known.
            old: that disk, if it is connected.
            missing_from: UUIDs of units that lost a member on it, as known from their journal.

        Raises:
            Refused: a unit cannot get a new member now, or has no redundancy to replace one with.
        """

    def steps(self, need: Need, naming: Naming) -> list[Step]:
        """The steps that bring the new member in and take the old one out. Pure."""

    def proof(self, need: Need) -> Check:
        """The condition that shows that the unit has its full redundancy. Pure."""

    def left(self, need: Need) -> Check:
        """The condition that shows that the old member is in its unit no more, so that it may be wiped. Pure."""

    def forget(self, need: Need) -> tuple[tuple[Run, ...], Check]:
        """The commands that wipe the old member, and what holds then. Pure."""
