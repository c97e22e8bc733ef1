"""The visible volumes of a group, one or several: which have redundancy, which lack a disk, which are lost. Pure."""

from collections.abc import Iterable
from typing import Final

from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.running import activity_of
from raidtui.backends.lvm.status import FROZEN
from raidtui.backends.lvm.units import absent_legs, left_in, survives
from raidtui.model.md_levels import Left
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Activity

_MIRROR: Final = "mirror"

PARTIAL: Final = "partial"
"""LVM's word for a volume that lacks a disk; it activates only a RAID volume then (lvmraid(7), --activationmode)."""


def with_redundancy(group: VolumeGroup, known: Reading) -> tuple[LogicalVolume, ...]:
    """Those whose type has redundancy, and the hidden ones of such a type that a cache or a thin pool lies on."""
    return tuple(one for one in known.volumes if one.group == group.uuid and _is_redundant(one))


def _is_redundant(volume: LogicalVolume) -> bool:
    return volume.type in LEVELS and LEVELS[volume.type].redundant


def expected_of(volumes: Iterable[LogicalVolume], known: Reading) -> str:
    """What the conditions expect of these volumes in sync: "data:3 home:2", each with its number of legs."""
    return " ".join(f"{one.name}:{len(known.legs(one))}" for one in volumes)


def with_a_gap(group: VolumeGroup, known: Reading) -> tuple[LogicalVolume, ...]:
    """Those with redundancy that lack a disk, with the one first that another failure would take first."""
    gaps = [one for one in with_redundancy(group, known) if absent_legs(one, known)]
    return tuple(sorted(gaps, key=lambda one: left_without(one, known, absent_legs(one, known)).urgency))


def with_integrity(group: VolumeGroup, known: Reading) -> tuple[LogicalVolume, ...]:
    """Those that lack a disk and whose images have integrity: LVM activates none of them in a degraded mode."""
    images = {one.name for one in known.volumes if one.group == group.uuid and one.type == "integrity"}
    return tuple(
        one
        for one in with_a_gap(group, known)
        if any(f"{one.name}_rimage_{slot}" in images for slot in range(len(known.legs(one))))
    )


def lost_in(group: VolumeGroup, known: Reading) -> tuple[LogicalVolume, ...]:
    """The visible ones that cannot be read without the disks that are missing, or of which raidtui does not know."""
    dead = [
        one
        for one in with_a_gap(group, known)
        if len(absent_legs(one, known)) > survives(one.type, len(known.legs(one)))
    ]
    plain = [
        one
        for one in known.of(group)
        if one.type in LEVELS and not _is_redundant(one) and absent_legs(one, known)
    ]
    # A cache, a thin pool and what is in it: their segments do not name what they lie on, and LVM judges them. It calls
    # them partial also where only a mirror below them lacks a disk.
    images = _images((*with_redundancy(group, known), *plain))
    gone = dead or any(
        one.hidden
        and one.group == group.uuid
        and not one.name.startswith(images)
        and not one.is_pool_spare
        and any("" in segment.devices for segment in one.segments)
        for one in known.volumes
    )
    inside = [one for one in known.of(group) if one.health == PARTIAL and one.type not in LEVELS]
    return (*(one for one in dead if not one.hidden), *plain, *(inside if gone else ()))


def left_without(volume: LogicalVolume, known: Reading, gone: Iterable[int]) -> Left:
    """What one more failure does to a volume without the legs ``gone``."""
    legs, away = len(known.legs(volume)), set(gone)
    return left_in(volume.type, legs, [slot for slot in range(legs) if slot not in away])


def others_on(
    device: PhysicalVolume, volumes: Iterable[LogicalVolume], group: VolumeGroup, known: Reading
) -> tuple[str, ...]:
    """The names of what lies on a physical volume beside ``volumes`` and their parts."""
    volumes = tuple(volumes)
    names, images = {one.name for one in volumes}, _images(volumes)
    return tuple(
        one.name
        for one in known.volumes
        if one.group == group.uuid
        and one.name not in names
        and not one.is_pool_spare
        and not (one.hidden and one.name.startswith(images))
        and any(device.path in segment.devices for segment in one.segments)
    )


def _images(volumes: Iterable[LogicalVolume]) -> tuple[str, ...]:
    """How the names of the parts of RAID volumes begin."""
    return tuple(f"{one.name}_{part}_" for one in volumes for part in ("rimage", "rmeta"))


def pool_spare_on(path: str, group: VolumeGroup, known: Reading) -> str:
    """The name of the spare for the metadata of pools, if it is on this physical volume; an empty path: the missing one."""
    return next(
        (
            one.name
            for one in known.volumes
            if one.group == group.uuid
            and one.is_pool_spare
            and any(path in segment.devices for segment in one.segments)
        ),
        "",
    )


def busy_in(group: VolumeGroup, reading: LvmReading) -> Activity | None:
    """What the kernel does with one of them."""
    found = (activity_of(reading.status(group, one)) for one in reading.known.of(group))
    return next(filter(None, found), None)


def busy_words(doing: Activity) -> str:
    """What to do about it before anything else."""
    if doing.paused:
        return f"its {doing.what} is paused; let it run first (--do let-sync)"
    return f"{doing.what}. Wait until that ends"


def suspended_in(group: VolumeGroup, known: Reading) -> tuple[LogicalVolume, ...]:
    """Those whose reads and writes wait, since what suspended them was interrupted."""
    return tuple(one for one in known.of(group) if one.suspended)


def slowed_in(group: VolumeGroup, known: Reading) -> tuple[LogicalVolume, ...]:
    """Those whose own limit lets a sync hardly move."""
    return tuple(one for one in known.of(group) if one.slowed)


def held_in(group: VolumeGroup, reading: LvmReading) -> tuple[LogicalVolume, ...]:
    """Those of which the kernel starts no sync: they got dm-raid's message ``frozen``, which LVM itself takes back."""
    found = ((one, reading.status(group, one)) for one in reading.known.of(group))
    return tuple(one for one, status in found if status is not None and status.action == FROZEN)


def copied_here(lost: Iterable[LogicalVolume], known: Reading) -> tuple[LogicalVolume, ...]:
    """Those of LVM's older type of mirror with a whole copy here: LVM activates them only after they are repaired."""
    return tuple(one for one in lost if one.type == _MIRROR and any("" not in leg for leg in known.legs(one)))


def lost_words(group: VolumeGroup, lost: tuple[LogicalVolume, ...]) -> str:
    """What to do about volumes that are lost without the missing disk, before anything else is done to the group."""
    have, them = ("have", "them") if len(lost) > 1 else ("has", "it")
    connect, without = ("disks", "them") if group.missing > 1 else ("disk", "it")
    if unclear := [one for one in lost if one.type not in LEVELS]:
        return (
            f"connect the missing {connect}: LVM does not activate {names_of(group, unclear)} without {without}. What of it has a "
            "copy elsewhere is not known here, so remove nothing"
        )
    return (
        f"connect the missing {connect}: {names_of(group, lost)} {have} no copy without {without}. If that data is not needed, remove {them} with lvremove(8); then the disk can be "
        "replaced for the other volumes"
    )


def names_of(group: VolumeGroup, volumes: Iterable[LogicalVolume]) -> str:
    """Volumes in a sentence: "tank/home and tank/data"."""
    return listed([f"{harmless(group.name)}/{harmless(one.name)}" for one in volumes])
