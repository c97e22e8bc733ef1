"""What a backend gives. Whoever adds one reads this page first.

A backend is one way to make one *unit* of several disks: md's array, LVM's volume group, a pool of ZFS. It is one
folder in this room, with everything that is true of it alone, and one row in `raidtui.backends.registry`. Nothing
above this room asks which backend it is: it asks the backend.

A folder has ``backend.py`` with a `BackendContract` called ``BACKEND``, and ``reader.py`` with a `Reader` called
``READER``. Both derive from the classes below, and have from them what is the same in most backends. The parts, each
behind one attribute or method:

* ``levels``, ``facts`` and ``data_map``: its levels in words, what each gives on disks of given sizes, and where its
  data lies on them. With these alone a backend can be calculated (`raidtui calc`, the Level screen), and nothing can
  be built yet: its ``builder`` is None.
* ``hazards``: what to know before building with it that is true of it alone.
* ``READER``: how its units are found and known again. Who only looks loads this and nothing that builds.
* ``builder``: the steps that make and remove a unit, what their conditions are, and what can be ordered of it. It sees
  no units: that is the reader's part. Steps that every backend needs (capsule, wipe, partitions, mkfs, fstab) are in
  `raidtui.steps`; a backend composes them with its own.

`raidtui.backends.md` is the fullest example, `raidtui.backends.single` the shortest.
"""

# Annotations as text: whoever calculates a layout or compares results loads nothing that builds.
from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from raidtui.model.struct import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from raidtui.backends.care import Care
    from raidtui.backends.control import Control, Order
    from raidtui.backends.data_map import Arrangement, DataMap
    from raidtui.backends.facts import Facts, Options
    from raidtui.backends.fix import Fix
    from raidtui.backends.level import Level
    from raidtui.backends.look import Check
    from raidtui.backends.options import Option
    from raidtui.machine.ask import Ask
    from raidtui.machine.watch import Watcher
    from raidtui.model.machine import Card, Machine
    from raidtui.model.plan import DataProbe, Hazard, Plan, Run, Severity, Step
    from raidtui.model.result import MeasuredUnit
    from raidtui.model.spec import Backend, Spec
    from raidtui.model.system import System
    from raidtui.model.unit import Unit
    from raidtui.steps.condition import Condition
    from raidtui.steps.mkfs import Stripes
    from raidtui.steps.pieces import Piece


class Tool(Record, frozen=True):
    """A program that building needs, and the oldest version that does; empty: any."""

    name: str
    at_least: str = ""


class Resolved(Record, frozen=True, kw_only=True):
    """A spec as it will be built on one machine. It is made once, by `raidtui.backends.resolve`, and handed on."""

    spec: Spec  # every default filled in
    pieces: tuple[
        Piece, ...
    ]  # its disks and the member on each, members in the order of their slots, then spares
    facts: Facts

    @property
    def stripes(self) -> Stripes:
        """What a filesystem is made on."""
        from raidtui.steps.mkfs import Stripes  # as above

        facts = self.facts
        return Stripes(
            size_bytes=facts.array_bytes,
            chunk_bytes=facts.chunk_bytes,
            width_bytes=facts.stripe_width_bytes,
        )


class Built(Record, frozen=True, kw_only=True):
    """What the steps of a build make, and how a job finds it again."""

    steps: list[Step]
    uuid: str  # one of the unit's marks; empty for a single disk, which is known by its filesystem
    path: str  # where its data is: /dev/md/tank
    uuids: tuple[str, ...]  # every one that the steps give to something on the disks
    release: tuple[Run, ...] = ()  # stops what udev makes of members whose lock went with a killed job
    probe: DataProbe | None = None  # None: nobody can see what a user has stored, so nothing in use is undone


class Reader(Protocol):
    """The part of a backend that sees units which are there."""

    def read(self, machine: Machine, ask: Ask) -> Record | None:
        """What this backend itself says of its units; None where there are none, or ``machine`` says it all.

        It is kept in `Machine.readings`, so that a recorded machine has it too.
        """

    def units(self, machine: Machine) -> tuple[Unit, ...]:
        """The units in a reading, recorded or not; one that stands on others names these in `Unit.below`. Pure."""

    def now(self) -> tuple[Unit, ...]:
        """The units as they are this moment: cheap enough for every second, and without what is on them."""

    @property
    def interval(self) -> float:
        """Seconds between two looks at a unit that is busy; 0: the kernel reports what changes, and nobody has to look.

        What the kernel reports, `raidtui.machine.watch` waits for: ``/proc/mdstat`` and md's files in sysfs notify a
        poll. Of no other backend there is a file to wait for. Device-mapper reports the end of a sync through an ioctl
        that blocks, and progress not at all; Btrfs notifies nobody; ``zpool events -f`` and the monitors of cards are
        programs that would have to run all the time, and report no progress either. So these are looked at. An idle
        unit is looked at less often.
        """

    def measured(self, unit: Unit, machine: Machine) -> MeasuredUnit:
        """What the result of a benchmark keeps of ``unit``, which is one of this reading. Pure."""

    def care(self, unit: Unit, machine: Callable[[], Machine]) -> tuple[Care, ...]:
        """What ``unit`` needs from a person beside what its state says, the most urgent first.

        ``machine`` gives a whole reading, which may take a while: it is called only where one is needed. By default
        nothing: the state says what is wrong.
        """
        return ()

    def reserved(self, machine: Machine) -> frozenset[str]:
        """Names that a new unit cannot have beside those of the units that are there: they are configured. Pure."""
        return frozenset()


@runtime_checkable
class Reporter(Reader, Protocol):
    """The same where the kernel reports what changes, so that nobody has to look: its ``interval`` is 0."""

    def watch(self, changed: Callable[[tuple[Unit, ...]], None]) -> Watcher:
        """Call ``changed`` with its units from a thread: at once, on every event, and every few seconds of a sync."""


@runtime_checkable
class CardReader(Reader, Protocol):
    """The same for a family of RAID cards, whose drives the kernel does not see: its backend alone takes these."""

    @property
    def drivers(self) -> frozenset[str]:
        """The kernel's drivers of these cards."""

    def with_drives(self, machine: Machine, ask: Ask, *, smart: bool) -> Machine:
        """``machine`` and its readings with the drives behind the cards among its disks.

        Args:
            smart: whether to ask the drives about their health.
        """

    def about(self, machine: Machine) -> tuple[str, ...]:
        """The cards in a reading, and why one could not be read: lines for people. Pure."""

    def programs(self, cards: Sequence[Card]) -> tuple[str, ...]:
        """For each of ``cards`` of this family the program of this computer that answers for it, or what is missing."""

    def check_read(self, machine: Machine) -> None:
        """See that every card of this family was read, so that what is not in the reading is not there. Pure.

        Raises:
            ToolMissing: a program is absent or too old.
            Refused: a program does not work, or a card does not answer.
        """

    def warnings(self, machine: Machine) -> tuple[Hazard, ...]:
        """What is wrong with the cards in a reading and their units as they are. Pure."""


class Builder(Protocol):
    """The part of a backend that makes and removes units; what is there the `Reader` says."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Programs that it needs, beside mkfs."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Kinds of conditions that it brings, beside those of `raidtui.steps`."""

    def check_free(self, resolved: Resolved, machine: Machine) -> None:
        """See that nothing of this computer but its disks and mount points is in the way.

        Raises:
            BadInput: the name is taken.
            Refused: the unit would not come back after a reboot.
        """

    def build(self, resolved: Resolved, machine: Machine, *, seed: str) -> Built:
        """The steps; every UUID in them derives from ``seed``."""

    def teardown(self, word: str, machine: Machine, *, seed: str) -> Plan | None:
        """The plan that removes the unit called ``word`` and leaves its disks blank; None: no unit is called so.

        Raises:
            BadInput: the word means a unit or disk that cannot be known for certain.
            Refused: the running system, or another unit, is on it.
        """

    def controls(self, unit: Unit) -> Mapping[Control, Order]:
        """What can be ordered of ``unit`` as it is, and how; of one that stands on others nothing that they take. Pure.

        Screens offer exactly this. `raidtui.jobs.orders` carries it out, on a new reading of the unit.
        """

    def boot_note(self, spec: Spec, system: System) -> str:
        """What brings a unit of the completed ``spec`` back at boot, in a sentence or two for the Options screen."""

    def node_of(self, plan: Plan) -> str:
        """The device that ``plan`` builds or removes, as the kernel calls it now; empty where it is not active."""

    def disks_under(self, plan: Plan) -> Collection[str]:
        """The device numbers of the whole disks that the unit of ``plan`` keeps busy now."""


class BackendContract(Protocol):
    """One backend."""

    @property
    def name(self) -> Backend:
        """The word of a spec."""

    @property
    def noun(self) -> str:
        """What it makes: ``array``, ``volume group``."""

    @property
    def blurb(self) -> str:
        """One sentence for the Level screen; empty for md, whose levels have their own."""

    @property
    def unreadable(self) -> str:
        """What it does with a sector that it can neither read nor compute: ``ZFS reports which files are damaged``."""

    @property
    def levels(self) -> Mapping[str, Level]:
        """Its levels by their own names, in the order in which they are shown."""

    @property
    def own_filesystem(self) -> str:
        """The type of the filesystem that it is, as mount(8) calls it; empty where one can be made on it.

        A spec of it says no type, its label is its name, and it is always mounted. Its plan has no mkfs step but
        its own.
        """
        return ""

    @property
    def options(self) -> Mapping[str, Option]:
        """What can be chosen and what it means here, by the keys of a spec.

        ``name`` and ``partition`` every backend has; what else is not here, it does not take. Which level takes a
        chunk, layout or consistency the level says.
        """

    def check(self, spec: Spec) -> None:
        """See that it builds with the name, the level and the values of ``spec``, defaults filled in or not.

        That it has only keys that are among the ``options`` is seen for every backend by `raidtui.backends.resolve`.

        Raises:
            BadInput: it does not.
        """

    def defaults(self, spec: Spec) -> Spec:
        """``spec`` with what it leaves open of its members and of the layout; nothing is refused here.

        A backend that cannot be built leaves open what its `facts` decide.
        """

    def facts(self, level: str, sizes: Sequence[int], options: Options) -> Facts:
        """What ``level`` gives on member devices of these sizes, in bytes.

        Raises:
            CannotBuild: it cannot be, with the reason in one sentence.
        """

    def data_map(self, wanted: Arrangement, rows: int) -> DataMap:
        """Where data, copies and parity lie: the first ``rows`` rows of each zone, or words alone."""

    def compared(self, wanted: Options, disks: int, *, alike: bool) -> Iterator[tuple[str, Options]]:
        """The levels and options worth comparing on this number of disks.

        Args:
            alike: all have the same size.

        Raises:
            CannotBuild: one of its own options would leave hardly a level to compare.
        """

    @property
    def hazards(self) -> tuple[Check, ...]:
        """What to know before building with it, beside the hazards of every backend in `raidtui.advice.hazards`."""
        return ()

    @property
    def fixes(self) -> Mapping[str, Fix]:
        """What a plan can fix of its own hazards, by the words of a spec; those of disks every backend has."""
        return {}

    @property
    def grades(self) -> Mapping[str, Severity]:
        """How grave hazards of every backend, by their ids, are here; empty: as elsewhere."""
        return {}

    @property
    def builder(self) -> Builder | None:
        """What builds it; None: it can be calculated only."""
