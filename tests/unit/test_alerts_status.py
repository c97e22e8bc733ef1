"""`raidtui status --alert`: what it remembers and where, what is sent again, and recorders that fail."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui.advice.alert_wrongs import SETUP, wrongs_of
from raidtui.advice.alerting import Message
from raidtui.advice.diagnosis import diagnose
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.jobs import alerting
from raidtui.jobs.alerting import alert, alone, read_reported
from raidtui.jobs.regular import regular
from raidtui.machine.reader import load_machine
from raidtui.model.alerts import AlertSettings, AlertsHere, Mail
from raidtui.model.errors import Refused
from raidtui.model.finding import Kind, Urgency
from raidtui.model.machine import Machine, Mount
from raidtui.model.problem import Problem
from raidtui.model.unit import Unit
from tests.unit.recorded_plans import MACHINES

NOON: Final = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)
FIVE: Final = timedelta(minutes=5)
SETTINGS: Final = AlertSettings(mail=Mail(to="admin@example.org"), urls=("https://example.org/x",))
EVERY: Final = sorted(MACHINES.glob("**/*.json"))


class Sender:
    """Remembers what was sent, and refuses on the ways that a test names."""

    def __init__(self, *refuses: str) -> None:
        self.refuses = refuses
        self.sent: list[tuple[str, str]] = []

    def __call__(self, message: Message, settings: AlertSettings, host: str, ways: object) -> dict[str, str]:
        assert isinstance(ways, list | tuple)
        self.sent += [(way, message.subject) for way in ways]
        return {way: "refused" if way in self.refuses else "" for way in ways}


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    return tmp_path


def broken(**problems: str) -> Machine:
    machine = load_machine(str(MACHINES / "blank-4.json"))
    return msgspec.structs.replace(
        machine, problems=tuple(Problem(what=what, text=text) for what, text in problems.items())
    )


def go(
    machine: Machine, sender: Sender, now: datetime = NOON, units: tuple[Unit, ...] = ()
) -> tuple[str, ...]:
    with alone():
        return alert(machine, units, (), SETTINGS, now=now, sender=sender)


def test_said_once_and_what_one_way_did_not_take_is_sent_there_again() -> None:
    sender = Sender("https://example.org/…")
    said = go(broken(lvm="LVM cannot be read"), sender)
    assert said[1:] == ("not sent: https://example.org/…: refused",)
    assert len(sender.sent) == 2
    again = Sender()
    assert go(broken(lvm="LVM cannot be read"), again, NOON + FIVE) == ()
    assert [way for way, _ in again.sent] == ["https://example.org/…"]
    assert read_reported()[0].failures == ()
    last = Sender()
    go(broken(lvm="LVM cannot be read"), last, NOON + FIVE * 2)
    assert last.sent == []


def test_with_no_way_nothing_counts_as_said() -> None:
    with alone():
        assert alert(broken(lvm="x"), (), (), AlertSettings(), now=NOON, sender=Sender()) == ()
    sender = Sender()
    go(broken(lvm="x"), sender, NOON + FIVE)
    assert len(sender.sent) == 2


def test_a_state_folder_that_cannot_be_written_is_sent_and_remembered_in_run(folders: Path) -> None:
    (folders / "state").write_text("a file, where the folder should be")
    sender = Sender()
    said = go(broken(), sender)
    assert said == ("lab: state-folder: raidtui",) or said[0].endswith("state-folder: raidtui")
    assert (folders / "run" / "alerts.json").exists()
    for at in range(1, 200):
        go(broken(), sender, NOON + FIVE * at)
    assert len(sender.sent) == 2, "once on each way"


def test_with_no_place_to_remember_it_is_sent_once_a_day(folders: Path) -> None:
    (folders / "state").write_text("")
    (folders / "run").write_text("")
    sender = Sender()
    for at in range(2 * 288):
        go(broken(), sender, NOON + FIVE * at)
    assert len(sender.sent) == 2 * 2


def test_what_was_remembered_and_is_rubbish_is_begun_anew(folders: Path) -> None:
    sender = Sender()
    go(broken(lvm="LVM cannot be read"), sender)
    (folders / "state" / "alerts.json").write_bytes(b"\xff{rubbish")
    go(broken(lvm="LVM cannot be read"), sender, NOON + FIVE)
    assert len(sender.sent) == 4, "said twice rather than never"


def test_a_second_one_waits_and_then_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerting, "_WAIT_SECONDS", 0.1)
    with alone(), pytest.raises(Refused, match="is running"), alone():
        pass


def test_a_recorder_that_fails_does_not_keep_the_others_from_recording() -> None:
    called: list[str] = []

    def fails(machine: Machine, units: object) -> None:
        raise Refused("the history file cannot be written")

    def works(machine: Machine, units: object) -> None:
        called.append("works")

    assert regular(broken(), (), recorders=(fails, works)) == ("the history file cannot be written",)
    assert called == ["works"]


def test_a_filesystem_that_fstab_mounts_and_that_is_not_mounted() -> None:
    machine = load_machine(str(MACHINES / "blank-4.json"))
    lines = (
        "/dev/sdx1 /srv/tank ext4 defaults 0 2",
        "/dev/sdy1 /mnt ext4 noauto 0 2",
        "none swap swap sw 0 0",
    )
    system = msgspec.structs.replace(
        machine.system, udev=True, fstab=lines, fstab_nodes=("/dev/sdx1", "/dev/sdy1", "")
    )
    machine = msgspec.structs.replace(machine, system=system)
    (found,) = wrongs_of((), (), machine)
    assert (found.event, found.name, found.urgency) == ("not-mounted", "/srv/tank", Urgency.WARNING)
    mounted = (*machine.mounts, Mount(source="/dev/sdx1", target="/srv/tank", type="ext4"))
    assert wrongs_of((), (), msgspec.structs.replace(machine, mounts=mounted)) == ()


@pytest.mark.parametrize("file", EVERY, ids=lambda one: one.stem)
def test_whatever_is_found_on_a_machine_is_an_alert_with_a_key_of_its_own(file: Path) -> None:
    machine = recorded_machine(str(file))
    units = units_of(machine)
    findings = diagnose(units, machine)
    found = wrongs_of(findings, units, machine)
    assert len({one.key for one in found}) == len(found)
    wanted = {one.kind for one in findings} - SETUP
    assert wanted <= {one.event for one in found}
    assert all(one.text and one.text.replace("\n", "").isprintable() for one in found)


def test_a_monitor_that_dies_is_said_though_something_else_of_the_alerts_fails_already() -> None:
    clean = load_machine(str(MACHINES / "raid5-clean.json"))
    here = AlertsHere(
        exists=True,
        ways=("https://example.org/…",),
        timer="active",
        monitor="active",
        mdadm_mail="root",
        sendmail=False,
    )

    def keys(alerts: AlertsHere) -> set[str]:
        machine = msgspec.structs.replace(clean, alerts=alerts)
        units = units_of(machine)
        found = diagnose(units, machine)
        return {one.key for one in wrongs_of(found, units, machine) if one.event == Kind.ALERTS_FAILING}

    before = keys(here)
    assert len(before) == 1, "Debian names root in mdadm.conf, and often there is no sendmail"
    after = keys(msgspec.structs.replace(here, monitor="failed"))
    assert after - before == {"alerts-failing mdadm's monitor is failed"}
    assert before < after, "and the other one has not ended"
