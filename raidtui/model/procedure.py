"""What raidtui does about a finding, with its arguments: each is made into a plan. Plain data; a job's request holds it."""

from typing import Final, Literal

from raidtui.model.struct import Record


class OfUnit(Record, frozen=True, kw_only=True):
    """What is done to one unit."""

    unit: str  # UUID; of a firmware RAID, which has none, the name or node


class Replace(Record, frozen=True, kw_only=True, tag="replace"):
    """Which disk is replaced with which."""

    old: str  # identity of the disk; empty if it is gone and not known
    new: str  # identity of the disk that takes its place
    missing_from: tuple[
        str, ...
    ] = ()  # UUIDs of the units that lost it, as far as the journal of units knows


class ReAdd(OfUnit, frozen=True, kw_only=True, tag="re-add"):
    """A former member returns to its slot."""

    disk: str  # identity of the disk that it is on
    failed: bool = False  # it was recorded as faulty: a person found out why, and chose that


class Start(OfUnit, frozen=True, kw_only=True, tag="start"):
    """A unit that is not started is assembled from every member that is here and up to date, and started."""

    degraded: bool = False  # without the members that are missing: a person chose that
    forced: bool = False  # from members that are not up to date, because too few are: a person chose that


class StartTried(OfUnit, frozen=True, kw_only=True, tag="start-tried"):
    """A unit is started by force from the members with which a trial on overlays found its files whole."""

    members: tuple[str, ...] = ()  # by slot: identity of the disk, with -partN of a partition
    events: tuple[int, ...] = ()  # of each, as the trial saw them
    begins: tuple[int, ...] = ()  # the byte at which the data of each begins; empty: as its superblock says
    kept: str  # the folder in which the superblocks of all members are kept, for a rollback
    tried: str  # what the trial found


class RestoreMetadata(OfUnit, frozen=True, kw_only=True, tag="restore-metadata"):
    """A volume group gets the version of its metadata with which a trial on overlays found its files whole."""

    name: str  # of the group
    volume: str  # the one whose files were found, or the thin pool that it is in
    on: str  # a member that it is on
    digest: str  # SHA-256 of the version's text
    members: tuple[str, ...] = ()  # each physical volume: identity of the disk, with -partN of a partition
    labels: tuple[str, ...] = ()  # the UUID of each
    pools: bool = False  # the group has thin pools, and the version has their transactions
    kept: str  # the folder in which the beginning of each member is kept, for a rollback
    tried: str  # what the trial found


class RemoveFailed(OfUnit, frozen=True, kw_only=True, tag="remove-failed"):
    """Failed members leave their unit, and no longer keep their disks in use."""


class AddSpare(OfUnit, frozen=True, kw_only=True, tag="add-spare"):
    """A disk is erased and becomes a hot spare."""

    disk: str  # identity
    shared: bool = False  # of every unit of the same RAID card


class RemoveSpare(OfUnit, frozen=True, kw_only=True, tag="remove-spare"):
    """A hot spare leaves its unit."""

    disk: str  # identity of the disk that it is on


class SpareGroup(OfUnit, frozen=True, kw_only=True, tag="spare-group"):
    """Units of one group share their hot spares."""

    group: str  # empty: it leaves its group


class Scrub(OfUnit, frozen=True, kw_only=True, tag="scrub"):
    """Every member is read and compared; with ``repair`` what differs is written again."""

    repair: bool = False  # a person chose that: of data that is wrong it makes what is wrong permanent


class LetSync(OfUnit, frozen=True, kw_only=True, tag="let-sync"):
    """A sync that is held up may run: nothing is frozen, limited to a part, or waits for a first write."""


class MakeWritable(OfUnit, frozen=True, kw_only=True, tag="make-writable"):
    """What was set read-only can be written to again: the unit, and the disks and partitions below it."""


class Grow(OfUnit, frozen=True, kw_only=True, tag="grow"):
    """Disks are erased and join a unit for good; or it takes all the space of its members; or gets another level."""

    add: tuple[str, ...] = ()  # identities of the disks
    to_largest: bool = False
    level: str = ""  # that it becomes on the same disks, in its backend's word


class Fill(OfUnit, frozen=True, kw_only=True, tag="fill"):
    """The filesystem on a unit is enlarged to all of it."""


class Configure(OfUnit, frozen=True, kw_only=True, tag="configure"):
    """The files in /etc and the initramfs name the unit, and it is monitored."""


class Balance(OfUnit, frozen=True, kw_only=True, tag="balance"):
    """What has no copy, or is on too few disks, is written again as the unit's profile says."""


class UseSpare(OfUnit, frozen=True, kw_only=True, tag="use-spare"):
    """A hot spare takes the place of the member that is missing or failed, or gets a slot: that did not happen by itself."""

    disk: str  # identity of the spare


class RemoveMissing(OfUnit, frozen=True, kw_only=True, tag="remove-missing"):
    """What is missing leaves its unit for good, and its data is spread over the members that are here."""


class RemoveVdev(OfUnit, frozen=True, kw_only=True, tag="remove-vdev"):
    """A disk that is a vdev by itself leaves its pool: what is on it moves to the others."""

    disk: str  # identity of the disk that it is on


class WithoutJournal(OfUnit, frozen=True, kw_only=True, tag="without-journal"):
    """An array that lost its write journal, and lets every write fail since, runs without one."""


class AddBitmap(OfUnit, frozen=True, kw_only=True, tag="add-bitmap"):
    """An array gets a write-intent bitmap: after a power cut only what was being written is synced."""


class RemoveLine(Record, frozen=True, kw_only=True, tag="remove-line"):
    """A line of a file in /etc that expects something which is gone for good."""

    file: str
    lines: tuple[str, ...]  # as they stand in the file: several if it has continuation lines


NO_HOURS: Final = "none"
ScheduleWord = Literal["monthly", "off", "one"]


class ScheduleScrub(OfUnit, frozen=True, kw_only=True, tag="schedule-scrub"):
    """The unit is scrubbed once a month, or not any more; or, if several schedules scrub it, by only one."""

    how: ScheduleWord = "monthly"
    hours: str = (
        ""  # 01:00-06:00: only then, over several nights; empty, or `NO_HOURS` if it had some: at any time
    )


class LimitRecovery(OfUnit, frozen=True, kw_only=True, tag="limit-recovery"):
    """The unit's disks give up on a bad sector before the kernel gives up on them: now, and at every boot."""

    drives: tuple[str, ...] = ()  # the identities of those that take a limit
    kernel: tuple[str, ...] = ()  # and of those that have none, for which the kernel waits longer


class SetAlerts(Record, frozen=True, kw_only=True, tag="set-alerts"):
    """Alerts are sent as a file says, which waits in the state folder: it may hold passwords, and so is not here."""

    staged: str  # the file
    mark: str  # its last line, a comment that no other such file has
    address: str = ""  # for mdadm's own mail; empty: none


class AlertsOff(Record, frozen=True, kw_only=True, tag="alerts-off"):
    """What `SetAlerts` put on the computer is removed; what the computer had stays."""

    kept: str  # where the file is kept for a rollback


class SelfTests(Record, frozen=True, kw_only=True, tag="self-tests"):
    """smartd starts self-tests of every disk that it finds: short ones each week, long ones each month; or none."""

    on: bool = True


class RestoreTable(Record, frozen=True, kw_only=True, tag="restore-table"):
    """The partition table of a disk is written again as it was, around the members in its partitions, which stay as they are."""

    disk: str  # its identity


class View(Record, frozen=True, kw_only=True, tag="view"):
    """What another system made becomes readable, one layer at a time: assembled, mapped, mounted. Nothing is written."""

    name: str  # of the set, as the finding names it


class PutAway(Record, frozen=True, kw_only=True, tag="put-away"):
    """What `View` made is unmounted and stopped again, so that the disks can be disconnected."""

    name: str


class Recover(Record, frozen=True, kw_only=True, tag="recover"):
    """The files of a lost unit are looked for on overlays: a trial, which has no plan as it writes to no disk."""

    unit: str = ""  # UUID; empty: only the disks are known
    disks: tuple[
        str, ...
    ] = ()  # identities of disks that may be its members though no superblock says so, with -partN of a partition
    stop: bool = False  # what runs with the members is stopped first


Tended = (
    ReAdd
    | Start
    | StartTried
    | RemoveFailed
    | AddSpare
    | RemoveSpare
    | SpareGroup
    | Scrub
    | LetSync
    | MakeWritable
    | Configure
    | Balance
    | UseSpare
    | RemoveMissing
    | RemoveVdev
    | WithoutJournal
    | AddBitmap
)
"""A procedure on one unit."""

Procedure = (
    Replace
    | Tended
    | Grow
    | Fill
    | RemoveLine
    | ScheduleScrub
    | LimitRecovery
    | SetAlerts
    | AlertsOff
    | RestoreMetadata
    | RestoreTable
    | SelfTests
    | View
    | PutAway
    | Recover
)
"""One of them."""


def word_of(procedure: Procedure) -> str:
    """How the command line names it: "re-add", "start-degraded"."""
    match procedure:
        case Start(forced=True):
            return "start-forced"
        case Start(degraded=True):
            return "start-degraded"
        case ReAdd(failed=True):
            return "re-add-failed"
        case Scrub(repair=repair):
            return "repair" if repair else "check"
        case AddSpare(shared=True):
            return "add-global-spare"
        case ScheduleScrub(how=how) if how != "monthly":
            return "unschedule-scrub" if how == "off" else "one-schedule"
        case SelfTests(on=False):
            return "no-self-tests"
    return str(procedure.__struct_config__.tag)


def asked_for(word: str, unit: str, argument: str = "") -> Procedure | None:
    """What is done to a unit though nothing is wrong with it; None if ``word`` means nothing of the kind.

    Args:
        unit: its UUID.
        argument: the disk, the group or the hours that it needs.
    """
    return next((one for one in _of_a_well_one(unit, argument) if word_of(one) == word), None)


def words_of_a_well_one() -> tuple[str, ...]:
    """What `asked_for` knows."""
    return tuple(word_of(one) for one in _of_a_well_one("", ""))


def _of_a_well_one(unit: str, argument: str) -> tuple[Procedure, ...]:
    return (
        AddSpare(unit=unit, disk=argument),
        AddSpare(unit=unit, disk=argument, shared=True),
        RemoveSpare(unit=unit, disk=argument),
        RemoveFailed(unit=unit),
        SpareGroup(unit=unit, group=argument),
        Scrub(unit=unit),
        Scrub(unit=unit, repair=True),
        Configure(unit=unit),
        ScheduleScrub(unit=unit, hours=argument),
        ScheduleScrub(unit=unit, how="off"),
        ScheduleScrub(unit=unit, how="one"),
    )


def is_choice(procedure: Procedure) -> bool:
    """Whether it is done only if it is named: it is not the first thing to try."""
    match procedure:
        case Start(degraded=degraded, forced=forced):
            return degraded or forced
        case Scrub(repair=repair):
            return repair
        case ReAdd(failed=failed):
            return failed
        case (
            StartTried()
            | RestoreMetadata()
            | RestoreTable()
            | RemoveLine()
            | RemoveMissing()
            | RemoveSpare()
            | RemoveVdev()
            | AlertsOff()
        ):
            return True
    return False


def erased_by(procedure: Procedure) -> str:
    """The identity of the disk that it erases, which a person must name; empty if it erases none."""
    match procedure:
        case Replace(new=new):
            return new
        case AddSpare(disk=disk):
            return disk
    return ""
