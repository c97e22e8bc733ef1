"""Make the plan that replaces a disk: every member on it moves to another disk, in one plan."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.advice.findings.boot import booted_from, member_type
from raidtui.advice.hazards import sort_hazards
from raidtui.advice.replacements import hazards_of_new_member
from raidtui.backends.care import Place, no_pattern, sectors_fit
from raidtui.backends.registry import FOLDERS, find_replacer
from raidtui.backends.replacing import Leaving, Naming, Need
from raidtui.backends.units import units_of
from raidtui.backends.used_elsewhere import check_not_elsewhere
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.nodes import partition_path
from raidtui.model.plan import (
    REPLACED,
    Extent,
    Hazard,
    Plan,
    PlanKind,
    PlannedDisk,
    Role,
    Step,
    Undo,
    high,
    warning,
)
from raidtui.model.procedure import Replace
from raidtui.model.spec import Spec
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.units import both
from raidtui.plan.of_computer import plan_of_unit
from raidtui.plan.replaced import forget, names_of, prove
from raidtui.steps.devices import BLANK, PARTITION
from raidtui.steps.partitions import ZFS_RESERVED, like_pattern
from raidtui.steps.pieces import Piece, called, check_identity, planned
from raidtui.steps.seeds import derive
from raidtui.steps.settle import settle_partitions
from raidtui.steps.wipe import capsule_step, forget_table, reread, wipe_step


def find_order(word: str, new: str, machine: Machine, units: Sequence[Unit]) -> Replace:
    """Which disk ``word`` means: one that is here, one that a unit lost, or that which an array lacks. Pure.

    Args:
        units: those of ``machine``, with what the journal of units knows of their lost members.

    Raises:
        BadInput: it means nothing, or ``new`` is not a disk of this computer.
        Refused: the unit that it names is not running, or has lost too many members.
    """
    to = machine.disk(new).identity
    lost = {one.disk for unit in units for one in unit.lost if one.disk}
    named = [disk for disk in lost if word == disk]
    called = [unit for unit in units if unit.is_called(word)]
    missing: tuple[str, ...]
    if called and not named:
        if len(called) > 1:
            raise BadInput(f"{len(called)} units are called {harmless(word)!r}; name the disk instead")
        (unit,) = called
        if unit.health in {Health.FAILED, Health.INACTIVE}:
            raise Refused(
                f"nothing is replaced in {harmless(unit.shown)} now: {harmless(unit.state)}; "
                f"'raidtui care' says what is safe"
            )
        if unit.health is not Health.DEGRADED:
            raise BadInput(
                f"{harmless(unit.name)} lacks no member; to replace a disk that works, name it by its serial number"
            )
        gone = {one.disk for one in unit.lost} | {one.disk for one in unit.members if one.role == "faulty"}
        gone.discard("")
        old, missing = gone.pop() if len(gone) == 1 else "", (unit.uuid,)
    else:
        old = named[0] if named else machine.disk(word).identity
        missing = tuple(unit.uuid for unit in units if any(one.disk == old for one in unit.lost))
    # A disk that was lost and is here again, blank, is as good a new one as any.
    return Replace(old="" if missing and old == to else old, new=to, missing_from=missing)


def make_replace(order: Replace, machine: Machine, *, seed: str) -> Plan:
    """Plan the steps that replace a disk in every unit.

    Args:
        seed: a UUID, from which those of the new partitions are derived.

    Raises:
        BadInput: a disk is not here, or the old one is in no unit.
        Refused: the new disk is in use or does not fit; a unit syncs now, has no redundancy, or lacks another member.
    """
    new = machine.disk(order.new)
    check_identity(new, machine)
    old = next((disk for disk in machine.disks if order.old and disk.identity == order.old), None)
    if old is not None and old.key == new.key:
        raise BadInput(f"{called(new)} cannot replace itself; name the disk that takes its place")
    shown = called(old) if old is not None else harmless(order.old) or "the missing disk"
    needs = _needs(order, old, machine, shown=shown)
    check_new(new, needs)
    places = placed(needs)
    first, units = needs[0].unit, {need.unit.uuid: need for need in needs}
    like = "the disk that it replaces"
    steps = prepare(new, needs, places, seed=seed, udev=machine.system.udev, like=like)
    namings = named_members(new, places, seed=seed, old=shown)
    for need, naming in zip(needs, namings, strict=True):
        steps += need.steps(naming)
    return replace(
        plan_of_unit(first, machine, seed=seed),
        kind=PlanKind.REPLACE,
        uuids=(
            first.uuid,
            derive(seed, "table", new.identity),
            *(one.uuid for one in namings),
            *{one.container_uuid: None for one in needs if one.container_uuid},
        ),
        disks=(planned(new, new.stable_path, "member"), *_planned_old(old, needs)),
        hazards=_hazards(old, new, needs, machine),
        steps=(*steps, *prove(needs), *forget(old, needs)),
        also=tuple(_also(need, seed=seed) for uuid, need in units.items() if uuid != first.uuid),
    )


def named_members(
    new: Disk, places: Sequence[Place], *, seed: str, old: str = "", suffix: str = ""
) -> list[Naming]:
    """How the steps of each member on ``new`` name things; ``suffix``: of the ids of its steps."""
    whole, found = new.stable_path, []
    for number, place in enumerate(places, 1):
        device = whole if place.part is None else partition_path(whole, place.part.number)
        nth = "" if number == 1 else f"-{number}"
        uuid = member_uuid(new, seed, nth)
        found.append(Naming(old, called(new), device, whole, f"{suffix}{nth}", uuid, new.identity))
    return found


def member_uuid(new: Disk, seed: str, suffix: str = "") -> str:
    """The UUID of the new member on ``new``, for a backend whose members have one of their own.

    Args:
        suffix: of the ids of its steps, if the disk gets a member of several units.
    """
    return derive(seed, "pv", f"{new.identity}{suffix}")


def _also(need: Need, *, seed: str) -> Plan:
    """A further unit that gets a member; its steps are those of the first."""
    unit = need.unit
    return Plan(
        kind=PlanKind.REPLACE,
        spec=Spec(name=need.name, backend=unit.backend, level=unit.level),
        seed=seed,
        array_uuid=unit.uuid,
        array_path=unit.path or unit.node,
        uuids=(unit.uuid,),
        array_bytes=unit.size_bytes,
    )


def _needs(order: Replace, old: Disk | None, machine: Machine, *, shown: str) -> tuple[Need, ...]:
    """The units that get a new member, the one that another failure would take first."""
    leaving = Leaving(order.old, old, order.missing_from, machine)
    found = [
        need for name in FOLDERS if (needs := find_replacer(name)) is not None for need in needs(leaving)
    ]
    if not found:
        units = units_of(machine)
        above = ((one.path, unit.shown) for unit in units for one in unit.members if order.old in one.on)
        if order.old and (layered := next(above, None)) is not None:
            raise BadInput(
                f"{shown} is below {layered[0]}, a member of {layered[1]} that is not a disk but a device on one, as an "
                "encrypted one is. Make the same on the new disk and add that device by hand; raidtui does neither"
            )
        raise BadInput(
            f"{shown} is in no array that runs here, so there is nothing to replace; 'raidtui status' shows the arrays"
        )
    for need in found:
        check_not_elsewhere(need.unit, machine)
        if need.unit.health is Health.FAILED:
            raise Refused(
                f"{need.name} has lost more members than it survives: a new disk cannot be rebuilt. "
                "'raidtui status' shows what is left of it"
            )
        if not need.places:
            raise Refused(no_pattern(need.name, (one.path for one in need.unit.members), machine))
    return tuple(sorted(found, key=lambda need: need.left.urgency))


def check_new(new: Disk, needs: Sequence[Need]) -> None:
    """Check that the new disk is free and fits.

    Raises:
        Refused: it is in use, too small, or its sectors are larger than those of the members.
    """
    busy = [claim for claim in new.taken_by if claim.weight is not Weight.DATA]
    if busy:
        free = f"; to free it: {' && '.join(new.to_free)}" if new.to_free else ""
        raise Refused(f"{called(new)} is in use: {busy[0].detail}{free}")
    for need in needs:
        if new.has_device is need.of_card:
            where = "is not behind the RAID card" if need.of_card else "is behind a RAID card, not a disk"
            raise Refused(f"{called(new)} {where} that {need.name} could use")
        part = need.places[0].part
        least = need.places[0].least(need.least, new.logical_sector_bytes)
        if new.size_bytes < least:
            raise Refused(
                f"{called(new)} is too small for {need.name}: it has {both(new.size_bytes)} and needs {both(least)}, "
                f"{least - new.size_bytes:,} bytes more"
            )
        if not sectors_fit(new, need.present, part.start_bytes if part else 0):
            raise Refused(
                f"{called(new)} does not fit {need.name}: its sectors are larger than those of the other members"
            )
        need.check(new)


def placed(needs: Sequence[Need]) -> list[Place]:
    """Where each new member is to be: all as on one disk that has a member of each, which the old one had beside it.

    Raises:
        Refused: no disk has, and the places overlap.
    """
    for disk in dict.fromkeys(place.disk.key for need in needs for place in need.places):
        there = [next((one for one in need.places if one.disk.key == disk), None) for need in needs]
        found = [one for one in there if one is not None]
        if len(found) == len(needs):
            break
    else:
        found = [need.places[0] for need in needs]
    parts = sorted((one.part for one in found if one.part is not None), key=lambda part: part.start_bytes)
    ends = [part.start_bytes + part.size_bytes for part in parts]
    overlap = any(part.start_bytes < end for part, end in zip(parts[1:], ends, strict=False))
    members = len({need.container_uuid or number for number, need in enumerate(needs)})
    if overlap or len({part.number for part in parts}) < len(parts) or members > max(1, len(parts)):
        names = listed(names_of(needs))
        raise Refused(
            f"no disk has members of all of {names}, so no partition table fits the new disk; replace them one at a time"
        )
    return found


def _hazards(old: Disk | None, new: Disk, needs: Sequence[Need], machine: Machine) -> tuple[Hazard, ...]:
    found = {
        one.id: one
        for need in needs
        for one in (*need.hazards, *hazards_of_new_member(need.unit, need.present, new, machine))
    }
    if bare := names_of([need for need in needs if need.bare]):
        found["no-copy"] = warning(
            id="no-copy",
            seen=f"not all of {listed(bare)} has redundancy",
            meaning="What cannot be read on the old disk is lost; there is no copy of it.",
            advice="Copy what matters to other disks first.",
            source="pvmove(8), btrfs-replace(8), zpool-replace(8)",
            disks=() if old is None else (old.identity,),
        )
    rest = _not_moved(old, needs, machine) if old is not None else []
    if old is not None and rest:
        found["not-copied"] = high(
            id="not-copied",
            seen=f"{called(old)} also has {listed(rest)}",
            meaning="Only members of arrays move to the new disk; this stays on the old one.",
            advice="Copy it yourself before the old disk leaves the computer.",
            source="what is on the disk beside its members",
            disks=(old.identity,),
        )
    elif boots := booted_from(
        [disk for need in needs for disk in need.present],
        {member.path for need in needs for member in need.unit.members},
    ):
        found["not-bootable"] = warning(
            id="not-bootable",
            seen=listed(boots),
            meaning="This computer may not boot from the new disk: only members of arrays are made on it.",
            advice="The space for such a partition stays free on it. Make it there afterwards, copy its files or install the "
            "boot loader again (grub-install; proxmox-boot-tool on Proxmox), and try to boot from it.",
            source="the partition tables of the other members",
        )
    return sort_hazards(found.values())


def _not_moved(old: Disk, needs: Sequence[Need], machine: Machine) -> list[str]:
    """What is on the old disk beside the members that move, in words."""
    moved = {need.old_path for need in needs}
    erased = "" in moved  # a member was on it, and nothing says where: in a partition that is empty now
    words = [
        f"partition {part.number} ({', '.join(s.type for s in part.signatures) or 'no known contents'})"
        for part in old.partitions
        if part.path not in moved and (part.signatures or not (erased or part.type == ZFS_RESERVED))
    ]
    words += [
        f"a member of {unit.name}"
        for unit in units_of(machine)
        if any(member.path == old.path and member.path not in moved for member in unit.members)
    ]
    return [harmless(one) for one in words]


def _planned_old(old: Disk | None, needs: Sequence[Need]) -> tuple[PlannedDisk, ...]:
    if old is None:
        return ()
    moved = {need.old_path for need in needs}
    shares = tuple(part.number for part in old.partitions if part.path not in moved)
    return (planned(old, old.stable_path, REPLACED, shares),)


def prepare(
    new: Disk, needs: Sequence[Need], places: Sequence[Place], *, seed: str, udev: bool, like: str
) -> list[Step]:
    """Make the new disk blank, and partition it ``like`` another, which is named so in the title.

    Nothing of a drive behind a RAID card: the kernel does not see it.
    """
    if not new.has_device:
        return []
    whole = new.stable_path
    found = [
        (one.part, member_type(one.part, need.partition_type))
        for one, need in zip(places, needs, strict=True)
        if one.part
    ]
    parts = sorted(found, key=lambda one: one[0].start_bytes)
    start = parts[0][0].start_bytes if parts else 0
    end = parts[-1][0].start_bytes + parts[-1][0].size_bytes if parts else new.size_bytes
    piece = Piece(
        disk=new,
        role="member",
        number=0,
        whole=whole,
        device=partition_path(whole, parts[0][0].number) if parts else whole,
        extent=Extent(offset=start, length=end - start),
    )
    steps = [capsule_step([piece], until="it is added to a unit"), wipe_step([piece])]
    if not parts:
        return steps
    devices = [partition_path(whole, part.number) for part, _ in parts]
    like_those = [
        (part, kind, derive(seed, "partition", new.identity, str(part.number))) for part, kind in parts
    ]
    table = like_pattern(new, whole, like_those, uuid=derive(seed, "table", new.identity))
    partition = Step(
        id="partition",
        role=Role.PREPARE,
        title=f"Partition {called(new)} like {like}",
        reason="Each member gets a partition of the same size.",
        actions=(table, reread(whole)),
        before=(BLANK.of(whole),),
        after=tuple(
            PARTITION.of(device, f"{part.start_bytes} {part.size_bytes}")
            for device, (part, _) in zip(devices, parts, strict=True)
        ),
        undoable=Undo.COMMANDS,
        undo=forget_table(whole),
        undo_note="the new partition table is erased",
        repair=forget_table(whole),
        holds=(whole,),
    )
    return [*steps, partition, settle_partitions(devices, udev=udev)]
