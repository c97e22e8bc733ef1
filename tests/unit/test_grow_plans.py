"""What an array can become: exact sizes, what is refused and why; and the plan that takes it there."""

import subprocess

import msgspec
import pytest

from raidtui.advice.growths import table_of
from raidtui.backends.arithmetic.disks import data_disks
from raidtui.backends.growing import Shape, Way
from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.md.grow import GROWER
from raidtui.backends.md.growing.easing import limits
from raidtui.backends.md.growing.relevel import as_level
from raidtui.backends.md.growing.shapes import shapes_of, size_with
from raidtui.backends.units import units_of
from raidtui.commands.text.grow import table
from raidtui.machine.ask import ToolAnswer
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Disk, Machine, Member, Mount, Signature, Sync
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.plan import KEPT, EnsureLine, Plan, Run, Undo
from raidtui.model.procedure import Grow, erased_by
from raidtui.model.system import ConfiguredArray
from raidtui.model.units import GIB, KIB, MIB
from raidtui.plan.care import make_care, title_of
from raidtui.plan.durations import durations
from raidtui.plan.script import as_script
from raidtui.steps.enlarge import read_size
from raidtui.ui.care.unit_offers import can_grow
from tests.ui import machines
from tests.ui.machines import DISK_4TB, disk, running_array, with_superblock
from tests.ui.recorded import recorded

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
OFFSET = 129 * MIB
PART = DISK_4TB - 200 * MIB
FREE, SECOND = disk(9), disk(10)


def made(level: str, count: int, layout: str = "", **changes: object) -> Array:
    """An array with the geometry that the kernel gives it on partitions of these disks."""
    known = md_geometry(level, [PART] * count, layout=layout or None)
    return running_array(
        **{
            "level": level,
            "layout": known.layout,
            "raid_disks": count,
            "chunk_bytes": known.chunk_bytes,
            "size_bytes": known.array_bytes,
            "component_bytes": known.component_bytes,
            "consistency": known.consistency,
            "degraded": 0 if MD_LEVELS[level].redundant else None,
            "members": tuple(
                Member(
                    path=f"{disk(n).path}1",
                    disk=disk(n).serial,
                    slot=n - 1,
                    state=("in_sync",),
                    offset_bytes=known.data_offset_bytes,
                )
                for n in range(1, count + 1)
            ),
            "signatures": (Signature(device="/dev/md127", offset=1080, type="ext4", uuid="aaaa"),),
        }
        | changes
    )


def nas(array: Array, *more: Disk, options: str = "rw", mounted: bool = True) -> Machine:
    own = [with_superblock(disk(n), array) for n in range(1, array.raid_disks + 1)]
    machine = machines.machine([*own, *more], [array])
    mount = Mount(source=array.node, device=array.node, target="/srv/tank", type="ext4", options=options)
    return msgspec.structs.replace(machine, mounts=(mount,) if mounted else ())


def rows(array: Array, *more: Disk, **changes: object) -> dict[str, Shape]:
    machine = msgspec.structs.replace(nas(array, *more), **changes)
    return {one.change: one for one in shapes_of(array, machine)}


@pytest.mark.parametrize(
    ("level", "gone", "left"), [("raid5", 0, 1), ("raid5", 1, 0), ("raid6", 1, 1), ("raid6", 2, 0)]
)
def test_what_a_degraded_array_survives_today_is_less(level: str, gone: int, left: int) -> None:
    array = made(level, 4)
    here = array.members[: 4 - gone]
    machine = nas(msgspec.structs.replace(array, members=here, degraded=gone))
    unit = next(one for one in units_of(machine) if one.uuid == array.uuid)
    today = table_of(unit, machine).rows[0].shape
    assert today.change == "today"
    assert today.survives == left


def test_an_array_that_has_failed_does_not_grow_and_is_not_said_to_survive_anything() -> None:
    machine = recorded("states/md-raid6-three-failed")
    (unit,) = units_of(machine)
    with pytest.raises(Refused, match=r"does not grow now: FAILED.*'raidtui care' says what is safe"):
        table_of(unit, machine)
    assert not can_grow(unit)


@pytest.mark.parametrize("members", [3, 4, 5, 7])
@pytest.mark.parametrize("level", ["raid4", "raid5", "raid6"])
def test_a_further_disk_gives_what_an_array_made_with_it_would_have(level: str, members: int) -> None:
    if level == "raid6" and members < 4:
        members += 1
    array = made(level, members)
    shape = rows(array, FREE)["+1 disk"]
    assert not shape.refused
    assert shape.add == (FREE.identity,)
    assert (shape.members, shape.way) == (members + 1, Way.MOVE)
    assert shape.unit_bytes == md_geometry(level, [PART] * (members + 1)).array_bytes
    assert shape.unit_bytes - array.size_bytes == array.component_bytes


def test_a_mirror_gets_copies_and_no_space() -> None:
    array = made("raid1", 2)
    found = rows(array, FREE, SECOND)
    assert [found[one].unit_bytes for one in ("today", "+1 disk", "+2 disks")] == [array.size_bytes] * 3
    assert [found[one].survives for one in ("today", "+1 disk", "+2 disks")] == [1, 2, 3]
    assert found["+1 disk"].way is Way.COPY


def test_near_copies_have_whole_chunks_as_in_the_lab() -> None:
    # Measured: raid10 n2 of 3 and of 4 members of 161792 KiB with chunks of 512 KiB.
    array = running_array(level="raid10", layout="n2", chunk_bytes=512 * KIB, component_bytes=161_792 * KIB)
    assert size_with(array, 3, array.component_bytes) == 485_376 * 512
    assert size_with(array, 4, array.component_bytes) == 647_168 * 512


@pytest.mark.parametrize(
    ("array", "change", "words"),
    [
        (made("raid0", 3), "+1 disk", "RAID4 without parity"),
        (made("linear", 3), "+1 disk", "has not been measured"),
        (made("raid10", 4), "+1 disk", "all that it reads is wrong"),
        (made("raid5", 4, metadata="1.0"), "+1 disk", "superblock is at the end"),
        (made("raid5", 4, metadata="0.90"), "+1 disk", "superblock is at the end"),
        (made("raid5", 4, metadata="1.0"), "larger members", "no longer finds a member"),
        (made("raid1", 2, metadata="0.90"), "larger members", "no longer finds a member"),
        (made("raid10", 4, "f2"), "larger members", "does not enlarge"),
        (made("raid0", 3), "larger members", "cannot use more"),
        (made("raid5", 4, consistency="ppl"), "+1 disk", "partial parity log"),
        (made("raid5", 4, consistency="journal"), "+1 disk", "a journal"),
        (made("raid5", 4, consistency="lockless"), "+1 disk", "experimental"),
        (made("raid10", 4), "another layout", "destroys a RAID10"),
        (made("raid1", 2), "to RAID0", "drops all disks but one"),
        (made("raid5", 4, layout="left-asymmetric"), "to raid6", "layout left-symmetric only, not left-asymm"),
        (made("raid5", 4, metadata="1.0"), "to raid6", "superblock is at the end"),
        (made("raid1", 3), "to raid5", "of two members only, and it has 3 members"),
        (made("raid1", 2, component_bytes=2 * MIB + 512), "to raid5", "not a multiple of 4 KiB"),
        (made("raid1", 2, metadata="0.90"), "to raid5", "superblock is at the end"),
        (made("raid6", 4), "to RAID5", "4 of 4 power cuts"),
        (made("raid5", 4), "another chunk", "4 of 4 power cuts"),
        (made("raid5", 4), "smaller members", "below its filesystem"),
        (made("raid5", 4, metadata="external:imsm"), "+1 disk", "setup program"),
        (made("raid5", 4, state="inactive"), "+1 disk", "not started"),
        (made("raid5", 4, state="readonly"), "+1 disk", "read-only"),
        (made("raid5", 4, degraded=1, members=made("raid5", 4).members[:3]), "+1 disk", "lacks 1 member"),
        (made("raid5", 4, mismatch_sectors=8, checked=True), "+1 disk", "mismatches"),
        (
            made("raid5", 4, sync=Sync(action="check", done_bytes=1, total_bytes=9, bytes_per_second=1), sync_action="check"),
            "+1 disk",
            "busy: check",
        ),
        (
            made("raid5", 4, sync=Sync(action="reshape", done_bytes=1, total_bytes=9, bytes_per_second=1), sync_action="reshape"),
            "larger members",
            "being reshaped",
        ),
    ],
)  # fmt: skip
def test_what_is_not_done_has_a_reason(array: Array, change: str, words: str) -> None:
    shape = rows(array, FREE)[change]
    assert words in shape.refused
    assert shape.procedure is None
    assert shape.unit_bytes == 0


def changed(array: Array, place: int, **changes: object) -> Array:
    members = list(array.members)
    members[place] = msgspec.structs.replace(members[place], **changes)
    return msgspec.structs.replace(array, members=tuple(members))


def test_members_in_trouble_and_spares_stop_it() -> None:
    array = made("raid5", 4)
    assert "has errors" in rows(changed(array, 1, errors=8), FREE)["+1 disk"].refused
    assert "bad blocks" in rows(changed(array, 1, bad_sectors=8), FREE)["+1 disk"].refused
    spare = Member(path="/dev/sdi1", disk=disk(8).serial, state=("spare",))
    with_spare = msgspec.structs.replace(array, members=(*array.members, spare))
    assert "remove the spare first" in rows(with_spare, FREE)["+1 disk"].refused
    assert not rows(with_spare, FREE)["larger members"].refused


def test_too_little_memory_for_large_chunks_stops_a_reshape_of_parity_only() -> None:
    small = msgspec.structs.replace(machines.SYSTEM, memory_bytes=256 * MIB)
    chunk = 64 * MIB
    assert "of memory" in rows(made("raid5", 4, chunk_bytes=chunk), FREE, system=small)["+1 disk"].refused
    assert not rows(made("raid5", 4), FREE, system=small)["+1 disk"].refused


def test_without_a_fitting_disk_the_table_says_which_one_it_needs() -> None:
    for more in ((), (disk(9, size_bytes=2_000_398_934_016),), (disk(9, logical_sector_bytes=4096),)):
        shape = rows(made("raid5", 4), *more)["+1 disk"]
        assert (shape.refused, shape.procedure) == ("", None)
        assert shape.needs == "a free disk of 4.00 TB or more"
        assert shape.unit_bytes == 4 * made("raid5", 4).component_bytes


def larger(array: Array, *, whole: bool = False) -> Machine:
    """Every member is on a disk of twice the size: in its old partition, or as a whole."""
    machine = nas(array)
    disks = []
    for one in machine.disks:
        twice = msgspec.structs.replace(one, size_bytes=2 * DISK_4TB, partition_table="gpt")
        disks.append(msgspec.structs.replace(twice, partitions=()) if whole else twice)
    return msgspec.structs.replace(machine, disks=tuple(disks))


def test_larger_members_need_all_members_to_be_larger() -> None:
    array = made("raid5", 4)
    assert "replace one after the other" in rows(array)["larger members"].needs
    machine = larger(array)
    one_small = (*machine.disks[:3], nas(array).disks[3])
    shapes = {one.change: one for one in shapes_of(array, msgspec.structs.replace(machine, disks=one_small))}
    assert disk(4).serial in shapes["larger members"].needs
    grown = {one.change: one for one in shapes_of(array, machine)}["larger members"]
    assert grown.procedure == Grow(unit=array.uuid, to_largest=True)
    part = (2 * DISK_4TB - 101 * MIB) // MIB * MIB - MIB
    offset = array.members[0].offset_bytes
    assert grown.unit_bytes == (part - offset) // array.chunk_bytes * array.chunk_bytes * 3


def plan(order: Grow, machine: Machine) -> Plan:
    return make_care(order, machine, seed=SEED)


def lines(one: Plan) -> list[str]:
    """The commands that change the array or what is on it, without the links' long names."""
    runs = [a.argv for step in one.steps for a in step.actions if isinstance(a, Run)]
    words = ("mdadm", "resize2fs", "tune2fs", "xfs_growfs", "btrfs", "pvresize", "partx")
    return [
        " ".join(word.rpartition("/")[2] for word in argv)
        for argv in runs
        if argv[0] in words and "--wait" not in argv and "--readwrite" not in argv
    ]


def by(*disks: Disk) -> Grow:
    return Grow(unit=running_array().uuid, add=tuple(one.identity for one in disks))


MD = "md-uuid-6f1d9b0e:3d5a4c2b:9a580d7c:1e2f3a4b"


def test_a_disk_is_prepared_added_and_the_array_then_its_filesystem_grow() -> None:
    made_plan = plan(by(FREE), nas(made("raid5", 3), FREE))
    assert [step.id for step in made_plan.steps] == [
        "capsule", "wipe", "partition", "settle-partitions", "add", "grow", "wait", "prove", "enlarge", "stripes", "check",
    ]  # fmt: skip
    assert lines(made_plan) == [
        f"mdadm {MD} --add-spare {FREE.by_id[0]}-part1",
        f"mdadm --grow {MD} --raid-devices=4",
        f"resize2fs {MD}",
        f"tune2fs -E stride=128,stripe_width=384 {MD}",
        f"mdadm --action=check {MD}",
    ]
    assert [(one.identity, one.role) for one in made_plan.erased] == [(FREE.identity, "member")]
    assert not any("backup-file" in line or "assume-clean" in line for line in lines(made_plan))
    assert title_of(by(FREE), made_plan) == "Let tank grow by 1 disk"
    assert erased_by(by(FREE)) == ""  # a finding never advises it
    undo = {step.id: step.undoable for step in made_plan.steps}
    assert undo["partition"] is not Undo.IMPOSSIBLE
    assert undo["add"] is Undo.IMPOSSIBLE
    assert made_plan.array_bytes == 3 * made("raid5", 3).component_bytes


@pytest.mark.processes
def test_the_script_does_not_wait_for_a_reshape_that_is_over_already() -> None:
    text = as_script(plan(by(FREE), nas(made("raid5", 3), FREE)))
    waiting = text.partition("\nstep=wait\n")[2].partition("\nsay ")[0].splitlines()
    first, before, *_ = waiting
    assert first.startswith("if ! { array_is ")
    assert " && member_is " in first
    assert before.startswith("must array_reshapes ")
    after = waiting[waiting.index("fi") + 1 :]
    assert [line.split()[1] for line in after if line.startswith("must")] == [
        "array_is",
        "array_placed",
        "member_is",
    ]
    checked = subprocess.run(["sh", "-n"], input=text, text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_several_disks_have_steps_of_their_own() -> None:
    made_plan = plan(by(FREE, SECOND), nas(made("raid6", 4), FREE, SECOND))
    ids = [step.id for step in made_plan.steps]
    assert len(set(ids)) == len(ids)
    assert ids[4:8] == ["capsule-2", "wipe-2", "partition-2", "settle-partitions-2"]
    assert ids[8:11] == ["add", "add-2", "grow"]
    assert {one.identity for one in made_plan.erased} == {FREE.identity, SECOND.identity}


def test_no_two_steps_of_a_plan_share_an_id() -> None:
    made_plan = plan(by(FREE), nas(made("raid5", 3), FREE))
    with pytest.raises(ValueError, match="steps of the plan share an id: capsule, wipe"):
        Plan(
            kind=made_plan.kind,
            spec=made_plan.spec,
            seed=SEED,
            array_uuid=made_plan.array_uuid,
            array_path=made_plan.array_path,
            steps=(*made_plan.steps, made_plan.steps[0]),
        )


def test_a_mirror_gets_a_copy_and_its_filesystem_stays() -> None:
    made_plan = plan(by(FREE), nas(made("raid1", 2), FREE, mounted=False))
    assert [step.id for step in made_plan.steps][4:] == ["grow", "add", "wait", "prove", "check"]


def test_a_raid5_becomes_a_raid6_by_writing_the_new_disk_alone() -> None:
    array = made("raid5", 3)
    shape = rows(array, FREE, SECOND)["to raid6"]
    assert (shape.level, shape.members, shape.survives, shape.way) == ("raid6", 4, 2, Way.COPY)
    assert shape.unit_bytes == array.size_bytes == md_geometry("raid6", [PART] * 4).array_bytes
    assert "layout left-symmetric-6" in shape.note
    assert shape.procedure == Grow(unit=array.uuid, add=(FREE.identity,), level="raid6")
    made_plan = plan(shape.procedure, nas(array, FREE))
    assert [step.id for step in made_plan.steps][4:] == ["grow", "add", "wait", "prove", "check"]
    assert lines(made_plan) == [
        f"mdadm --grow {MD} --level=raid6 --raid-devices=4 --layout=preserve --force",
        f"mdadm --action=check {MD}",
    ]
    assert not made_plan.hazards
    assert title_of(shape.procedure, made_plan) == "Let tank become RAID6 with 1 further disk"
    wait = next(step for step in made_plan.steps if step.id == "wait")
    assert not wait.reshapes
    for order, words in (
        (msgspec.structs.replace(shape.procedure, add=(FREE.identity, SECOND.identity)), "takes one disk"),
        (msgspec.structs.replace(shape.procedure, add=()), "needs a further disk"),
        (msgspec.structs.replace(shape.procedure, level="raid10"), "RAID5 becomes RAID10 only by moving"),
        (msgspec.structs.replace(shape.procedure, to_largest=True), "either by disks"),
    ):
        with pytest.raises(Refused, match=words):
            plan(order, nas(array, FREE, SECOND))


def test_a_former_raid5_keeps_its_layout_when_it_grows() -> None:
    array = made("raid6", 4, "left-symmetric-6")
    assert rows(array, FREE)["+1 disk"].unit_bytes == 3 * array.component_bytes
    assert f"mdadm --grow {MD} --raid-devices=5 --layout=preserve" in lines(plan(by(FREE), nas(array, FREE)))


@pytest.mark.parametrize(("count", "width"), [(1, 32), (2, 48)])
def test_a_mirror_of_two_becomes_a_raid5_and_then_grows(count: int, width: int) -> None:
    array, new = made("raid1", 2), (FREE, SECOND)[:count]
    shape = rows(array, FREE, SECOND)["to raid5" if count == 1 else "to raid5 of 4"]
    assert (shape.level, shape.members, shape.survives, shape.way) == ("raid5", 2 + count, 1, Way.MOVE)
    assert shape.unit_bytes == (1 + count) * array.component_bytes
    assert shape.note == "with chunks of 64 KiB"
    assert shape.procedure is not None
    made_plan = plan(shape.procedure, nas(array, *new))
    found = [line for line in lines(made_plan) if "--add-spare" not in line]
    assert found == [
        f"mdadm --grow {MD} --level=raid5",
        f"mdadm --grow {MD} --raid-devices={2 + count}",
        f"resize2fs {MD}",
        f"tune2fs -E stride=16,stripe_width={width} {MD}",
        f"mdadm --action=check {MD}",
    ]
    assert "moves-everything" in {one.id for one in made_plan.hazards}


@pytest.mark.parametrize(
    ("level", "members", "chunk", "kernel", "warned"),
    [
        ("raid5", 3, 64, "6.12.0-1-amd64", True),
        ("raid6", 4, 256, "6.12.0-1-amd64", True),
        (
            "raid1",
            2,
            0,
            "6.12.0-1-amd64",
            True,
        ),  # by two disks it becomes a RAID5 of four, with chunks of 64 KiB
        ("raid5", 3, 64, "", True),
        ("raid5", 3, 64, "6.1.0-56-amd64", False),
        ("raid5", 3, 512, "6.12.0-1-amd64", False),
        ("raid5", 2, 64, "6.12.0-1-amd64", False),  # of three then
    ],
)
def test_a_boot_that_may_not_end_after_a_power_cut_is_said_before(
    level: str, members: int, chunk: int, kernel: str, warned: bool
) -> None:
    array = made(level, members, chunk_bytes=chunk * KIB)
    machine = nas(array, FREE, SECOND)
    machine = msgspec.structs.replace(machine, system=msgspec.structs.replace(machine.system, kernel=kernel))
    if level == "raid1":
        order = Grow(unit=array.uuid, add=(FREE.identity, SECOND.identity), level="raid5")
    else:
        order = by(FREE)
    said = [one for one in plan(order, machine).hazards if one.id == "reshape-boot"]
    assert ["md_mod.start_ro=0" in one.advice for one in said] == [True] * warned


def test_a_computer_whose_arrays_do_not_wait_for_a_write_boots_after_a_power_cut() -> None:
    array = made("raid5", 3, chunk_bytes=64 * KIB)
    machine = nas(array, FREE)
    for waits, warned in ((None, True), (True, True), (False, False)):
        system = msgspec.structs.replace(machine.system, kernel="6.12.0-1-amd64", md_waits=waits)
        found = plan(by(FREE), msgspec.structs.replace(machine, system=system)).hazards
        assert any(one.id == "reshape-boot" for one in found) is warned, waits


def test_the_chunk_of_a_former_mirror_is_what_its_size_is_a_multiple_of() -> None:
    array = made("raid1", 2, component_bytes=1024 * MIB + 8 * KIB)
    assert rows(array, FREE)["to raid5"].note == "with chunks of 8 KiB"


def test_the_size_is_set_without_a_bitmap_and_checked_before_the_end() -> None:
    array = made("raid5", 3)
    order = Grow(unit=array.uuid, to_largest=True)
    made_plan = plan(order, larger(array))
    assert [step.id for step in made_plan.steps] == [
        "widen-1", "widen-2", "widen-3", "bitmap-off", "grow", "sync", "bitmap-on", "prove", "enlarge", "stripes", "check",
    ]  # fmt: skip
    found = lines(made_plan)
    assert found[3:6] == [
        f"mdadm --grow {MD} --bitmap=none",
        f"mdadm --grow {MD} --size=max",
        f"mdadm --grow {MD} --bitmap=internal",
    ]
    assert made_plan.erased == ()
    assert {one.role for one in made_plan.disks} == {KEPT}
    assert title_of(order, made_plan) == "Let tank use all of its members"
    whole = larger(array, whole=True)
    members = tuple(msgspec.structs.replace(one, path=one.path.removesuffix("1")) for one in array.members)
    on_disks = msgspec.structs.replace(array, members=members)
    whole = msgspec.structs.replace(whole, arrays=(on_disks,))
    assert [step.id for step in plan(order, whole).steps][:2] == ["bitmap-off", "grow"]


def content(kind: str, **changes: object) -> Machine:
    sign = (Signature(device="/dev/md127", offset=0, type=kind, uuid="aaaa"),)
    return nas(made("raid5", 3, signatures=sign), FREE, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "steps", "hazard"),
    [
        ("xfs", ["xfs_growfs -d tank"], "xfs-stripes"),
        ("btrfs", ["btrfs filesystem resize max tank"], ""),
        ("LVM2_member", [f"pvresize {MD}"], "space-in-group"),
        ("crypto_LUKS", [], "space-outside"),
        ("swap", [], "space-outside"),
        ("gpt", [], "space-outside"),
    ],
)
def test_what_is_on_the_array_grows_by_its_own_tool_or_is_said_to_stay(
    kind: str, steps: list[str], hazard: str
) -> None:
    made_plan = plan(by(FREE), content(kind))
    assert lines(made_plan)[2:-1] == steps
    ids = {one.id for one in made_plan.hazards}
    assert "moves-everything" in ids
    assert {one for one in ids if one.startswith(("xfs-", "space-"))} == ({hazard} if hazard else set())


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (content("vfat"), "cannot grow while it is mounted"),
        (content("ext4", mounted=False), "is not mounted"),
        (content("ext4", options="ro,relatime"), "read-only"),
        (nas(made("raid5", 3, unread="it does not answer"), FREE), "could not be read"),
        (nas(made("raid5", 3, degraded=1, members=made("raid5", 3).members[:2]), FREE), "lacks 1 member"),
    ],
)
def test_what_cannot_grow_is_refused_before_anything_is_changed(machine: Machine, words: str) -> None:
    with pytest.raises(Refused, match=words):
        plan(by(FREE), machine)


def test_a_disk_that_does_not_fit_is_refused() -> None:
    small = disk(9, size_bytes=2_000_398_934_016)
    with pytest.raises(Refused, match="too small"):
        plan(by(small), nas(made("raid5", 3), small))
    other = disk(9, logical_sector_bytes=4096)
    with pytest.raises(Refused, match="sectors are larger"):
        plan(by(other), nas(made("raid5", 3), other))
    with pytest.raises(Refused, match="each named once"):
        plan(by(FREE, FREE), nas(made("raid5", 3), FREE))
    with pytest.raises(Refused, match="already uses all"):
        plan(Grow(unit=running_array().uuid, to_largest=True), nas(made("raid5", 3)))


def test_a_wait_resumes_what_a_boot_has_parked_also_where_it_begins_after_the_boot() -> None:
    # A power cut between the start of the reshape and the wait: md reshapes nothing before the first write.
    pair, three = made("raid1", 2), made("raid5", 3)
    level = Grow(unit=pair.uuid, add=(FREE.identity,), level="raid5")
    for one in (
        plan(by(FREE), nas(three, FREE)),
        plan(level, nas(pair, FREE)),
        plan(Grow(unit=three.uuid, to_largest=True), larger(three)),
    ):
        (wait,) = [step for step in one.steps if step.id in {"wait", "sync"}]
        words = [run.argv[1] for run in wait.actions if isinstance(run, Run) and run.argv[0] == "mdadm"]
        assert words == ["--readwrite", "--wait"]


def test_a_reshape_begins_in_steps_that_overwrite_nothing_unrecorded() -> None:
    """Measured: a power cut in the first stripes of a running array's reshape lost the filesystem."""
    for array, later, members in (
        (made("raid5", 3), made("raid5", 3), 4),
        (made("raid1", 2), as_level(made("raid1", 2), "raid5"), 4),
        (made("raid6", 4), made("raid6", 4), 5),
        (made("raid6", 6), made("raid6", 6), 7),
        (made("raid5", 3), made("raid5", 3), 5),
        (made("raid5", 3), made("raid5", 3), 7),
        (made("raid5", 20), made("raid5", 20), 21),
    ):
        chunk = later.chunk_bytes // 512
        old, new = (data_disks(later.level, count) for count in (array.raid_disks, members))
        # As mdadm's Grow.c has it, and as new_offset was measured.
        stripes = next(n for n in range(1, 99) if n * new % old == 0)
        shift, recorded = stripes * new / old * chunk, 0
        for place in limits(array, later, members):
            assert place % chunk == 0
            assert place - shift <= recorded, "it would be written over what a restart reads again"
            assert place * new % (old * chunk) == 0, (
                "a stripe is half moved, and nobody may read it after a restart"
            )
            recorded = int(place * new / old)
        assert place * (new / old - 1) > 2 * chunk, "reading is not ahead of writing yet"
    ways = {step.id: step.actions for step in plan(by(FREE), nas(made("raid5", 3), FREE)).steps}
    grow, wait = ([run.argv for run in ways[name] if isinstance(run, Run)] for name in ("grow", "wait"))
    assert [argv[0] for argv in grow] == ["mdadm", "sh", "mdadm"]
    assert [argv[0] for argv in wait] == ["mdadm", "sh", "mdadm"]
    assert (grow[1][-1], wait[1][-3:]) == ("2048", ("2048", "6144", "12288"))
    copied = plan(by(FREE), nas(made("raid1", 2), FREE))
    assert not any(
        a.argv[0] == "sh" and "add-again" not in a.argv
        for step in copied.steps
        if step.id == "grow"
        for a in step.actions
        if isinstance(a, Run)
    )


@pytest.mark.parametrize(("free", "refused"), [(3 * 512 * KIB + 256 * KIB, False), (3 * 512 * KIB, True)])
def test_without_room_before_the_data_a_reshape_is_refused(free: int, refused: bool) -> None:
    """Measured with mdadm 4.4: it takes the hold away, and the reshape overtakes the copy of its first stripes."""
    array = made("raid5", 3)
    members = [msgspec.structs.replace(one, offset_bytes=free) for one in array.members]
    small = msgspec.structs.replace(array, members=tuple(members))
    assert ("power cut" in rows(small, FREE)["+1 disk"].refused) is refused
    assert not rows(small, FREE)["to raid6"].refused, "nothing moves"
    if refused:
        with pytest.raises(Refused, match="too little is free there"):
            plan(by(FREE), nas(small, FREE))


def test_an_array_line_loses_its_number_of_members_before_the_reshape() -> None:
    machine = nas(made("raid5", 3), FREE)
    text = f"ARRAY /dev/md/tank level=raid5 num-devices=3 metadata=1.2 UUID={running_array().uuid.replace('-', '')}"
    file = machine.system.mdadm_conf
    entry = ConfiguredArray(text=text, file=file, lines=(text,))
    system = msgspec.structs.replace(machine.system, mdadm_conf_entries=(entry,))
    made_plan = plan(by(FREE), msgspec.structs.replace(machine, system=system))
    ids = [step.id for step in made_plan.steps]
    assert ids.index("conf") < ids.index("initramfs") < ids.index("grow")
    step = made_plan.steps[ids.index("conf")]
    (edit,) = [one for one in step.actions if isinstance(one, EnsureLine)]
    assert edit.line == text.replace("num-devices=3 ", "")
    becoming = Grow(unit=running_array().uuid, add=(FREE.identity,), level="raid6")
    (step,) = [
        one
        for one in plan(becoming, msgspec.structs.replace(machine, system=system)).steps
        if one.id == "conf"
    ]
    (edit,) = [one for one in step.actions if isinstance(one, EnsureLine)]
    assert edit.line == text.replace("level=raid5 num-devices=3 ", "")
    assert "level and the number of members" in step.title


def test_the_time_of_a_reshape_is_longer_than_that_of_a_copy() -> None:
    array = made("raid5", 3)
    machine = nas(array, FREE)
    (unit,) = units_of(machine)
    found = {one.shape.change: one for one in table_of(unit, machine).rows}
    assert found["today"].high_seconds == 0
    assert found["+1 disk"].low_seconds > 10 * 3600
    assert " h" in durations(plan(by(FREE), machine), machine).steps["wait"]
    text = "\n".join(table(table_of(unit, machine), machine))
    assert max(map(len, text.splitlines())) <= 80
    for words in (
        f"raidtui grow tank --add {FREE.identity} --erase {FREE.identity}",
        "Not done:",
        "4 of 4 power cuts",
    ):
        assert words in text
    assert GROWER.shapes(unit, machine)[0].change == "today"


DUMPE2FS = "Block count:              262144\nBlock size:               4096\n"
XFS_INFO = """meta-data=/dev/md127             isize=512    agcount=4, agsize=16384 blks
data     =                       bsize=4096   blocks=65536, imaxpct=25
         =                       sunit=128    swidth=256 blks
log      =internal log           bsize=4096   blocks=1368, version=2
"""
BTRFS = "Label: 'tank'  uuid: aaaa\n\tTotal devices 1 FS bytes used 147456\n\tdevid    1 size 1073741824 used 5 path /dev/md127\n"


@pytest.mark.parametrize(
    ("kind", "stdout", "size"),
    [
        ("ext4", DUMPE2FS, 2**30),
        ("xfs", XFS_INFO, 2**28),
        ("btrfs", BTRFS, 2**30),
        ("LVM2_member", "  1069547520 4194304\n", 1069547520 + 4194304),
        ("ext4", "rubbish", 0),
        ("xfs", "data = nothing", 0),
        ("btrfs", "\tdevid 1 size ? used 5 path x\n", 0),
        ("LVM2_member", "", 0),
    ],
)
def test_the_size_of_a_filesystem_is_what_its_tool_says(kind: str, stdout: str, size: int) -> None:
    assert read_size(kind, "/dev/md127", lambda argv: ToolAnswer(returncode=0, stdout=stdout)) == size
    assert read_size(kind, "/dev/md127", lambda argv: ToolAnswer(returncode=1, stdout=stdout)) == 0


def test_a_growth_into_the_reserve_says_so_and_is_offered_last() -> None:
    """On small disks it is more than a hundredth; a build leaves it free for a slightly smaller replacement."""
    array = made("raid5", 3)
    machine = nas(array, FREE)
    small = tuple(with_a_reserve(one, 100 * MIB) for one in machine.disks[:3])
    least = msgspec.structs.replace(
        array, component_bytes=small[0].partitions[0].size_bytes - array.members[0].offset_bytes
    )
    machine = msgspec.structs.replace(machine, disks=(*small, machine.disks[3]), arrays=(least,))
    (unit,) = units_of(machine)
    last = table_of(unit, machine).rows[-1]
    assert last.shape.change == "larger members"
    assert last.shape.procedure is not None
    text = " ".join(" ".join(table(table_of(unit, machine), machine)).split())
    assert "takes only 79 MiB at the end of each disk, which a build leaves free" in text
    more = tuple(with_a_reserve(one, 300 * MIB) for one in machine.disks[:3])
    wide = msgspec.structs.replace(machine, disks=(*more, machine.disks[3]))
    assert not any(one.shape.reserve_bytes for one in table_of(unit, wide).rows)


def with_a_reserve(disk: Disk, reserve: int) -> Disk:
    """A disk of 2 GiB whose partition leaves ``reserve`` free."""
    part = msgspec.structs.replace(disk.partitions[0], size_bytes=2 * GIB - 2 * MIB - reserve)
    return msgspec.structs.replace(disk, size_bytes=2 * GIB, partition_table="gpt", partitions=(part,))


def test_the_hazards_of_a_disk_that_joins_stand_above_its_command() -> None:
    array = made("raid5", 3)
    machine = nas(array, msgspec.structs.replace(FREE, transport="usb"))
    (unit,) = units_of(machine)
    text = " ".join(" ".join(table(table_of(unit, machine), machine)).split())
    assert f"--erase {FREE.serial} if you accept this HIGH hazard, add --accept usb" in text
    assert "! HIGH usb: " in text
