"""Which disks a recovery trial holds read-only, and that no job writes to them meanwhile."""

from pathlib import Path

import pytest

from raidtui.jobs.lock import held
from raidtui.jobs.recovering import held as holds
from raidtui.jobs.recovering import record as records
from raidtui.machine import recovery_trial
from raidtui.machine.recovery_trial import TrialRecord
from raidtui.model.errors import BadInput, Refused
from raidtui.model.plan import Plan, PlanKind, Role, Run, Step
from raidtui.model.spec import Backend, Spec


@pytest.fixture(autouse=True)
def computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder, and two devices of which one is read-only."""
    monkeypatch.setattr(recovery_trial, "place", lambda: tmp_path)
    numbers = {
        "/dev/sda1": "8:1",
        "/dev/disk/by-id/wwn-1-part1": "8:1",
        "/dev/sda": "8:0",
        "/dev/sdb": "8:16",
    }
    monkeypatch.setattr(holds, "device_number", lambda path: numbers.get(path, ""))
    monkeypatch.setattr(holds, "is_read_only", lambda path: path == "/dev/sda1")
    monkeypatch.setattr(
        holds, "whole_disks", lambda number: frozenset({"8:0"} if number == "8:1" else {number})
    )


def record(*, kept: bool = False, boot: str = "") -> None:
    records.write(
        TrialRecord(
            name="tank",
            folder="/dev/shm/raidtui-try-1",
            boot=boot or records.this_boot(),
            read_only=("/dev/sda1", "/dev/sdb", "/dev/gone"),
            mounted_at="/run/raidtui-recovery",
            kept=kept,
        )
    )


def plan(*argv: str) -> Plan:
    step = Step(id="x", role=Role.MEMBER, title="x", reason="x", actions=(Run(argv=argv),))
    spec = Spec(name="tank", backend=Backend.MDADM, level="raid5")
    return Plan(kind=PlanKind.CARE, spec=spec, seed="", array_uuid="", array_path="", steps=(step,))


def test_without_a_trial_nothing_is_held() -> None:
    assert holds.held_by_trial() == {}
    holds.refuse_held(plan("mdadm", "/dev/sda1"))


def test_a_killed_trial_is_named_with_the_command_that_ends_it() -> None:
    record()
    ((path, hold),) = holds.held_by_trial().items()
    assert (path, hold.name, hold.runs, hold.mounted_at) == ("/dev/sda1", "tank", False, "")
    assert "was killed" in hold.why
    assert "raidtui recover --clean" in hold.why


def test_a_trial_that_runs_and_one_that_shows_files_are_told_apart() -> None:
    record(kept=True)
    assert "shown at /run/raidtui-recovery" in holds.held_by_trial()["/dev/sda1"].why
    with held(records.lock(), patience_seconds=1, refusal="taken"):
        assert "wait for its end" in holds.held_by_trial()["/dev/sda1"].why


def test_after_a_reboot_nothing_is_held() -> None:
    record(boot="another")
    assert holds.held_by_trial() == {}


@pytest.mark.parametrize("word", ["/dev/sda1", "/dev/disk/by-id/wwn-1-part1", "/dev/sda"])
def test_no_job_writes_to_a_device_that_is_held(word: str) -> None:
    record()
    with pytest.raises(Refused, match="read-only: a recovery trial of tank was killed"):
        holds.refuse_held(plan("mdadm", "/dev/md/tank", "--add", word))
    holds.refuse_held(plan("mdadm", "/dev/md/tank", "--add", "/dev/sdb"))  # it is writable


def test_a_record_that_cannot_be_understood_is_not_none() -> None:
    (recovery_trial.place() / "trial.json").write_text("{")
    with pytest.raises(BadInput):
        holds.held_by_trial()
    with pytest.raises(BadInput):
        holds.refuse_held(plan("mdadm", "/dev/sdb"))
