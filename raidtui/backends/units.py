"""The units and RAID cards in a reading of a computer. Pure: nobody is asked anything."""

from collections.abc import Iterable

import msgspec

from raidtui.backends.registry import REPORTED, card_readers, readers, reporters
from raidtui.model.errors import RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every unit in a reading, of all backends."""
    return tuple(unit for reader in readers().values() for unit in reader.units(machine))


def find_unit(word: str, machine: Machine) -> Unit | None:
    """The unit that is called ``word``: its name, UUID, node or path; none if no unit is.

    Where another stands on it, that one: what removes or erases a unit does so to what is on it first.
    """
    units = units_of(machine)
    found = next((unit for unit in units if unit.is_called(word)), None)
    while found is not None and (above := unit_on(found, units)) is not None:
        found = above
    return found


def unit_on(unit: Unit, units: Iterable[Unit]) -> Unit | None:
    """The one of ``units`` that stands on ``unit``: the volume group on an array."""
    return next((one for one in units if any(same_uuid(unit.uuid, uuid) for uuid in one.below)), None)


def disks_of(unit: Unit, units: Iterable[Unit]) -> set[str]:
    """The identities of the disks under ``unit``, those of the units that it stands on too."""
    every = tuple(units)
    found = {member.disk for member in unit.members if member.disk}
    for one in every:
        if any(same_uuid(one.uuid, uuid) for uuid in unit.below):
            found |= disks_of(one, every)
    return found


def is_rotational(unit: Unit, units: Iterable[Unit], machine: Machine | None) -> bool:
    """Whether a disk under ``unit`` turns, and so gets slower towards its end; what is not known is taken to turn."""
    under = disks_of(unit, units)
    known = [disk.rotational for disk in machine.disks if disk.identity in under] if machine else []
    return not known or any(known)


def polled_in(machine: Machine) -> tuple[Unit, ...]:
    """The same of a reading."""
    return tuple(
        unit for name, one in readers().items() if name not in REPORTED for unit in one.units(machine)
    )


def reported_in(machine: Machine) -> tuple[Unit, ...]:
    """The same of a reading."""
    return tuple(unit for one in reporters().values() for unit in one.units(machine))


def completed(units: Iterable[Unit], machine: Machine) -> tuple[Unit, ...]:
    """Units as they are now, with what only a whole reading knows: what is on them, their mount points, disks and level."""
    known = {unit.uuid: unit for unit in units_of(machine)}
    return tuple(_completed(unit, known[unit.uuid]) if unit.uuid in known else unit for unit in units)


def _completed(unit: Unit, known: Unit) -> Unit:
    disks = {member.path: member.disk for member in known.members if member.path}
    return msgspec.structs.replace(
        unit,
        level=unit.level or known.level,
        size_bytes=known.size_bytes if not unit.level else unit.size_bytes,
        members=tuple(
            msgspec.structs.replace(one, disk=one.disk or disks.get(one.path, "")) for one in unit.members
        ),
        signatures=unit.signatures or known.signatures,
        unread=unit.unread or known.unread,
        mountpoints=unit.mountpoints or known.mountpoints,
    )


def about_cards(machine: Machine) -> tuple[str, ...]:
    """The RAID cards in a reading, in lines; none on a computer without one."""
    return tuple(line for reader in card_readers().values() for line in reader.about(machine))


def cards_are_read(machine: Machine) -> bool:
    """Whether every RAID card was read, so that no drive behind one is missing in the reading."""
    try:
        for reader in card_readers().values():
            reader.check_read(machine)
    except RaidtuiError:
        return False
    return True


def card_warnings(machine: Machine) -> tuple[Hazard, ...]:
    """What is wrong with the RAID cards in a reading, and with what is on them."""
    return tuple(one for reader in card_readers().values() for one in reader.warnings(machine))
