"""The wizard in plain lines rehearses a plan for real: on copies of its disks in the lab, before it is confirmed."""

import hashlib
import os
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.reading import recorded_machine
from raidtui.model.struct import to_json
from tests.kernel import on_files
from tests.kernel.terminal import Terminal

MACHINE = Path(__file__).resolve().parents[1] / "machines" / "blank-4.json"
SIZE = 256 << 20
INTERRUPT = "\x03"


def hashes(files: list[Path]) -> list[str]:
    """What is in these files."""
    return [hashlib.file_digest(file.open("rb"), "sha256").hexdigest() for file in files]


def on_sparse_files(folder: Path) -> tuple[Path, list[Path]]:
    """The record of a computer with four disks, and the files that are its disks."""
    machine = recorded_machine(str(MACHINE))
    files = [folder / f"{one.serial}.img" for one in machine.disks]
    disks = []
    for file, disk in zip(files, machine.disks, strict=True):
        file.write_bytes(disk.serial.encode())
        os.truncate(file, SIZE)
        disks.append(replace(disk, path=str(file), size_bytes=SIZE))
    record = folder / "machine.json"
    record.write_text(to_json(replace(machine, disks=tuple(disks))))
    return record, files


@pytest.mark.first(0)
def test_a_plan_is_rehearsed_stopped_rehearsed_again_and_the_confirmation_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, files = on_sparse_files(tmp_path)
    before, scratch = hashes(files), tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    to_the_plan = [
        ("What to do [1]: ", "1"),
        ("Members: ", "1-2"),
        ("Hot spares, or none [none]: ", ""),
        ("Level [2]: ", ""),
        ("Option to change, or plan [plan]: ", ""),
    ]
    with Terminal([sys.executable, "-P", on_files.__file__, str(record), "wizard", "--plain"]) as terminal:

        def answer(question: str, *keys: str, seconds: float = 60) -> None:
            terminal.until(question.rstrip(), seconds=seconds)
            terminal.press(*keys)

        for question, typed in to_the_plan:
            answer(question, f"{typed}\r")
        answer("Type confirm to continue:", "r\r")
        answer("2 disks copied; starting the lab", INTERRUPT)
        answer("Not rehearsed: the rehearsal was stopped; nothing was changed", "r\r", seconds=120)
        answer("PASSED 13 of 13 steps", "confirm\r", seconds=400)
        assert "Usable space 1" in terminal.text
        assert "Mounted again after a reboot, and a file written before is unchanged" in terminal.text
        for number in (1, 2):
            answer(f"Type the last 4 characters of serial LAB-000{number}:", f"000{number}\r")
        terminal.until("Rehearsed 20", ", 13 of 13 steps.", "Type erase to ERASE 2 disks now:")
    assert hashes(files) == before
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "state" / "jobs").exists()
