"""Room for new bands: the free space at the end of the disks under a volume, as after larger disks have replaced smaller ones."""

from collections.abc import Sequence
from itertools import count, islice
from typing import NamedTuple

from raidtui.backends.care import Place
from raidtui.backends.facts import Options
from raidtui.backends.hybrid.bands import Band, bands_of, level_of, thinnest, volume_bytes
from raidtui.backends.hybrid.levels import redundancy_of
from raidtui.backends.room import member_bytes
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import CannotBuild
from raidtui.model.machine import Array, Disk, Machine
from raidtui.model.unit import Unit
from raidtui.model.units import MIB


class Tail(NamedTuple):
    """The free space after the last partition of a disk, without what a build leaves there as a reserve."""

    disk: Disk
    start: int  # bytes from the start of the disk, in whole MiB
    size: int

    def number(self, nth: int) -> int:
        """The number of the new partition ``nth`` (from 0) on the disk: sfdisk takes the lowest that is unused."""
        known = {part.number for part in self.disk.partitions}
        free = (number for number in count(1) if number not in known)
        return next(islice(free, nth, None))


class Room(NamedTuple):
    """Where new bands fit."""

    tails: tuple[Tail, ...]  # thick enough for a band, on the disks under the volume
    bands: tuple[Band, ...]  # whose disks are indexes of `tails`, and start 0 is the start of each tail
    lacking: int  # disks with such a tail that are lacking for one band; 0 if there are bands
    gain: int = (
        0  # what one more disk as large as the largest gives in place of the smallest, if that is enough
    )
    smallest: str = ""  # the identity of that one


def room_of(unit: Unit, arrays: Sequence[Array], machine: Machine) -> Room:
    """The room for new bands under ``unit``, whose arrays are ``arrays``."""
    redundancy = redundancy_of(unit.level)
    disks = disks_of(unit, machine)
    own = {member.path for array in arrays for member in array.members}
    used = [sum(part.size_bytes for part in disk.partitions if part.path in own) for disk in disks]
    thin = thinnest([size for size in used if size] or [MIB])
    every = [tail for tail in map(_tail, disks) if tail is not None]
    tails = tuple(tail for tail in every if tail.size >= thin)
    if bands := _bands(tails, redundancy, arrays, machine):
        return Room(tails, bands, 0)
    lacking = max(1, redundancy + 1 - len(tails))
    rest = [tail for tail in every if tail.size < thin]
    if lacking > 1 or not rest or not tails:
        return Room(tails, (), lacking)
    small, large = min(rest, key=_bytes), max(tails, key=_bytes)
    grown = small._replace(disk=large.disk, size=large.start + large.size - small.start)
    more = _bands((*tails, grown), redundancy, arrays, machine)
    return Room(tails, (), lacking, volume_bytes(more), small.disk.identity)


def _bytes(tail: Tail) -> int:
    return tail.disk.size_bytes


def _bands(
    tails: Sequence[Tail], redundancy: int, arrays: Sequence[Array], machine: Machine
) -> tuple[Band, ...]:
    """The bands in these tails; none if they are too few or too small."""
    if not level_of(len(tails), redundancy):
        return ()
    try:
        return bands_of([tail.size for tail in tails], redundancy, _options(arrays, tails, machine))
    except CannotBuild:
        return ()


def _tail(disk: Disk) -> Tail | None:
    last = max(disk.partitions, key=lambda part: part.start_bytes, default=None)
    if last is None or disk.partition_table != "gpt":
        return None
    start = -(-(last.start_bytes + last.size_bytes) // MIB) * MIB
    end = last.start_bytes + member_bytes(Place(disk, last))
    return Tail(disk, start, max(0, end - start) // MIB * MIB)


def _options(arrays: Sequence[Array], tails: Sequence[Tail], machine: Machine) -> Options:
    """Those of the arrays that are there: the chunk of one with parity, and whether they have a bitmap."""
    return Options(
        chunk=next((one.chunk_bytes for one in arrays if one.chunk_bytes), None),
        consistency="bitmap" if arrays[0].consistency == "bitmap" else "resync",
        logical_sector=max(tail.disk.logical_sector_bytes for tail in tails),
        tools=tuple(machine.tools.items()),
    )
