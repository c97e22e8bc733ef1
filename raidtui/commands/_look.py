"""One whole look at a computer: its reading, its units with what the journal knows, and what is wrong."""

from typing import NamedTuple

from raidtui.model.finding import Finding
from raidtui.model.machine import Machine
from raidtui.model.unit import Unit


class Look(NamedTuple):
    """A reading, and what is judged from it."""

    machine: Machine
    units: tuple[Unit, ...]
    findings: tuple[Finding, ...]  # most urgent first


def look(recorded: str | None) -> Look:
    """Look at this computer or, with ``recorded``, at the machine in that file."""
    from raidtui.backends.reading import the_machine

    return look_at(the_machine(recorded), recorded=bool(recorded))


def look_at(machine: Machine, *, recorded: bool) -> Look:
    """Judge a reading; that of this computer becomes part of its journal of units."""
    from raidtui.advice.diagnosis import diagnose
    from raidtui.backends.units import units_of
    from raidtui.jobs.container_records import note_containers
    from raidtui.jobs.kept_findings import keep_findings
    from raidtui.jobs.unit_journal import UnitJournal
    from raidtui.plan.asked import with_asked

    if recorded:
        units = units_of(machine)
        return Look(machine, units, with_asked(diagnose(units, machine), machine))
    units = UnitJournal().look(units_of(machine))
    findings = diagnose(units, machine)
    keep_findings(findings)
    note_containers(machine)
    return Look(machine, units, with_asked(findings, machine))
