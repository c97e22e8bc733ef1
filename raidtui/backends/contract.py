"""The contract of a backend. Read this first when adding one.

A backend combines several disks into one *unit*: an md array, an LVM volume group, a ZFS pool. It is one folder in
this room, holding everything specific to it, and one row in `raidtui.backends.registry`. No code above this room
branches on which backend it is: it asks the backend.

A folder has ``backend.py`` with a `BackendContract` named ``BACKEND`` and ``reader.py`` with a `Reader` named
``READER``. Both derive from the classes below, which supply the common defaults. The parts, each behind one attribute
or method:

* ``levels``, ``facts`` and ``data_map``: the levels described, what each gives on disks of given sizes, and where the
  data goes. These alone are enough to calculate with a backend (`raidtui calc`, the Level screen) but not to build:
  ``builder`` is None.
* ``hazards``: what to know before building with this backend in particular.
* ``READER``: finds units and identifies them again. Read-only commands load this and no building code.
* ``builder``: the steps that create and remove a unit, their conditions, and the controls of a unit. Finding units is
  the reader's job. Steps shared by all backends (capsule, wipe, partitions, mkfs, fstab) are in `raidtui.steps`; a
  backend combines them with its own.

`raidtui.backends.md` is the fullest example, `raidtui.backends.single` the shortest.
"""

# Annotations as text, so that calculating a layout or comparing results loads no building code.
from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from raidtui.model.struct import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from raidtui.backends.care import Care, Replacement
    from raidtui.backends.control import Control, Order
    from raidtui.backends.data_map import Arrangement, DataMap
    from raidtui.backends.facts import Facts, Options
    from raidtui.backends.fix import Fix
    from raidtui.backends.level import Level
    from raidtui.backends.look import Check as HazardCheck
    from raidtui.backends.options import Option
    from raidtui.backends.replacing import Replacer
    from raidtui.machine.ask import Ask
    from raidtui.machine.watch import Watcher
    from raidtui.model.machine import Card, ClaimKind, Machine
    from raidtui.model.plan import Check, DataProbe, Hazard, Plan, Run, Severity, Step
    from raidtui.model.result import MeasuredUnit
    from raidtui.model.spec import Backend, Spec
    from raidtui.model.system import System
    from raidtui.model.unit import Unit
    from raidtui.steps.condition import Condition
    from raidtui.steps.mkfs import Stripes
    from raidtui.steps.pieces import Piece
    from raidtui.steps.removal import Removal


class Tool(Record, frozen=True):
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
    pieces: tuple[Piece, ...] = ()  # what is partitioned, if the sizes differ from those of the spec
    devices: tuple[str, ...] = ()  # the members, if their paths differ from those of the spec
    until: str = ""  # how long the old contents can be restored; empty: until it is created
    free: tuple[Check, ...] = ()  # hold before anything is written
    stale: bool = True  # whether old contents of the members may show on the device
    initialize: Sequence[Step] = ()  # after that: what has to be written before mkfs
    explicit: bool = False  # give mkfs the stripe geometry, which the device may not report
    on_disk: bool = False  # whether the filesystem is on the members themselves, which are locked meanwhile
    boot: Sequence[Step] = ()  # make it come back after a reboot, before fstab
    mount: Step | None = None  # its own mount, which needs no fstab


class Reader(Protocol):
    """The part of a backend that reads existing units."""

    def read(self, machine: Machine, ask: Ask) -> Record | None:
        """Return what the backend's own tools report about its units; None without any, or if ``machine`` has it all.

        It is stored in `Machine.readings`, and so in a recorded machine too.
        """

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """The units in a reading, recorded or not; a unit built on others lists them in `Unit.below`. Pure."""

    def now(self) -> tuple[Unit, ...]:
        """Read the current state of the units, without their contents: cheap enough for every second."""

    @property
    def interval(self) -> float:
        """Seconds between two polls of a busy unit; 0: the kernel reports changes, so no polling is needed.

        `raidtui.machine.watch` waits for the kernel's reports: ``/proc/mdstat`` and md's sysfs files notify poll(2).
        No other backend has a file to wait on. Device-mapper reports the end of a sync through a blocking ioctl, and
        no progress; Btrfs sends no notification; ``zpool events -f`` and the monitors of RAID cards would have to run
        all the time and do not report progress either. So these are polled, and less often when idle.
        """

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """What a benchmark result records about ``unit``, a unit of this reading. Pure."""

    def document(self, unit: Unit) -> Record | None:
        """What JSON shows for ``unit`` beside the unit itself: what only this backend reads; nothing by default. Pure."""
        return None

    def care(self, unit: Unit, machine: Callable[[], Machine]) -> tuple[Care | Replacement, ...]:
        """What ``unit`` needs the administrator to do, beyond what its state says, most urgent first.

        `raidtui.advice.care` turns a `Replacement`, of which a unit has one at most, into the disk and the commands.

        ``machine`` returns a whole reading, which may take a while; call it only if needed. The default is nothing:
        the state says what is wrong.
        """
        return ()

    @property
    def claims(self) -> frozenset[ClaimKind]:
        """The claims that show that a disk may belong to one of its units, in use or not; by default none.

        Where its units cannot be read, such disks are taken.
        """
        return frozenset()

    def unknown(self, unit: Unit) -> str:
        """What of ``unit`` could not be read, as a sentence; empty by default: all of it was. Pure."""
        return ""

    def reserved(self, machine: Machine) -> frozenset[str]:
        """Names that a new unit cannot have because they are configured, beside those of existing units. Pure."""
        return frozenset()


@runtime_checkable
class Reporter(Reader, Protocol):
    """A reader of units whose changes the kernel reports, so that no polling is needed: its ``interval`` is 0."""

    def watch(self, changed: Callable[[tuple[Unit, ...]], None]) -> Watcher:
        """Call ``changed`` with the units, from a thread: at once, on every event, and every few seconds of a sync."""


@runtime_checkable
class CardReader(Reader, Protocol):
    """A reader of one family of RAID cards. The kernel does not see their drives, so only this backend can use them."""

    @property
    def drivers(self) -> frozenset[str]:
        """The kernel drivers of these cards."""

    def with_drives(self, machine: Machine, ask: Ask, *, smart: bool) -> Machine:
        """Return ``machine`` and its readings with the drives behind the cards added to its disks.

        Args:
            smart: whether to read the SMART data of the drives.
        """

    def judged_again(self, machine: Machine) -> Machine:
        """Return a recorded ``machine`` with what takes the drives behind the cards as the present rules judge it. Pure."""

    def about(self, machine: Machine) -> tuple[str, ...]:
        """The cards in a reading, and why one could not be read, as lines of text. Pure."""

    def programs(self, cards: Sequence[Card]) -> tuple[str, ...]:
        """For each of ``cards`` of this family: the installed program that reads it, or what is missing."""

    def check_read(self, machine: Machine) -> None:
        """Check that every card of this family was read, so that a drive absent from the reading is not there. Pure.

        Raises:
            ToolMissing: a program is absent or too old.
            Refused: a program does not work, or a card does not answer.
        """

    def warnings(self, machine: Machine) -> tuple[Hazard, ...]:
        """The faults of the cards in a reading and of their units. Pure."""


class Builder(Protocol):
    """The part of a backend that creates and removes units. The `Reader` finds the existing ones."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The programs it needs, beside mkfs."""

    @property
    def claims(self) -> frozenset[ClaimKind]:
        """The kinds of claims that an active unit puts on its own disks, besides mounts and exclusive opens."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Its own kinds of conditions, in addition to those of `raidtui.steps`."""

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """Check everything on this computer that could prevent the build, except disks and mount points.

        Raises:
            BadInput: the name is taken.
            Refused: the unit would not come back after a reboot.
        """

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """Return the core; every UUID in it is derived from ``seed``."""

    def removal(self, word: str, machine: Machine) -> Removal | None:
        """Return how the unit ``word`` is removed and its disks left blank; None if no unit has that name.

        Raises:
            BadInput: the unit or disk cannot be identified for certain.
            Refused: the running system, or another unit, is on it.
        """

    def controls(self, unit: Unit) -> Mapping[Control, Order]:
        """The controls that ``unit`` takes in its present state, and how; without those of the units below it. Pure.

        Screens offer exactly these. `raidtui.jobs.orders` executes them, on a fresh reading of the unit.
        """

    def boot_note(self, spec: Spec, system: System) -> str:
        """How a unit of the completed ``spec`` comes back at boot: a sentence or two for the Options screen."""

    def node_of(self, plan: Plan) -> str:
        """The kernel's current name of the device that ``plan`` builds or removes; empty if it is not active."""

    def disks_under(self, plan: Plan) -> Collection[str]:
        """The device numbers of the whole disks now in use by the unit of ``plan``."""


class BackendContract(Protocol):
    """One backend."""

    @property
    def name(self) -> Backend:
        """Its word in a spec."""

    @property
    def noun(self) -> str:
        """What it builds: ``array``, ``volume group``."""

    @property
    def blurb(self) -> str:
        """One sentence for the Level screen; empty for md, where each level has its own."""

    @property
    def unreadable(self) -> str:
        """What it does with a sector it can neither read nor reconstruct: ``ZFS reports which files are damaged``."""

    @property
    def manual(self) -> str:
        """Where it describes its redundancy, as the source of a hazard: ``md(4)``."""

    @property
    def levels(self) -> Mapping[str, Level]:
        """Its levels by name, in display order."""

    @property
    def own_filesystem(self) -> str:
        """The filesystem type, as in mount(8), of a backend that is itself a filesystem; empty for all others.

        Its specs give no type, the label is the name, and it is always mounted. It formats with its own step, not
        the shared mkfs step.
        """
        return ""

    @property
    def options(self) -> Mapping[str, Option]:
        """The options it takes and what they mean here, by spec key.

        Every backend has ``name`` and ``partition``; it refuses any other key that is not listed here. Whether a
        level takes a chunk, layout or consistency is a property of the `Level`.
        """

    def check(self, spec: Spec) -> None:
        """Check that it can build with the name, level and values of ``spec``, defaults filled in or not.

        `raidtui.backends.resolve` has checked, as for every backend, that each key is among the ``options``.

        Raises:
            BadInput: it cannot.
        """

    def defaults(self, spec: Spec) -> Spec:
        """Return ``spec`` with the defaults for its members and layout filled in; nothing is refused here.

        A backend without a builder leaves open what its `facts` decide.
        """

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """Return what ``level`` gives on member devices of these sizes, in bytes.

        Raises:
            CannotBuild: it cannot be built; the text gives the reason in one sentence.
        """

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Map where data, copies and parity go: the first ``rows`` rows of each zone, or words alone."""

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """Return the levels and options worth comparing on this number of disks.

        Args:
            alike: whether all disks have the same size.

        Raises:
            CannotBuild: one of the wanted options would leave hardly any level to compare.
        """

    @property
    def hazards(self) -> tuple[HazardCheck, ...]:
        """The checks for its own hazards, in addition to those of every backend in `raidtui.advice.hazards`."""
        return ()

    @property
    def fixes(self) -> Mapping[str, Fix]:
        """Fixes for its own hazards, by spec word, in addition to the disk fixes of every backend."""
        return {}

    @property
    def grades(self) -> Mapping[str, Severity]:
        """Severities, by hazard id, of common hazards that weigh differently here; empty: as elsewhere."""
        return {}

    @property
    def builder(self) -> Builder | None:
        """Its builder; None if it can only be calculated."""

    @property
    def replacer(self) -> Replacer | None:
        """How it replaces a member of a unit; None if raidtui cannot do that with it yet."""
        return None
