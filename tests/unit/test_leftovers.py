"""What is left of a unit on a disk by itself is erased alone: an unused physical volume, another system's, a firmware's."""

import msgspec
import pytest

from raidtui.backends.lvm.reading import LvmReading
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Signature, Weight
from raidtui.model.plan import Plan
from raidtui.plan.script import as_script
from raidtui.plan.teardown import make_teardown
from tests.unit.lvm_machines import GROUP_UUID, group, lvm_disk, lvm_machine, pv_uuid, reading
from tests.unit.plan_machines import SEED, commands, disk, machine, step, whole

_PART = f"{whole(3)}-part1"
THREE = ("/dev/sda1", "/dev/sdb1", "/dev/sdc1")


def removal(where: Machine, word: str = "S-0003") -> Plan:
    return make_teardown(word, where, seed=SEED)


def with_unused(found: LvmReading | None = None) -> LvmReading:
    """The volume is on the first two of three disks."""
    made = found or reading(paths=THREE)
    volumes = tuple(one for one in made.known.volumes if one.uuid != "leg-2")
    return msgspec.structs.replace(made, known=msgspec.structs.replace(made.known, volumes=volumes))


def lvm_of(found: LvmReading, *more: Disk) -> Machine:
    return lvm_machine(found, *(lvm_disk(number) for number in (1, 2, 3)), *more)


def test_a_physical_volume_without_data_leaves_its_group_and_is_erased() -> None:
    made = removal(lvm_of(with_unused()))
    assert [one.identity for one in made.disks] == ["S-0003"]
    assert [one.id for one in made.steps] == ["leave", "physical-volumes", "table", "settle"]
    device = _PART
    beside = (device.replace("3-part1", "1-part1"), device.replace("3-part1", "2-part1"))
    assert commands(step(made, "leave")) == [("vgreduce", "tank", device), ("sync", *beside)]
    assert [one.expect for one in step(made, "leave").after] == [GROUP_UUID]
    assert commands(step(made, "physical-volumes")) == [("pvremove", device), ("wipefs", "--all", device)]
    assert step(made, "physical-volumes").destroys == (
        "S-0003: its part of the volume group tank, which has no data on it",
    )


def test_a_physical_volume_with_data_does_not_leave_its_group() -> None:
    for found in (reading(paths=THREE), with_unused(reading(its=group(exported=True), paths=THREE))):
        with pytest.raises(BadInput, match=r"S-0003 .* is not a single-disk build"):
            removal(lvm_of(found))
    # A group keeps its last physical volume, and this may be where a missing one's data goes.
    alone = reading(volumes=(), paths=("/dev/sda1",))
    alone = msgspec.structs.replace(alone, known=msgspec.structs.replace(alone.known, volumes=()))
    with pytest.raises(BadInput, match=r"S-0001 .* is not a single-disk build"):
        removal(lvm_machine(alone, lvm_disk(1)), "S-0001")
    missing = with_unused(reading(its=group(missing=1), paths=("/dev/sda1", "", "/dev/sdc1")))
    with pytest.raises(BadInput, match=r"S-0003 .* is not a single-disk build"):
        removal(lvm_machine(missing, lvm_disk(1), lvm_disk(3)))


def test_a_clone_of_a_physical_volume_stays() -> None:
    copied = lvm_disk(4)
    (partition,) = copied.partitions
    same = msgspec.structs.replace(partition.signatures[0], uuid=pv_uuid(2))
    copied = msgspec.structs.replace(
        copied, partitions=(msgspec.structs.replace(partition, signatures=(same,)),)
    )
    with pytest.raises(BadInput, match=r"S-0003 .* is not a single-disk build"):
        removal(lvm_of(with_unused(), copied))


@pytest.mark.parametrize(
    ("changes", "whose"),
    [
        ({"system_id": "nas-2"}, "of another system, nas-2"),
        ({"lock_type": "sanlock"}, "shared by a cluster through sanlock"),
    ],
)
def test_a_physical_volume_of_another_system_is_erased_without_lvm(
    changes: dict[str, str], whose: str
) -> None:
    made = removal(lvm_of(reading(its=group(**changes), paths=THREE, system_id="nas-1")))
    assert [one.id for one in made.steps] == ["physical-volumes", "table", "settle"]
    assert commands(step(made, "physical-volumes")) == [("wipefs", "--all", _PART)]
    assert step(made, "physical-volumes").destroys == (
        f"S-0003: its part of the volume group tank, which is {whose}, and may be in use there now",
    )
    assert "# Erase the physical volume on S-0003.\n" in as_script(made)
    assert made.leftover == "Erase the physical volume on S-0003", (
        "what it is called on Review and in the job"
    )
    with pytest.raises(Refused, match="remove it there"):
        removal(lvm_of(reading(its=group(**changes), paths=THREE, system_id="nas-1")), "tank")


def of_firmware(*more: Claim, kind: str = "ddf_raid_member", signatures: tuple[Signature, ...] = ()) -> Disk:
    """A disk of a firmware RAID set that no longer exists."""
    claim = Claim(
        what=ClaimKind.FIRMWARE_RAID,
        weight=Weight.BUSY,
        device="/dev/sda",
        detail="member of a firmware RAID set (ddf)",
        how_to_free="delete the set in the firmware setup; if it no longer exists: raidtui teardown S-0001",
    )
    mark = Signature(device="/dev/sda", offset=9_999_999_488, type=kind)
    return msgspec.structs.replace(disk(1), signatures=(mark, *signatures), taken_by=(claim, *more))


def test_the_metadata_of_a_firmware_raid_set_is_erased_where_nothing_uses_it() -> None:
    made = removal(machine(of_firmware(), disk(2)), "S-0001")
    assert made.leftover == "Erase the metadata of a firmware RAID set (ddf) on S-0001"
    assert [one.id for one in made.steps] == ["firmware-set", "settle"]
    assert commands(step(made, "firmware-set")) == [
        ("wipefs", "--all", whole(1)),
        ("blockdev", "--rereadpt", whole(1)),
    ]
    assert step(made, "firmware-set").destroys == (
        "S-0001: its part of a firmware RAID set (ddf) and all data in it",
    )


def test_what_shows_through_the_member_of_a_firmware_raid_set_is_named() -> None:
    files = Signature(device="/dev/sda", offset=1080, type="ext4", uuid="aaaa-bbbb")
    detail = "ext4 filesystem, 9.3 GiB, UUID aaaa-bbbb"
    claim = Claim(
        what=ClaimKind.FILESYSTEM, weight=Weight.DATA, device="/dev/sda", detail=detail, how_to_free=""
    )
    where = machine(of_firmware(claim, signatures=(files,)), fstab=("UUID=aaaa-bbbb /srv/x ext4 nofail 0 2",))
    made = removal(where, "S-0001")
    assert [one.id for one in made.steps] == ["fstab", "firmware-set", "settle"]
    assert step(made, "firmware-set").destroys == (
        f"S-0001: its part of a firmware RAID set (ddf) and all data in it: {detail}",
    )


@pytest.mark.parametrize(
    ("what", "weight"),
    [
        (ClaimKind.ARRAY, Weight.BUSY),
        (ClaimKind.PROCESS, Weight.BUSY),
        (ClaimKind.UNREADABLE, Weight.UNUSABLE),
        (ClaimKind.UNREAD, Weight.BUSY),
        (ClaimKind.SYSTEM, Weight.SYSTEM),
    ],
)
def test_the_metadata_of_a_firmware_raid_set_in_use_stays(what: ClaimKind, weight: Weight) -> None:
    claim = Claim(what=what, weight=weight, device="/dev/sda", detail="something else", how_to_free="")
    with pytest.raises(Refused, match="S-0001 is not left blank: something else"):
        removal(machine(of_firmware(claim)), "S-0001")


def test_a_member_of_an_md_array_is_no_firmware_raid_set() -> None:
    with pytest.raises(BadInput, match="is not a single-disk build"):
        removal(machine(of_firmware(kind="linux_raid_member")), "S-0001")
