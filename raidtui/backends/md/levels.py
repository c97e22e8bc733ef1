"""The levels of md, described."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.arithmetic.copies import copies_of
from raidtui.backends.level import Level, by_name
from raidtui.backends.md.layouts import PARITY_LAYOUTS, default_layout
from raidtui.model.md_levels import MD_LEVELS


def _level(
    name: str,
    title: str,
    explains: str,
    *,
    suits: str,
    pros: tuple[str, ...],
    cons: tuple[str, ...],
    also: tuple[str, ...] = (),
    rare: bool = False,
    layouts: tuple[str, ...] = (),
    consistencies: tuple[str, ...] = ("bitmap", "resync"),
) -> Level:
    return Level(
        name=name,
        shown=name.replace("raid", "RAID"),
        also=(*also, name.removeprefix("raid")),  # --level takes these too: mdadm(8)
        title=title,
        min_disks=MD_LEVELS[name].least,
        explains=explains,
        suits=suits,
        pros=pros,
        cons=cons,
        rare=rare,
        has_chunk=MD_LEVELS[name].chunked,
        layouts=layouts,
        default_layout=default_layout(name),
        # The layouts of raid10 differ in space, speed and which disks may fail.
        called_with_layout=name == "raid10",
        min_disks_of={one: copies_of(one).total for one in layouts} if name == "raid10" else {},
        consistencies=consistencies,
        redundant=MD_LEVELS[name].redundant,
    )


LEVELS: Final = by_name(
    _level(
        "raid0",
        "stripe, no redundancy",
        "Chunks go to all disks in turn: all the space and all the speed, but one failed disk loses everything. "
        "For scratch data that you can recreate.",
        suits="scratch data only",
        pros=("all the space of the disks", "fastest reads and writes"),
        cons=("any failed disk loses everything",),
        also=("stripe", "striped"),
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
        also=("jbod", "concat"),
        rare=True,
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
        also=("mirror",),
    ),
    _level(
        "raid4",
        "parity on one disk",
        "Like RAID5 with all parity on the last disk, which every write waits for. For growing a RAID0 "
        "step by step; otherwise use RAID5.",
        suits="growing a RAID0 step by step",
        pros=("any one disk can fail",),
        cons=("every write waits for the parity disk",),
        rare=True,
    ),
    _level(
        "raid5",
        "one disk's worth of parity",
        "Data and parity rotate over all disks: parity takes the space of one disk, and any one can fail. Small "
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
        "rebuild of one. Small writes cost up to six I/Os. For large disks, and for more than four.",
        suits="large disks, and more than four",
        pros=("any two disks can fail", "repairs bad sectors even during a rebuild"),
        cons=("costs the space of two disks", "small writes are slow: up to 6 I/Os each"),
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


def common_layouts(level: str, disks: int) -> Iterator[str | None]:
    """The layouts worth comparing: raid10's differ in capacity, speed and risk, those of parity levels do not."""
    if level != "raid10":
        yield None
        return
    yield from ("n2", "f2", "o2")
    if disks >= 3:
        yield "n3"
