"""What a missing member may be on is opened or started first; what md does not tell is unknown, never stopped."""

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.beneath import first_below
from raidtui.backends.units import completed, units_of
from raidtui.machine.md.stopped import unread_arrays
from raidtui.model.device import DeviceKind
from raidtui.model.device_graph import graph_of
from raidtui.model.errors import BadInput
from raidtui.model.finding import Kind
from raidtui.model.machine import Machine
from raidtui.model.procedure import Replace
from raidtui.plan.replace import make_replace
from tests.unit.test_recorded_states import state


def below(machine: Machine) -> list[str]:
    units = units_of(machine)
    return [one.text for unit in units for one in first_below(unit, units, machine)]


def test_a_container_that_is_open_is_not_asked_for() -> None:
    machine = state("md-on-luks-one-locked")
    assert len(below(machine)) == 1
    opened = replace(next(one for one in machine.devices if one.kind is DeviceKind.CRYPT), name="dm-9")
    devices = (replace(one, holders=("dm-9",)) if one.name == "ubdb" else one for one in machine.devices)
    assert below(replace(machine, devices=(*devices, opened))) == []


def test_a_locked_disk_is_not_told_of_where_the_members_are_plain_disks() -> None:
    machine = state("md-missing")
    locked = tuple(replace(one, type="crypto_LUKS") if one.name == "ubdf" else one for one in machine.devices)
    assert below(replace(machine, devices=locked)) == []


def test_a_unit_without_a_missing_member_needs_nothing_below() -> None:
    assert below(state("md-stopped")) == []
    assert below(state("lvm-on-md-degraded")) == []


def test_an_array_that_md_does_not_describe_is_unknown_and_not_stopped() -> None:
    machine = state("md-not-readable-in-sysfs")
    (problem,) = unread_arrays(graph_of(machine), machine.arrays)
    assert "ubda and ubdb" in problem.text
    assert units_of(machine) == ()
    apart = tuple(replace(one, holders=(), slaves=()) for one in machine.devices)
    assert [one.state for one in units_of(replace(machine, devices=apart))] == ["stopped, not assembled"]
    assert list(unread_arrays(graph_of(state("md-well")), state("md-well").arrays)) == []


def test_another_number_is_named_only_for_what_may_be_it() -> None:
    machine = state("public-renumbered")
    unnamed = replace(machine, system=replace(machine.system, mdadm_conf_arrays=(), mdadm_conf_entries=()))
    found = {one.kind: one for one in diagnose(units_of(unnamed), unnamed)}
    assert "If it is that one, write UUID=" in found[Kind.MOUNT_EXPECTED].remedies[0].text
    mounted = replace(unnamed, arrays=(replace(machine.arrays[0], mountpoints=("/srv/other",)),))
    found = {one.kind: one for one in diagnose(units_of(mounted), mounted)}
    assert found[Kind.MOUNT_EXPECTED].remedies[0].text.startswith("connect its disks")


def test_a_disk_below_an_encrypted_member_is_not_replaced_by_one_that_is_not_encrypted() -> None:
    machine = state("md-on-luks-failed")
    with pytest.raises(BadInput, match="LAB-0003 is below /dev/dm-2, a member of tank that is not a disk"):
        make_replace(Replace(old="LAB-0003", new="LAB-0004"), machine, seed="s")


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("md-on-luks-failed", ["on LAB-0001", "", "on LAB-0003", "on LAB-0002"]),
        ("public-btrfs-on-luks-one-locked", ["on LAB-0001", ""]),
    ],
)
def test_a_member_on_an_encrypted_device_shows_the_disk_below(name: str, where: list[str]) -> None:
    machine = state(name)
    (unit,) = units_of(machine)
    assert [one.where for one in unit.members] == where
    now = replace(unit, members=tuple(replace(one, on=()) for one in unit.members))
    assert [one.where for one in completed([now], machine)[0].members] == where, "of a unit as it is now, too"


def test_the_disk_below_a_failed_member_is_named() -> None:
    machine = state("md-on-luks-failed")
    (finding,) = (one for one in diagnose(units_of(machine), machine) if one.name == "tank")
    assert [(one.disk, one.state) for one in finding.disks] == [("LAB-0002", "faulty")]
