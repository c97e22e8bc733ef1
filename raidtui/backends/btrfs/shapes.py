"""What a Btrfs can become: with further devices, larger ones, or another profile. Pure.

Btrfs copies what it moves before it forgets the old place, and its balance resumes by itself after a power cut. Parity is the
exception: a power cut may leave stripes that are wrong, so its profiles are neither grown nor made.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.space import METADATA, PROFILES, btrfs_space, metadata_of
from raidtui.backends.btrfs.units import is_lost, mixed
from raidtui.backends.care import Place, places_at
from raidtui.backends.growing import Shape, Way, refused
from raidtui.backends.room import fitting, least_disk, member_bytes, reserve_taken
from raidtui.model.errors import CannotBuild, Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.procedure import Grow
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Unit
from raidtui.model.units import GIB, MIB, both, decimal

MOST_ADDED: Final = 4  # rows of the table
_DUP: Final = "dup"  # two copies on one device
_LEAST: Final = 256 * MIB  # of a device
_PARITY: Final = (
    "a power cut can damage data and parity of Btrfs (its write hole), and a balance writes all of them"
)
_MOVED: Final = "chunks are copied to their new place before the old one is free; a power cut is survived, and the balance resumes"
_ADDED: Final = "until the device is added; afterwards btrfs device remove takes hours"
_TAKES_DISKS: Final = frozenset({"single", "raid1", "raid1c3", "raid10"})  # measured
_CONVERTED: Final = frozenset({("raid1", "raid1c3"), ("raid1", "raid10"), ("single", "raid1")})  # measured
_LEAST_RAID10: Final = 4  # devices, before Linux 5.15; a conversion on fewer was not measured
_RESERVE: Final = 10  # parts; one of them stays free during a conversion


class Found(Record, frozen=True, kw_only=True):
    """A mounted filesystem, as far as growing is concerned."""

    filesystem: Filesystem
    profile: str
    metadata: str
    place: str  # a mount point
    places: tuple[Place, ...]  # of its devices, the smallest first

    @property
    def sizes(self) -> tuple[int, ...]:
        """The bytes of its devices, by devid."""
        return tuple(one.size_bytes for one in self.filesystem.devices)


def find(unit: Unit, machine: Machine) -> Found:
    """What of ``unit`` matters for growing. Raises Refused: it cannot grow now."""
    reading = reading_in(machine)
    found = reading.find(unit.uuid) if reading is not None else None
    if found is None:
        raise Refused("the filesystem could not be read")
    if why := _why_not_now(found, unit):
        raise Refused(why)
    here = (one.path for one in found.devices)
    places = sorted(places_at(here, machine), key=lambda one: (one.size_bytes, one.path))
    if len(places) != len(found.devices):
        raise Refused("not every device is on a disk of this computer")
    if any("ro" in one.options.split(",") for one in machine.mounts if one.target == unit.mountpoints[-1]):
        raise Refused("it is mounted read-only")
    return Found(
        filesystem=found,
        profile=found.data[0],
        metadata=found.metadata[0],
        place=unit.mountpoints[-1],
        places=tuple(places),
    )


def _why_not_now(found: Filesystem, unit: Unit) -> str:
    if is_lost(found) or found.missing:
        return f"it lacks {count_of(found.missing, 'device')}: replace what is missing first"
    if not found.node or not unit.mountpoints:
        return "it is not mounted: mount it first, for it grows while it is mounted"
    if found.running is not None:
        paused = " paused: resume it first" if found.running.paused else ""
        return f"it is busy: {found.running.what}{paused or '. Wait until that ends'}"
    if found.unread:
        return "the state of its devices could not be read"
    if any(one.alike for one in found.devices):
        return "another disk has the superblock of one of its devices: disconnect that first"
    if found.errors:
        return "errors are counted on its devices: scrub it first"
    if mixed(found) or len(found.data) != 1 or len(found.metadata) != 1:
        return "its chunks have several profiles: convert them to one first, with the filters convert and soft (btrfs-balance(8))"
    if found.data[0] not in PROFILES or found.metadata[0] not in PROFILES:
        return f"raidtui does not grow the profile {harmless(found.data[0])}"
    if found.metadata[0] not in METADATA:
        return f"its metadata is {found.metadata[0]}: convert it to RAID1 first"
    if PROFILES[found.data[0]].parity or PROFILES[found.metadata[0]].parity:
        return _PARITY
    return ""


def shapes_of(unit: Unit, machine: Machine) -> Iterator[Shape]:
    """The rows of the table: today, what is possible with the free disks, and what is not done."""
    level, count = unit.level, unit.raid_disks
    reading = reading_in(machine)
    now = reading.find(unit.uuid) if reading is not None else None
    profiles = (*now.data, *now.metadata) if now is not None and now.data else ()
    yield Shape(
        change="today", level=level, members=count, unit_bytes=unit.size_bytes, survives=_survived(profiles)
    )
    try:
        found = find(unit, machine)
    except Refused as error:
        for change in ("more disks", "larger members", "another profile"):
            yield refused(level, change, count, str(error))
    else:
        yield from _more(unit, found, machine)
        yield _larger(unit, found)
        yield from _converted(unit, found)
    for name in ("raid5", "raid6"):
        if level != name:
            yield refused(level, f"to {name}", count, _PARITY)
    yield refused(level, "fewer disks", count, "not done by raidtui yet: btrfs device remove moves all of it")


def space(found: Found, sizes: Sequence[int], profile: str = "", metadata: str = "") -> int:
    """The capacity on devices of these sizes, in bytes; 0: it would not fit."""
    try:
        return btrfs_space(profile or found.profile, sizes, metadata=metadata or found.metadata).data_bytes
    except CannotBuild:
        return 0


def new_bytes(found: Found, disk: Disk) -> int:
    """The bytes of a new device, in a partition like that of the smallest, or on the whole disk."""
    part = found.places[0].part
    return disk.size_bytes if part is None else part.size_bytes


def larger_sizes(found: Found) -> tuple[int, ...]:
    """The bytes of its devices, by devid, if they take what is free behind them; of one that gains little, as it is."""
    by_path = {one.path: member_bytes(one) for one in found.places}
    wide = ((one.size_bytes, by_path.get(one.path, 0)) for one in found.filesystem.devices)
    return tuple(new if new - now >= now // 100 else now for now, new in wide)


def why_no_profile(found: Found, profile: str) -> str:
    """Why the chunks cannot get this profile; empty if they can."""
    if profile not in PROFILES or profile == found.profile:
        return "it is not another profile of Btrfs"
    if PROFILES[profile].parity:
        return _PARITY
    if PROFILES[profile].survives < PROFILES[found.profile].survives:
        return "it would survive fewer failures than today"
    if (found.profile, profile) not in _CONVERTED:
        return "not measured yet"
    least = max(PROFILES[profile].least, PROFILES[metadata_for(found, profile)].least)
    if profile == "raid10":
        least = max(least, _LEAST_RAID10)
    devices = found.filesystem.devices
    if len(devices) < least:
        return f"it takes at least {least} devices"
    most = space(found, found.sizes, profile, metadata_for(found, profile))
    held = sum(one.allocated_bytes for one in devices) // PROFILES[found.profile].copies
    if held > most * (_RESERVE - 1) // _RESERVE:
        return (
            f"its chunks hold up to {both(held)}, and {both(most)} would fit: delete data or add a disk first"
        )
    chunk = _chunk(found)
    free = sum(one.size_bytes - one.allocated_bytes > chunk for one in devices)
    if free < least:
        return f"only {count_of(free, 'device')} have {both(chunk)} that is in no chunk: balance it first"
    return ""


def why_no_disks(found: Found, added: int) -> str:
    """Why it cannot take ``added`` further disks; empty if it can."""
    if found.profile not in _TAKES_DISKS:
        return "not measured yet with its profile"
    if (fewest := fewest_added(found)) > added:
        chunk = both(_chunk(found))
        return (
            f"its devices are full, and so each copy of a chunk would not have {chunk} on a device of its own. The balance would end "
            f"with no space left, and the filesystem read-only. Add {count_of(fewest, 'disk')} at once; or delete data first, as "
            "chunks that become empty are freed"
        )
    return ""


def fewest_added(found: Found) -> int:
    """With how many further disks at least each copy of a new chunk has room on a device of its own.

    Measured on Linux 6.1: with fewer, a balance of a full filesystem ends in an aborted transaction, which makes it
    read-only, though the new disk is empty.
    """
    if found.profile == "single":
        return 1  # nothing is balanced
    free = (one.size_bytes - one.allocated_bytes for one in found.filesystem.devices)
    return max(1, _least(found) - sum(one > _chunk(found) for one in free))


def _least(found: Found) -> int:
    return max(PROFILES[found.profile].least, PROFILES[found.metadata].least)


def _chunk(found: Found) -> int:
    return min(GIB, sum(found.sizes) // 10)


def metadata_for(found: Found, profile: str) -> str:
    """The profile of the metadata: it survives as many failures as the data, and as today."""
    wanted = metadata_of(profile)
    return max((found.metadata, wanted), key=lambda name: PROFILES[name].survives)


def _more(unit: Unit, found: Found, machine: Machine) -> Iterator[Shape]:
    fewest = fewest_added(found)
    if why := why_no_disks(found, fewest):
        yield refused(found.profile, "more disks", len(found.sizes), why)
        return
    disks = fitting(found.places, _LEAST, machine)
    for count in range(1, max(fewest, min(len(disks), MOST_ADDED)) + 1):
        change = f"+{count_of(count, 'disk')}"
        if why := why_no_disks(found, count):
            yield refused(found.profile, change, len(found.sizes) + count, why)
            continue
        chosen = disks[:count] if len(disks) >= count else []
        sizes = [new_bytes(found, one) for one in chosen] or [found.places[0].size_bytes]
        size = space(found, (*found.sizes, *sizes))
        balanced = found.profile != "single"
        yield _shape(
            found.profile,
            found.metadata,
            change,
            len(found.sizes) + count,
            size,
            way=Way.COPY if balanced else Way.NOTHING,
            moved_bytes=max(one.allocated_bytes for one in found.filesystem.devices) if balanced else 0,
            checked_bytes=max(one.allocated_bytes for one in found.filesystem.devices),
            risk=_MOVED if balanced else "none, nothing moves",
            needs=""
            if chosen
            else f"{'a free disk' if count == 1 else count_of(count, 'free disk')} of {decimal(least_disk(found.places, _LEAST))} or more",
            undo=_ADDED,
            fits=tuple(one.identity for one in disks),
            add=tuple(one.identity for one in chosen),
            procedure=Grow(unit=unit.uuid, add=tuple(one.identity for one in chosen)) if chosen else None,
        )


def _larger(unit: Unit, found: Found) -> Shape:
    sizes = larger_sizes(found)
    size, now = space(found, sizes), space(found, found.sizes)
    gains = size > now
    small = found.places[0]
    return _shape(
        found.profile,
        found.metadata,
        "larger members",
        len(sizes),
        size if gains else unit.size_bytes,
        way=Way.NOTHING if not gains else Way.SYNC,
        risk="none, nothing moves",
        reserve_bytes=reserve_taken(found.places) if gains else 0,
        needs=""
        if gains
        else f"members on larger disks (raidtui replace). The smallest is {harmless(small.disk.identity)}",
        undo="until the devices are resized",
        procedure=Grow(unit=unit.uuid, to_largest=True) if gains else None,
    )


def _converted(unit: Unit, found: Found) -> Iterator[Shape]:
    count = len(found.sizes)
    for profile, known in PROFILES.items():
        if known.parity or profile == found.profile or known.survives < PROFILES[found.profile].survives:
            continue
        if not known.survives:
            continue
        change = f"to {profile}"
        if why := why_no_profile(found, profile):
            yield refused(found.profile, change, count, why)
            continue
        metadata = metadata_for(found, profile)
        moved = max(one.allocated_bytes for one in found.filesystem.devices)
        yield _shape(
            profile,
            metadata,
            change,
            count,
            space(found, found.sizes, profile, metadata),
            way=Way.COPY,
            moved_bytes=moved,
            checked_bytes=moved,
            risk=_MOVED,
            undo="at any time: stop it, and convert back",
            procedure=Grow(unit=unit.uuid, level=profile),
        )


def _survived(profiles: Sequence[str]) -> int | None:
    """The failures that chunks of all these profiles survive; None if that is not known."""
    if not profiles or not all(one in PROFILES or one == _DUP for one in profiles):
        return None
    return min(PROFILES[one].survives if one in PROFILES else 0 for one in profiles)


def _shape(level: str, metadata: str, change: str, members: int, size: int, **more: object) -> Shape:
    names = [one for one in (level, metadata) if one in PROFILES]
    return Shape(
        change=change,
        level=level,
        members=members,
        unit_bytes=size,
        survives=min((PROFILES[one].survives for one in names), default=0),
        **more,  # type: ignore[arg-type]  # the optional fields
    )
