"""Members of a volume group or pool that no tool here shows: a finding, and never "no arrays"."""

from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Machine, Signature
from tests.unit.test_recorded_states import state


def without(machine: Machine, *tools: str) -> Machine:
    """``machine`` without these programs, and so without what they read."""
    return replace(
        machine,
        tools={name: version for name, version in machine.tools.items() if name not in tools},
        readings={},
    )


def found_in(machine: Machine) -> list[Finding]:
    return [one for one in diagnose(units_of(machine), machine) if one.kind is Kind.NOT_SHOWN]


def test_a_pool_on_a_computer_without_zfs() -> None:
    machine = without(state("zfs-exported-whole"), "zpool", "zfs")
    assert units_of(machine) == ()
    found = [one for one in found_in(machine) if one.name == "tank"]
    assert [(one.what, [disk.disk for disk in one.disks]) for one in found] == [
        (
            "ZFS pool tank: 3 members here, and ZFS is not installed: the state of the pool is unknown",
            ["LAB-0001", "LAB-0002", "LAB-0003"],
        )
    ]
    assert "free" in found[0].never


def test_an_old_label_behind_another_filesystem_is_no_pool() -> None:
    machine = without(state("zfs-exported-whole"), "zpool", "zfs")
    disks = tuple(
        replace(
            disk,
            partitions=tuple(
                replace(
                    part,
                    signatures=(*part.signatures, Signature(device=part.path, offset=1080, type="ext4")),
                )
                for part in disk.partitions
            ),
        )
        for disk in machine.disks
    )
    assert found_in(replace(machine, disks=disks)) == []


def test_physical_volumes_on_a_computer_without_lvm() -> None:
    (finding,) = found_in(without(state("lvm-well"), "lvm"))
    assert finding.name == "LVM"
    assert "it is not installed" in finding.what
    # Installed and without an answer it is a problem of the reading, which says so by itself.
    assert found_in(without(state("lvm-well"))) == []


def test_physical_volumes_that_lvm_shows_are_none() -> None:
    for name in ("lvm-well", "lvm-pv-missing-degraded", "lvm-on-md-degraded", "synology-shr"):
        assert found_in(state(name)) == [], name
