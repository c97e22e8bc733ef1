"""Let a pool grow: zpool-add(8), zpool-attach(8), zpool-online(8) with -e. Devices in it are named by GUID, never ``-f``.

What a pool cannot give back is added only after ``zpool add -n`` has agreed to it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.growing import Grower, Grown, Shape
from raidtui.backends.replacing import Naming
from raidtui.backends.room import widened, wider_partitions
from raidtui.backends.zfs.care_conditions import DEVICE_IN, POOL_WHOLE
from raidtui.backends.zfs.create import unlabel
from raidtui.backends.zfs.grow_conditions import POOL_HOLDS, POOL_SETTLED, POOL_SHAPE
from raidtui.backends.zfs.need import ZfsNeed
from raidtui.backends.zfs.report import reading_in
from raidtui.backends.zfs.shapes import (
    ADDED,
    ATTACHED,
    LEAST,
    Found,
    by_words,
    find,
    gained,
    larger,
    shapes_of,
    size_after,
    unused_bytes,
    vdev_words,
    way_of,
    why_not_one,
    with_copies,
)
from raidtui.backends.zfs.space import PARITY
from raidtui.backends.zfs.tend import resilvered, scrub
from raidtui.backends.zfs.units import left_in
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Hazard, Run, Step, high, member_step, waiting_step, warning
from raidtui.model.procedure import Grow
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Unit
from raidtui.steps.partitions import ZFS_MEMBER


class ZfsGrown(Grown, frozen=True, kw_only=True):
    """A pool that grows."""

    shape: str  # the kind and the widths of its vdevs afterwards
    copies: bool  # data is copied or moved


class ZfsGrower(Grower):
    """zfsutils-linux."""

    def shapes(self, unit: Unit, machine: Machine) -> tuple[Shape, ...]:
        return tuple(shapes_of(unit, machine))

    def grown(self, order: Grow, unit: Unit, machine: Machine) -> Grown:
        """What the pool becomes. Its filesystems grow with it."""
        found, way = _checked(order, unit, machine)
        new = [found.places[0].size_bytes] * len(order.add)  # partitioned like the smallest
        return ZfsGrown(
            need=ZfsNeed(
                unit=unit,
                left=left_in(found.pool.status),
                places=found.places,
                present=tuple(one.disk for one in found.places),
                least=LEAST,
                partition_type=ZFS_MEMBER,
                guid="",
                ashift=str(found.pool.ashift or ""),
            ),
            unit_bytes=size_after(found, unit, new) if new else unit.size_bytes + gained(found),
            device=unit.path,
            within=True,
            disks=tuple(widened(found.places)) if order.to_largest else (),
            hazards=tuple(_hazards(found, way)),
            shape=_shape_after(found, way),
            copies=way == ATTACHED,
        )

    def steps(self, order: Grow, unit: Unit, machine: Machine, new: Sequence[Naming]) -> list[Step]:
        """Add a vdev; or attach disks and wait; or enlarge the devices."""
        found, way = _checked(order, unit, machine)
        if order.to_largest:
            return [*wider_partitions(found.places), *_expanded(found, unit)]
        if way == ADDED:
            return [_add(found, new)]
        targets = [vdev[0].guid for vdev in found.vdevs]
        steps = [
            step for guid, naming in zip(targets, new, strict=True) for step in _attach(found, guid, naming)
        ]
        return [*steps, scrub(unit.name)]

    def proof(self, order: Grow, unit: Unit, grown: Grown) -> tuple[Check, ...]:
        """Its vdevs with every device online, and its size; a scrub without errors, if anything was copied."""
        assert isinstance(grown, ZfsGrown), "it is what `grown` made"
        checks = (POOL_SHAPE.of(unit.uuid, grown.shape), POOL_HOLDS.of(unit.uuid, str(grown.unit_bytes)))
        return (*checks, POOL_WHOLE.of(unit.uuid)) if grown.copies else checks

    def last(self, unit: Unit) -> list[Step]:
        """Nothing: what was copied has been scrubbed, and a vdev that was added holds no data."""
        return []


def _checked(order: Grow, unit: Unit, machine: Machine) -> tuple[Found, str]:
    """The pool, if it can grow so now, and what the new disks do: `way_of`; ``larger`` without any.

    Raises:
        Refused: it cannot.
    """
    added, name = len(order.add), harmless(unit.name)
    if order.level:
        raise Refused(f"{name} keeps its kind of vdevs: ZFS has no way to another")
    if bool(added) == order.to_largest or len(set(order.add)) != added:
        raise Refused("a pool grows either by disks, each named once, or into its larger members")
    try:
        found = find(unit, machine)
    except Refused as error:
        raise Refused(f"{name} cannot grow: {error}") from None
    if order.to_largest:
        if found.lone:
            raise Refused(f"some disks of {name} have no copy: give them one first")
        if not gained(found):
            raise Refused(
                f"{name} already uses all that its smallest members have; replace every member of a vdev by a larger disk first"
            )
        return found, "larger"
    way = way_of(found, added)
    if not way:
        report = reading_in(machine)
        why = why_not_one(found, unit, report.version if report is not None else "") if added == 1 else ""
        raise Refused(
            f"{name} does not grow by {count_of(added, 'disk')}; it does by {by_words(found)}"
            + (f". One disk: {why}" if why else "")
        )
    return found, way


def _hazards(found: Found, way: str) -> Iterator[Hazard]:
    """What a person has to know before a vdev is added."""
    if way != ADDED:
        return
    name = harmless(found.pool.name)
    if PARITY[found.level]:
        yield warning(
            id="vdev-for-good",
            seen=f"{name} gets another {found.level}",
            meaning="This cannot be undone: a pool with raidz never gives a vdev back. Without the new disks all of the pool is lost.",
            advice="Add disks that you would trust with the data that the pool has now (raidtui burnin).",
            source="zpool-remove(8)",
        )
    elif found.level == "stripe":
        yield high(
            id="vdev-without-redundancy",
            seen=f"{name} has no redundancy, and gets one more disk",
            meaning="Any failed disk loses the whole pool; with more disks that happens sooner.",
            advice=f"With {count_of(len(found.groups), 'disk')} more, each of its disks gets a copy instead.",
            source="zpoolconcepts(7)",
        )


def _shape_after(found: Found, way: str) -> str:
    """The kind and the widths of its vdevs afterwards, as `POOL_SHAPE` has them."""
    if way == ATTACHED:
        level, wider = with_copies(found)
        return " ".join([level, *map(str, wider)])
    widths = [len(group) for group in found.groups]
    return " ".join([found.level, *map(str, [*widths, found.width] if way == ADDED else widths)])


def _attach(found: Found, guid: str, naming: Naming) -> Iterator[Step]:
    """Make ``naming`` a copy of the device with this GUID."""
    pool = found.pool
    uuid, name = pool.guid, harmless(pool.name)
    alike = ("-o", f"ashift={pool.ashift}") if pool.ashift else ()
    yield member_step(
        id=f"attach{naming.suffix}",
        title=f"Attach {naming.new} to a vdev of {name} as a further copy",
        reason=f"ZFS copies what is stored to it; {name} stays in use.",
        actions=(Run(argv=("zpool", "attach", *alike, pool.name, guid, naming.device)),),
        before=naming.ready,
        after=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
        repair=unlabel(naming.device),
        holds=(naming.whole,),
    )
    yield waiting_step(
        id=f"wait{naming.suffix}",
        title=f"Wait until {naming.new} is resilvered in {name}",
        reason="ZFS continues if raidtui ends, and after a reboot once the pool is imported.",
        actions=(resilvered(pool.name),),
        before=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
        after=(POOL_SETTLED.of(uuid), DEVICE_IN.of(naming.device, f"{uuid} member")),
        as_long_as="copying the data of the vdev",
    )


def _add(found: Found, new: Sequence[Naming]) -> Step:
    """Add a vdev like the others; ``-n`` first, which checks and changes nothing."""
    pool, devices = found.pool, [one.device for one in new]
    kind = [] if found.level == "stripe" else [found.level]
    alike = ("-o", f"ashift={pool.ashift}") if pool.ashift else ()
    added = (*alike, pool.name, *kind, *devices)
    back = (
        "A pool with raidz never gives a vdev back."
        if PARITY[found.level]
        else "zpool remove can take it out again."
    )
    return member_step(
        id="add",
        title=f"Add a vdev to {harmless(pool.name)}: {vdev_words(found)}",
        reason=f"Nothing moves; new data goes to all vdevs. {back}",
        actions=(Run(argv=("zpool", "add", "-n", *added)), Run(argv=("zpool", "add", *added))),
        before=tuple(check for one in new for check in one.ready),
        after=(POOL_SHAPE.of(pool.guid, _shape_after(found, ADDED)),),
        repair=unlabel(*devices),
        holds=tuple(one.whole for one in new),
    )


def _expanded(found: Found, unit: Unit) -> Iterator[Step]:
    pool = found.pool
    grows = [
        one.guid
        for vdev, now, then in zip(found.vdevs, found.sizes, larger(found), strict=True)
        for one, old, new in zip(vdev, now, then, strict=True)
        if new > old or unused_bytes(found)
    ]
    yield member_step(
        id="expand",
        title=f"Let {harmless(pool.name)} use all of its larger devices",
        reason="Nothing moves, and the pool stays in use. A vdev is as large as its smallest device allows.",
        actions=tuple(Run(argv=("zpool", "online", "-e", pool.name, guid)) for guid in grows),
        after=(POOL_HOLDS.of(pool.guid, str(unit.size_bytes + gained(found))),),
    )


GROWER: Final = ZfsGrower()
