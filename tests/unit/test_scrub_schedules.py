"""What scrubs a unit regularly: never nothing, never two, and not known is neither."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.scrubs import schedules_of
from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import ScheduleScrub, ScheduleWord
from raidtui.model.spec import Backend
from raidtui.model.system import ScrubSchedule
from raidtui.plan.care import make_care
from raidtui.plan.teardown import make_teardown
from tests.unit import plan_machines
from tests.unit.btrfs_machines import btrfs_machine
from tests.unit.lvm_machines import lvm_machine

MDCHECK = ScrubSchedule(by="mdcheck_start.timer", backend=Backend.MDADM, when="Sun *-*-1..7 1:00:00")
CRON = ScrubSchedule(by="/etc/cron.d/mdadm", backend=Backend.MDADM, when="57 0 * * 0")
PROGRAM = ("/usr/bin/python3", "-P", "-m", "raidtui")
SCRUBS = {Kind.NEVER_SCRUBBED, Kind.SCRUBBED_TWICE}


def with_system(machine: Machine, **system: Any) -> Machine:
    about = {"systemd": True, "scrub_schedules": (), "program": PROGRAM} | system
    return msgspec.structs.replace(machine, system=msgspec.structs.replace(machine.system, **about))


def nas(**system: Any) -> Machine:
    disks = [plan_machines.member_disk(number) for number in (1, 2, 3)]
    return with_system(plan_machines.machine(*disks, arrays=(plan_machines.array(),)), **system)


def findings(machine: Machine) -> list[Finding]:
    return [one for one in diagnose(units_of(machine), machine) if one.kind in SCRUBS]


def planned(machine: Machine, how: ScheduleWord = "monthly") -> Plan:
    (unit,) = units_of(machine)
    return make_care(ScheduleScrub(unit=unit.uuid, how=how), machine, seed=plan_machines.SEED)


def commands(plan: Plan) -> list[tuple[str, ...]]:
    return [one.argv for step in plan.steps for one in step.actions if isinstance(one, Run)]


def test_an_array_that_nothing_scrubs_is_a_note_and_gets_the_timers_of_the_distribution() -> None:
    where = nas(could_scrub="mdcheck_start.timer")
    (finding,) = findings(where)
    assert finding.kind is Kind.NEVER_SCRUBBED
    assert finding.what == "array tank: no timer and no line of cron scrubs it"
    assert finding.first is not None
    assert commands(planned(where)) == [
        ("systemctl", "enable", "--now", "mdcheck_start.timer", "mdcheck_continue.timer")
    ]


@pytest.mark.parametrize("schedules", [(MDCHECK,), (CRON,), None])
def test_one_schedule_is_well_and_an_unknown_one_is_not_none(schedules: Any) -> None:
    assert findings(nas(scrub_schedules=schedules)) == []


def test_where_neither_systemd_nor_cron_runs_nothing_is_missed() -> None:
    assert findings(nas(systemd=False)) == []
    (finding,) = findings(nas(systemd=False, could_scrub="/usr/share/mdadm/checkarray"))
    assert finding.first is None


def test_of_two_schedules_the_timers_go_and_the_file_of_the_package_stays() -> None:
    where = nas(scrub_schedules=(MDCHECK, CRON))
    (finding,) = findings(where)
    assert finding.kind is Kind.SCRUBBED_TWICE
    assert "mdcheck_start.timer and /etc/cron.d/mdadm" in finding.what
    assert commands(planned(where, "one")) == [
        ("systemctl", "disable", "--now", "mdcheck_start.timer", "mdcheck_continue.timer")
    ]


def test_never_two_a_second_schedule_is_refused_and_so_is_what_is_not_known() -> None:
    for schedules, words in (((CRON,), "scrubbed already, by /etc/cron.d/mdadm"), (None, "not known")):
        with pytest.raises(Refused, match=words):
            planned(nas(scrub_schedules=schedules, could_scrub="mdcheck_start.timer"))
    with pytest.raises(Refused, match="set AUTOCHECK=false in /etc/default/mdadm"):
        planned(nas(scrub_schedules=(CRON,)), "off")
    other = ScrubSchedule(by="/etc/crontab", backend=Backend.MDADM)
    with pytest.raises(Refused, match="/etc/crontab belongs to another program; remove its line by hand"):
        planned(nas(scrub_schedules=(other,)), "off")
    with pytest.raises(Refused, match="nothing scrubs"):
        planned(nas(), "off")


def test_without_a_timer_of_the_distribution_ours_is_written_and_removed_with_the_last_unit() -> None:
    where = with_system(lvm_machine())
    (unit,) = units_of(where)
    timer = f"raidtui-scrub@{unit.uuid}.timer"
    made = planned(where)
    files, enable = made.steps
    texts = {one.argv[1]: one.input for one in files.actions if isinstance(one, Run) and one.input}
    assert (
        "ExecStart=/usr/bin/python3 -P -m raidtui scrub %i --run"
        in texts["/etc/systemd/system/raidtui-scrub@.service"]
    )
    assert "Persistent=true" in texts["/etc/systemd/system/raidtui-scrub@.timer"]
    assert enable.actions == (Run(argv=("systemctl", "enable", "--now", timer)),)
    assert Run(argv=("systemctl", "disable", "--now", timer)) in enable.undo

    scheduled = with_system(
        lvm_machine(), scrub_schedules=(ScrubSchedule(by=timer, backend=None, target=unit.uuid),)
    )
    assert findings(scheduled) == []
    off = commands(planned(scheduled, "off"))
    assert off[0] == ("systemctl", "disable", "--now", timer)
    assert off[1][:2] == ("rm", "-f")
    assert [one.argv[0] for one in planned(scheduled, "off").steps[1].undo if isinstance(one, Run)] == [
        "tee",
        "tee",
        "systemctl",
    ]

    gone = [step.id for step in make_teardown(unit.name, scheduled, seed=plan_machines.SEED).steps]
    assert gone[-2:] == ["schedule", "timer"], "its schedule goes with it"
    two = (
        *(scheduled.system.scrub_schedules or ()),
        ScrubSchedule(by="raidtui-scrub@x.timer", backend=None, target="x"),
    )
    shared = make_teardown(
        unit.name, with_system(lvm_machine(), scrub_schedules=two), seed=plan_machines.SEED
    )
    assert shared.steps[-1].id == "schedule", "another unit uses the files"
    assert "systemctl" not in str(make_teardown(unit.name, where, seed=plan_machines.SEED).steps[-1])


def test_a_timer_for_a_mount_point_scrubs_the_btrfs_that_is_mounted_there() -> None:
    (unit,) = units_of(where := btrfs_machine())
    place = unit.mountpoints[-1]
    here = ScrubSchedule(by="btrfs-scrub@x.timer", backend=Backend.BTRFS, target=place)
    other = ScrubSchedule(by="btrfs-scrub@y.timer", backend=Backend.BTRFS, target="/elsewhere")
    known = with_system(where, scrub_schedules=(here, other, MDCHECK))
    assert schedules_of(unit, known) == (here,)
