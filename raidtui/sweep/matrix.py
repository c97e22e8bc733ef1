"""Every combination of a sweep, and the order in which they are measured. Pure."""

import random
from collections.abc import Sequence
from typing import Final

from raidtui.backends.options import only_whole
from raidtui.backends.registry import backend
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk
from raidtui.model.spec import USUAL, Backend, FilesystemSpec, Spec
from raidtui.model.struct import Record
from raidtui.model.sweep import SINGLE, LevelWord, Sweep, split_level
from raidtui.model.text import spelled
from raidtui.model.units import spell_size
from raidtui.steps.pieces import called

ARRAY: Final = "sweep"  # the name of everything that a sweep builds
MOUNTPOINT: Final = "/srv/raidtui-sweep"


class Combination(Record, frozen=True, kw_only=True):
    """One unit to measure, or with the level ``single`` a single disk, which is bare if it has no filesystem."""

    backend: Backend
    level: str
    members: int
    chunk: int | None = None  # None: the level's default, or it has none
    filesystem: str = "none"
    names_backend: bool = False  # its name includes the backend: the sweep has others than the usual one

    @property
    def id(self) -> str:
        """``raid5-4-64KiB-ext4``, ``lvm-striped-4-ext4``."""
        words = [self._whose, self.level, str(self.members), self._chunk, self._files]
        return "-".join(word for word in words if word and word != "none")

    @property
    def _whose(self) -> str:
        return self.backend.value if self.names_backend else ""

    @property
    def _files(self) -> str:
        """Its filesystem, unless its backend is its own filesystem."""
        return "" if backend(self.backend).own_filesystem else self.filesystem

    @property
    def _chunk(self) -> str:
        return spell_size(self.chunk) if self.chunk else ""

    @property
    def has_chunk(self) -> bool:
        """Whether its level has a chunk; LVM calls it the stripe size."""
        return _has_chunk(self.backend, self.level)

    @property
    def whole(self) -> bool:
        """Whether its members are always whole disks, never a slice."""
        return only_whole(backend(self.backend).options)

    @property
    def bare(self) -> bool:
        """Whether nothing is built: the disk is measured as it is."""
        return self.level == SINGLE and self.filesystem == "none"

    @property
    def title(self) -> str:
        """``raid5 of 4, 64KiB, ext4``, ``lvm striped of 4, ext4``, ``single disk, ext4``."""
        array = f"{self._whose} {self.level} of {self.members}".strip()
        words = ["single disk" if self.level == SINGLE else array, self._chunk, self._files]
        return ", ".join(word for word in words if word and word != "none")


class Turn(Record, frozen=True, kw_only=True):
    """One combination in one pass: built once, measured with every profile, removed."""

    number: int  # of the pass, from 1
    combination: Combination

    @property
    def id(self) -> str:
        """``1/raid5-4-64KiB-ext4``."""
        return f"{self.number}/{self.combination.id}"

    def cell(self, profile: str) -> str:
        """The name of one measurement in the journal: ``1/raid5-4-64KiB-ext4/cdm``."""
        return f"{self.id}/{profile}"


def combinations_of(sweep: Sweep) -> tuple[Combination, ...]:
    """Every combination once, in the order of the lists; for a quick sweep each value once.

    Values that a level does not have are ignored for it. A level is built by each backend that has it: ``raid1`` by
    mdadm and LVM, ``striped`` by LVM only.
    """
    found = _all_of(sweep)
    return _each_value_once(found) if sweep.quick else found


def _all_of(sweep: Sweep) -> tuple[Combination, ...]:
    counts = sweep.members or (len(sweep.disks),)
    units = [
        (maker, word.level, 1 if maker is Backend.DISK else count)
        for word in map(split_level, sweep.levels)
        for maker in makers_of(word, sweep.backends or (USUAL,))
        for count in ((word.members,) if word.members is not None else counts)
    ]
    return tuple(
        dict.fromkeys(
            Combination(
                backend=maker,
                level=level,
                members=count,
                chunk=chunk if _has_chunk(maker, level) else None,
                filesystem=filesystem,
                names_backend=maker is not Backend.DISK and sweep.backends not in {(), (USUAL,)},
            )
            for maker, level, count in units
            for chunk in sweep.chunks or (None,)
            for filesystem in _filesystems_of(maker, sweep)
        )
    )


def _each_value_once(combinations: Sequence[Combination]) -> tuple[Combination, ...]:
    """A few that cover each array, chunk and filesystem: the first that adds most, and so on (greedy)."""

    def values(one: Combination) -> set[tuple[object, ...]]:
        return {
            ("array", one.backend, one.level, one.members),
            ("chunk", one.chunk),
            ("files", one.filesystem),
        }

    left = set().union(*map(values, combinations))
    chosen = []
    while left:
        best = max(combinations, key=lambda one: len(values(one) & left))
        chosen.append(best)
        left -= values(best)
    return tuple(chosen)


def makers_of(word: LevelWord, backends: Sequence[Backend]) -> tuple[Backend, ...]:
    """Those of ``backends`` that build the level ``word``."""
    if word.level == SINGLE and word.backend is None:
        return (Backend.DISK,)
    able = [one for one in backends if word.backend in {None, one}]
    return tuple(one for one in able if word.level in backend(one).levels)


def _filesystems_of(maker: Backend, sweep: Sweep) -> tuple[str, ...]:
    """The filesystems of the sweep, or the one that the backend is itself."""
    own = backend(maker).own_filesystem
    return (own,) if own else sweep.filesystems


def _has_chunk(name: Backend, level: str) -> bool:
    found = backend(name).levels.get(level)
    return found is not None and found.has_chunk


def turns_of(sweep: Sweep) -> tuple[Turn, ...]:
    """Every turn in order: each pass has every combination, in its own shuffled order.

    Drift during a sweep (heat, a disk that slows down, other processes) would affect the combinations that come late;
    with another order in each pass it shows as a difference between the passes. Combinations that need more
    disks than the sweep has are left out.
    """
    found = [one for one in combinations_of(sweep) if has_disks_for(sweep, one)]
    turns: list[Turn] = []
    for number in range(1, sweep.passes + 1):
        order = list(found)
        random.Random(f"{sweep.seed}/{number}").shuffle(order)
        turns += [Turn(number=number, combination=one) for one in order]
    return tuple(turns)


def has_disks_for(sweep: Sweep, combination: Combination) -> bool:
    """Whether the sweep has as many disks as ``combination`` needs."""
    return combination.members <= len(sweep.disks)


def why_not_bare(disk: Disk) -> str | None:
    """Why ``disk`` cannot be measured bare; None if it can."""
    if disk.has_device:
        return None
    return f"{called(disk)} ({disk.shown}) is a drive behind a RAID card; measure it as 'raid0 of 1'"


def spec_of(sweep: Sweep, combination: Combination) -> Spec:
    """The spec of the unit or single disk of ``combination``; it does not have to come back after a reboot.

    Raises:
        BadInput: the sweep does not have enough disks.
    """
    if not has_disks_for(sweep, combination):
        raise BadInput(
            f"{spelled(combination.title)} needs {combination.members} disks, but only {len(sweep.disks)} are named"
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
        slice=None if combination.whole else sweep.slice,
        partition=None if combination.whole else True,
        persistent=False,
        filesystem=filesystem,
    )
