"""Multi-device Btrfs filesystems as units: state, members and activity. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from raidtui.backends.btrfs import chunks
from raidtui.backends.btrfs.chunks import readable
from raidtui.backends.btrfs.kernel import Running
from raidtui.backends.btrfs.reading import BtrfsReading, Device, Filesystem, reading_in
from raidtui.backends.btrfs.signs import TYPE
from raidtui.backends.btrfs.space import PROFILES, STRIPE_UNIT, btrfs_space, metadata_of
from raidtui.backends.unit_words import progress_words, state_words
from raidtui.model.errors import CannotBuild
from raidtui.model.machine import Machine, Mount
from raidtui.model.md_levels import Left, left_of
from raidtui.model.result import MeasuredUnit, measured_as
from raidtui.model.spec import Backend
from raidtui.model.text import count_of, listed
from raidtui.model.unit import ALIKE, REDUNDANCY_UNKNOWN, Activity, Health, Limits, Unit, UnitMember
from raidtui.steps.footprint import Footprint, deepest_first

BY_UUID: Final = "/dev/disk/by-uuid/"
_STRIPED: Final = frozenset({"raid0", "raid10", "raid5", "raid6"})


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every multi-device Btrfs of ``machine``."""
    reading = reading_in(machine)
    if reading is None:
        return ()
    disks = {path: disk.identity for disk in machine.disks for path in disk.every_path}
    return units_in(reading, disks=disks, mounts=machine.mounts)


def units_in(
    reading: BtrfsReading, *, disks: Mapping[str, str] | None = None, mounts: Sequence[Mount] = ()
) -> tuple[Unit, ...]:
    """Every filesystem of a reading; ``disks``: disk identities by path."""
    return tuple(_unit(one, mounts, disks or {}) for one in reading.filesystems)


def mountpoints(filesystem: Filesystem, mounts: Sequence[Mount]) -> tuple[str, ...]:
    """Where it or a subvolume of it is mounted, deepest first."""
    members = frozenset({filesystem.node, *(device.path for device in filesystem.devices)} - {""})
    own = Footprint(nodes=members, links=frozenset(filesystem.sources))
    return deepest_first([mount for mount in mounts if mount.type in {TYPE, ""} and own.owns(mount)])


def measured(unit: Unit, machine: Machine) -> MeasuredUnit:
    """What a benchmark result records about a filesystem."""
    reading = reading_in(machine)
    assert reading is not None, "the unit is one of this reading"
    found = next(one for one in reading.filesystems if one.uuid == unit.uuid)
    return replace(
        measured_as(unit),
        metadata="+".join(found.metadata),
        checksum=found.checksum,
        degraded=len(found.missing),
    )


def _unit(found: Filesystem, mounts: Sequence[Mount], disks: Mapping[str, str]) -> Unit:
    health, state = _health(found)
    level = "+".join(found.data)
    return Unit(
        backend=Backend.BTRFS,
        name=found.label or found.uuid,
        uuid=found.uuid,
        marks=(found.uuid,),
        level=level,
        size_bytes=_size(level, found.metadata, tuple(device.size_bytes for device in found.devices)),
        raid_disks=len(found.devices),
        chunk_bytes=STRIPE_UNIT if level in _STRIPED else 0,
        path=f"{BY_UUID}{found.uuid}",
        node=found.node,
        health=health,
        state=state,
        members=tuple(one for device in found.devices for one in _members(device, found, disks)),
        activity=_activity(found.running),
        limits=_limits(found),
        scrubbed=found.scrub.words if found.scrub and not found.running else "",
        scrub_found=found.scrub.errors
        if found.scrub and found.scrub.whole and found.scrub.counted and not found.running
        else None,
        resumable="scrub" if found.scrub and not found.scrub.whole and not found.running else "",
        mountpoints=mountpoints(found, mounts),
    )


@lru_cache(maxsize=64)
def _size(level: str, metadata: tuple[str, ...], sizes: tuple[int, ...]) -> int:
    """The capacity of a new filesystem on such devices; 0 if its profile is unknown or it has several."""
    try:
        return btrfs_space(level, sizes, metadata=metadata[0] if metadata else "").data_bytes
    except CannotBuild:
        return 0


def _health(found: Filesystem) -> tuple[Health, str]:
    """The health, and the state in words, the gravest first."""
    gone, count, doing = found.missing, len(found.devices), _activity(found.running)
    which = ", ".join(str(device.devid) for device in gone if device.devid) or "unknown"
    missing = f"{len(gone)} of {count} disks missing (devid {which})" if gone else ""
    if gone and is_lost(found):
        return Health.FAILED, f"FAILED: {missing}"
    if not found.node:
        old = [device for device in found.devices if device.behind]
        stale = f", {count_of(old, 'disk')} out of date" if old else ""
        seeds = [device for device in found.devices if device.seed]
        certain = all(device.size_bytes for device in seeds)  # its trees say so
        on = f"grown from the seed on {', '.join(device.seed for device in seeds)}"
        grown = f", {on if certain else f'perhaps {on}'}" if seeds else ""
        apart = ", disks used without each other" if found.apart else ""
        copied = f", a replacement by {found.target} has not ended" if found.target else ""
        copied = (
            ", a replacement has not ended, and its new disk is not here" if found.target_gone else copied
        )
        return Health.INACTIVE, (
            f"{missing}, not mounted" if gone else "not mounted"
        ) + grown + stale + apart + copied + _older(found)
    if gone:
        return Health.DEGRADED, state_words(f"{left_in(found)}: {missing}", doing)
    if (doing is None or doing.is_scrub) and (wrong := mixed(found)):
        return Health.DEGRADED, state_words(f"{Left.NOTHING}: {listed(wrong)}", doing)
    if cloned := [device for device in found.devices if device.alike]:
        those = ", ".join(str(device.devid) for device in cloned)
        return Health.ERRORS, state_words(
            f"mounted, but another disk has the superblock of devid {those}{_older(found)}", doing
        )
    if found.errors:
        those = "; ".join(f"devid {device.devid}: {error_words(device)}" for device in found.errors)
        return Health.ERRORS, state_words(f"device errors: {those}", doing)
    if doing is not None and doing.what == "replace":
        gone_too = ", and its new disk is not here" if found.target_gone else ""
        return Health.DEGRADED, f"a disk is being replaced: {progress_words(doing)}{gone_too}"
    if doing is not None and doing.is_scrub:
        return Health.SYNCING, f"{progress_words(doing)}, usable now"
    if doing is not None:
        return Health.OK, state_words("mounted", doing)
    if found.unread:
        return Health.OK, f"mounted, {REDUNDANCY_UNKNOWN}: the state of its devices cannot be read"
    return Health.OK, "mounted, no redundancy" if _most_missing(found) == 0 else "mounted, no device errors"


def _older(found: Filesystem) -> str:
    """Which devices the kernel does not take, since another one has a newer superblock of the same devid."""
    return "".join(
        f"; the superblock of devid {device.devid} on {listed(device.older)} is older"
        for device in found.devices
        if device.older
    )


def _most_missing(found: Filesystem) -> int | None:
    """How many devices may be missing for certain: the minimum over its profiles; None: unknown."""
    profiles = [PROFILES[name] for name in (*found.data, *found.metadata) if name in PROFILES]
    return min((one.survives for one in profiles), default=None)


def is_lost(found: Filesystem) -> bool:
    """Whether it has data that cannot be read without its missing devices."""
    if found.chunks:
        return not readable(found.chunks, _here(found))
    most = _most_missing(found)
    return most is not None and len(found.missing) > most


def lacks_newest(found: Filesystem) -> bool:
    """Whether what was written without the devices that are out of date is nowhere else, in all its chunks of some kind.

    Chunks that only a mount without them made have no copy on them, and lose nothing.
    """
    behind = {one.devid for one in found.devices if one.behind}
    if found.chunks:
        return not readable(found.chunks, _here(found) - behind)
    kinds = (found.data, found.metadata)
    return any(kind and all(_survives(one) < len(behind) for one in kind) for kind in kinds)


def left_in(found: Filesystem) -> Left:
    """What one more failure does to a filesystem with missing devices."""
    if found.chunks:
        return chunks.left_in(found.chunks, _here(found))
    most = _most_missing(found)
    return Left.CHANCE if most is None else left_of(most - len(found.missing))


def _here(found: Filesystem) -> frozenset[int]:
    return frozenset(one.devid for one in found.devices if not one.missing)


def _strongest(profiles: Sequence[str]) -> str:
    """The profile of ``profiles`` that survives the most; empty if none is known."""
    known = [name for name in profiles if name in PROFILES]
    return max(known, key=lambda name: PROFILES[name].survives, default="")


def wanted(found: Filesystem) -> tuple[str, str]:
    """The profiles that its data, and its metadata and system chunks, should have; empty if not known.

    Redundant data is lost with metadata that is not: then it should have what mkfs.btrfs takes for such data.
    """
    data, metadata = _strongest(found.data), _strongest((*found.metadata, *found.system))
    unlike = found.metadata and _survives(data) and not _survives(metadata)
    return data, metadata_of(data) if unlike else metadata


def _survives(profile: str) -> int:
    """How many disks may fail; 0 for one that is not known, such as dup."""
    return PROFILES[profile].survives if profile in PROFILES else 0


def mixed(found: Filesystem) -> tuple[str, ...]:
    """The kinds of chunks that are not all redundant though some chunks are, in words.

    Writing to a degraded mount, and btrfs-replace(8) itself, leave chunks without a copy behind. Of a filesystem that
    had one disk, the metadata stays as it was when only its data is converted.
    """
    data, metadata = wanted(found)
    weak: dict[str, list[str]] = {}  # kinds, by what is said of their chunks
    for kind, profiles, best in (
        ("data", found.data, data),
        ("metadata", found.metadata, metadata),
        ("system", found.system, metadata),
    ):
        alone = [one for one in profiles if not _survives(one)]
        if alone and _survives(best):
            unlike = not any(map(_survives, (*found.metadata, *found.system))) and kind != "data"
            beside = f"{data} data" if unlike else best
            weak.setdefault(f"{'+'.join(alone)} beside {beside}", []).append(kind)
    return tuple(f"{listed(kinds)} chunks are {words}" for words, kinds in weak.items())


def error_words(device: Device) -> str:
    """The error counts of a device: ``3 write, 12 corruption errors``."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in device.errors.items())
    return f"{kinds} {'error' if sum(device.errors.values()) == 1 else 'errors'}"


def _members(device: Device, found: Filesystem, disks: Mapping[str, str]) -> Iterator[UnitMember]:
    state = "in use" if found.node else "not mounted"
    if device.missing:
        state = "missing"
    elif device.seed:
        state = "not mounted, seed"
    elif device.errors:
        state = error_words(device)
    elif device.behind:
        state += ", out of date"
    slot = device.devid or None
    path = device.path or device.seed
    yield UnitMember(path=path, disk=disks.get(path, ""), slot=slot, state=state)
    for path in device.alike:
        yield UnitMember(path=path, disk=disks.get(path, ""), slot=slot, state=ALIKE)


def _limits(found: Filesystem) -> Limits | None:
    if found.scrub_limit is None:
        return None
    return Limits(most=found.scrub_limit or None, own=bool(found.scrub_limit), most_alone=True)


def _activity(running: Running | None) -> Activity | None:
    if running is None:
        return None
    return Activity(
        what=running.what,
        fraction=running.fraction or 0.0,
        done_bytes=running.done_bytes,
        total_bytes=running.total_bytes,
        paused=running.paused,
        waiting="" if running.fraction is not None or running.paused else "is running",
    )
