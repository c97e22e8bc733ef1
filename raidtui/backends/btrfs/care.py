"""What a Btrfs needs the administrator to do: separate clones, replace a missing disk, balance it. Pure.

Nothing is executed here. A degraded mount that is written to, and the replacement itself, make chunks without a copy:
the filesystem is redundant only after the balance that follows, although everything says that it is well.
"""

import shlex
from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from raidtui.backends.btrfs.reading import TYPE, Filesystem, reading_in
from raidtui.backends.btrfs.units import ALIKE, is_lost, left_in, mixed, strongest
from raidtui.backends.care import Replacement, Room, called_at, room_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.text import listed
from raidtui.model.unit import Health, Unit
from raidtui.model.units import KIB, MIB
from raidtui.steps.footprint import footprint_of_devices, own_lines
from raidtui.steps.fstab import fields_of
from raidtui.steps.partitions import LINUX_FILESYSTEM

_WRONG_DATA: Final = frozenset(
    {"corruption", "generation"}
)  # error counts of blocks whose contents are wrong
_FREE_PLACE = "/mnt"  # for a filesystem that is mounted for a while (hier(7))


def care_for(unit: Unit, machine: Callable[[], Machine]) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs; nothing if it is healthy or busy."""
    if slots := dict.fromkeys(one.slot for one in unit.members if one.state == ALIKE):
        return tuple(_tell_apart(unit, slot, machine()) for slot in slots)
    if unit.health not in {Health.DEGRADED, Health.INACTIVE, Health.FAILED, Health.ERRORS}:
        return ()
    if unit.activity is not None and (unit.health is Health.ERRORS or not unit.activity.is_scrub):
        return ()
    if unit.health is Health.INACTIVE and all(one.state == "not mounted" for one in unit.members):
        return ()
    whole = machine()
    reading = reading_in(whole)
    found = reading.find(unit.uuid) if reading is not None else None
    if found is None:
        return ()
    if not found.missing and not found.node:
        return tuple(_catch_up(found, whole))
    if unit.health is Health.ERRORS:
        return tuple(_scrub(unit, found, whole))
    if not found.missing:
        return tuple(_make_redundant(unit, found))
    if not whole.complete:
        return (Remedy(text="run raidtui as root: without it, nobody can see which disk is free"),)
    if is_lost(found):
        disks = "disks" if len(found.missing) > 1 else "disk"
        return (Remedy(text=f"connect the missing {disks}: some of its data is nowhere else"),)
    return tuple(_replace(unit, found, whole) if found.node else _mount(found, whole))


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


def _mount(found: Filesystem, machine: Machine) -> Iterator[Remedy]:
    """A mount without a disk makes its copy stale, and may be possible only once: so the disk comes first."""
    disks, those = ("disks", "them") if len(found.missing) > 1 else ("disk", "it")
    text = f"connect the missing {disks}; if {those} cannot be, mount the filesystem degraded and replace {those} at once"
    how, _ = _how_to_mount(found, machine, degraded=True)
    yield Remedy(text=text, commands=("btrfs device scan", how) if how else ())


def _how_to_mount(found: Filesystem, machine: Machine, *, degraded: bool) -> tuple[str, str]:
    """The command that mounts it, and where; both empty if no place is free."""
    place, options = _place_in_fstab(found, machine), "-o degraded " if degraded else ""
    if place:
        return f"mount {options}{shlex.quote(place)}", place
    if any(mount.target == _FREE_PLACE for mount in machine.mounts):
        return "", ""
    first = next(one.path for one in found.devices if one.path)
    return f"mount -t {TYPE} {options}{shlex.quote(_lasting(first, machine))} {_FREE_PLACE}", _FREE_PLACE


def _lasting(path: str, machine: Machine) -> str:
    return next((paths[path] for disk in machine.disks if path in (paths := stable_paths(disk))), path)


def _catch_up(found: Filesystem, machine: Machine) -> Iterator[Remedy]:
    """A device that was away while the filesystem was used has old blocks; Btrfs does not bring them up to date itself."""
    behind = [one.path for one in found.devices if one.behind]
    if not behind:
        return
    how, place = _how_to_mount(found, machine, degraded=False)
    yield Remedy(
        text=f"{listed(called_at(behind, machine))} was not there when the filesystem was used: mount it, and scrub it at once. "
        "That corrects the old blocks from the other copies; the second scrub must find no errors",
        commands=(how, *_scrub_twice(place)) if how else (),
        warnings=(
            "HIGH: no scrub corrects files without checksums (chattr +C, often images of virtual machines and databases): they "
            "may return old data. If there are any, do not mount it: disconnect that disk, and replace it as a missing one",
        ),
    )


def _scrub(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Remedy]:
    """Errors were counted: blocks with wrong contents, or a device that fails."""
    if not unit.mountpoints:
        return
    paths = [one.path for one in found.errors if one.path]
    fails = any(not _WRONG_DATA.issuperset(one.errors) for one in found.errors)
    first = "find out why it fails (cable, power, smartctl), then scrub" if fails else "scrub"
    yield Remedy(
        text=f"errors were counted on {listed(called_at(paths, machine))}: {first} the filesystem. That corrects wrong blocks "
        "from other copies, and the kernel log (dmesg) names the files that it cannot correct. New errors after it mean that "
        "the disk fails: replace it",
        commands=_scrub_twice(unit.mountpoints[-1]),
    )


def _scrub_twice(place: str) -> tuple[str, ...]:
    """Scrub, set the error counts to zero, and scrub again to see whether any come back."""
    scrub = f"btrfs scrub start -B {shlex.quote(place)}"
    return (scrub, f"btrfs device stats -z {shlex.quote(place)}", scrub)


def _place_in_fstab(found: Filesystem, machine: Machine) -> str:
    """Its first mount point in fstab; mount(8) takes the device and options from there."""
    own = {one.path for one in found.devices if one.path}
    on_it = footprint_of_devices(
        [(disk, path) for disk in machine.disks for path in disk.every_path if path in own]
    )
    places = (fields_of(line)[1] for line in own_lines(on_it, machine))
    return next((place for place in places if place.startswith("/")), "")


def _replace(unit: Unit, found: Filesystem, machine: Machine) -> Iterator[Remedy | Replacement]:
    gone = found.missing[0]
    if not unit.mountpoints or not gone.size_bytes:
        yield Remedy(
            text="replace the missing disk: btrfs-replace(8), then balance it, or it is not redundant"
        )
        return
    place = unit.mountpoints[-1]
    rooms = tuple(_rooms(found, gone.size_bytes, machine))
    if not rooms:
        return
    quoted = shlex.quote(place)
    locked = any(one.target == place and "ro" in one.options.split(",") for one in machine.mounts)
    before = (f"mount -o remount,rw {quoted}",) if locked else ()
    after = (_balance(found, quoted), f"btrfs scrub start -B {quoted}") if len(found.missing) == 1 else ()
    yield Replacement(
        what=f"the missing disk (devid {gone.devid})",
        rooms=rooms,
        partition_type=LINUX_FILESYSTEM,
        left=left_in(found),
        add=lambda path: (*before, f"btrfs replace start -B {gone.devid} {path} {quoted}", *after),
        lost=frozenset(one.disk for one in unit.lost if one.disk),
        model=next((one.model for one in unit.lost if one.model), ""),
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
    if not mixed(found) or not unit.mountpoints:
        return
    place = shlex.quote(unit.mountpoints[-1])
    yield Remedy(
        text="balance it: chunks without a copy are left from a degraded mount, and a failed disk takes them",
        commands=(_balance(found, place), f"btrfs scrub start -B {place}"),
    )


def _balance(found: Filesystem, place: str) -> str:
    """Convert the chunks that a degraded mount made, and only these."""
    data, metadata = strongest(found.data), strongest((*found.metadata, *found.system))
    filters = (("-dconvert", data), ("-mconvert", metadata))
    words = " ".join(f"{name}={profile},soft" for name, profile in filters if profile)
    return f"btrfs balance start {words} {place}"
