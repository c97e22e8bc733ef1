"""`raidtui plan` on a recorded machine: what it prints, and what it refuses with which exit code."""

import io
import json
import sys
from pathlib import Path

import pytest

from raidtui import cli
from raidtui.backends.specfile import write_spec
from raidtui.model.machine import ClaimKind, Machine, Weight
from raidtui.model.plan import Plan
from raidtui.model.smart import Smart
from raidtui.model.struct import from_json, to_json
from raidtui.plan.script import as_script
from tests.unit.plan_machines import SEED, TANK, disk, machine, plan, taken


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a recorded machine and a spec, which is where the command runs."""
    monkeypatch.chdir(tmp_path)
    record(tmp_path, machine())
    (tmp_path / "tank.toml").write_text(write_spec(TANK))
    return tmp_path


def record(folder: Path, what: Machine) -> None:
    (folder / "machine.json").write_text(to_json(what))


def run(*words: str) -> int:
    return cli.main(["--machine", "machine.json", "plan", *words])


def test_the_plan_is_read_in_eighty_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("tank.toml", "--seed", SEED) == 0
    shown = capsys.readouterr().out
    for line in shown.splitlines():
        assert line.isprintable()
        # A quoted word is never broken: it could not be copied any more.
        assert len(line) <= 80 or "'start=" in line, line
    for told in (
        "/dev/md/tank: RAID5 of 3 members, 19.8 GB (18.4 GiB) usable",
        "member  S-0001  10.0 GB (9.31 GiB)  Example 10 GB",
        "INFO  not-a-backup",
        " 4. Create one RAID partition on each of 3 disks",
        "Destroys S-0002 (Example 10 GB",
        "undo: the saved bytes are written back",
        "Nothing has been changed. To build it, run:",
        f"--seed={SEED}",
    ):
        assert told in shown


def test_a_command_broken_over_lines_is_still_the_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("tank.toml", "--seed", SEED) == 0
    joined = capsys.readouterr().out.replace(" \\\n", " ")
    words = [line.split("# ", 1)[1].split() for line in joined.splitlines() if "# mdadm --create" in line]
    assert words == [list(plan().steps[5].actions[-1].argv)]  # type: ignore[union-attr]


def test_as_json_it_reads_back_as_the_same_plan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("tank.toml", "--json", "--seed", SEED) == 0
    assert from_json(capsys.readouterr().out, Plan, origin="out") == plan()


def test_as_a_script_it_is_the_script_of_the_same_plan(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("tank.toml", "--script", "--seed", SEED) == 0
    assert capsys.readouterr().out == as_script(plan())


def test_without_a_seed_every_plan_has_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = set()
    for _ in range(2):
        assert run("tank.toml", "--json") == 0
        seeds.add(json.loads(capsys.readouterr().out)["seed"])
    assert len(seeds) == 2


def test_the_spec_may_come_from_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(write_spec(TANK).encode())))
    assert run("-", "--json", "--seed", SEED) == 0
    assert from_json(capsys.readouterr().out, Plan, origin="out") == plan()


def test_a_blocking_hazard_shows_the_plan_and_then_refuses(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(folder, machine(disk(2, smart=Smart(passed=False))))
    assert run("tank.toml") == 3
    shown = capsys.readouterr()
    assert "BLOCK smart-failing" in shown.out
    assert shown.err.startswith(
        "raidtui: this cannot be built safely: smart-failing: This drive reports that it is failing"
    )
    assert run("tank.toml", "--script") == 3
    assert capsys.readouterr().out == ""


def test_a_hazard_to_be_accepted_is_named_in_the_command_that_does_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(folder, machine(disk(2, smart=Smart(pending_sectors=8))))
    assert run("tank.toml") == 0
    assert "--accept=smart-unreadable" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["absent.toml"], 2, "the spec absent.toml cannot be read: No such file or directory"),
        (["."], 2, "the spec . cannot be read: it is a directory"),
        (["/dev/zero"], 2, "the spec /dev/zero cannot be read: it is a device, not a file"),
        (["binary.toml"], 2, "binary.toml is not text; a spec is a small TOML file in UTF-8"),
        (["utf-16.toml"], 2, "utf-16.toml is text in UTF-16; save it as UTF-8"),
        (["nul.toml"], 2, "nul.toml is not text: it has NUL bytes; a spec is a small TOML file in UTF-8"),
        (["wrong.toml"], 2, "wrong.toml, line 3: there is no key 'chunks'; did you mean 'chunk'?"),
        (["tank.toml", "--seed", "7"], 2, "the seed '7' is not a UUID"),
        (["missing.toml"], 2, "no disk of this machine is called 'S-0099'"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, sentence: str
) -> None:
    (folder / "binary.toml").write_bytes(bytes(range(128, 256)))
    (folder / "utf-16.toml").write_text('name = "tank"\n', encoding="utf-16")
    (folder / "nul.toml").write_text('name = "tank"\n', encoding="utf-16-le")
    (folder / "wrong.toml").write_text('name = "tank"\nlevel = "raid1"\nchunks = "1MiB"\n')
    (folder / "missing.toml").write_text('name = "t"\nlevel = "raid1"\nmembers = ["S-0001", "S-0099"]\n')
    assert run(*words) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"raidtui: {sentence}")
    assert shown.err.count("\n") == 1


def test_a_closed_standard_input_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert run("-") == 2
    assert "standard input is closed" in capsys.readouterr().err


def test_a_taken_disk_is_refused_for_safety(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(folder, machine(taken(1, Weight.SYSTEM, ClaimKind.SYSTEM, "mounted at /", "")))
    assert run("tank.toml") == 3
    assert "a disk of the running system" in capsys.readouterr().err


def test_a_missing_tool_has_an_exit_code_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = to_json(machine()).replace('"mkfs.ext4"', '"mkfs.ext2"')
    (folder / "machine.json").write_text(text)
    assert run("tank.toml") == 5
    assert "apt-get install e2fsprogs" in capsys.readouterr().err
