"""Programs that are asked: one that leaves a child behind, that hangs, that prints without end."""

import os
import signal
import time
from pathlib import Path

import pytest

from raidtui.machine import child
from raidtui.machine.ask import ask

pytestmark = pytest.mark.processes


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program called ``tool``; a test writes what it does."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    path = tmp_path / "tool"
    path.touch(mode=0o755)
    return path


def test_an_answer_is_taken_when_the_tool_has_ended_though_its_child_keeps_the_pipe(
    tool: Path, tmp_path: Path
) -> None:
    tool.write_text(f"#!/bin/sh\nsleep 60 &\necho $! >{tmp_path}/pid\necho right; echo warned >&2; exit 3\n")
    answer = ask(["tool"], 30)
    assert (answer.returncode, answer.stdout, answer.stderr) == (3, "right\n", "warned\n")
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, signal.SIGKILL)  # it was left alone: it may be a service


def test_a_long_answer_is_whole(tool: Path) -> None:
    tool.write_text("#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' x\n")
    assert ask(["tool"]).stdout == "x" * 3_000_000


@pytest.mark.slow
def test_a_tool_that_takes_too_long_is_ended_with_its_children(tool: Path, tmp_path: Path) -> None:
    tool.write_text(f"#!/bin/sh\ntrap '' TERM\nsleep 60 &\necho $! >{tmp_path}/pid\nwait\n")
    answer = ask(["tool"], 1)
    assert (answer.returncode, answer.stdout) == (None, "")
    assert answer.stderr == "tool did not end within 1 s"
    pid = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 10
    while Path(f"/proc/{pid}/exe").exists() and Path(f"/proc/{pid}/exe").is_symlink():
        try:
            os.readlink(f"/proc/{pid}/exe")
        except OSError:
            break  # it has ended, and nobody has reaped it yet
        assert time.monotonic() < end, "the child is still running"


def test_a_tool_that_prints_without_end_gives_no_answer_and_ends(
    tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "LARGEST", 2**20)
    tool.write_text("#!/bin/sh\nexec yes\n")
    answer = ask(["tool"], 30)
    assert (answer.returncode, answer.stdout) == (None, "")
    assert answer.stderr == "tool printed more than 1 MiB"


def test_a_tool_that_does_not_die_is_not_waited_for(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As of one in D state: the signal has no effect yet.
    monkeypatch.setattr(os, "killpg", lambda group, number: None)
    monkeypatch.setattr(child, "_DEATH_SECONDS", 0.01)
    tool.write_text("#!/bin/sh\nexec sleep 60\n")
    assert ask(["tool"], 0.2).returncode is None
    (process,) = child._undead
    process.kill()
    process.wait()
    tool.write_text("#!/bin/sh\n")
    assert ask(["tool"]).returncode == 0
    assert child._undead == []


def test_where_the_kernel_has_no_descriptor_of_a_process_it_is_polled(
    tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int, flags: int = 0) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "pidfd_open", refuse)
    tool.write_text("#!/bin/sh\nsleep 0.1; echo right\n")
    assert ask(["tool"]).stdout == "right\n"
