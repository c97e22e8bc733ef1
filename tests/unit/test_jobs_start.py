"""How a job's process is started where systemd runs."""

from pathlib import Path

from raidtui.jobs.start import unit_command


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
