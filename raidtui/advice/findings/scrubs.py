"""What scrubs each unit regularly, and what is found where nothing does, or two schedules do. Pure."""

from collections.abc import Callable, Iterator, Sequence

from raidtui.advice.redundancy import is_redundant_level
from raidtui.backends.contract import CardReader
from raidtui.backends.registry import reader
from raidtui.backends.unit_words import with_noun
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.history import ScrubResult
from raidtui.model.machine import Machine
from raidtui.model.procedure import ScheduleScrub, Scrub
from raidtui.model.system import ScrubSchedule
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Health, Unit
from raidtui.model.uuids import same_uuid


def schedules_of(unit: Unit, machine: Machine) -> tuple[ScrubSchedule, ...] | None:
    """What scrubs ``unit`` regularly, apart from the units below it; None if that is not known.

    A RAID card has schedules of its own, which nothing here reads.
    """
    known = machine.system.scrub_schedules
    if known is None or isinstance(reader(unit.backend), CardReader):
        return None
    return tuple(one for one in known if _scrubs(one, unit))


def _scrubs(schedule: ScrubSchedule, unit: Unit) -> bool:
    if schedule.backend not in {None, unit.backend}:
        return False
    target = schedule.target
    return not target or unit.is_called(target) or target in unit.mountpoints


def scrubbed_units(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units with members that a scrub compares; of one on top of others those below it count."""
    return tuple(one for one in units if is_redundant_level(one) and not _lies_on(one, units))


def _lies_on(unit: Unit, units: Sequence[Unit]) -> bool:
    """Whether it lies on units that are redundant themselves, so that their scrub reads all of it."""
    return any(is_redundant_level(one) for one in units for uuid in unit.below if same_uuid(one.uuid, uuid))


def results_of(unit: Unit, machine: Machine) -> tuple[ScrubResult, ...]:
    """What its scrubs found, oldest first, as far as it is recorded."""
    if machine.history is None:
        return ()
    return tuple(one for one in machine.history.scrubs if same_uuid(one.subject, unit.uuid))


def _growing(machine: Machine, units: Sequence[Unit], name_of: Callable[[Unit], str]) -> Iterator[Finding]:
    for unit in units:
        counts = [one.found for one in results_of(unit, machine) if one.found is not None]
        if len(counts) > 1 and 0 < counts[-2] < counts[-1]:
            yield Finding(
                name=name_of(unit),
                kind=Kind.MORE_MISMATCHES,
                what=f"{with_noun(unit)}: the last scrub found {counts[-1]}, the one before {counts[-2]}",
                unit=unit.uuid,
                remedies=(Remedy(text="scrub it once more", procedure=Scrub(unit=unit.uuid)),),
            )


def scrub_findings(
    machine: Machine, units: Sequence[Unit], name_of: Callable[[Unit], str]
) -> Iterator[Finding]:
    """A finding for each unit in good health that nothing scrubs, or more than one schedule."""
    system = machine.system
    yield from _growing(machine, units, name_of)
    for unit in scrubbed_units(units):
        found = schedules_of(unit, machine)
        if found is None or unit.health not in {Health.OK, Health.SYNCING}:
            continue
        shown = with_noun(unit)
        # Without systemd and cron, as in a rescue system, nothing could.
        if not found and (system.systemd or system.could_scrub):
            yield Finding(
                name=name_of(unit),
                kind=Kind.NEVER_SCRUBBED,
                what=f"{shown}: no timer and no line of cron scrubs it",
                unit=unit.uuid,
                remedies=(
                    Remedy(text="scrub it once a month", procedure=ScheduleScrub(unit=unit.uuid))
                    if system.systemd
                    else Remedy(text=f"have cron run {system.could_scrub} once a month"),
                ),
            )
        elif len(found) > 1:
            names = listed([harmless(one.by) for one in found])
            joined = sum(not one.by.endswith(".timer") for one in found) < 2
            yield Finding(
                name=name_of(unit),
                kind=Kind.SCRUBBED_TWICE,
                what=f"{shown}: {names} scrub it",
                unit=unit.uuid,
                remedies=(
                    Remedy(text="keep one of them", procedure=ScheduleScrub(unit=unit.uuid, how="one"))
                    if joined
                    else Remedy(text="remove the lines of cron but one"),
                ),
            )
