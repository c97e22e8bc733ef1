"""What a layout gives on given disks: space, what survives, ideal speed, and what a missing disk means at boot.

Each backend answers with `Facts`; nothing above it asks which level that was.
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
    """How much of one member device holds the array's data. ``used_bytes + wasted_bytes == size_bytes``."""

    size_bytes: int
    used_bytes: int
    wasted_bytes: int
    why: str  # what the rest is, in words


class Options(Record, frozen=True, kw_only=True):
    """Options of a layout; each backend uses those it has. What is empty or null takes the default of the level."""

    spare_sizes: tuple[int, ...] = ()
    chunk: int | None = None
    layout: str | None = None
    metadata: str = ""
    consistency: str | None = None
    logical_sector: int = 512
    record: int | None = None  # ZFS
    physical_sector: int = 0  # the largest of the disks; 0: not known
    own: tuple[tuple[str, str], ...] = ()  # keys that only the backend knows, each as text
    rotational: bool = True
    tools: tuple[tuple[str, str], ...] = ()  # programs and their versions: mdadm 4.5 makes what 4.2 refuses


def usual(levels: Iterable[str], wanted: Options) -> Iterator[tuple[str, Options]]:
    """Each of ``levels`` as its backend makes it by itself, with the spares and the record that are wanted."""
    plain = Options(spare_sizes=wanted.spare_sizes, record=wanted.record)
    return ((level, plain) for level in levels)


class Facts(Record, frozen=True, kw_only=True):
    """One layout of one backend. Bytes; ``sets`` counts the sets of failed disks that are survived."""

    layout: str
    array_bytes: int
    component_bytes: int
    members: tuple[MemberUse, ...]
    sets: tuple[int, ...]
    survival: Survival
    read_in_rebuild: int  # with no redundancy left
    ideal: Ideal
    accuracy: str
    boot: str  # what happens at boot when a disk is missing
    spares: tuple[MemberUse, ...] = ()
    metadata: str = ""
    chunk_bytes: int = 0
    consistency: str = ""
    data_offset_bytes: int = 0
    stripe_width_bytes: int = 0
    rebuilds_data_only: bool = False
    paced_by_md: bool = False  # md syncs it, within the kernel's speed limits: arrays, and LVM's RAID
    can_grow: bool = False  # onto one more disk later, by a reshape
    groups: int = 1  # of equal numbers of disks, in their order: data is lost with any one of them
    grouped: str = ""  # how the disks are dealt out to them, in the backend's words; empty for one group
    piece_bytes: int = 0  # goes to one group before the next has its turn; 0: the first is filled first
    parity: int = 0  # disks' worth of parity in a group; 0 where a rebuild reads a copy

    def sync_limit(self, of_md: int | None) -> float | None:
        """The most bytes a second of each disk in a sync, given the kernel's limit for md; infinite for all others."""
        return of_md if self.paced_by_md else inf


def plain_uses(sizes: Sequence[int], used: Sequence[int], overhead: int, why: str) -> tuple[MemberUse, ...]:
    """Members of backends that use of each disk what they can; ``overhead`` is what each loses anyway."""
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
        CannotBuild: there are some; the text has the ``reason``.
    """
    if options.spare_sizes:
        raise CannotBuild(f"{backend} has no hot spares: {reason}")


class Shape(NamedTuple):
    """A layout by what it survives: as this level of md, or any ``sure`` disks and no more."""

    level: str = ""
    layout: str = ""
    sure: int = 0


def resilience(shape: Shape, disks: int) -> tuple[tuple[int, ...], Survival]:
    """How many sets of failed disks are survived, by their number, and the same in words."""
    if shape.level:
        return surviving_sets(shape.level, disks, shape.layout), survival(shape.level, disks, shape.layout)
    return tuple(comb(disks, failed) for failed in range(shape.sure + 1)), uniform_survival(shape.sure, disks)
