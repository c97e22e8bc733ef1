"""The plan that replaces a disk of a firmware RAID, from recorded ones."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.md.spare import spare
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.finding import Kind
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Replace
from raidtui.plan.replace import make_replace

STATES = Path(__file__).parents[1] / "machines" / "states"
SEED = "6f1d9b0e-3d5a-4c2b-9a58-0d7c1e2f3a4b"


def recorded(name: str) -> Machine:
    return recorded_machine(str(STATES / f"{name}.json"))


def made(machine: Machine, old: str = "LAB-0002", new: str = "LAB-0003") -> Plan:
    volumes = tuple(one.uuid for one in machine.arrays if one.degraded)
    return make_replace(Replace(old=old, new=new, missing_from=volumes), machine, seed=SEED)


def commands(plan: Plan) -> list[tuple[str, str]]:
    """The step and the words after the path of each command of mdadm to a container or volume."""
    return [
        (step.id, " ".join(run.argv[2:]))
        for step in plan.steps
        for run in step.actions
        if isinstance(run, Run) and run.argv[0] == "mdadm" and run.by_node
    ]


def test_the_new_disk_goes_into_the_container_once_and_every_volume_is_waited_for_and_proven() -> None:
    machine = recorded("imsm-disk-of-two-volumes-gone")
    plan = made(machine)
    assert [step.id for step in plan.steps] == ["capsule", "wipe", "add", "wait", "wait-2", "prove"]
    assert [step for step, _ in commands(plan)] == ["add"]
    container = next(one for one in machine.arrays if one.level == "container")
    assert container.uuid in plan.marks
    assert [check.kind for check in plan.steps[-1].after] == ["array-whole", "array-whole"]


def test_one_that_failed_leaves_the_container_first_and_one_that_works_when_the_new_one_is_in() -> None:
    machine = recorded("imsm-disk-failed-in-its-container")
    failed = made(machine)
    assert [step for step, _ in commands(failed)] == ["remove", "add"]
    assert failed.steps[-1].id == "forget"
    assert "redundancy-drops" not in {one.id for one in failed.hazards}
    whole = replace(
        machine,
        arrays=tuple(
            replace(one, degraded=0, members=(*one.members, replace(one.members[0], path="/dev/ubdb", disk="LAB-0002", slot=1)))
            if one.name == "vol0"
            else replace(one, failed=(), members=tuple(replace(part, state=("spare",)) for part in one.members))
            for one in machine.arrays
        ),
    )  # fmt: skip
    works = made(whole)
    assert [step for step, _ in commands(works)] == ["add", "fail", "remove"]
    assert "redundancy-drops" in {one.id for one in works.hazards}


def test_no_line_of_mdadm_conf_and_no_spare_is_offered_for_what_has_a_uuid_only_by_its_firmware() -> None:
    machine = recorded("imsm-disk-of-two-volumes-gone")
    assert all(one.uuid for one in machine.arrays)
    assert Kind.NOT_CONFIGURED not in {one.kind for one in diagnose(units_of(machine), machine)}
    volume = next(one for one in units_of(machine) if one.name == "one")
    with pytest.raises(Refused, match="belong to its container"):
        spare(volume, machine)


def test_what_was_not_measured_to_work_is_refused() -> None:
    with pytest.raises(Refused, match=r"mdadm 4\.2 crashes"):
        made(recorded("ddf-disk-failed"), new="LAB-0004")
    machine = recorded("imsm-disk-failed-and-gone")
    nameless = replace(machine, arrays=tuple(replace(one, uuid="") for one in machine.arrays))
    with pytest.raises(Refused, match="does not report the UUIDs"):
        make_replace(Replace(old="LAB-0002", new="LAB-0003"), nameless, seed=SEED)
    container, volume = sorted(machine.arrays, key=lambda one: one.level != "container")
    striped = replace(volume, name="fast", node="/dev/md9", level="raid0", degraded=None)
    arrays = (replace(container, volumes=(*container.volumes, "/dev/md9")), volume, striped)
    with pytest.raises(Refused, match="fast is RAID0, which has no redundancy"):
        made(replace(machine, arrays=arrays))
