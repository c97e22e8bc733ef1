"""Virtual drives as units: health, members by enclosure and slot, activity and node. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from raidtui.backends.cards.levels import LEVELS, WITHOUT
from raidtui.backends.cards.records import (
    Adapter,
    CardReading,
    Drive,
    DriveState,
    OnCard,
    Operation,
    Volume,
)
from raidtui.backends.cards.records import VolumeState as State
from raidtui.backends.cards.redundancy import count_with_missing, lost_words, redundancy_words, risks
from raidtui.backends.cards.words import details, drive_errors, unit_name
from raidtui.backends.unit_words import state_words
from raidtui.model.machine import Disk, Machine, Mount
from raidtui.model.spec import Backend
from raidtui.model.text import count_of, listed
from raidtui.model.unit import REDUNDANCY_UNKNOWN, Activity, Health, Unit, UnitMember
from raidtui.steps.footprint import Footprint, deepest_first, footprint_of_devices

_OURS: Final = re.compile(r".+-[0-9a-f]{6}")  # the name of a virtual drive that raidtui built
_OFF_BY: Final = 0.02  # arcconf rounds to MB, and the card reserves a little
NAMED_BY: Final = "aacraid"
"""The driver that shows the name of a virtual drive as the model of its disk."""
_LEVEL: Final = re.compile(r"raid\d{1,2}(?:e|ee)?")
_DOWN: Final = frozenset({State.OFFLINE, State.UNKNOWN})
_STATES: Final = {
    DriveState.ONLINE: "in sync",
    DriveState.REBUILDING: "rebuilding",
    DriveState.OFFLINE: "offline",
    DriveState.FAILED: "faulty",
    DriveState.MISSING: "missing",
    DriveState.SPARE: "spare",
    DriveState.COPYING: "spare, being copied onto",
    DriveState.BUSY: "busy",
}


def units_in(
    reading: CardReading, disks: Sequence[Disk], mounts: Sequence[Mount], backend: Backend
) -> tuple[Unit, ...]:
    """Every virtual drive of every card."""
    return tuple(
        _unit(volume, adapter, disk_of(volume, adapter, disks), mounts, backend)
        for adapter in reading.adapters
        for volume in adapter.volumes
    )


def volume_of(unit: Unit, reading: CardReading | None, machine: Machine) -> tuple[Adapter, Volume] | None:
    """The card and the virtual drive of ``unit``."""
    for adapter in reading.adapters if reading else ():
        units = units_in(CardReading(adapters=(adapter,)), machine.disks, machine.mounts, unit.backend)
        for one, volume in zip(units, adapter.volumes, strict=True):
            if one.uuid == unit.uuid:
                return adapter, volume
    return None


def is_offline(volume: Volume) -> bool:
    """Whether the card itself says that a virtual drive is offline: then the kernel has no disk for it."""
    return volume.state is State.OFFLINE


def disk_of(volume: Volume, adapter: Adapter, disks: Sequence[Disk]) -> Disk | None:
    """The kernel's disk of a virtual drive: by WWN or serial number, else by what only one disk has; None: not known.

    Where the tool gives neither, the node that it reports must have the size of the virtual drive; or the disk of that
    size has its name as model, as the driver aacraid shows it, and no other disk and virtual drive are called so.
    """
    for disk in disks:
        if volume.naa and disk.has_device and _naa(disk.wwn) == volume.naa:
            return disk
        if not volume.naa and volume.serial and disk.has_device and disk.serial.upper() == volume.serial:
            return disk
    if volume.naa or volume.serial:
        return None
    # Of a card whose address is not reported, only a name that raidtui made is on no other card.
    unique = not adapter.address and not volume.node and _OURS.fullmatch(volume.name) is not None
    alike = [
        disk
        for disk in disks
        if disk.has_device
        and (disk.controller is None or disk.controller.address == adapter.address or unique)
        and abs(disk.size_bytes - volume.size_bytes) <= _OFF_BY * volume.size_bytes
    ]
    if volume.node:
        return next((disk for disk in alike if disk.path == volume.node), None)
    if adapter.driver != NAMED_BY or not volume.name:
        return None
    named = [disk for disk in alike if _model(disk.model) == _model(volume.name)]
    others = [one for one in adapter.volumes if _model(one.name) == _model(volume.name)]
    return named[0] if len(named) == len(others) == 1 else None


def _model(name: str) -> str:
    """A name as the model of a SCSI disk: at most 16 characters; udev writes underscores for spaces."""
    return name[:16].strip().replace(" ", "_")


def _naa(wwn: str) -> str:
    return wwn.lower().removeprefix("0x")


def _unit(
    volume: Volume, adapter: Adapter, disk: Disk | None, mounts: Sequence[Mount], backend: Backend
) -> Unit:
    health, how = _health(volume, adapter, disk)
    doing = _activity(volume, adapter)
    uuid = volume.naa or f"{adapter.serial}-{volume.serial or volume.number}"
    return Unit(
        backend=backend,
        name=unit_name(volume, adapter),
        uuid=uuid,
        marks=tuple(dict.fromkeys(filter(None, (uuid, volume.naa, volume.serial, volume.name)))),
        given=volume.name.rpartition("-")[0] if _OURS.fullmatch(volume.name) else "",
        level=volume.level,
        size_bytes=volume.size_bytes or (disk.size_bytes if disk else 0),
        raid_disks=count_with_missing(volume),
        chunk_bytes=volume.strip_bytes or 0,
        path=disk.stable_path if disk else "",
        node=disk.path if disk else "",
        health=health,
        state=state_words(how, doing),
        members=tuple(_members(volume, adapter)),
        activity=doing,
        signatures=disk.every_signature if disk else (),
        mountpoints=_mountpoints(disk, mounts) if disk else (),
        details=details(volume, adapter),
        reading=OnCard(adapter=adapter, volume=volume),
    )


def _note(drive: Drive | None) -> str:
    """The physical location of a drive, if it is not the slot, and its error counts."""
    if drive is None:
        return ""
    up = drive.state not in {DriveState.FAILED, DriveState.OFFLINE, DriveState.MISSING}
    clean = up and drive.media_errors == 0 and not drive.predicted_failures
    return ", ".join(filter(None, (drive.bay, drive_errors(drive) or ("no errors" if clean else ""))))


def _members(volume: Volume, adapter: Adapter) -> list[UnitMember]:
    found = []
    for number, slot in enumerate(volume.slots):
        drive = adapter.drive(slot)
        row = drive.row if drive is not None and drive.row is not None else number
        state = drive.state if drive is not None else DriveState.UNKNOWN
        found.append(
            UnitMember(
                path=slot if drive is None or drive.place else "",
                disk=(drive.serial or drive.wwn) if drive is not None else "",
                slot=number if _spans(volume) else row,
                state=_STATES.get(state, (drive and drive.state_word) or "unknown"),
                note=_note(drive),
            )
        )
    found += [
        UnitMember(path="", state="unknown" if volume.state is State.OPTIMAL else "missing")
        for _ in range(count_with_missing(volume) - len(volume.slots))
    ]
    found += [
        UnitMember(path=one.slot, disk=one.serial or one.wwn, state=_STATES[one.state], note=_note(one))
        for one in (*adapter.own_spares(volume), *copied_onto(volume, adapter))
    ]
    return found


def copied_onto(volume: Volume, adapter: Adapter) -> list[Drive]:
    """The drives onto which the card copies one of this virtual drive.

    Until that ends the card may give them no drive group: then they belong to the only one.
    """
    only = len({one.group for one in adapter.volumes}) == 1
    return [
        one
        for one in adapter.drives
        if one.state is DriveState.COPYING and (one.group == volume.group if one.group else only)
    ]


def _spans(volume: Volume) -> bool:
    """Whether rows are numbered per span, so that they are not unique."""
    return volume.level in {"raid10", "raid50", "raid60"}


def _health(volume: Volume, adapter: Adapter, disk: Disk | None) -> tuple[Health, str]:
    """The worst of what the card says of a virtual drive, of its drives and of its cache."""
    health, how = _by_state(volume, adapter, disk)
    also = [] if volume.state in _DOWN else risks(volume, adapter)
    if not also:
        return health, how
    worst = Health.ERRORS if health in {Health.OK, Health.SYNCING} else health
    if volume.state is not State.OPTIMAL:
        return worst, f"{how}; {listed(also)}"
    return worst, f"{how}, {'and' if ', but ' in how else 'but'} {listed(also)}"


def _by_state(volume: Volume, adapter: Adapter, disk: Disk | None) -> tuple[Health, str]:
    lost = lost_words(volume, adapter)
    about = f": {lost}" if lost else ""
    match volume.state:
        case State.OFFLINE:
            return Health.FAILED, f"FAILED, offline{about}"
        case State.DEGRADED:
            return Health.DEGRADED, f"degraded, {redundancy_words(volume, adapter)}{about}"
        case State.PARTLY_DEGRADED:
            return Health.DEGRADED, f"partly degraded: one more drive may fail{about}"
        case State.BUILDING:
            return Health.BUILDING, f"not redundant yet, being built{about}"
        case State.OPTIMAL if lacking := _lacking(volume, adapter):
            return (
                Health.DEGRADED,
                f"degraded: {lacking} not online, though the card says {volume.state_word}",
            )
        case State.OPTIMAL:
            pass
        case _:
            return Health.INACTIVE, f"the card says {volume.state_word or 'nothing'}{about}"
    if disk is None and volume.access:
        return Health.INACTIVE, f"optimal, but the card keeps it {volume.access}"
    if disk is None and not (volume.naa or volume.serial or volume.node):
        return Health.INACTIVE, "optimal, but its tool does not say which disk it is"
    if disk is None:
        return Health.INACTIVE, "optimal, but the kernel has no disk for it"
    if volume.bad_blocks:
        return Health.ERRORS, "optimal, but some of its data is lost"
    if volume.access:
        return Health.ERRORS, f"optimal, but the card keeps it {volume.access}"
    if doubt := _doubt(volume, adapter):
        return Health.ERRORS, f"optimal, but {doubt}"
    if any(one.what in {"initialization", "background initialization"} for one in volume.operations):
        return Health.SYNCING, "optimal"
    if volume.level in WITHOUT:
        return Health.OK, "optimal, no redundancy"
    if volume.consistent is False:
        return Health.OK, "optimal, parity not verified yet"
    return Health.OK, "optimal"


def _lacking(volume: Volume, adapter: Adapter) -> str:
    """How many of its drives are missing, failed, offline or rebuilt, which contradicts the state optimal."""
    gone = {DriveState.MISSING, DriveState.FAILED, DriveState.OFFLINE, DriveState.REBUILDING}
    found = [one for one in adapter.drives_of(volume) if one.state in gone]
    return count_of(found, "drive") if found else ""


def _doubt(volume: Volume, adapter: Adapter) -> str:
    """What the card leaves open of a virtual drive that is optimal, in words that follow "but"; empty for nothing."""
    found = adapter.drives_of(volume)
    for one in found:
        if one.state is DriveState.UNKNOWN:
            return f"the card says {one.state_word or 'nothing'} of a drive of it: {REDUNDANCY_UNKNOWN}"
    drives = count_with_missing(volume)
    if not drives:
        return f"its drives are not listed: {REDUNDANCY_UNKNOWN}"
    if less := drives - len(found):
        return f"the card does not describe {less} of its {count_of(drives, 'drive')}: {REDUNDANCY_UNKNOWN}"
    known = LEVELS.get(volume.level)
    if known is None and volume.level not in WITHOUT and _LEVEL.fullmatch(volume.level) is None:
        return f"its level is not known: {REDUNDANCY_UNKNOWN}"
    if known is not None and drives < known.min_disks:
        return f"the card lists {count_of(drives, 'drive')} of it: {REDUNDANCY_UNKNOWN}"
    silent = [one for one in found if one.problem]
    return f"the card does not say whether {count_of(silent, 'drive')} of it had errors" if silent else ""


def _activity(volume: Volume, adapter: Adapter) -> Activity | None:
    of_drives = [
        drive.operation
        for drive in (*adapter.drives_of(volume), *copied_onto(volume, adapter))
        if drive.operation is not None
    ]
    now: Sequence[Operation] = (*of_drives, *volume.operations)
    if not now:
        return None
    first = now[0]
    total = volume.size_bytes
    return Activity(
        what=first.what,
        fraction=first.fraction,
        done_bytes=round(total * first.fraction),
        total_bytes=total,
        seconds_left=first.seconds_left,
        paused=first.paused,
    )


def footprint_of(disk: Disk | None) -> Footprint:
    """The disk of a virtual drive and its partitions, by every name of theirs."""
    return footprint_of_devices([(disk, path) for path in disk.every_path] if disk is not None else [])


def _mountpoints(disk: Disk, mounts: Sequence[Mount]) -> tuple[str, ...]:
    """Where it or one of its partitions is mounted, deepest first."""
    own = footprint_of(disk)
    known = deepest_first([mount for mount in mounts if own.owns(mount)])
    return known or tuple(dict.fromkeys(place for part in disk.partitions for place in part.mountpoints))
