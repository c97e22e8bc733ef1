"""Volume groups as units: state, members and activity. Pure."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.reading import LvmReading, reading_in, volumes_here
from raidtui.backends.lvm.refused import is_kept_down, is_unknown, kept_by_parts
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, Reading, VolumeGroup
from raidtui.backends.lvm.running import activity_of, of_older_mirror
from raidtui.backends.lvm.status import FROZEN, RaidStatus
from raidtui.backends.unit_words import progress_words, state_words
from raidtui.backends.urgency import WORST_FIRST
from raidtui.model.machine import Machine, Mount
from raidtui.model.md_levels import Left, left, may_lose, parity_of, raid10_layout, runs_with
from raidtui.model.result import MeasuredUnit, measured_as
from raidtui.model.spec import Backend
from raidtui.model.text import count_of, listed
from raidtui.model.unit import REDUNDANCY_UNKNOWN, Activity, Health, Limits, Noted, Unit, UnitMember
from raidtui.steps.footprint import Footprint, deepest_first

_MOVE: Final = re.compile(r"pvmove\d+")  # how LVM calls the mirror by which pvmove(8) moves a part
_PAIRS: Final = raid10_layout("n2")
ALONE: Final = "running, no redundancy"  # what is said of a volume without copies of its own
MARKED: Final = "marked missing by LVM"  # it is here again; LVM uses it only after vgextend --restoremissing

_LETTERS: Final = {"A": "in sync", "a": "not in sync yet", "D": "faulty", "-": "missing"}


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every volume group of ``machine`` on disks."""
    reading = reading_in(machine)
    if reading is None:
        return ()
    disks = {path: disk.identity for disk in machine.disks for path in disk.every_path}
    return units_in(reading, disks=disks, mounts=machine.mounts)


def units_in(
    reading: LvmReading, *, disks: Mapping[str, str] | None = None, mounts: Sequence[Mount] = ()
) -> tuple[Unit, ...]:
    """Every volume group of a reading that is on disks; ``disks``: disk identities by path."""
    known = reading.known
    on_disks = (group for group in known.groups if not known.on_arrays(group))
    return tuple(unit_of(group, reading, mounts, disks or {}) for group in on_disks)


def main_volume(group: VolumeGroup, known: Reading) -> LogicalVolume | None:
    """The main volume of a group: the one that raidtui makes, else the only one."""
    volumes = known.of(group)
    return next((one for one in volumes if one.name == VOLUME), volumes[0] if len(volumes) == 1 else None)


def clones_in(machine: Machine) -> dict[str, list[str]]:
    """The paths of the physical volumes that are here more than once, by UUID: LVM changes no group with one."""
    return {uuid: paths for uuid, paths in volumes_here(machine).items() if len(paths) > 1}


def cloned_groups(machine: Machine) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The UUIDs of groups with such a physical volume, each with its paths."""
    reading = reading_in(machine)
    owners = {one.uuid: one.group for one in reading.known.devices} if reading is not None else {}
    for uuid, paths in clones_in(machine).items():
        if owners.get(uuid):
            yield owners[uuid], tuple(paths)


def others(group: VolumeGroup, reading: LvmReading) -> str:
    """Who else owns a group, in words; empty if it is this computer's."""
    if group.lock_type:
        return f"shared by a cluster through {group.lock_type}"
    if group.system_id and group.system_id != reading.system_id:
        return f"of another system, {group.system_id}"
    return ""


def mountpoints(volume: LogicalVolume, mounts: Sequence[Mount]) -> tuple[str, ...]:
    """Where a volume is mounted, deepest first."""
    own = footprint_of([volume])
    return deepest_first([mount for mount in mounts if own.owns(mount)])


def footprint_of(volumes: Sequence[LogicalVolume]) -> Footprint:
    """Volumes by their nodes and by the paths that LVM gives them."""
    return Footprint(
        nodes=frozenset(filter(None, map(node_of, volumes))),
        numbers=frozenset(one.device_number for one in volumes if one.device_number),
        links=frozenset(path for one in volumes for path in (one.path, one.dm_path) if path),
    )


def unit_of(
    group: VolumeGroup,
    reading: LvmReading,
    mounts: Sequence[Mount],
    disks: Mapping[str, str],
) -> Unit:
    """A volume group as a unit, from LVM's reports alone."""
    known, volume = reading.known, main_volume(group, reading.known)
    status = reading.status(group, volume) if volume else None
    health, state = _health(group, volume, reading)
    volumes = known.of(group)
    statuses = [reading.status(group, one) for one in volumes]
    carrier = known.carrier(volume) if volume else None
    members = _members(group, carrier, reading.status(group, carrier) if carrier else None, reading, disks)
    return Unit(
        backend=Backend.LVM,
        name=group.name,
        uuid=group.uuid,
        marks=group.marks,
        level=volume.type if volume else "",
        size_bytes=volume.size_bytes if volume else sum(one.size_bytes for one in volumes),
        raid_disks=len({one.slot for one in members if one.slot is not None}),
        chunk_bytes=volume.segments[0].stripe_bytes if volume and volume.segments else 0,
        path=volume.path if volume else "",
        node=node_of(volume) if volume else "",
        health=health,
        state=state,
        members=members,
        activity=None
        if volume is not None and volume.suspended
        else activity_of(status) or _move_in(group, known),
        limits=_limits(volume) if volume and status else None,
        scrubbed=_scrubbed(status),
        scrub_found=status.mismatches if status is not None and status.action == "idle" else None,
        noted=Noted.HELD
        if any(
            status is not None and status.action == FROZEN and not one.suspended
            for one, status in zip(volumes, statuses, strict=True)
        )
        else Noted.SLOWED
        if any(one.slowed for one in volumes)
        else Noted.NOTHING,
        signatures=tuple(s for one in volumes for s in reading.signatures.get(one.uuid, ())),
        unread=next((reading.unread[one.uuid] for one in volumes if one.uuid in reading.unread), ""),
        mountpoints=tuple(place for one in volumes for place in mountpoints(one, mounts)),
        reading=status or UNSET,
    )


def node_of(volume: LogicalVolume) -> str:
    """The kernel's node of a volume, named by its minor number; empty while it is not active."""
    return (
        f"/dev/dm-{volume.device_number.partition(':')[2]}" if volume.active and volume.device_number else ""
    )


def measured(unit: Unit, machine: Machine) -> MeasuredUnit:
    """What a benchmark result records about a group."""
    reading = reading_in(machine)
    assert reading is not None, "the unit is one of this reading"
    group = next(one for one in reading.known.groups if one.uuid == unit.uuid)
    volume = main_volume(group, reading.known)
    segment = volume.segments[0] if volume and volume.segments else None
    status = reading.status(group, volume) if volume else None
    return replace(
        measured_as(unit),
        bitmap_chunk_bytes=segment.region_bytes or None if segment else None,
        mismatch_sectors=status.mismatches if status else None,
        degraded=len(status.dead) if status else None,
    )


def _health(group: VolumeGroup, main: LogicalVolume | None, reading: LvmReading) -> tuple[Health, str]:
    """The health of a group, which is that of its worst volume, and the state in words, the gravest first."""
    lacks = lacks_words(group, reading.known)
    gone = f": {lacks}" if lacks else ""
    if whose := others(group, reading):
        return Health.INACTIVE, f"{whose}{gone}"
    if group.exported:
        return Health.INACTIVE, f"exported, inactive{gone}"
    volumes = reading.known.of(group)
    if not volumes:
        return Health.INACTIVE, f"no logical volume{gone}"
    # A volume that is not active may be meant to be so, unless the unit is about it.
    kept = kept_by_parts(reading.known.volumes, group.uuid)
    judged = {
        one.name: _health_of(group, one, reading)
        for one in volumes
        if one is main
        or one.active
        or one.suspended
        or one.overflowed
        or is_unknown(one)
        or one.name in kept
        or is_kept_down(one, volumes)
    }
    worst = min(judged, key=lambda name: WORST_FIRST.index(judged[name][0]), default="")
    if main is not None and judged[worst][0] is judged[main.name][0]:
        return judged[main.name]
    if not worst and gone:
        return Health.INACTIVE, f"{count_of(volumes, 'logical volume')}, none active{gone}"
    if not worst or judged[worst][0] is Health.OK:
        return Health.ERRORS if gone else Health.OK, f"{count_of(volumes, 'logical volume')}{gone}"
    health, state = judged[worst]
    return health, f"{state} (logical volume {worst})"


def lacks_words(group: VolumeGroup, known: Reading) -> str:
    """The disks that a group lacks, in words; empty if it has all."""
    back = len(_marked(group, known))
    counts = ((group.missing - back, "missing"), (back, MARKED))
    return ", ".join(f"{count_of(count, 'disk')} {how}" for count, how in counts if count > 0)


def _marked(group: VolumeGroup, known: Reading) -> list[PhysicalVolume]:
    return [one for one in known.devices_of(group) if one.missing and one.path]


def _health_of(group: VolumeGroup, volume: LogicalVolume, reading: LvmReading) -> tuple[Health, str]:
    """The health of one logical volume, and its state in words."""
    known, status = reading.known, reading.status(group, volume)
    lacks = lacks_words(group, known)
    if known.half_made(volume):
        return Health.INACTIVE, "half made: lvcreate was interrupted"
    if volume.overflowed:
        return Health.ERRORS, "the snapshot was full, and cannot be read any more"
    if is_unknown(volume):
        used = any(one.active for one in known.of(group))
        return Health.ERRORS if used else Health.INACTIVE, f"LVM here does not know its type, {volume.type}"
    if is_kept_down(volume, known.of(group)):
        return Health.ERRORS, "thin pool not active"
    if not volume.active:
        how = "suspended: its reads and writes wait" if volume.suspended else "inactive"
        how = f"{how}, left out when its group is activated" if volume.left_inactive else how
        return Health.INACTIVE, f"{how}{lacks and f': {lacks}'}"
    if (carrier := known.carrier(volume)) is not volume:
        return _health_of(group, carrier, reading)
    legs, doing, absent = len(known.legs(volume)), activity_of(status), absent_legs(volume, known)
    dead = len(status.dead if status else absent)
    if dead and (split := split_off(volume, known)):
        return (
            Health.DEGRADED,
            f"{_left(volume, status, known)}: {listed([one.name for one in split])} split off",
        )
    if dead and (_plain(volume.type) or dead > survives(volume.type, legs)):
        return Health.FAILED, f"FAILED: {dead} of {legs} disks missing or faulty"
    if dead:
        how = f"{_left(volume, status, known)}: {dead} of {legs} disks missing or faulty"
        return Health.DEGRADED, state_words(how, doing)
    if status is None and volume.type.startswith("raid") and not _plain(volume.type):
        return Health.ERRORS, f"{REDUNDANCY_UNKNOWN}: the kernel's status of it cannot be read"
    if status is not None and not status.settled and not _plain(volume.type):
        return _syncing(volume, status)
    if (older := of_older_mirror(volume)) is not None:
        return older
    if absent and not _marked(group, known):
        # Nothing was read from or written to the disk since it left, so the kernel has not noticed.
        how = left_in(volume.type, legs, [slot for slot in range(legs) if slot not in absent])
        return Health.DEGRADED, f"{how}: {len(absent)} of {legs} disks missing or faulty"
    if status is not None and status.mismatches and not lacks:
        return Health.ERRORS, f"mismatches in {count_of(status.mismatches, 'sector')}; all disks in sync"
    alone = _plain(volume.type) or any(_plain(one.type) for one in known.inside(volume))
    well = ALONE if alone else "in sync" if status else "running"
    # Until a missing disk is back or removed, LVM refuses to change the group.
    troubles = ", ".join(filter(None, (lacks, volume.health)))
    return (Health.ERRORS, f"{well}, {troubles}") if troubles else (Health.OK, well)


def split_off(volume: LogicalVolume, known: Reading) -> tuple[LogicalVolume, ...]:
    """The images that were split off from a mirror and are tracked: --trackchanges in lvconvert(8)."""
    image = f"{volume.name}_rimage_"
    return tuple(
        one
        for one in known.volumes
        if one.group == volume.group and not one.hidden and one.name.startswith(image)
    )


def _syncing(volume: LogicalVolume, status: RaidStatus) -> tuple[Health, str]:
    doing = activity_of(status)
    far = progress_words(doing) if doing is not None else status.action
    if status.action == "recover":
        return Health.DEGRADED, f"degraded: {far}"
    if parity_of(volume.type) and "a" in status.letters:
        return Health.BUILDING, f"not redundant yet: a disk failure now loses data ({far})"
    return Health.SYNCING, f"{far}, usable now"


def _plain(level: str) -> bool:
    """Whether losing one leg loses the volume; False for types that raidtui does not make."""
    return level in LEVELS and not LEVELS[level].redundant


def survives(level: str, legs: int) -> int:
    """The most legs that may fail; for raid10 one of each pair."""
    sure = legs // 2 if level == "raid10" else may_lose(level, legs)
    return legs if sure is None else sure


def left_in(level: str, legs: int, working: Collection[int]) -> Left:
    """What one more failure does to a volume whose legs ``working`` are in sync. LVM's raid10 mirrors pairs."""
    return left(working, lambda some: runs_with(level, _PAIRS, legs, some))


def absent_legs(volume: LogicalVolume, known: Reading) -> list[int]:
    """The legs of a volume without a disk, as LVM knows them."""
    return [slot for slot, leg in enumerate(known.legs(volume)) if "" in leg]


def _left(volume: LogicalVolume, status: RaidStatus | None, known: Reading) -> Left:
    legs = known.legs(volume)
    if status is not None:
        working = [slot for slot, letter in enumerate(status.letters) if letter == "A"]
    else:
        working = [slot for slot, leg in enumerate(legs) if "" not in leg]
    return left_in(volume.type, len(legs), working)


def _members(
    group: VolumeGroup,
    volume: LogicalVolume | None,
    status: RaidStatus | None,
    reading: LvmReading,
    disks: Mapping[str, str],
) -> tuple[UnitMember, ...]:
    known = reading.known
    dead = {path for one in known.of(group) for path in _dead_paths(one, reading.status(group, one), known)}
    legs = known.legs(volume) if volume else ()
    slots = {path: slot for slot, leg in enumerate(legs) for path in leg if path}
    gaps = [slot for slot, leg in enumerate(legs) if "" in leg]
    # LVM does not say which missing device belongs in which gap, and they all look the same.
    places = iter(gaps if len(gaps) == sum(not one.path for one in known.devices_of(group)) else ())
    found = []
    for device in known.devices_of(group):
        slot = slots.get(device.path) if device.path else next(places, None)
        on_it = known.on_device(device)
        used = "in use" if any(one.active for one in on_it) else "not active" if on_it else "not used"
        state = used if device.path else "missing"
        if status and device.path and slot is not None and slot < len(status.letters):
            state = _LETTERS[status.letters[slot]]
        if device.path in dead:
            state = _LETTERS["D"]
        note = MARKED if device.path and device.missing else ""
        found.append(
            UnitMember(path=device.path, disk=disks.get(device.path, ""), slot=slot, state=state, note=note)
        )
    if not group.missing:  # what was on a disk that was removed from the group by force
        found += [UnitMember(path="", slot=slot, state="missing") for slot in gaps]
    return tuple(sorted(found, key=lambda one: (one.slot is None, one.slot or 0, one.path)))


def _dead_paths(volume: LogicalVolume, status: RaidStatus | None, known: Reading) -> Iterator[str]:
    """The physical volumes that are here and under a leg which the kernel does not use."""
    for slot, leg in enumerate(known.legs(volume)):
        if status is not None and slot in status.dead:
            yield from filter(None, leg)


def _limits(volume: LogicalVolume) -> Limits:
    """The speed limits of a volume; where it has none, the system's apply."""
    least, most = volume.least_rate or None, volume.most_rate or None
    return Limits(least=least, most=most, own=least is not None or most is not None)


def _scrubbed(status: RaidStatus | None) -> str:
    """The mismatches of the last check; the kernel does not record a check without any."""
    if status is None or not status.mismatches or status.action not in {"idle", ""}:
        return ""
    return f"last check: mismatches in {count_of(status.mismatches, 'sector')}"


def unfinished(group: VolumeGroup, known: Reading) -> list[LogicalVolume]:
    """The mirrors by which data of ``group`` is being moved, or was, until pvmove(8) was interrupted.

    Without the empty volume that pvmove removes last, which a power cut may leave.
    """
    return [
        one
        for one in known.volumes
        if one.group == group.uuid and one.hidden and _MOVE.fullmatch(one.name) and _has_data(one)
    ]


def _has_data(volume: LogicalVolume) -> bool:
    return not volume.segments or any(path for part in volume.segments for path in part.devices)


def _move_in(group: VolumeGroup, known: Reading) -> Activity | None:
    moves = unfinished(group, known)
    done = sum((one.sync_percent or 0.0) * one.size_bytes / 100 for one in moves)
    size = sum(one.size_bytes for one in moves)
    return (
        Activity(what="move", fraction=done / size, done_bytes=int(done), total_bytes=size) if size else None
    )
