"""A rehearsal: which plans can have one, what the lab is given, what is copied, and how the result is kept."""

import argparse
from pathlib import Path

import msgspec
import pytest

from raidtui.cli import main
from raidtui.commands._procedure import do_order
from raidtui.commands.rehearsal.rehearsal import (
    _etc,
    _workplace,
    check_can_rehearse,
    described,
    rehearse,
)
from raidtui.jobs.capsule import END_BYTES
from raidtui.jobs.disk_copies import copy_disk
from raidtui.jobs.rehearsed import order_of, record, rehearsed_words
from raidtui.model.errors import Refused, StepFailed, ToolMissing
from raidtui.model.machine import Machine
from raidtui.model.plan import Extent, Plan
from raidtui.model.procedure import Replace
from raidtui.model.rehearsal import Rehearsal, RehearsedStep
from raidtui.model.spec import Backend
from raidtui.model.units import MIB
from raidtui.plan.build import make_plan
from tests.ui import machines
from tests.ui.pictures import answers

SERIALS = [machines.disk(number).serial for number in range(1, 5)]


def four(**changes: object) -> Machine:
    return machines.machine([machines.disk(number, **changes) for number in range(1, 5)])


def plan_on(machine: Machine) -> Plan:
    draft = answers(*SERIALS, level="raid5")
    return make_plan(draft.spec, machine, seed="0f5a2c3e-0000-4000-8000-000000000001")


def shown(plan: Plan, **changes: object) -> Rehearsal:
    steps = tuple(RehearsedStep(id=step.id, title=step.title, seconds=1.0) for step in plan.steps)
    made = Rehearsal(
        at="2026-11-24T20:15:00+00:00",
        name="data",
        fingerprint=plan.fingerprint,
        seed=plan.seed,
        passed=True,
        steps=steps,
    )
    return msgspec.structs.replace(made, **changes)


@pytest.mark.parametrize(
    ("backend", "why"),
    [
        (Backend.MEGARAID, "its firmware does the work"),
        (Backend.ADAPTEC, "no card"),
    ],
)
def test_what_the_lab_cannot_run_is_refused_with_the_reason(backend: Backend, why: str) -> None:
    machine = four()
    plan = plan_on(machine)
    other = msgspec.structs.replace(plan, spec=msgspec.structs.replace(plan.spec, backend=backend))
    with pytest.raises(Refused, match=why):
        check_can_rehearse(other, machine)


def test_disks_that_the_lab_cannot_have_are_refused() -> None:
    machine = four(logical_sector_bytes=2048, physical_sector_bytes=4096)
    with pytest.raises(Refused, match="logical sectors of 2,048 bytes"):
        check_can_rehearse(plan_on(machine), machine)
    for machine in (four(), four(logical_sector_bytes=4096, physical_sector_bytes=4096)):
        assert [disk.serial for disk in check_can_rehearse(plan_on(machine), machine).disks] == SERIALS


def test_copies_have_the_sectors_of_their_disks_and_many_are_on_scsi() -> None:
    wide = machines.disk(1, logical_sector_bytes=4096, physical_sector_bytes=4096)
    plain = [machines.disk(number) for number in range(2, 19)]
    assert [copy.bus for copy in described([wide, plain[0]], "uml")] == ["scsi4kn", ""]
    assert [copy.bus for copy in described(plain[:16], "uml")] == [""] * 16
    assert [copy.bus for copy in described([wide, *plain], "uml")] == ["scsi4kn", *["scsi"] * 17]
    assert {copy.sector_bytes for copy in described(plain, "qemu")} == {512}


def test_the_lab_gets_the_computers_name_and_lines_but_nothing_of_the_network() -> None:
    machine = four()
    system = msgspec.structs.replace(
        machine.system,
        hostname="nas",
        fstab=(
            "UUID=1 / ext4 defaults 0 1",
            "server:/films /films nfs defaults 0 0",
            "//pc/x /x cifs ro 0 0",
        ),
        mail_address="root@example.org",
    )
    files = _etc(msgspec.structs.replace(machine, system=system))
    assert files["hostname"] == "nas\n"
    assert files["fstab"] == "UUID=1 / ext4 defaults 0 1\n"
    assert files["mdadm/mdadm.conf"].endswith("MAILADDR root@example.org\n")


def test_a_copy_has_the_ends_and_what_the_plan_writes_and_is_sparse(tmp_path: Path) -> None:
    image = tmp_path / "disk"
    size = 64 * MIB
    image.write_bytes(b"x" * size)
    disk = machines.disk(1, path=str(image), size_bytes=size)
    there = Extent(offset=20 * MIB, length=4096)
    copied = copy_disk(disk, [there], tmp_path / "copy")
    content = (tmp_path / "copy").read_bytes()
    assert len(content) == size
    assert content[:END_BYTES] == content[-END_BYTES:] == b"x" * END_BYTES
    assert content[there.offset : there.end] == b"x" * there.length
    assert content[10 * MIB : 11 * MIB].strip(b"\0") == b""
    assert copied < 8 * MIB
    assert (tmp_path / "copy").stat().st_blocks * 512 < 8 * MIB


def test_a_disk_too_large_for_the_filesystem_is_said(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="set TMPDIR"):
        copy_disk(machines.disk(1, size_bytes=2**63 - 512), (), tmp_path / "copy")


def test_confirm_knows_this_very_plan_only() -> None:
    plan = plan_on(four())
    assert rehearsed_words(plan) == "Not rehearsed"
    record(shown(plan))
    count = len(plan.steps)
    assert rehearsed_words(plan) == f"Rehearsed 2026-11-24, {count} of {count} steps"
    other = msgspec.structs.replace(plan, seed="0f5a2c3e-0000-4000-8000-000000000002")
    assert rehearsed_words(other) == "Not rehearsed"
    record(shown(plan, at="2026-11-25T20:15:00+00:00", passed=False, steps=()))
    assert rehearsed_words(plan) == "DID NOT PASS: rehearsed 2026-11-25, 0 of 0 steps"


def test_what_a_killed_rehearsal_left_is_removed_and_what_lives_is_not(tmp_path: Path) -> None:
    left = tmp_path / "raidtui-rehearsal-dead"
    left.mkdir()
    (left / "lock").touch()
    (left / "copy").touch()
    with _workplace(tmp_path) as one, _workplace(tmp_path) as two:
        assert not left.exists()
        assert one.is_dir()
        assert two.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_what_the_lab_lacks_is_said_before_anything_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lacking:
        def __init__(self, name: str) -> None:
            assert name == "uml"

        def prepare(self) -> None:
            raise ToolMissing("the lab needs user-mode-linux, not found here")

    monkeypatch.setattr("raidtui.commands.rehearsal.rehearsal.find_engine", Lacking)
    machine, said = four(), list[str]()
    plan = plan_on(machine)
    order = order_of(spec=plan.spec, seed=plan.seed)
    with pytest.raises(ToolMissing, match="needs user-mode-linux"):
        rehearse(order, plan, machine, recorded=True, report=said.append)
    assert said == []


def test_a_pool_is_not_rehearsed_without_zfs_here_and_the_lab_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "pool.toml"
    spec.write_text('name = "tank"\nbackend = "zfs"\nlevel = "mirror"\nmembers = ["LAB-0001", "LAB-0002"]\n')
    recording = Path(__file__).parents[1] / "machines" / "blank-4.json"
    assert main(["--machine", str(recording), "rehearse", str(spec)]) == ToolMissing.exit_code
    said = capsys.readouterr().err
    assert "ZFS is not installed" in said
    assert "with ZFS, in 'raidtui lab --engine qemu'" in said


@pytest.mark.parametrize("passed", [True, False])
def test_a_procedure_that_passed_says_how_to_do_it_on_the_real_disks(
    passed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = four()
    plan = plan_on(machine)
    seen = Rehearsal(at="", name="tank", fingerprint="f", seed="s", passed=passed, steps=())
    monkeypatch.setattr("raidtui.commands.rehearsal.rehearsal.rehearse", lambda *_, **__: seen)
    monkeypatch.setattr("raidtui.jobs.rehearsed.record", lambda _: None)
    order = Replace(old=SERIALS[0], new=SERIALS[3])
    options = argparse.Namespace(script=False, rehearse=True, json=False)
    assert do_order(options, "", plan, order, machine) == (0 if passed else StepFailed.exit_code)
    assert ("the same command without --rehearse" in capsys.readouterr().out) is passed
