"""What a Btrfs needs the administrator to do: separate clones, replace a missing disk, balance it. Pure.

Nothing is executed here. A degraded mount that is written to, and the replacement itself, make chunks without a copy:
the filesystem is redundant only after the balance that follows, although everything says that it is well.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from raidtui.backends.btrfs.fill import fits_without_missing, full_devices
from raidtui.backends.btrfs.places import mounted_by_boot, place_to_mount, places_in_fstab
from raidtui.backends.btrfs.reading import Filesystem, reading_in
from raidtui.backends.btrfs.tend import enough_without_missing, without_checksums
from raidtui.backends.btrfs.units import is_lost, lacks_newest, left_in, mixed, wanted
from raidtui.backends.care import AS_ROOT, Replacement, Room, called_at, look_for_files, room_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Balance, ReAdd, RemoveFailed, RemoveMissing, Scrub, Start
from raidtui.model.text import harmless, listed
from raidtui.model.unit import ALIKE, Health, Unit
from raidtui.model.units import KIB, MIB
from raidtui.steps.partitions import LINUX_FILESYSTEM

_WRONG_DATA: Final = frozenset(
    {"corruption", "generation"}
)  # error counts of blocks whose contents are wrong


def care_for(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs; nothing if it is healthy or busy."""
    if slots := dict.fromkeys(one.slot for one in unit.members if one.state == ALIKE):
        return tuple(_tell_apart(unit, slot, machine) for slot in slots)
    doing = unit.activity
    paused = doing is not None and doing.what == "balance" and doing.paused
    if paused and unit.health is Health.OK and unit.mountpoints:
        return (
            Remedy(
                text="its balance is paused: resume it, then it is scrubbed. Until it ends no disk of it can be added, "
                "removed or replaced",
                procedure=Balance(unit=unit.uuid),
            ),
        )
    reading = reading_in(machine)
    found = reading.find(unit.uuid) if reading is not None else None
    if found is not None and found.target_gone and not found.apart:
        return (_cancel(unit, found),)
    if doing is not None and doing.what == "replace" and doing.paused:
        return (
            Remedy(
                text="its replacement was interrupted: make it writable, so that it continues. Until it ends no disk of it can be "
                "added or removed",
                procedure=Start(unit=unit.uuid),
            ),
        )
    if unit.health is Health.OK and unit.mountpoints and doing is None:
        return tuple(_returned(unit, found))
    if unit.health not in {Health.DEGRADED, Health.INACTIVE, Health.FAILED, Health.ERRORS}:
        return ()
    if unit.activity is not None and (unit.health is Health.ERRORS or not unit.activity.is_scrub):
        return ()
    if found is None:
        return ()
    if found.apart:
        return tuple(_apart(found, machine))
    if unit.health is Health.INACTIVE and all(one.state == "not mounted" for one in unit.members):
        return ()
    if not found.missing and not found.node:
        return tuple(_catch_up(unit, found, machine))
    if unit.health is Health.ERRORS:
        return tuple(_scrub(unit, found, machine))
    if not found.missing:
        return tuple(_make_redundant(unit, found))
    if not machine.complete:
        return (AS_ROOT,)
    if is_lost(found):
        if found.node and all(one.back for one in found.missing):
            return (_mount_again(found, machine),)
        disks = "disks" if len(found.missing) > 1 else "disk"
        connect = Remedy(text=f"connect the missing {disks}: some of its data is nowhere else")
        return (connect, look_for_files(unit.uuid))
    return tuple(_replace(unit, found, machine)) if found.node else (_mount(unit, found, machine),)


def _cancel(unit: Unit, found: Filesystem) -> Remedy:
    """A replacement whose new disk is gone: until it is canceled, the kernel mounts it degraded only."""
    if is_lost(found):
        return Remedy(
            text="connect the missing disks, and the new disk of its replacement: some of its data is nowhere else"
        )
    what, then = "the new disk of its replacement", ", which writes to no other disk"
    if found.missing:
        what, then = f"what is missing, or {what}", ""
    return Remedy(
        text=f"connect {what}; if it cannot be, cancel the replacement{then}. The disk can then be "
        "replaced again. Until then it mounts only degraded, and no disk of it can be added or removed",
        procedure=RemoveFailed(unit=unit.uuid),
    )


def _returned(unit: Unit, found: Filesystem | None) -> Iterator[Remedy]:
    """A device that was away, and has been mounted with the others since: no count shows what of it is old."""
    scrubbed = (
        found.scrub.started if found is not None and found.scrub is not None and found.scrub.whole else 0
    )
    late = [one for one in unit.back if datetime.fromisoformat(one.noticed).timestamp() > scrubbed]
    if not late or found is None:
        return
    names = listed([harmless(one.disk) for one in late])
    yield Remedy(
        text=f"{names} was away while the filesystem was used, and is back: scrub it. That corrects the old blocks from the "
        "other copies; a second scrub must find no errors",
        procedure=Scrub(unit=unit.uuid),
        warnings=(f"HIGH: {without_checksums(late[0].disk, unit).meaning} Compare them with a backup",),
    )


def _tell_apart(unit: Unit, slot: int | None, machine: Machine) -> Remedy:
    """Two devices with one superblock.

    The kernel knows a device by the UUID of the filesystem and its devid, so it may take either, now one, now the
    other; no command can name the right one.
    """
    if unit.node:
        way = "Unmount the filesystem, disconnect the one that does not belong here, and mount it again"
    else:
        way = "Disconnect the one that does not belong here; until then do not mount it"
    return Remedy(
        text=f"{listed(called_at((one.path for one in unit.members if one.slot == slot), machine))} have the same superblock "
        f"(devid {slot}): a clone beside its original, or a disk that was replaced. {way}"
    )


def _apart(found: Filesystem, machine: Machine) -> Iterator[Remedy]:
    """Their blocks have valid checksums, so Btrfs takes either, and mixes both: no scrub puts that right."""
    yield Remedy(
        text=f"{listed(called_at(found.apart, machine))} were used without each other, so each has data that the other lacks: do not "
        "mount them together. Disconnect one, mount the other degraded, read-only, and back up its data; then the other way "
        "round. Erase the one whose data is not needed, and replace it"
    )
    if places := mounted_by_boot(found, machine):
        yield Remedy(
            text=f"before this computer boots again, add noauto to the line of {harmless(listed(places))} in /etc/fstab: every boot would "
            "mount them together"
        )


def _mount(unit: Unit, found: Filesystem, machine: Machine) -> Remedy:
    """A mount without a disk makes its copy stale: so the disk comes first."""
    start = Start(unit=unit.uuid, degraded=True) if place_to_mount(found, machine) else None
    if found.target:
        besides = found.missing_besides
        what = "what is missing" if besides else "the disk that was being replaced"
        then = ". Then replace what is still missing at once" if besides else ""
        return Remedy(
            text=f"connect {what}; if it cannot be, mount the filesystem degraded. Its replacement then "
            f"continues from the other copies{then}",
            procedure=start,
        )
    disks, they, them = ("disks", "they", "them") if len(found.missing) > 1 else ("disk", "it", "it")
    return Remedy(
        text=f"connect the missing {disks}; if {they} cannot be, mount the filesystem degraded, read-only, and replace {them} "
        "at once",
        procedure=start,
    )


def _catch_up(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Remedy]:
    """A device that was away while the filesystem was used has old blocks; Btrfs does not bring them up to date itself."""
    behind = [one.path for one in found.devices if one.behind]
    if not behind:
        return
    disk = next((one.disk for one in unit.members if one.path in behind), "")
    if lacks_newest(found):
        have = "have" if len(behind) > 1 else "has"
        yield Remedy(
            text=f"{listed(called_at(behind, machine))} {have} older blocks than the others, and what was written since is nowhere else. If "
            "this is an older copy of another disk, connect that one instead. Until then do not mount it"
        )
        yield look_for_files(unit.uuid)
        return
    yield Remedy(
        text=f"{listed(called_at(behind, machine))} {'were' if len(behind) > 1 else 'was'} not there when the filesystem was used: mount it, and scrub it at once. "
        "That corrects the old blocks from the other copies; a second scrub must find no errors",
        procedure=ReAdd(unit=unit.uuid, disk=disk) if disk and place_to_mount(found, machine) else None,
        warnings=tuple(
            f"HIGH {one.id}: {one.meaning} {one.advice}" for one in (without_checksums(disk, unit),)
        ),
    )


def _scrub(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Remedy]:
    """Errors were counted: blocks with wrong contents, or a device that fails."""
    if not unit.mountpoints:
        return
    paths = [one.path for one in found.errors if one.path]
    if any(one.trouble for one in machine.mounts if one.target in unit.mountpoints):
        yield Remedy(
            text=f"errors were counted on {listed(called_at(paths, machine))}, and Btrfs writes nothing any more. Back up what "
            "can be read; then unmount it, mount it again, and scrub it"
        )
        return
    fails = any(not _WRONG_DATA.issuperset(one.errors) for one in found.errors)
    first = "find out why it fails (cable, power, smartctl), then scrub" if fails else "scrub"
    yield Remedy(
        text=f"errors were counted on {listed(called_at(paths, machine))}: {first} the filesystem. That corrects wrong blocks "
        "from other copies, and the kernel log (dmesg) names the files that it cannot correct. New errors after it mean that "
        "the disk fails: replace it",
        procedure=Scrub(unit=unit.uuid),
    )


def _bring_back(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Remedy]:
    """The kernel takes no device into a mounted filesystem: it is mounted again with those that are connected again."""
    back = [one.back for one in found.missing if one.back]
    if not back:
        return
    disk = next((one.identity for one in machine.disks if back[0] in one.every_path), "")
    possible = disk and len(back) == len(found.missing) and places_in_fstab(unit, found, machine)
    yield Remedy(
        text=f"{listed(called_at(back, machine))} is connected again, and the filesystem is mounted without it: unmount it, mount "
        "it with all its disks, and scrub it at once. That corrects the old blocks from the other copies",
        procedure=ReAdd(unit=unit.uuid, disk=disk) if possible else None,
        warnings=tuple(
            f"HIGH {one.id}: {one.meaning} {one.advice}" for one in (without_checksums(disk, unit),)
        ),
    )


def _mount_again(found: Filesystem, machine: Machine) -> Remedy:
    """More of its disks were gone than it survives, and they are here again: only what it has in memory is lost."""
    back = called_at((one.back for one in found.missing), machine)
    are, them = ("are", "them") if len(back) > 1 else ("is", "it")
    return Remedy(
        text=f"{listed(back)} {are} connected again, and the filesystem is mounted without {them}, and writes nothing. Save "
        "elsewhere what programs have open; then unmount it, mount it again and scrub it"
    )


def _replace(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Remedy | Replacement]:
    yield from _bring_back(unit, found, machine)
    gone = next((one for one in found.missing if not one.back), found.missing[0])
    if not unit.mountpoints or not gone.size_bytes:
        yield Remedy(
            text="replace the missing disk: btrfs-replace(8), then balance it, or it is not redundant"
        )
        return
    if rooms := tuple(_rooms(found, gone.size_bytes, machine)):
        yield Replacement(
            what=f"the missing disk (devid {gone.devid})",
            rooms=rooms,
            partition_type=LINUX_FILESYSTEM,
            left=left_in(found),
            lost=frozenset(one.disk for one in unit.lost if one.disk),
            model=next((one.model for one in unit.lost if one.model), ""),
        )
    if enough_without_missing(found) and fits_without_missing(found):
        yield Remedy(
            text="or remove what is missing, and spread its data over the other disks",
            procedure=RemoveMissing(unit=unit.uuid),
        )


def _rooms(found: Filesystem, size: int, machine: Machine) -> Iterator[Room]:
    """The pattern of each member here, but as large as the missing one: btrfs-replace(8) takes nothing smaller."""
    size = -(-size // KIB) * KIB
    for one in found.devices:
        room = room_of(one.path, machine, least=size) if one.path else None
        if room is not None and room.part is not None and room.part.size_bytes != size:
            yield Room(room.start + size + MIB, room.start, replace(room.part, size_bytes=size), room.disk)
        elif room is not None:
            yield room


def _make_redundant(unit: Unit, found: Filesystem) -> Iterator[Remedy]:
    if not (mixed(found) and unit.mountpoints):
        return
    if full := full_devices(found, wanted(found)):
        yield Remedy(
            text=f"delete data, or add a disk for the time (btrfs-device(8)), then balance it. {listed(full)} "
            f"{'has' if len(full) == 1 else 'have'} no room for the copies that some chunks lack"
        )
    else:
        yield Remedy(
            text="balance it: a failed disk takes the chunks that have no copy on another one",
            procedure=Balance(unit=unit.uuid),
        )
