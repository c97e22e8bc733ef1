"""Every combination that a sweep asks for, and the order in which they are measured. Pure."""

import random
from typing import Final

from raidtui.backends.md.levels import LEVELS
from raidtui.model.errors import BadInput
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.struct import Record
from raidtui.model.sweep import SINGLE, Sweep, split_level
from raidtui.model.units import spell_size

ARRAY: Final = "sweep"  # the name of every array that a sweep builds
MOUNTPOINT: Final = "/srv/raidtui-sweep"


class Combination(Record, frozen=True, kw_only=True):
    """One array to be measured, or with the level ``single`` a single disk, which without a filesystem is bare."""

    backend: Backend
    level: str
    members: int
    chunk: int | None = None  # None: the level's default, or it has none
    filesystem: str = "none"

    @property
    def id(self) -> str:
        """``raid5-4-64KiB-ext4``."""
        words = [self.level, str(self.members), spell_size(self.chunk) if self.chunk else "", self.filesystem]
        return "-".join(word for word in words if word and word != "none")

    @property
    def bare(self) -> bool:
        """Whether nothing is built: the disk is measured as it is."""
        return self.level == SINGLE and self.filesystem == "none"

    @property
    def title(self) -> str:
        """``raid5 of 4, 64KiB, ext4``, ``single disk, ext4``."""
        what = "single disk" if self.level == SINGLE else f"{self.level} of {self.members}"
        words = [what, spell_size(self.chunk) if self.chunk else ""]
        return ", ".join(word for word in (*words, self.filesystem) if word and word != "none")


class Turn(Record, frozen=True, kw_only=True):
    """One combination in one pass: built once, measured with every profile, taken apart."""

    number: int  # of the pass, from 1
    combination: Combination

    @property
    def id(self) -> str:
        """``1/raid5-4-64KiB-ext4``."""
        return f"{self.number}/{self.combination.id}"

    def cell(self, profile: str) -> str:
        """What one measurement is called in the journal: ``1/raid5-4-64KiB-ext4/cdm``."""
        return f"{self.id}/{profile}"


def combinations_of(sweep: Sweep) -> tuple[Combination, ...]:
    """Every combination once, in the order of the lists. What a level does not have makes no difference to it."""
    counts = sweep.members or (len(sweep.disks),)
    arrays = [
        (level, 1 if level == SINGLE else number)
        for level, own in map(split_level, sweep.levels)
        for number in ((own,) if own is not None else counts)
    ]
    return tuple(
        dict.fromkeys(
            Combination(
                backend=Backend.DISK if level == SINGLE else backend,
                level=level,
                members=count,
                chunk=chunk if level in LEVELS and LEVELS[level].has_chunk else None,
                filesystem=filesystem,
            )
            for backend in sweep.backends
            for level, count in arrays
            for chunk in sweep.chunks or (None,)
            for filesystem in sweep.filesystems
        )
    )


def turns_of(sweep: Sweep) -> tuple[Turn, ...]:
    """The order of work: each pass has every combination, shuffled anew.

    What drifts while a sweep runs (heat, a disk that slows down, others' work) would lean on the combinations that
    come late; in another order each time it shows as a difference between the passes.
    """
    found = combinations_of(sweep)
    turns: list[Turn] = []
    for number in range(1, sweep.passes + 1):
        order = list(found)
        random.Random(f"{sweep.seed}/{number}").shuffle(order)
        turns += [Turn(number=number, combination=one) for one in order]
    return tuple(turns)


def spec_of(sweep: Sweep, combination: Combination) -> Spec:
    """The array of ``combination``, or its single disk, which need not come back after a reboot.

    Raises:
        BadInput: the sweep has not as many disks.
    """
    if combination.members > len(sweep.disks):
        raise BadInput(
            f"{combination.title} needs {combination.members} disks, and {len(sweep.disks)} are named"
        )
    filesystem = FilesystemSpec(type=combination.filesystem)
    if combination.filesystem != "none":
        filesystem = FilesystemSpec(type=combination.filesystem, label=ARRAY, mountpoint=MOUNTPOINT)
    return Spec(
        name=ARRAY,
        backend=combination.backend,
        level=combination.level,
        members=sweep.disks[: combination.members],
        chunk=combination.chunk,
        slice=sweep.slice,
        partition=True,
        persistent=False,
        filesystem=filesystem,
    )
