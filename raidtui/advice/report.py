"""All that can be said of one layout in one record: what `raidtui calc` prints and the Level screen shows."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.advice.geometry import MemberUse
from raidtui.advice.hazards import find_hazards
from raidtui.advice.layouts import CannotBuild, default_layout
from raidtui.advice.levels import LEVELS, Offer, common_layouts, offer
from raidtui.advice.partition import member_extent
from raidtui.advice.survival import Survival
from raidtui.advice.time import sync_range
from raidtui.model.plan import Hazard
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import Record

MOST_DISKS: Final = 256  # of one calculation; md takes more in raid0, raid1 and raid10 only


class Range(Record, frozen=True, kw_only=True):
    """Seconds, least and most."""

    low: float
    high: float


class Report(Record, frozen=True, kw_only=True):
    """One layout on given disks. Bytes and seconds; ``refused`` says why it cannot be built, else it is null."""

    backend: str
    level: str
    layout: str
    metadata: str
    chunk_bytes: int
    consistency: str
    refused: str | None = None
    array_bytes: int = 0
    usable_bytes: int = 0
    component_bytes: int = 0
    data_offset_bytes: int = 0
    stripe_width_bytes: int = 0
    overhead: float = 0.0  # part of all devices, spares included, that is not usable
    members: tuple[MemberUse, ...] = ()
    spares: tuple[MemberUse, ...] = ()
    survives: Survival | None = None
    rebuild_seconds: Range | None = None
    hazards: tuple[Hazard, ...] = ()


class Question(Record, frozen=True, kw_only=True):
    """What to calculate with: member devices and options; ``None`` takes the default of each level."""

    sizes: tuple[int, ...]
    spare_sizes: tuple[int, ...] = ()
    chunk: int | None = None
    layout: str | None = None
    metadata: str = "1.2"
    consistency: str | None = None
    rotational: bool = True
    speed: float | None = None  # measured sequential rate of the slowest disk, bytes a second
    speed_limit: int | None = None  # of the kernel for a resync, bytes a second


def member_sizes(disks: Sequence[int], partition: bool, reserve: int, logical_sector: int) -> tuple[int, ...]:
    """Bytes of the member devices on disks of these sizes."""
    if not partition:
        return tuple(disks)
    return tuple(
        member_extent(size, logical_sector, partition=True, reserve=reserve).size_bytes for size in disks
    )


def check_number(disks: int) -> None:
    """Refuse a number of disks that no layout takes.

    Raises:
        CannotBuild: none, one, or too many.
    """
    if disks == 0:
        raise CannotBuild("no disks are named; an array takes at least 2, for example --disks 2x4TB")
    if disks == 1:
        raise CannotBuild("one disk makes no array; every level takes at least 2 disks")
    if disks > MOST_DISKS:
        raise CannotBuild(f"{disks} disks are more than the {MOST_DISKS} that one array is calculated for")


def one_report(level: str, question: Question, *, hazards: tuple[Hazard, ...] | None = None) -> Report:
    """One level of mdadm; a refusal is a report too. ``hazards`` are those of a machine, if there is one."""
    found = offer(
        level,
        question.sizes,
        spare_sizes=question.spare_sizes,
        chunk=question.chunk,
        layout=question.layout,
        metadata=question.metadata,
        consistency=question.consistency,
    )
    return _report(found, question, hazards)


def all_reports(question: Question) -> Iterator[Report]:
    """Every level of mdadm, and the layouts of it that differ; options that a level does not know are left out."""
    for level in LEVELS.values():
        layouts = common_layouts(level.name, len(question.sizes))
        for layout in (question.layout,) if question.layout and level.name == "raid10" else layouts:
            own = Question(
                sizes=question.sizes,
                spare_sizes=question.spare_sizes,
                chunk=question.chunk if level.has_chunk else None,
                layout=layout,
                metadata=question.metadata,
                consistency=question.consistency if question.consistency in level.consistencies else None,
                rotational=question.rotational,
                speed=question.speed,
                speed_limit=question.speed_limit,
            )
            yield one_report(level.name, own)


def _report(found: Offer, question: Question, hazards: tuple[Hazard, ...] | None) -> Report:
    level = LEVELS.get(found.level)
    consistency = question.consistency or (level.consistencies[0] if level else "")
    if found.geometry is None or found.survival is None:
        return Report(
            backend=Backend.MDADM,
            level=found.level,
            layout=found.layout or default_layout(found.level),
            metadata=question.metadata,
            chunk_bytes=question.chunk or 0,
            consistency=consistency,
            refused=found.refused,
        )
    geometry = found.geometry
    low, high = sync_range(
        geometry.component_bytes,
        rotational=question.rotational,
        bytes_per_second=question.speed,
        limit=question.speed_limit,
    )
    if hazards is None:
        spec = Spec(
            name="calc",
            level=found.level,
            sizes=question.sizes,
            spare_sizes=question.spare_sizes,
            chunk=question.chunk,
            layout=question.layout,
            metadata=question.metadata,
            consistency=consistency,
        )
        hazards = find_hazards(spec, None)
    return Report(
        backend=Backend.MDADM,
        level=found.level,
        layout=geometry.layout,
        metadata=geometry.metadata,
        chunk_bytes=geometry.chunk_bytes,
        consistency=geometry.consistency,
        array_bytes=geometry.array_bytes,
        usable_bytes=geometry.array_bytes,
        component_bytes=geometry.component_bytes,
        data_offset_bytes=geometry.data_offset_bytes,
        stripe_width_bytes=geometry.stripe_width_bytes,
        overhead=found.overhead,
        members=geometry.members,
        spares=geometry.spares,
        survives=found.survival,
        rebuild_seconds=Range(low=low, high=high) if LEVELS[found.level].redundant else None,
        hazards=hazards,
    )
