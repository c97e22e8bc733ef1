"""Commands of a job: output without end, a hang, a cancel."""

import json
import sys
import time
from pathlib import Path

import pytest

from raidtui.jobs import commands
from raidtui.jobs.commands import Commands, Done
from raidtui.jobs.lock import held, processes_with
from raidtui.jobs.stopping import Cancel

pytestmark = pytest.mark.processes

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("GRACE_SECONDS", 0.3), ("_LOOK_SECONDS", 0.02)):
        monkeypatch.setattr(commands, name, seconds)


def run(
    folder: Path,
    script: str,
    *,
    may_end: bool,
    told: list[str],
    timeout_seconds: float = 60,
    after: float = 0,
) -> Done:
    begin = time.monotonic()
    cancel = Cancel(requested=lambda: time.monotonic() >= begin + after, tell=told.append, may_end=may_end)
    return Commands(folder).run(
        [sys.executable, "-c", script], timeout_seconds=timeout_seconds, cancel=cancel
    )


def test_of_a_long_output_both_ends_are_kept_and_the_middle_is_counted(tmp_path: Path) -> None:
    script = "print('first'); print('x' * 40_000_000); print('last')"
    done = Commands(tmp_path).run([sys.executable, "-c", script])
    assert done.stdout.startswith("first\n")
    assert done.stdout.endswith("last\n")
    assert "[39,868,940 of 40,000,012 bytes left out]" in done.stdout
    assert len(json.dumps(done.stdout)) < 200_000
    assert done.last_words == "last"
    assert (tmp_path / "stdout").stat().st_size == 0


def test_a_command_that_may_be_ended_is_asked_then_ended_with_its_children(tmp_path: Path) -> None:
    told: list[str] = []
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {DEAF!r}])"
    done = run(tmp_path, child, may_end=True, told=told)
    assert (done.cancelled, done.timed_out) == (True, False)
    assert done.returncode < 0
    assert "waiting for" in told[0]
    assert "it will be ended in 0 s" in told[0]
    assert told[1].startswith("ending ")


def test_a_canceled_command_that_ends_by_itself_has_done_its_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "GRACE_SECONDS", 60)  # to start takes long on a busy machine
    told: list[str] = []
    done = run(tmp_path, "import time; time.sleep(0.1); print('made')", may_end=True, told=told)
    assert (done.cancelled, done.returncode, done.stdout) == (False, 0, "made\n")


@pytest.mark.slow
def test_a_command_that_must_not_be_interrupted_is_waited_for_and_that_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    done = run(tmp_path, "import time; time.sleep(1); print('made')", may_end=False, told=told)
    assert (done.cancelled, done.returncode) == (False, 0)
    assert len(told) == 1
    assert told[0].endswith(", which must not be interrupted; its time limit is 60 s")


@pytest.mark.slow
def test_the_time_limit_still_counts(tmp_path: Path) -> None:
    told: list[str] = []
    done = run(tmp_path, DEAF, may_end=False, told=told, timeout_seconds=1)
    assert (done.cancelled, done.timed_out, done.returncode) == (False, True, -9)
    assert Commands(tmp_path).run([sys.executable, "-c", DEAF], timeout_seconds=0.5).timed_out


def test_who_holds_a_lock_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "commands"
    with held(lock, patience_seconds=1, refusal=""):
        (name,) = processes_with(lock)
        assert "(process " in name
    assert processes_with(lock) == []
