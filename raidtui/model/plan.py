"""A plan: ordered steps with their exact commands, before anything is changed.

Plain data: `raidtui.plan` makes it, screens and scripts show it, `raidtui.jobs` executes it.
"""

from enum import StrEnum
from functools import partial
from typing import Final

import msgspec

from raidtui.model.spec import Spec
from raidtui.model.struct import Record
from raidtui.model.text import listed


class Severity(StrEnum):
    """How serious a hazard is."""

    BLOCK = "BLOCK"  # the plan stops
    HIGH = "HIGH"  # must be acknowledged by its id
    WARN = "WARN"
    INFO = "INFO"


class Hazard(Record, frozen=True, kw_only=True):
    """Something the user should know about these disks, this layout or this computer before building."""

    id: str
    severity: Severity
    seen: str  # the value found, and where
    meaning: str  # one sentence
    advice: str  # what to do, as an exact command where there is one
    source: str  # where the rule comes from
    disks: tuple[str, ...] = ()  # identities of the disks concerned

    @property
    def told(self) -> str:
        """What it is, beside the advice that leads to it."""
        return f"{self.severity} {self.id}: {self.seen}. {self.meaning}"


high: Final = partial(Hazard, severity=Severity.HIGH)
"""A hazard that a person must accept."""
warning: Final = partial(Hazard, severity=Severity.WARN)
notice: Final = partial(Hazard, severity=Severity.INFO)


class Extent(Record, frozen=True, kw_only=True):
    """A range of bytes on a whole disk."""

    offset: int
    length: int
    disk: str = ""  # its path as in the plan's commands; empty if the disk is clear from the context

    @property
    def end(self) -> int:
        """The offset of the first byte after it."""
        return self.offset + self.length


class Run(Record, frozen=True, kw_only=True, tag="run"):
    """One command: an argument list, never a shell line. ``ok`` are the exit codes that mean success.

    ``by_node`` is a link among its words: the command is given the kernel's node, to which it leads when it runs.

    ``writes`` are the extents it writes, apart from signatures and both ends of a disk, which a capsule always
    holds. ``None``: not known, so a step that is undone from a capsule must not run it.
    """

    argv: tuple[str, ...]
    input: str = ""
    timeout_seconds: int = 120
    ok: tuple[int, ...] = (0,)
    by_node: str = ""
    writes: tuple[Extent, ...] | None = None

    def follows(self, word: str) -> bool:
        """Whether a word is the link that is followed to a node."""
        return bool(word) and word == self.by_node


class EnsureLine(Record, frozen=True, kw_only=True, tag="ensure-line"):
    """Make sure that a text file has ``line`` exactly once; the file is replaced atomically and keeps its mode."""

    path: str
    line: str


class DropLine(Record, frozen=True, kw_only=True, tag="drop-line"):
    """Remove ``line`` from a text file; the rest of the file does not change."""

    path: str
    line: str


class MakeFolder(Record, frozen=True, kw_only=True, tag="make-folder"):
    """Create a mount point and its missing parents; the journal records which were missing."""

    path: str


class RemoveFolder(Record, frozen=True, kw_only=True, tag="remove-folder"):
    """Remove a mount point and its parents, if a build created them and they are empty."""

    path: str
    built: str  # UUID of what that build created: an array, or the filesystem of a single disk


class SaveCapsule(Record, frozen=True, kw_only=True, tag="save-capsule"):
    """Save off these whole disks what is about to be overwritten: tables, signatures, both ends."""

    disks: tuple[str, ...]


class RestoreCapsule(Record, frozen=True, kw_only=True, tag="restore-capsule"):
    """Write the saved bytes back to these whole disks; refused if they have been overwritten since."""

    disks: tuple[str, ...]


Action = Run | EnsureLine | DropLine | MakeFolder | RemoveFolder | SaveCapsule | RestoreCapsule


class Check(Record, frozen=True, kw_only=True):
    """One condition, checked just before or just after a step; for the kinds see `raidtui.steps.condition`."""

    kind: str  # blank, mounted, array-runs …
    subject: str = ""
    expect: str = ""


class Undo(StrEnum):
    """Whether and how a step can be undone."""

    COMMANDS = "commands"  # by the actions in `undo`
    CAPSULE = "capsule"  # by the bytes saved in the capsule
    NOTHING = "nothing"  # nothing needs undoing
    IMPOSSIBLE = "impossible"  # the old contents are lost from here on


class Role(StrEnum):
    """What a step is for. How an interruption or an undo is handled depends on the role, never on the step's id."""

    PREPARE = "prepare"  # prepare the disks; nothing new is on them yet
    CREATE = "create"  # create the unit
    CLEAN = "clean"  # remove stale signatures from the unit; from here on it can be used
    FORMAT = "format"  # make a filesystem on it
    PERSIST = "persist"  # mount it, and make it come back after a reboot
    FIX = "fix"  # fix something else on this computer
    REMOVE = "remove"  # a step of a teardown
    MEMBER = "member"  # add a member to a running unit, or remove one
    WAIT = "wait"  # wait for a sync; nothing is lost if the wait ends early


class DataProbe(Record, frozen=True, kw_only=True):
    """Where to look for user data before undoing: the names in the filesystem on ``device``.

    Where there is no device: a condition that holds as long as nothing has been stored.
    """

    device: str
    filesystem_uuid: str
    first: tuple[Run, ...] = ()  # commands to run before it can be mounted
    empty: Check | None = None  # where there is no device


class Step(Record, frozen=True, kw_only=True):
    """One step: what it does, why, what it destroys, how it is verified and how it is undone."""

    id: str  # wipe, partition, create, settle, clear, mkfs, mount, conf, initramfs, fstab …
    role: Role
    title: str  # plain words: "Create the RAID5 array tank from 4 members"
    reason: str
    actions: tuple[Action, ...]
    destroys: tuple[str, ...] = ()  # what is lost, in words, one line per disk
    before: tuple[Check, ...] = ()
    after: tuple[Check, ...] = ()
    undoable: Undo = Undo.COMMANDS
    undo: tuple[Action, ...] = ()
    undo_note: str = ""
    repair: tuple[Action, ...] = ()  # run first when the step is repeated after an interruption
    activate: tuple[Run, ...] = ()  # activates after a reboot what the step created
    activate_empty: tuple[Run, ...] = ()  # … if that fails and nothing can be stored in it yet
    # Whole disks that its commands open: the job closes its own O_EXCL handles on them, and locks them against udev.
    holds: tuple[str, ...] = ()
    as_long_as: str = ""  # what its duration compares to, if hours: "writing the whole virtual drive"
    sync_bytes: int = 0  # a sync that it waits for writes so much to one disk; 0: none, or not known
    reshapes: bool = False  # that sync is a reshape, which reads and writes the same disks in turn

    @property
    def only_waits(self) -> bool:
        """Whether all that it does is to wait for udev, so that it can be repeated at any time."""
        return bool(self.actions) and all(
            isinstance(one, Run) and one.argv[:2] == ("udevadm", "settle") for one in self.actions
        )

    @property
    def every_action(self) -> tuple[Action, ...]:
        """What it may do in any case."""
        return (*self.actions, *self.undo, *self.repair, *self.activate, *self.activate_empty)


_EXPLAINED: Final = {"title": "", "reason": "", "undo_note": "", "as_long_as": ""}

member_step: Final = partial(Step, role=Role.MEMBER, undoable=Undo.IMPOSSIBLE)
"""A step that changes the members of a unit, or the unit itself, for good."""
order_step: Final = partial(Step, role=Role.MEMBER, undoable=Undo.NOTHING)
"""A step that orders a unit to do something, or sets how it does it."""
start_step: Final = partial(Step, role=Role.CREATE, undoable=Undo.NOTHING)
"""A step that starts a unit, or finishes a new one."""
waiting_step: Final = partial(Step, role=Role.WAIT, undoable=Undo.IMPOSSIBLE)
"""A step that waits until a change is complete."""
proof_step: Final = partial(Step, role=Role.WAIT, actions=(), undoable=Undo.NOTHING)
"""A step without commands: its conditions show that what was done is as it should be."""
removal_step: Final = partial(Step, role=Role.REMOVE, undoable=Undo.IMPOSSIBLE)
"""A step that takes a unit apart for good."""
fix_step: Final = partial(Step, role=Role.FIX)
"""A step that changes files or settings of the computer."""

FORMER: Final = "former member"  # role of a disk with a superblock of the array, but no part of it any more
REPLACED: Final = (
    "replaced"  # role of a disk whose members move to another; it is named by the order, not erased
)


KEPT: Final = "kept"  # role of a disk whose member gets a larger partition; nothing on it is erased
UNSHOWN: Final = (
    "unshown"  # role of a disk that gets its table again: what is in its partitions was there before
)


class PlannedDisk(Record, frozen=True, kw_only=True):
    """A disk as it was when the plan was confirmed; all of it must still be true at the first write."""

    identity: str
    path: str  # the path used in the commands; empty for a drive without a device
    serial: str = ""
    wwn: str = ""
    model: str = ""
    size_bytes: int = 0
    contents: tuple[str, ...] = ()  # its signatures, "device type uuid", sorted
    role: str = "member"  # member or spare; in a removal of an array also "former member"; "replaced", "kept", "unshown"
    shares: tuple[
        int, ...
    ] = ()  # numbers of its partitions that something else uses, which a removal leaves alone

    @property
    def named(self) -> str:
        """What a person types for it: its serial number, else its identity."""
        return self.serial or self.identity

    @property
    def links(self) -> tuple[str, ...]:
        """Its names under /dev/disk/by-id; see `raidtui.model.disk_names`."""
        by_id = "/dev/disk/by-id/"
        return (*((self.path.removeprefix(by_id),) if self.path.startswith(by_id) else ()), self.identity)


class PlanKind(StrEnum):
    """What a plan is for."""

    BUILD = "build"
    TEARDOWN = "teardown"
    REPLACE = "replace"
    CARE = "care"  # another procedure on a unit


class Plan(Record, frozen=True, kw_only=True):
    """The ordered steps to a `Spec` on one machine. The same spec, machine and seed always give the same plan."""

    kind: PlanKind
    spec: Spec  # with every default filled in
    seed: str  # a UUID, from which those of the array, its filesystem and partitions are derived
    host: str = ""  # hostname of the computer it was made for
    array_uuid: str  # one of the marks of the unit; empty for a single disk
    array_path: str  # the device that holds the data: /dev/md/tank; for a single disk its partition
    filesystem_uuid: str = ""
    uuids: tuple[str, ...] = ()  # of everything that its steps create on the disks, or remove from them
    array_bytes: int = 0
    disks: tuple[PlannedDisk, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    steps: tuple[Step, ...] = ()
    release: tuple[
        Run, ...
    ] = ()  # stops what udev assembles from the members once a killed job no longer locks them
    probe: DataProbe | None = None  # None: user data cannot be detected, so nothing in use is undone
    also: tuple["Plan", ...] = ()  # the further units that it removes, each without steps of its own

    def __post_init__(self) -> None:
        """Refuse two steps of one id: when one is done, the journal would say that the other is too.

        Raises:
            ValueError: there are.
        """
        ids = [step.id for step in self.steps]
        if len(set(ids)) != len(ids):
            raise ValueError(f"steps of the plan share an id: {', '.join(ids)}")

    @property
    def units(self) -> tuple["Plan", ...]:
        """What it says of each unit that it builds or removes, the first one with the steps of all."""
        return (self, *self.also)

    @property
    def leftover(self) -> str:
        """What a removal erases that is neither a unit nor a filesystem, as the title of its step; else empty."""
        if self.kind is not PlanKind.TEARDOWN or self.array_uuid or self.filesystem_uuid:
            return ""
        return next((step.title for step in self.steps if step.destroys), "")

    @property
    def called(self) -> str:
        """The names of its units, for people."""
        return listed([one.spec.name for one in self.units])

    @property
    def file_stem(self) -> str:
        """What a file of it is called by default: its unit may have no name but /dev/md127."""
        return self.spec.name.rpartition("/")[2]

    @property
    def erased(self) -> tuple[PlannedDisk, ...]:
        """The disks whose contents it destroys, each of which must be named to confirm it."""
        return tuple(disk for disk in self.disks if disk.role not in {REPLACED, KEPT, UNSHOWN})

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks of everything that it builds or removes: its units and the units below them."""
        return tuple(mark for one in self.units for mark in (one.array_uuid, *one.uuids))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that will run, what it destroys, and the disks it runs on: equal when confirmed and when run.

        The words that explain a step are left out: an update that rewords one must not stop an interrupted job.
        """
        import hashlib  # it loads OpenSSL; a reading computes no digest

        steps = [msgspec.structs.replace(step, **_EXPLAINED) for step in self.steps]
        return hashlib.sha256(
            msgspec.json.encode((self.kind, self.seed, self.disks, steps, self.release, self.probe))
        ).hexdigest()
