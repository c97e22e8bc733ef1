"""Plans of Btrfs: what is completed and refused, what mkfs.btrfs is asked, and what takes a filesystem away again."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.backends.btrfs.conditions import MEMBER, judge
from raidtui.backends.btrfs.superblock import parse
from raidtui.backends.registry import backend, builder
from raidtui.model.errors import BadInput, CannotBuild, Refused, ToolMissing
from raidtui.model.machine import Array, Claim, ClaimKind, Mount, Signature, Weight
from raidtui.model.plan import DropLine, EnsureLine, Plan, Role, Run, Severity, Undo
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import GIB, KIB
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from tests.unit.btrfs_machines import UUID, btrfs_disk, btrfs_machine, device, filesystem, missing
from tests.unit.plan_machines import SEED, TANK, commands, disk, machine, plan, step, whole

TANK_BTRFS = msgspec.structs.replace(TANK, backend=Backend.BTRFS, level="raid1", filesystem=FilesystemSpec())
FOUR = ("S-0001", "S-0002", "S-0003", "S-0004")
BLOCK = Path(__file__).parent / "data" / "btrfs" / "superblock.bin"


def btrfs_plan(**changes: Any) -> Plan:
    return plan(TANK_BTRFS, **changes)


def mkfs(made: Plan) -> tuple[str, ...]:
    (argv,) = commands(step(made, "mkfs"))
    return argv


# What a spec may say.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"level": "raid7"}, "Btrfs has no level 'raid7'"),
        ({"spares": ("S-0004",)}, "'spares'"),
        ({"layout": "n2"}, "'layout'"),
        ({"chunk": 64 * KIB}, "'chunk'"),
        ({"consistency": "bitmap"}, "'consistency'"),
        ({"metadata": "raid5"}, "Btrfs metadata cannot be 'raid5'"),
        ({"metadata": "1.2"}, "Btrfs metadata cannot be '1.2'"),
        ({"filesystem": FilesystemSpec(type="ext4")}, "no ext4 can be made on it"),
        ({"filesystem": FilesystemSpec(label="other")}, "label of a btrfs filesystem is its name, tank"),
        ({"name": "a/b"}, "'a/b' cannot be the name of a filesystem"),
        ({"name": "md127"}, "looks like a device number"),
        ({"name": "t" * 33}, "the name of a filesystem has at most 32"),
    ],
)
def test_what_btrfs_does_not_have_is_refused_in_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        btrfs_plan(**changes)


@pytest.mark.parametrize(
    ("level", "least"),
    [("single", 2), ("raid0", 2), ("raid1", 2), ("raid1c3", 3), ("raid1c4", 4), ("raid10", 2), ("raid5", 2), ("raid6", 3)],
)  # fmt: skip
def test_each_level_takes_its_least_number_of_disks_and_no_fewer(level: str, least: int) -> None:
    assert btrfs_plan(level=level, members=FOUR[:least]).spec.level == level
    with pytest.raises(CannotBuild, match=rf"at least {least} disks"):
        btrfs_plan(level=level, members=FOUR[: least - 1])


def test_a_raid10_of_two_disks_needs_a_mkfs_that_makes_it() -> None:
    old = machine()
    old.tools["mkfs.btrfs"] = "5.10.1"
    with pytest.raises(CannotBuild, match=r"btrfs-progs 5.10.1 takes at least 4 disks for RAID10, not 2"):
        btrfs_plan(where=old, level="raid10", members=FOUR[:2])


def test_metadata_that_takes_more_disks_than_there_are_is_named() -> None:
    with pytest.raises(CannotBuild, match="metadata raid1c4 takes at least 4 disks, not 3"):
        btrfs_plan(level="raid1", metadata="raid1c4", members=FOUR[:3])


@pytest.mark.parametrize(
    ("level", "metadata", "sure"),
    [
        ("single", "raid1", 0), ("raid0", "raid1", 0), ("raid1", "raid1", 1), ("raid10", "raid1", 1),
        ("raid5", "raid1", 1), ("raid6", "raid1c3", 2), ("raid1c3", "raid1c3", 2), ("raid1c4", "raid1c4", 3),
    ],
)  # fmt: skip
def test_metadata_survive_as_many_disks_as_data_unless_another_profile_is_chosen(
    level: str, metadata: str, sure: int
) -> None:
    made = btrfs_plan(level=level, members=FOUR)
    assert made.spec.metadata == metadata
    argv = mkfs(made)
    assert argv[argv.index("--data") + 1 : argv.index("--data") + 4] == (level, "--metadata", metadata)
    assert backend(Backend.BTRFS).defaults(made.spec) == made.spec
    facts = backend(Backend.BTRFS).facts
    from raidtui.backends.facts import Options

    assert facts(level, [GIB] * 4, Options()).survival.guaranteed == sure
    assert facts(level, [GIB] * 4, Options(metadata="raid1")).survival.guaranteed == min(sure, 1)


@pytest.mark.parametrize("level", ["raid5", "raid6"])
def test_parity_is_a_high_hazard_with_its_reason(level: str) -> None:
    (found,) = [one for one in btrfs_plan(level=level, members=FOUR).hazards if one.id == "btrfs-parity"]
    assert found.severity is Severity.HIGH
    assert "After a power cut data and parity may differ" in found.meaning


def test_metadata_that_survive_less_than_data_is_a_hazard() -> None:
    weak = btrfs_plan(level="raid1c3", metadata="raid1")
    (found,) = [one for one in weak.hazards if one.id == "btrfs-metadata"]
    assert found.severity is Severity.WARN
    assert "raid1c3" in found.advice
    assert not [one for one in btrfs_plan(metadata="raid1c3").hazards if one.id == "btrfs-metadata"]


def test_it_needs_btrfs_progs_and_no_other_mkfs() -> None:
    for tool in ("mkfs.btrfs", "btrfs"):
        bare = machine()
        del bare.tools[tool]
        with pytest.raises(ToolMissing, match="btrfs-progs"):
            btrfs_plan(where=bare)


def test_another_filesystem_with_the_name_is_in_the_way_unless_it_is_erased() -> None:
    there = btrfs_machine(mounts=(), found=filesystem(mounted=False))
    with pytest.raises(BadInput, match="has the label tank"):
        btrfs_plan(where=there, members=("S-0003", "S-0004"))
    assert btrfs_plan(where=there, members=("S-0001", "S-0002", "S-0003")).spec.name == "tank"


# What is done.


def test_mkfs_is_not_forced_and_its_uuid_is_chosen_before() -> None:
    made = btrfs_plan()
    members = tuple(f"{whole(n)}-part1" for n in (1, 2, 3))
    assert mkfs(made) == (
        *("mkfs.btrfs", "--quiet", "--uuid", made.array_uuid, "--label", "tank"),
        *("--data", "raid1", "--metadata", "raid1", *members),
    )
    assert made.array_uuid == made.filesystem_uuid
    assert made.uuids == (made.array_uuid,)
    assert made.array_path == f"/dev/disk/by-uuid/{made.array_uuid}"
    assert plan(TANK_BTRFS).fingerprint == made.fingerprint
    other = make_plan(TANK_BTRFS, machine(), seed="22222222-2222-4333-8444-555555555555")
    assert other.array_uuid != made.array_uuid


def test_an_interrupted_mkfs_is_erased_on_every_member_before_it_is_done_again() -> None:
    made = step(btrfs_plan(), "mkfs")
    assert made.undoable is Undo.IMPOSSIBLE
    assert made.role is Role.FORMAT
    assert made.repair == made.undo
    for number in (1, 2, 3):
        member = f"{whole(number)}-part1"
        done = [run.argv for run in made.repair if isinstance(run, Run) and member in " ".join(run.argv)]
        assert done[0] == ("btrfs", "device", "scan", "--forget", member)
        assert done[1] == ("wipefs", "--all", member)
        assert [argv[5] for argv in done[2:]] == ["seek=0", "seek=67108864"]
    forget = made.repair[0]
    assert isinstance(forget, Run)
    assert forget.ok == (0, 1)  # of a device that the kernel does not know
    assert [check.expect for check in made.after] == [f"{btrfs_plan().array_uuid} 3"] * 3


def test_the_copy_at_256_gib_is_erased_where_there_is_one() -> None:
    large = [disk(n, size_bytes=300 * GIB) for n in (1, 2, 3)]
    made = step(btrfs_plan(where=machine(*large)), "mkfs")
    places = {word for run in made.undo if isinstance(run, Run) for word in run.argv if "seek=" in word}
    assert places == {"seek=0", "seek=67108864", f"seek={256 * GIB}"}


def test_it_is_mounted_by_uuid_with_every_member_scanned_and_never_degraded() -> None:
    made = btrfs_plan()
    (line,) = [one for one in step(made, "fstab").actions if isinstance(one, EnsureLine)]
    assert line.line == (
        f"UUID={made.array_uuid} /srv/tank btrfs defaults,nofail,x-systemd.device-timeout=120s 0 0"
    )
    members = [f"{whole(n)}-part1" for n in (1, 2, 3)]
    assert commands(step(made, "mount")) == [("btrfs", "device", "scan", *members), ("mount", "/srv/tank")]
    assert made.probe is not None
    assert made.probe.first == (Run(argv=("btrfs", "device", "scan", *members)),)
    every = [run.argv for one in made.steps for run in one.actions if isinstance(run, Run)]
    assert not any("degraded" in word for argv in every for word in argv)


def test_whole_disks_are_members_without_a_table() -> None:
    made = btrfs_plan(partition=False)
    assert mkfs(made)[-3:] == (whole(1), whole(2), whole(3))
    assert "partition" not in [one.id for one in made.steps]


def test_the_boot_note_says_what_a_missing_disk_does() -> None:
    note = builder(Backend.BTRFS).boot_note(btrfs_plan().spec, machine().system)
    assert "With a disk missing it is not mounted" in note


# What a device must be.


@pytest.mark.parametrize(
    ("expect", "holds"),
    [
        (f"{UUID} 3", True),
        (f"{UUID.upper()} 3", True),
        (f"{UUID} 2", False),
        ("1" * 8 + UUID[8:-1] + "6 3", False),
    ],
)
def test_a_member_has_the_superblock_of_its_filesystem(expect: str, holds: bool) -> None:
    answer = judge(MEMBER.of("/dev/sda1", expect), parse(BLOCK.read_bytes()))
    assert answer.holds is holds
    assert not judge(MEMBER.of("/dev/sda1", expect), None).holds


def test_what_is_not_there_is_no_member() -> None:
    answer = MEMBER.ask(MEMBER.of("/dev/nothing-there", f"{UUID} 3"), lambda _: False)
    assert (answer.holds, answer.text) == (False, "there is no /dev/nothing-there")


# Removal.


def teardown(where: Any, word: str = "tank") -> Plan:
    return make_teardown(word, where, seed=SEED)


@pytest.mark.parametrize("word", ["tank", UUID, UUID.upper(), "/srv/tank", "/srv/tank/", "/dev/sda1"])
def test_it_is_removed_by_its_label_its_uuid_and_where_it_is_mounted(word: str) -> None:
    made = teardown(btrfs_machine(), word)
    assert [one.id for one in made.steps] == ["unmount", "clear", "table", "settle", "mountpoint"]
    assert [one.identity for one in made.disks] == ["S-0001", "S-0002"]
    assert made.array_uuid == UUID


def test_every_superblock_of_every_member_is_erased() -> None:
    clear = step(teardown(btrfs_machine()), "clear")
    assert clear.undoable is Undo.IMPOSSIBLE
    assert [argv[:2] for argv in commands(clear)] == [
        ("btrfs", "device"), ("wipefs", "--all"), ("dd", "if=/dev/zero"), ("dd", "if=/dev/zero"),
    ] * 2  # fmt: skip
    assert clear.holds == (whole(1), whole(2))
    assert len(clear.destroys) == 2


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        (f"UUID={UUID} /srv/tank btrfs nofail 0 0", True),
        (f'UUID="{UUID.upper()}" /srv/photos btrfs subvol=photos 0 0', True),
        (f"/dev/disk/by-uuid/{UUID} /srv/tank btrfs defaults 0 0", True),
        ("LABEL=tank /srv/tank btrfs defaults 0 0", True),
        ("/dev/disk/by-label/tank /x btrfs defaults 0 0", True),
        ("/dev/sdb1 /x btrfs defaults 0 0", True),
        ("PARTUUID=aaaaaaaa-0000-0000-0000-000000000002 /x btrfs defaults 0 0", True),
        ("PARTUUID=aaaaaaaa-0000-0000-0000-000000000003 /x btrfs defaults 0 0", False),
        ("UUID=99999999-2222-3333-4444-555555555555 /srv/tank btrfs defaults 0 0", False),
        ("LABEL=other /srv/tank btrfs defaults 0 0", False),
        ("UUID= /srv/tank btrfs", False),
        ("tank", False),
    ],
)
def test_lines_of_fstab_that_mount_it_go(line: str, gone: bool) -> None:
    made = teardown(btrfs_machine(fstab=(line,)))
    dropped = [one.line for one_step in made.steps for one in one_step.actions if isinstance(one, DropLine)]
    assert dropped == ([line] if gone else [])


def test_a_label_that_something_else_has_means_it_only_where_it_is_mounted() -> None:
    other = disk(
        5, signatures=(Signature(device="/dev/sde", offset=1080, type="ext4", label="tank", uuid="u"),)
    )
    lines = ("LABEL=tank /srv/tank btrfs", "LABEL=tank /elsewhere ext4")
    made = teardown(btrfs_machine(None, btrfs_disk(1), btrfs_disk(2), other, fstab=lines))
    assert [one.line for one in step(made, "fstab").actions if isinstance(one, DropLine)] == [lines[0]]


def test_mounts_of_subvolumes_go_first_and_can_come_back() -> None:
    mounts = tuple(
        Mount(source="/dev/sda1", target=target, type="btrfs", options="rw")
        for target in ("/srv/tank", "/srv/tank/a")
    )
    made = teardown(btrfs_machine(mounts=mounts))
    assert [commands(one)[0] for one in made.steps[:2]] == [
        ("umount", "/srv/tank/a"),
        ("umount", "/srv/tank"),
    ]
    assert made.steps[0].undo == (Run(argv=("mount", "-t", "btrfs", "-o", "rw", "/dev/sda1", "/srv/tank/a")),)


def test_one_that_is_only_half_here_is_left_alone() -> None:
    half = btrfs_machine(filesystem(device(1), missing(2), mounted=False), btrfs_disk(1))
    with pytest.raises(Refused, match=r"incomplete here \(1 of 2 disks missing \(devid 2\), not mounted\)"):
        teardown(half)
    degraded = btrfs_machine(filesystem(device(1), missing(2)), btrfs_disk(1))
    assert [one.identity for one in teardown(degraded).disks] == ["S-0001"]


def test_the_running_system_and_what_is_on_no_disk_are_refused() -> None:
    system = Claim(
        what=ClaimKind.SYSTEM, weight=Weight.SYSTEM, device="/dev/sda1", detail="/", how_to_free="x"
    )
    with pytest.raises(Refused, match="the running system is on S-0001"):
        teardown(btrfs_machine(None, btrfs_disk(1, taken_by=(system,)), btrfs_disk(2)))
    on_array = filesystem(device(1), device(2, path="/dev/md127"))
    with pytest.raises(Refused, match="/dev/md127, a member of the Btrfs filesystem tank, is neither a disk"):
        teardown(btrfs_machine(on_array))


def test_two_of_one_name_are_told_apart_by_uuid() -> None:
    there = btrfs_machine()
    other = msgspec.structs.replace(filesystem(device(3), device(4)), uuid="9" + UUID[1:])
    both = (*there.readings["btrfs"]["filesystems"], msgspec.to_builtins(other))
    there.readings["btrfs"]["filesystems"] = both
    with pytest.raises(BadInput, match=f"several Btrfs filesystems are called 'tank'.*{UUID}"):
        teardown(there)
    assert teardown(there, UUID).array_uuid == UUID


def test_a_word_that_means_no_filesystem_is_left_to_others() -> None:
    there = builder(Backend.BTRFS)
    assert there.removal("other", btrfs_machine()) is None
    assert there.removal("tank", machine(arrays=(Array(name="tank", node="/dev/md0"),))) is None


def test_a_partition_with_others_beside_it_keeps_its_table() -> None:
    first = btrfs_disk(1)
    more = msgspec.structs.replace(
        first.partitions[0], number=2, path="/dev/sda2", name="sda2", signatures=()
    )
    there = btrfs_machine(
        None, msgspec.structs.replace(first, partitions=(*first.partitions, more)), btrfs_disk(2)
    )
    made = teardown(there)
    assert [argv[-1] for argv in commands(step(made, "table"))] == [whole(2)] * 2
    assert [check.subject for check in step(made, "settle").after] == [f"{whole(1)}-part1", whole(2)]


def test_a_spec_of_a_teardown_describes_what_was_there() -> None:
    spec = teardown(btrfs_machine()).spec
    assert spec == Spec(
        name="tank",
        backend=Backend.BTRFS,
        level="raid1",
        members=("S-0001", "S-0002"),
        metadata="raid1",
        partition=True,
        filesystem=FilesystemSpec(type="btrfs", label="tank", mountpoint="/srv/tank"),
    )
