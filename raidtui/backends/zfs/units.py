"""Pools as units: state, members and activity. Pure."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from raidtui.backends.unit_words import progress_words
from raidtui.backends.zfs.report import (
    DATA,
    NEEDED,
    SPARES,
    Dataset,
    Other,
    Pool,
    PoolReport,
    Scan,
    Status,
    Vdev,
    reading_in,
)
from raidtui.backends.zfs.running import activity
from raidtui.model.machine import Machine
from raidtui.model.md_levels import Left
from raidtui.model.result import MeasuredUnit, measured_as
from raidtui.model.spec import Backend
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import REDUNDANCY_UNKNOWN, Health, Unit, UnitMember
from raidtui.model.units import MIB, spell_size

_ONLINE: Final = "ONLINE"
_IN_USE: Final = frozenset({_ONLINE, "DEGRADED"})
_GONE: Final = frozenset({"FAULTED", "UNAVAIL", "SUSPENDED"})
_WORDS: Final = {
    "ONLINE": "online",
    "DEGRADED": "degraded",
    "FAULTED": "faulted",
    "OFFLINE": "offline",
    "REMOVED": "missing, removed",
    "UNAVAIL": "missing",
    "AVAIL": "spare",
}
_LACKS: Final = {
    "DEGRADED": "with too many errors",
    "FAULTED": "faulted",
    "OFFLINE": "offline",
    "REMOVED": "missing",
    "UNAVAIL": "missing",
    "": "of unknown state",
}
_BESIDE: Final = frozenset({SPARES, "cache"})  # a pool stays ONLINE without these
_USABLE: Final = frozenset({_ONLINE, "OFFLINE", "AVAIL", "INUSE"})
_KINDS: Final = re.compile(r"|mirror|raidz[123]?|draid[123]?(?::.*)?|replacing|spare")
# A pool without further datasets allocates less than this; more means stored data.
_EMPTY: Final = 16 * MIB


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every pool of ``machine``, including those not imported and those with only labels left."""
    report = reading_in(machine)
    if report is None:
        return ()
    disks = {path: disk.identity for disk in machine.disks for path in disk.every_path}
    partitions = {part.path: part.uuid for disk in machine.disks for part in disk.partitions if part.uuid}
    return units_in(report, disks=disks, partitions=partitions)


def units_in(
    report: PoolReport,
    *,
    disks: Mapping[str, str] | None = None,
    partitions: Mapping[str, str] | None = None,
) -> tuple[Unit, ...]:
    """Every pool.

    Args:
        disks: disk identities by path.
        partitions: partition UUIDs by path.
    """
    disks, partitions = disks or {}, partitions or {}
    return (
        *(_unit(pool, report, disks, partitions) for pool in report.pools),
        *(_other(one, disks, partitions) for one in report.others),
    )


def unknown(unit: Unit) -> str:
    """What of a pool could not be read: an imported one has disks, whether or not ``zpool status`` lists them."""
    if unit.members or unit.health is Health.INACTIVE:
        return ""
    return f"zpool does not list the disks of the pool {unit.name} ({unit.state})"


def measured(unit: Unit, machine: Machine) -> MeasuredUnit:
    """What a benchmark result records about a pool."""
    report = reading_in(machine)
    assert report is not None, "the unit is one of this reading"
    return replace(
        measured_as(unit),
        properties=_properties(unit, report),
    )


def _properties(unit: Unit, report: PoolReport) -> dict[str, str]:
    """The properties that affect a pool's speed, beside its disks: zpoolprops(7) and zfsprops(7)."""
    pool = report.with_guid(unit.uuid)
    if pool is None:
        return {}
    root = report.root(pool)
    found = {
        "version": report.version,
        "ashift": str(pool.ashift),
        "fragmentation": pool.fragmentation,
        "capacity": pool.capacity,
        "arc": spell_size(report.arc_bytes) if report.arc_bytes else "",
        "arc_max": spell_size(report.arc_most_bytes) if report.arc_most_bytes else "",
        **(root.properties if root else {}),
    }
    return {key: value for key, value in found.items() if value}


def half_made(pool: Pool, report: PoolReport) -> bool:
    """Whether the pool was created but its mark was not yet written, as after a power cut: no mark and no data."""
    return (
        report.root(pool) is not None  # every pool has one: else the list did not come
        and all(not one.plan for one in report.of(pool))
        and len(report.of(pool)) <= 1
        and not report.snapshots.get(pool.name)
        and pool.allocated_bytes < _EMPTY
    )


def stored(pool: Pool, report: PoolReport) -> str:
    """What a pool has beside its root dataset, in words: "3 datasets, 2 snapshots"; empty for nothing."""
    more = [one for one in report.of(pool) if one.name != pool.name]
    count = report.snapshots.get(pool.name, 0)
    found = (
        [count_of(more, "dataset")] if more else [],
        [count_of(count, "snapshot")] if count else [],
    )
    return ", ".join(word for words in found for word in words)


def _unit(pool: Pool, report: PoolReport, disks: Mapping[str, str], partitions: Mapping[str, str]) -> Unit:
    root = report.root(pool)
    health, state = _health(pool)
    members = _members(pool, disks)
    marks = [pool.guid, *([root.plan] if root is not None and root.plan else [])]
    if half_made(pool, report):
        marks += [partitions[leaf.path] for leaf in pool.status.leaves if leaf.path in partitions]
    return Unit(
        backend=Backend.ZFS,
        name=pool.name,
        uuid=pool.guid,
        marks=tuple(marks),
        level=pool.status.level,
        size_bytes=root.used_bytes + root.available_bytes if root else pool.size_bytes,
        raid_disks=sum(member.slot is not None for member in members),
        path=pool.name,
        node="",
        health=health,
        state=state,
        members=members,
        activity=activity(pool.status.scan, pool.status.expansion),
        scrubbed=_scrubbed(pool.status.scan),
        scrub_found=_found(pool.status.scan),
        mountpoints=_mountpoints(report.of(pool)),
    )


def _mountpoints(datasets: tuple[Dataset, ...]) -> tuple[str, ...]:
    """Where datasets are mounted, deepest first."""
    places = [one.mountpoint for one in datasets if one.mounted and one.mountpoint.startswith("/")]
    return tuple(sorted(places, key=lambda place: (-place.rstrip("/").count("/"), place)))


def _health(pool: Pool) -> tuple[Health, str]:
    """The health, and the state in words, the gravest first."""
    status, scan = pool.status, pool.status.scan
    errors = f", {status.errors}" if status.errors else ""
    which = f": {lacking}" if (lacking := _lacking(status)) else ""
    if status.state in _GONE:
        return Health.FAILED, f"FAILED, {status.state}{which}{errors}"
    if not any(one.section == DATA for one in status.leaves):
        health = Health.DEGRADED if status.state == "DEGRADED" else Health.ERRORS
        return health, f"{status.state.lower()}, its disks are not listed: {REDUNDANCY_UNKNOWN}{errors}"
    doing = activity(scan, status.expansion)
    far = progress_words(doing) if doing is not None else ""
    if status.state not in _IN_USE:
        return (
            Health.ERRORS,
            f"{harmless(status.state.lower()) or 'its state is not known'}: {REDUNDANCY_UNKNOWN}{errors}",
        )
    counted = sum(one.errors for one in status.leaves)
    above = sum(one.errors for one in status.vdevs if not one.leaf and one.depth == 0)
    if (counted or above) and not errors:
        of = "disks" if counted else "vdevs"
        errors = f", {count_of(counted or above, 'error')} of its {of} counted"
    data = any(one.section in NEEDED and one.state != _ONLINE for one in status.leaves)
    if (
        status.state != _ONLINE or data
    ):  # a pool that is online with a device that is not is unlikely, not well
        how = left_in(status) if data or not which else "degraded"
        return Health.DEGRADED, f"{how}{which}{far and f', {far}'}{errors}"
    if doing is not None:
        if doing.what == "resilver" and _replaces_only(status):
            return Health.SYNCING, f"a disk is being replaced: {far}, usable now{errors}"
        if doing.what == "resilver":
            return Health.DEGRADED, f"degraded: {far}{errors}"
        return Health.ERRORS if errors else Health.SYNCING, f"{far}, usable now{errors}"
    if any(one.section in NEEDED and "resilver" in one.note for one in status.leaves):
        return Health.DEGRADED, f"{left_in(status)}: a disk awaits its resilver{errors}"
    if errors:
        return Health.ERRORS, f"online{errors}"
    if unusable := [one for one in status.leaves if one.state not in _USABLE]:  # of caches, logs and spares
        words = ", ".join(
            f"{harmless(one.name)} ({one.section}) {_WORDS.get(one.state) or harmless(one.state.lower()) or 'of unknown state'}"
            for one in unusable
        )
        return Health.ERRORS, f"online, but {words}"
    if alone := status.alone:
        words = f"{listed([harmless(one.name) for one in alone])} {'is' if len(alone) == 1 else 'are'}"
        return Health.DEGRADED, f"{left_in(status)}: {words} without a copy"
    if odd := [kind for kind, _ in _tops(status) if _KINDS.fullmatch(kind) is None]:
        return (
            Health.ERRORS,
            f"online, but what {harmless(odd[0])} survives is not known: {REDUNDANCY_UNKNOWN}",
        )
    left = _each_left(status)
    redundant = left and min(left) > 0
    return Health.OK, f"online{'' if redundant else ', no redundancy'}"


def _lacking(status: Status) -> str:
    """What is not online, in words: "1 disk missing, 2 disks with too many errors"; empty for nothing."""
    slots = {id(vdev): slot for vdev, slot in status.slots()}
    found: dict[tuple[str, int], str] = {}  # one of each slot, which a device and its replacement share
    for one in status.leaves:
        if one.section not in _BESIDE and one.state != _ONLINE:
            slot = slots[id(one)]
            place = (one.section, id(one) if slot is None else slot)
            of = f"of {one.section} " if one.section else ""
            found.setdefault(place, of + _LACKS.get(one.state, one.state.lower()))
    return ", ".join(f"{count_of(count, 'disk')} {what}" for what, count in Counter(found.values()).items())


def left_in(status: Status) -> Left:
    """What one more failure does to a pool."""
    left = _each_left(status)
    if not left or all(one <= 0 for one in left):
        return Left.NOTHING
    return Left.SOME if min(left) > 0 else Left.CHANCE


def _each_left(status: Status) -> list[int]:
    """How many more devices each top-level vdev may lose. A pool needs all of them, those of metadata too."""
    return [_left_of(kind, leaves, status) for kind, leaves in _tops(status)]


def _left_of(kind: str, leaves: list[Vdev], status: Status) -> int:
    """How many more of these devices of a top-level vdev may be lost."""
    slots = {id(vdev): slot for vdev, slot in status.slots()}
    scan = status.scan
    # Its note comes only when something was written to it.
    resilvers = scan is not None and scan.running and scan.what == "resilver"
    unfinished = [new for _, new in status.newcomers] if resilvers else []
    places: dict[int, list[bool]] = {}
    for one in leaves:
        slot = slots.get(id(one))  # none below a vdev of metadata
        place = id(one) if slot is None else slot
        whole = one.state == _ONLINE and "resilver" not in one.note and one not in unfinished
        places.setdefault(place, []).append(whole)
    failed = sum(not any(some) for some in places.values())
    return (len(places) - 1 if kind == "mirror" else _parity(kind)) - failed


def left_beside(vdev: Vdev, status: Status) -> int:
    """How many more devices the top-level vdev that ``vdev`` is in may lose."""
    return next((_left_of(kind, some, status) for kind, some in _tops(status) if vdev in some), 0)


def _tops(status: Status) -> list[tuple[str, list[Vdev]]]:
    """The type and the devices of each top-level vdev that the pool cannot do without."""
    found: list[tuple[str, list[Vdev]]] = []
    for vdev in status.vdevs:
        if vdev.section in NEEDED:
            if vdev.depth == 0:
                found.append(("" if vdev.leaf else vdev.name.partition("-")[0], []))
            if vdev.leaf and found:
                found[-1][1].append(vdev)
    return found


def mates_of(vdev: Vdev, status: Status) -> list[Vdev]:
    """The devices of the top-level vdev that ``vdev`` is in, itself included; none if it holds no data."""
    return next((some for _, some in _tops(status) if vdev in some), [])


def _parity(kind: str) -> int:
    """The parity of ``raidz2`` or ``draid1:4d:8c:1s``; 0 for anything else."""
    match = re.match(r"(?:raidz|draid)(\d?)", kind)
    return int(match[1] or 1) if match else 0


def _replaces_only(status: Status) -> bool:
    """Whether every resilvering disk replaces one that still works, so that no redundancy is missing."""
    places: dict[int, list[bool]] = {}
    for vdev, slot in status.slots():
        if slot is not None:
            places.setdefault(slot, []).append(vdev.state == _ONLINE and "resilver" not in vdev.note)
    return all(map(any, places.values())) and any(len(disks) > 1 for disks in places.values())


_ERRORS: Final = re.compile(r" with (\d+) errors")


def _found(scan: Scan | None) -> int | None:
    """The errors of the last scrub that ran to its end."""
    if scan is None or scan.running or scan.what != "scrub":
        return None
    found = _ERRORS.search(scan.words)
    return int(found.group(1)) if found else None


def _scrubbed(scan: Scan | None) -> str:
    """The last scrub or resilver in ZFS' words."""
    return scan.words if scan is not None and not scan.running else ""


def _members(pool: Pool, disks: Mapping[str, str]) -> tuple[UnitMember, ...]:
    return tuple(
        UnitMember(
            path=vdev.path,
            disk=disks.get(vdev.path, ""),
            slot=slot,
            state=_state(vdev),
            note=f"of {vdev.section}" if vdev.section not in {DATA, SPARES} else "",
        )
        for vdev, slot in pool.status.slots()
    )


def _state(vdev: Vdev) -> str:
    words = [_WORDS.get(vdev.state, vdev.state.lower())]
    if "resilvering" in vdev.note:
        words.append("resilvering")
    if vdev.errors:
        counts = zip(
            ("read", "write", "checksum"),
            (vdev.read_errors, vdev.write_errors, vdev.checksum_errors),
            strict=True,
        )
        words.append(f"errors: {', '.join(f'{count} {what}' for what, count in counts if count)}")
    if "was /dev/" in vdev.note:
        words.append(vdev.note)
    elif not vdev.path and vdev.name.startswith("/"):
        words.append(f"was {vdev.name}")
    return ", ".join(words)


def _other(other: Other, disks: Mapping[str, str], partitions: Mapping[str, str]) -> Unit:
    host = f" by {other.host}" if other.host else ""
    if other.destroyed:
        how = "destroyed; its labels are still on these disks"
    elif other.exported:
        how = f"not imported, exported{host}"
    else:
        how = f"not imported and never exported, last used{host}"
    state = f"{how}, {other.state}" if other.state else how
    return Unit(
        backend=Backend.ZFS,
        name=other.name,
        uuid=other.guid,
        marks=(other.guid, *(partitions[device] for device in other.devices if device in partitions)),
        level="",
        size_bytes=0,
        path="",
        node="",
        health=Health.INACTIVE,
        state=state,
        members=tuple(
            UnitMember(path=device, disk=disks.get(device, ""), state="not imported")
            for device in other.devices
        ),
    )
