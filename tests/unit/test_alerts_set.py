"""Alerts as they are set: the file, the plan, what is wrong with them, and the proof."""

import argparse
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui import cli
from raidtui.advice.findings.alerts import alert_findings, findings_where_set, summary
from raidtui.commands.alerts import changed
from raidtui.commands.alerts import configure as options
from raidtui.jobs.alert_orders import order_to_set
from raidtui.jobs.sending.proof import confirm
from raidtui.machine.alert_settings import read_settings
from raidtui.machine.alerts import read_alerts
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.history import HistoryFile, read_history
from raidtui.machine.reader import load_machine
from raidtui.machine.tree import Tree
from raidtui.model.alert_file import read_alert_file, write_alert_file
from raidtui.model.alerts import FILE, OWN, AlertSettings, AlertsHere, Mail
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Kind
from raidtui.model.history import AlertProven, AlertTested, History
from raidtui.model.hours import Hours
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import AlertsOff, SetAlerts
from raidtui.model.struct import to_json
from raidtui.plan.care import make_care
from tests.unit.recorded_plans import MACHINES
from tests.unit.test_scrub_schedules import PROGRAM

SECRET: Final = "hunter2-S3cret"
SEED: Final = "0b0b0b0b-1111-4222-8333-444444444444"
FULL: Final = AlertSettings(
    mail=Mail(to="a@example.org", host="mx", port=465, security="tls", user="u", password=SECRET),
    program="/usr/local/bin/page-me",
    urls=(f"https://me:{SECRET}@example.org/{SECRET}", f"slack://{SECRET}/x"),
    quiet=Hours(begin=22 * 60, end=7 * 60),
    monthly=True,
)


def machine(alerts: AlertsHere | None = None, **more: Any) -> Machine:
    found = load_machine(str(MACHINES / "raid5-clean.json"))
    found = msgspec.structs.replace(found, system=msgspec.structs.replace(found.system, program=PROGRAM))
    return msgspec.structs.replace(found, alerts=alerts, **more)


# The file.


def test_a_file_comes_back_as_it_was_written() -> None:
    assert read_alert_file(write_alert_file(FULL)) == FULL
    plain = AlertSettings(mail=Mail(to="root"))
    assert read_alert_file(write_alert_file(plain)) == plain


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('urs = ["https://x/"]', r"line 1: there is no key 'urs'; did you mean 'urls'\?|line 1: .*urls"),
        ('[mail]\nto = "a@b"\npasword = "x"', "line 3: .*password"),
        ('quiet = "22-7"', "line 1: quiet is two times"),
        ('quiet = "07:00-07:00"', "line 1: quiet begins and ends"),
        ('program = "page-me"', "line 1: program must be a whole path"),
        ('[mail]\nto = "a@b, c@d"', "line 2: to must be one mail address"),
        ('[mail]\nto = "-oQ/tmp"', "line 2: to must be one mail address"),
        ('[mail]\nto = "a@b"\nsecurity = "ssl"', "line 3: .*starttls"),
        ('[mail]\nto = "a@b"\nuser = "me"', "line 3: an account needs its server"),
        ('[mail]\nto = "a@b"\nsmtp = "mx:99999"', "line 3: smtp must be a server"),
        (
            f'[mail]\nto = "a@b"\nsmtp = "mx"\nuser = "me"\npassword = "{SECRET}"\nsecurity = "none"',
            "line 6: a password is not sent without encryption",
        ),
        (f'[mail]\nto = "a@b"\nsmtp = "mx"\npassword = "{SECRET}"', "line 4: user and password belong"),
        (f'[mail]\nto = "a@b"\npassword = {SECRET}', "line 3: this is not TOML"),
        ('[mail]\nto = "a@b"\npassword = 12345678', "line 3: password must be text"),
        (f'urls = ["{SECRET}"]', "line 1: URL 1 is not a URL"),
        ("urls = [12345678]", "line 1: urls must be a list of texts"),
        ("[" * 5000, "not TOML"),
        ("x" * 40000, "not TOML|larger"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_with_its_line_and_without_a_secret(text: str, error: str) -> None:
    with pytest.raises(BadInput, match=error) as refused:
        read_alert_file(text)
    assert SECRET not in str(refused.value)
    assert "12345678" not in str(refused.value)


@given(st.text(max_size=200))
def test_any_text_is_settings_or_a_sentence(text: str) -> None:
    with suppress(BadInput):
        read_alert_file(text)


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "alerts.toml"
    assert read_settings(path) is None
    path.write_text(write_alert_file(FULL))
    path.chmod(0o640)
    with pytest.raises(BadInput, match=r"mode 640.*chmod 600"):
        read_settings(path)
    path.chmod(0o600)
    assert read_settings(path) == FULL
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="UTF-8"):
        read_settings(path)
    path.write_bytes(bytes(70_000))
    with pytest.raises(BadInput, match="it is larger than 64 KiB"):
        read_settings(path)


def test_a_file_that_leads_nowhere_is_not_a_file_that_is_not_there(tmp_path: Path) -> None:
    place = tmp_path / FILE.lstrip("/")
    place.parent.mkdir(parents=True)
    place.symlink_to(place)
    found = read_alerts("/etc/mdadm.conf", tree=Tree(tmp_path), ask=lambda _: ToolAnswer(returncode=1))
    assert (found.exists, found.ways) == (True, None)
    assert "symbolic links" in found.problem


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    options(parser)
    return parser.parse_args(["set", *words])


def test_what_is_not_named_stays_as_it_is(tmp_path: Path) -> None:
    secret = tmp_path / "urls"
    secret.write_text("https://example.org/a\n\nntfys://ntfy.sh/b\n")
    made = changed(FULL, asked("--urls", str(secret), "--quiet", "none"))
    assert made == msgspec.structs.replace(
        FULL, urls=("https://example.org/a", "ntfys://ntfy.sh/b"), quiet=None
    )
    assert changed(FULL, asked("--smtp", "none")).mail == Mail(to="a@example.org")
    assert changed(AlertSettings(), asked("--mail", "root")).mail == Mail(to="root")
    plain = changed(AlertSettings(), asked("--mail", "b@c", "--smtp", "mx", "--security", "tls")).mail
    assert plain == Mail(to="b@c", host="mx", port=465, security="tls")
    assert changed(FULL, asked("--mail", "none", "--program", "none")).ways == FULL.ways[2:]
    for words in (
        ["--smtp", "mx"],
        ["--quiet", "x"],
        ["--mail", "a b"],
        ["--smtp", "mx:x", "--mail", "a"],
        ["--smtp", "::1", "--mail", "a"],
    ):
        with pytest.raises(BadInput):
            changed(AlertSettings(), asked(*words))


# The plan.


@pytest.fixture
def order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SetAlerts:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    return order_to_set(FULL)


def commands(plan: Plan) -> list[str]:
    return [" ".join(one.argv) for step in plan.steps for one in step.actions if isinstance(one, Run)]


def test_no_secret_is_in_a_plan_and_the_file_that_waits_is_for_root_alone(order: SetAlerts) -> None:
    plan = make_care(order, machine(AlertsHere(ways=())), seed=SEED)
    assert SECRET not in to_json(plan) + to_json(order) + repr(FULL)
    staged = Path(order.staged)
    assert staged.stat().st_mode & 0o777 == 0o600
    assert read_settings(staged) == FULL
    assert staged.read_text().splitlines()[-1] == order.mark


def test_what_the_computer_had_stays(order: SetAlerts) -> None:
    tools = {"mdadm": "4.4"}
    system = msgspec.structs.replace(machine().system, systemd=True)
    local = msgspec.structs.replace(order, address="root")
    empty = make_care(local, machine(AlertsHere(ways=()), tools=tools, system=system), seed=SEED)
    assert [step.id for step in empty.steps] == ["alerts-file", "alerts-timer", "alerts-mdadm"]
    assert f"MAILADDR root {OWN}" in to_json(empty)
    had = AlertsHere(ways=(), mdadm_mail="boss@example.org", mdadm_program="/usr/bin/theirs")
    kept = make_care(local, machine(had, tools=tools, system=system), seed=SEED)
    assert [step.id for step in kept.steps] == ["alerts-file", "alerts-timer"]
    again = AlertsHere(
        exists=True,
        ways=("mail to old@example.org",),
        own_lines=(f"MAILADDR old@example.org {OWN}", f"PROGRAM /etc/raidtui/mdadm-event {OWN}"),
        mdadm_mail="old@example.org",
        mdadm_program="/etc/raidtui/mdadm-event",
    )
    new = make_care(local, machine(again, tools=tools, system=system), seed=SEED)
    assert "cp --preserve=all -n /etc/raidtui/alerts.toml" in "\n".join(commands(new))
    off = make_care(AlertsOff(kept="/x"), machine(again, tools=tools, system=system), seed=SEED)
    assert [step.id for step in off.steps] == ["alerts-mdadm", "alerts-timer", "alerts-file"]
    assert "boss" not in to_json(off)


def test_without_systemd_it_is_a_file_of_cron(order: SetAlerts) -> None:
    system = msgspec.structs.replace(machine().system, systemd=False)
    plan = make_care(order, machine(AlertsHere(ways=()), system=system), seed=SEED)
    assert "systemctl" not in "\n".join(commands(plan))
    assert "*/5 * * * * root" in to_json(plan)
    assert "@reboot root" in to_json(plan)


def test_what_is_not_known_is_refused(order: SetAlerts) -> None:
    with pytest.raises(Refused, match="could not be read"):
        make_care(order, machine(None), seed=SEED)
    with pytest.raises(Refused, match="no alerts of raidtui"):
        make_care(AlertsOff(kept="/x"), machine(AlertsHere(ways=(), timer="")), seed=SEED)


# What is wrong.


def kinds(alerts: AlertsHere | None, history: History | None = None) -> list[Kind]:
    here = machine(alerts, history=history, read_at="2026-11-04T00:00:00+00:00")
    from raidtui.backends.units import units_of

    return [one.kind for one in alert_findings(here, units_of(here))]


GOOD: Final = AlertsHere(exists=True, ways=("mail to a@b",), timer="active", monitor="active", sendmail=True)


def proof(at: str, way: str = "mail to a@b") -> History:
    return History(alert_proofs=(AlertProven(subject=way, at=at),))


def test_where_none_are_set_doctor_sends_to_the_command_that_speaks_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "here.json"
    file.write_text(to_json(machine(AlertsHere(ways=()))))
    said = []
    for command in ("doctor", "care"):
        cli.main([command, "--machine", str(file)])
        said.append(capsys.readouterr().out)
    assert "Found here, see 'raidtui alerts':\n 1  no alerts are set" in said[0]
    assert "no alerts are set" not in said[1]


def test_not_set_not_proven_and_proven_too_long_ago() -> None:
    assert kinds(AlertsHere(ways=())) == [Kind.ALERTS_OFF]
    assert kinds(GOOD, History()) == [Kind.ALERTS_UNPROVEN]
    assert kinds(GOOD, proof("2025-11-03T00:00:00+00:00")) == [Kind.ALERTS_UNPROVEN]
    assert kinds(GOOD, proof("2025-11-05T00:00:00+00:00")) == []
    assert kinds(GOOD, proof("2026-11-03T00:00:00+00:00", "program /x")) == [Kind.ALERTS_UNPROVEN]


def test_what_is_not_known_is_no_finding_and_never_well() -> None:
    assert kinds(None) == []
    assert kinds(AlertsHere()) == []
    assert kinds(GOOD, None) == []
    unknown = msgspec.structs.replace(GOOD, timer=None, monitor=None, sendmail=None)
    assert kinds(unknown, proof("2026-11-03T00:00:00+00:00")) == []
    for alerts, history in ((None, History()), (AlertsHere(), History()), (GOOD, None)):
        assert summary(machine(alerts, history=history)) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"by_sendmail": True, "sendmail": False}, "there is no sendmail"),
        ({"mdadm_mail": "root", "sendmail": False}, "has MAILADDR, and there is no sendmail"),
        ({"program_problem": "is not executable"}, "is not executable"),
        ({"mdadm_program": "/x", "mdadm_program_problem": "is not there"}, "/x, is not there"),
        ({"timer": ""}, "raidtui-watch.timer is not installed"),
        ({"timer": "failed"}, "raidtui-watch.timer is failed"),
        ({"monitor": "inactive"}, "monitor is inactive"),
        ({"failures": ("mail to a@b: refused",)}, "was not sent (mail to a@b: refused)"),
        ({"ways": None, "problem": "line 3: no key"}, "line 3: no key"),
    ],
)
def test_what_does_not_work_is_said(change: dict[str, Any], said: str) -> None:
    here = machine(msgspec.structs.replace(GOOD, **change), history=proof("2026-11-03T00:00:00+00:00"))
    here = msgspec.structs.replace(here, system=msgspec.structs.replace(here.system, systemd=True))
    (found,) = findings_where_set(here, ())
    assert found.kind is Kind.ALERTS_FAILING
    assert said in found.what
    assert summary(here) == "alerts FAIL"


@pytest.mark.parametrize(
    ("timer", "said", "advice"),
    [
        (
            "inactive",
            "cron does not run, so nothing reads /etc/cron.d/raidtui-watch",
            "install cron and start it",
        ),
        ("", "/etc/cron.d/raidtui-watch is not there", "'raidtui alerts set' writes it"),
    ],
)
def test_without_systemd_cron_is_meant_and_no_timer(timer: str, said: str, advice: str) -> None:
    here = machine(msgspec.structs.replace(GOOD, timer=timer), history=proof("2026-11-03T00:00:00+00:00"))
    bare = msgspec.structs.replace(here, system=msgspec.structs.replace(here.system, systemd=False))
    (found,) = findings_where_set(bare, ())
    assert said in found.what
    assert "timer" not in found.what
    assert [one.text for one in found.remedies] == [advice]


def test_one_short_line() -> None:
    assert summary(machine(AlertsHere(ways=()))) == "alerts not set"
    assert summary(machine(GOOD, history=History())) == "alerts not proven"
    good = machine(GOOD, history=proof("2026-11-03T00:00:00+00:00"), read_at="2026-11-04T00:00:00+00:00")
    assert summary(good) == "alerts proven 3 Nov 2026"


# What is read.


SHOWN: Final = """Id=raidtui-watch.timer
LoadState=loaded
ActiveState={timer}

Id=raidtui-watch.service
LoadState=loaded
ActiveState={service}

Id=mdmonitor.service
LoadState={load}
ActiveState=inactive
"""


def read(folder: Path, answer: ToolAnswer) -> AlertsHere:
    (folder / "run/systemd/system").mkdir(parents=True, exist_ok=True)
    return read_alerts("/etc/mdadm.conf", tree=Tree(folder), ask=lambda _: answer)


def test_states_are_what_systemd_says_and_else_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))

    def states(timer: str, service: str, load: str = "loaded") -> tuple[str | None, str | None]:
        text = SHOWN.format(timer=timer, service=service, load=load)
        found = read(tmp_path, ToolAnswer(returncode=0, stdout=text))
        return found.timer, found.monitor

    assert states("active", "inactive") == ("active", "inactive")
    assert states("active", "failed", "masked") == ("failed", "masked")
    assert states("inactive", "inactive", "not-found") == ("inactive", "")
    of_package = "/usr/lib/systemd/system/raidtui-watch.timer\nUnitFileState=disabled"
    assert states(f"inactive\nFragmentPath={of_package}", "inactive")[0] == ""  # nobody has enabled it
    assert states(f"active\nFragmentPath={of_package}", "inactive")[0] == "active"
    ours = "/etc/systemd/system/raidtui-watch.timer\nUnitFileState=disabled"
    assert states(f"inactive\nFragmentPath={ours}", "inactive")[0] == "inactive"
    for bad in (
        ToolAnswer(returncode=None, stderr="systemctl did not end within 20 s"),
        ToolAnswer(returncode=1, stdout=SHOWN.format(timer="active", service="x", load="loaded")),
        ToolAnswer(returncode=0, stdout="\x00rubbish\n\nId=\n=\n"),
    ):
        found = read(tmp_path, bad)
        assert (found.timer, found.monitor) == (None, None)


def test_a_reading_holds_no_secret_and_names_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    file = tmp_path / "etc/raidtui/alerts.toml"
    file.parent.mkdir(parents=True)
    file.write_text(write_alert_file(FULL))
    file.chmod(0o600)
    (tmp_path / "etc/mdadm.conf").write_text(f"MAILADDR root\nPROGRAM /opt/x {OWN}\n")
    found = read(tmp_path, ToolAnswer(returncode=None))
    assert SECRET not in to_json(found)
    assert found.ways == (
        "mail to a@example.org",
        "program /usr/local/bin/page-me",
        "https://example.org/…",
        "slack://…",
    )
    assert (found.mdadm_mail, found.mdadm_program) == ("root", "/opt/x")
    assert found.own_lines == (f"PROGRAM /opt/x {OWN}",)
    assert (found.program_problem, found.mdadm_program_problem) == ("is not there", "is not there")
    file.write_text("rubbish =")
    broken = read(tmp_path, ToolAnswer(returncode=None))
    assert broken.ways is None
    assert "not TOML" in broken.problem


# The proof.


def test_a_code_that_arrived_is_a_proof_for_its_way_and_any_other_is_not(tmp_path: Path) -> None:
    file = HistoryFile(tmp_path / "history.sqlite")
    now = datetime(2026, 11, 3, 12, tzinfo=UTC)
    file.add(
        AlertTested(subject=way, at=(now - age).isoformat(), way=way, code=code)
        for way, code, age in (
            ("mail to a@b", "K7QM", timedelta(hours=1)),
            ("program /x", "ABCD", timedelta(hours=1)),
            ("program /x", "OLD2", timedelta(days=8)),
        )
    )
    assert confirm(["k7qm "], file, now=now) == ("mail to a@b",)
    assert read_history(file).alert_proofs == (AlertProven(subject="mail to a@b", at=now.isoformat()),)
    for wrong in ("OLD2", "", "ABCE"):
        with pytest.raises(BadInput, match="no test of the last 7 days"):
            confirm([wrong], file, now=now)


@pytest.mark.parametrize(
    ("words", "code", "asked"),
    [
        (["--mail", "root@example.org"], 0, True),
        (["--mail", "root@example.org", "--dry-run"], 0, False),
        (["--mail", "root@example.org"], 4, False),
        (["--monthly", "on"], 0, False),
    ],
    ids=["set", "tried only", "failed", "nowhere to send to"],
)
def test_only_alerts_that_are_set_are_to_be_proven(
    words: list[str],
    code: int,
    asked: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("raidtui.commands.alerts._do", lambda *_: (machine(), code))
    monkeypatch.setattr("raidtui.machine.alerts.read_alerts", lambda _: None)
    monkeypatch.setattr("raidtui.jobs.alert_orders.order_to_set", lambda settings: settings)
    monkeypatch.setattr("raidtui.jobs.alert_orders.discard", lambda _: None)
    monkeypatch.setattr("raidtui.machine.alert_settings.read_settings", lambda: None)
    assert cli.main(["alerts", "set", *words]) == code
    assert ("raidtui alerts test" in capsys.readouterr().err) is asked


@pytest.mark.parametrize("sendmail", [False, True, None])
def test_alerts_that_are_set_and_cannot_be_sent_say_so_at_once(
    sendmail: bool | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    after = AlertsHere(
        exists=True, ways=("mail to root",), by_sendmail=True, sendmail=sendmail, timer="active"
    )
    monkeypatch.setattr("raidtui.commands.alerts._do", lambda *_: (machine(), 0))
    monkeypatch.setattr("raidtui.machine.alerts.read_alerts", lambda _: after)
    monkeypatch.setattr("raidtui.jobs.alert_orders.order_to_set", lambda settings: settings)
    monkeypatch.setattr("raidtui.machine.alert_settings.read_settings", lambda: None)
    assert cli.main(["alerts", "set", "--mail", "root"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert ("there is no sendmail" in said) is (sendmail is False)
    assert ("to do: install a mail program" in said) is (sendmail is False)
    assert said.endswith("Now prove that they arrive: raidtui alerts test")
