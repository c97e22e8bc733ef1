"""The metadata of a volume group is restored only where LVM does without it, and only a version that loses nothing."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from raidtui.backends.lvm.hidden import hidden
from raidtui.backends.lvm.reading import reading_in
from raidtui.backends.unexplained import device_of
from raidtui.jobs.recovering.for_real import order_for_real
from raidtui.jobs.recovering.kept_metadata import INDEX, put_metadata_back
from raidtui.machine.md.newest import name_of_member
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine, Signature
from raidtui.model.plan import Run, Undo
from raidtui.model.procedure import RestoreMetadata
from raidtui.model.recovery import Candidate, GroupVersion, Part, Place, Recovery, Shape, Slot, Tried, Way
from raidtui.plan.care import make_care
from tests.unit.test_recorded_states import state

SEED = "11111111-2222-4333-8444-555555555555"


def here(name: str) -> Machine:
    """A recording, as if it were this computer."""
    machine = state(name)
    return replace(machine, system=replace(machine.system, program=("/usr/bin/raidtui",)))


DAMAGED = here("lvm-metadata-damaged")


def after_pvresize(machine: Machine) -> Machine:
    """``machine`` as pvresize(8) leaves damaged physical volumes: in no group, without a metadata area."""
    reading = reading_in(machine)
    assert reading is not None
    devices = tuple(
        replace(one, group="", damaged=False, no_area=True) if one.damaged else one
        for one in reading.known.devices
    )
    known = replace(reading.known, devices=devices)
    return replace(machine, readings=machine.readings | {"lvm": to_builtins(replace(reading, known=known))})


def version(**changes: Any) -> GroupVersion:
    about: dict[str, Any] = {
        "group": "tank",
        "uuid": "Gggggg-1",
        "number": 4,
        "digest": "d" * 64,
        "members": ("LAB-0001", "LAB-0002"),
        "labels": ("Aaaaaa-1", "Bbbbbb-2"),
    }
    return GroupVersion(**(about | changes))


def tried(of: str = "data", on: tuple[str, ...] = ("LAB-0001", "LAB-0002"), **changes: Any) -> Tried:
    parts = tuple(Part(length_bytes=1 << 20, on=(Place(source=one),)) for one in on)
    shape = Shape(
        level="linear", layout=0, chunk_bytes=0, component_bytes=0, slots=(Slot(source=on[0], parts=parts),)
    )
    about: dict[str, Any] = {"way": Way.METADATA, "words": "", "shape": shape, "of": of, "version": version()}
    seen: dict[str, Any] = {"mounted": True, "files": 10, "clean": True}
    for name in [*changes]:
        (seen if name in Tried.__struct_fields__ else about)[name] = changes.pop(name)
    return Tried(candidate=Candidate(**about), **seen)


def found(*every: Tried, **changes: Any) -> Recovery:
    about: dict[str, Any] = {"name": "tank", "at": "2026-11-26T22:14:00+00:00"}
    return Recovery(tried=every, **(about | changes))


def order(last: Recovery, number: int = 1) -> RestoreMetadata:
    made = order_for_real(last, number, name="tank", unit="")
    assert isinstance(made, RestoreMetadata)
    return made


def test_the_version_and_its_physical_volumes_are_named() -> None:
    made = order(found(tried()))
    assert (made.unit, made.name, made.volume, made.on) == ("Gggggg-1", "tank", "data", "LAB-0001")
    assert made.members == ("LAB-0001", "LAB-0002")
    assert made.kept.endswith("metadata-Gggggg-1-20261126T221400")


@pytest.mark.parametrize(
    ("last", "number", "why"),
    [
        (found(tried(clean=None)), 1, "was not found whole"),
        (found(tried(odd=1)), 1, "was not found whole"),
        (found(tried(way=Way.ORDER)), 1, "not that of a volume group on disks"),
        (found(tried(), images=("LAB-0002",)), 1, "was read from an image"),
        (found(tried(version=version(members=("LAB-0001", "")))), 1, "lacks a physical volume"),
        (found(tried(on=("LAB-0001",), version=version(unlabeled=("LAB-0002",)))), 1, "which has no label"),
        (found(tried("home", version=version(number=5)), tried()), 2, "newer metadata than 4"),
        (found(tried("swap", version=version(number=5), mounted=False, clean=None), tried()), 2, "newer metadata"),
        (found(tried(), tried("pool", mounted=False, why_not="it is a thin pool")), 1, "whether it fits pool is not known"),
    ],
)  # fmt: skip
def test_nothing_is_written_for_what_could_lose_something(last: Recovery, number: int, why: str) -> None:
    with pytest.raises(Refused, match=why):
        order(last, number)
    assert not last.restorable(last.tried[number - 1]) or last.images


def test_versions_of_another_group_say_nothing_about_this_one() -> None:
    other = tried("data", version=version(uuid="Hhhhhh-1", number=9))
    assert found(tried(), other).restorable(tried())


def of_recording(machine: Machine, **changes: Any) -> RestoreMetadata:
    """The order for the physical volumes of a recording."""
    disks = [one.identity for one in machine.disks if any(s.type == "LVM2_member" for s in one.signatures)]
    about: dict[str, Any] = {
        "unit": "Gggggg-1",
        "name": "tank",
        "volume": "data",
        "on": next(iter(disks), ""),
        "digest": "d" * 64,
        "members": tuple(disks),
        "labels": tuple(f"label-{one}" for one in disks),
        "kept": "/var/lib/x",
        "tried": "clean",
    }
    return RestoreMetadata(**(about | changes))


@pytest.mark.parametrize("machine", [DAMAGED, after_pvresize(DAMAGED)], ids=["damaged", "after pvresize"])
def test_the_begin_of_each_is_kept_and_what_is_damaged_gets_its_label_anew(machine: Machine) -> None:
    made = make_care(of_recording(DAMAGED), machine, seed=SEED)
    assert [step.id for step in made.steps] == ["keep", "restore", "activate"]
    keep, restore, _ = made.steps
    assert (keep.undoable, restore.undoable) == (Undo.COMMANDS, Undo.NOTHING)
    commands = [one.argv for one in restore.actions if isinstance(one, Run)]
    words = [argv[0] for argv in commands]
    assert words[-2:] == ["vgcfgrestore", "sync"]
    assert words.count("pvcreate") == words.count("wipefs") == len(of_recording(DAMAGED).members)
    assert all("--restorefile" in argv for argv in commands if argv[0] == "pvcreate")
    assert [one.id for one in made.hazards] == ["restore-metadata"]


def test_a_group_on_an_array_is_restored_there() -> None:
    """What care prints is a name that the trial takes, and the plan names the array by its UUID."""
    machine = here("lvm-metadata-damaged-on-an-array")
    for seen in (machine, after_pvresize(machine)):
        (finding,) = (one for one in hidden(seen) if one.remedies[0].procedure)
        order = finding.order(finding.remedies[0])
        assert order == "raidtui recover --disks /dev/md/tank"
    assert device_of("/dev/md/tank", machine) == "/dev/md127"
    made = make_care(
        of_recording(machine, members=("/dev/md/tank",), labels=("x",), on="/dev/md/tank"), machine, seed=SEED
    )
    runs = [one for step in made.steps for one in step.actions if isinstance(one, Run)]
    devices = {one.argv[-1] for one in runs if one.argv[0] in {"pvcreate", "sync"}}
    unread = replace(machine, arrays=tuple(replace(one, signatures=()) for one in machine.arrays))
    with pytest.raises(Refused, match="has nothing known where its label was"):
        make_care(of_recording(machine, members=("/dev/md/tank",), labels=("x",)), unread, seed=SEED)
    assert {one.rpartition("-")[0] for one in devices} == {"/dev/disk/by-id/md-uuid"}


def test_a_disk_with_something_else_where_its_label_was_is_left_alone() -> None:
    first = of_recording(DAMAGED).members[0]
    disks = [
        replace(one, signatures=(Signature(device=one.path, offset=1080, type="ext4"),))
        if one.identity == first
        else one
        for one in DAMAGED.disks
    ]
    order = of_recording(DAMAGED)
    with pytest.raises(Refused, match="has ext4 where its label was"):
        make_care(order, replace(DAMAGED, disks=tuple(disks)), seed=SEED)
    with pytest.raises(Refused, match="is not here"):
        make_care(of_recording(DAMAGED, members=("GONE-1",), labels=("x",)), DAMAGED, seed=SEED)


@pytest.mark.parametrize(
    ("name", "unit", "why"),
    [
        ("lvm-well", "", "is active"),
        ("lvm-well", "Gggggg-1", "is in another volume group by now"),
        ("lvm-linear-pv-missing", "", "is not here"),
    ],
)
def test_a_group_that_needs_no_restore_or_must_not_get_it(name: str, unit: str, why: str) -> None:
    machine = here(name)
    reading = reading_in(machine)
    assert reading is not None
    (group,) = reading.known.groups
    paths = [one.path for one in reading.known.devices if one.group == group.uuid]
    members = tuple(name_of_member(path, machine.disks) for path in paths)
    order = of_recording(
        machine,
        unit=unit or group.uuid,
        name=group.name,
        members=members,
        labels=tuple(members),
        on=members[0],
    )
    with pytest.raises(Refused, match=why):
        make_care(order, machine, seed=SEED)


def test_what_was_not_kept_whole_is_not_put_back(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="nothing is kept in"):
        put_metadata_back(tmp_path)
    (tmp_path / INDEX).write_text("{")
    with pytest.raises(BadInput):
        put_metadata_back(tmp_path)
