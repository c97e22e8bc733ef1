"""Plans of volume groups: what is completed and refused, what is asked of LVM, and what takes a group away again."""

import shlex
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.lvm.conditions import (
    GROUP,
    GROUP_GONE,
    NAME_FREE,
    PHYSICAL_VOLUME,
    VOLUME_RUNS,
    VOLUMES_GONE,
    judge_device,
)
from raidtui.backends.lvm.names import check_name
from raidtui.backends.names import LONGEST_NAME
from raidtui.backends.registry import backend, builder
from raidtui.jobs.failures import disk_missing
from raidtui.jobs.progress import StepState
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Claim, ClaimKind, Disk, Mount, Signature, Weight
from raidtui.model.plan import Plan, Run, Undo
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import KIB
from raidtui.plan.build import make_plan
from raidtui.plan.script import as_script
from raidtui.plan.teardown import make_teardown
from tests.unit.lvm_machines import (
    FILES,
    GROUP_UUID,
    MARK,
    VOLUME,
    group,
    image,
    lvm_disk,
    lvm_machine,
    pv_uuid,
    reading,
)
from tests.unit.plan_machines import SEED, TANK, commands, disk, machine, plan, step, whole

LVM = msgspec.structs.replace(TANK, backend=Backend.LVM)
FORCES = {"-y", "--yes", "-f", "-ff", "--force", "-qy"}


def lvm_plan(**changes: Any) -> Plan:
    return plan(LVM, **changes)


def runs(made: Plan, program: str) -> list[tuple[str, ...]]:
    """Every command of a plan, undone and repaired ones too, that starts ``program``."""
    every = [a for s in made.steps for a in s.every_action]
    return [one.argv for one in every if isinstance(one, Run) and one.argv[0] == program]


# What a spec may say.


@pytest.mark.parametrize("name", ["tank", "a", "T-1.x_y+z", "x" * LONGEST_NAME, "nas2", "sdata", "mdadm"])
def test_these_names_are_taken(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "-tank", ".tank", "_tank", "tank/data", "ta nk", "tänk", "x" * (LONGEST_NAME + 1), "shm", "mapper", "fd", "disk", "md", "null", "pts", "sda", "sdb1", "xvdc", "nvme0n1", "dm-3", "md127", "12", "loop0", "tty1"],
)  # fmt: skip
def test_these_are_refused(name: str) -> None:
    with pytest.raises(BadInput):
        check_name(name)


@given(st.text(alphabet="abz059.-_+/ \n$", max_size=40))
def test_a_name_that_is_taken_is_one_word_of_a_shell_and_one_folder(name: str) -> None:
    try:
        check_name(name)
    except BadInput:
        return
    assert shlex.quote(name) == name or "+" in name
    assert "/" not in name
    assert name not in {".", ".."}
    assert not name.startswith("-")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"level": "raid7"}, "LVM has no level 'raid7'"),
        ({"spares": ("S-0004",)}, "'spares'"),
        ({"layout": "n2"}, "'layout'"),
        ({"metadata": "1.2"}, "'metadata'"),
        ({"consistency": "bitmap"}, "'consistency'"),
        ({"level": "raid1", "chunk": 64 * KIB}, "no stripe size"),
        ({"chunk": 96 * KIB}, "stripe size"),
        ({"level": "raid6"}, "at least 5 disks"),
        ({"name": "shm"}, "/dev/shm"),
    ],
)
def test_what_lvm_does_not_have_is_refused_in_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        lvm_plan(**changes)


@pytest.mark.parametrize("level", ["linear", "striped", "raid0", "raid1", "raid4", "raid5", "raid10"])
def test_completing_twice_changes_nothing(level: str) -> None:
    made = backend(Backend.LVM)
    once = made.defaults(msgspec.structs.replace(LVM, level=level))
    assert made.defaults(once) == once
    assert (once.chunk == 64 * KIB) is (level not in {"linear", "raid1"})
    assert once.partition is True


# What is asked of LVM.


@pytest.mark.parametrize("partition", [True, False])
def test_pvcreate_and_vgcreate_are_never_told_to_wipe_what_they_find(partition: bool) -> None:
    made = lvm_plan(partition=partition)
    for argv in (
        *runs(made, "pvcreate"),
        *runs(made, "vgcreate"),
        *runs(made, "vgremove"),
        *runs(made, "pvremove"),
    ):
        assert not FORCES & set(argv), argv
    asked = runs(made, "pvcreate")
    members = [f"{whole(n)}{'-part1' if partition else ''}" for n in (1, 2, 3)]
    assert [argv[-1] for argv in asked] == members * 3, "and by the repairs of a group whose metadata is torn"
    assert all("--dataalignment" in argv for argv in asked)


def test_every_uuid_that_reaches_a_disk_is_named_and_new() -> None:
    made = lvm_plan()
    uuids = dict.fromkeys(argv[argv.index("--uuid") + 1] for argv in runs(made, "pvcreate"))
    assert len(uuids) == 3
    assert made.uuids == (*uuids, made.filesystem_uuid)
    assert made.array_uuid not in made.uuids
    vgcreate, again = runs(made, "vgcreate")
    assert again == vgcreate, "by the repair of the volume"
    assert f"raidtui.{made.array_uuid}" in vgcreate


@pytest.mark.parametrize(
    ("level", "count", "words"),
    [
        ("linear", 3, ()),
        ("striped", 3, ("--stripes=3", "--stripesize=64k")),
        ("raid1", 3, ("--mirrors=2", "--regionsize=2m")),
        ("raid5", 4, ("--stripes=3", "--stripesize=64k", "--regionsize=2m")),
        ("raid6", 6, ("--stripes=4", "--stripesize=64k", "--regionsize=2m")),
        ("raid10", 6, ("--stripes=3", "--mirrors=1", "--stripesize=64k", "--regionsize=2m")),
    ],
)
def test_lvcreate_is_told_the_shape_and_the_group_before_its_disks(
    level: str, count: int, words: tuple[str, ...]
) -> None:
    made = lvm_plan(level=level, members=tuple(f"S-000{n}" for n in range(1, count + 1)))
    ((*options, group_name, _last),) = [argv[: -(count - 1)] for argv in commands(step(made, "volume"))]
    assert group_name == "tank"
    shape = tuple(w for w in options if w.partition("=")[0] in {"--stripes", "--mirrors", "--stripesize", "--regionsize"})  # fmt: skip
    assert shape == words
    assert step(made, "volume").after == (
        VOLUME_RUNS.of(made.array_uuid, f"{level} {count} {made.array_bytes}"),
    )


def test_mkfs_is_told_the_stripes_of_data() -> None:
    four = tuple(f"S-000{n}" for n in range(1, 5))
    told = {
        (level, kind): " ".join(commands(step(lvm_plan(level=level, members=four, filesystem=FilesystemSpec(type=kind)), "mkfs"))[0])
        for level in ("raid10", "raid5")
        for kind in ("ext4", "xfs", "btrfs")
    }  # fmt: skip
    assert "stride=16,stripe_width=32" in told["raid10", "ext4"]
    assert "-d su=65536,sw=2" in told["raid10", "xfs"]
    assert "stride=16,stripe_width=48" in told["raid5", "ext4"]
    assert "-d su=65536,sw=3" in told["raid5", "xfs"]
    assert not any("stride" in one or "su=" in one for key, one in told.items() if key[1] == "btrfs")


def test_what_cannot_be_undone_begins_with_the_physical_volumes() -> None:
    made = lvm_plan()
    assert [s.id for s in made.steps if s.undoable is Undo.IMPOSSIBLE] == ["physical-volumes"]
    assert step(made, "capsule").before[0] == NAME_FREE.of("/dev/tank")


# What is in the way.


def test_a_group_of_that_name_is_in_the_way_also_of_another_system() -> None:
    for found in (group(), group(system_id="nas-2"), group(exported=True)):
        with pytest.raises(BadInput, match="the name tank is used by a volume group"):
            make_plan(
                msgspec.structs.replace(LVM, members=("S-0003", "S-0004", "S-0005")),
                lvm_machine(reading(its=found), mounted=False),
                seed=SEED,
            )


def test_a_group_that_the_plan_erases_whole_is_not_in_the_way() -> None:
    here = lvm_machine(mounted=False)
    assert make_plan(LVM, here, seed=SEED).array_path == "/dev/tank/data"
    with pytest.raises(BadInput, match="used by a volume group"):
        make_plan(msgspec.structs.replace(LVM, members=("S-0002", "S-0003", "S-0004")), here, seed=SEED)


def test_a_disk_of_that_name_is_in_the_way() -> None:
    named = disk(6, name="tank", path="/dev/tank")
    with pytest.raises(BadInput, match="/dev/tank is a device of this computer"):
        plan(LVM, machine(disk(5), named))


def test_without_lvm_it_says_what_to_install() -> None:
    here = machine()
    del here.tools["lvm"]
    with pytest.raises(ToolMissing, match="apt-get install lvm2"):
        plan(LVM, here)


# Conditions, asked of a reading.


def holds(kind: Any, subject: str, expect: str = "", **changes: Any) -> bool:
    return bool(kind.judge(kind.of(subject, expect), reading(**changes).known).holds)


def test_a_group_is_known_by_its_uuid_and_by_the_mark_of_its_plan() -> None:
    for subject in (GROUP_UUID, MARK):
        assert holds(GROUP, subject, "tank 2")
        assert not holds(GROUP, subject, "tank 3")
        assert not holds(GROUP_GONE, subject)
    assert holds(GROUP_GONE, SEED)
    assert not holds(GROUP, MARK, "tank 2", paths=("/dev/sda1", ""))


def test_a_volume_runs_when_it_is_whole_active_and_as_large_as_calculated() -> None:
    expect = f"raid1 2 {VOLUME.size_bytes}"
    inactive = msgspec.structs.replace(VOLUME, attr="rwi---r---")
    rest = msgspec.structs.replace(image(0, ""), name="data_rmeta_0", hidden=False)
    assert holds(VOLUME_RUNS, MARK, expect)
    assert not holds(VOLUME_RUNS, MARK, f"raid1 2 {VOLUME.size_bytes - 1}")
    assert not holds(VOLUME_RUNS, MARK, expect, volumes=(inactive,))
    assert not holds(VOLUME_RUNS, MARK, expect, volumes=(VOLUME, rest))
    assert not holds(VOLUME_RUNS, MARK, expect, volumes=())
    assert not holds(VOLUME_RUNS, MARK, expect, paths=("/dev/sda1", ""))
    assert not holds(VOLUMES_GONE, MARK)


def test_a_device_is_the_physical_volume_only_while_it_is_in_no_group() -> None:
    device = reading().known.devices[0]
    free = msgspec.structs.replace(device, group="")
    check = PHYSICAL_VOLUME.of("/dev/sda1", pv_uuid(0).replace("-", ""))
    assert judge_device(check, free).holds
    torn = judge_device(check, msgspec.structs.replace(free, no_area=True))
    assert torn.fails
    assert "half made" in torn.text
    assert not judge_device(check, device).holds
    assert not judge_device(check, None).holds
    assert not judge_device(PHYSICAL_VOLUME.of("/dev/sda1", SEED), free).holds


# Taking it away.


def removal(word: str = "tank", where: Any = None) -> Plan:
    return make_teardown(word, where or lvm_machine(), seed=SEED)


@pytest.mark.parametrize("word", ["tank", GROUP_UUID, MARK, "/dev/tank/data"])
def test_a_group_is_removed_from_the_top_down(word: str) -> None:
    made = removal(word, lvm_machine(fstab=("UUID=aaaa-bbbb /srv/tank ext4 defaults 0 2",)))
    assert [s.id for s in made.steps] == [
        *(
            "unmount",
            "fstab",
            "clear",
            "volumes",
            "group",
            "physical-volumes",
            "table",
            "settle",
            "mountpoint",
        )
    ]
    assert (made.array_uuid, made.uuids) == (MARK, (pv_uuid(0), pv_uuid(1)))
    assert [one.identity for one in made.disks] == ["S-0001", "S-0002"]
    assert step(made, "clear").destroys == ("tank/data: ext4 'tank'",)
    for argv in (*runs(made, "vgremove"), *runs(made, "lvremove")):
        assert f'vg_uuid="{GROUP_UUID}"' in argv


def test_a_group_that_raidtui_did_not_build_is_known_by_its_uuid() -> None:
    assert removal(where=lvm_machine(reading(its=group(tags=())))).array_uuid == GROUP_UUID


@pytest.mark.parametrize(
    ("line", "its"),
    [
        ("/dev/mapper/tank-data /srv/tank ext4 defaults 0 2", True),
        ("/dev/tank/data /other ext4 defaults 0 2", True),
        ("LABEL=tank /srv/tank ext4 defaults 0 2", True),
        ("/dev/disk/by-uuid/AAAA-BBBB /srv/tank ext4 defaults 0 2", True),
        (
            f"/dev/disk/by-id/dm-uuid-LVM-{(GROUP_UUID + VOLUME.uuid).replace('-', '')} /x ext4 defaults 0 2",
            True,
        ),
        ("UUID=cccc-dddd /srv/tank ext4 defaults 0 2", False),
        ("/dev/mapper/tank-data2 /srv/tank ext4 defaults 0 2", False),
        ("LABEL=other /srv/tank ext4 defaults 0 2", False),
        ("# nothing", False),
    ],
)
def test_a_line_of_fstab_is_dropped_by_what_it_names(line: str, its: bool) -> None:
    assert any(s.id == "fstab" for s in removal(where=lvm_machine(fstab=(line,))).steps) is its


def test_with_a_disk_missing_it_is_forgotten_before_the_group_goes() -> None:
    down = msgspec.structs.replace(VOLUME, attr="rwi---r---", device_number="")
    found = reading(volumes=(down,), paths=("/dev/sda1", ""))
    made = removal(where=lvm_machine(found, lvm_disk(1), mounted=False))
    assert [argv[0] for argv in commands(step(made, "group"))] == ["vgreduce", "vgremove"]
    assert "clear" not in [s.id for s in made.steps]
    assert step(made, "volumes").destroys == ("tank/data: everything on it",)
    assert [one.identity for one in made.disks] == ["S-0001"]


def test_a_begun_build_whose_disk_died_says_that_a_teardown_removes_the_group() -> None:
    made = msgspec.structs.replace(lvm_plan(), array_uuid=MARK)
    states = {one.id: StepState.DONE for one in made.steps}
    dead = lvm_machine(reading(paths=("/dev/sda1", "")), lvm_disk(1))
    said = disk_missing(made, states, dead, "S-0002 is not there", capsule=None)
    assert "Without it: 'raidtui teardown tank' removes it from the other disks" in said
    others = lvm_machine(reading(its=group(missing=1, system_id="nas-2")), lvm_disk(1))
    assert "raidtui teardown" not in disk_missing(made, states, others, "S-0002 is not there", capsule=None)


def test_an_exported_group_is_imported_first() -> None:
    made = removal(where=lvm_machine(reading(its=group(exported=True)), mounted=False))
    assert [argv[0] for argv in commands(step(made, "volumes"))] == ["vgimport", "lvremove"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"system_id": "nas-2"}, "of another system, nas-2; remove it there"),
        ({"lock_type": "sanlock"}, "shared by a cluster through sanlock"),
    ],
)
def test_a_group_of_others_is_left_alone(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        removal(where=lvm_machine(reading(its=group(**changes)), mounted=False))


def test_a_group_of_the_system_on_more_than_disks_or_on_none_is_refused() -> None:
    system = Claim(
        what=ClaimKind.SYSTEM, weight=Weight.SYSTEM, device="/dev/sda1", detail="/", how_to_free=""
    )
    with pytest.raises(Refused, match="the running system is on"):
        removal(where=lvm_machine(reading(), lvm_disk(1, taken_by=(system,)), lvm_disk(2)))
    with pytest.raises(Refused, match="neither a disk nor a partition"):
        removal(where=lvm_machine(reading(paths=("/dev/md127", "/dev/sdb1"))))
    with pytest.raises(BadInput, match="no disk of the volume group tank is in this computer"):
        removal(where=lvm_machine(reading(paths=("", ""))))


def test_what_is_on_its_volume_and_on_another_disk_too_stays() -> None:
    files = msgspec.structs.replace(FILES, type="btrfs")
    found = msgspec.structs.replace(reading(), signatures={VOLUME.uuid: (files,)})
    other = disk(5, signatures=(msgspec.structs.replace(files, device="/dev/sde"),))
    with pytest.raises(Refused, match="is also on"):
        removal(where=lvm_machine(found, lvm_disk(1), lvm_disk(2), other))


def test_two_groups_of_one_name_are_told_apart_by_uuid() -> None:
    twice = reading()
    second = group(uuid="other-uuid", tags=())
    known = msgspec.structs.replace(twice.known, groups=(*twice.known.groups, second))
    here = lvm_machine(msgspec.structs.replace(twice, known=known))
    with pytest.raises(BadInput, match="several volume groups are called 'tank'"):
        removal(where=here)
    assert removal(GROUP_UUID, here).array_uuid == MARK


def test_mounts_on_top_of_each_other_are_all_unmounted_and_come_back_as_they_were() -> None:
    here = lvm_machine()
    (mount,) = here.mounts
    by_hand = Mount(
        source="/dev/tank/data", device="/dev/dm-4", target="/srv/tank/in", type="ext4", options="ro,relatime"
    )
    made = removal(where=msgspec.structs.replace(here, mounts=(mount, mount, by_hand)))
    first, second = step(made, "unmount"), step(made, "unmount-2")
    assert commands(first) == [("umount", "/srv/tank/in")]
    assert commands(second) == [("umount", "/srv/tank")] * 2
    assert [a.argv for a in first.undo if isinstance(a, Run)] == [
        ("mount", "-t", "ext4", "-o", "ro", "/dev/tank/data", "/srv/tank/in")
    ]


def test_a_word_that_means_no_group_is_left_to_the_others() -> None:
    assert builder(Backend.LVM).removal("other", lvm_machine()) is None
    assert builder(Backend.LVM).removal("tank", machine()) is None


def test_the_spec_of_a_group_is_lvms() -> None:
    assert lvm_plan().spec == backend(Backend.LVM).defaults(lvm_plan().spec)
    assert isinstance(lvm_plan().spec, Spec)


def test_a_group_with_two_physical_volumes_on_one_disk_is_removed_and_its_disk_is_listed_once() -> None:
    first = lvm_disk(1).partitions[0]
    second = msgspec.structs.replace(first, name="sda2", path="/dev/sda2", number=2)
    claims = tuple(
        Claim(what=ClaimKind.LVM, weight=Weight.BUSY, device=path, detail="in a group", how_to_free="")
        for path in ("/dev/sda1", "/dev/sda2")
    )
    both = lvm_disk(1, partitions=(first, second), taken_by=claims, free=False)
    made = removal(where=lvm_machine(reading(paths=("/dev/sda1", "/dev/sda2")), both))
    assert [(disk.identity, disk.shares) for disk in made.disks] == [("S-0001", ())]
    assert any(one.id == "table" for one in made.steps)


def test_a_group_is_not_removed_while_a_clone_of_one_of_its_disks_is_here() -> None:
    """LVM refuses to change it, and the clone would bring it back."""
    sign = Signature(device="/dev/sda1", offset=536, type="LVM2_member", uuid=pv_uuid(1))
    original = msgspec.structs.replace(lvm_disk(1), signatures=(sign,))
    clone = disk(4, signatures=(msgspec.structs.replace(sign, device="/dev/sdd"),))
    with pytest.raises(Refused, match="have the same physical volume of tank: disconnect"):
        removal(where=lvm_machine(reading(), original, lvm_disk(2), lvm_disk(3), clone))


USB = "usb-WD_Elements_25A3_575832-0:0"


def usb_disk(number: int, *more: str) -> Disk:
    """A disk with a by-id name as udev gives USB disks: it ends in ``-HOST:LUN``."""
    return disk(number, by_id=(f"{USB}{number}", *more))


def test_lvm_gets_no_name_with_a_colon() -> None:
    made = lvm_plan(where=machine(*(usb_disk(number) for number in (1, 2, 3))))
    for one in made.steps:
        for argv in commands(one):
            if argv[0] in {"pvcreate", "vgcreate", "lvcreate", "pvremove"}:
                assert not [word for word in argv if ":" in word], argv
    names = [word for word in runs(made, "lvcreate")[0] if word.startswith("/dev/")]
    assert all(name.startswith("/dev/disk/by-partuuid/") for name in names)
    # The links of exactly the partitions that the plan writes.
    tables = "\n".join(a.input for a in step(made, "partition").actions if isinstance(a, Run))
    assert all(f"uuid={name.rpartition('/')[2]}" in tables for name in names)
    assert {check.subject for check in step(made, "settle-partitions").after} == set(names)


def test_a_name_without_a_colon_comes_first_for_every_backend() -> None:
    made = lvm_plan(where=machine(*(usb_disk(n, f"wwn-0x5000c5000000000{n}") for n in (1, 2, 3))))
    assert [one.path for one in made.disks] == [whole(number) for number in (1, 2, 3)]


def test_a_whole_disk_with_no_name_but_one_with_a_colon_is_refused() -> None:
    with pytest.raises(
        BadInput, match=r"no lasting name but .*0:01, in which LVM reads the colon .* partition = true"
    ):
        lvm_plan(where=machine(usb_disk(1)), partition=False, reserve=None)


def test_a_script_waits_for_a_link_that_udev_is_about_to_make_again() -> None:
    lines = as_script(lvm_plan()).splitlines()
    begin = lines.index("step=group")
    end = lines.index("step=volume")
    text = "\n".join(lines[begin:end])
    for number in (1, 2, 3):
        assert f"must is_there {whole(number)}-part1" in text
    names = " ".join(f"{whole(number)}-part1" for number in (1, 2, 3))
    assert f'for name in {names}; do [ -b "$name" ] || exit 111; done\nvgcreate ' in text
    assert '[ "$code" -eq 111 ] && [ "$tries" -gt 0 ] || break' in text
