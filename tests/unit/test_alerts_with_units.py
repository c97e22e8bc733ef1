"""Alerts that come with a build, by a word in its spec, and whose timer goes with the last unit."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.findings.alerts import alert_findings
from raidtui.backends.specfile import read_spec
from raidtui.backends.units import units_of
from raidtui.model.alerts import OWN, AlertsHere
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.problem import Problem
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from tests.unit import plan_machines
from tests.unit.lvm_machines import lvm_machine
from tests.unit.plan_machines import SEED, TANK, disk
from tests.unit.test_scrub_schedules import with_system

NOTHING = AlertsHere(ways=(), timer="", sendmail=True)
WAYS = ("admin@example.org", "ntfys://ntfy.sh/topic")
SET = AlertsHere(
    exists=True,
    ways=("mail to admin@example.org", "ntfys://ntfy.sh/…"),
    timer="active",
    own_lines=(f"MAILADDR admin@example.org {OWN}",),
    sendmail=True,
)
HEAD = 'name = "t"\nlevel = "raid1"\nmembers = ["a", "b"]\n'


def blank(alerts: AlertsHere | None, **system: Any) -> Machine:
    where = plan_machines.machine(*map(disk, (1, 2, 3)))
    return msgspec.structs.replace(with_system(where, **system), alerts=alerts)


def built(alerts: AlertsHere | None, *ways: str, **system: Any) -> Plan:
    spec = msgspec.structs.replace(TANK, fixes=("alerts",), alerts=ways)
    return make_plan(spec, blank(alerts, **system), seed=SEED)


def of_alerts(plan: Plan) -> list[str]:
    return [step.id for step in plan.steps if step.id.startswith("alerts")]


def test_a_spec_sets_alerts_with_the_build_and_a_rollback_removes_them() -> None:
    plan = built(NOTHING, *WAYS)
    assert of_alerts(plan) == ["alerts-file", "alerts-timer", "alerts-mdadm"]
    assert [step.id for step in plan.steps][-3:] == of_alerts(plan), "after what it watches"
    (file, timer, _) = plan.steps[-3:]
    text = next(one.input for one in file.actions if isinstance(one, Run) and one.argv[0] == "tee")
    assert text.splitlines() == [
        "urls = [",
        '    "ntfys://ntfy.sh/topic",',
        "]",
        "",
        "[mail]",
        'to = "admin@example.org"',
        "# written by raidtui",
    ]
    assert Run(argv=("rm", "-f", "/etc/raidtui/alerts.toml")) in file.undo
    names = ("raidtui-watch.timer", "raidtui-watch.path")
    assert Run(argv=("systemctl", "disable", "--now", *names), ok=(0, 1, 5)) in timer.undo


def test_mdadm_gets_one_address() -> None:
    both = msgspec.structs.replace(TANK, fixes=("mail", "alerts"), alerts=("admin@example.org",))
    plan = str(make_plan(both, blank(NOTHING), seed=SEED))
    assert "MAILADDR root" in plan
    assert "MAILADDR admin" not in plan


def test_without_the_word_there_are_no_steps() -> None:
    assert of_alerts(make_plan(TANK, blank(NOTHING), seed=SEED)) == []


def test_what_is_set_already_stays_and_a_timer_that_is_missing_comes_back() -> None:
    assert of_alerts(built(SET)) == []
    assert of_alerts(built(SET, *WAYS)) == []
    lost = msgspec.structs.replace(SET, timer="")
    assert of_alerts(built(lost)) == ["alerts-timer"]
    assert of_alerts(built(lost, systemd=False)) == ["alerts-timer"]


@pytest.mark.parametrize(
    ("alerts", "ways", "words"),
    [
        (None, WAYS, "it could not be read how alerts are set on this computer"),
        (msgspec.structs.replace(SET, problem="its line 3 is wrong"), (), "line 3 is wrong"),
        (NOTHING, (), "the fix alerts needs a way"),
        (SET, ("root",), "go to mail to admin@example.org and ntfys://ntfy.sh/…, not to mail to root"),
    ],
)
def test_what_cannot_be_is_one_sentence(alerts: AlertsHere | None, ways: tuple[str, ...], words: str) -> None:
    with pytest.raises(RaidtuiError, match=words):
        built(alerts, *ways)


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ('alerts = ["root"]', r'line 4: alerts are set by a fix; add fixes = \["alerts"\]'),
        ('fixes = ["alerts"]\nalerts = ["a b"]', "line 5: 'a b' is not a mail address"),
        ('fixes = ["alerts"]\nalerts = ["-oQ/tmp"]', "line 5: '-oQ/tmp' is not a mail address"),
        ('fixes = ["alerts"]\nalerts = ["root", "a@b"]', "line 5: alerts go to one mail address"),
        ('fixes = ["alerts"]\nalerts = ["slack://token/x"]', "line 5: URL 1 has no host or is not one of"),
        ('fixes = ["alerts"]\nalerts = ["https:///x"]', "line 5: URL 1 has no host or is not one of"),
        ('fixes = ["alerts"]\nalerts = ["https://me:pw@host/x"]', "line 5: a URL with a password"),
        ('fixes = ["alert"]', "alerts"),
    ],
)
def test_a_spec_that_is_wrong_is_refused_with_its_line(lines: str, error: str) -> None:
    with pytest.raises(BadInput, match=error) as refused:
        read_spec(HEAD + lines, origin="t.toml")
    assert "pw" not in str(refused.value)
    assert "token" not in str(refused.value)


def test_a_spec_names_its_ways() -> None:
    spec = read_spec(f'{HEAD}fixes = ["alerts"]\nalerts = ["root"]', origin="t.toml")
    assert spec.alerts == ("root",)


# The last unit.


def removal(alerts: AlertsHere | None, *, machine: Machine | None = None, **system: Any) -> Plan:
    where = msgspec.structs.replace(with_system(machine or lvm_machine(), **system), alerts=alerts)
    return make_teardown(units_of(where)[-1].uuid, where, seed=SEED)


@pytest.mark.parametrize("systemd", [True, False])
def test_the_timer_goes_with_the_last_unit_and_where_alerts_go_stays(systemd: bool) -> None:
    plan = removal(SET, systemd=systemd)
    assert of_alerts(plan) == ["alerts-mdadm", "alerts-timer"]
    text = "\n".join(
        " ".join(one.argv) for step in plan.steps for one in step.actions if isinstance(one, Run)
    )
    assert "raidtui-watch" in text
    assert "alerts.toml" not in text
    assert ("systemctl" in text) is systemd
    assert all(step.undo for step in plan.steps if step.id in of_alerts(plan))
    assert "no other array or other unit is here" in plan.steps[-1].title


def test_it_stays_where_another_unit_is_or_may_be_here() -> None:
    units = lvm_machine()
    more = msgspec.structs.replace(units, arrays=(plan_machines.array(),))
    assert len(units_of(more)) == 2
    assert of_alerts(removal(SET, machine=more)) == []
    unread = msgspec.structs.replace(units, problems=(Problem(what="zfs", text="zpool did not answer"),))
    assert of_alerts(removal(SET, machine=unread)) == []
    assert of_alerts(removal(None)) == []
    assert of_alerts(removal(NOTHING)) == []


def test_a_computer_without_units_needs_no_timer() -> None:
    empty = blank(msgspec.structs.replace(SET, timer=""))
    assert [one.what for one in alert_findings(empty, ()) if "timer" in one.what] == []
    full = msgspec.structs.replace(lvm_machine(), alerts=empty.alerts)
    full = msgspec.structs.replace(full, system=msgspec.structs.replace(full.system, systemd=True))
    assert any("raidtui-watch.timer is not installed" in one.what for one in alert_findings(full, ()))
