"""Import a pool, bring a device online, let a hot spare take over, scrub: zpool(8). Devices are named by GUID.

zpool finds a missing device by no other name for certain. Never ``-f``, never ``zpool add`` of a data device.
"""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.tending import Tender, does_not
from raidtui.backends.zfs.care_conditions import BESIDE_HERE, DEVICE_IN, DEVICE_OUT, POOL_SERVES, POOL_WHOLE
from raidtui.backends.zfs.create import erase_member
from raidtui.backends.zfs.remove_vdev import remove_vdev
from raidtui.backends.zfs.report import NEEDED, Other, Pool, PoolReport, Vdev, reading_in
from raidtui.backends.zfs.units import left_beside
from raidtui.backends.zfs.whereabouts import connected, spare_on
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.plan import Run, Step, member_step, proof_step, start_step, waiting_step
from raidtui.model.procedure import (
    ReAdd,
    RemoveFailed,
    RemoveSpare,
    RemoveVdev,
    Scrub,
    Start,
    Tended,
    UseSpare,
)
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.steps.devices import FORGOTTEN, PRESENT

_LONGEST_SECONDS: Final = 60 * 86400
_ONLINE: Final = "ONLINE"
# A resilver that begins once more makes zpool refuse the scrub, or ends one that runs; so what ran last decides.
_SCRUB: Final = (
    "for try in 1 2 3 4 5; do "
    'zpool wait -t resilver,replace "$1" || exit; zpool scrub "$1"; zpool wait -t scrub "$1" || exit; '
    'case $(LC_ALL=C zpool status "$1") in *"resilver in progress"* | *"scan: resilvered"*) sleep 1 ;; *) break ;; esac; '
    "done"
)
_RESILVERED: Final = (
    'while zpool wait -t resilver,replace "$1" || exit; do '
    'case $(LC_ALL=C zpool status "$1") in *"resilver in progress"* | *"(awaiting resilver)"*) sleep 2 ;; *) break ;; esac; '
    "done"
)
_DOWN: Final = frozenset({"FAULTED", "DEGRADED", "UNAVAIL", "REMOVED", "OFFLINE"})
_SUSPENDED: Final = "SUSPENDED"
_OF_ANOTHER: Final = "last accessed by another system"  # zpool-import(8) takes it only with -f


class ZfsTender(Tender):
    """zfsutils-linux."""

    def steps(self, procedure: Tended, unit: Unit, machine: Machine) -> tuple[Step, ...]:
        report, name = reading_in(machine), harmless(unit.name)
        if report is None:
            raise Refused(f"the pool {name} could not be read")
        pool = report.with_guid(unit.uuid)
        if isinstance(procedure, Start) and not procedure.forced:
            return (
                _resume(pool) if pool is not None else _import(unit, report, degraded=procedure.degraded),
            )
        if pool is None:
            raise Refused(f"the pool {name} is not imported")
        if unit.activity is not None:
            raise Refused(
                f"{name} is busy: {unit.activity.what}. Wait until that ends; 'raidtui status' shows it"
            )
        if pool.status.state == _SUSPENDED or not pool.status.leaves:
            raise Refused(
                f"{name} takes no I/O, or its devices are not listed: connect the missing disks first"
            )
        match procedure:
            case ReAdd(disk=disk):
                return tuple(_online(pool, machine.disk(disk), machine))
            case UseSpare(disk=disk):
                return tuple(_use_spare(pool, machine.disk(disk), machine))
            case RemoveFailed():
                beside = gone_beside(pool) and not failed_in(pool)
                return (_without(pool),) if beside else tuple(_make_permanent(pool))
            case RemoveVdev(disk=disk):
                return tuple(remove_vdev(pool, machine.disk(disk), machine))
            case RemoveSpare(disk=disk):
                return tuple(_remove_spare(pool, machine.disk(disk)))
            case Scrub():
                return (*_clear_first(pool), *_scrub(pool))
            case _:
                raise does_not(procedure, unit)


def failed_in(pool: Pool) -> list[Vdev]:
    """The devices with data that are not online, first those whose vdev may lose least besides."""
    bad = (one for one in pool.status.leaves if one.section in NEEDED and one.state not in {_ONLINE, ""})
    return sorted(bad, key=lambda one: left_beside(one, pool.status))


def gone_beside(pool: Pool) -> list[Vdev]:
    """The devices without data that are not there: of logs, caches and hot spares."""
    beside = (one for one in pool.status.leaves if one.section not in NEEDED)
    return [one for one in beside if one.state in _DOWN]


def taken_over(pool: Pool) -> Vdev | None:
    """The failed device whose place a hot spare has taken; None if there is none."""
    slots = [(vdev, slot) for vdev, slot in pool.status.slots() if slot is not None]
    groups = any(one.name.startswith("spare-") for one in pool.status.vdevs)
    new = [one for _, one in pool.status.newcomers]
    for bad in (one for one in failed_in(pool) if one not in new):
        own = next((slot for vdev, slot in slots if vdev is bad), None)
        if groups and any(slot == own and vdev.state == _ONLINE for vdev, slot in slots if vdev is not bad):
            return bad
    return None


def given_up(pool: Pool) -> Vdev | None:
    """What was to take the place of a device that is online, and is not online itself; None if there is none."""
    slots = list(pool.status.slots())
    for _, new in pool.status.newcomers:
        own = next((slot for vdev, slot in slots if vdev is new), None)
        if new.state != _ONLINE and any(slot == own and vdev.state == _ONLINE for vdev, slot in slots):
            return new
    return None


def is_of_another(other: Other) -> bool:
    """Whether another computer used the pool last, and may still have it: it was not exported there."""
    return _OF_ANOTHER in other.status


def why_not_imported(other: Other, report: PoolReport) -> str:
    """Why zpool-import(8) would refuse a pool, or take the wrong one; empty if it would not."""
    if other.destroyed:
        return "it was destroyed"
    if any(pool.name == other.name for pool in report.pools):
        return "another pool with its name is imported"
    if sum(one.name == other.name and not one.destroyed for one in report.others) > 1:
        return "several pools have its name"
    if is_of_another(other):
        return f"{other.host or 'another computer'} used it last, and did not export it"
    if other.state not in {_ONLINE, "DEGRADED"}:
        return f"zpool import says: {other.state or 'nothing'}; connect its missing disks"
    return ""


def _import(unit: Unit, report: PoolReport, *, degraded: bool) -> Step:
    name = harmless(unit.name)
    other = next((one for one in report.others if one.guid == unit.uuid), None)
    if other is None:
        raise Refused(f"the pool {name} was not found")
    if why := why_not_imported(other, report):
        raise Refused(f"{name} cannot be imported: {harmless(why)}")
    lacks = other.state != _ONLINE
    if lacks and not degraded:
        raise Refused(
            f"{name} lacks a disk; connect it, or choose to import it degraded (--do start-degraded)"
        )
    # What comes first gives the names by which the pool keeps its devices.
    apart = other.devices if other.searched else ()
    where = ("-d", "/dev/disk/by-id", *(word for device in apart for word in ("-d", device)))
    return start_step(
        id="import",
        title=f"Import the pool {name}" + (" degraded" if lacks else ""),
        reason="What the missing disk holds becomes out of date." if lacks else "All its disks are here.",
        actions=(Run(argv=("zpool", "import", *where, unit.uuid), timeout_seconds=1800),),
        after=(POOL_SERVES.of(unit.uuid),),
        undo_note=f"{name} stays imported",
    )


def _resume(pool: Pool) -> Step:
    name = harmless(pool.name)
    if pool.status.state != _SUSPENDED:
        raise Refused(f"{name} is imported already")
    return member_step(
        id="clear",
        title=f"Resume the I/O of {name}",
        reason="ZFS suspends it while too many disks are gone; they must be connected again.",
        actions=(Run(argv=("zpool", "clear", pool.name), timeout_seconds=1800),),
        after=(POOL_SERVES.of(pool.guid),),
    )


def _only_failed(pool: Pool) -> Vdev:
    bad, name = failed_in(pool), harmless(pool.name)
    if not bad:
        raise Refused(f"{name} lacks no disk")
    if not all(one.guid for one in bad):
        raise Refused(f"the GUID of a device of {name} is not known, and zpool finds it by no other name")
    return bad[0]


def _online(pool: Pool, disk: Disk, machine: Machine) -> Iterator[Step]:
    _only_failed(pool)
    shown, name = harmless(disk.identity), harmless(pool.name)
    for bad in failed_in(pool):
        found = connected(bad, pool, machine)
        if found is not None and found[0].key == disk.key and bad.state not in {"FAULTED", "DEGRADED"}:
            break
    else:
        raise Refused(f"no missing device of {name} is on {shown}")
    yield member_step(
        id="online",
        title=f"Bring {shown} online in {name}",
        reason=f"ZFS copies to {shown} only what was written since it left. {name} stays in use.",
        actions=(Run(argv=("zpool", "online", pool.name, bad.guid)),),
        before=(PRESENT.of(found[1]),),
        after=(DEVICE_IN.of(found[1], f"{pool.guid} replacing"),),
    )
    yield _wait(pool, found[1], shown)
    if len(failed_in(pool)) == 1:
        yield from _scrub(pool)


def _use_spare(pool: Pool, disk: Disk, machine: Machine) -> Iterator[Step]:
    bad, shown, name = _only_failed(pool), harmless(disk.identity), harmless(pool.name)
    spare = spare_on(disk, pool)
    if not spare:
        raise Refused(f"{shown} is not a hot spare of {name} that is free")
    alike = ("-o", f"ashift={pool.ashift}") if pool.ashift else ()
    yield member_step(
        id="replace",
        title=f"Replace {harmless(bad.name)} in {name} with the hot spare {shown}",
        reason="zed does so by itself where it runs. Exit code 1: it did.",
        actions=(Run(argv=("zpool", "replace", *alike, pool.name, bad.guid, spare), ok=(0, 1)),),
        after=(DEVICE_IN.of(spare, f"{pool.guid} replacing"),),
    )
    yield waiting_step(
        id="wait",
        title=f"Wait until {shown} is resilvered in {name}",
        reason="ZFS continues if raidtui ends, and after a reboot once the pool is imported.",
        actions=(resilvered(pool.name),),
        as_long_as="writing the data of the device",
    )
    yield _detach(pool, bad)
    if len(failed_in(pool)) == 1:
        yield from _scrub(pool)


def _without(pool: Pool) -> Step:
    """Remove what is gone and holds no data of the pool."""
    name, top = harmless(pool.name), {one.guid for one in pool.status.vdevs if one.depth == 0}
    gone = gone_beside(pool)
    if not all(one.guid for one in gone):
        raise Refused(f"the GUID of a device of {name} is not known, and zpool finds it by no other name")
    return member_step(
        id="remove",
        title=f"Remove {listed([f'{harmless(one.name)} of {one.section}' for one in gone])} from {name}",
        reason="The pool has all its data elsewhere. Exit code 1: it is removed already.",
        # Of a mirror, such as that of a log, one device is detached.
        actions=tuple(
            Run(argv=("zpool", "remove" if one.guid in top else "detach", pool.name, one.guid), ok=(0, 1))
            for one in gone
        ),
        after=(BESIDE_HERE.of(pool.guid),),
    )


def _make_permanent(pool: Pool) -> Iterator[Step]:
    bad, name = taken_over(pool) or given_up(pool), harmless(pool.name)
    if bad is None or not bad.guid:
        raise Refused(f"no device of {name} can be detached")
    yield _detach(pool, bad)
    if len(failed_in(pool)) == 1:
        yield from _scrub(pool)


def _detach(pool: Pool, bad: Vdev) -> Step:
    ends = bad is given_up(pool)
    why = "Its replacement ends with that" if ends else "The hot spare then stays for good"
    return member_step(
        id="detach",
        title=f"Detach the failed device {harmless(bad.name)} from {harmless(pool.name)}",
        reason=f"{why}. Exit code 1: it is detached already.",
        actions=(Run(argv=("zpool", "detach", pool.name, bad.guid), ok=(0, 1)),),
    )


def _remove_spare(pool: Pool, disk: Disk) -> Iterator[Step]:
    spare, shown = spare_on(disk, pool), harmless(disk.identity)
    if not spare:
        raise Refused(f"{shown} is not a hot spare of {harmless(pool.name)} that is free")
    path = next(path for path, stable in stable_paths(disk).items() if stable == spare)
    size = next((part.size_bytes for part in disk.partitions if part.path == path), disk.size_bytes)
    yield member_step(
        id="remove",
        title=f"Remove the hot spare {shown} from {harmless(pool.name)}",
        reason="The pool keeps all its data; it only loses what would take the place of a failed disk.",
        actions=(Run(argv=("zpool", "remove", pool.name, spare)),),
        after=(DEVICE_OUT.of(spare, pool.guid),),
    )
    yield member_step(
        id="forget",
        title=f"Erase the labels of {shown}",
        reason="They still say that it belongs to a pool, and a new use of the disk would have to be confirmed against that.",
        actions=erase_member(spare, size),
        destroys=(f"{shown}: its labels; a spare holds no data",),
        before=(DEVICE_OUT.of(spare, pool.guid),),
        after=(FORGOTTEN.of(spare),),
        holds=(disk.stable_path,),
    )


def _wait(pool: Pool, device: str, shown: str) -> Step:
    return waiting_step(
        id="wait",
        title=f"Wait until {shown} is resilvered in {harmless(pool.name)}",
        reason="ZFS continues if raidtui ends, and after a reboot once the pool is imported.",
        actions=(resilvered(pool.name),),
        before=(DEVICE_IN.of(device, f"{pool.guid} replacing"),),
        after=(DEVICE_IN.of(device, f"{pool.guid} member"),),
        as_long_as="writing the data of the device",
    )


def resilvered(pool: str) -> Run:
    """Wait until no resilver of the pool is left, also none that was deferred until another ended."""
    return Run(argv=("sh", "-c", _RESILVERED, "sh", pool), timeout_seconds=_LONGEST_SECONDS)


def _scrub(pool: Pool) -> Iterator[Step]:
    name = harmless(pool.name)
    yield scrub(pool.name)
    yield proof_step(
        id="prove",
        title=f"Check that {name} is whole",
        reason="Every device is online, and the scrub found no error that could not be corrected.",
        after=(POOL_WHOLE.of(pool.guid),),
    )
    yield _clear("reset", pool, "Errors that are counted after this are new ones.")


def _clear_first(pool: Pool) -> Iterator[Step]:
    """Bring devices back that have counted too many errors: a scrub alone leaves them degraded."""
    if any(one.state == "DEGRADED" for one in failed_in(pool)):
        yield _clear(
            "clear",
            pool,
            "ZFS keeps a device degraded until then. The scrub counts again whatever is still wrong.",
        )


def _clear(step: str, pool: Pool, reason: str) -> Step:
    return member_step(
        id=step,
        title=f"Set the error counts of {harmless(pool.name)} to zero",
        reason=reason,
        actions=(Run(argv=("zpool", "clear", pool.name)),),
    )


def scrub(pool: str, *, suffix: str = "") -> Step:
    """Read every block. Without a condition after it: one that holds already would not be done."""
    return member_step(
        id=f"scrub{suffix}",
        title=f"Scrub the pool {harmless(pool)}",
        reason="Only reading every block shows that each copy is right. If ZFS resilvers once more, the scrub follows that.",
        actions=(Run(argv=("sh", "-c", _SCRUB, "sh", pool), timeout_seconds=_LONGEST_SECONDS),),
        as_long_as="reading the whole pool",
    )


TENDER: Final = ZfsTender()
