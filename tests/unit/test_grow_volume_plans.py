"""What a volume of LVM can become: exact sizes, what is refused and why; and the plan that takes it there."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.growths import table_of
from raidtui.backends.growing import Shape
from raidtui.backends.lvm.grow_conditions import VOLUME_IS
from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.lvm.report import LogicalVolume, PhysicalVolume, Reading, Segment
from raidtui.backends.lvm.space import lvm_space
from raidtui.backends.lvm.units import units_of
from raidtui.commands.text.grow import table
from raidtui.model.answer import Truth
from raidtui.model.device import Device, DeviceKind
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Grow
from raidtui.model.units import MIB
from raidtui.plan.care import make_care
from tests.unit.lvm_machines import (
    FILES,
    GROUP_UUID,
    VOLUME,
    VOLUME_UUID,
    group,
    lvm_disk,
    lvm_machine,
    pv_uuid,
    status,
)
from tests.unit.plan_machines import disk

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
PART = 9_890_000_000
EXTENT = 4 * MIB
EACH = (PART - MIB) // EXTENT  # extents of a member
NODE = "/dev/dm-4"


def made(level: str, count: int, **changes: Any) -> LvmReading:
    """A volume that fills a group on the partitions of disks 1 to ``count``."""
    size = lvm_space(level, [PART] * count).data_bytes
    paths = [f"/dev/sd{letter}1" for letter in "abcdefgh"[:count]]
    redundant = level.startswith("raid") and level != "raid0"
    images = [f"data_rimage_{n}" for n in range(count)]
    if level == "linear":
        segments = tuple(Segment(type=level, stripes=1, devices=(path,)) for path in paths)
    else:
        below = tuple(images if level.startswith("raid") else paths)
        segments = (
            Segment(type=level, stripes=count, stripe_bytes=0 if level == "raid1" else 65536, devices=below),
        )
    volume = msgspec.structs.replace(VOLUME, size_bytes=size, segments=segments)
    hidden = [
        LogicalVolume(uuid=f"leg-{n}", name=images[n], group=GROUP_UUID, hidden=True,
                      segments=(Segment(type="linear", devices=(paths[n],)),))
        for n in range(count)
    ] if level.startswith("raid") else []  # fmt: skip
    return LvmReading(
        known=Reading(
            groups=(group(extent_bytes=EXTENT, **changes),),
            devices=tuple(
                PhysicalVolume(
                    uuid=pv_uuid(n),
                    path=path,
                    group=GROUP_UUID,
                    size_bytes=EACH * EXTENT,
                    data_start_bytes=MIB,
                )
                for n, path in enumerate(paths)
            ),
            volumes=(volume, *hidden),
        ),
        statuses={"tank-data": status("A" * count, level=level, size_bytes=size)} if redundant else {},
        signatures={VOLUME_UUID: (msgspec.structs.replace(FILES, device=NODE),)},
    )


def nas(found: LvmReading, *more: Disk, count: int = 0, **changes: Any) -> Machine:
    own = [lvm_disk(n, free=False, taken_by=()) for n in range(1, (count or len(found.known.devices)) + 1)]
    return msgspec.structs.replace(lvm_machine(found, *own, *more), **changes)


def rows(machine: Machine) -> dict[str, Shape]:
    (unit,) = units_of(machine)
    return {one.shape.change: one.shape for one in table_of(unit, machine).rows}


def free(count: int, first: int) -> list[Disk]:
    return [disk(n) for n in range(first, first + count)]


@pytest.mark.parametrize(
    ("level", "count", "more"),
    [("striped", 2, 2), ("raid0", 2, 2), ("raid1", 2, 2), ("raid5", 3, 3), ("raid10", 4, 4)],
)
def test_space_comes_by_one_disk_for_each_image(level: str, count: int, more: int) -> None:
    machine = nas(made(level, count), *free(more, count + 1))
    found = rows(machine)
    today, then = found["today"], found[f"+{more} disks"]
    images = {"striped": 2, "raid0": 2, "raid1": 1, "raid5": 2, "raid10": 2}[level]
    assert then.unit_bytes - today.unit_bytes == images * EACH * EXTENT
    assert (len(then.add), then.refused, then.survives) == (more, "", today.survives)
    assert ("rebuilds an image as a whole" in then.risk) is (level not in {"striped", "raid0"})


def test_a_linear_volume_takes_any_number_of_disks_of_any_size() -> None:
    machine = nas(made("linear", 2), *free(3, 3))
    found = rows(machine)
    assert [key for key in found if key.startswith("+")] == ["+1 disk", "+2 disks", "+3 disks", "+4 disks"]
    assert found["+1 disk"].unit_bytes > 2 * EACH * EXTENT
    assert found["+3 disks"].members == 5


def test_a_mirror_gets_a_copy_with_one_disk_and_space_with_two() -> None:
    found = rows(nas(made("raid1", 2), *free(2, 3)))
    assert found["+1 disk"].unit_bytes == found["today"].unit_bytes
    assert (found["+1 disk"].survives, found["+1 disk"].members) == (2, 3)
    assert (found["+2 disks"].survives, found["+2 disks"].members) == (1, 2)


def test_without_enough_disks_the_table_says_what_is_needed() -> None:
    shape = rows(nas(made("raid5", 4)))["+4 disks"]
    assert (shape.procedure, shape.refused) == (None, "")
    assert shape.needs.startswith("4 free disks of ")
    assert shape.unit_bytes == rows(nas(made("raid5", 4)))["today"].unit_bytes + 3 * EACH * EXTENT


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (made("raid5", 3, missing=1), "lacks 1 disk"),
        (made("raid5", 3, lock_type="sanlock"), "cluster"),
        (made("raid5", 3, exported=True), "not in order"),
    ],
)  # fmt: skip
def test_what_is_not_well_does_not_grow(found: LvmReading, words: str) -> None:
    machine = nas(found, *free(3, 4))
    assert words in rows(machine)["more disks"].refused
    with pytest.raises(Refused, match=words):
        plan(machine, *(one.identity for one in free(3, 4)))


def plan(machine: Machine, *add: str) -> Plan:
    return make_care(Grow(unit=GROUP_UUID, add=add, to_largest=not add), machine, seed=SEED)


def lines(one: Plan) -> list[str]:
    runs = [a.argv for step in one.steps for a in step.actions if isinstance(a, Run)]
    words = ("pvcreate", "vgextend", "lvextend", "lvconvert", "resize2fs", "tune2fs", "pvresize")
    return [" ".join(word.rpartition("/")[2] if word.startswith("/dev/disk") else word for word in argv)
            for argv in runs if argv[0] in words]  # fmt: skip


def mounted(machine: Machine) -> Machine:
    """The same with the kernel's device of the volume, which carries the mount."""
    device = Device(
        name="dm-4", number="253:4", kind=DeviceKind.VOLUME, dm_name="tank-data", links=("/dev/tank/data",)
    )
    return msgspec.structs.replace(machine, devices=(*machine.devices, device))


def test_the_disks_join_then_the_volume_and_its_filesystem_grow() -> None:
    machine = mounted(nas(made("raid5", 3), *free(3, 4)))
    shape = rows(machine)["+3 disks"]
    one = plan(machine, *shape.add)
    assert [step.id for step in one.steps][-9:] == [
        "add", "add-2", "add-3", "grow", "wait", "prove", "enlarge", "check", "compare",
    ]  # fmt: skip
    parts = [f"wwn-0x5000c5000000000{n}-part1" for n in (4, 5, 6)]
    assert lines(one) == [
        *(
            line
            for part, uuid in zip(parts, one.uuids[2::2], strict=True)
            for line in (
                f"pvcreate --norestorefile --uuid {uuid} --dataalignment 1m {part}",
                f"vgextend tank {part}",
            )
        ),
        f"lvextend --yes --size {shape.unit_bytes}b tank/data {' '.join(parts)}",
        "resize2fs /dev/tank/data",
    ]
    assert one.array_bytes == shape.unit_bytes
    assert "moves-everything" not in {hazard.id for hazard in one.hazards}


def test_a_copy_is_written_and_the_filesystem_stays() -> None:
    machine = mounted(nas(made("raid1", 2), *free(1, 3)))
    one = plan(machine, "S-0003")
    assert lines(one)[-1] == "lvconvert --yes --mirrors 2 tank/data wwn-0x50000c50000000003-part1".replace(
        "0x50000c5", "0x5000c5"
    )
    assert [step.id for step in one.steps][-6:] == ["add", "grow", "wait", "prove", "check", "compare"]
    (grow,) = (step for step in one.steps if step.id == "grow")
    (away,) = (action.argv for action in grow.repair if isinstance(action, Run))
    parts = 'lv_name=~"^data_r(image|meta)_[0-9]+$" && lv_role=public'
    assert away == ("lvremove", "--yes", "--select", parts, "tank"), "a power cut in lvconvert leaves them"
    assert one.array_bytes == rows(machine)["today"].unit_bytes


def test_another_number_of_disks_is_refused_with_the_right_one() -> None:
    machine = mounted(nas(made("raid5", 3), *free(3, 4)))
    with pytest.raises(Refused, match="grows by 3 disks at once, not by 1"):
        plan(machine, "S-0004")
    with pytest.raises(Refused, match="already uses all"):
        plan(machine)


def test_what_is_on_a_volume_of_an_unknown_name_is_not_taken_for_nothing() -> None:
    found = made("raid5", 3)
    strange = {VOLUME_UUID: (msgspec.structs.replace(FILES, device="/dev/mapper/other"),)}
    machine = mounted(nas(msgspec.structs.replace(found, signatures=strange), *free(3, 4)))
    with pytest.raises(Refused, match="not known as a name"):
        plan(machine, "S-0004", "S-0005", "S-0006")


def test_larger_disks_give_what_a_volume_made_on_them_would_have() -> None:
    machine = mounted(nas(made("raid5", 3)))
    disks = tuple(msgspec.structs.replace(one, size_bytes=2 * one.size_bytes) for one in machine.disks)
    machine = msgspec.structs.replace(machine, disks=disks)
    shape = rows(machine)["larger members"]
    part = (20_000_000_000 - MIB - 100 * MIB) // MIB * MIB - MIB
    assert shape.unit_bytes == lvm_space("raid5", [part] * 3).data_bytes
    one = plan(machine)
    assert [step.id for step in one.steps] == [
        "widen-1", "widen-2", "widen-3", "resize-1", "resize-2", "resize-3", "grow", "wait", "prove", "enlarge", "check", "compare",
    ]  # fmt: skip
    assert lines(one)[3] == f"lvextend --yes --size {shape.unit_bytes}b tank/data"
    small = msgspec.structs.replace(machine, disks=(*disks[:2], nas(made("raid5", 3)).disks[2]))
    assert "S-0003" in rows(small)["larger members"].needs


def test_two_images_on_one_disk_are_no_redundancy() -> None:
    found = made("raid1", 2)
    size = found.known.volumes[0].size_bytes
    check = VOLUME_IS.of(GROUP_UUID, f"raid1 2 {size}")
    assert VOLUME_IS.judge(check, found.known).truth is Truth.YES
    first, second = found.known.volumes[1:]
    both = msgspec.structs.replace(second, segments=first.segments)
    known = msgspec.structs.replace(found.known, volumes=(found.known.volumes[0], first, both))
    assert VOLUME_IS.judge(check, known).truth is Truth.NO
    assert VOLUME_IS.judge(VOLUME_IS.of("other", check.expect), found.known).truth is Truth.NO


def test_the_table_fits_the_console() -> None:
    machine = nas(made("raid10", 4), *free(4, 5))
    (unit,) = units_of(machine)
    text = "\n".join(table(table_of(unit, machine), machine))
    assert max(len(line) for line in text.splitlines() if "--add" not in line) <= 80
    assert "raidtui grow tank --add S-0005,S-0006,S-0007,S-0008" in text
