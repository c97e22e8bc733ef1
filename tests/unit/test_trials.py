"""A recovery trial of what runs: its command stops that, and what it writes is said; a person orders it by name."""

import argparse
import shlex
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.advice.findings.trials import in_use
from raidtui.backends.units import units_of
from raidtui.commands import recover
from raidtui.model.errors import Refused
from raidtui.model.procedure import Recover
from tests.unit.test_recorded_states import STATES, found_in, state

_STOPS: Final = {
    "md-two-failed": ("tank --stop", "First unmount /srv/tank. Array tank is stopped for it, which updates the superblock on each of its members"),
    "md-two-failed-unmounted": ("tank --stop", "Array tank is stopped for it, which updates the superblock on each of its members"),
    "md-two-failed-stopped": ("tank", ""),
    "md-created-again-in-another-order": ("tank --stop", "Array tank is stopped for it"),
    "lvm-on-arrays-one-failed": ("one --stop", "Active volumes are deactivated, and array one is stopped for it"),
    "lvm-over-an-array-that-lost-two": ("one", ""),
    "public-removed-pv-is-back": ("--disks LAB-0001,LAB-0002,LAB-0003 --stop", "Active volumes are deactivated for it (--stop)"),
}  # fmt: skip


@pytest.mark.parametrize("name", _STOPS)
def test_the_command_of_a_trial_stops_what_runs_with_its_members(name: str) -> None:
    command, said = _STOPS[name]
    trials = [(one, remedy) for one in found_in(state(name)) for remedy in one.remedies if remedy.is_trial]
    finding, remedy = trials[0]
    assert finding.order(remedy) == f"raidtui recover {command}"
    assert said in remedy.text
    assert ("--stop" in remedy.text) is bool(said)


def test_in_no_state_is_a_trial_told_to_run_beside_its_array() -> None:
    for path in sorted(STATES.glob("*.json")):
        machine = state(path.stem)
        units = units_of(machine)
        for finding in found_in(machine):
            for one in finding.remedies:
                if isinstance(one.procedure, Recover):
                    used = in_use(one.procedure, units, machine)
                    assert ("--stop" in shlex.split(finding.order(one))) is used.stops, path.stem


def test_each_trial_says_once_what_is_written() -> None:
    for path in sorted(STATES.glob("*.json")):
        machine = state(path.stem)
        for finding in found_in(machine):
            for one in (one for one in finding.remedies if one.is_trial):
                is_array_stopped = "updates the superblock" in one.text
                said = [
                    end
                    for end in ("The trial writes to no disk", "Nothing else is written")
                    if end in one.text
                ]
                assert said == [
                    "Nothing else is written" if is_array_stopped else "The trial writes to no disk"
                ], path.stem
                assert one.text.endswith(said[0]), path.stem
                assert "No disk is written" not in one.text, path.stem


def test_care_does_not_stop_what_runs_by_itself() -> None:
    with pytest.raises(Refused, match="care stops nothing; run: raidtui recover tank --stop"):
        recover.recover(Recover(unit="6f0a", stop=True), "tank", machine=None)


def test_the_groups_on_disks_that_are_named_are_deactivated() -> None:
    machine = state("public-removed-pv-is-back")
    parser = argparse.ArgumentParser()
    recover.configure(parser)
    lost = recover._lost(parser.parse_args(["--disks", "LAB-0001,LAB-0002,LAB-0003"]), machine)
    (group,) = units_of(machine)
    assert [command[-1] for command in lost.release] == [f"vg_uuid={group.uuid}"]
    of_others = replace(machine, superblocks=())
    assert recover._lost(parser.parse_args(["--disks", "LAB-0005"]), of_others).release == {}


def test_of_a_group_the_array_that_it_lacks_is_looked_at_too() -> None:
    machine = state("lvm-over-an-array-that-lost-two")
    parser = argparse.ArgumentParser()
    recover.configure(parser)
    lost = recover._lost(parser.parse_args(["big"]), machine)
    assert sorted(lost.devices) == [f"LAB-000{number}" for number in range(1, 6)]
    every = [one for one in found_in(machine) if one.name == "big"]
    assert [every[0].order(one) for one in every[0].remedies] == ["", "raidtui recover big --stop"]


def test_the_command_of_a_trial_names_the_group_and_not_the_mount_that_is_expected() -> None:
    machine = state("lvm-volume-removed")
    (command,) = (one.order(each) for one in found_in(machine) for each in one.remedies if each.is_trial)
    assert command == "raidtui recover tank --stop"


def test_the_group_on_an_array_that_is_named_is_deactivated() -> None:
    machine = state("lvm-on-md-degraded")
    used = in_use(Recover(disks=("/dev/md/tank",)), units_of(machine), machine)
    assert (used.arrays, used.volumes, used.mountpoints) == ((), True, ("/srv/films",))
