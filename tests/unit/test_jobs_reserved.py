"""The disks of a sweep read as reserved between its turns, and as free again when its process has ended."""

from pathlib import Path

import pytest

from raidtui.jobs.disk_locks import lock_for_sweep
from raidtui.jobs.reserved import with_reserved
from raidtui.jobs.store import running, write_job
from raidtui.model.journal import JobKind, JobRequest
from raidtui.model.sweep import Sweep
from tests.ui import machines

SERIALS = [machines.disk(number).serial for number in range(1, 5)]


def test_the_disks_of_a_sweep_that_runs_are_not_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    machine = machines.machine([machines.disk(number) for number in range(1, 5)])
    assert all(disk.free for disk in machine.disks)
    sweep = Sweep(name="levels", disks=(*SERIALS[:2], "PULLED"))
    folder = write_job(
        JobRequest(id="levels-1", kind=JobKind.SWEEP, title="Sweep", created="2026-11-21", sweep=sweep)
    )
    with running(folder), lock_for_sweep(SERIALS[0]), lock_for_sweep(SERIALS[1]):
        disks = with_reserved(machine).disks
        assert [disk.free for disk in disks] == [False, False, True, True]
        assert [disk.choosable for disk in disks] == [False, False, True, True]
        assert disks[0].taken_by[0].detail == "reserved by raidtui job levels-1 until its end"
        assert disks[0].to_free == ("wait until that job ends; to follow it: raidtui attach levels-1",)
    assert with_reserved(machine) == machine


def test_while_no_disk_is_reserved_no_job_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def look() -> list[Path]:
        asked.append("jobs")
        return []

    monkeypatch.setattr("raidtui.jobs.store.job_folders", look)
    machine = machines.machine([machines.disk(number) for number in range(1, 5)])
    assert with_reserved(machine) == machine
    assert asked == []
    with lock_for_sweep(machine.disks[0].identity):
        with_reserved(machine)
    assert asked == ["jobs"]
