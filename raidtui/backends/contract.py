"""The contract of a backend. Read this first when adding one.

A backend combines several disks into one *unit*: an md array, an LVM volume group, a ZFS pool. It is one folder in
this room, holding everything specific to it, and one row in `raidtui.backends.registry`. No code above this room
branches on which backend it is: it asks the backend.

A part of a backend is a record of values and functions. Each is in a file of the folder, which is loaded when the part
is first asked for. A folder without the file has no such part, unless `raidtui.backends.registry` names one that serves it.

* ``BACKEND`` in ``backend.py``, a `BackendContract`: the levels described, what each gives on disks of given sizes,
  where the data goes, and the hazards of this backend in particular. This alone is enough to calculate with a backend
  (`raidtui calc`, the Level screen) but not to build.
* ``READER`` in ``reader.py``, a `Reader`: finds units and identifies them again. Read-only commands load this and no
  building code.
* ``BUILDER`` in ``builder.py``, a `Builder`: the steps that create and remove a unit, their conditions, and the
  controls of a unit. Finding units is the reader's job. Steps shared by all backends (capsule, wipe, partitions, mkfs,
  fstab) are in `raidtui.steps`; a backend combines them with its own.
* ``needs`` in ``replace.py``, a `raidtui.backends.replacing.Needs`: replaces a member of a unit.
* ``TENDER`` in ``tend.py``, a `raidtui.backends.tending.Tender`: re-adds a member, starts a unit, removes what failed.
* ``GROWER`` in ``grow.py``, a `raidtui.backends.growing.Grower`: what a unit can become, and the steps to it.
* ``RECOVERER`` in ``recover.py``, a `raidtui.backends.recovering.Recoverer`: how the members of a lost unit may belong together.
* ``FIXES`` in ``fixes.py``: fixes for its own hazards, by spec word, in addition to the disk fixes of every backend.

`raidtui.backends.md` is the fullest example, `raidtui.backends.single` the shortest.
"""

# Annotations as text, so that calculating a layout or comparing results loads no building code.
from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from raidtui.model.struct import Record

if TYPE_CHECKING:
    from raidtui.backends.care import Replacement
    from raidtui.backends.control import Control, Nights, Order
    from raidtui.backends.data_map import Arrangement, DataMap
    from raidtui.backends.facts import Facts, Options
    from raidtui.backends.level import Level
    from raidtui.backends.look import Check as HazardCheck
    from raidtui.backends.options import Option
    from raidtui.machine.ask import Ask
    from raidtui.machine.locating import CardLight
    from raidtui.machine.watch import Watcher
    from raidtui.model.finding import Finding, Remedy
    from raidtui.model.machine import Card, ClaimKind, Disk, Machine
    from raidtui.model.plan import Check, DataProbe, Hazard, Plan, Run, Severity, Step
    from raidtui.model.result import MeasuredUnit
    from raidtui.model.spec import Backend, Spec
    from raidtui.model.system import System
    from raidtui.model.unit import Unit
    from raidtui.steps.condition import Condition
    from raidtui.steps.mkfs import Stripes
    from raidtui.steps.pieces import Piece
    from raidtui.steps.removal import Removal


class NeededTool(Record, frozen=True):
    """A program needed to build, and the oldest version that will do; empty: any."""

    name: str
    at_least: str = ""


class Resolved(Record, frozen=True, kw_only=True):
    """A spec as it will be built on one machine. Made once, by `raidtui.backends.resolve`, and passed along."""

    spec: Spec  # every default filled in
    pieces: tuple[Piece, ...]  # the disks and the member on each: members in slot order, then spares
    facts: Facts

    @property
    def stripes(self) -> Stripes:
        """The size and stripe geometry for mkfs."""
        from raidtui.steps.mkfs import Stripes  # only for building, as above

        facts = self.facts
        return Stripes(
            size_bytes=facts.array_bytes,
            chunk_bytes=facts.chunk_bytes,
            width_bytes=facts.stripe_width_bytes,
        )


class Built(Record, frozen=True, kw_only=True):
    """A backend's part of a build: its own steps, what they create, and how a job finds it again.

    The frame in `raidtui.plan.build` does the rest: mount point, capsule, wipe and partitions before the core; stale
    signatures, mkfs, fstab and mount after it.
    """

    core: Sequence[Step]  # from blank members to the device that holds the data
    what: str  # the noun for what is built: volume group
    device: str = ""  # the noun for the device that holds the data, if it has another: volume
    uuid: str  # one of the unit's marks; empty for a single disk, which is identified by its filesystem
    folder_mark: str = ""  # by which a build records that it created the mount point; empty: ``uuid``
    path: str  # the device that holds the data: /dev/md/tank
    uuids: tuple[str, ...] = ()  # every UUID that the core writes to the disks
    release: tuple[Run, ...] = ()  # stops what udev assembles from members once a killed job's locks are gone
    probe: DataProbe | None = None  # where a backend that is a filesystem itself would have user data

    partition_type: str = ""  # of the members' partitions; empty: the kernel does not see the disks
    pieces: tuple[Piece, ...] = ()  # what is partitioned, if it is not one member of each disk of the spec
    devices: tuple[str, ...] = ()  # the members, if their paths differ from those of the spec
    until: str = ""  # how long the old contents can be restored; empty: until it is created
    free: tuple[Check, ...] = ()  # hold before anything is written
    stale: bool = True  # whether old contents of the members may show on the device
    initialize: Sequence[Step] = ()  # after that: what has to be written before mkfs
    on_disk: bool = False  # whether the filesystem is on the members themselves, which are locked meanwhile
    boot: Sequence[Step] = ()  # make it come back after a reboot, before fstab
    mount: Step | None = None  # its own mount, which needs no fstab


class Reader(Record, frozen=True, kw_only=True):
    """The part of a backend that reads existing units."""

    units: Callable[[Machine], tuple[Unit, ...]]
    """The units in a reading, recorded or not; a unit built on others lists them in `Unit.below`. Pure."""

    now: Callable[[], tuple[Unit, ...]]
    """Read the current state of the units, without their contents: cheap enough for every second."""

    interval: float
    """Seconds between two polls of a busy unit; 0: the kernel reports changes, so no polling is needed.

    `raidtui.machine.watch` waits for the kernel's reports: ``/proc/mdstat`` and md's sysfs files notify poll(2).
    No other backend has a file to wait on. Device-mapper reports the end of a sync through a blocking ioctl, and
    no progress; Btrfs sends no notification. ``zpool events -f`` and the monitors of RAID cards would have to run
    all the time and do not report progress either. So these are polled, and less often when idle.
    """

    measured: Callable[[Unit, Machine], MeasuredUnit]
    """What a benchmark result records about a unit of this reading. Pure."""

    claims: frozenset[ClaimKind]
    """The claims that show that a disk may belong to one of its units, in use or not.

    Where its units cannot be read, such disks are taken.
    """

    read: Callable[[Machine, Ask], Record | None] = lambda machine, ask: None
    """What the backend's own tools report about its units; None without any, or if the machine has it all.

    It is stored in `Machine.readings`, and so in a recorded machine too.
    """

    document: Callable[[Unit], Record | None] = lambda unit: None
    """What JSON shows for a unit beside the unit itself: what only this backend reads. Pure."""

    care: Callable[[Unit, Machine], tuple[Remedy | Replacement, ...]] = lambda unit, machine: ()
    """What a unit needs the administrator to do, beyond what its state says, most urgent first.

    `raidtui.advice.replacements` chooses the disk for a `Replacement`, of which a unit has one at most.
    The function returns a whole reading, which may take a while; it is called only if needed.
    """

    members_missing: Callable[[Unit, Machine], Iterable[str]] = lambda unit, machine: ()
    """The UUIDs of missing members by which they are known, where these do not have that of the unit. Pure."""

    catches_up: bool = True
    """Whether a member that was away gets what was written meanwhile, or the unit says that it lacks it."""

    while_it_works: Callable[[Unit, Disk, str, Machine], Remedy | Replacement | None] | None = None
    """How a member of a unit that is well is replaced because its disk is failing, and why it is; None: by a copy.

    It returns None if nothing of it is known. Pure.
    """

    expected: Callable[[Machine], Iterable[Finding]] = lambda machine: ()
    """What is wrong beside the state of its units, and units that the configuration expects and that are not here. Pure."""

    removed: Callable[[str, Machine], Iterable[Remedy]] = lambda source, machine: ()
    """Trials that may find what a line of fstab mounts, by its first field, if that was removed by mistake. Pure."""

    at_boot: Callable[[System], str] = lambda system: ""
    """What happens at boot to a unit that lacks a member, as a sentence; empty if that depends on nothing here. Pure."""

    scrub_means: Callable[[Unit], str] = lambda unit: ""
    """What `Unit.scrub_found` says about a unit of this level, as sentences; empty if there is nothing to say. Pure."""

    scrub_timers: Callable[[Unit, System], tuple[str, ...]] = lambda unit, system: ()
    """The timers of this distribution that scrub the unit, or all such units, when they are enabled. Pure."""

    clones: Callable[[Machine], Iterable[tuple[str, tuple[str, ...]]]] = lambda machine: ()
    """The UUIDs of units of which a device is here more than once, each with the kernel paths of these. Pure."""

    unknown: Callable[[Unit], str] = lambda unit: ""
    """What of a unit could not be read, as a sentence; empty: all of it was. Pure."""

    unlisted: Callable[[Machine], tuple[str, ...]] = lambda machine: ()
    """Why units of this backend may be here that are not among those read, each a sentence. Pure."""

    reserved: Callable[[Machine], frozenset[str]] = lambda machine: frozenset()
    """Names that a new unit cannot have because they are configured, beside those of existing units. Pure."""


class Reporter(Reader, frozen=True, kw_only=True):
    """A reader of units whose changes the kernel reports, so that no polling is needed: its ``interval`` is 0."""

    watch: Callable[[Callable[[tuple[Unit, ...]], None]], Watcher]
    """Call a function with the units, from a thread: at once, on every event, and every few seconds of a sync."""


class CardReader(Reader, frozen=True, kw_only=True):
    """A reader of one family of RAID cards. The kernel does not see their drives, so only this backend can use them."""

    with_drives: Callable[[Machine, Ask, bool], Machine]
    """The machine and its readings, with the drives behind the cards added to its disks.

    The last argument: whether to read the SMART data of the drives.
    """

    judged_again: Callable[[Machine], Machine]
    """A recorded machine, with what takes the drives behind the cards as the present rules judge it. Pure."""

    about: Callable[[Machine], tuple[str, ...]]
    """The cards in a reading, and why one could not be read, as lines of text. Pure."""

    programs: Callable[[Sequence[Card]], tuple[str, ...]]
    """For each of these cards that is of this family: the installed program that reads it, or what is missing."""

    check_read: Callable[[Machine], None]
    """Check that every card of this family was read, so that a drive absent from the reading is not there. Pure.

    Raises:
        ToolMissing: a program is absent or too old.
        Refused: a program does not work, or a card does not answer.
    """

    warnings: Callable[[Machine], tuple[Hazard, ...]]
    """The faults of the cards in a reading and of their units. Pure."""

    findings: Callable[[Machine], Iterable[Finding]]
    """What is wrong with the cards of a reading apart from their units. Pure."""

    light: Callable[[Disk, Machine], CardLight | None]
    """How a drive behind a card of a reading is made to blink; None if it is not behind one of this family. Pure."""


class Builder(Record, frozen=True, kw_only=True):
    """The part of a backend that creates and removes units. The `Reader` finds the existing ones."""

    build: Callable[[Resolved, Machine, str], Built]
    """The core of a build; every UUID in it is derived from the seed, the last argument."""

    removal: Callable[[str, Machine], Removal | None]
    """How the unit that a word means is removed and its disks left blank; None if no unit has that name.

    Raises:
        BadInput: the unit or disk cannot be identified for certain.
        Refused: the running system, or another unit, is on it.
    """

    boot_note: Callable[[Spec, System], str]
    """How a unit of a completed spec comes back at boot: a sentence or two for the Options screen."""

    node_of: Callable[[Plan], str]
    """The kernel's current name of the device that a plan builds or removes; empty if it is not active."""

    disks_under: Callable[[Plan], Collection[str]]
    """The device numbers of the whole disks now in use by the unit of a plan."""

    check_free: Callable[[Resolved, Machine], None] = lambda resolved, machine: None
    """Check everything on this computer that could prevent the build, except disks and mount points.

    Raises:
        BadInput: the name is taken.
        Refused: the unit would not come back after a reboot.
    """

    controls: Callable[[Unit], Mapping[Control, Order]] = lambda unit: {}
    """The controls that a unit takes in its present state, and how; without those of the units below it. Pure.

    Screens offer exactly these. `raidtui.jobs.orders` executes them, on a fresh reading of the unit.
    """

    nights: Nights | None = None
    """How a scrub continues over several nights; None: one that is stopped begins anew."""

    tools: tuple[NeededTool, ...] = ()
    """The programs it needs, beside mkfs."""

    claims: frozenset[ClaimKind] = frozenset()
    """The kinds of claims that an active unit puts on its own disks, besides mounts and exclusive opens."""

    conditions: tuple[Condition, ...] = ()
    """Its own kinds of conditions, in addition to those of `raidtui.steps`."""


class BackendContract(Record, frozen=True, kw_only=True):
    """One backend."""

    name: Backend
    """Its word in a spec."""

    noun: str
    """What it builds: ``array``, ``volume group``."""

    blurb: str
    """One sentence for the Level screen; empty for md, where each level has its own."""

    unreadable: str
    """What it does with a sector it can neither read nor reconstruct: ``ZFS reports which files are damaged``."""

    rebuild_note: str = ""
    """What makes its rebuilds shorter than estimated; empty if nothing does, or the estimate includes it."""

    manual: str
    """Where it describes its redundancy, as the source of a hazard: ``md(4)``."""

    levels: Mapping[str, Level]
    """Its levels by name, in display order."""

    options: Mapping[str, Option]
    """The options it takes and what they mean here, by spec key.

    Every backend has ``name`` and ``partition``; it refuses any other key that is not listed here. Whether a
    level takes a chunk, layout or consistency is a property of the `Level`.
    """

    check: Callable[[Spec], None]
    """Check that it can build with the name, level and values of a spec, defaults filled in or not.

    `raidtui.backends.resolve` has checked, as for every backend, that each key is among the ``options``.

    Raises:
        BadInput: it cannot.
    """

    defaults: Callable[[Spec], Spec]
    """A spec with the defaults for its members and layout filled in; nothing is refused here.

    A backend without a builder leaves open what its `facts` decide.
    """

    facts: Callable[[str, Sequence[int], Options], Facts]
    """What a level gives on member devices of these sizes, in bytes.

    Raises:
        CannotBuild: it cannot be built; the text gives the reason in one sentence.
    """

    data_map: Callable[[Arrangement, int], DataMap]
    """Where data, copies and parity go: the first rows of each zone, or words alone."""

    compared: Callable[[Options, int, bool], Iterator[tuple[str, Options]]]
    """The levels and options worth comparing on a number of disks; the last argument: all have the same size.

    Raises:
        CannotBuild: one of the wanted options would leave hardly any level to compare.
    """

    own_filesystem: str = ""
    """The filesystem type, as in mount(8), of a backend that is itself a filesystem; empty for all others.

    Its specs give no type, the label is the name, and it is always mounted. It formats with its own step, not
    the shared mkfs step.
    """

    for_unequal: bool = False
    """Made for disks of unequal sizes: shown beside the usual backend where it gives more than that with as many failures survived."""

    hazards: tuple[HazardCheck, ...] = ()
    """The checks for its own hazards, in addition to those of every backend in `raidtui.advice.hazards`."""

    grades: Mapping[str, Severity] = {}
    """Severities, by hazard id, of common hazards that weigh differently here; empty: as elsewhere."""
