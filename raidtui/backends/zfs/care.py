"""What a pool needs the administrator to do: bring a device back, or replace it. Pure.

Nothing is executed here. Devices of the pool are named by GUID, as zpool finds them by no other name for certain. Never
``zpool add``: it makes a vdev of one disk, which a pool with raidz cannot remove. Never ``-f``, never ``labelclear``.
"""

import shlex
from collections.abc import Callable, Iterator
from typing import Final

from raidtui.backends.care import Replacement, Room, called, room_of
from raidtui.backends.zfs.names import MEMBER
from raidtui.backends.zfs.report import DATA, SPARES, Pool, Status, Vdev, reading_in
from raidtui.backends.zfs.units import left_in, mates_of
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import partition_path, stable_paths
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.steps.partitions import ZFS_MEMBER

_ONLINE: Final = "ONLINE"
_FAILING: Final = frozenset({"FAULTED", "DEGRADED"})
_RESILVER: Final = "resilver"
_BY_ID: Final = "/dev/disk/by-id/"
_BY_PARTUUID: Final = "/dev/disk/by-partuuid/"


def care_for(unit: Unit, machine: Callable[[], Machine]) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs; nothing if it is healthy, resilvers, or is not imported."""
    if unit.health not in {Health.DEGRADED, Health.FAILED}:
        return ()
    if unit.activity is not None and unit.activity.what == _RESILVER:
        return ()
    whole = machine()
    report = reading_in(whole)
    pool = report.with_guid(unit.uuid) if report is not None else None
    if pool is None or not pool.status.leaves:
        return ()
    if unit.health is Health.FAILED:
        return (_suspended(pool),)
    return tuple(_bring_back(unit, pool, whole))


def _suspended(pool: Pool) -> Remedy:
    """Too many devices are gone; what is on them is needed, so none may be replaced."""
    then = (
        f", then resume its I/O: zpool clear {shlex.quote(pool.name)}"
        if pool.status.state == "SUSPENDED"
        else ""
    )
    return Remedy(text=f"connect the missing disks{then}")


def _bring_back(unit: Unit, pool: Pool, machine: Machine) -> Iterator[Remedy | Replacement]:
    bad = next(
        (one for one in pool.status.leaves if one.section == DATA and one.state not in {_ONLINE, ""}), None
    )
    if bad is None:
        return
    if not machine.complete:
        yield Remedy(text="run raidtui as root: without it, nobody can see which disk is free")
        return
    name = shlex.quote(pool.name)
    if not bad.guid:
        yield Remedy(
            text=f"replace {_word(bad, machine)}: see 'zpool status -g {name}' for its GUID, then zpool-replace(8)"
        )
        return
    if bad.state not in _FAILING and (back := _connected(bad, pool, machine)) is not None:
        yield Remedy(
            text=f"{called(back)} is connected: bring it back, then scrub the pool",
            commands=(f"zpool online {name} {bad.guid}",),
        )
        return
    ashift = f" -o ashift={pool.ashift}" if pool.ashift else ""
    if spare := _spare(pool, machine):
        yield Remedy(
            text=f"replace it with the hot spare {called(spare[0])}; zed does so by itself where it runs",
            commands=(f"zpool replace{ashift} {name} {bad.guid} {shlex.quote(spare[1])}",),
        )
        return
    rooms = tuple(_rooms(bad, pool.status, machine))
    if not rooms:
        return
    failing = {one.identity for one in machine.disks if bad.state in _FAILING and bad.path in one.every_path}
    yield Replacement(
        what=_word(bad, machine),
        rooms=rooms,
        partition_type=ZFS_MEMBER,
        left=left_in(pool.status),
        add=lambda path: (f"zpool replace{ashift} {name} {bad.guid} {path}",),
        lost=frozenset({*(one.disk for one in unit.lost if one.disk), *failing}),
        suspect=frozenset(failing),
        model=next((one.model for one in unit.lost if one.model), ""),
    )


def _word(vdev: Vdev, machine: Machine) -> str:
    disk = next((one for one in machine.disks if vdev.path and vdev.path in one.every_path), None)
    state = {"OFFLINE": "offline"}.get(vdev.state, "failed" if vdev.state in _FAILING else "missing")
    return f"the {state} disk {called(disk) if disk is not None else harmless(vdev.name)}"


def _connected(bad: Vdev, pool: Pool, machine: Machine) -> Disk | None:
    """The disk with a label of the pool where ``bad`` is, or was; a disk that was replaced has such a label too."""
    inside = {one.path for one in pool.status.leaves if one.path and one is not bad}
    places = {bad.name, *bad.note.partition("was ")[2].split()[:1]}
    for disk in machine.disks:
        labels = {
            one.device for one in disk.every_signature if one.type == MEMBER and one.uuid == pool.guid
        } - inside
        names = {label: {label} for label in labels}
        for part in disk.partitions:
            if part.path in labels:
                names[part.path] |= {f"{_BY_PARTUUID}{part.uuid}"}
                names[part.path] |= {partition_path(f"{_BY_ID}{link}", part.number) for link in disk.by_id}
        if disk.path in labels:
            names[disk.path] |= {f"{_BY_ID}{link}" for link in disk.by_id}
        if any(places & some for some in names.values()):
            return disk
    return None


def _spare(pool: Pool, machine: Machine) -> tuple[Disk, str] | None:
    """An available hot spare and its stable path."""
    spares = {one.path for one in pool.status.leaves if one.section == SPARES and one.state == "AVAIL"}
    for disk in machine.disks:
        for path, stable in stable_paths(disk).items():
            if path in spares:
                return disk, stable
    return None


def _rooms(bad: Vdev, status: Status, machine: Machine) -> Iterator[Room]:
    """The pattern of each device of the same top-level vdev that is here."""
    sizes = {disk.path: disk.size_bytes for disk in machine.disks}
    for one in mates_of(bad, status):
        if one.path and one.state == _ONLINE:
            room = room_of(one.path, machine, least=sizes.get(one.path, 0))
            if room is not None:
                yield room
