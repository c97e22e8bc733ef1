"""The manual page and the completion of the shells, made from the table of commands."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from package.completion import FILES, completion
from package.manual import manual
from package.words import hazard_words, level_words, procedure_words, subcommands, whole_parser

from raidtui import cli
from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.jobs.kept_findings import keep_findings
from raidtui.machine import live_words
from tests.ui.recorded import recorded
from tests.unit.machine_trees import MadeTree
from tests.unit.test_command_line import imported_by

DAY = datetime(2026, 11, 26, tzinfo=UTC)


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The completion scripts, and a program that is called raidtui."""
    folder = tmp_path_factory.mktemp("scripts")
    for shell, name in FILES.items():
        (folder / name).write_text(completion(shell), encoding="utf-8")
    program = folder / "bin" / "raidtui"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m raidtui "$@"\n')
    program.chmod(0o755)
    (folder / "spec.toml").touch()
    (folder / "findings").write_text("gone-with-the-disk\tThe array gone-with-the-disk is not here.\n")
    return folder


def run(scripts: Path, *argv: str) -> str:
    path = f"{scripts / 'bin'}:/usr/bin:/bin"
    done = subprocess.run(
        argv,
        capture_output=True,
        text=True,
        check=False,
        cwd=scripts,
        env={"PATH": path, "HOME": str(scripts), "LANG": "C.UTF-8", "RAIDTUI_RUN": str(scripts)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.processes
def test_the_manual_page_is_valid_and_has_every_command_and_option() -> None:
    page = manual(DAY)
    argv = ["mandoc", "-Tlint", "-Wwarning"]
    lint = subprocess.run(argv, input=page, capture_output=True, text=True, check=False)
    assert (lint.stdout, lint.returncode) == ("", 0)
    assert page.startswith(".Dd November 26, 2026\n")
    shown = subprocess.run(
        ["mandoc", "-Tascii", "-Owidth=80"], input=page, capture_output=True, text=True, check=True
    ).stdout
    plain = "".join(char for at, char in enumerate(shown) if char != "\b" and shown[at + 1 : at + 2] != "\b")
    commands = subcommands(whole_parser())
    assert commands.keys() == {name for name in cli.COMMANDS if name not in {"job", "complete"}}
    for name, parser in commands.items():
        assert f"raidtui {name}" in plain
        for action in parser._actions:
            assert all(option in plain for option in action.option_strings if action.help != "==SUPPRESS==")


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("shell", FILES)
def test_each_shell_reads_its_completion(shell: str, scripts: Path) -> None:
    assert run(scripts, shell, "-n", FILES[shell]) == ""


def test_what_zsh_reads_of_an_option_is_one_message_and_one_action(scripts: Path) -> None:
    """A colon within the message, such as that of 01:00-06:00, would end it: zsh would run "00-06" as a command."""
    text = (scripts / FILES["zsh"]).read_text()
    taken = [line for line in text.splitlines() if re.match(r"  .*--[\w-]+.*\]:", line)]
    assert any("--hours[" in line for line in taken)
    wrong = [line for line in taken if len(re.split(r"(?<!\\):", line.partition("]:")[2])) != 2]
    assert wrong == []


def in_bash(scripts: Path, *words: str) -> Sequence[str]:
    code = (
        'source ./raidtui; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_raidtui; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return run(scripts, "bash", "-c", code, "bash", "raidtui", *words).split()


def in_fish(scripts: Path, *words: str) -> Sequence[str]:
    line = " ".join(("raidtui", *words))
    shown = run(scripts, "fish", "--no-config", "-c", f"source ./raidtui.fish; complete -C '{line}'")
    return [one.partition("\t")[0] for one in shown.splitlines()]


@pytest.mark.processes
@pytest.mark.parametrize("complete", [in_bash, in_fish])
def test_a_shell_completes_commands_words_and_what_raidtui_knows(complete: object, scripts: Path) -> None:
    assert callable(complete)
    assert set(complete(scripts, "res")) == {"results", "resume"}
    assert set(complete(scripts, "bench", "--profile", "cdm-n")) == {"cdm-nvme"}
    assert set(complete(scripts, "sweep", "levels")) == {"levels", "levels-filesystems"}
    assert set(complete(scripts, "calc", "--level", "raidz")) == {"raidz1", "raidz2", "raidz3"}
    assert set(complete(scripts, "apply", "x", "--accept", "smr-")) == {"smr-host-aware", "smr-suspected"}
    assert set(complete(scripts, "care", "tank", "--do", "start")) == {
        "start",
        "start-degraded",
        "start-forced",
        "start-tried",
    }
    assert set(complete(scripts, "care", "gone")) == {"gone-with-the-disk"}
    assert set(complete(scripts, "recover", "tank", "--level", "raid4")) == {"raid4"}
    assert set(complete(scripts, "grow", "tank", "--level", "raid1c")) == {"raid1c3", "raid1c4"}
    assert set(complete(scripts, "rehearse", "spec")) == {"spec.toml"}


def test_levels_and_hazards_come_from_the_code() -> None:
    assert {"raid5", "raidz2", "raid1c3", "mirror"} <= set(level_words())
    assert {"raid5-large", "foreign-array", "btrfs-parity", "smr"} <= set(hazard_words())
    assert {"re-add", "start-forced", "repair", "one-schedule", "put-away"} <= set(procedure_words())
    assert "smart-failing" not in hazard_words()  # it blocks: it cannot be accepted


@pytest.mark.processes
def test_completing_loads_neither_types_nor_tools() -> None:
    loaded = imported_by("complete", "unit")
    assert not {"msgspec", "psutil", "pyudev", "sh", "raidtui.machine.reader"} & loaded


@pytest.mark.processes
@pytest.mark.parametrize("kind", live_words.KINDS)
def test_completing_takes_a_fraction_of_a_second(kind: str) -> None:
    """Processor time of the program and of what it starts: it does not depend on what else this computer does."""
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "raidtui", "complete", kind, "x-"],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(child, 0)
    assert status == 0
    assert used.ru_utime + used.ru_stime < 0.2


PRINTED = """\
TYPE="disk" SERIAL="WD-WCC1" SIZE="4T" MODEL="WDC WD40EFRX"
TYPE="disk" SERIAL="$(reboot)" SIZE="4T" MODEL="evil"
TYPE="disk" SERIAL="a b" SIZE="4T" MODEL=""
TYPE="disk" SERIAL="WD-WCC2" SIZE="" MODEL=""
TYPE="disk" SERIAL="" SIZE="0B" MODEL=""
TYPE="loop" SERIAL="LOOP" SIZE="1G" MODEL=""
rubbish
"""


def test_serial_numbers_complete_one_after_the_other_and_none_that_a_shell_would_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(live_words.KINDS, "serial", lambda _: live_words.serials(PRINTED))
    assert live_words.complete("serial", "") == ["WD-WCC1\t4T WDC WD40EFRX", "WD-WCC2"]
    assert live_words.complete("serial", "WD-WCC2,W") == ["WD-WCC2,WD-WCC1\t4T WDC WD40EFRX"]
    assert live_words.complete("serial", "x") == []


@pytest.mark.processes
@pytest.mark.parametrize("answer", ["exit 1", "sleep 9", "printf '\\377\\000'"])
def test_a_tool_that_fails_hangs_or_prints_rubbish_completes_nothing(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "lsblk"
    program.write_text(f"#!/bin/sh\nexec {answer}\n" if "sleep" in answer else f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(live_words, "_LSBLK_SECONDS", 0.2)
    assert live_words.complete("serial", "") == []
    program.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert live_words.complete("serial", "") == []


def test_units_are_those_that_the_kernel_knows(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.disk("sda")
    made.disk("sdb")
    made.array("md127", [("sda", "0", "in_sync")])
    made.link("/dev/md/tank", "../md127")
    made.array("md5", [("sdb", "0", "in_sync")], level="")
    for name, dm, uuid in (("dm-0", "my--group-data", "LVM-abc"), ("dm-1", "crypt", "CRYPT-x")):
        made.write(f"/sys/block/{name}/dm/name", dm)
        made.write(f"/sys/block/{name}/dm/uuid", uuid)
    made.write("/sys/fs/btrfs/features/raid56", "0")
    made.write("/sys/fs/btrfs/0f-1/label", "photos")
    made.write("/proc/spl/kstat/zfs/pond/state", "ONLINE")
    made.write("/proc/spl/kstat/zfs/arcstats", "1")
    assert sorted(live_words.units(made.tree)) == [
        ("md5", "array, inactive"),
        ("my-group", "volume group"),
        ("photos", "Btrfs"),
        ("pond", "ZFS pool"),
        ("tank", "array, raid5"),
    ]
    assert live_words.complete("unit", "t", made.tree) == ["tank\tarray, raid5"]


def test_a_unit_to_recover_is_known_from_mdadm_conf(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    assert live_words.complete("unit", "", made.tree) == []
    made.write(
        "/etc/mdadm/mdadm.conf", "HOMEHOST <system>\n array /dev/md/old UUID=1:2:3:4\n#ARRAY /dev/md/x\n"
    )
    made.write(
        "/etc/mdadm.conf", "ARRAY /dev/md/elsewhere metadata=1.2 UUID=1:2:3:5\nARRAY <ignore> UUID=1:2:3:6\n"
    )
    assert live_words.complete("unit", "", made.tree) == [
        "old\tarray, in /etc/mdadm/mdadm.conf",
        "elsewhere\tarray, in /etc/mdadm.conf",
    ]


def test_findings_are_those_of_the_last_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    assert live_words.complete("finding", "") == live_words.complete("unit", "")
    state = recorded("states/md-missing")
    (found, *_) = findings = diagnose(units_of(state), state)
    keep_findings(findings)
    assert f"{found.name}\t{found.what}" in live_words.complete("finding", "")
    keep_findings(())
    assert live_words.complete("finding", found.name) == []
    (tmp_path / "run" / "findings").write_bytes(b"\xff\0rubbish\n$(reboot)\n")
    assert live_words.complete("finding", "") == live_words.complete("unit", "")
    monkeypatch.setenv("RAIDTUI_RUN", "/proc/nowhere")
    keep_findings(findings)


def test_jobs_profiles_and_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    assert live_words.complete("job", "") == []
    for name in ("20260101-a", "20260102-b"):
        (tmp_path / "jobs" / name).mkdir(parents=True)
    assert live_words.complete("job", "2026") == ["20260102-b", "20260101-a"]
    assert "cdm" in live_words.complete("profile", "cd")
    assert "chunks" in live_words.complete("study", "")


def test_the_hidden_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["complete", "profile", "cdm-n"]) == 0
    assert capsys.readouterr().out == "cdm-nvme\n"
    assert cli.main(["complete", "nonsense"]) == 2
