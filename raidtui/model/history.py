"""What raidtui recorded on this computer over time: a `Machine` carries it, so that the diagnosis stays pure.

Every record has a time and is about one thing: a disk by its identity, a unit by its UUID, or the computer itself.
"""

from typing import Final

from raidtui.model.struct import Bytes, Count, Record, Sector, Whole

FILE: Final = "history.sqlite"
"""Where it is, in the state folder."""


class Recorded(Record, frozen=True, kw_only=True):
    """Something recorded once. A subclass says what; its name must not change, it is in the file."""

    subject: str  # identity of a disk, UUID of a unit; empty: this computer
    at: str  # ISO 8601, UTC


class AlertTested(Recorded, frozen=True, kw_only=True):
    """A test was sent on one way. Subject: this computer."""

    way: str
    code: str  # that came with it


class AlertProven(Recorded, frozen=True, kw_only=True):
    """A person gave the code of a test: alerts arrive on this way. Subject: the way."""


class SmartRow(Recorded, frozen=True, kw_only=True, omit_defaults=True):
    """The values that the disk ``subject`` reported; None where it reported none. The fields are those of `Smart`."""

    passed: bool | None = None
    temperature_celsius: Whole | None = None
    power_on_hours: Whole | None = None
    reallocated_sectors: Whole | None = None
    pending_sectors: Whole | None = None
    uncorrectable_sectors: Whole | None = None
    reported_uncorrectable: Whole | None = None
    command_timeouts: Whole | None = None
    uncorrected_errors: Whole | None = None
    media_errors: Whole | None = None
    crc_errors: Whole | None = None
    percentage_used: Whole | None = None
    available_spare: Whole | None = None
    long_test_hours: Whole | None = None

    @property
    def day(self) -> str:
        """Its date, in UTC: 2026-11-26."""
        return self.at[:10]


class ReadCost(Record, frozen=True, kw_only=True):
    """How long a member took to read during a sync, and the counters of its device when that was last computed."""

    disk: str  # its identity
    microseconds: tuple[int, ...] = ()  # per MiB read, one for each reading, at most 32
    read_seconds: float
    read_bytes: int


class SyncRun(Recorded, frozen=True, kw_only=True):
    """A sync, scrub or rebuild of a unit that was seen while it ran, with its speed by position."""

    what: str  # check, scrub, resync, rebuild
    scrub: bool
    seen: str  # when it was last seen running
    left_seconds: int | None = None  # until its end, when it was last seen; None: not known
    stopped: bool = (
        False  # it ended before it can have been done, so the unit's result is not of a whole scrub
    )
    ended: str = ""  # when it was first seen not to run any more
    costs: tuple[ReadCost, ...] = ()
    total_bytes: int = 0  # where it ends; 0: not known
    counts: tuple[
        tuple[int, int], ...
    ] = ()  # place in bytes, and what a scrub had found up to there; at most 64
    # Position in thousandths and bytes a second, at most 128 of them.
    points: tuple[tuple[int, int], ...] = ()


class ScrubPart(Recorded, frozen=True, kw_only=True):
    """A scrub in hours of several nights that is not done yet; `at` is when it began."""

    place: int = 0  # bytes, where it continues; 0: at the start, or the unit itself knows
    found: int = 0  # up to that place, where the unit counts each night anew
    before: int = 0  # of that, found before it was last started
    nights: int = 0
    running: bool = False  # it was last seen to run
    counts: tuple[tuple[int, int], ...] = ()  # as of `SyncRun`, of all nights
    total_bytes: int = 0
    logged: tuple[tuple[int, int], ...] = ()  # sectors that the kernel named in the nights before


class ScrubResult(Recorded, frozen=True, kw_only=True):
    """What a scrub found that ended; `at` is when that was noticed."""

    begun: str = ""  # when it was first seen; empty: not known
    level: str  # of the unit
    found: int | None = None  # sectors that differ, or errors; None: not known
    words: str = ""  # the result in its backend's words
    means: str = ""  # what that says about this level
    reported: str = ""  # what the unit itself then said, where that is not `words`
    where: tuple[
        tuple[int, int], ...
    ] = ()  # bytes of each member's data, from and up to; of a RAID10, of its own
    where_all: bool = False  # nothing differs elsewhere


class SlowPart(Record, frozen=True, kw_only=True):
    """A part of a disk that is slower than it should be."""

    begin_bytes: Bytes
    end_bytes: Bytes
    share: float  # of the speed to be expected there


class SelfTest(Record, frozen=True, kw_only=True):
    """A self-test of a disk that has ended."""

    kind: str  # short, long
    passed: bool | None = None  # None: it was cut short, or the disk does not say
    words: str = ""  # how it ended


Sectors = tuple[Whole, Whole]
"""The first and the last of some sectors of a disk, as large as its logical ones."""


class BurnIn(Recorded, frozen=True, kw_only=True):
    """A burn-in of the disk ``subject``, which ended ``at``."""

    begun: str
    size_bytes: Bytes
    sector_bytes: Sector = 512
    zone_bytes: Bytes  # the disk was read in zones of this size, the last one may be smaller
    rates: tuple[Whole, ...] = ()  # of each zone, in bytes a second; 0: not known
    sisters: Count = 0  # disks of its model and size in the same burn-in
    slow: tuple[SlowPart, ...] = ()
    bad: tuple[Sectors, ...] = ()  # could not be read
    unsteady: tuple[Sectors, ...] = ()  # could be read only when tried again
    unwritable: tuple[Sectors, ...] = ()  # could not be written
    differing: tuple[
        Sectors, ...
    ] = ()  # the first sector of each MiB that did not give back what was written
    grown: tuple[str, ...] = ()  # the disk's own counts of errors that grew: "pending sectors 0 → 8"
    written: bool = False  # whether all of it was written and compared
    gave_up: str = ""  # why it was not tried to its end
    self_tests: tuple[SelfTest, ...] = ()

    @property
    def is_well(self) -> bool:
        """Whether nothing speaks against the disk."""
        return not (self.slow or self.has_errors)

    @property
    def has_errors(self) -> bool:
        """Whether it could not be read at once or written, or says itself that it failed."""
        failed = any(one.passed is False for one in self.self_tests)
        found = (*self.bad, *self.unsteady, *self.unwritable, *self.differing, *self.grown)
        return bool(found or self.gave_up or failed)


class ContainerSeen(Recorded, frozen=True, kw_only=True):
    """A device had the header of an encrypted container. Subject: the UUID of the container."""

    place: str  # the device, as `raidtui.advice.findings.containers_seen` knows it again
    words: str  # the same for people: "array tank"


class Rehearsed(Recorded, frozen=True, kw_only=True):
    """A plan was rehearsed in the lab. Subject: its fingerprint."""

    passed: bool
    done: Whole  # steps that ran to their end
    planned: Whole


class History(Record, frozen=True, kw_only=True):
    """What was recorded, as far as a diagnosis needs it: a tuple for each kind of record, oldest first."""

    alert_proofs: tuple[AlertProven, ...] = ()  # the last of each way
    smart: tuple[SmartRow, ...] = ()  # the last of each disk, one a day at most
    scrubs: tuple[ScrubResult, ...] = ()
    syncs: tuple[SyncRun, ...] = ()
    burn_ins: tuple[BurnIn, ...] = ()  # the last of each disk
    containers: tuple[ContainerSeen, ...] = ()  # the last of each
