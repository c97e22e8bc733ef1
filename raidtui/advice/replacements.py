"""What is done about each unit, with the disks that replace missing members. Pure.

A backend says what its unit needs. Which free disk takes the place of a missing member is decided here, for all units
at once: a disk that is gone may have had members of several, and one new disk then replaces all of them. What a build
asks of a disk is asked of a replacement too.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from raidtui.advice.findings.beneath import first_below
from raidtui.advice.findings.failing_disks import needs_of, save_first
from raidtui.advice.findings.lost_tables import first_table
from raidtui.advice.hazards import OF_DISKS, sort_hazards
from raidtui.advice.hazards.tried import SLOW
from raidtui.backends.arithmetic.ideal import Ideal
from raidtui.backends.arithmetic.survival import Survival
from raidtui.backends.care import Replacement, Room, called, sectors_fit
from raidtui.backends.facts import Facts
from raidtui.backends.look import Look
from raidtui.backends.registry import backend, find_replacer
from raidtui.backends.replacing import Leaving
from raidtui.backends.unit_words import with_noun
from raidtui.model.errors import Refused
from raidtui.model.finding import Remedy
from raidtui.model.machine import ClaimKind, Disk, Machine
from raidtui.model.md_levels import parity_of
from raidtui.model.plan import Hazard, Severity
from raidtui.model.procedure import Procedure, Replace
from raidtui.model.spec import Spec
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit
from raidtui.model.units import decimal
from raidtui.steps.partitions import room_behind

_NEARLY: Final = 0.98
"""The part of the size from which a free disk is shown with what it lacks: in whole GB it looks large enough."""
_SHOWN: Final = (Severity.HIGH, Severity.WARN)


class _Need(NamedTuple):
    """A unit with a missing member, and its place among the units."""

    place: int
    unit: Unit
    what: Replacement


class _Share(NamedTuple):
    """Units whose missing members one disk replaces, most urgent first."""

    needs: tuple[_Need, ...]
    pattern: Disk  # a disk with a member of each

    def room(self, need: _Need) -> Room:
        """The pattern for the new member of ``need``."""
        return next(room for room in need.what.rooms if room.disk.key == self.pattern.key)

    @property
    def least(self) -> int:
        """The minimum size of the disk, in bytes."""
        if len(self.needs) == 1:
            return self.room(self.needs[0]).least
        ends = (part.start_bytes + part.size_bytes for part in self.pattern.partitions)
        return max(ends, default=0) + room_behind(self.pattern, self.pattern.logical_sector_bytes)

    @property
    def lost(self) -> frozenset[str]:
        """The disks that are missing or failed, as far as known."""
        return frozenset().union(*(need.what.lost for need in self.needs))

    @property
    def suspect(self) -> frozenset[str]:
        """The disks that failed before."""
        return frozenset().union(*(need.what.suspect for need in self.needs))


def remedies_of(
    units: Sequence[Unit], machine: Machine, failing: Collection[str] = ()
) -> tuple[tuple[Remedy, ...], ...]:
    """What each of ``units`` needs, most urgent first; empty if it is fine or recovers by itself.

    Args:
        failing: identities of disks that work and are about to fail.
    """
    found = [(*save_first(unit, failing), *needs_of(unit, machine, failing)) for unit in units]
    needs = [
        _Need(place, unit, one)
        for place, (unit, some) in enumerate(zip(units, found, strict=True))
        for one in some
        if isinstance(one, Replacement)
    ]
    chosen = _choose(needs, machine) if needs else {}
    return tuple(
        (
            *first_table(unit, machine),
            *first_below(unit, units, machine),
            *(care for one in some for care in ((one,) if isinstance(one, Remedy) else chosen[place])),
        )
        for place, (unit, some) in enumerate(zip(units, found, strict=True))
    )


def _choose(needs: Sequence[_Need], machine: Machine) -> dict[int, tuple[Remedy, ...]]:
    """What to do about each need, by the place of its unit."""
    found: dict[int, tuple[Remedy, ...]] = {}
    taken: dict[str, _Need] = {}  # by the key of a disk: who gets it
    for share in _shares(needs):
        first = share.needs[0]
        disk = _best(share, machine, taken)
        if disk is None:
            for need in share.needs:
                found[need.place] = tuple(_without_disk(need, share, taken, machine))
            continue
        taken[disk.key] = first
        remedy = _replace(share, disk, machine)
        found[first.place] = (remedy,)
        for need in share.needs[1:]:
            text = f"replace {need.what.what} with {called(disk)}, together with that of {harmless(with_noun(first.unit))}"
            found[need.place] = (Remedy(text=text, procedure=remedy.procedure),)
    return found


def _shares(needs: Sequence[_Need]) -> list[_Share]:
    """The needs by the disk that replaces their missing members, most urgent first.

    Members on partitions of one disk that is here very likely had their partners on one disk that is gone, unless it
    is known that they had not.
    """
    waiting = sorted(needs, key=lambda one: one.what.left.urgency)
    shares = []
    while waiting:
        first = waiting[0]
        groups = [(room.disk, _beside(first, room, waiting)) for room in first.what.rooms]
        pattern, some = max(groups, key=lambda one: len(one[1]))
        shares.append(_Share(tuple(some), pattern))
        waiting = [need for need in waiting if need not in some]
    return shares


def _beside(first: _Need, room: Room, needs: Sequence[_Need]) -> list[_Need]:
    """``first``, and those of ``needs`` whose lost member was beside its own."""
    if room.part not in room.disk.partitions:  # a whole disk, or of another size than the one here
        return [first]
    return [
        need
        for need in needs
        if any(one.disk.key == room.disk.key for one in need.what.rooms)
        and (need is first or not need.what.lost or not first.what.lost or need.what.lost & first.what.lost)
    ]


def _best(share: _Share, machine: Machine, taken: dict[str, _Need]) -> Disk | None:
    """The best free disk: without grave hazards, then the most like the lost one; None if none fits."""
    like = next((one for one in machine.disks if one.identity in share.lost), share.pattern)
    model = next((need.what.model for need in share.needs if need.what.model), like.model)

    def order(disk: Disk) -> tuple[object, ...]:
        hazards = _hazards(share.needs[0], disk, machine)
        return (
            disk.identity in share.suspect,
            disk.identity in share.lost,  # it lost what was on it, or somebody erased it
            any(one.severity is Severity.HIGH for one in hazards),
            bool(_remains(disk)),
            any(one.id == SLOW for one in hazards),
            disk.rotational != like.rotational,
            disk.transport != like.transport,
            disk.removable,
            disk.physical_sector_bytes != like.physical_sector_bytes,
            disk.size_bytes - share.least,
            disk.model != model,
        )

    fitting = (disk for disk in machine.disks if disk.key not in taken and _fits(disk, share, machine))
    return min(fitting, key=order, default=None)


def _fits(disk: Disk, share: _Share, machine: Machine) -> bool:
    if not _may_be(disk, share) or disk.size_bytes < share.least:
        return False
    return _sectors_fit_all(disk, share) and not any(
        one.severity is Severity.BLOCK for one in _hazards(share.needs[0], disk, machine)
    )


def _may_be(disk: Disk, share: _Share) -> bool:
    """Whether the backend can use ``disk``, apart from what is wrong with it."""
    among = share.needs[0].what.among
    return disk.free and disk.has_device if among is None else disk.key in among


def _sectors_fit_all(disk: Disk, share: _Share) -> bool:
    copied = len(share.needs) > 1  # sfdisk counts in logical sectors
    if copied and disk.logical_sector_bytes != share.pattern.logical_sector_bytes:
        return False
    return all(_sectors_fit(disk, need, share.room(need)) for need in share.needs)


def _sectors_fit(disk: Disk, need: _Need, room: Room) -> bool:
    members = [one.disk for one in need.what.rooms]
    if need.what.one_sector_size and {one.logical_sector_bytes for one in members} != {
        disk.logical_sector_bytes
    }:
        return False
    return sectors_fit(disk, members, room.start)


def _replace(share: _Share, disk: Disk, machine: Machine) -> Remedy:
    first = share.needs[0]
    text = f"replace {first.what.what} with the free disk {called(disk)}, {decimal(disk.size_bytes)}{_remains(disk)}"
    if len(share.needs) > 1:
        others = listed([harmless(with_noun(need.unit)) for need in share.needs[1:]])
        text += f". It also gets the members of {others} that were on the same disk, in this order"
    warned = _warnings(_hazards(first, disk, machine))
    if disk.identity in {*share.suspect, *share.lost} and not (disk.serial or disk.wwn):
        warned = (f"a member was lost in the place of {called(disk)}: is it another disk now?", *warned)
    elif disk.identity in share.suspect:
        warned = (f"{called(disk)} failed before: find out why first (smartctl --xall {disk.path})", *warned)
    elif disk.identity in share.lost:
        warned = (
            f"{called(disk)} was a member and is blank now: if nobody erased it, find out why first (smartctl --xall {disk.path})",
            *warned,
        )
    try:
        procedure = _procedure(share, disk, machine)
        return Remedy(text=text, procedure=procedure, warnings=warned, failed=first.what.failed)
    except Refused as error:
        return Remedy(
            text=f"{text}. raidtui does not do it now: {error}", warnings=warned, failed=first.what.failed
        )


def _remains(disk: Disk) -> str:
    """What is on a free disk that is not blank, in words."""
    found = next((one for one in disk.taken_by if one.what is ClaimKind.REMAINS), None)
    return f", which is not blank ({harmless(found.detail)})" if found is not None else ""


def _procedure(share: _Share, disk: Disk, machine: Machine) -> Procedure:
    """How raidtui replaces the disk in all units of ``share``. Raises Refused: it does not now."""
    first = share.needs[0].what
    if not disk.identity:
        raise Refused("the disk has no serial number by which it could be named")
    if first.by is not None:
        return first.by(disk)
    # It may be here again, blank, or have another member of the same unit.
    lacking = [need.unit for need in share.needs if any(one.role == "missing" for one in need.unit.members)]
    kept = {one.disk for unit in lacking for one in unit.members if one.state == "in sync"}
    gone = share.lost - kept - {disk.identity}
    old = next(iter(gone)) if len(gone) == 1 else ""
    uuids = tuple(need.unit.uuid for need in share.needs)
    here = next((one for one in machine.disks if old and one.identity == old), None)
    leaving = Leaving(old, here, uuids, machine)
    found = {
        one.unit.uuid
        for need in share.needs
        if (needs := find_replacer(need.unit.backend)) is not None
        for one in needs(leaving)
    }
    if not found >= set(uuids):
        raise Refused("what it lacks is not known for certain")
    return Replace(old=old, new=disk.identity, missing_from=uuids)


def _without_disk(need: _Need, share: _Share, taken: dict[str, _Need], machine: Machine) -> Iterator[Remedy]:
    if need.what.otherwise:
        yield from need.what.otherwise
        return
    wanted = f"replace {need.what.what}: connect a disk of {decimal(share.least)} or more"
    gets = [
        f"{called(disk)} goes to {harmless(with_noun(taken[disk.key].unit))} first"
        for disk in machine.disks
        if disk.key in taken and _fits(disk, share, machine)
    ]
    unfit = [
        disk
        for disk in machine.disks
        if _may_be(disk, share) and disk.size_bytes >= share.least and disk.key not in taken
    ]
    if gets:
        yield Remedy(text=f"{wanted}. {'; '.join(gets)}")
    elif unfit:
        yield Remedy(text=f"{wanted}. {'; '.join(_why_not(disk, share, machine) for disk in unfit)}")
    else:
        small = [
            disk
            for disk in machine.disks
            if _may_be(disk, share) and disk.size_bytes >= share.least * _NEARLY
        ]
        lack = "; ".join(
            f"{called(one)} is {share.least - one.size_bytes:,} bytes too small" for one in small
        )
        yield Remedy(text=f"{wanted}{f'. {lack}' if lack else '; none is free here'}")


def _why_not(disk: Disk, share: _Share, machine: Machine) -> str:
    """Why a free disk that is large enough is not used."""
    if not _sectors_fit_all(disk, share):
        size, other = disk.logical_sector_bytes, share.pattern.logical_sector_bytes
        sectors = f"{size}-byte sectors, the others {other}" if size != other else "larger physical sectors"
        return f"{called(disk)} does not fit: it has {sectors}"
    worst = next(one for one in _hazards(share.needs[0], disk, machine) if one.severity is Severity.BLOCK)
    return f"{called(disk)} is not fit: {worst.meaning.rstrip('.')}"


def _hazards(need: _Need, disk: Disk, machine: Machine) -> tuple[Hazard, ...]:
    present = tuple({room.disk.key: room.disk for room in need.what.rooms}.values())
    return hazards_of_new_member(need.unit, present, disk, machine)


def hazards_of_new_member(
    unit: Unit, present: Sequence[Disk], disk: Disk, machine: Machine
) -> tuple[Hazard, ...]:
    """What a build would say of ``disk`` as a member of ``unit`` beside the disks ``present``, most severe first."""
    alone = _found(unit, (disk,), machine)
    known = {one.id for one in (*alone, *_found(unit, tuple(present), machine))}
    together = [
        one
        for one in _found(unit, (*present, disk), machine)
        if one.id not in known and disk.identity in one.disks
    ]
    return sort_hazards((*alone, *together))


def _found(unit: Unit, disks: tuple[Disk, ...], machine: Machine) -> list[Hazard]:
    own = backend(unit.backend)
    look = Look(
        spec=Spec(name=unit.name, backend=unit.backend, level=unit.level),
        facts=_facts(unit),
        machine=machine,
        members=disks,
        spares=(),
    )
    return [
        msgspec.structs.replace(one, severity=own.grades.get(one.id, one.severity))
        for family in OF_DISKS
        for check in family.CHECKS
        for one in check(look)
    ]


def _facts(unit: Unit) -> Facts:
    """What the checks of disks ask of a layout: that it is redundant, and whether it has parity."""
    return Facts(
        layout="",
        array_bytes=unit.size_bytes,
        component_bytes=0,
        members=(),
        sets=(),
        survival=Survival(
            guaranteed=1,
            second_failure_fatal_probability=0.0,
            next_failure_fatal_probability=0.0,
            words="",
        ),
        read_in_rebuild=0,
        ideal=Ideal(
            seq_read=0, seq_write=0, rand_read=0, rand_write=0, seq_read_many=0, ios_per_random_write=0
        ),
        accuracy="",
        boot="",
        parity=parity_of(unit.level),
    )


def _warnings(hazards: Sequence[Hazard]) -> tuple[str, ...]:
    return tuple(harmless(one.told) for one in hazards if one.severity in _SHOWN)
