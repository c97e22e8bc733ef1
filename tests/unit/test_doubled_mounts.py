"""What fstab mounts by a UUID that two disks have."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.advice.doubled_mounts import doubled_mounts
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.model.machine import Machine

STATES = Path(__file__).parents[1] / "machines" / "states"


def state(name: str) -> Machine:
    return recorded_machine(str(STATES / f"{name}.json"))


def test_a_copy_beside_its_original_is_a_finding_for_each_line_that_means_both() -> None:
    machine = state("public-cloned-disk-in-fstab")
    (found,) = doubled_mounts(machine)
    assert found.name == "/srv/films"
    assert "LAB-0001 (ubda) and LAB-0002 (ubdb) have a filesystem with that UUID" in found.what
    idle = replace(machine, mounts=())
    assert [one.remedies[0].text[:14] for one in doubled_mounts(idle)] == ["Disconnect the"]


@pytest.mark.parametrize(
    "line", ["UUID=1-2 /srv/films ext4 defaults 0 2", "{} noauto", "/dev/ubda1 /srv/films ext4 defaults 0 2"]
)
def test_a_line_that_means_one_or_is_not_mounted_at_boot_is_none(line: str) -> None:
    machine = state("public-cloned-disk-in-fstab")
    (old,) = machine.system.fstab
    line = line.replace("{}", old).replace("defaults 0 2 noauto", "noauto 0 2")
    assert not [*doubled_mounts(replace(machine, system=replace(machine.system, fstab=(line,))))]


def test_members_that_show_what_is_on_the_array_are_no_copies() -> None:
    machine = state("md-mirror-of-one")
    assert (
        len({one.device for disk in machine.disks for one in disk.every_signature if one.type == "ext4"}) == 2
    )
    assert not [*doubled_mounts(machine)]


def test_a_mirror_of_one_disk_has_no_redundancy() -> None:
    states = {one.name: one.state for one in units_of(state("md-mirror-of-one"))}
    assert states == {"one": "running, no redundancy", "tank": "in sync"}


def test_an_array_and_its_partition_are_one() -> None:
    machine = recorded_machine(str(STATES.parent / "raid1-spare-rebuilding.json"))
    assert len({one.device for array in machine.arrays for one in array.signatures}) == 2
    assert not [*doubled_mounts(machine)]
