"""A further disk under a volume over bands: it joins every array whose band it reaches, one after the other.

A mirror of two becomes a RAID5, as everywhere in md. What the disk has above those bands is free afterwards, for new bands
together with the space that other disks have there.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.backends.care import Place, places_at
from raidtui.backends.hybrid.bands import level_of
from raidtui.backends.hybrid.levels import redundancy_of
from raidtui.backends.lvm.report import PhysicalVolume
from raidtui.backends.lvm.space import EXTENT, extents
from raidtui.backends.md.array_names import address
from raidtui.backends.md.grow import joined
from raidtui.backends.md.growing.relevel import BECOMES, as_level
from raidtui.backends.md.growing.shapes import least_member, size_with, why_no_disk, why_no_reshape
from raidtui.backends.md.procedures.scrubs import check_steps
from raidtui.backends.md.replace import MdNeed, need_of
from raidtui.backends.md.states import shown_name
from raidtui.backends.replacing import Leaving, Naming
from raidtui.backends.room import fitting, least_disk
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Disk, Machine
from raidtui.model.plan import Step
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import decimal
from raidtui.steps.enlarge import PHYSICAL_VOLUME, Content, enlarge_steps
from raidtui.steps.mkfs import Stripes

_SIX: Final = "its mirrors of three would have to become RAID6, which md cannot do without moving all data"


class WiderBand(NamedTuple):
    """An array that gets a further member, and its physical volume."""

    array: Array
    level: str  # that the array becomes
    place: Place  # of the member that the new one is like
    volume: PhysicalVolume

    @property
    def members(self) -> int:
        """How many members it has then."""
        return self.array.raid_disks + 1

    @property
    def array_bytes(self) -> int:
        """What the array holds then."""
        later = as_level(self.array, self.level)
        return size_with(later, self.members, self.array.component_bytes)

    @property
    def gain(self) -> int:
        """Bytes of new extents for the volume."""
        start = self.volume.data_start_bytes
        return extents(self.array_bytes, start) * EXTENT - self.volume.size_bytes


def bands_over(
    unit: Unit, arrays: Sequence[Array], volumes: Sequence[PhysicalVolume], machine: Machine
) -> tuple[WiderBand, ...]:
    """The bands that a further disk can join, from the start of the disks: those of the disk that is in most of them.

    Raises:
        Refused: an array cannot take another member.
    """
    found: dict[str, list[WiderBand]] = {}
    for array in arrays:
        volume = next((one for one in volumes if one.path in {array.node, array.path}), None)
        if volume is None:
            raise Refused(f"LVM does not say what it has of {shown_name(array)}")
        level = _level_after(unit, array)
        for place in places_at((one.path for one in array.members if one.slot is not None), machine):
            if place.part is not None:
                found.setdefault(place.disk.key, []).append(WiderBand(array, level, place, volume))
    if not found:
        raise Refused(f"no partition of a disk of this computer is under {harmless(unit.name)}")
    most = max(found.values(), key=len)
    bands = tuple(sorted(most, key=_start))
    for band in bands:
        later = as_level(band.array, band.level)
        if why := why_no_disk(band.array, band.level, 1) or why_no_reshape(
            band.array, later, band.members, machine
        ):
            raise Refused(f"{shown_name(band.array)}: {why}")
    return bands


def _level_after(unit: Unit, array: Array) -> str:
    if array.level != "raid1":
        return array.level
    level = level_of(array.raid_disks + 1, redundancy_of(unit.level))
    if level != BECOMES[array.level]:
        raise Refused(_SIX)
    return level


def _start(band: WiderBand) -> int:
    return band.place.part.start_bytes if band.place.part is not None else 0


def reached(bands: Sequence[WiderBand], disk: Disk) -> tuple[WiderBand, ...]:
    """The bands that ``disk`` reaches, without a gap."""
    large = [disk.size_bytes >= least_disk([band.place], 0) for band in bands]
    return tuple(bands[: large.index(False) if False in large else len(bands)])


def gain_of(bands: Sequence[WiderBand]) -> int:
    """What a disk that joins them adds to the volume, in bytes."""
    return sum(band.gain for band in bands)


def fitting_disks(bands: Sequence[WiderBand], machine: Machine) -> list[Disk]:
    """The free disks that reach the first band: first those that give most, of these the smallest."""
    first = bands[0]
    disks = fitting([first.place], least_member(first.array), machine)
    return sorted(disks, key=lambda disk: -gain_of(reached(bands, disk)))


def least_of(bands: Sequence[WiderBand]) -> str:
    """What is needed for one, in words."""
    return f"a free disk of {decimal(least_disk([bands[0].place], 0))} or more"


def needs_of(bands: Sequence[WiderBand], machine: Machine) -> tuple[MdNeed, ...]:
    """What the members of a new disk are like: the partitions of one disk that has all of them."""
    return tuple(_need(band, machine) for band in bands)


def _need(band: WiderBand, machine: Machine) -> MdNeed:
    need = need_of(band.array, None, "", Leaving("", None, (), machine), spare=True)
    return replace(need, places=(band.place, *(one for one in need.places if one != band.place)))


def joining_steps(bands: Sequence[WiderBand], new: Sequence[Naming], machine: Machine) -> Iterator[Step]:
    """Each array gets its member, is checked, and gives its new space to LVM, before the next one begins."""
    for band, naming in zip(bands, new, strict=True):
        array = band.array
        yield from joined(array, band.level, [naming], machine)
        yield from check_steps(array)
        on = Stripes(size_bytes=band.array_bytes)
        for step in enlarge_steps(Content(kind=PHYSICAL_VOLUME), address(array), on):
            yield replace(step, id="resize")  # what is on the volume is enlarged at the end
