"""What a pool needs the administrator to do: bring a device back, or replace it. Pure.

Nothing is executed here. Devices of the pool are named by GUID, as zpool finds them by no other name for certain. Never
``zpool add``: it makes a vdev of one disk, which a pool with raidz cannot remove. Never ``-f``, never ``labelclear``.
"""

import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.backends.care import AS_ROOT, Replacement, Room, called, called_at, room_of
from raidtui.backends.zfs.remove_vdev import why_not_removed
from raidtui.backends.zfs.report import NEEDED, Other, Pool, PoolReport, Status, Vdev, reading_in
from raidtui.backends.zfs.tend import (
    failed_in,
    given_up,
    gone_beside,
    is_of_another,
    taken_over,
    why_not_imported,
)
from raidtui.backends.zfs.units import left_in, mates_of, units_of
from raidtui.backends.zfs.whereabouts import connected, spare_on
from raidtui.model.finding import Remedy
from raidtui.model.lost import LostMember
from raidtui.model.machine import Disk, Machine
from raidtui.model.procedure import ReAdd, RemoveFailed, RemoveVdev, Scrub, Start, UseSpare
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.unit_names import command_word
from raidtui.steps.partitions import ZFS_MEMBER

_ONLINE: Final = "ONLINE"
_FAILING: Final = frozenset({"FAULTED", "DEGRADED"})
_RESILVER: Final = "resilver"


def care_for(unit: Unit, machine: Machine) -> tuple[Remedy | Replacement, ...]:
    """What ``unit`` needs; nothing if it is healthy or resilvers."""
    if unit.health in {Health.OK, Health.SYNCING}:
        return ()
    if unit.activity is not None and unit.activity.what == _RESILVER:
        return ()
    report = reading_in(machine)
    pool = report.with_guid(unit.uuid) if report is not None else None
    if report is not None and unit.health is Health.INACTIVE:
        return tuple(_not_imported(unit, report))
    if pool is None or not pool.status.leaves:
        return ()
    if unit.health is Health.FAILED:
        return tuple(_suspended(unit, pool, machine))
    if unit.health is Health.ERRORS:
        some = pool.status.errors or any(one.errors for one in pool.status.leaves)
        return (
            *((_about_errors(unit, pool.status),) if some else ()),
            *_beside(unit, pool, machine),
        )
    return tuple(_degraded(unit, pool, machine))


def _degraded(unit: Unit, pool: Pool, machine: Machine) -> Iterator[Remedy | Replacement]:
    """Devices that are gone come before those that only count errors, and both before files that are damaged."""
    bad = failed_in(pool)
    counts_alone = bool(bad) and all(one.state == "DEGRADED" for one in bad)  # none is gone
    if counts_alone and len(bad) > 1:
        yield Remedy(
            text=f"{len(bad)} disks count errors at once: suspect what they share (memory, controller, cables, power), not "
            "the disks. Check that first; then set the counts to zero and scrub",
            procedure=Scrub(unit=unit.uuid),
        )
    else:
        if counts_alone and not (bad[0].read_errors or bad[0].write_errors):
            yield Remedy(
                text=f"{_named(bad[0], unit, pool, machine)} counts checksum errors alone: suspect its cable, the controller or memory "
                "first. Check these, then set the counts to zero and scrub. If new ones come after that, replace the disk",
                procedure=Scrub(unit=unit.uuid),
            )
        yield from _bring_back(unit, pool, machine)
    if not bad:
        yield from _alone(unit, pool, machine)
    if pool.status.errors:
        yield Remedy(text=_DAMAGED)


def _alone(unit: Unit, pool: Pool, machine: Machine) -> Iterator[Remedy]:
    """A disk without a copy beside vdevs with redundancy, as ``zpool add -f`` makes them."""
    alone = pool.status.alone
    for vdev in alone:
        disk = next((one for one in machine.disks if vdev.path in one.every_path), None)
        if disk is not None and not why_not_removed(vdev, pool, machine):
            yield Remedy(
                text=f"if {called(disk)} was added by mistake, remove it: what is on it moves to the other disks",
                procedure=RemoveVdev(unit=unit.uuid, disk=disk.identity),
            )
    if alone:
        ask = f"raidtui grow {command_word(unit, units_of(machine))}"
        yield Remedy(text=f"give {listed(called_at((one.path for one in alone), machine))} a copy: {ask}")


_DAMAGED: Final = "files are damaged: restore those that 'zpool status -v' names from a backup"


def _about_errors(unit: Unit, status: Status) -> Remedy:
    if status.errors:
        return Remedy(
            text=f"{_DAMAGED}. Find out why (cable, power, memory, smartctl), then scrub: zpool forgets an error after two "
            "scrubs that do not find it",
            procedure=Scrub(unit=unit.uuid),
        )
    return Remedy(
        text="errors of its disks were counted: find out why (cable, power, smartctl), then scrub. The counts are set to "
        "zero if that finds none; new ones after it mean that the disk fails: replace it",
        procedure=Scrub(unit=unit.uuid),
    )


def _beside(unit: Unit, pool: Pool, machine: Machine) -> Iterator[Remedy]:
    """Devices without which no data is lost: of a log, a cache, or hot spares."""
    if gone := gone_beside(pool):
        words = [f"{_word(one, unit, pool, machine)} of {one.section}" for one in gone]
        yield Remedy(
            text=f"connect {listed(words)} again; if that cannot be, remove {'it' if len(gone) == 1 else 'them'} from the pool, "
            "which has all its data elsewhere. Another disk can be added then",
            procedure=RemoveFailed(unit=unit.uuid) if all(one.guid for one in gone) else None,
        )


def _suspended(unit: Unit, pool: Pool, machine: Machine) -> Iterator[Remedy]:
    """Too many devices are gone; what is on them is needed, so none may be replaced."""
    suspended, resume = pool.status.state == "SUSPENDED", Start(unit=unit.uuid)
    paths = {path for disk in machine.disks for path in disk.every_path}
    needed = [one for one in pool.status.leaves if one.section in NEEDED]
    if suspended and all(
        one.path in paths if one.state == _ONLINE else connected(one, pool, machine) for one in needed
    ):
        yield Remedy(text="its disks are connected again: resume its I/O", procedure=resume)
        return
    yield Remedy(text="connect the missing disks")
    if suspended:
        yield Remedy(text="when they are connected, resume its I/O", procedure=resume)


def _not_imported(unit: Unit, report: PoolReport) -> Iterator[Remedy]:
    other = next((one for one in report.others if one.guid == unit.uuid), None)
    if other is None or other.destroyed:
        return
    if why := why_not_imported(other, report):
        yield from _not_importable(other, why)
        return
    lacks = other.state == "DEGRADED"
    yield Remedy(
        text="connect the missing disk, or import it degraded" if lacks else "import it",
        procedure=Start(unit=unit.uuid, degraded=lacks),
    )
    yield Remedy(
        text="if that ends with an I/O error, write nothing to its disks. Import it read-only (zpool-import(8), -o readonly=on), and copy "
        "its files elsewhere. With -F and -n it says whether an earlier state can be imported, and changes nothing"
    )


def _not_importable(other: Other, why: str) -> Iterator[Remedy]:
    """What is safe where zpool-import(8) refuses a pool. Nothing here writes to its disks."""
    if other.state == "UNAVAIL" and other.lacks_log:
        yield Remedy(
            text="connect the disk of its log: nothing else is missing. The last seconds of synchronous writes may be on it alone. "
            "If it is gone for good, import the pool once by hand without them (zpool-import(8), -m)"
        )
    elif other.state == "UNAVAIL":
        yield Remedy(
            text="connect its missing disks: too many are gone to import it. What is on the others stays as it is"
        )
    elif other.state == "FAULTED":
        yield Remedy(
            text="copy each of its disks to a new one first (ddrescue), and try the following on the copies alone"
        )
        yield Remedy(
            text="import it read-only (zpool-import(8), -o readonly=on), and copy its files elsewhere. With -F and -n it "
            "says whether an earlier state can be imported, and changes nothing; -F alone discards the last writes for good"
        )
    elif is_of_another(other):
        yield Remedy(
            text=f"make sure that no other computer can reach its disks: {harmless(why)}. Imported on two at once, a pool is "
            "destroyed. Then import it once by hand (zpool-import(8), -f)"
        )
    else:
        yield Remedy(text=f"{harmless(why)}: leave it as it is until that has changed")


def _bring_back(unit: Unit, pool: Pool, machine: Machine) -> Iterator[Remedy | Replacement]:
    every = failed_in(pool)
    # What is only to be brought back comes first: that takes least, and writes least.
    bad = next((one for one in every if _returns(one, pool, machine)), every[0] if every else None)
    if bad is None:
        yield from _beside(unit, pool, machine)
        return
    if not machine.complete:
        yield AS_ROOT
        return
    if not bad.guid:
        yield Remedy(
            text=f"replace {_word(bad, unit, pool, machine)}: see 'zpool status -g {shlex.quote(pool.name)}' for its GUID, then "
            "zpool-replace(8)"
        )
        return
    if (gone := taken_over(pool)) is not None and gone.guid:
        yield Remedy(
            text=f"a hot spare has taken the place of {_word(gone, unit, pool, machine)}: detach that, and the spare stays for good",
            procedure=RemoveFailed(unit=unit.uuid),
        )
        return
    if (back := _returns(bad, pool, machine)) is not None:
        yield Remedy(
            text=f"{called(back[0])} is connected: bring it back, then scrub the pool",
            procedure=ReAdd(unit=unit.uuid, disk=back[0].identity),
        )
        return
    ended = bad is given_up(pool)  # the device whose place it was to take is online
    end = Remedy(
        text=f"end the replacement: detach {_word(bad, unit, pool, machine)}. The disk whose place it was to take stays",
        procedure=RemoveFailed(unit=unit.uuid),
    )
    if ended and any(new is bad and one.name.startswith("spare-") for one, new in pool.status.newcomers):
        yield end
        return
    spares = [one for one in machine.disks if spare_on(one, pool)]
    if spares:
        yield Remedy(
            text=f"replace it with the hot spare {called(spares[0])}; zed does so by itself where it runs",
            procedure=UseSpare(unit=unit.uuid, disk=spares[0].identity),
        )
        return
    rooms = tuple(_rooms(bad, pool.status, machine))
    if not rooms:
        return
    failing = {one.identity for one in machine.disks if bad.state in _FAILING and bad.path in one.every_path}
    lost = _lost_in(bad, unit, pool)
    yield Replacement(
        what=_word(bad, unit, pool, machine),
        rooms=rooms,
        partition_type=ZFS_MEMBER,
        left=left_in(pool.status),
        lost=frozenset(failing or {one.disk for one in lost if one.disk}),
        suspect=frozenset(failing),
        model=next((one.model for one in lost if one.model), ""),
    )
    if ended:
        yield end


def _returns(bad: Vdev, pool: Pool, machine: Machine) -> tuple[Disk, str] | None:
    """Where a device is that can be brought back: it did not fail, and is connected."""
    return None if bad.state in _FAILING else connected(bad, pool, machine)


def _word(vdev: Vdev, unit: Unit, pool: Pool, machine: Machine) -> str:
    state = {"OFFLINE": "offline"}.get(vdev.state, "failed" if vdev.state in _FAILING else "missing")
    return f"the {state} disk {_named(vdev, unit, pool, machine)}"


def _named(vdev: Vdev, unit: Unit, pool: Pool, machine: Machine) -> str:
    disk = next((one for one in machine.disks if vdev.path and vdev.path in one.every_path), None)
    if disk is not None:
        return called(disk)
    known = {one.disk for one in _lost_in(vdev, unit, pool) if one.disk}
    return harmless(known.pop() if len(known) == 1 else vdev.name)


def _lost_in(vdev: Vdev, unit: Unit, pool: Pool) -> list[LostMember]:
    """What the journal of units knows of a missing device: what was in its slot, or everything where that is not known."""
    own = next((slot for one, slot in pool.status.slots() if one is vdev), None)
    return [one for one in unit.lost if one.slot == own] or [*unit.lost]


def _rooms(bad: Vdev, status: Status, machine: Machine) -> Iterator[Room]:
    """The pattern of each device of the same top-level vdev that is here."""
    sizes = {disk.path: disk.size_bytes for disk in machine.disks}
    for one in mates_of(bad, status):
        if one.path and one.state == _ONLINE:
            room = room_of(one.path, machine, least=sizes.get(one.path, 0))
            if room is not None:
                yield room
