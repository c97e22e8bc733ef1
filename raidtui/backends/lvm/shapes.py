"""What a logical volume can become, by what was measured with power cuts, and what is not done. Pure.

A volume grows by as many disks as it has images or stripes, so that each of them gets one more disk: LVM keeps two images
of a volume off one disk only then.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.backends.arithmetic.survival import guaranteed_failures
from raidtui.backends.care import Place, places_at
from raidtui.backends.growing import Shape, Way, refused
from raidtui.backends.lvm.care import doubtful
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.reading import group_in
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.space import MOST_IMAGES, data_stripes, first_extent, metadata_extents
from raidtui.backends.lvm.units import main_volume, others
from raidtui.backends.lvm.volumes import busy_words
from raidtui.backends.room import fitting, least_disk, member_bytes, reserve_taken, usable_end
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import parity_of
from raidtui.model.procedure import Grow
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.units import decimal

MOST_ADDED: Final = 4  # rows of the table for a linear volume
_UNTIL: Final = "until the volume is extended; raidtui does not reduce a volume"
_APPENDED: Final = "none for what is there: nothing moves"


class Volume(Record, frozen=True, kw_only=True):
    """A volume that is alone in its group, as far as growing is concerned. Sizes in bytes, or in extents where said."""

    group: VolumeGroup
    volume: LogicalVolume
    devices: tuple[PhysicalVolume, ...]  # of its group
    legs: tuple[tuple[str, ...], ...]  # the devices below each image, or below each stripe of each segment
    places: tuple[Place, ...]  # of the devices, the smallest first
    images: int  # of RAID types; else the stripes; 1: linear

    @property
    def level(self) -> str:
        """Its type."""
        return self.volume.type

    @property
    def redundant(self) -> bool:
        """Whether its type has redundancy."""
        return LEVELS[self.level].redundant

    @property
    def data(self) -> int:
        """Images' worth of data."""
        return 1 if self.level == "linear" else data_stripes(self.level, self.images)

    @property
    def image(self) -> int:
        """Extents of each image."""
        return self.volume.size_bytes // (self.group.extent_bytes * self.data)

    @property
    def spans(self) -> bool:
        """Whether an image, or a column of stripes, is on several disks."""
        return self.level != "linear" and (
            len(self.legs) > self.images or any(len(leg) > 1 for leg in self.legs)
        )

    def size(self, image: int) -> int:
        """The bytes of the volume with images of ``image`` extents."""
        return image * self.data * self.group.extent_bytes


def volume_of(unit: Unit, machine: Machine) -> Volume:
    """What of ``unit`` matters for growing.

    Raises:
        Refused: it cannot grow now, or raidtui does not know how.
    """
    name = harmless(unit.name)
    if (found := group_in(unit, machine)) is None:
        raise Refused(f"LVM does not report the volume group {name}")
    reading, group = found
    known = reading.known
    volume, devices = main_volume(group, known), known.devices_of(group)
    if why := _why_not_now(unit, group, volume, reading.known) or doubtful(group, known.groups, machine):
        raise Refused(why)
    if whose := others(group, reading):
        raise Refused(f"it is {whose}")
    assert volume is not None, "it would not have passed"
    stripes = {one.stripes for one in volume.segments}
    places = sorted(
        places_at((one.path for one in devices), machine), key=lambda one: (one.size_bytes, one.path)
    )
    if len(places) != len(devices):
        raise Refused("not every physical volume is on a disk of this computer")
    if len({one.disk.key for one in places}) != len(places):
        raise Refused("two of its physical volumes are on one disk, so that LVM may put two images there")
    if volume.type != "linear" and len(stripes) != 1:
        raise Refused("its segments differ in their number of stripes: extend it with lvextend(8)")
    return Volume(
        group=group,
        volume=volume,
        devices=devices,
        legs=known.legs(volume),
        places=tuple(places),
        images=1 if volume.type == "linear" else volume.segments[0].stripes,
    )


def _why_not_now(unit: Unit, group: VolumeGroup, volume: LogicalVolume | None, known: Reading) -> str:
    count = len(known.of(group))
    if volume is None or count != 1:
        return f"it has {count_of(count, 'volume')}: extend the one that needs it with lvextend(8)"
    if volume.type not in LEVELS:
        return f"raidtui does not extend the type {harmless(volume.type)}"
    if known.half_made(volume):
        return "its volume is half made: lvcreate or lvconvert was interrupted"
    if unit.activity is not None:
        return f"it is busy: {busy_words(unit.activity)}"
    if not volume.active:
        return "it is not active"
    if group.missing:
        return f"it lacks {count_of(group.missing, 'disk')}: replace what is missing first"
    if unit.health is not Health.OK:
        return f"it is not in order: {harmless(unit.state)}"
    return ""


def shapes_of(unit: Unit, machine: Machine) -> Iterator[Shape]:
    """The rows of the table: today, what is possible with the free disks, and what is not done."""
    level, images = unit.level, unit.raid_disks
    yield _shape(level, "today", images, unit.size_bytes)
    try:
        found = volume_of(unit, machine)
    except Refused as error:
        for change in ("more disks", "larger members"):
            yield refused(level, change, images, str(error))
    else:
        if found.level == "raid1":
            yield _copy(unit, found, machine)
        yield from _space(unit, found, machine)
        yield _larger(unit, found)
    yield from _never(level, images)


def counts(found: Volume) -> tuple[int, ...]:
    """By how many disks at once the space of a volume grows."""
    return tuple(range(1, MOST_ADDED + 1)) if found.level == "linear" else (found.images,)


def like(found: Volume, new: Sequence[Disk]) -> tuple[Place, ...]:
    """The places of its members, which a new one is like. The member of a linear volume takes the whole of its disk."""
    first = found.places[0]
    if found.level != "linear" or first.part is None or not new:
        return found.places
    part = first.part
    size = min(usable_end(disk) for disk in new) - part.start_bytes
    wider = replace(part, size_bytes=size)
    return (Place(first.disk, wider), *found.places[1:])


def new_extents(found: Volume, disk: Disk, places: Sequence[Place]) -> int:
    """The extents that a new disk has: in a partition like the first of ``places``, or as a whole."""
    part = places[0].part
    return _extents(disk.size_bytes if part is None else part.size_bytes, found.group)


def least_member(found: Volume) -> int:
    """The bytes of a new member that is a whole disk, at least; of a linear volume a hundredth of the smallest one."""
    smallest = min(one.size_bytes + one.data_start_bytes for one in found.devices)
    return smallest // 100 if found.level == "linear" else smallest


def size_with(found: Volume, new: Sequence[Disk]) -> int:
    """The bytes of the volume with the space of these disks."""
    places = like(found, new)
    each = [new_extents(found, disk, places) for disk in new]
    return found.size(found.image + (sum(each) if found.level == "linear" else min(each)))


def largest(found: Volume) -> int:
    """The bytes of the volume if its members take what is free behind them; what it has if the gain is below a hundredth."""
    rooms = [_extents(member_bytes(one), found.group) for one in found.places]
    if found.level == "linear":
        most = sum(rooms)
    else:
        most = min(rooms)
        most -= metadata_extents(most * found.group.extent_bytes) if found.redundant else 0
    size = found.size(most)
    now = found.volume.size_bytes
    return size if size - now >= now // 100 else now


def why_not_larger(found: Volume) -> str:
    """Why the members are never enlarged; empty if they are."""
    if found.spans:
        return "each of its images is on several disks, and enlarging these has not been measured"
    if found.group.free_bytes and found.redundant and len(found.devices) > found.images:
        return "its group has disks that the volume does not use"
    return ""


def _extents(size: int, group: VolumeGroup) -> int:
    return max(0, size - first_extent()) // group.extent_bytes


def _copy(unit: Unit, found: Volume, machine: Machine) -> Shape:
    change, images = "+1 disk", found.images
    if images + 1 > MOST_IMAGES["raid1"]:
        return refused("raid1", change, images, f"LVM takes at most {MOST_IMAGES['raid1']} images")
    if found.spans:
        return refused(
            "raid1", change, images, "its images are on several disks, so that no disk like one holds a copy"
        )
    disks = fitting(found.places, least_member(found), machine)
    return _reachable(
        unit,
        found,
        change,
        images + 1,
        found.volume.size_bytes,
        1,
        disks,
        way=Way.COPY,
        moved_bytes=found.image * found.group.extent_bytes,
        risk="none: the images that it has stay as they are",
        undo="until the new disk is in the group; the copy can be removed later with lvconvert(8)",
    )


def _space(unit: Unit, found: Volume, machine: Machine) -> Iterator[Shape]:
    """By one further disk for each image or stripe; of a linear volume, by any number."""
    disks = fitting(
        found.places[:1] if found.level != "linear" else _small(found), least_member(found), machine
    )
    for count in counts(found):
        if count > 1 and found.level == "linear" and len(disks) < count:
            return
        chosen = disks[:count] if len(disks) >= count else ()
        size = size_with(found, chosen) if chosen else 0
        if not chosen and found.level != "linear":
            first = found.places[0]
            size = found.size(found.image + _extents(first.size_bytes, found.group))
        risk = _APPENDED
        if found.redundant:
            risk = (
                f"nothing moves, but each of the {found.images} images is on one disk more then. LVM rebuilds an image as a whole: "
                "a disk that fails is replaced by one as large as all disks of its image"
            )
        elif found.level != "linear":
            risk = "nothing moves: old data stays on the old disks, with their speed"
        yield _reachable(
            unit,
            found,
            f"+{count_of(count, 'disk')}",
            found.images if found.redundant else len(found.devices) + count,
            size,
            count,
            disks,
            way=Way.SYNC,
            moved_bytes=(size - found.volume.size_bytes) // found.data if found.redundant and size else 0,
            risk=risk,
            undo=_UNTIL,
        )


def _small(found: Volume) -> tuple[Place, ...]:
    """Places that any disk has: for a linear volume, which takes disks of any size."""
    first = found.places[0]
    return (Place(first.disk, None), *found.places[1:])


def _larger(unit: Unit, found: Volume) -> Shape:
    change, legs = "larger members", found.images if found.redundant else len(found.devices)
    if why := why_not_larger(found):
        return refused(found.level, change, legs, why)
    size = largest(found)
    gains = size > found.volume.size_bytes
    small = min(found.places, key=lambda place: (member_bytes(place), place.path))
    each = (size - found.volume.size_bytes) // found.data
    return _shape(
        found.level,
        change,
        legs,
        size,
        way=Way.SYNC,
        moved_bytes=each if found.redundant else 0,
        checked_bytes=size // found.data if found.redundant else 0,
        risk="none for what is there: the new space is synced",
        reserve_bytes=reserve_taken(found.places) if gains else 0,
        needs=""
        if gains
        else f"every member on a larger disk: replace one after the other (raidtui replace). The smallest is {harmless(small.disk.identity)}"
        if found.redundant
        else "members on larger disks",
        undo=_UNTIL,
        procedure=Grow(unit=unit.uuid, to_largest=True) if gains else None,
    )


def _never(level: str, images: int) -> Iterator[Shape]:
    rows: list[tuple[str, str]] = []
    if level == "raid1":
        rows.append(("to RAID5", NOT_MEASURED))
    if parity_of(level):
        rows.append(("one more stripe", NOT_MEASURED))
    if level == "raid5":
        rows.append(("to RAID6", NOT_MEASURED))
    if level == "raid6":
        rows.append(("to RAID5", NOT_MEASURED))
    rows.append(
        ("fewer disks", "the filesystem would have to shrink first: copy the data to a smaller volume")
    )
    for change, why in rows:
        yield refused(level, change, images, why)


NOT_MEASURED: Final = "a power cut during this reshape has not been measured"


def _reachable(
    unit: Unit,
    found: Volume,
    change: str,
    members: int,
    size: int,
    count: int,
    disks: Sequence[Disk],
    **more: object,
) -> Shape:
    chosen = tuple(one.identity for one in disks[:count]) if len(disks) >= count else ()
    least = least_disk(found.places, least_member(found))
    what = "a free disk" if count == 1 else f"{count} free disks"
    size_words = "" if found.level == "linear" else f" of {decimal(least)} or more"
    return _shape(
        found.level,
        change,
        members,
        size,
        checked_bytes=size // found.data if found.redundant else 0,
        needs="" if chosen else f"{what}{size_words}",
        fits=tuple(one.identity for one in disks),
        add=chosen,
        procedure=Grow(unit=unit.uuid, add=chosen) if chosen else None,
        **more,
    )


def _shape(level: str, change: str, members: int, size: int, **more: object) -> Shape:
    known = level in LEVELS and LEVELS[level].redundant
    return Shape(
        change=change,
        level=level,
        members=members,
        unit_bytes=size,
        survives=guaranteed_failures(level, members, "n2") if known else 0,
        **more,  # type: ignore[arg-type]  # the optional fields
    )
