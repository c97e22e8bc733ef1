"""A unit: what a backend made of several disks. The rooms above the backends know only this."""

from enum import StrEnum
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from raidtui.model.machine import LostMember, Signature
from raidtui.model.spec import Backend, kind_of
from raidtui.model.struct import Record
from raidtui.model.uuids import same_uuid


class Health(StrEnum):
    """What matters about a unit in one word."""

    OK = "ok"
    SYNCING = "syncing"  # redundant as far as md knows, and checked or synced now
    BUILDING = "building"  # not redundant yet
    ERRORS = "errors"  # runs with all its members, and one of them has counted errors
    DEGRADED = "degraded"
    FAILED = "failed"  # lost more members than it survives
    INACTIVE = "inactive"  # assembled, not started


class UnitMember(Record, frozen=True, kw_only=True):
    """A device of a unit, or the place of one that is gone."""

    path: str  # /dev/sda1, or the slot of a drive behind a RAID card; empty where it is gone
    disk: str = ""  # the identity of the whole disk under it; empty where it is not known
    slot: int | None = None  # None for spares and members that failed
    state: str = ""  # in words: "in sync", "rebuilding", "spare", "faulty", "missing"
    filled: float | None = (
        None  # the part that agrees with the others, 0 to 1; None: it holds no data, or not known
    )
    called: str = ""  # of one that is a unit itself, what it is: "array tank"
    note: str = ""  # what else is known of it, in words: where it is, what it has counted of errors


_SCRUBS: Final = frozenset({"scrub", "check", "repair"})


class Activity(Record, frozen=True, kw_only=True):
    """What a unit does beside its work: a resync, a rebuild, a check."""

    what: str  # resync, rebuild, initial sync, check …
    fraction: float = 0.0  # of it that is done
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: int | None = None  # None: not known
    seconds_left: int | None = None  # None: not known
    paused: bool = False
    waiting: str = ""  # what it waits for, in words
    of_each: bool = False  # whether its bytes are those of each member, which it passes over side by side

    @property
    def is_scrub(self) -> bool:
        """Whether it only reads and compares what is there: nothing is missing, and a reboot ends it."""
        return self.what in _SCRUBS


class Limits(Record, frozen=True, kw_only=True):
    """Between which rates what a unit does goes, bytes a second of each member; None: not limited."""

    least: int | None = None
    most: int | None = None
    own: bool = False  # set for this unit; else the system's
    usual_most: int | None = None  # the system's, where it is known and one for this unit may hide it
    most_alone: bool = False  # the least cannot be set


class Unit(Record, frozen=True, kw_only=True):
    """What a backend made of several disks: an array, a volume group. The rooms above the backends know only this."""

    backend: Backend
    name: str
    uuid: str
    marks: tuple[str, ...]  # by which a plan knows it: its UUID, or one that a build wrote into it
    level: str  # the backend's word; empty where it cannot be known now
    size_bytes: int
    raid_disks: int = 0  # members that hold its data, missing ones too and spares not; 0: not known
    chunk_bytes: int = 0  # written to one member before the next; 0: none, or not known
    path: str  # of the device that holds its data: /dev/md/tank
    node: str  # the same as the kernel calls it now; empty where it is not active
    health: Health
    state: str  # in words, the danger first, with the progress of its activity
    members: tuple[UnitMember, ...] = ()
    lost: tuple[LostMember, ...] = ()  # members that are gone and that nobody has acknowledged
    activity: Activity | None = None
    limits: Limits | None = None  # of what it does; None: there are none, or they are not known
    scrubbed: str = ""  # what came of the last scrub, in words; empty where nobody has kept it
    resumable: str = ""  # what was stopped and can be resumed, where that does not count as paused
    signatures: tuple[Signature, ...] = ()  # on what it offers
    read_only: bool = False  # set so: nothing is written to it, and it takes no scrub
    untouched: bool = (
        False  # nothing was written to it since it was started, and what it is to do waits for that
    )
    unread: str = ""  # why what is on it could not be read
    mountpoints: tuple[str, ...] = ()
    below: tuple[str, ...] = ()  # the UUIDs of the units that it stands on
    given: str = ""  # the name that a spec gave it, where its card keeps a longer one: tank of tank-9f03ab
    details: tuple[str, ...] = ()  # what it is set to, where a card and not the kernel has it: a line each
    reading: Record | UnsetType = UNSET  # what its backend read of it and alone understands: md's `Array`

    @property
    def kind(self) -> str:
        """Its level, ``raid5``, and whose it is where that is not mdadm: ``lvm striped``."""
        return kind_of(self.backend, self.level or "array")

    @property
    def document(self) -> "Unit":
        """This unit as documents have it: without what its backend alone understands."""
        return self if self.reading is UNSET else replace(self, reading=UNSET)

    @property
    def spec_name(self) -> str:
        """The name that it has in a spec."""
        return self.given or self.name

    def is_called(self, word: str) -> bool:
        """Whether ``word`` is this unit's name, UUID, node or path."""
        names = {self.name, self.given, self.node, self.path, self.node.removeprefix("/dev/")} - {""}
        return word in names or same_uuid(word, self.uuid)

    def has_mark(self, mark: str) -> bool:
        """Whether this is the unit that a plan knows by ``mark``."""
        return any(same_uuid(one, mark) for one in self.marks)
