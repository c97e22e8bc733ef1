"""What was set read-only and left so: a unit, its disks, and what a recovery trial keeps so."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.md.array_names import address
from raidtui.backends.md.procedures.care_conditions import ARRAY_WRITABLE
from raidtui.backends.units import units_of
from raidtui.jobs.recovering.record import this_boot, write
from raidtui.machine.recovery_trial import TrialRecord, read_trial
from raidtui.model.answer import Truth
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Array, Machine, Sync
from raidtui.model.procedure import LetSync, MakeWritable
from raidtui.model.recovery_trial import RecoveryTrial
from raidtui.steps.read_only import NO_TRIAL, WRITABLE
from tests.ui.machines import disk, running_array
from tests.unit.lvm_machines import lvm_disk, lvm_machine, reading
from tests.unit.test_md_care_plans import UUID, whole
from tests.unit.test_md_tend import lines, made
from tests.unit.test_plan_care import degraded

READ_ONLY = running_array(state="readonly")
READWRITE = f"mdadm --readwrite {address(READ_ONLY)}"
PART = f"/dev/disk/by-id/{disk(1).by_id[0]}"


def found(machine: Machine) -> tuple[Finding, ...]:
    return diagnose(units_of(machine), machine)


def with_read_only(machine: Machine, *names: str, **more: Device) -> Machine:
    """The devices ``names`` of it are set read-only."""
    devices = [msgspec.structs.replace(one, read_only=one.name in names) for one in graph_of(machine)]
    return msgspec.structs.replace(machine, devices=(*devices, *more.values()))


def test_an_array_that_was_set_read_only_is_made_writable() -> None:
    machine = whole(READ_ONLY)
    (finding,) = found(machine)
    assert (finding.kind, finding.first and finding.first.procedure) == (
        Kind.READ_ONLY,
        MakeWritable(unit=UUID),
    )
    plan = made(MakeWritable(unit=UUID), machine)
    assert lines(plan) == [READWRITE]
    assert plan.steps[0].after == (ARRAY_WRITABLE.of(UUID),)


@pytest.mark.parametrize(("array", "last"), [(READ_ONLY, [READWRITE]), (running_array(), [])])
def test_a_disk_and_its_partition_are_set_writable_first(array: Array, last: list[str]) -> None:
    machine = with_read_only(whole(array), "sdb", "sdb1", "sdf")
    (finding,) = found(machine)
    assert finding.kind is Kind.READ_ONLY
    assert f"{disk(1).serial} (sdb) is set read-only" in finding.what
    plan = made(MakeWritable(unit=UUID), machine)
    assert lines(plan) == [f"blockdev --setrw {PART}", f"blockdev --setrw {PART}-part1", *last]
    assert NO_TRIAL.of(PART) in plan.steps[0].before
    assert WRITABLE.of(f"{PART}-part1") in plan.steps[0].after


def test_it_comes_before_what_else_the_unit_needs() -> None:
    machine = whole(degraded(state="readonly"))
    (finding,) = found(machine)
    assert finding.kind is Kind.NO_REDUNDANCY
    assert finding.first is not None
    assert finding.first.procedure == MakeWritable(unit=UUID)


def test_where_nothing_is_set_read_only_nothing_is_done() -> None:
    assert found(whole(running_array())) == ()
    with pytest.raises(Refused, match="nothing of tank is set read-only"):
        made(MakeWritable(unit=UUID), whole(running_array()))
    assert found(with_read_only(whole(running_array()), "sdf")) == (), "a disk of no unit"


@pytest.mark.parametrize("state", ["inactive", "broken"])
def test_one_that_does_not_run_stays_read_only(state: str) -> None:
    machine = with_read_only(whole(running_array(state=state, degraded=2)), "sdb1")
    assert all(one.kind is not Kind.READ_ONLY for one in found(machine))
    assert not [r for one in found(machine) for r in one.remedies if isinstance(r.procedure, MakeWritable)]


def test_a_reshape_that_writing_would_continue_stays_where_it_is() -> None:
    sync = Sync(action="reshape", done_bytes=0, total_bytes=0, bytes_per_second=0, waiting="pending")
    machine = whole(running_array(state="readonly", sync_action="reshape", sync=sync))
    assert not [r for one in found(machine) for r in one.remedies if isinstance(r.procedure, MakeWritable)]
    with pytest.raises(Refused, match="a reshape that has not ended"):
        made(MakeWritable(unit=UUID), machine)


def test_a_disk_of_a_volume_group_too() -> None:
    machine = with_read_only(lvm_machine(reading(), lvm_disk(1), lvm_disk(2), mounted=False), "sdb")
    (finding,) = found(machine)
    assert (finding.kind, finding.first and finding.first.procedure) == (
        Kind.READ_ONLY,
        MakeWritable(unit=finding.unit),
    )
    assert [line.rpartition(" ")[0] for line in lines(made(MakeWritable(unit=finding.unit), machine))] == [
        "blockdev --setrw"
    ]


def test_what_something_else_may_need_read_only_stays_so() -> None:
    overlay = Device(name="dm-7", number="253:7", kind=DeviceKind.MAPPED, dm_name="image", slaves=("sdb1",))
    machine = with_read_only(whole(), "sdb1", overlay=overlay)
    held = [
        msgspec.structs.replace(one, holders=(*one.holders, "dm-7")) if one.name == "sdb1" else one
        for one in machine.devices
    ]
    machine = msgspec.structs.replace(machine, devices=tuple(held))
    (finding,) = found(machine)
    assert (finding.remedies[0].procedure, "image may need" in finding.remedies[0].text) == (None, True)
    with pytest.raises(Refused, match="image may need"):
        made(MakeWritable(unit=UUID), machine)


TRIAL = RecoveryTrial(name="tank", read_only=("/dev/sdb1",))


@pytest.mark.parametrize(
    ("trial", "what"),
    [
        (TRIAL, f"a recovery trial of tank has not ended; it has set {disk(1).serial} (sdb) read-only"),
        (
            msgspec.structs.replace(TRIAL, kept=True, mounted_at="/run/x"),
            "the files of tank are mounted at /run/x by",
        ),
        (RecoveryTrial(read=False), "the record of a recovery trial cannot be read"),
    ],
)
def test_what_a_trial_keeps_read_only_is_not_touched(trial: RecoveryTrial, what: str) -> None:
    machine = msgspec.structs.replace(with_read_only(whole(), "sdb1"), trial=trial)
    first = found(machine)[0] if trial.read else found(machine)[-1]
    assert first.kind is Kind.TRIAL_LEFT
    assert first.what.startswith(what)
    assert not [r for one in found(machine) for r in one.remedies if r.procedure is not None]
    with pytest.raises(Refused, match="a recovery trial has not ended"):
        made(MakeWritable(unit=UUID), machine)
    with pytest.raises(Refused):
        made(LetSync(unit=UUID), machine)


# The record.


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path))
    return tmp_path


def recorded(**changes: Any) -> TrialRecord:
    one = TrialRecord(
        name="tank", folder="/dev/shm/raidtui-try-1", boot=this_boot(), read_only=("/dev/sdb1",)
    )
    return msgspec.structs.replace(one, **changes)


def test_the_record_of_a_trial_is_read_until_the_computer_is_booted_again(state: Path) -> None:
    assert read_trial() is None
    assert NO_TRIAL.ask(NO_TRIAL.of("/dev/sdb1"), lambda path: False).truth is Truth.YES
    write(recorded())
    assert read_trial() == TRIAL
    answer = NO_TRIAL.ask(NO_TRIAL.of("/dev/sdb1"), lambda path: False)
    assert (answer.truth, "raidtui recover --clean" in answer.text) == (Truth.NO, True)
    write(recorded(boot="another"))
    assert read_trial() is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 1}', "\x00\xff"])
def test_a_record_that_cannot_be_read_is_unknown_and_never_none(state: Path, text: str) -> None:
    (state / "recovery").mkdir()
    (state / "recovery" / "trial.json").write_text(text, encoding="latin-1")
    assert read_trial() == RecoveryTrial(read=False)
    assert NO_TRIAL.ask(NO_TRIAL.of("/dev/sdb1"), lambda path: False).truth is Truth.UNKNOWN
