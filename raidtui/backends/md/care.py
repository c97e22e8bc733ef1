"""What an array needs the administrator to do: the reason and the commands. Pure.

Nothing is executed here. Commands name disks by stable paths.
"""

import shlex
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from raidtui.backends.care import Care, Room, called, free_disk, prepared, room_of
from raidtui.backends.md.array_names import is_mounted_by
from raidtui.backends.md.states import health, is_paused, survives, sync_name
from raidtui.machine.array_health import missing, rebuilding
from raidtui.machine.former import assemble_again
from raidtui.machine.newest import members_on
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Machine, Member
from raidtui.model.nodes import stable_paths
from raidtui.model.text import count_of, harmless, listed
from raidtui.model.unit import Health
from raidtui.model.units import decimal
from raidtui.model.uuids import same_uuid
from raidtui.steps.fstab import fields_of
from raidtui.steps.partitions import LINUX_RAID


def care_for(array: Array, machine: Callable[[], Machine]) -> tuple[Care, ...]:
    """What ``array`` needs, most urgent first; empty if it is fine or recovers by itself."""
    whole = machine()
    array = _as_in(whole, array)
    match health(array):
        case Health.INACTIVE:
            return tuple(_start(array, whole))
        case Health.FAILED:
            return tuple(_assemble(array, whole))
    return (*_replace(array, whole), *_remove_failed(array), *_set_going(array, whole))


def _as_in(machine: Machine, array: Array) -> Array:
    """Add what only a whole reading has: the array's own, read every second, has neither."""
    found = next((one for one in machine.arrays if same_uuid(one.uuid, array.uuid)), None)
    return array if found is None else replace(array, signatures=found.signatures, newest=found.newest)


def _start(array: Array, machine: Machine) -> Iterator[Care]:
    if array.newest:
        yield from _assemble(array, machine)
        return
    lost = missing(array) if any(member.slot is not None for member in array.members) else 0
    if not lost:
        yield Care(text="start it", commands=(f"mdadm --run {array.node}",))
        return
    most = survives(array)
    connect = "connect the missing disks" if lost > 1 else "connect the missing disk"
    if most is not None and lost > most:
        yield Care(text=f"{connect}: {array.level} cannot start without {'them' if lost > 1 else 'it'}")
    else:
        yield Care(text=f"{connect}, or start it degraded", commands=(f"mdadm --run {array.node}",))


def _assemble(array: Array, machine: Machine) -> Iterator[Care]:
    """More members are lost than it survives: their data is needed, so none may be rebuilt or erased."""
    if not machine.complete:
        yield Care(text="run raidtui as root: without it, the superblocks of the lost members cannot be read")
    elif not array.newest:
        yield Care(text=f"connect the missing disks: {array.level} cannot run without them")
    else:
        yield Care(
            text=f"assemble it again {_from(array, machine)}, then back up its data",
            commands=assemble_again(array),
        )


def _from(array: Array, machine: Machine) -> str:
    """Which of its members it is assembled from, in words."""
    here = tuple(_members_on_disks(array, machine))
    running = {member.path for member in array.members if "in_sync" in member.state}
    lost = [called(disk) for disk, path, device in here if device in array.newest and path not in running]
    old = [called(disk) for disk, _, device in here if device not in array.newest]
    named = f"with {listed(lost) if health(array) is Health.FAILED else count_of(array.newest, 'member')}"
    return f"{named}, without {listed(old)}, whose data is old" if old else named


def _members_on_disks(array: Array, machine: Machine) -> Iterator[tuple[Disk, str, str]]:
    """The devices with its superblock, but for its spares: disk, path, stable path."""
    spares = {member.path for member in array.members if member.slot is None and "spare" in member.state}
    for disk in machine.disks:
        for path in members_on(disk, array):
            if path not in spares:
                yield disk, path, stable_paths(disk)[path]


def _replace(array: Array, machine: Machine) -> Iterator[Care]:
    if not missing(array) or rebuilding(array) or _has_spare(array):
        return
    former = _former_member(array, machine)
    if former is not None:
        disk, claim = former
        how = "re-add" if "--re-add" in claim.how_to_free else "add"
        yield Care(
            text=f"{how} the former member {called(disk)}", commands=tuple(claim.how_to_free.split(" && "))
        )
        return
    room = _room(array, machine)
    if room is None:
        yield Care(text="replace the missing member: partition a disk as the others are, then mdadm --add it")
        return
    free = free_disk(room, machine)
    if free is None:
        yield Care(
            text=f"replace the missing member: connect a disk of {decimal(room.least)} or more, none is free here"
        )
        return
    prepare, path = prepared(free, room, kind=LINUX_RAID)
    yield Care(
        text=f"replace the missing member with the free disk {called(free)}, {decimal(free.size_bytes)}",
        commands=(*prepare, f"mdadm {array.node} --add {path}"),
    )


def _remove_failed(array: Array) -> Iterator[Care]:
    """A failed member stays in the array, even after a spare has replaced it, and keeps its disk in use."""
    failed = _failed(array)
    if not failed or rebuilding(array):
        return
    names = " and ".join(f"{harmless(one.disk or '?')} ({one.path.removeprefix('/dev/')})" for one in failed)
    disks = "disks" if len(failed) > 1 else "disk"
    yield Care(
        text=f"remove {names}, which failed, and replace the {disks}",
        commands=(f"mdadm {array.node} --remove failed",),
    )


def _failed(array: Array) -> list[Member]:
    return [member for member in array.members if "faulty" in member.state and member.path]


def _has_spare(array: Array) -> bool:
    return any(member.slot is None and "spare" in member.state for member in array.members)


def _former_member(array: Array, machine: Machine) -> tuple[Disk, Claim] | None:
    """A former member of ``array`` that mdadm can add to it again."""
    for disk in machine.disks:
        for claim in disk.taken_by:
            words = claim.how_to_free.split()
            if claim.what is ClaimKind.MD_MEMBER and array.node in words and {"--re-add", "--add"} & {*words}:
                return disk, claim
    return None


def _room(array: Array, machine: Machine) -> Room | None:
    """The pattern for a new member, from one in sync; None if no member in sync is on a disk of this machine."""
    rooms = (
        room_of(one.path, machine, least=one.offset_bytes + (array.component_bytes or one.size_bytes))
        for one in array.members
        if "in_sync" in one.state
    )
    return next((room for room in rooms if room is not None), None)


def _set_going(array: Array, machine: Machine) -> Iterator[Care]:
    """An array assembled at boot and never mounted: md leaves it auto-read-only, and its sync waits."""
    waits = array.sync is not None and array.sync.waiting == "pending" and not is_paused(array)
    place = _unmounted_place(array, machine)
    if place:
        why = f", and its {sync_name(array)} waits until then" if waits else ""
        yield Care(
            text=f"mount it: {harmless(place)} is in fstab and not mounted{why}",
            commands=(f"mount {shlex.quote(place)}",),
        )
    elif waits:
        yield Care(
            text=f"its {sync_name(array)} waits for the first write; start it",
            commands=(f"mdadm --readwrite {array.node}",),
        )


def _unmounted_place(array: Array, machine: Machine) -> str:
    """The mount point that fstab has for it at boot; empty if it has none or the array is mounted now."""
    if array.mountpoints or any(mount.source in {array.node, array.path} for mount in machine.mounts):
        return ""
    for line in machine.system.fstab:
        fields = fields_of(line)
        at_boot = len(fields) > 3 and "noauto" not in fields[3].split(",") and fields[1].startswith("/")
        if at_boot and is_mounted_by(line, array, machine):
            return fields[1]
    return ""
