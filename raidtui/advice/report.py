"""Report everything about one layout: what `raidtui calc` prints and the Level screen shows."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from msgspec.structs import replace

from raidtui.advice.filesystems import check_filesystem, filesystem_space
from raidtui.advice.hazards import find_hazards
from raidtui.advice.risk import Risk, RiskInputs, risk_of
from raidtui.advice.time import reshape_range, sync_range
from raidtui.backends.arithmetic.disks import check_sizes
from raidtui.backends.arithmetic.ideal import Ideal
from raidtui.backends.arithmetic.survival import Survival, fatal_pairs
from raidtui.backends.contract import Resolved
from raidtui.backends.facts import Facts, MemberUse, Options
from raidtui.backends.level_words import level_words
from raidtui.backends.registry import FOLDERS, backend
from raidtui.backends.suited import OF_DISKS
from raidtui.model.errors import CannotBuild
from raidtui.model.machine import Machine
from raidtui.model.nearest import hint
from raidtui.model.plan import Hazard
from raidtui.model.spec import USUAL, Backend, Spec
from raidtui.model.struct import Record
from raidtui.model.units import decimal

MOST_DISKS: Final = 1920  # the limit of md's superblock; each level and backend has its own limit below this
# A ZFS resilver and a Btrfs balance follow the trees, not the order on disk: our own margin is twice the time.
_TREE_ORDER: Final = 2.0


class Range(Record, frozen=True, kw_only=True):
    """A duration in seconds, shortest and longest."""

    low: float
    high: float


class Report(Record, frozen=True, kw_only=True):
    """One layout on given disks, in bytes and seconds. ``refused`` is the reason if it cannot be built, else null."""

    backend: Backend
    level: str
    layout: str = ""
    metadata: str = ""
    chunk_bytes: int = 0
    consistency: str = ""
    refused: str | None = None
    array_bytes: int = 0
    usable_bytes: int = 0  # for files of ordinary users, if a filesystem was given; else the array
    filesystem: str = "none"
    component_bytes: int = 0
    data_offset_bytes: int = 0
    stripe_width_bytes: int = 0
    groups: int = 1  # consecutive groups of equally many disks; losing one group loses the data
    grouped: str = ""  # how the disks are grouped, in words
    piece_bytes: int = 0  # written to one group before moving to the next; 0: the first group is filled first
    overhead: float = 0.0  # unusable fraction of all disks, including spares and space outside partitions
    # Of all disks, outside the members: partition tables, reserve, space not in a slice.
    outside_bytes: int = 0
    accuracy: str = ""
    members: tuple[MemberUse, ...] = ()
    spares: tuple[MemberUse, ...] = ()
    survives: Survival | None = None
    # Slots from 0; null if not listed: all pairs or none.
    fatal_pairs: tuple[tuple[int, int], ...] | None = None
    missing_disk_at_boot: str = ""
    risk: Risk | None = None
    rebuild_seconds: Range | None = None
    reshape_seconds: Range | None = None  # to add one more such disk later; null if that takes no reshape
    grows_bytes: int | None = None  # that it adds then; null: it takes none, or raidtui does not grow it
    grows_by: int = 1  # as many such disks at once
    no_growth: str = ""  # why it takes none; empty: not known
    ideal: Ideal | None = None
    hazards: tuple[Hazard, ...] = ()


class Question(Record, frozen=True, kw_only=True):
    """The input of the calculation: devices and options; ``None`` means the default of each level."""

    sizes: tuple[int, ...]
    options: Options = Options()
    rotational: bool = True
    speed: float | None = None  # measured sequential rate of the slowest disk, bytes a second
    speed_limit: int | None = None  # the kernel's limit for a resync, bytes a second
    shingled: bool = False
    filesystem: str = "none"
    # Space on members and spares outside these devices: tables, reserve, space not in a slice.
    outside_bytes: int = 0
    inputs: RiskInputs = RiskInputs()


def check_number(disks: int) -> None:
    """Refuse a number of disks for which there is no layout. Raises CannotBuild: none, one, or too many."""
    if disks == 0:
        raise CannotBuild("no disks given; an array takes at least 2, for example --disks 2x4TB")
    if disks == 1:
        raise CannotBuild("one disk is not enough; every level takes at least 2 disks")
    if disks > MOST_DISKS:
        raise CannotBuild(f"{disks} disks are more than the {MOST_DISKS} that an array can have")


def is_alone(name: Backend | None, level: str | None) -> bool:
    """Whether this backend and level, each if given, stand for a single disk."""
    return name is Backend.DISK or (name is None and level in backend(Backend.DISK).levels)


def check_disks(sizes: Sequence[int]) -> None:
    """Refuse disks for which no backend has a layout.

    Raises:
        CannotBuild: too few or too many disks, or a size of zero or larger than any disk.
    """
    check_number(len(sizes))
    check_sizes(sizes)


def check_options(question: Question, backends: Sequence[Backend]) -> None:
    """Refuse options that leave almost no level of these backends to compare.

    Raises:
        CannotBuild: the first wrong option.
    """
    tuple(_compared(question, backends))
    check_filesystem(question.filesystem)


def check_level(level: str, of: Backend | None) -> None:
    """Refuse ``level`` unless the backend has it, or any backend if none is given.

    Raises:
        CannotBuild: it is not a level; the message suggests the nearest one.
    """
    words = level_words((of,) if of else tuple(FOLDERS))
    if level not in words.known:
        every = f": {', '.join(words.known)}"
        near = hint(level, words.known, also=words.also, instead=words.instead)
        # The levels of all backends are too many to read where one of them is meant.
        raise CannotBuild(
            f"{level!r} is not a level of {of or 'any backend'}{every if of or not near else ''}{near}"
        )


def backend_of(level: str) -> Backend:
    """The backend to use for ``level`` if none is named: the first that has it, starting with the usual one."""
    if level in backend(Backend.DISK).levels:
        return Backend.DISK
    return next((name for name in FOLDERS if level in backend(name).levels), USUAL)


def one_report(name: Backend, level: str, question: Question) -> Report:
    """Calculate one layout; if it cannot be built, the report is a refusal."""
    try:
        options = replace(question.options, rotational=question.rotational)
        facts = backend(name).facts(level, question.sizes, options)
        return report_of(Resolved(spec=_spec(name, level, facts), pieces=(), facts=facts), question, None)
    except CannotBuild as error:
        return refusal(name, level, question.options, error)


def report_of(resolved: Resolved, question: Question, machine: Machine | None) -> Report:
    """Report on a resolved spec, with its hazards on ``machine``.

    Raises:
        CannotBuild: there is no room for the filesystem.
    """
    name, level, facts = resolved.spec.backend, resolved.spec.level, resolved.facts
    usable, accuracy = _usable(name, facts, question)
    rebuild = _rebuild(facts, question)
    every = (*facts.members, *facts.spares)
    return Report(
        backend=name,
        level=level,
        layout=facts.layout,
        metadata=facts.metadata,
        chunk_bytes=facts.chunk_bytes,
        consistency=facts.consistency,
        array_bytes=facts.array_bytes,
        usable_bytes=usable,
        filesystem="none" if backend(name).own_filesystem else question.filesystem,
        component_bytes=facts.component_bytes,
        data_offset_bytes=facts.data_offset_bytes,
        stripe_width_bytes=facts.stripe_width_bytes,
        groups=facts.groups,
        grouped=facts.grouped,
        piece_bytes=facts.piece_bytes,
        overhead=1 - usable / (sum(use.size_bytes for use in every) + question.outside_bytes),
        outside_bytes=question.outside_bytes,
        accuracy=accuracy,
        members=facts.members,
        spares=facts.spares,
        survives=facts.survival,
        fatal_pairs=_pairs(backend(name).levels[level].placement, facts),
        missing_disk_at_boot=facts.boot,
        risk=_risk(facts, rebuild, question),
        rebuild_seconds=rebuild,
        reshape_seconds=_reshape(facts, question),
        grows_bytes=facts.grows_bytes,
        grows_by=facts.grows_by,
        no_growth=facts.no_growth,
        ideal=facts.ideal,
        hazards=find_hazards(resolved, machine, afr=question.inputs.afr),
    )


def _usable(name: Backend, facts: Facts, question: Question) -> tuple[int, str]:
    """Bytes available for files, and how exact that is."""
    if question.filesystem == "none" or backend(name).own_filesystem:
        return facts.array_bytes, facts.accuracy
    space = filesystem_space(
        question.filesystem,
        facts.array_bytes,
        chunk=facts.chunk_bytes,
        stripe=facts.stripe_width_bytes,
        mke2fs=dict(question.options.tools).get("mkfs.ext4", ""),
    )
    return space.available_bytes, f"{facts.accuracy}; {space.accuracy}"


def _pairs(placement: str, facts: Facts) -> tuple[tuple[int, int], ...] | None:
    """The pairs of slots that must not both fail; ``placement`` is the md level with the same data placement."""
    share = facts.survival.second_failure_fatal_probability
    if not 0 < share < 1:
        return None
    width = len(facts.members) // facts.groups
    if facts.groups == 1 or placement == "raid10":
        pairs = fatal_pairs("raid10", width, facts.layout if placement == "raid10" else "n2")
    else:
        pairs = tuple(combinations(range(width), 2))
    return tuple((first + a, first + b) for first in range(0, len(facts.members), width) for a, b in pairs)


def _rebuild(facts: Facts, question: Question) -> Range | None:
    if not facts.survival.guaranteed:
        return None
    low, high = sync_range(
        facts.component_bytes,
        rotational=question.rotational,
        bytes_per_second=question.speed,
        limit=facts.sync_limit(question.speed_limit),
        disks=len(facts.members),
        shingled=question.shingled,
        parity=facts.parity > 0,
    )
    return Range(low=low, high=high * _TREE_ORDER if facts.rebuilds_data_only else high)


def _reshape(facts: Facts, question: Question) -> Range | None:
    if not (facts.grows_bytes and facts.grows_by_reshape):
        return None
    low, high = reshape_range(
        facts.component_bytes,
        rotational=question.rotational,
        bytes_per_second=question.speed,
        limit=facts.sync_limit(question.speed_limit),
    )
    return Range(low=low, high=high)


def growth_disks(report: Report) -> str:
    """With how many more such disks it grows: "+1 disk later"."""
    return "+1 disk later" if report.grows_by == 1 else f"+{report.grows_by} disks"


def growth_words(report: Report) -> str:
    """What it gains with these: "+4.00 TB", "another copy", "cannot grow: …"."""
    if report.no_growth:
        return f"cannot grow: {report.no_growth}"
    if report.grows_bytes is None:
        return "raidtui does not let it grow yet"
    return f"+{decimal(report.grows_bytes)}" if report.grows_bytes else "another copy, no more space"


def _risk(facts: Facts, rebuild: Range | None, question: Question) -> Risk:
    inputs = question.inputs
    if rebuild is not None:
        inputs = replace(inputs, rebuild_hours=round((rebuild.low + rebuild.high) / 2 / 3600, 2))
    if facts.spares:  # a hot spare takes over at once
        inputs = replace(inputs, notice_hours=0.0, obtain_hours=0.0)
    disks = len(facts.members)
    return risk_of(
        facts.sets,
        disks,
        facts.read_in_rebuild,
        inputs,
        parity=facts.parity,
        width=disks // facts.groups,
    )


def refusal(name: Backend, level: str, options: Options, error: CannotBuild) -> Report:
    """The report of a layout that cannot be built: what was requested, and why it is refused."""
    return Report(
        backend=name,
        level=level,
        layout=options.layout or "",
        metadata=options.metadata if "metadata" in backend(name).options else "",
        chunk_bytes=options.chunk or 0,
        consistency=options.consistency or "",
        refused=str(error),
    )


def _spec(name: Backend, level: str, facts: Facts) -> Spec:
    return Spec(
        name="calc",
        backend=name,
        level=level,
        chunk=facts.chunk_bytes or None,
        layout=facts.layout if "layout" in backend(name).options else None,
        metadata=facts.metadata or None,
        consistency=facts.consistency or None,
    )


def all_reports(question: Question, backends: Sequence[Backend] = OF_DISKS) -> Iterator[Report]:
    """Report on every level of these backends, and on layouts that differ; options a level does not have are ignored."""
    for name, level, options in _compared(question, backends):
        yield one_report(name, level, replace(question, options=options))


def _compared(question: Question, backends: Sequence[Backend]) -> Iterator[tuple[Backend, str, Options]]:
    alike = len(set(question.sizes)) == 1
    for name in backends:
        for level, options in backend(name).compared(question.options, len(question.sizes), alike):
            yield name, level, options
