"""What a backend says and does when a disk with a member of one of its units is replaced.

`raidtui.plan.replace` makes one plan for everything on that disk: the new disk is prepared once, then each unit gets its
new member, the one that another failure would take first. A backend finds its units that are concerned: each is a
`Need` of its own kind, which gives its steps.
"""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from raidtui.backends.care import Place
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.nodes import stable_paths
from raidtui.model.plan import Check, Hazard, Run, Step
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import MIB
from raidtui.model.uuids import same_uuid
from raidtui.steps.devices import BLANK, PRESENT, UNCLAIMED
from raidtui.steps.wipe import zero


class Naming(NamedTuple):
    """How the steps of one unit name things: the disks in a sentence, the paths in commands, the ids of the steps."""

    old: str
    new: str
    device: str  # stable path of the new member
    whole: str  # that of the whole new disk
    suffix: str  # of each step's id
    uuid: str = ""  # derived for the new member: what a resumed job finds on it is known as its own
    disk: str = ""  # identity of the new disk

    @property
    def ready(self) -> tuple[Check, ...]:
        """What holds before the new member is added."""
        return tuple(kind.of(self.device) for kind in (PRESENT, BLANK, UNCLAIMED))


class Need(Record, frozen=True, kw_only=True):
    """A unit that gets a new member. Each backend has its own kind."""

    unit: Unit
    left: Left = Left.SOME  # what one more failure does to it
    old: str = ""  # stable path of the old member; empty if there is none, or its device is gone
    old_path: str = ""  # the kernel's path of it
    copied: bool = False  # the old member works and is copied, so redundancy does not drop
    spare: bool = False  # the old member is a spare
    places: tuple[Place, ...]  # of the old member, and of those that stay: the new one is like the first
    present: tuple[Disk, ...]  # the disks of the members that stay
    least: int  # bytes that the member needs at least
    lacks: int = 0  # members that it still lacks when this one is replaced
    partition_type: str  # GPT type of its partition
    container_uuid: str = (
        ""  # of the set whose disk the member is, as those of its other units are; else empty
    )
    hazards: tuple[Hazard, ...] = ()  # of its own, beside those that a build would have with such a disk
    of_card: bool = False  # it takes only drives behind its card, which the kernel does not see
    bare: bool = False  # not all of it has redundancy: what cannot be read on the old member is lost
    data_at: tuple[
        int, ...
    ] = ()  # bytes: where data begins on the old member, behind what belongs to the unit
    proven_by: str = "Every slot in sync, no member that waits to be replaced, no bad blocks."

    def check(self, new: Disk) -> None:
        """Check what only its backend knows of a new disk; it is free and large enough. Pure.

        Raises:
            Refused: the unit does not take it.
        """

    @property
    def name(self) -> str:
        """The unit's name in a sentence."""
        return harmless(self.unit.shown)

    @property
    def zeroed(self) -> Iterator[Run]:
        """The commands that zero the start of the data on the old member, whose disk may refuse.

        By the filesystem there its disk would be taken for a member whose superblock was lost.
        """
        return (replace(zero(self.old, place, MIB), ok=(0, 1)) for place in self.data_at)

    def steps(self, naming: Naming) -> list[Step]:
        """The steps that bring the new member in and take the old one out. Pure."""
        raise NotImplementedError

    def proof(self) -> Check:
        """The condition that shows that the unit is complete, with its full redundancy if it has any. Pure."""
        raise NotImplementedError

    def out(self) -> Check:
        """The condition that shows that the old member is in its unit no more, so that it may be wiped. Pure."""
        raise NotImplementedError

    def forget(self) -> tuple[tuple[Run, ...], Check]:
        """The commands that wipe the old member, and what holds then. Pure."""
        raise NotImplementedError


class Leaving(NamedTuple):
    """The disk that is replaced, as far as it is known."""

    disk: str  # its identity; empty if it is not known
    old: Disk | None  # the disk itself, if it is connected
    missing_from: tuple[str, ...]  # UUIDs of units that lost a member on it, as known from their journal
    machine: Machine

    def has(self, path: str) -> bool:
        """Whether the device with this kernel path is on it."""
        return self.old is not None and path in self.old.every_path

    def former(self, kind: str, uuid: str, known: Collection[str] = ()) -> str:
        """The kernel's path of what was a member of the unit with this UUID; empty if there is none.

        Args:
            kind: the type of its signature.
            known: the devices that are members now.
        """
        marks = self.old.every_signature if self.old is not None else ()
        return next(
            (s.device for s in marks if s.type == kind and same_uuid(s.uuid, uuid) and s.device not in known),
            "",
        )

    def is_missing_from(self, uuid: str) -> bool:
        """Whether the unit with this UUID is known to have lost a member on it."""
        return any(same_uuid(uuid, one) for one in self.missing_from)

    def stable(self, path: str) -> str:
        """The stable path of a device on it; empty if there is none."""
        return stable_paths(self.old).get(path, "") if self.old is not None else ""

    def beside(self, unit: Unit, path: str) -> tuple[Disk, ...]:
        """The disks of the members of ``unit`` that stay, without the one at ``path``."""
        here = {one.identity: one for one in self.machine.disks}
        return tuple(
            here[one.disk] for one in unit.members if one.path and one.path != path and one.disk in here
        )


Sparing = Callable[[Unit, Machine], Need]
"""What a hot spare of a unit has to be like. Pure.

Raises:
    Refused: it takes none now.
"""
Needs = Callable[[Leaving], Iterator[Need]]
"""Find the units of a backend that get a new member. Pure.

Raises:
    Refused: a unit cannot get a new member now, or has no redundancy to replace one with.
"""
