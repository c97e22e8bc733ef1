"""Files of raidtui's own: never through a link, never where others can write, and a sentence where they cannot be used."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raidtui import cli
from raidtui.backends import reading
from raidtui.commands import doctor
from raidtui.jobs import launch, start
from raidtui.jobs.commands import Commands
from raidtui.jobs.disk_locks import lock_disk
from raidtui.jobs.durable import append_line, write_file
from raidtui.jobs.ending import left
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.lock import held
from raidtui.jobs.store import LOG, jobs_folder, load_job_state, state_of, write_job
from raidtui.jobs.unit_journal import FILE as ARRAYS
from raidtui.machine import own_files
from raidtui.machine.own_files import check_owner, open_own
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.journal import BenchRequest, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.paths import state_folder
from raidtui.model.struct import from_json, to_json
from raidtui.results.exchange import write_export
from raidtui.results.store import FILE as RESULTS
from raidtui.results.store import Store
from tests.unit.test_results_export import result

JOB = "20261121-040312-tank"
ERRORS = (
    errno.EROFS,
    errno.EIO,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EACCES,
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
)


def a_request(job: str = JOB) -> JobRequest:
    return JobRequest(
        id=job, kind=JobKind.BENCH, title="Benchmark", created="", bench=BenchRequest(target="/")
    )


def hold(path: Path) -> None:
    with held(path, patience_seconds=0.01, refusal="busy"):
        pass


def run_true(folder: Path) -> None:
    Commands(folder).run(["true"])


# Below the state folder: the file that is opened, and what opens it.
WRITERS: dict[str, Callable[[Path], Any]] = {
    f"jobs/{JOB}/journal.jsonl": lambda path: Journal(path.parent),
    f"jobs/{JOB}/lock": hold,
    f"jobs/{JOB}/log": lambda path: launch._open_log(path),
    f"jobs/{JOB}/.plan.json.raidtui/x": lambda path: write_file(path, b"new"),
    f"jobs/{JOB}/output/stdout/x": lambda path: open_own(path, os.O_WRONLY | os.O_CREAT),
    "disks/0123/x": hold,
    "orders.jsonl": lambda path: append_line(path, b"new"),
    ARRAYS: lambda path: append_line(path, b"new"),
    RESULTS: lambda path: Store(path).check(),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_planted_link_is_refused_and_leads_nowhere(name: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = state_folder() / name
    link, target = path, victim
    if name.endswith("/x"):  # a folder on the way is the link
        link, target = path.parent, tmp_path
        path = link / "victim"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    with pytest.raises(Refused, match="is a symbolic link, which raidtui does not follow"):
        WRITERS[name](path)
    assert victim.read_text() == "precious"


def test_the_lock_of_a_disk_is_no_way_to_empty_a_file_of_roots(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    with lock_disk("LAB-0001"):
        pass
    (lock,) = (state_folder() / "disks").iterdir()
    for plant in (lock.symlink_to, lock.hardlink_to):
        lock.unlink()
        plant(victim)
        with pytest.raises(Refused, match=r"symbolic link|only this name"), lock_disk("LAB-0001"):
            pass
    assert victim.read_text() == "precious"


def test_a_link_that_appears_after_the_check_is_not_followed_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "victim").touch()
    state_folder().mkdir(parents=True)
    (state_folder() / "orders.jsonl").symlink_to(tmp_path / "victim")
    monkeypatch.setattr(own_files, "refuse_link", lambda path: None)
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        open_own(state_folder() / "orders.jsonl", os.O_WRONLY)


def test_results_are_not_read_through_a_link_either(tmp_path: Path) -> None:
    state_folder().mkdir(parents=True)
    Store(tmp_path / "other.sqlite").check()
    (state_folder() / RESULTS).symlink_to(tmp_path / "other.sqlite")
    with pytest.raises(Refused, match="symbolic link"):
        Store().list()


def test_a_fifo_in_the_way_is_refused_and_not_waited_for() -> None:
    state_folder().mkdir(parents=True)
    os.mkfifo(state_folder() / "orders.jsonl")
    with pytest.raises((Refused, OSError)):
        open_own(state_folder() / "orders.jsonl", os.O_WRONLY)


@pytest.mark.parametrize("value", ["", "abc", "9" * 30, "-1"])
def test_a_number_of_sudo_that_is_none_trusts_root_alone(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    path = state_folder() / "x"
    path.parent.mkdir(parents=True)
    path.touch(mode=0o600)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("SUDO_UID", "SUDO_GID"):
        monkeypatch.setenv(name, value)
    about = os.stat_result((0o100600, 0, 0, 1, 1000, 0, 0, 0, 0, 0))  # of user 1000
    with pytest.raises(Refused, match="other users can change"):
        check_owner(path, about)


def test_a_file_that_others_may_write_is_refused_to_root(monkeypatch: pytest.MonkeyPatch) -> None:
    path = state_folder() / "disks" / "x"
    path.parent.mkdir(parents=True)
    path.touch(mode=0o600)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(os.getuid()))
    monkeypatch.setenv("SUDO_GID", str(os.getgid()))
    os.close(open_own(path, os.O_RDWR))
    for one, mode in ((path, 0o602), (path.parent, 0o1703)):
        was = one.stat().st_mode
        one.chmod(mode)
        with pytest.raises(Refused, match=f"other users can change what is in {one} "):
            open_own(path, os.O_RDWR)
        one.chmod(was)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    path.chmod(0o666)
    os.close(open_own(path, os.O_RDWR))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes every opening for writing below the state folder fail with that error, and every write to an open file."""
    really, state = os.open, str(state_folder())

    def begin(number: int) -> None:
        def refuse(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            ours = dir_fd is not None or str(path).startswith(state)
            if ours and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                raise OSError(number, os.strerror(number), path)
            return really(path, flags, mode, dir_fd=dir_fd)

        def cannot(*args: Any, **more: Any) -> int:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "open", refuse)
        monkeypatch.setattr(os, "mkdir", cannot)
        monkeypatch.setattr(os, "unlink", cannot)
        monkeypatch.setattr(os, "ftruncate", cannot)
        monkeypatch.setattr(os, "write", cannot)

    return begin


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_a_job_is_not_started_where_its_files_cannot_be_written(
    number: int,
    broken: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(start, "check_root", lambda: None)
    sweep = JobRequest(id=JOB, kind=JobKind.SWEEP, title="Sweep", created="")
    write_job(sweep)
    state_folder().mkdir(exist_ok=True)
    broken(number)
    for words in (["resume", JOB], ["rollback", JOB]):
        assert cli.main(words) == 3
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert os.strerror(number) in told
        assert "Nothing was started" in told
    with pytest.raises(Refused, match=os.strerror(number)):
        start.start_bench(BenchRequest(target="/"))


MACHINES = Path(__file__).parent.parent / "machines"
COMMANDS = {
    "apply": ("apply {spec} --erase LAB-0001,LAB-0002 --accept {hazards}", "blank-4"),
    "teardown": ("teardown tank --erase LAB-0001,LAB-0002,LAB-0003,LAB-0004", "raid5-clean"),
    "sweep": (
        "sweep levels --disks LAB-0001,LAB-0002,LAB-0003,LAB-0004 --quick --erase LAB-0001,LAB-0002,LAB-0003,LAB-0004",
        "blank-4",
    ),
    "resume": (f"resume {JOB}", "blank-4"),
    "rollback": (f"rollback {JOB}", "blank-4"),
    "results import": ("results import {results}", "blank-4"),
}
READING = ("status", "jobs", "results list", "inspect", "doctor")


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("name", [*COMMANDS, *READING])
def test_no_command_ends_in_a_traceback_or_in_silence(
    name: str,
    number: int,
    tmp_path: Path,
    broken: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words, recorded = COMMANDS.get(name, (name, "blank-4"))
    there = from_json((MACHINES / f"{recorded}.json").read_bytes(), Machine, origin=recorded)
    monkeypatch.setattr(reading, "read_whole", lambda **_: there)
    for check in ("check_root", "_check_tools", "check_machine"):
        monkeypatch.setattr(start, check, lambda *_: None)
    monkeypatch.setattr(doctor, "tool_versions", dict)
    write_job(JobRequest(id=JOB, kind=JobKind.SWEEP, title="Sweep", created=""))
    (tmp_path / "spec").write_text('name = "t"\nlevel = "raid1"\nmembers = ["LAB-0001", "LAB-0002"]\n')
    (tmp_path / "results").write_text("".join(write_export([to_json(result("one"))])))
    broken(number)
    filled = words.format(spec=tmp_path / "spec", results=tmp_path / "results", hazards="no-serial")
    code = cli.main(filled.split())
    told = capsys.readouterr()
    if name in READING:
        assert told.out
        assert code in {0, 5}  # of doctor: a tool is missing
        return
    assert code in {3, 4}, told.err
    assert os.strerror(number) in told.err.splitlines()[-1], told.err


def test_a_state_folder_that_is_a_file_has_not_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    state_folder().parent.mkdir(parents=True, exist_ok=True)
    state_folder().write_text("")
    assert cli.main(["results", "list"]) == 3
    assert "cannot be read: Not a directory" in capsys.readouterr().err


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_any_command_says_that_a_file_of_its_own_cannot_be_used(
    number: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> int:
        raise OSError(number, os.strerror(number), str(state_folder() / "jobs"))

    monkeypatch.setattr(doctor, "run", fail)
    assert cli.main(["doctor"]) == 3
    told = capsys.readouterr().err
    assert (
        told
        == f"raidtui: cannot use {state_folder()}/jobs, where raidtui keeps its state: {os.strerror(number)}\n"
    )


def test_an_error_about_another_file_is_a_bug_and_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> int:
        raise OSError(errno.ENOENT, "gone", "/proc/xyz")

    monkeypatch.setattr(doctor, "run", fail)
    with pytest.raises(OSError, match="gone"):
        cli.main(["doctor"])


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_a_job_that_cannot_write_its_first_line_says_so(
    number: int, broken: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_job(a_request())
    broken(number)
    assert cli.main(["job", "run", str(folder)]) == 4
    assert os.strerror(number) in capsys.readouterr().err


def test_the_end_of_a_job_is_found_though_its_journal_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_job(a_request())
    with Journal(folder) as journal:
        journal.append(Event.STARTED, text="here")
    assert state_of(folder).outcome is Outcome.INTERRUPTED

    def measure(*_: object) -> str:
        really = os.write

        def write(fd: int, data: bytes) -> int:
            if "journal" in os.readlink(f"/proc/self/fd/{fd}"):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            return really(fd, data)

        monkeypatch.setattr(os, "write", write)
        return "stored as x"

    monkeypatch.setattr("raidtui.bench.session._measure", measure)
    assert cli.main(["job", "run", str(folder)]) == 4
    why = f"the journal {folder}/journal.jsonl cannot be written: Read-only file system"
    assert capsys.readouterr().err == f"stored as x. {why}\n"
    state = load_job_state(folder)
    assert state is not None
    assert (state.outcome, state.exit_code, state.sentence) == (Outcome.FAILED, 4, f"stored as x. {why}")
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("replaced", "cause"),
    [(False, "raidtui has a bug"), (True, "raidtui was updated or removed during the job")],
)
def test_an_unexpected_error_of_a_job_is_named_where_people_look_at_the_job(
    replaced: bool, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_job(a_request())
    monkeypatch.setattr("raidtui.commands.job.was_replaced", lambda: replaced)

    def measure(*_: object) -> str:
        raise ValueError("unknown format code")

    monkeypatch.setattr("raidtui.bench.session._measure", measure)
    with pytest.raises(ValueError, match="unknown format code"):  # its trace goes to the log
        cli.main(["job", "run", str(folder)])
    state = load_job_state(folder)
    assert state is not None
    assert (state.outcome, state.exit_code) == (Outcome.FAILED, 4)
    assert state.sentence == f"{cause}: ValueError: unknown format code; {folder}/log has its trace"


def test_what_was_left_of_an_earlier_run_does_not_count_once_the_job_has_run_again() -> None:
    folder = write_job(a_request())
    from raidtui.jobs.ending import Ending, leave

    leave(folder, Ending(entries=0, text="why", outcome=Outcome.FAILED, exit_code=4))
    assert (ending := left(folder, 0)) is not None
    assert ending.text == "why"
    with Journal(folder) as journal:
        journal.append(Event.STARTED)
    assert state_of(folder).outcome is Outcome.INTERRUPTED


def test_a_process_that_ends_before_its_first_line_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Outcome] = []

    def begin(_: object, folder: Path, log: Path) -> tuple[Callable[[], str], Callable[[], None]]:
        seen.append(state_of(folder).outcome)
        return lambda: "killed by signal 9", lambda: None

    monkeypatch.setattr(launch, "_has_systemd", lambda: False)
    monkeypatch.setattr(launch, "_as_session", begin)
    with pytest.raises(StepFailed, match=r"bench-root ended at once: killed by signal 9$"):
        start.start_bench(BenchRequest(target="/"))
    assert seen == [Outcome.RUNNING]  # not interrupted: it is about to start
    (folder,) = jobs_folder().iterdir()
    assert state_of(folder).outcome is Outcome.INTERRUPTED
    assert read_journal(folder) == ()
    (folder / LOG).write_text("a reason\n")
    with pytest.raises(StepFailed, match=r"ended at once: a reason$"):
        start._start_again(folder, "run")
