"""How a job's process is started where systemd runs."""

from pathlib import Path

import pytest

from raidtui.jobs.launch import how_unit_ended, unit_command
from raidtui.machine.ask import ToolAnswer


def test_a_unit_outlives_the_session_and_its_commands_are_not_cut_short() -> None:
    words = unit_command(
        ["/usr/bin/python3", "-P", "-m", "raidtui", "job", "run", "/var/lib/raidtui/jobs/j 1"],
        name="raidtui-j1-1",
        log=Path("/var/lib/raidtui/jobs/j 1/log"),
        environment={"RAIDTUI_STATE": "/var/lib/raidtui"},
    )
    assert words[0] == "systemd-run"
    assert "--collect" in words
    assert "--property=KillMode=process" in words
    assert "--setenv=RAIDTUI_STATE=/var/lib/raidtui" in words
    assert "--property=StandardOutput=append:/var/lib/raidtui/jobs/j 1/log" in words
    assert words[-3:] == ["job", "run", "/var/lib/raidtui/jobs/j 1"]


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ("ActiveState=active\nResult=success\n", ""),
        ("ActiveState=activating\nResult=success\n", ""),
        ("ActiveState=inactive\nResult=success\n", "its process is gone"),
        ("ActiveState=failed\nResult=signal\n", "systemd reports 'signal'"),
        ("", ""),
    ],
)
def test_what_systemd_says_of_a_unit(shown: str, words: str) -> None:
    assert how_unit_ended(ToolAnswer(returncode=0, stdout=shown)) == words


def test_a_systemd_that_does_not_answer_has_not_said_that_the_unit_ended() -> None:
    assert how_unit_ended(ToolAnswer(returncode=None, stderr="no answer")) == ""
