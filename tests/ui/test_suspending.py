"""Ctrl-Z: never into a stop from which nobody could wake raidtui."""

from pathlib import Path

import pytest

from tests.ui.terminals import Terminal

pytestmark = pytest.mark.slow

MACHINE = str(Path(__file__).parents[1] / "machines" / "blank-4.json")
WHO_WAITS = """
import subprocess, sys
ask = "from raidtui.ui.shell.suspending import a_shell_waits; print('answer', a_shell_waits())"
subprocess.run([sys.executable, "-c", ask], process_group={group})
"""


@pytest.mark.parametrize(
    ("group", "waits"),
    [("0", True), ("None", False)],
    ids=["a shell gives each of its jobs a process group", "ssh and tmux start it as the whole session"],
)
def test_somebody_waits_only_where_a_shell_has_jobs(group: str, waits: bool) -> None:
    with Terminal(["-c", WHO_WAITS.format(group=group)]) as terminal:
        terminal.until(f"answer {waits}")


def test_without_a_shell_it_says_so_and_goes_on() -> None:
    with Terminal(["-m", "raidtui", "--machine", MACHINE]) as terminal:
        terminal.until("Overview")
        terminal.press("\x1a")
        terminal.until("here is none")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_in_the_lab_it_opens_a_shell_and_exit_leads_back() -> None:
    with Terminal(["-m", "raidtui"], environment={"RAIDTUI_LAB": "1", "PS1": "$ "}) as terminal:
        terminal.until("virtual disks")
        terminal.press("\x1a")
        terminal.until("'exit' returns to raidtui")
        terminal.press("clear; echo the answer is $((6*7)); echo\n")
        terminal.until("answer is 42")
        terminal.press("exit\n")
        terminal.until("Overview")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_on_a_console_the_shell_does_not_write_over_the_picture() -> None:
    lab = {"RAIDTUI_LAB": "1", "PS1": "$ ", "TERM": "linux"}
    with Terminal(["-m", "raidtui"], environment=lab) as terminal:
        terminal.until("virtual disks")
        terminal.press("\x1a")
        terminal.until("'exit' returns to raidtui.")
        terminal.wait(0.5)
        assert "Overview" not in terminal.screen
        assert "q Quit" not in terminal.screen
        terminal.press("exit\n")
        terminal.until("Overview")
        terminal.press("q")
        assert terminal.exit_code() == 0
