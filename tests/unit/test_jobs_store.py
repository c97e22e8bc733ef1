"""Folders of jobs, and what their journals add up to."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from raidtui.cli import main
from raidtui.jobs.disk_locks import lock_disk, lock_for_sweep, reserve
from raidtui.jobs.journal import LOCK, Journal
from raidtui.jobs.lock import held
from raidtui.jobs.store import (
    MACHINE,
    PLAN,
    check_seed_is_new,
    damaged_requests,
    job_state,
    jobs_folder,
    list_jobs,
    new_id,
    read_confirmed_machine,
    read_plan,
    running,
    state_of,
    write_job,
)
from raidtui.model.errors import BadInput, Refused
from raidtui.model.journal import BenchRequest, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, PlanKind
from raidtui.model.spec import Spec
from raidtui.model.system import System

NOW = datetime(2026, 11, 21, 4, 3, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def a_request(job: str, kind: JobKind = JobKind.BUILD) -> JobRequest:
    return JobRequest(id=job, kind=kind, title="Build raid5 tank", created="2026-11-21T04:03:12+00:00")


def a_plan() -> Plan:
    spec = Spec(name="tank", level="raid5")
    return Plan(kind=PlanKind.BUILD, spec=spec, seed="s", array_uuid="u", array_path="/dev/md/tank")


def test_an_id_tells_when_and_what() -> None:
    assert new_id("tank", now=NOW) == "20261121-040312-tank"
    assert new_id("Ärger / Tank!", now=NOW) == "20261121-040312-rger-tank"
    assert new_id("…", now=NOW) == "20261121-040312"


def test_two_jobs_of_one_second_have_two_ids() -> None:
    write_job(a_request(new_id("tank", now=NOW)))
    assert new_id("tank", now=NOW) == "20261121-040312-tank-2"


def test_only_the_owner_reads_a_job(state: Path) -> None:
    folder = write_job(a_request("j1"))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert state.stat().st_mode & 0o777 == 0o700


def test_what_was_confirmed_is_read_back() -> None:
    machine = Machine(system=System(hostname="here", kernel="6.1"))
    folder = write_job(a_request("j1"), machine=machine, plan=a_plan())
    assert read_confirmed_machine(folder) == machine
    assert read_plan(state_of(folder)) == a_plan()
    assert {MACHINE, PLAN} <= {path.name for path in folder.iterdir()}


def test_a_benchmark_has_no_plan() -> None:
    request = JobRequest(
        id="b", kind=JobKind.BENCH, title="Measure", created="", bench=BenchRequest(target="/srv")
    )
    with pytest.raises(BadInput, match="the job b is a bench and has no plan"):
        read_plan(state_of(write_job(request)))


def test_a_job_whose_process_never_spoke_was_interrupted() -> None:
    assert state_of(write_job(a_request("j1"))).outcome is Outcome.INTERRUPTED


def test_a_job_runs_while_its_process_holds_the_lock() -> None:
    folder = write_job(a_request("j1"))
    with running(folder), Journal(folder) as journal:
        journal.append(Event.STARTED)
        journal.append(Event.STEP, step="wipe")
        now = state_of(folder)
        assert (now.outcome, now.step, now.pid is not None) == (Outcome.RUNNING, "wipe", True)
        with (
            pytest.raises(Refused, match="runs already"),
            held(folder / LOCK, patience_seconds=0, refusal="runs already"),
        ):
            pytest.fail("two processes")
    gone = state_of(folder)
    assert (gone.outcome, gone.pid) == (Outcome.INTERRUPTED, None)


def test_a_failed_job_says_where_and_why() -> None:
    folder = write_job(a_request("j1"))
    with Journal(folder) as journal:
        journal.append(Event.STARTED)
        journal.append(Event.STEP, step="capsule")
        journal.append(Event.STEP_DONE, step="capsule")
        journal.append(Event.STEP, step="wipe")
        journal.append(Event.STEP_FAILED, step="wipe", text="wipefs said no")
        journal.append(Event.ENDED, outcome=Outcome.FAILED, exit_code=4)
    state = state_of(folder)
    assert (state.outcome, state.exit_code, state.step) == (Outcome.FAILED, 4, "wipe")
    assert (state.steps_done, state.sentence) == (("capsule",), "wipefs said no")


def test_a_resumed_job_is_what_its_last_run_made_of_it() -> None:
    folder = write_job(a_request("j1"))
    with Journal(folder) as journal:
        journal.append(Event.STARTED)
        journal.append(Event.STEP_FAILED, step="wipe", text="no")
        journal.append(Event.ENDED, outcome=Outcome.FAILED, exit_code=4)
        journal.append(Event.STARTED)
        assert state_of(folder).outcome is Outcome.INTERRUPTED
        journal.append(Event.ENDED, outcome=Outcome.DONE, exit_code=0)
    state = state_of(folder)
    assert (state.outcome, state.exit_code, state.sentence) == (Outcome.DONE, 0, "")


def test_what_was_undone_is_not_done() -> None:
    folder = write_job(a_request("j1"))
    with Journal(folder) as journal:
        journal.append(Event.STEP_DONE, step="wipe")
        journal.append(Event.STEP_UNDONE, step="wipe")
    assert state_of(folder).steps_done == ()


def test_an_empty_word_is_no_job_though_every_id_starts_with_it() -> None:
    write_job(a_request("20261122-000000-tank"))
    with pytest.raises(BadInput, match="the name of the job is empty; the latest: 20261122-000000-tank"):
        job_state("")


def test_a_job_is_found_by_enough_of_its_id() -> None:
    for job in ("20261121-040312-tank", "20261121-040313-pool", "20261122-000000-tank"):
        write_job(a_request(job))
    assert next(one.request.id for one in list_jobs()) == "20261122-000000-tank"
    assert job_state("20261122").request.id == "20261122-000000-tank"
    assert job_state("pool").request.id == "20261121-040313-pool"
    with pytest.raises(BadInput, match="matches several jobs"):
        job_state("tank")
    with pytest.raises(BadInput, match="there is no job 'other'; the latest: 20261122-000000-tank, "):
        job_state("other")


def test_without_any_job_the_list_is_empty() -> None:
    assert list_jobs() == ()
    with pytest.raises(BadInput, match="there is no job 'x'; there are no jobs yet"):
        job_state("x")


def test_a_damaged_request_is_told() -> None:
    folder = write_job(a_request("j1"))
    (folder / "request.json").write_text("{")
    with pytest.raises(BadInput, match=r"request\.json cannot be read as a job request"):
        job_state("j1")
    write_job(a_request("j2"))
    assert [state.request.id for state in list_jobs()] == ["j2"]
    (sentence,) = damaged_requests()
    assert "j1/request.json cannot be read" in sentence


def test_a_damaged_journal_hides_no_other_job() -> None:
    damaged = write_job(a_request("j1"))
    (damaged / "journal.jsonl").write_text("x\ny\nz\n")
    write_job(a_request("j2"))
    second, first = list_jobs()
    assert (second.request.id, second.outcome) == ("j2", Outcome.INTERRUPTED)
    assert (first.request.id, first.outcome) == ("j1", Outcome.FAILED)
    assert "journal.jsonl is damaged" in first.sentence


def test_a_seed_belongs_to_one_job() -> None:
    for kind, seed in ((JobKind.BUILD, "s-1"), (JobKind.SWEEP, "s-2"), (JobKind.TEARDOWN, "s-3")):
        write_job(msgspec.structs.replace(a_request(f"job-{seed}", kind), seed=seed))
    damaged = write_job(a_request("damaged"))
    (damaged / "request.json").write_text("{")
    with Journal(jobs_folder() / "job-s-1") as journal:
        journal.append(Event.ENDED, outcome=Outcome.ROLLED_BACK, exit_code=0)
    for used in ("s-1", "s-2"):
        with pytest.raises(BadInput, match=f"the seed {used} belongs to the job job-{used}; leave the seed"):
            check_seed_is_new(used)
    check_seed_is_new("s-3")  # a teardown derives nothing from it
    check_seed_is_new("s-4")


def test_a_folder_without_a_request_is_no_job() -> None:
    (jobs_folder() / "half").mkdir(parents=True)
    assert list_jobs() == ()


@pytest.mark.slow
def test_a_disk_is_for_one_job_at_a_time() -> None:
    refusal = pytest.raises(Refused, match="another job is using the disk LAB-0001")
    with lock_disk("LAB-0001"), lock_disk("LAB/../0002"), refusal, lock_disk("LAB-0001"):
        pytest.fail("two jobs")


@pytest.mark.slow
def test_the_disk_of_a_sweep_is_for_its_own_parts_also_between_them() -> None:
    refusal = pytest.raises(Refused, match="another job is using the disk LAB-0001")
    with lock_for_sweep("LAB-0001"), lock_disk("LAB-0001", part_of="s1"):
        pass
    with lock_for_sweep("LAB-0001"), refusal, lock_disk("LAB-0001"):
        pytest.fail("it would be erased by the sweep")
    with lock_disk("LAB-0001"), refusal, lock_for_sweep("LAB-0001"):
        pytest.fail("the sweep would erase what that job builds")


def test_a_state_folder_without_its_root_is_the_same_one_for_a_job_that_runs_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAIDTUI_STATE", "state")
    assert jobs_folder() == tmp_path / "state" / "jobs"


def test_an_outcome_has_the_same_words_in_lists_and_on_screens() -> None:
    assert {one.words for one in Outcome} == {
        "running",
        "done",
        "failed",
        "refused",
        "canceled",
        "rolled back",
        "interrupted",
    }


def test_one_bad_job_hides_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    """Each job folder is bad in another way; a pipe as a file would block its reader for ever."""
    write_job(a_request("good"))
    (jobs_folder() / "directory" / "request.json").mkdir(parents=True)
    (jobs_folder() / "deep").mkdir()
    (jobs_folder() / "deep" / "request.json").write_text('{"new":' + "[" * 1_000_000)
    (jobs_folder() / "pipe").mkdir()
    os.mkfifo(jobs_folder() / "pipe" / "request.json")
    for name in ("a-pipe", "a-directory"):
        write_job(a_request(name))
    os.mkfifo(jobs_folder() / "a-pipe" / "journal.jsonl")
    (jobs_folder() / "a-directory" / "journal.jsonl").mkdir()

    assert [one.request.id for one in list_jobs()] == ["good", "a-pipe", "a-directory"]
    assert [one.outcome for one in list_jobs()] == [Outcome.INTERRUPTED, Outcome.FAILED, Outcome.FAILED]
    assert all("cannot be read: it is a" in one.sentence for one in list_jobs()[1:])
    assert main(["jobs"]) == 2
    said = capsys.readouterr()
    assert "good" in said.out
    for name, why in (("directory", "directory"), ("deep", "nested too deeply"), ("pipe", "it is a pipe")):
        assert re.search(f"raidtui: .*/{name}/request.json .*{why}", said.err), name


def test_a_folder_of_jobs_that_cannot_be_read_is_not_one_without_jobs(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state.mkdir()
    (state / "jobs").symlink_to("jobs")  # root reads any folder, but not this one
    assert main(["jobs"]) == main(["attach"]) == 2
    said = capsys.readouterr()
    assert "no jobs yet" not in said.out
    assert said.err.count(f"the jobs in {state}/jobs cannot be read") == 2
    with pytest.raises(BadInput):  # unknown is not "no other job has it"
        check_seed_is_new("seed")


BAD_ENTRIES = {
    "not UTF-8": b'"data":{"mode":"\xff\xd8"}',
    "NaN": b'"data":{"mode":NaN}',
    "deep": b'"data":' + b"[" * 1_000_000 + b"]" * 1_000_000,
    "deep, in a key of a newer version": b'"new":' + b"[" * 1_000_000 + b"]" * 1_000_000,
    "NUL": b"\0" * 5000,
    "a newer event": b'"event":"of-tomorrow"',
}


@pytest.mark.parametrize("bad", BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_a_bad_line_of_a_journal_is_one_sentence(bad: bytes) -> None:
    folder = write_job(a_request("j1"))
    with Journal(folder) as journal:
        for _ in range(3):
            journal.append(Event.NOTE)
    lines = (folder / "journal.jsonl").read_bytes().split(b"\n")
    lines[1] = lines[1][:-1] + b"," + bad + b"}"
    (folder / "journal.jsonl").write_bytes(b"\n".join(lines))
    (job,) = list_jobs()
    assert job.outcome is Outcome.FAILED
    assert "is damaged in line 2: " in job.sentence
    assert len(job.sentence) < 500


@pytest.mark.slow
def test_a_unit_is_used_by_one_job_at_a_time() -> None:
    plan = Plan(
        kind=PlanKind.CARE,
        spec=Spec(name="tank", level="raid5"),
        seed="",
        array_uuid="1-2",
        array_path="/dev/md/tank",
    )
    other = msgspec.structs.replace(plan, array_uuid="1-3")
    refusal = pytest.raises(Refused, match="another job is using the unit tank")
    with reserve(plan), reserve(other), refusal, reserve(plan):
        pass
    with reserve(plan):  # it was released
        pass
