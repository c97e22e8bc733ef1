"""Disks out of a NAS or an old computer: recognized as one thing, and looked at without a write."""

from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.foreign import ForeignSet, foreign_sets
from raidtui.advice.findings.nas_layouts import layout_of
from raidtui.backends.md.states import state as md_state
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.commands.care import _chosen, _find
from raidtui.machine.md.health import missing
from raidtui.model.device import Device, DeviceKind
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Kind
from raidtui.model.machine import Machine, Mount
from raidtui.model.plan import Run
from raidtui.model.procedure import PutAway, Replace, Start, View
from raidtui.model.superblock import Superblock
from raidtui.model.unit import Health
from raidtui.plan.care import make_care, title_of
from raidtui.plan.replace import make_replace

STATES: Final = Path(__file__).parents[1] / "machines" / "states"
SEED: Final = "d4d83b0f-02a7-5db3-8211-760bcd28fcd1"


def state(name: str) -> Machine:
    return recorded_machine(str(STATES / f"{name}.json"))


def sets_of(machine: Machine) -> tuple[ForeignSet, ...]:
    return foreign_sets(machine, units_of(machine))


@pytest.mark.parametrize(
    ("name", "says", "own"),
    [
        ("synology-shr", "SHR of 4 disks from a Synology called DiskStation, all here", 2),
        ("synology-shr-three-of-four", "SHR of 4 disks from a Synology called DiskStation, 3 of 4 here", 2),
        ("synology-shr-half-assembled", "SHR of 4 disks from a Synology called DiskStation, 3 of 4 here", 2),
        ("qnap-raid6", "RAID6 of 4 disks from a QNAP, all here", 2),
        ("readynas-raid5", "RAID5 of 4 disks from a Netgear ReadyNAS called 0e35ac1d, all here", 2),
        ("buffalo-raid5", "RAID5 of 4 disks from a Buffalo, all here", 1),
        ("oldpc-half-of-a-mirror", "RAID1 of 2 disks from another computer called oldpc, 1 of 2 here", 0),
        ("nas-with-slots-stopped", "RAID5 of 3 disks from another computer called TNAS, all here", 2),
        ("nas-with-slots-auto-read-only", "RAID5 of 3 disks from another computer called TNAS, all here", 2),
        ("nas-with-slots-one-gone", "RAID5 of 3 disks from another computer called TNAS, 2 of 3 here", 2),
    ],
)
def test_each_is_one_thing(name: str, says: str, own: int) -> None:
    (one,) = sets_of(state(name))
    assert one.says == says
    assert len(one.own) == own


def test_no_disk_is_offered_for_what_belongs_to_another_system() -> None:
    machine = state("nas-with-slots-one-gone")
    (finding,) = diagnose(units_of(machine), machine)
    assert "add a member" in finding.never
    assert {type(one.procedure) for one in finding.remedies} == {View, type(None)}


def test_the_empty_slots_of_a_nas_lack_nothing() -> None:
    machine = state("nas-with-slots-in-use")
    system = next(unit for unit in units_of(machine) if unit.name == "system")
    assert system.health is Health.OK
    assert system.state.endswith("22 of its 24 slots are empty, as in the system of a NAS")
    assert [one.state for one in system.members] == ["in sync"] * 2
    (array,) = [one for one in machine.arrays if one.uuid == system.uuid]
    alone = replace(array, degraded=23, members=array.members[:1])
    assert [md_state(alone), missing(alone)] == [
        "running, no redundancy; 23 of its 24 slots are empty, as in the system of a NAS",
        0,
    ]
    four = replace(array, raid_disks=4, degraded=2)  # four copies that a person wanted
    assert missing(four) == 2


def test_nothing_else_is_said_of_its_arrays() -> None:
    machine = state("synology-shr")
    (finding,) = diagnose(units_of(machine), machine)
    assert finding.kind is Kind.FOREIGN
    assert "2 arrays of its own system" in finding.what


def test_an_array_that_mdadm_conf_names_or_that_is_mounted_for_writing_is_ours() -> None:
    machine = state("synology-shr-degraded-auto-read-only")
    (one,) = sets_of(machine)
    array = one.data[0]
    line = f"ARRAY /dev/md/nas metadata=1.2 UUID={array.uuid}"
    named = replace(machine, system=replace(machine.system, mdadm_conf_arrays=(line,)))
    assert sets_of(named) == ()
    for options, ours in (("rw,relatime", True), ("ro,relatime", False)):
        mount = Mount(source=array.node, target="/srv", type="ext4", device=array.node, options=options)
        assert (sets_of(replace(machine, mounts=(*machine.mounts, mount))) == ()) is ours


def test_disks_without_the_partitions_of_a_maker_have_no_layout() -> None:
    disk = state("synology-shr").disks[0]
    assert layout_of(disk) is not None
    assert layout_of(replace(disk, partitions=disk.partitions[1:])) is None
    wrong = tuple(replace(one, size_bytes=one.size_bytes + 10**6) for one in disk.partitions)
    assert layout_of(replace(disk, partitions=wrong)) is None


def test_an_old_computers_array_can_be_started_after_the_look() -> None:
    machine = state("oldpc-half-of-a-mirror")
    (finding,) = [one for one in diagnose(units_of(machine), machine) if one.kind is Kind.FOREIGN]
    view, *others = [one.procedure for one in finding.remedies if one.procedure]
    assert isinstance(view, View)
    assert any(isinstance(one, Start) and one.degraded for one in others)


@pytest.mark.parametrize("word", ["fotos", "größe:fotos"])
def test_each_array_of_an_old_computer_is_started_by_its_name(word: str) -> None:
    machine = state("oldpc-two-arrays")
    units = units_of(machine)
    (fotos,) = [unit for unit in units if unit.is_called(word)]
    found = _find(word, diagnose(units, machine), units, sets_of(machine))
    assert [one.order(some) for one in found for some in one.remedies] == [
        "raidtui care grosse",
        "raidtui care 'größe:Alte Texte' --do start",
        "raidtui care 'größe:fotos' --do start",
    ]
    assert _chosen(found, "", {fotos.full_name}) == View(name="grosse")
    assert _chosen(found, "start", {fotos.full_name}) == Start(unit=fotos.uuid)
    with pytest.raises(BadInput, match="--do start is offered for größe:Alte Texte and größe:fotos"):
        _chosen(found, "start", set())


def commands(machine: Machine, name: str) -> list[Run]:
    plan = make_care(View(name=name), machine, seed=SEED)
    assert "read-only" in title_of(View(name=name), plan)
    return [one for step in plan.steps for one in step.actions if isinstance(one, Run)]


@pytest.mark.parametrize(
    "name",
    [
        "synology-shr",
        "synology-shr-three-of-four",
        "synology-shr-half-assembled",
        "qnap-raid6",
        "readynas-raid5",
        "buffalo-raid5",
        "oldpc-half-of-a-mirror",
    ],
)
def test_the_first_plan_tells_the_kernel_the_geometry_and_no_command_opens_a_disk(name: str) -> None:
    machine = state(name)
    (one,) = sets_of(machine)
    runs = commands(machine, one.name)
    # To stop what udev holds without having started it writes nothing either: there is no bitmap in memory.
    assert {run.argv[0] for run in runs} <= {"modprobe", "tee", "mdadm", "udevadm", "umount"}
    assert all("--stop" in run.argv for run in runs if run.argv[0] == "mdadm")
    files = {run.argv[1]: run.input.strip() for run in runs if run.argv[0] == "tee"}
    assert all(file.startswith("/sys/") for file in files)
    md = f"/sys/block/md_{one.name}/md"
    assert list(files)[-1] == f"{md}/array_state"
    assert files[f"{md}/array_state"] == "readonly"
    assert files[f"{md}/metadata_version"] == "none"
    slots = [value for file, value in files.items() if file.endswith("/slot")]
    assert slots == sorted(set(slots))


def test_a_volume_that_udev_activated_is_mounted_as_it_is_and_deactivated_by_its_uuid() -> None:
    machine = state("synology-shr-degraded-auto-read-only")
    mount = commands(machine, "synology")[-1]
    assert mount.argv[:5] == ("mount", "-t", "btrfs", "-o", "ro,rescue=nologreplay")
    assert mount.argv[5:] == ("/dev/mapper/vg1000-lv", "/mnt/synology")
    (step,) = make_care(PutAway(name="synology"), machine, seed=SEED).steps
    (run,) = [one for one in step.actions if isinstance(one, Run)]
    assert run.argv[:4] == ("lvm", "vgchange", "--activate", "n")
    assert run.argv[-1].startswith("vg_uuid=")


def test_a_volume_that_is_not_active_is_mapped_by_hand() -> None:
    machine = state("synology-shr-degraded-auto-read-only")
    (one,) = sets_of(machine)
    devices = (replace(each, holders=()) for each in machine.devices if each.kind is not DeviceKind.VOLUME)
    machine = replace(machine, devices=tuple(devices))
    (run, _) = commands(machine, "synology")
    assert run.argv[:4] == ("dmsetup", "create", "synology-lv", "--readonly")
    begin, length, kind, device, offset = run.input.split()
    assert (begin, kind, device) == ("0", "linear", one.data[0].node)
    assert int(length) > 0
    assert int(offset) > 0
    mapped = Device(
        name="dm-7",
        number="253:7",
        kind=DeviceKind.MAPPED,
        dm_name="synology-lv",
        dm_uuid=run.argv[-1],
        slaves=(one.data[0].node.removeprefix("/dev/"),),
        type="btrfs",
        uuid=SEED,
    )
    below = (
        replace(each, holders=("dm-7",)) if each.path == one.data[0].node else each
        for each in machine.devices
    )
    after = replace(machine, devices=(*below, mapped))
    (finding,) = [each for each in diagnose(units_of(after), after) if each.kind is Kind.FOREIGN]
    assert [each.procedure for each in finding.remedies] == [View(name="synology"), PutAway(name="synology")]
    mounts = commands(after, "synology")
    assert (
        "mount",
        "-t",
        "btrfs",
        "-o",
        "ro,rescue=nologreplay",
        "/dev/mapper/synology-lv",
        "/mnt/synology",
    ) in {each.argv for each in mounts}
    away = make_care(PutAway(name="synology"), after, seed=SEED)
    assert [step.id for step in away.steps] == ["unmap-lv", "deactivate"]


def test_what_cannot_be_read_is_refused_with_the_reason() -> None:
    machine = state("synology-shr")

    def changed(**new: object) -> Machine:
        data = sets_of(machine)[0].data[0].uuid
        stored = (replace(one, **new) if one.uuid == data else one for one in machine.superblocks)
        return replace(machine, superblocks=tuple(stored))

    def kept(*slots: int) -> Machine:
        data = sets_of(machine)[0].data[0].uuid

        def stays(one: Superblock) -> bool:
            return one.uuid != data or one.slot in slots

        return replace(machine, superblocks=tuple(filter(stays, machine.superblocks)))

    for there, why in (
        (kept(0, 1), "2 members of 4 here"),
        (changed(reshaping=True), "reshape was interrupted"),
        (changed(journal=True), "journal"),
        (changed(data_bytes=0), "geometry"),
        (replace(machine, complete=False), "without root"),
    ):
        with pytest.raises(Refused, match=why):
            make_care(View(name="synology"), there, seed=SEED)
    with pytest.raises(BadInput, match="qnap"):
        make_care(View(name="qnap"), machine, seed=SEED)
    with pytest.raises(Refused, match="nothing of it is assembled"):
        make_care(PutAway(name="synology"), machine, seed=SEED)


def test_an_array_of_a_level_that_this_kernel_lacks_cannot_be_looked_at_here() -> None:
    there = state("oldpc-half-of-a-mirror")
    machine = replace(there, system=replace(there.system, kernel="6.12.1", md_levels=("raid0", "raid5")))
    (finding,) = [one for one in diagnose(units_of(machine), machine) if one.kind is Kind.FOREIGN]
    assert "this kernel (6.12.1) has no RAID1, so it cannot be read here" in finding.what
    assert [one.procedure for one in finding.remedies] == [None]
    with pytest.raises(Refused, match="has neither RAID1 nor a module for it"):
        make_care(View(name=finding.name), machine, seed=SEED)


def test_the_empty_slots_of_a_nas_would_take_a_new_disk_so_none_is_given_to_replace_a_member() -> None:
    machine = state("nas-with-slots-auto-read-only")
    with pytest.raises(Refused, match="already lacks a member"):
        make_replace(Replace(old="LAB-0001", new="LAB-0004"), machine, seed=SEED)
