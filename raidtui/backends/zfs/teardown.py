"""Tear down a pool: destroy it and erase its labels, so that nothing of it comes back."""

import shlex
from collections.abc import Iterator

from raidtui.backends.zfs.conditions import POOL_GONE
from raidtui.backends.zfs.create import erase_member
from raidtui.backends.zfs.report import Pool, PoolReport, reading_in
from raidtui.backends.zfs.units import units_of
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Run, Step, removal_step
from raidtui.model.spec import Backend, Spec
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Health, Unit
from raidtui.steps.footprint import Footprint
from raidtui.steps.partitions import ZFS_MEMBER, ZFS_RESERVED
from raidtui.steps.removal import OnDisk, Removal, erase_step, members_at, wholes_of

_SLOW = 600


class _Doomed(Record, frozen=True, kw_only=True):
    """An imported pool to be destroyed, with its unit and ZFS' report."""

    unit: Unit
    pool: Pool
    report: PoolReport

    @property
    def name(self) -> str:
        return harmless(self.pool.name)


def _find(word: str, machine: Machine) -> _Doomed | None:
    """The imported pool that ``word`` means."""
    report = reading_in(machine)
    found = [unit for unit in units_of(machine) if unit.is_called(word) or unit.has_mark(word)]
    if report is None or not found:
        return None
    imported = {pool.guid: pool for pool in report.pools}
    chosen = [unit for unit in found if unit.uuid in imported] or found
    if len(chosen) > 1:
        those = ", ".join(unit.uuid for unit in chosen)
        raise BadInput(f"several pools are called {word!r}: give the GUID instead, one of {those}")
    (unit,) = chosen
    name = harmless(unit.name)
    if unit.uuid not in imported:
        destroyed = any(one.destroyed for one in report.others if one.guid == unit.uuid)
        raise Refused(
            f"the pool {name} is {unit.state}. To restore it: zpool import -D {unit.uuid}; to erase what is left, on "
            "each of its devices: zpool labelclear DEVICE"
            if destroyed
            else f"the pool {name} is {unit.state}. To see what is in it: zpool import -o readonly=on -N {unit.uuid}; "
            "raidtui removes only imported pools"
        )
    return _Doomed(unit=unit, pool=imported[unit.uuid], report=report)


def removal(word: str, machine: Machine) -> Removal | None:
    """How the pool that ``word`` means is destroyed and its disks left blank; None if there is none.

    Raises:
        BadInput: there are several, or none of its disks is in this computer.
        Refused: it is not imported or has failed; or a device is neither a disk nor a partition.
    """
    found = _find(word, machine)
    if found is None:
        return None
    unit, name = found.unit, found.name
    if unit.health is Health.FAILED:
        raise Refused(
            f"the pool {name} is {unit.state}: zpool destroy would wait for its disks. Export or clear it first: "
            f"zpool clear {shlex.quote(name)}"
        )
    if found.report.root(found.pool) is None:
        raise Refused(
            f"what is in the pool {name} is unknown: zfs does not list it. Try again when 'zfs list {name}' answers"
        )
    members = members_at(
        [leaf.path for leaf in found.pool.status.leaves if leaf.path],
        machine,
        called_as=f"a device of {name}",
        instead=lambda _: f"Export the pool instead: zpool export {shlex.quote(name)}",
    )
    if not members:
        raise BadInput(f"no disk of the pool {name} is in this computer")
    mark = next((one for one in unit.marks if one != unit.uuid), unit.uuid)
    datasets = found.report.of(found.pool)
    return Removal(
        spec=Spec(name=name, backend=Backend.ZFS, level=unit.level, members=()),
        noun="pool",
        mark=mark,
        uuids=(unit.uuid,),
        path=found.pool.name,
        size_bytes=unit.size_bytes,
        members=members,
        partition_type=ZFS_MEMBER,
        leftover_type=ZFS_RESERVED,
        footprint=Footprint(datasets=frozenset({found.pool.name, *(one.name for one in datasets)})),
        # ZFS mounts a dataset at its own mount point itself: mount(8) takes only those with a legacy one.
        mounts_itself={(one.name, one.mountpoint): Run(argv=("zfs", "mount", one.name)) for one in datasets},
        core=(
            _destroy_step(found, members),
            erase_step(
                "labels",
                members,
                lambda member: erase_member(member.device, member.size_bytes),
                title=f"Erase the labels of {count_of(members, 'device')}",
                reason="A destroyed pool could be imported again from its labels.",
                destroys=lambda member: f"{member.shown}: its part of the pool",
            ),
        ),
        gone=(POOL_GONE.of(unit.uuid),),
        folders=unit.mountpoints[-1:],
        built=mark,
    )


def _destroy_step(found: _Doomed, members: tuple[OnDisk, ...]) -> Step:
    """Destroy the pool. Without ``-f``, zpool refuses if a dataset is in use."""
    return removal_step(
        id="destroy",
        title=f"Destroy the pool {found.name}",
        reason="With every dataset, volume and snapshot in it. zpool itself refuses while one of them is in use.",
        actions=(Run(argv=("zpool", "destroy", found.pool.name), timeout_seconds=_SLOW),),
        destroys=tuple(_losses(found)),
        after=(POOL_GONE.of(found.pool.guid),),
        holds=wholes_of(members),
    )


def _losses(found: _Doomed) -> Iterator[str]:
    """What is lost, a line per dataset; without sizes, which change while the pool is in use."""
    shown = list(found.report.of(found.pool))[:20]
    for one in shown:
        place = f" at {one.mountpoint}" if one.mountpoint.startswith("/") else ""
        yield harmless(f"{one.type} {one.name}{place}")
    more = len(found.report.of(found.pool)) - len(shown)
    if more > 0:
        yield f"{more} more datasets"
    if count := found.report.snapshots.get(found.pool.name, 0):
        yield f"{count_of(count, 'snapshot')} of {found.name}"
