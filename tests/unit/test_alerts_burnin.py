"""What a burn-in finds, its end, its failure and its death are alerts, each once; of other jobs their death is one."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui.advice.alert_jobs import wrongs_of_jobs
from raidtui.advice.alerting import Message, Wrong
from raidtui.jobs.alerting import alert, alone, recent_jobs
from raidtui.jobs.journal import FILE, LOCK, Journal
from raidtui.jobs.lock import held
from raidtui.jobs.store import write_job
from raidtui.machine.reader import load_machine
from raidtui.model.alerts import AlertSettings, Mail
from raidtui.model.finding import Urgency
from raidtui.model.history import BurnIn, History, SelfTest
from raidtui.model.journal import BurnInNote, BurnInRequest, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Machine
from tests.unit.recorded_plans import MACHINES

NOON: Final = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)
FIVE: Final = timedelta(minutes=5)


def burned_in(at: datetime | str, **found: object) -> Machine:
    """A computer with a disk whose burn-in ended then."""
    result = BurnIn(
        subject="LAB-0001",
        at=at if isinstance(at, str) else at.isoformat(),
        begun=NOON.isoformat(),
        size_bytes=10**9,
        zone_bytes=10**9,
        **found,  # type: ignore[arg-type]
    )
    return msgspec.structs.replace(
        load_machine(str(MACHINES / "blank-4.json")), history=History(burn_ins=(result,))
    )


def ended(machine: Machine, now: datetime) -> list[Wrong]:
    assert machine.history is not None
    return list(wrongs_of_jobs((), machine.history.burn_ins, now))


@pytest.mark.parametrize(
    ("found", "urgency", "said"),
    [
        ({}, Urgency.NOTE, "Burn-in of LAB-0001 ended, no faults found: no errors"),
        ({"bad": ((8, 15),)}, Urgency.WARNING, "found faults: cannot be read: 8 sectors"),
        ({"gave_up": "it is not connected"}, Urgency.WARNING, "found faults: gave up: it is not connected"),
    ],
)
def test_the_end_of_a_burn_in_says_what_it_found(
    found: dict[str, object], urgency: Urgency, said: str
) -> None:
    (one,) = ended(burned_in(NOON, **found), NOON + FIVE)
    assert (one.event, one.urgency, one.once) == ("burn-in", urgency, True)
    assert said in one.text


@pytest.mark.parametrize("at", ["rubbish", "", "2026-03-04T12:00:00", NOON - timedelta(days=4)])
def test_a_burn_in_that_ended_long_ago_or_nobody_knows_when_is_no_alert(at: datetime | str) -> None:
    assert not ended(burned_in(at), NOON)


def test_the_end_of_a_burn_in_is_sent_once_and_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    sent: list[str] = []

    def sender(message: Message, settings: AlertSettings, host: str, ways: Sequence[str]) -> dict[str, str]:
        sent.append(message.text)
        return dict.fromkeys(ways, "")

    def look(ended: datetime, now: datetime) -> None:
        settings = AlertSettings(mail=Mail(to="admin@example.org"))
        with alone():
            alert(burned_in(ended), (), (), settings, now=now, sender=sender)

    for hours in range(0, 120, 7):
        look(NOON, NOON + timedelta(hours=hours))
    assert [text.startswith("Burn-in of LAB-0001 ended, no faults found") for text in sent] == [True]
    look(NOON + timedelta(days=6), NOON + timedelta(days=6))
    assert len(sent) == 2, "the next burn-in of the disk is news"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    return tmp_path


def a_job(job: str = "j1", kind: JobKind = JobKind.BURN_IN, *disks: str) -> Path:
    """The folder of a job whose process has been started, and is gone."""
    burn_in = BurnInRequest(disks=disks or ("LAB-0001", "LAB-0002"), patience_seconds=900)
    made = JobRequest(
        id=job,
        kind=kind,
        title="Build tank",
        created=NOON.isoformat(),
        burn_in=burn_in if kind is JobKind.BURN_IN else None,
    )
    folder = write_job(made)
    with Journal(folder) as journal:
        journal.append(Event.STARTED, text="run")
    return folder


def add(folder: Path, event: Event, **more: object) -> None:
    with Journal(folder) as journal:
        journal.append(event, **more)  # type: ignore[arg-type]


def said() -> list[str]:
    now = datetime.now(UTC)
    return [one.text for one in wrongs_of_jobs(recent_jobs(now), (), now)]


@pytest.mark.parametrize("kind", [JobKind.BURN_IN, JobKind.BUILD, JobKind.REPLACE, JobKind.BENCH])
def test_a_job_whose_process_is_gone_is_said(here: Path, kind: JobKind) -> None:
    a_job("j1", kind)
    (text,) = said()
    assert "was interrupted: its process is gone, as after a power cut" in text
    assert ("'raidtui resume j1'" in text) is (kind is not JobKind.BENCH)
    assert text.startswith("Burn-in of LAB-0001 and LAB-0002" if kind is JobKind.BURN_IN else "Job j1 (Build")


@pytest.mark.parametrize(
    ("outcome", "is_said"),
    [
        (Outcome.FAILED, True),
        (Outcome.REFUSED, True),
        (Outcome.CANCELLED, False),
        (Outcome.DONE, False),  # its results are said
    ],
)
def test_a_burn_in_that_fails_is_said_and_one_that_was_canceled_is_not(
    here: Path, outcome: Outcome, is_said: bool
) -> None:
    add(a_job(), Event.ENDED, outcome=outcome, exit_code=4, text="fio cannot be started.")
    assert (
        said()
        == [
            "Burn-in of LAB-0001 and LAB-0002 failed: fio cannot be started. 'raidtui resume j1' continues it."
        ]
        * is_said
    )


def test_a_build_that_fails_is_not_said_here(here: Path) -> None:
    add(a_job(kind=JobKind.BUILD), Event.ENDED, outcome=Outcome.FAILED, exit_code=4)
    assert said() == [], "somebody follows it, and what it leaves is a finding"


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ({"faults": ((4096, 512), (9000, 512))}, "2 places cannot be read"),
        ({"step": "write", "faults": ((4096, 512),)}, "1 place cannot be written"),
        ({"differs": (4096,)}, "it gives back other data than was written"),
        ({"gave_up": "it completed nothing for 15 min"}, "gave up, it completed nothing for 15 min"),
        (
            {"self_test": SelfTest(kind="short", passed=False, words="read failure")},
            "its short self-test failed, read failure",
        ),
        ({"rates": {"0": 100}}, ""),
        ({"self_test": SelfTest(kind="short", passed=None, words="aborted")}, ""),
    ],
)
def test_the_first_fault_of_a_disk_is_said_while_the_burn_in_runs(
    here: Path, note: dict[str, object], words: str
) -> None:
    folder = a_job()
    for found in (note, {"faults": ((1 << 30, 512),)} if words else {}):
        made = BurnInNote(**{"disk": "LAB-0002", "step": "read", **found})  # type: ignore[arg-type]
        add(folder, Event.CELL, data=made)
    with held(folder / LOCK, patience_seconds=1, refusal="held"):
        found_now = said()
    expected = f"Burn-in of LAB-0002 finds faults: {words}. It continues, and its end will be reported."
    assert found_now == ([expected] if words else [])


def test_each_is_sent_once_and_a_second_interruption_again(here: Path) -> None:
    sent: list[str] = []
    settings = AlertSettings(mail=Mail(to="admin@example.org"))
    machine = load_machine(str(MACHINES / "blank-4.json"))
    begin = datetime.now(UTC)

    def sender(message: Message, settings: AlertSettings, host: str, ways: Sequence[str]) -> dict[str, str]:
        sent.extend(text for _, _, text in message.events)
        return dict.fromkeys(ways, "")

    def look(hours: int) -> list[str]:
        sent.clear()
        with alone():
            alert(machine, (), (), settings, now=begin + timedelta(hours=hours), sender=sender)
        return list(sent)

    folder = a_job()
    with held(folder / LOCK, patience_seconds=1, refusal="held"):
        assert look(0) == []
        add(folder, Event.CELL, data=BurnInNote(disk="LAB-0001", step="read", faults=((0, 512),)))
        assert [text[:32] for text in look(1)] == ["Burn-in of LAB-0001 finds faults"]
        assert look(2) == look(30) == []
    assert [text[:47] for text in look(31)] == ["Burn-in of LAB-0001 and LAB-0002 was interrupte"]
    assert look(32) == look(90) == []
    add(folder, Event.STARTED, text="resume")
    assert [text[:47] for text in look(91)] == ["Burn-in of LAB-0001 and LAB-0002 was interrupte"]
    result = BurnIn(
        subject="LAB-0001",
        at=(begin + timedelta(hours=92)).isoformat(),
        begun=begin.isoformat(),
        size_bytes=10**9,
        zone_bytes=10**9,
        bad=((8, 15),),
    )
    add(folder, Event.STARTED, text="resume")
    add(folder, Event.RESULT, data=result)
    add(folder, Event.ENDED, outcome=Outcome.DONE, exit_code=4)
    (text,) = look(59)
    assert text.startswith("Burn-in of LAB-0001 found faults: cannot be read"), (
        "also if no file of history has it"
    )
    assert look(60) == []


@pytest.mark.parametrize("rubbish", ["", "{", "\0" * 100, '{"seq": 0}\n'])
def test_a_journal_that_cannot_be_read_is_no_end_and_no_crash(here: Path, rubbish: str) -> None:
    folder = a_job()
    (folder / FILE).write_text(rubbish)
    assert all("interrupted" in text or "failed" in text for text in said())
    (folder / FILE).unlink()
    (folder / FILE).mkdir()
    assert all("interrupted" in text or "failed" in text for text in said())


def test_an_old_interruption_is_no_news(here: Path) -> None:
    import os

    folder = a_job()
    old = datetime.now(UTC).timestamp() - 31 * 86_400
    os.utime(folder / FILE, (old, old))
    assert said() == []
