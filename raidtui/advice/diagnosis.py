"""Everything that is wrong on a computer, most urgent first, from one reading. Pure.

A backend says what its unit needs; which disk takes the place of a lost one is decided for all units at once. What the
computer's configuration expects and nothing here provides is a finding too.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from raidtui.advice.finding_pages import PAGES
from raidtui.advice.replacements import remedies_of
from raidtui.backends.registry import backend, readers
from raidtui.backends.urgency import urgency
from raidtui.model.config_lines import TAGS, name_in
from raidtui.model.finding import Concerned, Finding, Kind, Remedy
from raidtui.model.lost import LostMember
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.unit import WELL, Health, Unit, UnitMember
from raidtui.steps.fstab import FSTAB, fields_of, is_mounted_at_boot

_LEFT: Final = {
    Left.NOTHING: "none, one more failure loses {}",
    Left.CHANCE: "some, the next failure may lose {}, depending on the disk",
    Left.SOME: "reduced, {} survives any one more failure",
}
_WITH_MEMBERS: Final = frozenset({Health.DEGRADED, Health.ERRORS, Health.FAILED})
_PULL: Final = "pull a disk before you have compared its serial number"
_NEVER: Final = {
    Health.FAILED: "create it again, re-add or add a member, erase a superblock, or write to its disks",
    Health.INACTIVE: "create it again, or erase a superblock",
    Health.DEGRADED: _PULL,
    Health.ERRORS: _PULL,
}


def diagnose(
    units: Sequence[Unit], machine: Callable[[], Machine] | None, *, configured: bool = True
) -> tuple[Finding, ...]:
    """What is wrong with ``units`` and what the configuration expects, most urgent first.

    Args:
        units: with what the journal of units knows of their lost members.
        machine: returns a whole reading, which may take a while; called only if a unit needs something. None while
            there is none: what to do is not known then.
        configured: whether to look at the configuration too, for which it is called always.
    """
    concerned = [unit for unit in units if unit.health is not Health.OK or unit.untouched]
    nothing: tuple[tuple[Remedy, ...], ...] = ((),) * len(concerned)
    remedies = remedies_of(concerned, machine) if concerned and machine is not None else nothing
    pairs = sorted(zip(concerned, remedies, strict=True), key=lambda pair: urgency(pair[0]))
    found = (
        *(_of_unit(unit, some, units, machine) for unit, some in pairs if some or is_at_fault(unit)),
        *(_expected(machine()) if configured and machine is not None else ()),
    )
    return tuple(sorted(found, key=lambda one: PAGES[one.kind].urgency, reverse=True))


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
    """Whether a person must look at it; a degraded unit with an activity is already being rebuilt."""
    return unit.health in {Health.FAILED, Health.ERRORS} or (
        unit.health is Health.DEGRADED and unit.activity is None
    )


def name_of(unit: Unit, units: Sequence[Unit]) -> str:
    """The name by which a command finds ``unit`` among ``units``."""
    alone = sum(one.is_called(unit.shown) for one in units) == 1
    return unit.shown if alone else unit.uuid


def _of_unit(
    unit: Unit, remedies: tuple[Remedy, ...], units: Sequence[Unit], machine: Callable[[], Machine] | None
) -> Finding:
    left = Left.of_state(unit.state)
    return Finding(
        name=name_of(unit, units),
        kind=_kind_of(unit, left),
        what=f"{backend(unit.backend).noun} {unit.shown}: {unit.state}",
        unit=unit.uuid,
        disks=tuple(_concerned(unit, machine)),
        left=_LEFT[left].format(unit.shown) if left is not None else "",
        never=_NEVER.get(unit.health, ""),
        remedies=remedies,
    )


def _kind_of(unit: Unit, left: Left | None) -> Kind:
    match unit.health:
        case Health.FAILED:
            return Kind.FAILED
        case Health.DEGRADED:
            return Kind.NO_REDUNDANCY if left is Left.NOTHING else Kind.DEGRADED
        case Health.ERRORS:
            return Kind.ERRORS
        case Health.INACTIVE:
            return Kind.INACTIVE
    return Kind.FAILED_MEMBER if any(one.role == "faulty" for one in unit.members) else Kind.WAITING


def _concerned(unit: Unit, machine: Callable[[], Machine] | None) -> Iterator[Concerned]:
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
    if unit.health not in _WITH_MEMBERS:
        return
    known = {lost.disk for lost in unit.lost}
    bad = [one for one in unit.members if one.disk and one.disk not in known and not _is_well(one)]
    disks = {one.identity: one for one in machine().disks} if bad and machine is not None else {}
    yield from (_of_member(one, disks.get(one.disk)) for one in bad)


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
    return member.state in WELL or member.role in {"rebuilding", "not started"}


def _of_member(member: UnitMember, disk: Disk | None) -> Concerned:
    return Concerned(
        disk=member.disk,
        state=member.state,
        model=disk.model if disk is not None else "",
        place=(disk.port or disk.slot) if disk is not None else "",
        path=member.path,
    )


def _expected(machine: Machine) -> Iterator[Finding]:
    """Units and mounts that the configuration expects and that are not here."""
    for reader in readers(machine.cards).values():
        yield from reader.expected(machine)
    system = machine.system
    # Without udev, and in old recordings, it is not known where a line leads.
    known = system.udev and len(system.fstab) == len(system.fstab_nodes)
    mounted = {mount.target for mount in machine.mounts}
    for line, node in zip(system.fstab, system.fstab_nodes, strict=True) if known else ():
        fields = fields_of(line)
        if node or not is_mounted_at_boot(fields) or fields[1] in mounted:
            continue
        source = fields[0]
        if name_in(source).tag in TAGS or source.startswith("/dev/"):
            yield Finding(
                name=fields[1],
                kind=Kind.MOUNT_EXPECTED,
                what=f"{FSTAB} mounts {source} at {fields[1]} at boot, and no device here is called so",
                remedies=(
                    Remedy(
                        text=f"connect its disks, or start what it is on; if it is gone for good, remove its line from {FSTAB}"
                    ),
                ),
            )
