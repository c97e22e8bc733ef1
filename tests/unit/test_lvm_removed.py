"""What fstab mounts and is not here may have been removed from LVM by mistake: a trial looks for it."""

import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.machine.reader import load_machine
from raidtui.model.finding import Kind
from raidtui.model.machine import Machine
from raidtui.model.procedure import Recover
from tests.unit.test_recorded_states import STATES


def recorded(name: str) -> Machine:
    return load_machine(str(STATES / f"{name}.json"))


def trials(machine: Machine) -> list[Recover]:
    found = [one for one in diagnose(units_of(machine), machine) if one.kind is Kind.MOUNT_EXPECTED]
    orders = [remedy.procedure for one in found for remedy in one.remedies]
    return [one for one in orders if isinstance(one, Recover)]


@pytest.mark.parametrize("name", ["lvm-volume-removed", "lvm-volume-removed-by-name"])
def test_after_lvremove_the_group_with_free_space_is_tried(name: str) -> None:
    machine = recorded(name)
    (group,) = units_of(machine)
    assert trials(machine) == [Recover(unit=group.uuid, stop=True)], "it runs"


def test_after_vgremove_all_physical_volumes_of_no_group_are_tried() -> None:
    assert trials(recorded("lvm-group-removed")) == [Recover(disks=("LAB-0001", "LAB-0002"))]


def test_after_vgremove_on_an_array_that_array_is_tried() -> None:
    machine = recorded("lvm-group-on-an-array-removed")
    assert trials(machine) == [Recover(disks=("/dev/md/tank",))]


def test_after_vgremove_on_several_arrays_all_of_them_are_tried() -> None:
    machine = recorded("lvm-group-on-two-arrays-removed")
    assert trials(machine) == [Recover(disks=("/dev/md/tank-1", "/dev/md/tank-2"))]


def test_a_group_that_is_full_is_not_tried() -> None:
    assert trials(recorded("lvm-group-removed-and-one-made")) == [Recover(disks=("LAB-0002",))]


@pytest.mark.parametrize("source", ["/dev/md/tank", "/dev/sdb1", "PARTUUID=1-2", "/dev/other/data"])
def test_what_cannot_have_been_on_the_group_is_not_looked_for_there(source: str) -> None:
    from raidtui.backends.lvm.removed import removed

    assert not list(removed(source, recorded("lvm-volume-removed")))
