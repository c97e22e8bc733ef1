"""Following a job from another terminal: what it is, how it is left, and a benchmark as 'raidtui bench' shows it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.cli import main
from raidtui.jobs import journal as journals
from raidtui.jobs.journal import Journal
from raidtui.jobs.store import running, write_job
from raidtui.machine.reader import load_machine
from raidtui.model.history import BurnIn
from raidtui.model.journal import BenchRequest, BurnInRequest, Event, JobKind, JobRequest, Outcome

LEFT = "The job keeps running without this terminal; 'raidtui attach measure' follows it again."


MACHINES = Path(__file__).parents[1] / "machines"
MEASURE = JobRequest(
    id="measure",
    kind=JobKind.BENCH,
    title="Benchmark /srv/tank",
    created="",
    bench=BenchRequest(target="/srv"),
)


@pytest.fixture(autouse=True)
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a benchmark."""
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    return write_job(MEASURE)


def measure(journal: Journal) -> None:
    """One cell of the first run."""
    journal.append(Event.STARTED)
    journal.append(Event.STEP, step="run-1", text="Run 1 of 6")
    journal.append(Event.COMMAND, step="run-1", argv=("fio", "--rw=read"), returncode=0, seconds=7.2)
    journal.append(Event.CELL, step="run-1", text="SEQ1M Q8T1 read: 1,004.8 MB/s, 957 IOPS")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_of_a_benchmark_the_figures_are_shown_and_not_the_dozens_of_commands(
    job: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    with Journal(job) as journal:
        measure(journal)
        journal.append(Event.ENDED, outcome=Outcome.CANCELLED, exit_code=130, text="canceled")
    assert main(["attach", *more]) == 130
    said = capsys.readouterr().err
    assert "SEQ1M Q8T1 read: 1,004.8 MB/s, 957 IOPS" in said
    assert "fio" not in said
    assert "Ctrl-C" not in said  # it has ended


BURN_IN = JobRequest(
    id="burn-in",
    kind=JobKind.BURN_IN,
    title="Burn in 2 disks",
    created="",
    burn_in=BurnInRequest(disks=("LAB-0001", "LAB-0002"), patience_seconds=900),
)


def burned_in(state: Path, *results: BurnIn, outcome: Outcome = Outcome.FAILED, text: str) -> None:
    """A burn-in with these results."""
    folder = write_job(BURN_IN, machine=load_machine(str(MACHINES / "blank-4.json")))
    with Journal(folder) as journal:
        journal.append(Event.STARTED)
        for one in results:
            journal.append(Event.RESULT, data=one)
        if text:
            journal.append(Event.ENDED, outcome=outcome, exit_code=4, text=text)


def test_of_a_burn_in_each_disk_has_its_lines(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = BurnIn(
        subject="LAB-0001", at="2026-11-21", begun="", size_bytes=10**9, zone_bytes=10**8, rates=(10**8,) * 10
    )
    bad = replace(one, subject="LAB-0002", bad=((80, 80),))
    burned_in(job, one, bad, text="LAB-0001: well. LAB-0002: bad")
    assert main(["attach", "burn-in"]) == 4
    out, err = capsys.readouterr()
    assert [line.partition(":")[0] for line in out.splitlines() if line.startswith("LAB-")] == [
        "LAB-0001 (ubda), 2026-11-21",
        "LAB-0002 (ubdb), 2026-11-21",
    ]
    assert "100 MB/s at its start, 100 in the middle, 100 at its end" in out
    assert "LAB-0001: well. LAB-0002: bad" not in out + err


def test_of_a_burn_in_that_died_it_is_said_how_it_continues(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    burned_in(job, text="")
    assert main(["attach", "burn-in"]) == 4
    assert "'raidtui resume burn-in' continues" in capsys.readouterr().err


def test_a_job_that_runs_is_named_and_ctrl_c_leaves_it(
    job: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(journals, "follow", interrupted)
    with running(job), Journal(job) as journal:
        measure(journal)
        assert main(["attach"]) == 130
    assert capsys.readouterr().err.splitlines() == [
        "Benchmark /srv/tank (measure). Ctrl-C leaves it running.",
        "",
        LEFT,
    ]


def test_of_a_sweep_the_sweep_is_followed_and_stopped_and_not_what_it_measures_now(
    job: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[str] = []
    monkeypatch.setattr("raidtui.jobs.start.cancel", lambda job: followed.append(f"stop {job}"))

    def follow(job: str, *, as_json: bool) -> int:
        followed.append(job)
        return 0

    monkeypatch.setattr("raidtui.commands.terminal.follow.follow_to_the_end", follow)
    sweep = write_job(replace(MEASURE, id="sweep", kind=JobKind.SWEEP, title="Sweep stripe", bench=None))
    part = write_job(replace(MEASURE, id="turn", created="later", part_of="sweep"))
    with running(job), Journal(job) as journal:
        journal.append(Event.ENDED, outcome=Outcome.DONE, exit_code=0)
    with running(sweep), Journal(sweep) as one, running(part), Journal(part) as other:
        one.append(Event.STARTED)
        other.append(Event.STARTED)
        assert main(["attach"]) == main(["attach", "--stop"]) == 0
    assert followed == ["sweep", "stop sweep", "sweep"]
    assert "Sweep stripe (sweep). Ctrl-C leaves it running." in capsys.readouterr().err
