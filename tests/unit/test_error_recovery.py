"""Disks of a unit that retry a bad sector longer than the kernel waits: found where it is known, and set right."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Machine
from raidtui.model.plan import EnsureLine, Plan, Role
from raidtui.model.procedure import LimitRecovery
from raidtui.model.smart import Smart
from raidtui.plan.care import make_care, title_of
from tests.unit import plan_machines

DESKTOP = {"rotational": True, "transport": "sata", "scsi_timeout_seconds": 30}
OFF = Smart(erc_read_deciseconds=0)
ON = Smart(erc_read_deciseconds=70)
NONE = Smart()


def nas(*smart: Smart | None, **changes: Any) -> Machine:
    """A RAID5 whose disks say this of themselves."""
    disks = [
        msgspec.structs.replace(plan_machines.member_disk(number), smart=one, **DESKTOP | changes)
        for number, one in enumerate(smart, 1)
    ]
    return plan_machines.machine(*disks, arrays=(plan_machines.array(),))


def findings(machine: Machine) -> list[Finding]:
    return [one for one in diagnose(units_of(machine), machine) if one.kind is Kind.ERROR_RECOVERY]


def planned(machine: Machine) -> Plan:
    (found,) = findings(machine)
    (remedy,) = found.remedies
    assert remedy.procedure is not None
    # As the job does, which reads no SMART data.
    disks = tuple(msgspec.structs.replace(disk, smart=None) for disk in machine.disks)
    return make_care(remedy.procedure, msgspec.structs.replace(machine, disks=disks), seed=plan_machines.SEED)


def test_each_disk_gets_the_limit_that_it_takes_or_a_patient_kernel() -> None:
    machine = nas(OFF, NONE, ON)
    (found,) = findings(machine)
    assert found.what == "array tank: S-0001 and S-0002 retry a bad sector longer than the kernel waits"
    assert [one.state for one in found.disks] == [
        "error-recovery limit off, kernel timeout 30 s",
        "error-recovery limit none, kernel timeout 30 s",
    ]
    assert found.remedies[0].procedure == LimitRecovery(
        unit=found.unit, drives=("S-0001",), kernel=("S-0002",)
    )
    plan = planned(machine)
    assert [(step.id, step.role) for step in plan.steps] == [
        ("fix-erc", Role.FIX),
        ("fix-timeout", Role.FIX),
    ]
    lines = [one.line for step in plan.steps for one in step.actions if isinstance(one, EnsureLine)]
    assert ['"S-0001"' in lines[0], "scterc,70,70" in lines[0]] == [True, True]
    assert ['"S-0002"' in lines[1], 'timeout}="180"' in lines[1]] == [True, True]
    assert plan.disks == ()
    assert title_of(LimitRecovery(unit=found.unit), plan) == "Limit the error recovery of the disks of tank"


@pytest.mark.parametrize(
    "machine",
    [
        nas(ON, ON, ON),
        nas(None, None, None),  # not read: not known
        nas(OFF, OFF, OFF, scsi_timeout_seconds=180),
        nas(OFF, OFF, OFF, rotational=False),
        nas(OFF, OFF, OFF, transport="sas"),
    ],
)
def test_nothing_is_said_where_it_is_right_or_not_known_and_nothing_is_planned(machine: Machine) -> None:
    assert findings(machine) == []
    (unit,) = units_of(machine)
    with pytest.raises(Refused, match="no disk of tank is known to retry"):
        make_care(LimitRecovery(unit=unit.uuid), machine, seed=plan_machines.SEED)


def test_without_udev_it_is_refused_with_the_reason() -> None:
    machine = nas(OFF, ON, ON)
    machine = msgspec.structs.replace(machine, system=msgspec.structs.replace(machine.system, udev=False))
    with pytest.raises(Refused, match="there is no udev here"):
        planned(machine)


def test_the_commands_of_two_findings_of_one_unit_say_which_is_meant() -> None:
    machine = nas(OFF, ON, ON)
    system = msgspec.structs.replace(
        machine.system,
        systemd=True,
        scrub_schedules=(),
        could_scrub="mdcheck_start.timer",
        program=("raidtui",),
    )
    machine = msgspec.structs.replace(machine, system=system)
    found = [one for one in diagnose(units_of(machine), machine) if one.name == "tank"]
    orders = [one.order(remedy) for one in found for remedy in one.remedies]
    assert orders == [
        "raidtui care tank",
        "raidtui care tank --do limit-recovery",
        "raidtui care tank --do configure",
    ]
