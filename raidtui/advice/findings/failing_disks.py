"""Disks that still work and say that they are about to fail: replaced while they do, or copied first. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from raidtui.advice.hazards.health import failing
from raidtui.backends.care import Replacement, called, while_it_works
from raidtui.backends.registry import backend, find_replacer, reader
from raidtui.backends.replacing import Leaving
from raidtui.model.errors import Refused
from raidtui.model.finding import Remedy
from raidtui.model.machine import Disk, Machine
from raidtui.model.md_levels import Left
from raidtui.model.text import harmless
from raidtui.model.unit import WELL, Health, Unit, UnitMember


def failing_disks(machine: Machine) -> dict[str, str]:
    """The disks that say that they are about to fail: by identity, what says so."""
    return {one.identity: why for one in machine.disks if one.identity and (why := failing(one))}


def failing_words(disks: Iterable[str], sick: Mapping[str, str], machine: Machine) -> Iterator[str]:
    """Of each of the ``disks``, by identity, what says that it is about to fail."""
    here = {one.identity: one for one in machine.disks}
    for one in dict.fromkeys(disks):
        yield f"{called(here[one])} is failing: {harmless(sick[one])}"


def needs_of(unit: Unit, machine: Machine, failing: Collection[str]) -> tuple[Remedy | Replacement, ...]:
    """What the backend says of ``unit``; if that is nothing, a member on a failing disk is replaced while it works."""
    found = reader(unit.backend).care(unit, machine)
    member = next(iter(members_on(unit, failing)), None)
    if found or member is None or unit.health is not Health.OK:
        return found
    disk = next((one for one in machine.disks if one.identity == member.disk), None)
    if not is_redundant(unit) and not _is_copied(unit, disk, machine):
        return found
    name = called(disk) if disk is not None else harmless(member.disk)
    need = _while_it_works(unit, member, disk, name, machine)
    return found if need is None else (need,)


def _is_copied(unit: Unit, disk: Disk | None, machine: Machine) -> bool:
    """Whether its backend copies a disk of ``unit`` to a new one, though it has no redundancy."""
    needs = find_replacer(unit.backend)
    if disk is None or needs is None:
        return False
    try:
        return any(one.unit.uuid == unit.uuid for one in needs(Leaving(disk.identity, disk, (), machine)))
    except Refused:
        return False


def _while_it_works(
    unit: Unit, member: UnitMember, disk: Disk | None, name: str, machine: Machine
) -> Remedy | Replacement | None:
    own = reader(unit.backend).while_it_works
    if own is not None:
        return own(unit, disk, harmless(failing(disk)), machine) if disk is not None else None
    paths = (one.path for one in unit.members)
    return while_it_works(f"{name} while it still works", member.path, paths, machine)


def save_first(unit: Unit, failing: Collection[str]) -> tuple[Remedy, ...]:
    """The data of a unit that no failing disk may be missing from."""
    alone = Left.of_state(unit.state) in {Left.NOTHING, Left.CHANCE} or not is_redundant(unit)
    if not alone or not members_on(unit, failing):
        return ()
    return (
        Remedy(text="copy its data to other disks now: it is not redundant, and a disk of it is failing"),
    )


def members_on(unit: Unit, disks: Collection[str]) -> list[UnitMember]:
    """The members of ``unit`` that work and are on one of the ``disks``."""
    return [one for one in unit.members if one.disk in disks and one.role in WELL]


def is_redundant(unit: Unit) -> bool:
    """Whether its level is; True for one that is not known."""
    level = backend(unit.backend).levels.get(unit.level)
    return level is None or level.redundant
