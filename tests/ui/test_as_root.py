"""A user without root goes on as root: the password is asked for once, and a refusal leads back without harm."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.backends.specfile import write_spec
from raidtui.model.errors import BadInput
from raidtui.ui.shell.elevate import answers_to_keep, open_as_root, read_answers, root_command, way_to_root
from tests.ui.pictures import answers
from tests.ui.terminals import Terminal

DRAFT = answers("LAB-0001", "LAB-0002", "LAB-0003", level="raid5")
KEPT = answers_to_keep(
    DRAFT.accept("not-all-read", yes=True), ["overview", "disks", "level", "options", "review"]
)
AS_A_USER = """
import os, sys
os.geteuid = lambda: 1000
from raidtui.cli import main
sys.exit(main(["wizard", *sys.argv[1:]]))
"""


def program(folder: Path, name: str, script: str) -> str:
    """Put a program of that name into ``folder``."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, to see what is left there."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_what_was_acknowledged_without_root_is_asked_again() -> None:
    assert KEPT.draft == DRAFT
    assert KEPT.places[-1] == "review"


def test_the_way_of_a_confirmation_ends_before_it() -> None:
    assert answers_to_keep(DRAFT, ["overview", "review", "confirm"]).places == ("overview", "review")
    assert answers_to_keep(DRAFT, ["build"]).places == ("overview",)


def test_a_refusal_is_told_from_a_wizard_that_was_open_and_leaves_nothing(
    tmp_path: Path, own_tmp: Path
) -> None:
    refusing = program(tmp_path, "sudo", "exit 1")
    assert open_as_root(refusing, KEPT, console=False) is None
    assert list(own_tmp.iterdir()) == []


def test_the_answers_arrive_and_the_exit_code_is_that_of_the_wizard(tmp_path: Path, own_tmp: Path) -> None:
    got = tmp_path / "got"
    opening = program(tmp_path, "sudo", f'for last; do :; done; head -n 1 "$last" >{got}; exit 7')
    assert open_as_root(opening, KEPT, console=False) == 7
    assert read_answers(str(got)) == KEPT
    assert list(own_tmp.iterdir()) == []


def test_when_the_wizard_of_root_is_stopped_this_process_stops_too_and_both_go_on(tmp_path: Path) -> None:
    """su stops with what it runs, but the shell waits for us."""
    stopping = program(tmp_path, "su", f"kill -STOP $$; head -n 1 {tmp_path}/*/answers >/dev/null; exit 7")
    call = f"""
import sys, tempfile
from raidtui.ui.shell.tui import Answers
from raidtui.ui.shell.elevate import open_as_root
from raidtui.ui.wizard.draft import new_draft
tempfile.tempdir = {str(tmp_path)!r}
sys.exit(open_as_root({stopping!r}, Answers(draft=new_draft()), console=False))
"""
    running = subprocess.Popen([sys.executable, "-c", call])
    assert os.WIFSTOPPED(os.waitpid(running.pid, os.WUNTRACED)[1])
    running.send_signal(signal.SIGCONT)
    assert running.wait(30) == 7


@pytest.mark.parametrize("text", [None, "", "{}", '{"draft": 1}'])
def test_answers_that_cannot_be_read_are_bad_input(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "answers"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BadInput, match="answers"):
        read_answers(str(path))


@pytest.mark.parametrize(
    ("name", "first"),
    [("sudo", ["--", sys.executable]), ("pkexec", [sys.executable]), ("su", ["root", "-c"])],
)
def test_each_program_gets_the_command_in_its_own_way(name: str, first: list[str]) -> None:
    words = root_command(f"/usr/bin/{name}", "/tmp/a b/answers", console=True)
    assert words[0] == f"/usr/bin/{name}"
    assert words[1 : 1 + len(first)] == first
    assert "wizard --console --answers" in " ".join(words)
    assert ("'/tmp/a b/answers'" in words[-1]) == (name == "su")  # su hands a line to a shell


@pytest.mark.parametrize(
    ("there", "taken"), [(["su", "pkexec", "sudo"], "sudo"), (["su", "pkexec"], "pkexec"), (["su"], "su")]
)
def test_sudo_before_pkexec_before_su(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: list[str], taken: str
) -> None:
    for name in there:
        program(tmp_path, name, "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert way_to_root() == str(tmp_path / taken)


@pytest.mark.slow
def test_a_wrong_password_leads_back_to_the_plan_and_a_right_one_goes_on(tmp_path: Path) -> None:
    """The program asks as sudo does; what opens then is a wizard of its own, on the same plan."""
    spec = tmp_path / "data.toml"
    spec.write_text(write_spec(DRAFT.spec))
    asking = 'printf "\\033[2J\\033[HSecret: "; read -r word; shift; [ "$word" = right ] && exec "$@"; echo "Sorry."; exit 1'
    program(tmp_path, "sudo", asking)
    with Terminal(
        ["-c", AS_A_USER, str(spec)], environment={"PATH": f"{tmp_path}:/usr/bin:/bin"}
    ) as terminal:
        terminal.until("not root")
        terminal.press("\x1bOQ")  # F2
        terminal.until("This needs root")
        terminal.press("\x1b[C\r")
        terminal.until("Secret:")
        terminal.press("wrong\n")
        terminal.until("sudo did not open raidtui as root")
        terminal.until("with root's own password: su, then raidtui")  # for who may not use sudo
        terminal.until("[Review]")
        terminal.press("\x1bOQ")
        terminal.until("This needs root")
        terminal.press("\x1b[C\r")
        terminal.until("Secret:")
        terminal.press("right\n")
        terminal.until("[Review]")
        assert "did not open" not in terminal.screen
        terminal.press("q")
        assert terminal.exit_code() == 0
