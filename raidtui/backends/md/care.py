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
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Machine, Member
from raidtui.model.md_levels import may_lose
from raidtui.model.text import harmless
from raidtui.model.unit import Health
from raidtui.model.units import decimal
from raidtui.model.uuids import same_uuid
from raidtui.steps.fstab import fields_of
from raidtui.steps.partitions import LINUX_RAID


def care_for(array: Array, machine: Callable[[], Machine]) -> tuple[Care, ...]:
    """What ``array`` needs, most urgent first; empty if it is fine or recovers by itself."""
    found = health(array)
    if found is Health.INACTIVE:
        return tuple(_start(array))
    whole = machine()
    if found is Health.FAILED:
        return (_assemble(array, whole),)
    array = _with_signatures(array, whole)
    return (*_replace(array, whole), *_remove_failed(array), *_set_going(array, whole))


def _with_signatures(array: Array, machine: Machine) -> Array:
    """Add the signatures from a whole reading: the array's own, read every second, has none."""
    found = next((one for one in machine.arrays if same_uuid(one.uuid, array.uuid)), None)
    return array if found is None else replace(array, signatures=found.signatures)


def _start(array: Array) -> Iterator[Care]:
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


def _assemble(array: Array, machine: Machine) -> Care:
    """More members are lost than it survives: their data is needed, so none may be rebuilt or erased."""
    failed = [f"{harmless(one.disk or '?')} ({one.path.removeprefix('/dev/')})" for one in _failed(array)]
    former = [called(disk) for disk, _ in _former_members(array, machine, "--assemble")]
    found = [*failed, *dict.fromkeys(former)]
    if missing(array) - len(found) > (may_lose(array.level, array.raid_disks) or 0) or not found:
        return Care(text=f"connect the missing disks: {array.level} cannot run without them")
    return Care(
        text=f"assemble it again with {' and '.join(found)}, then back up its data",
        commands=assemble_again(array),
    )


def _replace(array: Array, machine: Machine) -> Iterator[Care]:
    if not missing(array) or rebuilding(array) or _has_spare(array):
        return
    former = next(_former_members(array, machine, "--re-add", "--add"), None)
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


def _former_members(array: Array, machine: Machine, *ways: str) -> Iterator[tuple[Disk, Claim]]:
    """Former members of ``array`` that one of these mdadm options puts back."""
    for disk in machine.disks:
        for claim in disk.taken_by:
            words = claim.how_to_free.split()
            if claim.what is ClaimKind.MD_MEMBER and array.node in words and set(ways) & set(words):
                yield disk, claim


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
