"""A reading of this computer with what every backend reads of it, and the units in a reading."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from raidtui.backends.registry import REPORTED, card_readers, readers, reporters
from raidtui.backends.registry import reader as reader_of
from raidtui.machine.ask import ask
from raidtui.machine.reader import load_machine, read_machine
from raidtui.machine.watch import Watcher
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard
from raidtui.model.unit import Unit
from raidtui.model.uuids import same_uuid

_IDLE_TIMES: Final = 15
"""As long until the next look where nothing runs: long enough to be cheap, short enough to see a disk fail."""


def read_whole(*, smart: bool = True, known_tools: Mapping[str, str] | None = None) -> Machine:
    """Read this computer as `read_machine` does, and what each backend knows of its own units.

    Args:
        smart: whether to ask the disks about their health.
        known_tools: programs whose version is known from an earlier reading.
    """
    machine = read_machine(smart=smart, known_tools=known_tools)
    found = {name: reader.read(machine, ask) for name, reader in readers().items()}
    readings = {name.value: msgspec.to_builtins(one) for name, one in found.items() if one is not None}
    whole = msgspec.structs.replace(machine, readings=readings)
    if whole.cards:
        for card_reader in card_readers().values():
            whole = card_reader.with_drives(whole, ask, smart=smart)
    return whole


def the_machine(file: str | None, *, smart: bool = True) -> Machine:
    """The machine recorded in ``file`` or, without one, this computer."""
    return read_whole(smart=smart) if file is None else load_machine(file)


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


def polled_units() -> tuple[Unit, ...]:
    """The units whose changes nobody reports, as they are this moment."""
    return tuple(unit for name, one in readers().items() if name not in REPORTED for unit in one.now())


def polled_in(machine: Machine) -> tuple[Unit, ...]:
    """The same of a reading."""
    return tuple(
        unit for name, one in readers().items() if name not in REPORTED for unit in one.units(machine)
    )


def is_rotational(unit: Unit, units: Iterable[Unit], machine: Machine | None) -> bool:
    """Whether a disk under ``unit`` turns, and so gets slower towards its end; what is not known is taken to turn."""
    under = disks_of(unit, units)
    known = [disk.rotational for disk in machine.disks if disk.identity in under] if machine else []
    return not known or any(known)


def reported_units() -> tuple[Unit, ...]:
    """The units whose changes the kernel reports, as they are this moment."""
    return tuple(unit for one in reporters().values() for unit in one.now())


def reported_in(machine: Machine) -> tuple[Unit, ...]:
    """The same of a reading."""
    return tuple(unit for one in reporters().values() for unit in one.units(machine))


def watch_units(changed: Callable[[tuple[Unit, ...]], None]) -> Watcher:
    """Call ``changed`` with these from a thread: at once, on every event, and every few seconds of a sync."""
    (one,) = reporters().values()  # there is no other kernel interface to wait for
    return one.watch(changed)


def every_unit_now() -> tuple[Unit, ...]:
    """The units of every backend as they are this moment."""
    return tuple(unit for reader in readers().values() for unit in reader.now())


def seconds_to_wait(units: Iterable[Unit]) -> float | None:
    """How long until ``units`` are looked at again; None: the kernel reports whatever happens to them."""
    waits = [
        interval * (1 if unit.activity is not None else _IDLE_TIMES)
        for unit in units
        if (interval := reader_of(unit.backend).interval)
    ]
    return min(waits, default=None)


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


def units_of(machine: Machine) -> tuple[Unit, ...]:
    """Every unit in a reading, of all backends."""
    return tuple(unit for reader in readers().values() for unit in reader.units(machine))


def about_cards(machine: Machine) -> tuple[str, ...]:
    """The RAID cards in a reading, in lines; none on a computer without one."""
    return tuple(line for reader in card_readers().values() for line in reader.about(machine))


def card_warnings(machine: Machine) -> tuple[Hazard, ...]:
    """What is wrong with the RAID cards in a reading, and with what is on them."""
    return tuple(one for reader in card_readers().values() for one in reader.warnings(machine))
