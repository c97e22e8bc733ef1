"""What fstab mounts by a UUID that two disks have."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.advice.findings.doubled_mounts import doubled_mounts
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.model.finding import Kind
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


def with_line(machine: Machine, line: str) -> Machine:
    return replace(machine, system=replace(machine.system, fstab=(line,)))


def with_label(machine: Machine, label: str) -> Machine:
    """The machine with this label on the filesystem of both partitions."""
    disks = tuple(
        replace(
            disk,
            partitions=tuple(
                replace(one, signatures=tuple(replace(each, label=label) for each in one.signatures))
                for one in disk.partitions
            ),
        )
        for disk in machine.disks
    )
    return replace(machine, disks=disks)


@pytest.mark.parametrize("tag", ["LABEL", "PARTUUID"])
def test_a_copy_has_the_label_and_the_partition_of_its_original_too(tag: str) -> None:
    machine = with_label(state("public-cloned-disk-in-fstab"), "films")
    names = {"LABEL": "films", "PARTUUID": machine.disks[0].partitions[0].uuid}
    (found,) = doubled_mounts(with_line(machine, f"{tag}={names[tag]} /srv/films ext4 defaults 0 2"))
    assert found.kind is Kind.CLONE


def test_two_on_one_disk_are_named_by_their_partitions() -> None:
    machine = state("public-two-partitions-of-one-name")
    first, second = (disk.partitions[0] for disk in machine.disks[:2])
    files = tuple(replace(one, device="/dev/ubda2") for one in second.signatures)
    both = (first, replace(second, path="/dev/ubda2", name="ubda2", number=2, signatures=files))
    alone = replace(machine, disks=(replace(machine.disks[0], partitions=both), *machine.disks[2:]))
    (found,) = doubled_mounts(alone)
    assert "and /dev/ubda1 and /dev/ubda2 have a filesystem with that partition name" in found.what


def test_the_devices_of_one_btrfs_have_one_label_and_so_has_a_snapshot() -> None:
    machine = state("btrfs-on-volumes")
    assert not [*doubled_mounts(with_line(machine, "LABEL=tank /srv/tank btrfs defaults 0 0"))]
    disk = replace(
        machine.disks[2],
        signatures=tuple(replace(one, device="/dev/ubdc") for one in state("btrfs-well").disks[0].signatures),
    )
    others = with_line(
        replace(machine, disks=(*machine.disks[:2], disk)),
        f"LABEL={disk.signatures[0].label} /srv/tank btrfs defaults 0 0",
    )
    assert len([*doubled_mounts(others)]) == (disk.signatures[0].label == "tank")
