"""The units and RAID cards in a reading of a computer. Pure: runs no command."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from raidtui.backends.registry import FOLDERS, REPORTED, card_readers, reader, readers_in, reporters
from raidtui.backends.used_elsewhere import as_used
from raidtui.model.device_graph import disks_of, graph_of
from raidtui.model.errors import RaidtuiError, Refused
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.unit import Unit, UnitMember
from raidtui.model.uuids import same_uuid

if TYPE_CHECKING:
    from raidtui.model.plan import Hazard  # plans are not loaded to look


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every unit in a reading, of all backends."""
    return tuple(
        in_machine(unit, machine) for one in readers_in(machine).values() for unit in one.units(machine)
    )


def in_machine(unit: Unit, machine: Machine) -> Unit:
    """``unit`` as it stands in ``machine``: its members know the disks below them, and another system may have it."""
    return as_used(_with_disks_below(unit, machine), machine)


def _with_disks_below(unit: Unit, machine: Machine) -> Unit:
    """``unit``, whose members on other devices, such as encrypted ones, know the disks below these."""
    if all(one.disk or one.on or one.called or not one.path for one in unit.members):
        return unit
    graph, disks = graph_of(machine), {disk.name: disk.identity for disk in machine.disks}

    def below(member: UnitMember) -> tuple[str, ...]:
        device = None if member.disk or member.called else graph.at(member.path)
        under = graph.disks_under(device) if device is not None else ()
        return tuple(filter(None, (disks.get(one.name, "") for one in under)))

    return msgspec.structs.replace(
        unit, members=tuple(msgspec.structs.replace(one, on=below(one)) for one in unit.members)
    )


def find_unit(word: str, machine: Machine) -> Unit | None:
    """The unit with this name, UUID, node or path; None if there is none.

    If another unit is built on it, return that one: to remove or erase a unit, start with what is on top of it.
    """
    units = units_of(machine)
    found = next((unit for unit in units if unit.is_called(word)), None)
    while found is not None and (above := unit_on(found, units)) is not None:
        found = above
    return found


def check_known(name: Backend, machine: Machine) -> None:
    """Check that the units of backend ``name``, and those it is made of, were read: none that is absent may exist.

    Raises:
        Refused: they could not be read.
    """
    mine = reader(name).claims
    for problem in machine.problems:
        if problem.what in FOLDERS and (problem.what == name or mine & reader(Backend(problem.what)).claims):
            raise Refused(f"not safe while it is unknown what is here: {problem.text}")


def unit_on(unit: Unit, units: Iterable[Unit]) -> Unit | None:
    """The one of ``units`` that is built on ``unit``: the volume group on an array."""
    return next((one for one in units if any(same_uuid(unit.uuid, uuid) for uuid in one.below)), None)


def is_rotational(unit: Unit, machine: Machine | None) -> bool:
    """Whether any disk under ``unit`` is rotational, and so slower towards its end; assumed if unknown."""
    known = [disk.rotational for disk in disks_of(unit, machine)] if machine else []
    return not known or any(known)


def polled_in(machine: Machine) -> tuple[Unit, ...]:
    """The units in a reading that have to be polled for changes."""
    return tuple(
        unit
        for name, one in readers_in(machine).items()
        if name not in REPORTED
        for unit in one.units(machine)
    )


def reported_in(machine: Machine) -> tuple[Unit, ...]:
    """The units in a reading whose changes the kernel reports."""
    return tuple(unit for one in reporters().values() for unit in one.units(machine))


def completed(units: Iterable[Unit], machine: Machine) -> tuple[Unit, ...]:
    """Add to current units what only a whole reading knows: their contents, mount points, disks and level."""
    known = {unit.uuid: unit for unit in units_of(machine)}
    whole = (_completed(unit, known[unit.uuid]) if unit.uuid in known else unit for unit in units)
    return tuple(as_used(unit, machine) for unit in whole)


def _completed(unit: Unit, known: Unit) -> Unit:
    disks = {member.path: (member.disk, member.on) for member in known.members if member.path}

    def with_disk(member: UnitMember) -> UnitMember:
        disk, on = disks.get(member.path, ("", ()))
        return msgspec.structs.replace(member, disk=member.disk or disk, on=on)

    return msgspec.structs.replace(
        unit,
        level=unit.level or known.level,
        size_bytes=known.size_bytes if not unit.level else unit.size_bytes,
        members=tuple(map(with_disk, unit.members)),
        signatures=unit.signatures or known.signatures,
        unread=unit.unread or known.unread,
        mountpoints=unit.mountpoints or known.mountpoints,
    )


def about_cards(machine: Machine) -> tuple[str, ...]:
    """The RAID cards in a reading, as lines of text, without its problems; empty on a computer without any."""
    told = {problem.text for problem in machine.problems}
    lines = (line for one in card_readers(machine.cards).values() for line in one.about(machine))
    return tuple(line for line in lines if line.strip() not in told)


def cards_are_read(machine: Machine) -> bool:
    """Whether every RAID card was read, so that the reading lacks none of their drives."""
    try:
        for one in card_readers(machine.cards).values():
            one.check_read(machine)
    except RaidtuiError:
        return False
    return True


def card_warnings(machine: Machine) -> "tuple[Hazard, ...]":
    """The faults of the RAID cards in a reading and of their units."""
    return tuple(one for cards in card_readers(machine.cards).values() for one in cards.warnings(machine))
