"""The commands about jobs, as far as they need neither root nor a disk."""

import json
import os
from pathlib import Path

import pytest

from raidtui import cli
from raidtui.jobs import start
from raidtui.jobs.journal import Journal
from raidtui.jobs.store import jobs_folder, write_job
from raidtui.model.journal import Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.plan import Plan, PlanKind, Role, Step
from raidtui.model.spec import Spec

SPEC = """
name = "tank"
backend = "mdadm"
level = "raid1"
members = ["LAB-0001", "LAB-0002"]
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def spec(state: Path) -> str:
    path = state / "tank.toml"
    path.write_text(SPEC)
    return str(path)


def _request(job: str) -> JobRequest:
    spec = Spec(name="tank", level="raid1")
    return JobRequest(id=job, kind=JobKind.BUILD, title="Build raid1 tank", created="", spec=spec)


def a_job(job: str, outcome: Outcome, code: int, text: str = "") -> None:
    spec = Spec(name="tank", level="raid1")
    steps = (Step(id="wipe", role=Role.PREPARE, title="Erase what is on 2 disks", reason="", actions=()),)
    plan = Plan(
        kind=PlanKind.BUILD, spec=spec, seed="", array_uuid="u", array_path="/dev/md/tank", steps=steps
    )
    with Journal(write_job(_request(job), plan=plan)) as journal:
        journal.append(Event.STARTED, text="process 7")
        journal.append(Event.STEP, step="wipe", text=steps[0].title)
        journal.append(
            Event.COMMAND, step="wipe", argv=["wipefs", "--all", "/dev/x\x1b[2J"], returncode=1, seconds=0.1
        )
        journal.append(Event.CHECK, step="wipe", text="no: it has gpt", data={"holds": False})
        journal.append(Event.CHECK, step="wipe", text="yes: it is blank", data={"holds": True})
        journal.append(Event.ENDED, outcome=outcome, exit_code=code, text=text)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize(
    "words",
    [("apply", "{spec}", "--erase", "LAB-0001,LAB-0002"), ("teardown", "tank", "--erase", "LAB-0001")],
)
def test_without_root_nothing_is_changed(
    words: tuple[str, ...], spec: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    code, out, err = run(capsys, *(word.format(spec=spec) for word in words))
    assert (code, out) == (3, "")
    assert err == "raidtui: only root can do this; run the same command with sudo\n"


@pytest.mark.parametrize("words", [("apply", "{spec}"), ("teardown", "tank")])
def test_a_recorded_machine_is_not_changed(
    words: tuple[str, ...], spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "--machine", "m.json", *(word.format(spec=spec) for word in words))
    assert (code, out) == (3, "")
    assert (
        err
        == "raidtui: m.json is a recorded machine and cannot be changed; run this on that computer, without --machine\n"
    )


@pytest.mark.parametrize(
    "words",
    [("care", "tank"), ("grow", "tank", "--size", "max"), ("replace", "a", "b"), ("teardown", "tank")],
)
def test_a_rehearsal_on_a_recorded_machine_lacks_superblocks(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = str(Path(__file__).parents[1] / "machines" / "raid5-degraded.json")
    code, _, err = run(capsys, "--machine", recorded, *words, "--rehearse")
    assert (code, "so only a build can be rehearsed on it; run this on that computer" in err) == (3, True), (
        err
    )


@pytest.mark.parametrize(
    "words", [("jobs",), ("attach",), ("attach", "--stop"), ("resume", "x"), ("rollback", "x")]
)
def test_a_recorded_machine_has_no_jobs_and_those_of_this_computer_are_not_taken_for_them(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "--machine", "m.json", *words)
    assert (code, out) == (3, "")
    assert (
        err
        == "raidtui: m.json is a recorded machine and has no jobs; run this on that computer, without --machine\n"
    )


def test_a_spec_that_cannot_be_read_is_bad_input(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "apply", str(state / "nothing.toml"))
    assert code == 2
    assert "nothing.toml cannot be read: No such file or directory" in err
    (state / "bytes.toml").write_bytes(b"\xff\xff")
    code, _, err = run(capsys, "apply", str(state / "bytes.toml"))
    assert code == 2
    assert "is not text; a spec is a small TOML file in UTF-8" in err


def test_a_seed_that_is_no_uuid_is_bad_input(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "apply", spec, "--seed", "lucky")
    assert code == 2
    assert "'lucky' is not a UUID" in err


def test_without_jobs_the_list_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "jobs")
    assert code == 0
    assert out.startswith("no jobs yet")
    code, out, _ = run(capsys, "jobs", "--json")
    assert json.loads(out) == {"jobs": []}
    code, _, err = run(capsys, "attach")
    assert code == 2
    assert "there is no job to follow" in err


def test_jobs_are_listed_newest_first_with_how_they_ended(capsys: pytest.CaptureFixture[str]) -> None:
    a_job("20261121-040312-tank", Outcome.DONE, 0)
    a_job("20261122-000000-tank", Outcome.FAILED, 4, "wipefs said no")
    code, out, _ = run(capsys, "jobs")
    assert code == 0
    lines = out.splitlines()
    assert lines[1].split() == ["20261122-000000-tank", "Build", "raid1", "tank", "failed", "wipe"]
    assert "done" in lines[2]


def test_a_job_whose_request_is_damaged_is_told_beside_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    a_job("20261121-040312-tank", Outcome.DONE, 0)
    a_job("20261122-000000-tank", Outcome.DONE, 0)
    request = jobs_folder() / "20261122-000000-tank" / "request.json"
    request.write_bytes(request.read_bytes()[:40])
    code, out, err = run(capsys, "jobs")
    assert code == 2
    assert [line.split()[0] for line in out.splitlines()] == ["JOB", "20261121-040312-tank"]
    assert "20261122-000000-tank/request.json cannot be read" in err
    assert len(err.splitlines()) == 1


def test_attaching_to_a_job_that_has_ended_tells_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    a_job("20261122-000000-tank", Outcome.FAILED, 4, "wipefs said no")
    code, out, err = run(capsys, "attach", "--json")
    assert code == 4
    report = json.loads(out)
    assert (report["outcome"], report["sentence"], report["step"]) == ("failed", "wipefs said no", "wipe")
    assert "[1/1] Erase what is on 2 disks" in err
    assert "exit code 1" in err
    assert "it has gpt" not in err, "before a step that reads like a failure; the sentence has what failed"
    assert "it is blank" not in err
    assert "\x1b" not in err


def test_a_job_is_stopped_and_then_followed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    running = [JobState(request=_request(one), outcome=Outcome.RUNNING) for one in ("1-tank", "2-pool")]
    monkeypatch.setattr("raidtui.jobs.store.list_jobs", lambda: running)
    monkeypatch.setattr("raidtui.jobs.store.job_state", lambda job: running[0])
    monkeypatch.setattr("raidtui.jobs.start.cancel", lambda job: told.append(f"stop {job}"))

    def follow(job: str, *, as_json: bool) -> int:
        told.append(f"follow {job}")
        return 0

    monkeypatch.setattr("raidtui.commands.terminal.follow.follow_to_the_end", follow)
    code, _, err = run(capsys, "attach", "--stop")
    assert (code, told) == (2, [])  # not the one that happens to come first
    assert "several jobs run; name the JOB to stop: 1-tank and 2-pool" in err
    running.pop()
    assert run(capsys, "attach", "--stop")[0] == 0
    assert told == ["stop 1-tank", "follow 1-tank"]


def test_what_has_ended_is_not_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    a_job("20261122-000000-tank", Outcome.DONE, 0)
    code, _, err = run(capsys, "attach", "--stop")
    assert (code, err) == (3, "raidtui: the job 20261122-000000-tank is not running\n")


@pytest.mark.parametrize("command", ["resume", "rollback", "attach"])
def test_a_job_that_does_not_exist_is_bad_input(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, command, "nothing")
    assert code == 2
    assert "there is no job 'nothing'" in err


@pytest.mark.parametrize(
    ("command", "outcome", "reason"),
    [
        ("resume", Outcome.DONE, "is done"),
        ("resume", Outcome.ROLLED_BACK, "was rolled back"),
        ("rollback", Outcome.DONE, "'raidtui teardown tank' removes it"),
        ("rollback", Outcome.ROLLED_BACK, "was rolled back"),
    ],
)
def test_what_has_ended_is_neither_resumed_nor_undone(
    command: str, outcome: Outcome, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    a_job("20261122-000000-tank", outcome, 0)
    code, _, err = run(capsys, command, "20261122")
    assert code == 3
    assert reason in err


@pytest.mark.parametrize("command", ["resume", "rollback"])
def test_no_process_of_another_version_is_started(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    a_job("20261122-000000-tank", Outcome.FAILED, 4)
    monkeypatch.setattr(start, "was_replaced", lambda: True)
    code, _, err = run(capsys, command, "20261122")
    assert code == 3
    assert "updated or removed" in err
