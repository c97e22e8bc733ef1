"""What will happen: ordered steps with their exact commands, before anything has happened.

A plan is plain data. `raidtui.plan` makes one, screens and scripts show it, `raidtui.jobs` carries it out.
"""

import hashlib
from enum import StrEnum

import msgspec

from raidtui.model.spec import Spec
from raidtui.model.struct import Record


class Severity(StrEnum):
    """How much a hazard weighs."""

    BLOCK = "BLOCK"  # the plan stops
    HIGH = "HIGH"  # must be acknowledged by its id
    WARN = "WARN"
    INFO = "INFO"


class Hazard(Record, frozen=True, kw_only=True):
    """Something about these disks, this layout or this computer that the user should know before building."""

    id: str
    severity: Severity
    seen: str  # the value that was seen, and where
    meaning: str  # one sentence
    advice: str  # what to do, as an exact command where there is one
    source: str  # where the rule comes from
    disks: tuple[str, ...] = ()  # identities it is about


class Extent(Record, frozen=True, kw_only=True):
    """A stretch of a whole disk, in bytes."""

    offset: int
    length: int
    disk: str = ""  # its path as the commands of a plan name it; empty where the disk is clear

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.offset + self.length


class Run(Record, frozen=True, kw_only=True, tag="run"):
    """One command: an argument list, never a shell line. ``ok`` are the exit codes that mean success.

    ``writes`` are the stretches of disks that it writes, beside signatures and both ends of a disk, which a capsule
    always has. ``None``: nobody knows, so that no step which must be undone from a capsule may run it.
    """

    argv: tuple[str, ...]
    input: str = ""
    timeout_seconds: int = 120
    ok: tuple[int, ...] = (0,)
    writes: tuple[Extent, ...] | None = None


class EnsureLine(Record, frozen=True, kw_only=True, tag="ensure-line"):
    """Have exactly ``line`` in a text file, once; the file is replaced atomically and its mode kept."""

    path: str
    line: str


class DropLine(Record, frozen=True, kw_only=True, tag="drop-line"):
    """Have ``line`` no longer in a text file; nothing else of the file changes."""

    path: str
    line: str


class MakeFolder(Record, frozen=True, kw_only=True, tag="make-folder"):
    """Make a folder to mount on, and those above it that are missing; the journal keeps which were."""

    path: str


class RemoveFolder(Record, frozen=True, kw_only=True, tag="remove-folder"):
    """Remove a mount folder, and those above it, if a build made them and they are empty."""

    path: str
    built: str  # UUID of what that build made: an array, or the filesystem of a single disk


class SaveCapsule(Record, frozen=True, kw_only=True, tag="save-capsule"):
    """Save what is about to be overwritten on these whole disks (tables, signatures, both ends) off them."""

    disks: tuple[str, ...]


class RestoreCapsule(Record, frozen=True, kw_only=True, tag="restore-capsule"):
    """Write the saved bytes back to these whole disks; refused once something else was written over them."""

    disks: tuple[str, ...]


Action = Run | EnsureLine | DropLine | MakeFolder | RemoveFolder | SaveCapsule | RestoreCapsule


class Check(Record, frozen=True, kw_only=True):
    """One condition, asked of the machine just before or just after a step; `raidtui.steps.condition` has the kinds."""

    kind: str  # blank, mounted, array-runs …
    subject: str = ""
    expect: str = ""


class Undo(StrEnum):
    """How far a step can be taken back."""

    COMMANDS = "commands"  # by the actions in `undo`
    CAPSULE = "capsule"  # by the bytes that the capsule saved
    NOTHING = "nothing"  # it changed nothing that needs undoing
    IMPOSSIBLE = "impossible"  # from here on the old content is gone


class Role(StrEnum):
    """What a step is for; what an interruption or an undo means depends on it, and never on its id."""

    PREPARE = "prepare"  # the disks, before there is anything new on them
    CREATE = "create"  # what is built comes into being
    CLEAN = "clean"  # stale signatures on what was built; from here on anybody can use it
    FORMAT = "format"  # a filesystem on it
    PERSIST = "persist"  # it comes back after a reboot, and is mounted
    FIX = "fix"  # something else of this computer
    REMOVE = "remove"  # of a teardown


class DataProbe(Record, frozen=True, kw_only=True):
    """Where a user's data would be found before something is undone: the names in the filesystem on ``device``.

    Of what is on no device: a condition that holds while nobody has stored anything.
    """

    device: str
    filesystem_uuid: str
    first: tuple[Run, ...] = ()  # what must be run before it can be mounted
    empty: Check | None = None  # of what is on no device


class Step(Record, frozen=True, kw_only=True):
    """One step: what it does, why, what it costs, how it is checked and how it is taken back."""

    id: str  # wipe, partition, create, settle, clear, mkfs, mount, conf, initramfs, fstab …
    role: Role
    title: str  # plain words: "Create the RAID5 array tank from 4 members"
    reason: str
    actions: tuple[Action, ...]
    destroys: tuple[str, ...] = ()  # what is lost, in words, a line a disk
    before: tuple[Check, ...] = ()
    after: tuple[Check, ...] = ()
    undoable: Undo = Undo.COMMANDS
    undo: tuple[Action, ...] = ()
    undo_note: str = ""
    repair: tuple[Action, ...] = ()  # run first when the step is done again after an interruption
    activate: tuple[Run, ...] = ()  # makes what it created active again after a reboot
    holds: tuple[str, ...] = ()  # whole disks locked (flock) against udev while it runs
    as_long_as: str = ""  # what it takes as long as, where that is hours: "writing the whole virtual drive"


class PlannedDisk(Record, frozen=True, kw_only=True):
    """A disk as it was when the plan was confirmed: what must still hold at the first write."""

    identity: str
    path: str  # the path that the commands use; empty for a drive without a device
    serial: str = ""
    wwn: str = ""
    model: str = ""
    size_bytes: int = 0
    contents: tuple[str, ...] = ()  # its signatures then, "device type uuid", sorted
    role: str = "member"  # member or spare


class PlanKind(StrEnum):
    """What a plan is for."""

    BUILD = "build"
    TEARDOWN = "teardown"


class Plan(Record, frozen=True, kw_only=True):
    """Ordered steps to a `Spec` on one machine. The same spec, machine and seed always give the same plan."""

    kind: PlanKind
    spec: Spec  # with every default filled in
    seed: str  # a UUID; the UUIDs of the array, its filesystem and partitions derive from it
    host: str = ""  # name of the computer that it was made for
    array_uuid: str  # one of the marks of the unit; empty for a single disk
    array_path: str  # of the device with its data: /dev/md/tank; of a single disk its partition
    filesystem_uuid: str = ""
    uuids: tuple[str, ...] = ()  # of everything that its steps put on the disks, or remove from them
    array_bytes: int = 0
    disks: tuple[PlannedDisk, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    steps: tuple[Step, ...] = ()
    release: tuple[Run, ...] = ()  # stops what udev makes of members whose lock went with a killed job
    probe: DataProbe | None = None  # None: nobody can see what a user has stored, so nothing in use is undone

    @property
    def marks(self) -> tuple[str, ...]:
        """By which everything that it builds or removes is known: its unit, and those that this one stands on."""
        return (self.array_uuid, *self.uuids)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that will run and on what: what was confirmed and what runs must agree on it."""
        return hashlib.sha256(
            msgspec.json.encode((self.kind, self.seed, self.disks, self.steps, self.release, self.probe))
        ).hexdigest()
