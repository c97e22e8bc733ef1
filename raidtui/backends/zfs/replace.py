"""Find the devices of pools on a disk that is replaced: those with data, and those of logs, caches and hot spares."""

from collections.abc import Collection, Iterator
from typing import Final

from raidtui.backends.care import Place, places_at
from raidtui.backends.replacing import Leaving
from raidtui.backends.zfs.need import ZfsNeed
from raidtui.backends.zfs.replace_beside import beside
from raidtui.backends.zfs.report import NEEDED, Pool, Vdev, reading_in
from raidtui.backends.zfs.signs import MEMBER
from raidtui.backends.zfs.tend import failed_in
from raidtui.backends.zfs.units import left_in, mates_of, units_of
from raidtui.backends.zfs.whereabouts import connected
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.md_levels import Left
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.steps.partitions import ZFS_MEMBER

_ONLINE: Final = "ONLINE"


def needs(leaving: Leaving) -> Iterator[ZfsNeed]:
    """The pools with a device on the disk, or that miss one that was on it."""
    report, machine = reading_in(leaving.machine), leaving.machine
    units = {unit.uuid: unit for unit in units_of(machine)} if report is not None else {}
    sizes = {disk.path: disk.size_bytes for disk in machine.disks} | {
        part.path: part.size_bytes for disk in machine.disks for part in disk.partitions
    }
    for pool in report.pools if report is not None else ():
        unit, leaves = units[pool.guid], pool.status.leaves
        on_disk = [one for one in leaves if one.path and leaving.has(one.path)]
        inside = [one for one in on_disk if one.section in NEEDED]
        yield from (beside(one, pool, unit, leaving) for one in on_disk if one not in inside)
        gone = [one for one in failed_in(pool) if not one.path]
        former = leaving.former(MEMBER, pool.guid, [one.path for one in on_disk])
        if not inside and not (gone and (former or leaving.is_missing_from(pool.guid))):
            continue
        device = inside[0] if inside else _gone(gone, pool, leaving)
        slots = {id(vdev): id(vdev) if slot is None else slot for vdev, slot in pool.status.slots()}
        others = {slots[id(one)] for one in failed_in(pool)} - {slots[id(device)]}
        _check(pool, unit, inside, device, others, harmless(pool.name))
        path = device.path or former
        places = tuple(_places(device, pool, machine))
        copied, left = bool(inside) and device.state == _ONLINE, left_in(pool.status)
        yield ZfsNeed(
            unit=unit,
            left=left,
            old=leaving.stable(path),
            old_path=path,
            copied=copied,
            bare=copied and left is not Left.SOME,
            proven_by="Every device is online, and the scrub found no error.",
            places=places,
            present=leaving.beside(unit, device.path),
            least=sizes.get(path or (places[0].path if places else ""), 0),
            lacks=len(others),
            partition_type=ZFS_MEMBER,
            guid=device.guid,
            ashift=str(pool.ashift or ""),
        )


def _gone(gone: list[Vdev], pool: Pool, leaving: Leaving) -> Vdev:
    """Which of the missing devices is replaced: that which was on the disk, else one that is on no other disk."""
    places = [(one, connected(one, pool, leaving.machine)) for one in gone]
    own = [one for one, place in places if place and leaving.old and place[0].key == leaving.old.key]
    return next(iter([*own, *(one for one, place in places if place is None), *gone]))


def _check(
    pool: Pool, unit: Unit, inside: list[Vdev], device: Vdev, others: Collection[int], name: str
) -> None:
    """Check that a device of the pool can be replaced now.

    Raises:
        Refused: it has failed, is resilvering, or lacks another device.
    """
    if unit.health is Health.FAILED:
        raise Refused(f"too many disks of {name} are missing: connect them; nothing can be rebuilt")
    if unit.activity is not None and unit.activity.what == "resilver":
        raise Refused(f"{name} is resilvering. Wait until that is over; 'raidtui status' shows it")
    if len(inside) > 1:
        raise Refused(
            f"{name} has {len(inside)} devices on this disk; replace one with zpool-replace(8) first"
        )
    if device.state == _ONLINE and others:
        raise Refused(f"{name} already lacks a disk; replace that one first")
    if not device.guid:
        raise Refused(
            f"the GUID of the device of {name} is not known, and zpool finds it by no other name for certain"
        )


def _places(device: Vdev, pool: Pool, machine: Machine) -> Iterator[Place]:
    """Where the devices of its vdev are: the old one first, then the others, the smallest first."""
    places = places_at(
        (one.path for one in mates_of(device, pool.status) if one.path and one is not device), machine
    )
    yield from places_at(filter(None, [device.path]), machine)
    yield from sorted(places, key=lambda one: one.size_bytes)
