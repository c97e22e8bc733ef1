"""What a pool can become: a further copy, a further vdev, a wider raidz, or larger devices. Pure.

A vdev that is added takes the next writes and nothing moves; a device that is attached is resilvered. Both are one
transaction of ZFS, so a pool is the one or the other after a power cut.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.care import Place, places_at
from raidtui.backends.growing import Shape, Way, refused
from raidtui.backends.room import fitting, least_disk, member_bytes, reserve_taken
from raidtui.backends.zfs.expansion import honest_words, is_expandable, why_not_wider
from raidtui.backends.zfs.levels import LEVELS
from raidtui.backends.zfs.options import USUAL_ASHIFT
from raidtui.backends.zfs.report import DATA, Pool, PoolReport, Vdev, reading_in
from raidtui.backends.zfs.space import DEFAULT_RECORD, PARITY, efficiency, pool_space
from raidtui.model.errors import CannotBuild, Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.procedure import Grow
from raidtui.model.struct import Record
from raidtui.model.text import as_number, count_of, harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.units import MIB, decimal

LEAST: Final = 64 * MIB
"""The bytes of a device at least."""
ATTACHED: Final = "attached"
"""Each new disk becomes a copy of one vdev."""
ADDED: Final = "added"
"""The new disks become a vdev like the others."""
_ONLINE: Final = "ONLINE"
_OFF: Final = frozenset({"off", "-"})
_COPIED: Final = "none: the data stays where it is, and is copied to the new disk"
_NEXT: Final = "none, nothing moves. What is stored stays on the old disks; new data goes to all"
_ALONE: Final = "any failed disk loses all of it, and there is one more of them"
_DETACHED: Final = "at any time: zpool detach takes the new disk out again"
_REMOVED: Final = "zpool remove can take the new vdev out again; that copies its data to the others"
_FOR_GOOD: Final = "impossible: a pool with raidz never gives a vdev back"


class Found(Record, frozen=True, kw_only=True):
    """A pool, as far as growing is concerned."""

    pool: Pool
    level: str
    used_bytes: int  # of what zfs list shows
    vdevs: tuple[tuple[Vdev, ...], ...]  # the devices of each
    groups: tuple[tuple[Place, ...], ...]  # where they are, in the same order
    lone: bool = False  # these are its vdevs without a copy, beside others with redundancy

    @property
    def width(self) -> int:
        """The number of devices of a vdev."""
        return len(self.groups[0])

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its devices are, the smallest first."""
        every = (place for group in self.groups for place in group)
        return tuple(sorted(every, key=lambda one: (one.size_bytes, one.path)))

    @property
    def sizes(self) -> list[list[int]]:
        """The bytes of the devices of each vdev."""
        return [[one.size_bytes for one in group] for group in self.groups]


def find(unit: Unit, machine: Machine) -> Found:
    """What of ``unit`` matters for growing. Raises Refused: it cannot grow now."""
    report = reading_in(machine)
    pool = report.with_guid(unit.uuid) if report is not None else None
    if pool is None:
        raise Refused("it is not imported")
    if why := _why_not_now(pool, unit):
        raise Refused(why)
    alone = pool.status.alone
    # Where some are without a copy, these alone get one each.
    vdevs: tuple[tuple[Vdev, ...], ...] = tuple((one,) for one in alone) or tuple(_data_vdevs(pool))
    groups = tuple(tuple(places_at((one.path for one in some), machine)) for some in vdevs)
    if [len(one) for one in groups] != [len(one) for one in vdevs]:
        raise Refused("not every device is on a disk of this computer")
    if any(place.part is None for group in groups for place in group):
        raise Refused("its devices are whole disks without a partition: see zpool-add(8)")
    if len({len(one) for one in vdevs}) > 1:
        raise Refused("its vdevs have different numbers of disks: see zpool-add(8)")
    root = report.root(pool) if report is not None else None
    return Found(
        pool=pool,
        level="stripe" if alone else pool.status.level,
        lone=bool(alone),
        used_bytes=root.used_bytes if root is not None else 0,
        vdevs=vdevs,
        groups=groups,
    )


def _why_not_now(pool: Pool, unit: Unit) -> str:
    status, known = pool.status, pool.properties
    if unit.activity is not None:
        doing = unit.activity
        return f"a {doing.what} is paused: resume or stop it first" if doing.paused else (
            f"it is busy: {doing.what}. Wait until that ends"
        )  # fmt: skip
    if unit.health is Health.ERRORS:
        return "errors are counted, or a disk of its logs or caches is missing: see 'raidtui care' first"
    alone = status.alone
    if (unit.health is not Health.OK and not alone) or any(one.state != _ONLINE for one in _needed(pool)):
        return "it lacks a disk: replace that first"
    if any(one.section != DATA for one in alone):
        return "a vdev of its metadata is a single disk: see zpool-attach(8)"
    if status.level not in LEVELS and not alone:
        kinds = harmless(status.level.replace("+", " and "))
        return f"its vdevs are {kinds}: raidtui grows pools whose vdevs are of one kind"
    if not all(one.guid for one in _needed(pool)):
        return "the GUIDs of its devices are not known, and zpool finds them by no other name for certain"
    if "checkpoint" not in known or "readonly" not in known:
        return "its properties could not be read"
    if known["checkpoint"] not in {*_OFF, "0", ""}:
        return "it has a checkpoint, which would go back to the old disks: discard it first (zpool checkpoint -d)"
    if known["readonly"] not in _OFF:
        return "it is imported read-only"
    return ""


def _needed(pool: Pool) -> list[Vdev]:
    return [one for one in pool.status.leaves if one.section == DATA]


def _data_vdevs(pool: Pool) -> Iterator[tuple[Vdev, ...]]:
    some: list[Vdev] = []
    for vdev in pool.status.vdevs:
        if vdev.section != DATA:
            continue
        if vdev.depth == 0 and some:
            yield tuple(some)
            some = []
        if vdev.leaf:
            some.append(vdev)
    if some:
        yield tuple(some)


def space(found: Found, groups: Sequence[Sequence[int]]) -> int:
    """The bytes that zfs list shows of an empty pool that was made of its vdevs, and has these now; 0: ZFS takes none of them."""
    ashift = found.pool.ashift or USUAL_ASHIFT
    try:
        then = pool_space(found.level, groups, ashift=ashift, whole_disks=False, made=found.sizes)
    except CannotBuild:
        return 0
    return then.available_bytes


def larger(found: Found) -> list[list[int]]:
    """The bytes of the devices of each vdev, if they take what is free behind them."""
    return [[member_bytes(one) for one in group] for group in found.groups]


def unused_bytes(found: Found) -> int:
    """The bytes that its devices have and the pool does not use, parity included (zpoolprops(7), expandsize)."""
    return as_number(found.pool.properties.get("expandsize", "")) or 0


def gained(found: Found) -> int:
    """The bytes that larger devices give; a few that rounding gives are none."""
    now = space(found, found.sizes)
    more = space(found, larger(found)) - now
    if unused := unused_bytes(found):
        parity, ashift = PARITY[found.level], found.pool.ashift or USUAL_ASHIFT
        data = efficiency(DEFAULT_RECORD, found.width, parity, ashift) if parity else 1
        more = max(more, int(unused * data) * 31 // 32)  # ZFS reserves at most a thirty-second
    return more if more >= now // 100 else 0


def way_of(found: Found, added: int) -> str:
    """What this many disks do: `ATTACHED`, `ADDED`; empty: nothing is offered for them."""
    count = len(found.groups)
    if found.level == "stripe":
        return ATTACHED if added == count else ADDED if added == 1 and not found.lone else ""
    if added == found.width:
        return ADDED
    return ATTACHED if added == 1 == count and found.level == "mirror" else ""


def counts(found: Found) -> list[int]:
    """By how many disks it may grow."""
    every = {len(found.groups) if found.level == "stripe" else found.width}
    return sorted(every if found.lone else {1, *every})


def by_words(found: Found) -> str:
    """By how many disks it grows, in words."""
    return " or ".join(str(one) for one in counts(found) if way_of(found, one))


def with_copies(found: Found) -> tuple[str, list[int]]:
    """The kinds and the widths of its vdevs when each of ``found`` has one more copy."""
    kinds, widths = [], []
    more = {some[0].guid for some in found.vdevs}
    for vdev in (one for one in found.pool.status.vdevs if one.section == DATA):
        if vdev.depth == 0:
            kinds.append("mirror" if vdev.leaf else vdev.name.partition("-")[0])
            widths.append(0)
        widths[-1] += vdev.leaf + (vdev.guid in more)
    return "+".join(dict.fromkeys(kinds)), widths


def vdev_words(found: Found) -> str:
    """What one of its vdevs is: "a mirror of 2 disks"."""
    if found.level == "stripe":
        return "a single disk, without redundancy"
    return f"a {found.level} of {found.width} disks"


def size_after(found: Found, unit: Unit, new: Sequence[int]) -> int:
    """The bytes that zfs list shows with further devices of these sizes."""
    if way_of(found, len(new)) == ATTACHED:
        return unit.size_bytes
    return unit.size_bytes + space(found, [*found.sizes, list(new)]) - space(found, found.sizes)


def shapes_of(unit: Unit, machine: Machine) -> Iterator[Shape]:
    """The rows of the table: today, what is possible with the free disks, and what is not done."""
    level, count = unit.level, unit.raid_disks
    report = reading_in(machine)
    try:
        found = find(unit, machine)
    except Refused as error:
        yield Shape(change="today", level=level, members=count, unit_bytes=unit.size_bytes)
        for change in ("more disks", "larger members"):
            yield refused(level, change, count, str(error))
    else:
        assert report is not None, "the pool is in it"
        yield Shape(
            change="today",
            level=level,
            members=count,
            unit_bytes=unit.size_bytes,
            survives=0 if found.lone else _survives(found),
        )
        yield from _more(unit, found, machine, report)
        if not found.lone:
            yield _larger(unit, found)
    yield refused(level, "another level", count, "ZFS has no way from one kind of vdev to another")
    yield refused(
        level,
        "fewer disks",
        count,
        "a pool with raidz never gives a disk back"
        if PARITY.get(level)
        else "not done by raidtui; see zpool-detach(8) and zpool-remove(8)",
    )


def _more(unit: Unit, found: Found, machine: Machine, report: PoolReport) -> Iterator[Shape]:
    disks = fitting(found.places, LEAST, machine)
    count, members = len(found.groups), len(found.places)
    for added in counts(found):
        way, change = way_of(found, added), f"+{count_of(added, 'disk')}"
        if not way:
            yield refused(found.level, change, members, why_not_one(found, unit, report.version))
            continue
        yield _with(added, way, unit, found, disks)
    if found.level == "stripe" and count == 1 and not found.lone:
        yield refused(
            found.level,
            "+1 disk, stripe",
            members,
            "any failed disk would lose all of it; a mirror is offered",
        )


def why_not_one(found: Found, unit: Unit, version: str) -> str:
    """Why a single further disk is not taken where a vdev has several."""
    count = len(found.groups)
    if not PARITY[found.level]:
        each = count_of(found.width, "disk")
        return f"it has {count} mirrors, and grows by another one of {each}; for a further copy in each see zpool-attach(8)"
    why = why_not_wider(version)
    if is_expandable(version) and count == 1:
        wide = [[*found.sizes[0], min(found.sizes[0])]]
        shown = unit.size_bytes + space(found, wide) - space(found, found.sizes)
        words = honest_words(found.level, found.width, found.pool, shown=shown, used=found.used_bytes)
        return f"{why}. {words}"
    return why


def _with(added: int, way: str, unit: Unit, found: Found, disks: Sequence[Disk]) -> Shape:
    chosen = tuple(one.identity for one in disks[:added]) if len(disks) >= added else ()
    part, members = found.places[0].size_bytes, unit.raid_disks + added
    size = size_after(found, unit, [part] * added)
    least = decimal(least_disk(found.places, LEAST))
    copied = way == ATTACHED
    moved = _used(found) if copied else 0
    return Shape(
        change=f"+{count_of(added, 'disk')}",
        level=with_copies(found)[0] if copied else found.level,
        members=members,
        unit_bytes=size,
        survives=found.width if copied else _survives(found),
        way=Way.COPY if copied else Way.NOTHING,
        moved_bytes=moved,
        checked_bytes=moved,
        risk=_COPIED if copied else _NEXT if _survives(found) else _ALONE,
        needs="" if chosen else f"{'a free disk' if added == 1 else f'{added} free disks'} of {least} or more",
        undo=_DETACHED if copied else _FOR_GOOD if PARITY[found.level] else _REMOVED,
        note="" if copied else f"{count_of(len(found.groups) + 1, 'vdev')}, each {vdev_words(found)}",
        fits=tuple(one.identity for one in disks),
        add=chosen,
        procedure=Grow(unit=unit.uuid, add=chosen) if chosen else None,
    )  # fmt: skip


def _used(found: Found) -> int:
    """The bytes that are stored on each device, about."""
    return found.pool.allocated_bytes // (len(found.groups) * (found.width if PARITY[found.level] else 1))


def _larger(unit: Unit, found: Found) -> Shape:
    more = gained(found)
    small = harmless(found.places[0].disk.identity)
    return _shape(
        found,
        "larger members",
        len(found.places),
        unit.size_bytes + more,
        risk="none, nothing moves",
        reserve_bytes=reserve_taken(found.places) if more else 0,
        needs="" if more else f"members on larger disks (raidtui replace). The smallest is {small}",
        undo="until the pool uses its larger devices",
        procedure=Grow(unit=unit.uuid, to_largest=True) if more else None,
    )


def _survives(found: Found) -> int:
    return found.width - 1 if found.level == "mirror" else PARITY[found.level]


def _shape(found: Found, change: str, members: int, size: int, **more: object) -> Shape:
    return Shape(
        change=change,
        level=found.level,
        members=members,
        unit_bytes=size,
        survives=_survives(found),
        **more,  # type: ignore[arg-type]  # the optional fields
    )
