"""The levels of md in plain words, and what every one of them would give on the same disks."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.advice.geometry import ASSUMED_MDADM, Geometry, MemberUse, md_geometry
from raidtui.advice.layouts import PARITY_LAYOUTS, CannotBuild, default_layout
from raidtui.advice.survival import Survival, survival
from raidtui.model.struct import Record


class Level(Record, frozen=True, kw_only=True):
    """One level: what it is for and what can be chosen with it."""

    name: str
    title: str  # a few words for a table
    min_disks: int  # fewest that mdadm takes
    explains: str  # what it does, what it is for and what it costs
    suits: str  # what to take it for, in a line of 36 characters
    pros: tuple[str, ...]  # lines of 44 characters, beside what the figures say
    cons: tuple[str, ...]
    common: bool  # one of the levels that most people choose between
    has_chunk: bool
    has_layout: bool
    layouts: tuple[str, ...]  # words to choose from; of raid10 the common ones
    default_layout: str
    consistencies: tuple[str, ...]  # allowed, the default first
    redundant: bool


def _level(
    name: str,
    title: str,
    explains: str,
    *,
    suits: str,
    pros: tuple[str, ...],
    cons: tuple[str, ...],
    common: bool = True,
    least: int = 2,
    chunk: bool = True,
    layouts: tuple[str, ...] = (),
    consistencies: tuple[str, ...] = ("bitmap", "resync"),
) -> Level:
    return Level(
        name=name,
        title=title,
        min_disks=least,
        explains=explains,
        suits=suits,
        pros=pros,
        cons=cons,
        common=common,
        has_chunk=chunk,
        has_layout=bool(layouts),
        layouts=layouts,
        default_layout=default_layout(name),
        consistencies=consistencies,
        redundant="none" not in consistencies,
    )


LEVELS: Final = {
    level.name: level
    for level in (
        _level(
            "raid0",
            "stripe, no redundancy",
            "Chunks go to all disks in turn: all the space and all the speed, but one failed disk loses everything. "
            "For scratch data that can be made again.",
            suits="scratch data only",
            pros=("all the space of the disks", "fastest reads and writes"),
            cons=("any failed disk loses everything",),
            consistencies=("none",),
        ),
        _level(
            "linear",
            "one disk after the other",
            "The disks are joined end to end: all the space of unequal disks, the speed of one, and one failed disk "
            "loses the filesystem. For scratch data.",
            suits="scratch data on unequal disks",
            pros=("all the space, of unequal disks too",),
            cons=("any failed disk loses everything", "a single file is as slow as one disk"),
            common=False,
            chunk=False,
            consistencies=("none",),
        ),
        _level(
            "raid1",
            "mirror on every disk",
            "Every disk holds the same data: one disk's space, any one copy is enough, reads spread over the disks. "
            "For two disks, and for systems that must boot from any of them.",
            suits="two disks, and boot disks",
            pros=("any one remaining disk is enough", "small reads spread over all disks"),
            cons=("space of one disk only",),
            chunk=False,
        ),
        _level(
            "raid4",
            "parity on one disk",
            "Like RAID5 with all parity on the last disk, which every write waits for. For growing a RAID0 "
            "step by step; otherwise take RAID5.",
            suits="growing a RAID0 step by step",
            pros=("any one disk can fail",),
            cons=("every write waits for the parity disk",),
            common=False,
        ),
        _level(
            "raid5",
            "one disk's worth of parity",
            "Data and parity rotate over all disks: one disk's space pays for surviving any one failure. Small "
            "writes cost four I/Os. For three to five disks of moderate size with a backup.",
            suits="a good choice for 3 to 5 disks",
            pros=("any one disk can fail", "costs the space of one disk only"),
            cons=("small writes are slow: 3 or 4 I/Os each",),
            layouts=PARITY_LAYOUTS["raid5"],
            consistencies=("bitmap", "resync", "ppl"),
        ),
        _level(
            "raid6",
            "two disks' worth of parity",
            "Two parities rotate over all disks: any two can fail, and bad sectors are still repaired during the "
            "rebuild of one. Small writes cost up to six I/Os. For large disks and for more than five.",
            suits="large disks, and more than four",
            pros=("any two disks can fail", "repairs bad sectors even during a rebuild"),
            cons=("costs the space of two disks", "small writes are slow: up to 6 I/Os each"),
            least=4,
            layouts=PARITY_LAYOUTS["raid6"],
        ),
        _level(
            "raid10",
            "stripe over copies",
            "Every chunk is stored on two disks (or three), striped over all of them: fast small writes, "
            "quick rebuilds from one partner, half the space. Any number of disks from two, odd ones too. For "
            "databases, virtual machines and many small writes.",
            suits="databases and many small writes",
            pros=("fast small writes", "quick rebuild from one partner"),
            cons=("every byte is stored twice or more",),
            layouts=("n2", "f2", "o2", "n3", "f3", "o3"),
        ),
    )
}


ALONE: Final = _level(
    "single",
    "a single disk",
    "A filesystem on one disk: all its space, its own speed, and everything is lost with it. To compare arrays "
    "with, and for data that has a copy elsewhere.",
    suits="to compare arrays with",
    pros=("all the space of the disk",),
    cons=("everything is lost with it",),
    common=False,
    least=1,
    chunk=False,
    consistencies=("none",),
)
"""Not a level of md, and not among `LEVELS`: it is never offered for several disks."""


class Offer(Record, frozen=True, kw_only=True):
    """One level and layout on given disks: what it gives, or why it cannot be."""

    level: str
    layout: str
    geometry: Geometry | None = None
    survival: Survival | None = None
    overhead: float = 0.0  # of the member devices' bytes, spares included, the part that is not usable
    refused: str = ""


def alone_geometry(size_bytes: int) -> Geometry:
    """A single disk, of which nothing is lost to metadata."""
    return Geometry(
        level=ALONE.name,
        layout="",
        metadata="",
        chunk_bytes=0,
        consistency="",
        array_bytes=size_bytes,
        component_bytes=size_bytes,
        data_offset_bytes=0,
        stripe_width_bytes=0,
        data_disks=1,
        members=(MemberUse(size_bytes=size_bytes, used_bytes=size_bytes, wasted_bytes=0, why=""),),
    )


def overhead_of(geometry: Geometry) -> float:
    """The part of all devices' bytes, spares included, that the array does not offer."""
    total = sum(use.size_bytes for use in (*geometry.members, *geometry.spares))
    return 1 - geometry.array_bytes / total


def offer(
    level: str,
    sizes: Sequence[int],
    *,
    spare_sizes: Sequence[int] = (),
    chunk: int | None = None,
    layout: str | None = None,
    metadata: str = "1.2",
    consistency: str | None = None,
    logical_sector: int = 512,
    mdadm: tuple[int, int] = ASSUMED_MDADM,
) -> Offer:
    """What one level gives on member devices of these sizes; a refusal is an `Offer` too."""
    try:
        geometry = md_geometry(
            level,
            sizes,
            spare_sizes=spare_sizes,
            chunk=chunk,
            layout=layout,
            metadata=metadata,
            consistency=consistency,
            logical_sector=logical_sector,
            mdadm=mdadm,
        )
    except CannotBuild as error:
        return Offer(level=level, layout=layout or default_layout(level), refused=str(error))
    return Offer(
        level=level,
        layout=geometry.layout,
        geometry=geometry,
        survival=survival(level, len(sizes), geometry.layout),
        overhead=overhead_of(geometry),
    )


def common_layouts(level: str, disks: int) -> Iterator[str | None]:
    """The layouts worth comparing: those of raid10 differ in capacity, speed and risk, those of parity do not."""
    if level != "raid10":
        yield None
        return
    yield from ("n2", "f2", "o2")
    if disks >= 3:
        yield "n3"
