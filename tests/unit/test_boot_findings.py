"""A system on several disks of which only one can be booted from."""

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.boot import BOOTED
from raidtui.backends.units import units_of
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Disk, Machine, Partition
from raidtui.model.units import GIB, MIB
from tests.unit import plan_machines

EFI, BIOS = [guid for guid in BOOTED if len(guid) > 4][:2]  # of a GPT


def disk(number: int, *types: str) -> Disk:
    """A member on its last partition, which has this type."""
    whole = plan_machines.member_disk(number)
    parts = tuple(
        Partition(
            name=f"{whole.name}{one}",
            path=f"{whole.path}{one}",
            number=one,
            start_bytes=one * GIB,
            size_bytes=512 * MIB,
            type=kind,
        )
        for one, kind in enumerate(types, 8)  # before them is the member
    )
    return msgspec.structs.replace(whole, partitions=(*whole.partitions, *parts))


def computer(*disks: Disk, root: str = "/") -> Machine:
    return plan_machines.machine(*disks, arrays=(plan_machines.array(mountpoints=(root,)),))


def found(machine: Machine) -> list[Finding]:
    return [one for one in diagnose(units_of(machine), machine) if one.kind is Kind.BOOT_DISK]


@pytest.mark.parametrize(
    ("kind", "word", "advice"),
    [(EFI, "EFI system", "efibootmgr"), (BIOS, "BIOS boot", "grub-install")],
)
def test_the_only_disk_with_a_boot_partition_is_named(kind: str, word: str, advice: str) -> None:
    (one,) = found(computer(disk(1), disk(2, kind), disk(3)))
    assert one.what == "this computer boots from S-0002 only: no other disk of tank has a boot partition"
    assert [(where.disk, where.state) for where in one.disks] == [
        ("S-0002", f"has the only {word} partition")
    ]
    assert [advice in remedy.text for remedy in one.remedies] == [True]
    assert one.first is None, "raidtui does not do it"


@pytest.mark.parametrize(
    "machine",
    [
        computer(disk(1, EFI), disk(2, EFI), disk(3)),
        computer(disk(1), disk(2), disk(3)),  # it boots from something else
        computer(disk(1, EFI), disk(2), disk(3), root="/srv/tank"),
        computer(disk(1, EFI), disk(2, ""), disk(3)),  # a type that was not read may be one
        computer(disk(1), disk(2), disk(3), disk(4, EFI)),  # a disk apart, as it was meant
    ],
)
def test_nothing_is_said_where_another_has_one_or_that_is_not_known(machine: Machine) -> None:
    assert not found(machine)
