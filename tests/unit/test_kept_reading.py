"""Readings every few minutes: SMART data and versions are an hour old at most, and of the disks that are here."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.jobs.kept_reading import FILE, KEPT_SECONDS, read_sparingly
from raidtui.model.machine import Disk, Machine
from raidtui.model.problem import Problem
from raidtui.model.smart import Smart
from tests.unit import plan_machines
from tests.unit.plan_machines import disk

HOT = Smart(temperature_celsius=41)


class Computer:
    """Counts how it is read."""

    def __init__(self) -> None:
        self.disks: tuple[Disk, ...] = (disk(1), disk(2))
        self.more: dict[str, Any] = {}
        self.reads: list[str] = []

    def read(self, *, smart: bool = True, known_tools: dict[str, str] | None = None) -> Machine:
        self.reads.append("whole" if smart else "quick")
        assert smart or known_tools == plan_machines.TOOLS
        told = tuple(msgspec.structs.replace(one, smart=HOT if smart else None) for one in self.disks)
        return msgspec.structs.replace(plan_machines.machine(), disks=told, **self.more)


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Computer:
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    return Computer()


def test_smart_is_read_once_an_hour(computer: Computer) -> None:
    for moment in ((100.0).__float__, (400.0).__float__, (100 + KEPT_SECONDS).__float__):
        machine = read_sparingly(computer.read, now=moment)
        assert [one.smart for one in machine.disks] == [HOT, HOT]
    assert computer.reads == ["whole", "quick", "whole"]


def test_a_new_disk_and_another_boot_are_read_whole(computer: Computer) -> None:
    read_sparingly(computer.read, now=lambda: 500.0)
    computer.disks = (*computer.disks, disk(3))
    machine = read_sparingly(computer.read, now=lambda: 600.0)
    assert [one.smart for one in machine.disks] == [HOT] * 3
    assert computer.reads == ["whole", "quick", "whole"]
    read_sparingly(computer.read, now=lambda: 10.0)
    assert computer.reads[3:] == ["whole"], "the clock has begun anew"


def test_what_was_not_read_well_is_not_kept(computer: Computer, tmp_path: Path) -> None:
    computer.more = {"problems": (Problem(what="smart", text="smartctl did not answer"),)}
    read_sparingly(computer.read, now=lambda: 1.0)
    assert not (tmp_path / "run" / FILE).exists()


@pytest.mark.parametrize("text", ["", "{}", "x" * 1000, '{"at": "x", "tools": {}, "smart": {}}'])
def test_rubbish_and_a_folder_that_cannot_be_written_are_a_whole_reading(
    computer: Computer, tmp_path: Path, text: str
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / FILE).write_text(text)
    read_sparingly(computer.read, now=lambda: 1.0)
    assert computer.reads == ["whole"]
    (tmp_path / "run" / FILE).unlink()
    (tmp_path / "run" / FILE).mkdir()
    assert read_sparingly(computer.read, now=lambda: 2.0).disks[0].smart == HOT
