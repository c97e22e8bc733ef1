"""The facts of a layout on particular disks: space, survival, ideal speed, and what happens at boot without a disk.

Each backend returns `Facts`, so that no code above it has to know the levels.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import comb, inf
from typing import Final, NamedTuple

from raidtui.backends.arithmetic.ideal import Ideal
from raidtui.backends.arithmetic.survival import Survival, survival, surviving_sets, uniform_survival
from raidtui.model.errors import CannotBuild
from raidtui.model.struct import Record
from raidtui.model.units import both

EXACT: Final = "exact to the sector"
NOT_AT_BOOT: Final = "does not start: its data is lost"


class MemberUse(Record, frozen=True, kw_only=True):
    """How much of one member device holds data. ``used_bytes + wasted_bytes == size_bytes``."""

    size_bytes: int
    used_bytes: int
    wasted_bytes: int
    why: str  # why the rest is not used, in words


class Options(Record, frozen=True, kw_only=True):
    """Options of a layout; each backend uses those it has. Empty or None takes the level's default."""

    spare_sizes: tuple[int, ...] = ()
    chunk: int | None = None
    layout: str | None = None
    metadata: str = ""
    consistency: str | None = None
    logical_sector: int = 512
    physical_sector: int = 0  # the largest of the disks; 0: unknown
    own: tuple[tuple[str, str], ...] = ()  # the backend's own keys, with their values as text
    rotational: bool = True
    tools: tuple[tuple[str, str], ...] = ()  # programs and their versions: mdadm 4.5 makes what 4.2 refuses


def usual(levels: Iterable[str], wanted: Options) -> Iterator[tuple[str, Options]]:
    """Each of ``levels`` with default options, except for the wanted spares and the backend's own keys."""
    plain = Options(spare_sizes=wanted.spare_sizes, own=wanted.own)
    return ((level, plain) for level in levels)


class Facts(Record, frozen=True, kw_only=True):
    """One layout of one backend. Sizes in bytes; ``sets[n]`` counts the survivable sets of n failed disks."""

    layout: str
    array_bytes: int
    component_bytes: int
    members: tuple[MemberUse, ...]
    sets: tuple[int, ...]
    survival: Survival
    read_in_rebuild: int  # with no redundancy left
    ideal: Ideal
    accuracy: str
    boot: str  # what happens at boot if a disk is missing
    spares: tuple[MemberUse, ...] = ()
    metadata: str = ""
    chunk_bytes: int = 0
    consistency: str = ""
    data_offset_bytes: int = 0
    stripe_width_bytes: int = 0
    rebuilds_data_only: bool = False
    paced_by_md: bool = False  # synced by md, within the kernel's speed limits: arrays, and LVM's RAID
    grows_bytes: int | None = (
        None  # that one more such disk adds later; None: it takes none, or that is not known
    )
    grows_by: int = 1  # as many such disks at once; `grows_bytes` is for all of them
    grows_by_reshape: bool = False  # all of its data is moved then
    no_growth: str = ""  # why it takes none; empty: not known
    groups: int = 1  # groups of equally many disks, in their order; losing any group loses the data
    grouped: str = ""  # how disks are assigned to groups, in the backend's words; empty for one group
    piece_bytes: int = 0  # written to one group before the next; 0: the first group is filled first
    parity: int = 0  # disks' worth of parity in a group; 0 if a rebuild reads a copy

    def sync_limit(self, of_md: int | None) -> float | None:
        """The most bytes a second per disk in a sync, given md's limit in the kernel; infinite if md does not sync it."""
        return of_md if self.paced_by_md else inf


def plain_uses(sizes: Sequence[int], used: Sequence[int], overhead: int, why: str) -> tuple[MemberUse, ...]:
    """Members of a backend that uses as much of each disk as it can; ``overhead``: bytes lost on each in any case."""
    found = []
    for size, part in zip(sizes, used, strict=True):
        lost = size - part
        own = min(lost, overhead)
        words = [f"{both(own)} for {why}"] if own else []
        if lost - own:
            words.append(f"{both(lost - own)} that no other disk can match")
        found.append(MemberUse(size_bytes=size, used_bytes=part, wasted_bytes=lost, why="; ".join(words)))
    return tuple(found)


def check_no_spares(backend: str, options: Options, reason: str) -> None:
    """Refuse spares where the backend has none.

    Raises:
        CannotBuild: there are some; the text gives the ``reason``.
    """
    if options.spare_sizes:
        raise CannotBuild(f"{backend} has no hot spares: {reason}")


class Shape(NamedTuple):
    """What a layout survives: the same as an md level, or any ``sure`` disks and no more."""

    level: str = ""
    layout: str = ""
    sure: int = 0


def resilience(shape: Shape, disks: int) -> tuple[tuple[int, ...], Survival]:
    """The number of survivable sets by number of failed disks, and the same in words."""
    if shape.level:
        return surviving_sets(shape.level, disks, shape.layout), survival(shape.level, disks, shape.layout)
    return tuple(comb(disks, failed) for failed in range(shape.sure + 1)), uniform_survival(shape.sure, disks)
