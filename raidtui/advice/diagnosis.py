"""Everything that is wrong on a computer, most urgent first, from one reading. Pure.

A backend says what its unit needs; which disk takes the place of a lost one is decided for all units at once. What the
computer's configuration expects and nothing here provides is a finding too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Final

from msgspec.structs import replace

from raidtui.advice.findings.alerts import findings_where_set
from raidtui.advice.findings.boot import boot_findings
from raidtui.advice.findings.containers import container_findings
from raidtui.advice.findings.disks import SAVE, clones, doubled, overwritten, table_misfits, tables_damaged
from raidtui.advice.findings.doubled_mounts import doubled_mounts
from raidtui.advice.findings.error_recovery import error_recovery
from raidtui.advice.findings.failing_disks import failing_disks, failing_words, members_on
from raidtui.advice.findings.filesystems import cut_findings, filesystem_findings, unused_findings
from raidtui.advice.findings.foreign import ForeignSet, foreign_sets
from raidtui.advice.findings.foreign_findings import foreign_findings
from raidtui.advice.findings.lost_beginnings import beginning_findings
from raidtui.advice.findings.lost_headers import header_findings
from raidtui.advice.findings.mounts_expected import mounts_expected
from raidtui.advice.findings.pages import PAGES
from raidtui.advice.findings.read_only import (
    END_TRIAL,
    ReadOnly,
    is_held_by_trial,
    read_only_units,
    trial_findings,
)
from raidtui.advice.findings.scrubs import scrub_findings
from raidtui.advice.findings.slow_members import slow_members
from raidtui.advice.findings.trials import with_what_it_writes
from raidtui.advice.findings.worsening_disks import worsening
from raidtui.advice.replacements import remedies_of
from raidtui.backends.registry import card_readers, readers
from raidtui.backends.unit_words import with_noun
from raidtui.backends.urgency import urgency
from raidtui.model.disk_label import label_of
from raidtui.model.finding import Concerned, Finding, Kind, Remedy, Urgency, concerned
from raidtui.model.lost import LostMember
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.procedure import ReAdd, Replace, Start
from raidtui.model.text import harmless, listed
from raidtui.model.unit import WELL, Health, Noted, Unit, UnitMember
from raidtui.model.unit_names import command_word

_LEFT: Final = {
    Left.NOTHING: "none, one more failure loses {}",
    Left.CHANCE: "some, the next failure may lose {}, depending on the disk",
    Left.SOME: "reduced, {} survives any one more failure",
}
_GONE: Final = frozenset({"missing", "faulted"})
_WITH_MEMBERS: Final = frozenset({Health.DEGRADED, Health.ERRORS, Health.FAILED})
_NOTED: Final = {
    Noted.HELD: Kind.HELD,
    Noted.SLOWED: Kind.SLOWED,
    Noted.PART: Kind.CHECK_STOPPED,
    Noted.MISMATCHES: Kind.MISMATCHES,
}
_PULL: Final = "pull a disk before you have compared its serial number"
_PULL_BY_LIGHT: Final = (
    "pull a disk before its light has shown which one it is: not all of them report a serial number"
)
_NEVER: Final = {
    Health.FAILED: "create it again, re-add or add a member, erase a superblock, or write to its disks",
    Health.INACTIVE: "create it again, or erase a superblock",
    Health.DEGRADED: _PULL,
    Health.ERRORS: _PULL,
}


def diagnose(units: Sequence[Unit], machine: Machine | None) -> tuple[Finding, ...]:
    """What is wrong with ``units`` and what the configuration expects, most urgent first.

    Args:
        units: with what the journal of units knows of their lost members.
        machine: a whole reading; None while there is none: what to do is not known then.
    """
    sick = failing_disks(machine) if machine is not None else {}
    sets = _foreign(units, machine) if machine is not None else ()
    apart = {unit.uuid for one in sets for unit in one.units}
    units = [unit for unit in units if unit.uuid not in apart]
    affected = [
        unit
        for unit in units
        if unit.health is not Health.OK
        or unit.untouched
        or unit.noted
        or unit.back
        or (unit.activity is not None and unit.activity.paused)
        or members_on(unit, sick.keys())
    ]
    fixed = read_only_units(units, machine) if machine is not None else {}
    affected += [unit for unit in units if unit.uuid in fixed and unit not in affected]
    nothing: tuple[tuple[Remedy, ...], ...] = ((),) * len(affected)
    remedies = remedies_of(affected, machine, sick) if affected and machine is not None else nothing
    pairs = zip(affected, remedies, strict=True)
    twice = clones(machine) if machine is not None else {}
    found = [
        *(
            (_URGENT, _cloned(unit, twice[unit.uuid], machine, units))
            for unit in units
            if machine is not None and unit.uuid in twice
        ),
        *(
            (_urgency(unit, some), _of_unit(unit, some, units, machine, sick, fixed.get(unit.uuid)))
            for unit, some in pairs
            if (some or is_at_fault(unit) or unit.uuid in fixed) and unit.uuid not in twice
        ),
    ]
    # What a job is building, or a sweep removes again, is in no file of /etc: that job sees to it.
    known = {finding.unit for _, finding in found} | {unit.uuid for unit in units if unit.job}
    rest = tuple(_on_disks(machine, units)) if machine is not None else ()
    known |= {one.unit for one in rest if PAGES[one.kind].urgency > Urgency.NOTE}
    every = (
        *(finding for _, finding in sorted(found, key=lambda pair: pair[0])),
        *(foreign_findings(sets, machine, sick) if machine is not None else ()),
        # The configuration of a unit that needs something else can wait.
        *(
            one
            for one in rest
            if one.unit not in apart and (one.kind is not Kind.NOT_CONFIGURED or one.unit not in known)
        ),
    )
    ordered = sorted(every, key=lambda one: PAGES[one.kind].urgency, reverse=True)
    if machine is not None:
        ordered = [with_what_it_writes(one, units, machine) for one in ordered]
    return tuple(_told_apart(ordered))


def _told_apart(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings in their order; the commands of one whose name was there before name what they do."""
    seen: set[str] = set()
    for one in findings:
        yield replace(one, again=True) if one.name in seen else one
        seen.add(one.name)


def _foreign(units: Sequence[Unit], machine: Machine) -> tuple[ForeignSet, ...]:
    """The sets that another system made."""
    twice = clones(machine)  # advice about a clone comes first
    sets = foreign_sets(machine, units)
    return tuple(one for one in sets if not any(unit.uuid in twice for unit in one.units))


_URGENT: Final = (0, False, False, "")  # nothing may be done to it until it is clear which disk is meant


def _urgency(unit: Unit, remedies: Sequence[Remedy] = ()) -> tuple[object, ...]:
    """A key to sort findings by: of units of one health, first what a plan can begin with, below what is built on it."""
    gravest, *rest = urgency(unit)
    begins_here = any(one.procedure is not None or one.commands for one in remedies[:1])
    return gravest, not remedies, not begins_here, *rest


def _cloned(unit: Unit, paths: Sequence[str], machine: Machine, units: Sequence[Unit]) -> Finding:
    """Nothing else is said of it: no advice is safe."""
    return Finding(
        name=name_of(unit, units),
        kind=Kind.CLONE,
        what=f"{with_noun(unit)}: {unit.state}; {doubled(paths, machine)}",
        unit=unit.uuid,
        never="start it, mount it, or write to either of them",
        remedies=(Remedy(text="disconnect the one that does not belong here; until then change nothing"),),
    )


def calm(units: Sequence[Unit], machine: Machine) -> str:
    """What is said where there is no finding."""
    if not machine.complete:
        return "nothing wrong was seen, but without root not everything can be read"
    if machine.problems:
        return "nothing wrong was seen, but not everything could be read"
    if any(unit.health in {Health.BUILDING, Health.DEGRADED} for unit in units):
        return "nothing to do: redundancy is being built or rebuilt"
    return "nothing is wrong that can be seen here"


def is_at_fault(unit: Unit) -> bool:
    """Whether a person must look at it; a degraded unit with an activity is already being rebuilt, if nothing else is missing."""
    return unit.health in {Health.FAILED, Health.ERRORS} or (
        unit.health is Health.DEGRADED
        and (unit.activity is None or any(one.role == "missing" for one in unit.members))
    )


def name_of(unit: Unit, units: Sequence[Unit]) -> str:
    """The name by which a command finds ``unit`` among ``units``."""
    return command_word(unit, units)


def _of_unit(
    unit: Unit,
    remedies: tuple[Remedy, ...],
    units: Sequence[Unit],
    machine: Machine | None,
    sick: Mapping[str, str],
    fixed: ReadOnly | None = None,
) -> Finding:
    left = Left.of_state(unit.state)
    failing = [one.disk for one in members_on(unit, sick.keys())]
    also = failing_words(failing, sick, machine) if failing and machine is not None else ()
    about = [unit]
    if machine is not None and is_held_by_trial(unit, machine):
        remedies = (END_TRIAL,)
    if fixed is not None:  # nothing else can be done before
        remedies, also = (fixed.remedy, *remedies), (fixed.words, *also)
    if unit.health is Health.FAILED or any(_is_forced(one) for one in remedies):
        # To look for its files, or to connect a disk, comes before anything else; whatever writes comes after.
        first = 1 + max((place for place, one in enumerate(remedies) if one.is_trial), default=-1)
        first += len([*takewhile(lambda one: not _writes(one), remedies[first:])])
        writes = first < len(remedies)
        remedies = (*remedies[:first], SAVE, *remedies[first:]) if writes else (*remedies, SAVE)
    elif not remedies and (below := [one for one in units if one.uuid in unit.below and is_at_fault(one)]):
        about = below  # the members of this one are all there
        names = listed([harmless(with_noun(one)) for one in below])
        it = "it is" if len(below) == 1 else "they are"
        remedies = (Remedy(text=f"nothing here: it is on {names}; when {it} repaired, so is this"),)
    return Finding(
        name=name_of(unit, units),
        kind=Kind.READ_ONLY
        if fixed is not None and unit.health in {Health.OK, Health.SYNCING}
        else Kind.FAILING_DISK
        if (failing and unit.health is Health.OK) or _replaces_a_well_one(unit, remedies)
        else _kind_of(unit, left),
        what="; ".join(filter(None, (f"{with_noun(unit)}: {unit.state}", unit.noted, *also))),
        unit=unit.uuid,
        disks=tuple(disk for one in about for disk in _concerned(one, machine, sick))
        or tuple(_named_by(remedies, machine)),
        lacks=any(member.role == "missing" for one in about for member in one.members),
        left=_LEFT[left].format(unit.shown) if left is not None else "",
        never=_never(unit, machine),
        remedies=remedies,
    )


def _never(unit: Unit, machine: Machine | None) -> str:
    never = _NEVER.get(unit.health, "")
    if never != _PULL or machine is None:
        return never
    disks = {one.disk for one in unit.members}
    nameless = any(one.identity in disks and not one.serial for one in machine.disks)
    return _PULL_BY_LIGHT if nameless else never


def _writes(remedy: Remedy) -> bool:
    """Whether a copy of the disks comes before it: not if a unit only resumes with all of them."""
    resumes = isinstance(remedy.procedure, Start) and not (
        remedy.procedure.forced or remedy.procedure.degraded
    )
    return (remedy.procedure is not None and not resumes) or bool(remedy.commands)


def _replaces_a_well_one(unit: Unit, remedies: Sequence[Remedy]) -> bool:
    """Whether every member of it works, and a new disk comes first: a RAID card expects one of them to fail."""
    works = unit.health is Health.ERRORS and all(_is_well(one) for one in unit.members)
    return works and bool(remedies) and isinstance(remedies[0].procedure, Replace)


def _is_forced(remedy: Remedy) -> bool:
    """Whether it starts a unit from members that are not up to date."""
    forced = isinstance(remedy.procedure, Start) and remedy.procedure.forced
    return forced or any("--force" in one for one in remedy.commands)


def _kind_of(unit: Unit, left: Left | None) -> Kind:
    match unit.health:
        case Health.FAILED:
            return Kind.FAILED
        case Health.DEGRADED:
            return Kind.NO_REDUNDANCY if left is Left.NOTHING else Kind.DEGRADED
        case Health.ERRORS:
            bad = [one for one in unit.members if not _is_well(one)]
            # What has a note holds no data of the unit: a cache.
            out = bool(bad) and all(one.role == "faulty" or (one.note and one.role in _GONE) for one in bad)
            return Kind.FAILED_MEMBER if out else Kind.ERRORS
        case Health.INACTIVE:
            return Kind.INACTIVE
    if unit.noted:
        return _NOTED[unit.noted]
    if unit.back:
        return Kind.OUT_OF_DATE
    return Kind.FAILED_MEMBER if any(one.role == "faulty" for one in unit.members) else Kind.WAITING


def _concerned(unit: Unit, machine: Machine | None, sick: Mapping[str, str]) -> Iterator[Concerned]:
    """The disks that it lost, and those of members that are not well."""
    for lost in _missed(unit):
        yield Concerned(
            disk=lost.disk,
            state="not in it now" if lost.here else "lost",
            model=lost.model,
            place="" if lost.here else lost.place,
            path=lost.here or lost.path,
            since=lost.noticed,
        )
    known = {lost.disk for lost in unit.lost}
    bad = [
        (one, disk)
        for one in unit.members
        for disk in (one.disk, *one.on)
        if disk
        and disk not in known
        and (disk in sick or (unit.health in _WITH_MEMBERS and not _is_well(one)))
    ]
    disks = {one.identity: one for one in machine.disks} if bad and machine is not None else {}
    yield from (_of_member(one, disk, disks.get(disk), sick.get(disk, "")) for one, disk in bad)


def _named_by(remedies: Sequence[Remedy], machine: Machine | None) -> Iterator[Concerned]:
    """Former members that may return, or failed, which nothing recorded as lost."""
    disks = {one.identity: one for one in machine.disks} if machine is not None else {}
    for one in remedies:
        if isinstance(one.procedure, ReAdd) and one.procedure.disk in disks:
            yield concerned(disks[one.procedure.disk], "not in it now")
        for name in one.failed:
            yield concerned(disks[name], "failed") if name in disks else Concerned(disk=name, state="failed")


def _missed(unit: Unit) -> Sequence[LostMember]:
    """Its lost members without those whose slot another disk has had since: as many as slots are empty, the latest."""
    empty = [one.slot for one in unit.members if not one.path]
    if not empty:
        return unit.lost
    # A failed member that is still listed has left its slot, so one of the empty ones was its own.
    failed = sum(bool(one.path) and one.slot is None and one.role == "faulty" for one in unit.members)
    latest = sorted(unit.lost, key=lambda one: one.noticed, reverse=True)
    return sorted(latest, key=lambda one: one.slot not in empty)[: max(0, len(empty) - failed)]


def _is_well(member: UnitMember) -> bool:
    return member.state in WELL or member.role in {"rebuilding", "not started", "not mounted"}


def _of_member(member: UnitMember, identity: str, disk: Disk | None, failing: str) -> Concerned:
    return Concerned(
        disk=identity,
        state=", ".join(filter(None, (member.state, failing))),
        label=label_of(disk) if disk is not None else "",
        model=disk.model if disk is not None else "",
        place=(disk.port or disk.slot) if disk is not None else "",
        path=member.path,
    )


def _on_disks(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """What is wrong apart from the units that are here."""
    yield from filesystem_findings(machine, units)
    yield from cut_findings(machine, units)
    yield from unused_findings(machine, units)
    yield from overwritten(machine, units)
    yield from table_misfits(machine)
    yield from tables_damaged(machine, units)
    yield from worsening(machine, units)
    yield from slow_members(machine, units, partial(name_of, units=units))
    yield from scrub_findings(machine, units, partial(name_of, units=units))
    yield from error_recovery(machine, units, partial(name_of, units=units))
    yield from boot_findings(machine, units, partial(name_of, units=units))
    yield from trial_findings(machine)
    yield from _expected(machine, units)
    yield from findings_where_set(machine, units)


def _expected(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """Units and mounts that the configuration expects and that are not here."""
    told = [one for reader in readers(machine.cards).values() for one in reader.expected(machine)]
    yield from told
    apart = {one.unit for one in told if one.kind is Kind.CREATED_OVER}
    yield from beginning_findings(machine, units, apart)
    yield from header_findings(machine, units, apart)
    for card in card_readers(machine.cards).values():
        yield from card.findings(machine)
    yield from mounts_expected(machine, units)
    yield from container_findings(machine)
    yield from doubled_mounts(machine)
