"""What a volume of a firmware RAID needs that lacks a member. Pure.

Measured with mdadm 4.2 on Linux 6.1: a container of Intel's metadata that gets a disk rebuilds each redundant volume on it;
one whose failed disk is in a volume without redundancy too keeps that disk, and rebuilds nothing. Where the metadata is
DDF, mdadm crashes (SIGSEGV) before it writes to the disk.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import Replacement, Room, called, places_at
from raidtui.backends.md.states import shown_name
from raidtui.machine.md.health import IN_NO_VOLUME, left_in, missing
from raidtui.model.finding import Remedy
from raidtui.model.machine import Array, Disk, Machine
from raidtui.model.text import harmless, listed, spelled
from raidtui.steps.partitions import LINUX_RAID

MEASURED: Final = "external:imsm"
"""The metadata with which this was tried."""
_DDF: Final = "external:ddf"


def in_container(array: Array, machine: Machine) -> Iterator[Remedy | Replacement]:
    """A new disk in its container: mdmon rebuilds the missing member of every volume on it."""
    name = array.metadata[10:].partition("/")[0]
    container = next((one for one in machine.arrays if one.node == f"/dev/{name}"), None)
    if container is None:
        yield Remedy(
            text=f"replace the missing member: mdadm rebuilds it on a disk that is added to its container, {harmless(name)}"
        )
        return
    volumes = volumes_of(container, machine)
    why = why_not(container, volumes)
    rooms = () if why else tuple(_rooms(container, machine))
    by_hand = _by_hand(container, machine, why)
    first = min(filter(missing, volumes), key=lambda one: left_in(one).urgency, default=array)
    if not rooms:
        yield by_hand
    elif first.node != array.node:
        yield Remedy(
            text=f"replace the missing member: it is rebuilt together with that of {shown_name(first)}, on the same disk"
        )
    else:
        failed = frozenset(by_hand.failed)
        yield Replacement(
            what="the missing member",
            rooms=rooms,
            partition_type=LINUX_RAID,
            left=left_in(array),
            lost=failed,
            suspect=failed,
            failed=by_hand.failed,
            otherwise=(by_hand,),
        )


def volumes_of(container: Array, machine: Machine) -> list[Array]:
    """The assembled volumes in ``container``."""
    return [one for one in machine.arrays if one.node in container.volumes]


def why_not(container: Array, volumes: Sequence[Array]) -> str:
    """Why raidtui brings no new disk into ``container``; empty if it does."""
    name = shown_name(container)
    if container.metadata != MEASURED:
        return (
            f"{name} has metadata of {harmless(container.metadata.removeprefix('external:'))}, with which mdadm 4.2 crashes when a "
            "disk is added. Use the setup of its firmware"
        )
    if not all(one.uuid for one in (container, *volumes)):
        return (
            f"udev does not report the UUIDs of {name} and its volumes, so no command could name them safely. 'udevadm trigger' "
            "makes it read them again"
        )
    if plain := [one for one in volumes if one.degraded is None]:
        return (
            f"{listed([shown_name(one) for one in plain])} is {spelled(plain[0].level)}, which has no redundancy: no disk of "
            f"{name} can be replaced. Copy its data away and build it anew"
        )
    return ""


def least_of(disks: Sequence[Disk]) -> int:
    """The size that a new disk has to have: the metadata is at its end, and how much is kept free depends on the firmware."""
    return min((one.size_bytes for one in disks), default=0)


def _rooms(container: Array, machine: Machine) -> Iterator[Room]:
    staying = [one.path for one in container.members if IN_NO_VOLUME not in one.state]
    places = [one for one in places_at(staying, machine) if one.part is None]
    least = least_of([one.disk for one in places])
    yield from (Room(least, 0, None, one.disk) for one in places)


def _by_hand(container: Array, machine: Machine, why: str) -> Remedy:
    name, reason = shown_name(container), f". raidtui does not do it: {why}" if why else ""
    disks = {one: disk_called(one, machine) for one in container.failed}
    failed = tuple(disk.identity if disk is not None else one for one, disk in disks.items())
    if container.metadata == _DDF:
        return Remedy(
            text="back up its data. mdadm 4.2 crashes when a DDF container gets a new disk, and rebuilds nothing. Let the RAID "
            "card or firmware rebuild it, or build a new array",
            failed=failed,
        )
    if not disks:
        return Remedy(
            text=f"replace the missing member: mdadm rebuilds it on a disk that is added to its container, {name}{reason}"
        )
    inside = {one.path for one in container.members}.intersection(disks)
    them = "them" if len(disks) > 1 else "it"
    names = listed([called(disk) if disk is not None else harmless(one) for one, disk in disks.items()])
    stripes = [
        shown_name(one)
        for one in volumes_of(container, machine)
        if one.degraded is None and any(member.path in inside for member in one.members)
    ]
    first = (
        f"copy the data of {listed(stripes)} away and stop {'it' if len(stripes) == 1 else 'them'}: without redundancy, and on {names} "
        "too, so mdadm keeps that disk until then. Then "
        if stripes
        else ""
    )
    return Remedy(
        text=f"{first}replace {names}, which {'have' if len(disks) > 1 else 'has'} failed, as the metadata of the container {name} says: "
        f"{f'remove {them} from the container, and add' if inside else 'add'} a new disk to it. mdadm rebuilds the missing member "
        f"on that{'' if stripes else reason}",
        failed=failed,
    )


def disk_called(found: str, machine: Machine) -> Disk | None:
    """The disk at a path, or with this serial number, of which Intel's metadata has the last 16 characters."""
    same = [
        one
        for one in machine.disks
        if found in one.every_path or (len(found) > 3 and one.serial.endswith(found))
    ]
    return same[0] if len(same) == 1 else None
