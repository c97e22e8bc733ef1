"""How a unit of systemd and a line of cron start raidtui, wherever it is installed."""

import shlex

import pytest

from raidtui.machine import system
from raidtui.machine.installation import ONE_FILE
from raidtui.machine.system import read_system
from raidtui.machine.tree import HERE
from raidtui.model.errors import Refused
from raidtui.plan.own_command import can_be_started, cron_command, exec_start
from tests.unit import plan_machines
from tests.unit.test_scrub_schedules import with_system


def written(*program: str) -> str:
    return exec_start(with_system(plan_machines.machine(), program=program), "status", "--alert")


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (("/usr/bin/python3", "-m", "raidtui"), "/usr/bin/python3 -m raidtui status --alert"),
        (("/opt/my tools/python", "-P"), '"/opt/my tools/python" -P status --alert'),
        (("/opt/100%/python",), "/opt/100%%/python status --alert"),
        (("/usr/bin/env", "A=/x $y", "/p"), '/usr/bin/env "A=/x $$y" /p status --alert'),
        (("/usr/bin/env", "A=it's;b"), '/usr/bin/env "A=it\'s;b" status --alert'),
        (("/usr/bin/env", 'A="b\\'), '/usr/bin/env A=\\"b\\\\ status --alert'),
    ],
)
def test_a_path_is_written_as_systemd_reads_it(program: tuple[str, ...], line: str) -> None:
    assert written(*program) == line


def test_the_one_file_may_be_gone_after_the_next_boot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_system(HERE).program
    monkeypatch.setattr(system, "how_installed", lambda: ONE_FILE)
    assert read_system(HERE).program == ()


@pytest.mark.parametrize("program", [(), ("/opt/$x/python",), ("/opt/a\nb",), ("/usr/bin/env", "A=\x1b")])
def test_what_cannot_be_written_is_refused(program: tuple[str, ...]) -> None:
    with pytest.raises(Refused, match="how raidtui is started"):
        written(*program)
    assert not can_be_started(with_system(plan_machines.machine(), program=program))


def test_cron_reads_it_as_a_shell_does() -> None:
    program = ("/opt/my tools/100%", "-m", "raidtui")
    line = cron_command(with_system(plan_machines.machine(), program=program), "status")
    assert shlex.split(line.replace("\\%", "%")) == [*program, "status"]


def test_another_state_folder_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", "/srv/state")
    assert read_system(HERE).program[:2] == ("/usr/bin/env", "RAIDTUI_STATE=/srv/state")
    monkeypatch.setenv("RAIDTUI_STATE", "/var/lib/raidtui")
    assert read_system(HERE).program[1:] == ("-P", "-m", "raidtui")
