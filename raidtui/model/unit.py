"""A unit: what a backend made of several disks. The rooms above the backends see only this."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from raidtui.model.lost import LostMember
from raidtui.model.machine import Signature
from raidtui.model.spec import Backend, kind_of
from raidtui.model.struct import Record
from raidtui.model.unit_names import is_unit_called, shown_name
from raidtui.model.uuids import same_uuid


class Health(StrEnum):
    """The health of a unit in one word."""

    OK = "ok"
    SYNCING = "syncing"  # redundant as far as the backend knows, with a sync or check in progress
    BUILDING = "building"  # not redundant yet
    ERRORS = "errors"  # active with all its members, but one has counted errors, or the card has a fault
    DEGRADED = "degraded"
    FAILED = "failed"  # has lost more members than it survives
    INACTIVE = "inactive"  # assembled, not started


REDUNDANCY_UNKNOWN: Final = "redundancy unknown"
"""In the state of a unit that runs: which of its members are well could not be read."""

NO_REDUNDANCY: Final = "no redundancy"
"""In the state of a unit that is well, and loses data with a failed disk."""


class Noted(StrEnum):
    """What a person should know of a unit that may be well otherwise, in words."""

    NOTHING = ""
    HELD = "its syncs are held up"
    SLOWED = "its syncs may hardly run, by a speed limit"
    PART = "the last check was stopped, and the next one would leave out what it has read"
    MISMATCHES = "the last check found that its copies differ"


ALIKE: Final = "the same superblock"
"""The state of a device that has the superblock of a member: nobody can say for certain which of the two is meant."""

WELL: Final = frozenset({"in sync", "in use", "online", "not used", "spare", "journal"})
"""States of members that need no attention."""


class UnitMember(Record, frozen=True, kw_only=True):
    """A member of a unit, or the place of a missing one."""

    path: str  # /dev/sda1, or the slot of a drive behind a RAID card; empty if it is missing
    disk: str = ""  # the identity of the whole disk under it; empty if not known
    on: tuple[str, ...] = ()  # if it is another device, such as an opened encrypted one: the disks below that
    slot: int | None = None  # None for spares and failed members
    state: str = ""  # in words: "in sync", "rebuilding", "spare", "faulty", "missing"
    filled: float | None = None  # fraction already in sync, 0 to 1; None: it holds no data, or not known
    called: str = ""  # if the member is itself a unit, its name: "array tank"
    note: str = ""  # more about it, in words: where it is, its error counts

    @property
    def where(self) -> str:
        """What it is on, in words: a unit, its disk, or the disks below the device that it is; empty if not known."""
        return self.called or self.disk or (f"on {', '.join(self.on)}" if self.on else "")

    @property
    def role(self) -> str:
        """The first part of its state: "faulty" of md's "faulty, write error"."""
        return self.state.partition(",")[0]


INITIAL: Final = "initial sync"
"""What the activity is called that builds the redundancy of a new unit."""
_SCRUBS: Final = frozenset({"scrub", "check", "repair"})


class Activity(Record, frozen=True, kw_only=True):
    """A background activity of a unit: a resync, a rebuild, a check."""

    what: str  # resync, rebuild, initial sync, check …
    fraction: float = 0.0  # done so far, 0 to 1
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: int | None = None  # None: not known
    seconds_left: int | None = None  # None: not known
    # Slowest and fastest mean rate while it was watched; None: not watched.
    seen: tuple[int, int] | None = None
    paused: bool = False
    waiting: str = ""  # what it waits for, in words
    of_each: bool = False  # whether the bytes are per member, as all members are processed in parallel

    @property
    def is_first(self) -> bool:
        """Whether it builds the redundancy of a new unit: no member was lost."""
        return self.what == INITIAL

    @property
    def is_scrub(self) -> bool:
        """Whether it is a scrub, which only reads and compares: nothing is missing, and a reboot ends it."""
        return self.what in _SCRUBS


class Limits(Record, frozen=True, kw_only=True):
    """Lowest and highest rate of a unit's activity, in bytes a second for each member; None: no limit."""

    least: int | None = None
    most: int | None = None
    own: bool = False  # set for this unit; else the system's
    usual_most: int | None = None  # the system's, where it is known and this unit may override it
    most_alone: bool = False  # the least cannot be set


class Unit(Record, frozen=True, kw_only=True):
    """What a backend made of several disks: an array, a volume group. The rooms above the backends see only this."""

    backend: Backend
    name: str
    uuid: str
    marks: tuple[str, ...]  # UUIDs by which a plan recognizes it: its own, or one that a build wrote into it
    level: str  # in the backend's words; empty if not known at present
    size_bytes: int
    raid_disks: int = 0  # members that hold data, including missing ones, without spares; 0: not known
    chunk_bytes: int = 0  # written to one member before moving to the next; 0: none, or not known
    path: str  # the device that holds its data: /dev/md/tank
    node: str  # the kernel's name for that device; empty if not active
    health: Health
    state: str  # in words: the worst first, with the progress of its activity
    members: tuple[UnitMember, ...] = ()
    lost: tuple[LostMember, ...] = ()  # missing members not yet acknowledged
    # Members that were away while it was used, if it does not bring them up to date by itself; since when they are back.
    back: tuple[LostMember, ...] = ()
    former: tuple[str, ...] = ()  # disks that it has lost, by identity: replaced, or their loss acknowledged
    activity: Activity | None = None
    limits: Limits | None = None  # limits on its activity; None: there are none, or not known
    scrub_found: int | None = (
        None  # what its last scrub found: sectors that differ, or errors; None: not known
    )
    scrub_so_far: int | None = None  # found by the scrub that runs, or the last, since it was last started
    scrubbed: str = ""  # result of the last scrub, in words; empty if it is not recorded
    resumable: str = ""  # a stopped activity that can be resumed but does not count as paused
    signatures: tuple[Signature, ...] = ()  # on the device it provides
    read_only: bool = False  # set read-only: nothing can be written, and no scrub can be started
    stopped: bool = False  # only on its members: nothing has assembled it, so nothing of it is in use
    # Not written to since it was started, and its pending activity waits for the first write.
    untouched: bool = False
    noted: Noted = Noted.NOTHING
    unread: str = ""  # why its signatures could not be read
    mountpoints: tuple[str, ...] = ()
    below: tuple[str, ...] = ()  # the UUIDs of the units it is built on
    full_name: str = ""  # with the host that it was made on, as its tool shows it: nas:tank
    shared_name: bool = False  # another unit here has its name, made on another host
    job: str = ""  # the job that is building it, or the sweep that removes it again; empty if there is none
    given: str = ""  # its name in the spec, where the card stores a longer one: tank of tank-9f03ab
    details: tuple[
        str, ...
    ] = ()  # its settings, where they are the card's and not the kernel's: one per line
    reading: Record | UnsetType = UNSET  # what only its backend understands: md's `Array`

    @property
    def kind(self) -> str:
        """Its level, with the backend in front unless that is mdadm: ``raid5``, ``lvm striped``."""
        return kind_of(self.backend, self.level or "array")

    @property
    def document(self) -> "Unit":
        """This unit for a JSON document: without `reading`."""
        return self if self.reading is UNSET else replace(self, reading=UNSET)

    @property
    def shown(self) -> str:
        """Its name for display: with its host if another unit has the same name."""
        return (self.full_name if self.shared_name else "") or shown_name(self)

    @property
    def spec_name(self) -> str:
        """Its name in a spec."""
        return self.given or self.name

    def is_called(self, word: str) -> bool:
        """Whether ``word`` is this unit's name, UUID, node or path."""
        return is_unit_called(self, word, given=self.given)

    def has_mark(self, mark: str) -> bool:
        return any(same_uuid(one, mark) for one in self.marks)


def syncs_ended(before: Iterable[Unit], now: Iterable[Unit]) -> bool:
    """Whether the activity of a unit that is still here has ended, or another has taken its place.

    What else is known of the computer may be another then: what a scrub found, which disk may leave, what is to do.
    A unit that is not read this time has not ended anything.
    """
    units = tuple(now)
    here = {(unit.backend, unit.uuid) for unit in units if unit.uuid}
    ended = _activities(before) - _activities(units)
    return any((backend, uuid) in here for backend, uuid, _ in ended)


def _activities(units: Iterable[Unit]) -> set[tuple[Backend, str, str]]:
    return {(one.backend, one.uuid, one.activity.what) for one in units if one.activity is not None}
