"""What is wrong on a computer, and what is done about it. Plain data; `raidtui.advice.diagnosis` makes it."""

import shlex
from collections.abc import Sequence
from enum import IntEnum, StrEnum

from raidtui.model.disk_label import label_of
from raidtui.model.machine import Disk
from raidtui.model.procedure import Procedure, Recover, RemoveSpare, erased_by, is_choice, word_of
from raidtui.model.struct import Record


class Urgency(IntEnum):
    """How soon a person must act."""

    NOTE = 0  # nothing is in danger
    WARNING = 1  # less redundancy than there was, or something is not here
    DANGER = 2  # one more failure loses data, or its data cannot be reached


class Kind(StrEnum):
    """What happened, as far as one page explains it; `raidtui.advice.findings.pages` has a page for each."""

    FAILED = "failed"  # has lost more members than it survives
    NO_REDUNDANCY = "no-redundancy"  # one more failure loses it
    DEGRADED = "degraded"  # lacks a member, and some or all further failures are survived, or it is not known
    ERRORS = "errors"
    INACTIVE = "inactive"
    FILLING = "filling"  # a pool or a snapshot has little room left
    FULL = "full"  # a pool has next to none, and writes to it are about to fail
    FAILED_MEMBER = "failed-member"  # still listed in a unit that is redundant without it
    WAITING = "waiting"  # not mounted, or a sync waits for the first write
    HELD = "held"  # syncs are paused, or limited to a part of the members
    SLOWED = "slowed"  # a speed limit lets no sync end in a useful time
    READ_ONLY = "read-only"  # a unit, or a disk of it, was set read-only
    TRIAL_LEFT = "trial-left"  # a recovery trial runs, was killed, or waits for a person
    CHECK_STOPPED = "check-stopped"  # the next check would not begin at the start
    MISMATCHES = "mismatches"  # a check found that copies differ
    OUT_OF_DATE = "out-of-date"  # a member was away while it was used, and is in use again
    NOT_CONFIGURED = "not-configured"  # nothing in /etc names it
    CREATED_OVER = "created-over"  # an array that may have been created over an older one: it seems empty, or no more than a beginning is on it
    BEGINNING_GONE = "beginning-gone"  # of the filesystem on an array; a copy of its superblock is there
    KEPT_DOWN = "kept-down"  # what /etc says of it keeps it from starting
    ARRAY_EXPECTED = "array-expected"  # by the configuration, and not here
    NOT_SHOWN = "not-shown"  # disks of a volume group or pool that no tool here shows
    MOUNT_EXPECTED = "mount-expected"
    CONTAINER_EXPECTED = "container-expected"  # crypttab opens it at boot, and it is not here
    HEADER_DAMAGED = "header-damaged"  # of an encrypted container on a unit that is closed
    HEADER_GONE = "header-gone"  # of an encrypted container that is open
    FILESYSTEM_ERRORS = "filesystem-errors"  # it was stopped after an error, or errors were counted in it
    FILESYSTEM_CUT = "filesystem-cut"  # it is larger than the device that it is on
    SPACE_UNUSED = "space-unused"  # its filesystem was not enlarged after it had grown
    CLONE = "clone"  # two devices with one superblock
    MEMBERS_DIFFER = "members-differ"  # of a mirror that runs: one was written by itself
    MISPLACED = "misplaced"  # members of an array that runs missed the end of a reshape: md reads them at the wrong place
    SAME_NAME = "same-name"  # two filesystems have the name by which one is mounted
    OVERWRITTEN = "overwritten"  # a disk with data and without the superblock or table that leads to it
    TABLE_MISFIT = "table-misfit"  # a disk whose partitions are not shown, or misplaced: it looked different when they were made
    SUPERBLOCK_GONE = "superblock-gone"  # of a member of an array that runs, from its disk
    FAILING_DISK = "failing-disk"  # a disk of a unit that has all its members says that it is about to fail
    WORSENING_DISK = "worsening-disk"  # its error counts grow
    WORN_DISK = "worn-disk"  # its cable damages transfers, or its flash nears the end of its rated life
    NO_BITMAP = "no-bitmap"  # of a large array: every power cut causes a full resync
    NEVER_SCRUBBED = "never-scrubbed"  # nothing scrubs it regularly
    ERROR_RECOVERY = "error-recovery"  # disks retry a bad sector longer than the kernel waits
    SLOW_MEMBER = "slow-member"  # a member has become slower than its neighbors
    MORE_MISMATCHES = "more-mismatches"  # the last scrub found more than the one before
    SCRUBBED_TWICE = "scrubbed-twice"  # by two schedules
    BOOT_DISK = "boot-disk"  # one disk of the system's unit alone can be booted from
    DEGRADED_BOOT = "degraded-boot"  # nothing starts a degraded array at boot
    MOUNTED_DEGRADED = "mounted-degraded"  # by fstab, though no disk is missing
    FOREIGN = "foreign"  # arrays that another system made
    CARD_FOREIGN = "card-foreign"  # drives behind a RAID card hold a configuration that is not the card's own
    CARD_DRIVES = "card-drives"  # drives behind a RAID card have failed, and are in no virtual drive
    ALERTS_OFF = "alerts-off"  # nothing is set
    ALERTS_UNPROVEN = "alerts-unproven"  # no test has been confirmed, or not for a year
    ALERTS_FAILING = "alerts-failing"  # something that they need does not work


class Remedy(Record, frozen=True, kw_only=True):
    """One thing to do: a sentence without its full stop, and the procedure; or, where there is none, the commands."""

    text: str
    procedure: Procedure | None = None  # raidtui does it, as a plan
    commands: tuple[str, ...] = ()  # by hand, in order
    warnings: tuple[str, ...] = ()  # hazards to know before
    accept: tuple[str, ...] = ()  # ids of the HIGH hazards of its plan, which its command asks to be accepted
    failed: tuple[
        str, ...
    ] = ()  # the disks that failed, where the unit does not name them: identities, or serial numbers
    of: str = (
        ""  # the name of the unit that it is for, where the finding is about several, or about something else
    )

    @property
    def is_trial(self) -> bool:
        """Whether it looks for files on overlays."""
        return isinstance(self.procedure, Recover)

    @property
    def asked(self) -> str:
        """What its command needs from a person who accepts its HIGH hazards, in words; empty if it has none."""
        return to_accept(self.accept)


def to_accept(ids: Sequence[str]) -> str:
    """What a command needs from a person who accepts the HIGH hazards with these ids; empty without one."""
    those = "these HIGH hazards" if len(ids) > 1 else "this HIGH hazard"
    return f"if you accept {those}, add --accept {','.join(ids)}" if ids else ""


class Concerned(Record, frozen=True, kw_only=True):
    """A disk that a finding is about."""

    disk: str  # its identity
    state: str  # what is wrong with it, in words
    label: str = ""  # the serial number on its label, if its identity is something else
    model: str = ""
    place: str = ""  # where it is connected, or was: its port, or the slot of an enclosure
    path: str = ""  # the node of the member, if it is gone that which it had
    since: str = ""  # when it was noticed, ISO 8601, UTC; empty if not known


def concerned(disk: Disk, state: str, *, path: str = "", since: str = "") -> Concerned:
    """A disk that is here, with its model and place; ``path`` is that of its partition, if it is about that."""
    return Concerned(
        disk=disk.identity,
        state=state,
        label=label_of(disk),
        model=disk.model,
        place=disk.place,
        path=path or disk.path,
        since=since,
    )


class Finding(Record, frozen=True, kw_only=True):
    """Something that a person should know and do something about."""

    name: str  # by which a command names it: that of the unit
    kind: Kind
    what: str  # what happened, in words
    unit: str = ""  # UUID of the unit concerned; empty if it is about none that is here
    disks: tuple[Concerned, ...] = ()
    lacks: bool = False  # whether a member of the unit is missing, be it known or not which disk that was
    left: str = ""  # what redundancy is left; empty if not known
    never: str = ""  # what must not be done now
    remedies: tuple[Remedy, ...] = ()  # the first one first
    again: bool = False  # a more urgent finding has its name, so a command must say which procedure is meant

    @property
    def first(self) -> Remedy | None:
        """What raidtui does about it if nothing else is asked for; None if it does nothing."""
        return next((one for one in self.remedies if one.procedure and not is_choice(one.procedure)), None)

    def name_of(self, trial: Recover) -> str:
        """How a command names what ``trial`` looks at: as the finding, unless that is about something else, such as a mount."""
        of = next((one.of for one in self.remedies if one.procedure == trial), "")
        return of or (self.name if trial.unit in {"", self.unit} else trial.unit)

    def order(self, remedy: Remedy) -> str:
        """The command that does ``remedy``, one of its own, as a plan or a trial; empty if raidtui does not."""
        if remedy.procedure is None:
            return ""
        if isinstance(remedy.procedure, Recover):
            return shlex.join(recover_command(remedy.procedure, self.name_of(remedy.procedure)))
        words = ["raidtui", "care", remedy.of or self.name]
        if remedy.of or self.again or remedy != self.first:
            words += ["--do", word_of(remedy.procedure)]
        if disk := erased_by(remedy.procedure):
            words += ["--erase", disk]
        if isinstance(remedy.procedure, RemoveSpare):
            words += ["--with", remedy.procedure.disk]
        return shlex.join(words)


def recover_command(procedure: Recover, name: str) -> tuple[str, ...]:
    """The command that looks for the files of a unit; ``name`` is that of the finding about it."""
    stop = ("--stop",) if procedure.stop else ()
    if not procedure.disks:
        return ("raidtui", "recover", name or procedure.unit, *stop)
    # The finding is about one of the disks.
    unit = (procedure.unit,) if procedure.unit else ()
    return ("raidtui", "recover", *unit, "--disks", ",".join(procedure.disks), *stop)
