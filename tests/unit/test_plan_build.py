"""The steps of a build: in this order, with these commands, each checked and each with its way back."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends import resolve
from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.md.levels import LEVELS
from raidtui.backends.md.names import md_spelling
from raidtui.backends.registry import backend
from raidtui.backends.specfile import read_spec, write_spec
from raidtui.model.errors import BadInput
from raidtui.model.machine import ClaimKind, Disk, Partition, Signature, Weight
from raidtui.model.plan import DropLine, EnsureLine, Plan, Run, Undo
from raidtui.model.spec import Backend, FilesystemSpec
from raidtui.model.struct import from_json, to_json
from raidtui.model.units import GIB, KIB, MIB
from raidtui.model.uuids import bare
from raidtui.plan.build import make_plan
from raidtui.steps.devices import BLANK
from raidtui.steps.filesystems import GEOMETRY
from raidtui.steps.fstab import fields_of
from raidtui.steps.initramfs import INITRAMFS_HAS
from raidtui.steps.mkfs import Stripes, expected_geometry
from raidtui.steps.seeds import derive
from tests.unit.changed_parts import change_part
from tests.unit.plan_machines import SEED, TANK, commands, disk, machine, plan, step, taken, whole

XFS = FilesystemSpec(type="xfs")
NONE = FilesystemSpec()


def create_command(**changes: Any) -> tuple[str, ...]:
    """mdadm's argument list."""
    return commands(step(plan(**changes), "create"))[-1]


def test_the_steps_come_in_an_order_that_keeps_every_promise() -> None:
    assert [one.id for one in plan(where=machine(initramfs="update-initramfs")).steps] == [
        "mountpoint",
        "capsule",
        "wipe",
        "partition",
        "settle-partitions",
        "create",
        "settle-array",
        "clear",
        "mkfs",
        "settle-filesystem",
        "conf",
        "initramfs",
        "fstab",
        "mount",
    ]


def test_a_plan_says_how_to_stop_the_array_if_udev_assembles_it_while_no_job_runs() -> None:
    made = plan()
    ((word, option, script, *rest),) = (run.argv for run in made.release)
    assert (word, option, rest) == ("sh", "-c", ["release-members", md_spelling(made.array_uuid)])
    assert "mdadm" in script


@pytest.mark.parametrize("name", [Backend.MDADM, Backend.LVM, Backend.BTRFS])
def test_a_spec_is_resolved_once_for_its_whole_plan(name: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    known, counted = backend(name), Counter[str]()

    def counting(owner: object, method: str) -> Callable[..., Any]:
        real = getattr(owner, method)

        def count(*args: Any, **more: Any) -> Any:
            counted[method] += 1
            return real(*args, **more)

        return count

    monkeypatch.setattr(resolve, "pieces_of", counting(resolve, "pieces_of"))
    changes = {method: counting(known, method) for method in ("defaults", "facts")}
    change_part(monkeypatch, name, "backend.BACKEND", **changes)
    made = plan(backend=name, level="raid1", filesystem=NONE)
    assert made.hazards, "they are looked for in what was resolved"
    assert counted == {"pieces_of": 1, "defaults": 1, "facts": 1}


def test_a_bare_array_of_whole_disks_has_fewer_steps() -> None:
    made = plan(partition=False, filesystem=NONE)
    assert [one.id for one in made.steps] == [
        "capsule",
        "wipe",
        "create",
        "settle-array",
        "clear",
        "conf",
    ]
    assert create_command(partition=False, filesystem=NONE)[-3:] == (whole(1), whole(2), whole(3))


def test_every_step_says_what_it_does_why_and_how_it_is_taken_back() -> None:
    for level in LEVELS:
        made = plan(level=level, members=("S-0001", "S-0002", "S-0003", "S-0004"))
        assert len({one.id for one in made.steps}) == len(made.steps)
        for one in made.steps:
            assert one.title
            assert one.reason.endswith((".", "gone"))
            assert bool(one.undo) == (one.undoable is not Undo.NOTHING), one.id
            assert one.undo_note or one.undoable is Undo.NOTHING
            assert one.after or one.id == "capsule"


@pytest.mark.parametrize(("level", "called"), [("raid5", "RAID5"), ("linear", "linear")])
def test_a_level_is_written_as_on_every_screen(level: str, called: str) -> None:
    assert step(plan(level=level), "create").title.startswith(f"Create the {called} array tank from ")


def test_mdadm_is_told_everything() -> None:
    made = plan(spares=("S-0004",))
    assert commands(step(made, "create"))[-1] == (
        "mdadm",
        "--create",
        "/dev/md/tank",
        "--run",
        "--name=tank",
        "--homehost=nas",
        "--metadata=1.2",
        f"--uuid={md_spelling(made.array_uuid)}",
        "--level=raid5",
        "--raid-devices=3",
        "--spare-devices=1",
        "--layout=left-symmetric",
        "--chunk=512K",
        "--bitmap=internal",
        f"{whole(1)}-part1",
        f"{whole(2)}-part1",
        f"{whole(3)}-part1",
        f"{whole(4)}-part1",
    )


@pytest.mark.parametrize(
    ("changes", "there", "absent"),
    [
        ({"level": "raid1"}, ["--level=raid1", "--bitmap=internal"], ["--chunk", "--layout", "--spare-devices"]),
        ({"level": "raid0"}, ["--chunk=512K"], ["--bitmap", "--layout", "--consistency-policy"]),
        ({"level": "linear"}, ["--level=linear"], ["--bitmap", "--chunk", "--layout"]),
        ({"level": "raid4"}, ["--chunk=512K", "--bitmap=internal"], ["--layout"]),
        ({"level": "raid10", "layout": "f2"}, ["--layout=f2"], []),
        ({"consistency": "resync"}, ["--bitmap=none"], ["--consistency-policy"]),
        ({"consistency": "ppl"}, ["--consistency-policy=ppl"], ["--bitmap"]),
        ({"metadata": "1.0", "chunk": 64 * KIB}, ["--metadata=1.0", "--chunk=64K"], []),
    ],
    ids=str,
)  # fmt: skip
def test_each_level_gets_the_options_that_it_has(
    changes: dict[str, Any], there: list[str], absent: list[str]
) -> None:
    words = create_command(**changes)
    assert set(there) <= set(words)
    assert not [word for word in words for option in absent if word.startswith(option)]


def test_nothing_is_ever_forced() -> None:
    for level in LEVELS:
        made = plan(level=level, members=("S-0001", "S-0002", "S-0003", "S-0004"))
        for one in made.steps:
            for action in (*one.actions, *one.undo, *one.repair):
                if isinstance(action, Run) and action.argv[0] in {"mdadm", "wipefs", "umount"}:
                    assert not {"--force", "-f", "-af", "--assume-clean"} & set(action.argv)


def test_commands_name_disks_by_identity_and_never_by_letter() -> None:
    text = to_json(plan().steps)
    assert "/dev/sd" not in text


def test_where_udev_made_no_names_the_kernels_are_used() -> None:
    bare_disk = disk(1, by_id=(), name="nvme0n1", path="/dev/nvme0n1", serial="S-0001")
    words = commands(step(plan(where=machine(bare_disk, disk(1, serial="OLD"))), "create"))[-1]
    assert "/dev/nvme0n1p1" in words


def test_without_udev_nothing_waits_for_it() -> None:
    assert not any(
        "udevadm" in words for one in plan(where=machine(udev=False)).steps for words in commands(one)
    )


def test_a_host_name_that_leaves_no_room_for_the_array_is_replaced() -> None:
    long = machine(hostname="a-very-long-host-name.example.org")
    assert "--homehost=any" in commands(step(plan(where=long), "create"))[-1]
    assert "does not fit" in step(plan(where=long), "create").reason
    fits = machine(hostname="h" * (31 - len(":tank")))
    assert f"--homehost={fits.system.hostname}" in commands(step(plan(where=fits), "create"))[-1]


def test_the_partition_is_aligned_of_the_right_type_and_leaves_the_reserve() -> None:
    made = plan()
    (table,) = [
        a for a in step(made, "partition").actions if isinstance(a, Run) and whole(1) in a.argv and a.input
    ]
    start, size = (int(word) for word in step(made, "partition").after[0].expect.split())
    assert start == MIB
    assert (start + size) % MIB == 0
    assert 10_000_000_000 - (start + size) >= 100 * MIB
    assert f"start=2048, size={size // 512}, type=a19d880f-05fc-4d3b-a006-743f0f84911e" in table.input
    assert f'uuid={derive(SEED, "partition", "S-0001")}, name="tank-0"' in table.input
    assert f"label-id: {derive(SEED, 'table', 'S-0001')}" in table.input


def test_a_slice_is_the_same_beginning_of_every_disk() -> None:
    unequal = machine(disk(1), disk(2, size_bytes=30_000_000_000), disk(3))
    made = plan(where=unequal, slice=2 * GIB + 5)
    assert {check.expect for check in step(made, "partition").after} == {f"{MIB} {2 * GIB}"}


def test_an_array_that_need_not_come_back_leaves_nothing_in_the_system() -> None:
    made = plan(where=machine(initramfs="update-initramfs", systemd=True), persistent=False)
    assert {"conf", "initramfs", "fstab"}.isdisjoint(one.id for one in made.steps)
    (mount,) = commands(step(made, "mount"))
    assert mount == ("mount", "-t", "ext4", f"UUID={made.filesystem_uuid}", "/srv/tank")


def test_on_disks_of_large_sectors_partitions_are_counted_in_those() -> None:
    large = machine(*(disk(n, logical_sector_bytes=4096, size_bytes=40_960_000_000) for n in (1, 2, 3)))
    (table,) = [
        a
        for a in step(plan(where=large), "partition").actions
        if isinstance(a, Run) and whole(1) in a.argv and a.input
    ]
    assert "start=256, " in table.input


def test_old_partitions_go_before_the_disk_and_the_last_one_first() -> None:
    parts = tuple(
        Partition(name=f"sda{n}", path=f"/dev/sda{n}", number=n, start_bytes=n * GIB, size_bytes=GIB)
        for n in (1, 2, 5)
    )
    wiped = [
        words[-1]
        for words in commands(step(plan(where=machine(disk(1, partitions=parts))), "wipe"))
        if words[0] == "wipefs"
    ]
    assert wiped[:4] == [f"{whole(1)}-part5", f"{whole(1)}-part2", f"{whole(1)}-part1", whole(1)]


def zeroed(made: Plan, device: str, id: str = "wipe") -> list[tuple[int, int]]:  # noqa: A002
    """Offset and length of what a step zeroes on a device."""
    found = []
    for words in commands(step(made, id)):
        if words[0] == "dd" and f"of={device}" in words:
            values = dict(word.split("=", 1) for word in words if "=" in word)
            assert values["conv"] == "notrunc,fsync"
            found.append((int(values["seek"]), int(values["bs"])))
    return found


def test_both_ends_of_the_disk_and_of_the_member_are_zeroed() -> None:
    made = plan()
    start, size = (int(word) for word in step(made, "partition").after[0].expect.split())
    assert zeroed(made, whole(1)) == [
        (0, 2 * MIB),
        (start + size - MIB, MIB),
        (10_000_000_000 - MIB, MIB),
    ]
    assert zeroed(plan(partition=False), whole(1)) == [(0, MIB), (10_000_000_000 - MIB, MIB)]


def test_copies_of_the_superblock_of_a_btrfs_are_zeroed_too() -> None:
    """By one of them the disk would be known as a Btrfs again, once the array is removed."""
    files = Signature(device="/dev/sda", offset=65600, type="btrfs", uuid="aaaa")
    whole_disk = disk(1, signatures=(files,))
    part = Partition(
        name="sda1", path="/dev/sda1", number=1, start_bytes=GIB, size_bytes=GIB, signatures=(files,)
    )
    for one, places in ((whole_disk, [64 * MIB]), (disk(1, partitions=(part,)), [GIB + 64 * MIB])):
        found = zeroed(plan(where=machine(one)), whole(1))
        assert [(at, size) for at, size in found if size == 4096] == [(place, 4096) for place in places]


@given(st.integers(min_value=300 * MIB, max_value=20 * GIB), st.integers(min_value=0, max_value=2 * MIB))
def test_zeroing_stays_on_the_disk_and_touches_no_byte_twice(size: int, reserve: int) -> None:
    size -= size % 512
    made = plan(
        where=machine(*(disk(n, size_bytes=size) for n in (1, 2, 3))), reserve=reserve, filesystem=NONE
    )
    end = 0
    for offset, length in zeroed(made, whole(1)):
        assert offset >= end
        assert offset % 512 == length % 512 == 0
        end = offset + length
    assert end == size


def test_old_data_cannot_shine_through_where_the_array_begins() -> None:
    made = plan()
    offset = md_geometry("raid5", [9_893_314_560] * 3, chunk=512 * KIB).data_offset_bytes
    assert [zeroed(made, f"{whole(n)}-part1", "create") for n in (1, 2, 3)] == [[(offset, MIB)]] * 3
    assert zeroed(plan(metadata="1.0"), f"{whole(1)}-part1", "create") == []
    assert step(made, "clear").after == (BLANK.of("/dev/md/tank"),)


def test_disks_are_locked_exactly_while_their_superblocks_and_tables_change() -> None:
    made = plan()
    locked = {one.id for one in made.steps if one.holds}
    assert locked == {"wipe", "partition", "create"}
    assert all(one.holds == (whole(1), whole(2), whole(3)) for one in made.steps if one.holds)
    waiting = [one for one in made.steps if any(words[0] == "udevadm" for words in commands(one))]
    assert waiting
    assert not any(one.holds for one in waiting)


def test_what_is_lost_is_told_disk_by_disk() -> None:
    photos = taken(2, Weight.DATA, ClaimKind.FILESYSTEM, "ext4 'photos\x1b[2J'")
    lost = step(plan(where=machine(photos)), "wipe").destroys
    assert lost[0] == "S-0001 (Example 10 GB, 10.0 GB (9.31 GiB)): nothing of a known format is on it"
    assert lost[1].endswith(": ext4 'photos?[2J'")


def test_a_plan_remembers_each_disk_as_it_was() -> None:
    signature = Signature(device="/dev/sda1", offset=1080, type="ext4", uuid="u-1")
    part = Partition(
        name="sda1", path="/dev/sda1", number=1, start_bytes=MIB, size_bytes=GIB, signatures=(signature,)
    )
    table = Signature(device="/dev/sda", offset=512, type="gpt", uuid="u-0")
    was = plan(where=machine(disk(1, partitions=(part,), signatures=(table,))), spares=("S-0004",)).disks
    assert was[0].contents == ("disk gpt u-0", "partition 1 ext4 u-1")
    assert (was[0].path, was[0].serial, was[0].wwn, was[0].size_bytes) == (
        whole(1),
        "S-0001",
        "0x5000c50000000001",
        10_000_000_000,
    )
    assert [one.role for one in was] == ["member", "member", "member", "spare"]


def stripes(level: str, sizes: list[int]) -> Stripes:
    """What a filesystem on an array of md is made on."""
    made = md_geometry(level, sizes)
    return Stripes(
        size_bytes=made.array_bytes, chunk_bytes=made.chunk_bytes, width_bytes=made.stripe_width_bytes
    )


@pytest.mark.parametrize(
    ("level", "kind", "expected"),
    [
        ("raid5", "ext4", "stride=128 stripe_width=384"),
        ("raid6", "ext4", "stride=128 stripe_width=256"),
        ("raid0", "ext4", "stride=128 stripe_width=512"),
        ("raid10", "xfs", "sunit=128 swidth=256"),
        ("raid5", "xfs", "sunit=128 swidth=384"),
        ("raid1", "xfs", ""),
        ("linear", "ext4", ""),
        ("raid5", "btrfs", ""),
    ],
)
def test_the_filesystem_must_know_the_stripes_of_the_array(level: str, kind: str, expected: str) -> None:
    assert expected_geometry(kind, stripes(level, [10 * GIB] * 4)) == expected
    made = plan(
        level=level, members=("S-0001", "S-0002", "S-0003", "S-0004"), filesystem=FilesystemSpec(type=kind)
    )
    found = [check.expect for check in step(made, "mkfs").after if check.kind == GEOMETRY.kind]
    assert found == ([expected] if expected else [])


def test_an_odd_raid10_tells_its_whole_row_as_the_stripe() -> None:
    assert expected_geometry("xfs", stripes("raid10", [10 * GIB] * 3)) == "sunit=128 swidth=384"


def test_small_xfs_has_no_stripes_to_check() -> None:
    assert expected_geometry("xfs", stripes("raid0", [400 * MIB] * 2)) == ""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            "ext4",
            (
                *("mkfs.ext4", "-q", "-F", "-b", "4096", "-E"),
                "lazy_itable_init=0,lazy_journal_init=0,stride=128,stripe_width=256",
            ),
        ),
        ("xfs", ("mkfs.xfs", "-q", "-f", "-b", "size=4096", "-d", "su=524288,sw=2")),
        ("btrfs", ("mkfs.btrfs", "--quiet", "--force", "--data", "single", "--metadata", "dup")),
    ],
)
def test_each_filesystem_gets_its_uuid_its_label_and_the_stripes(kind: str, words: tuple[str, ...]) -> None:
    made = plan(filesystem=FilesystemSpec(type=kind, label="photos"))
    (command,) = commands(step(made, "mkfs"))
    assert command[: len(words)] == words
    assert any(made.filesystem_uuid in word for word in command)
    assert "photos" in command
    assert command[-1] == "/dev/md/tank"


def test_the_inode_tables_of_a_large_array_are_left_to_the_kernel() -> None:
    large = machine(*(disk(n, size_bytes=4_000_787_030_016) for n in (1, 2, 3)))
    made = step(plan(where=large), "mkfs")
    assert any(word.startswith("lazy_itable_init=1,lazy_journal_init=1") for word in commands(made)[0])
    assert "benchmark only after that" in made.reason


def test_the_array_comes_back_by_uuid_and_a_missing_one_stops_no_boot() -> None:
    made = plan(where=machine(initramfs="update-initramfs", systemd=True), spares=("S-0004",))
    (conf,) = step(made, "conf").actions
    assert conf == EnsureLine(
        path="/etc/mdadm/mdadm.conf",
        line=f"ARRAY /dev/md/tank metadata=1.2 UUID={md_spelling(made.array_uuid)}",
    )
    has_it = INITRAMFS_HAS.of("6.1.0-32-amd64", conf.line)
    assert step(made, "initramfs").after == (has_it,)
    fstab, reload = step(made, "fstab").actions
    assert fstab == EnsureLine(
        path="/etc/fstab",
        line=f"UUID={made.filesystem_uuid} /srv/tank ext4 defaults,nofail,x-systemd.device-timeout=120s 0 2",
    )
    assert isinstance(reload, Run)
    assert reload.argv == ("systemctl", "daemon-reload")


@pytest.mark.parametrize(
    ("place", "field"),
    [
        ("/srv/my photos", r"/srv/my\040photos"),
        ("/srv/a\tb", r"/srv/a\011b"),
        ("/srv/a\\040b", r"/srv/a\134040b"),
    ],
)
def test_a_mount_point_with_a_blank_is_written_as_fstab_has_it(place: str, field: str) -> None:
    made = plan(filesystem=FilesystemSpec(type="ext4", mountpoint=place))
    line = step(made, "fstab").actions[0]
    assert isinstance(line, EnsureLine)
    assert line.line.split()[1] == field
    assert fields_of(line.line)[1] == place
    assert Run(argv=("mount", place), timeout_seconds=600) in step(made, "mount").actions


def test_only_ext4_is_checked_at_boot() -> None:
    (fstab,) = step(plan(filesystem=XFS), "fstab").actions
    assert isinstance(fstab, EnsureLine)
    assert fstab.line.endswith(" 0 0")


def test_dracut_is_told_to_take_mdadm_conf_along() -> None:
    line, rebuild = step(plan(where=machine(initramfs="dracut")), "initramfs").actions
    assert line == EnsureLine(path="/etc/dracut.conf.d/90-mdadmconf.conf", line='mdadmconf="yes"')
    assert isinstance(rebuild, Run)
    assert rebuild.argv == ("dracut", "--force", "--regenerate-all")


def test_the_line_is_out_of_mdadm_conf_before_the_initramfs_is_rebuilt_without_it() -> None:
    drop, rebuild = step(plan(where=machine(initramfs="update-initramfs")), "initramfs").undo
    assert isinstance(drop, DropLine)
    assert isinstance(rebuild, Run)
    assert rebuild.argv[0] == "update-initramfs"


@pytest.mark.parametrize("maker", ["update-initramfs", "dracut"])
def test_only_the_initramfs_of_kernels_that_a_boot_takes_is_rebuilt_and_each_once(maker: str) -> None:
    kernels = ("6.1.0-32-amd64", "6.1.0-37-amd64")
    made = plan(where=machine(initramfs=maker, boot_kernels=kernels))
    steps = [one for one in made.steps if one.id.startswith("initramfs")]
    assert [one.id for one in steps] == ["initramfs", "initramfs-2"]
    for one, kernel in zip(steps, kernels, strict=True):
        assert kernel in one.title
        (command,) = commands(one)
        assert (command[0], command[-1]) == (maker, kernel)
        assert [check.subject for check in one.after] == [kernel]
    assert [one.id for one in made.steps if Run in map(type, one.undo) and maker in str(one.undo)] == [
        "initramfs",
        "initramfs-2",
    ]


def test_everything_until_the_array_is_made_can_be_put_back() -> None:
    made = plan()
    reversible = [one.id for one in made.steps if one.undoable is not Undo.IMPOSSIBLE]
    assert [one.id for one in made.steps if one.undoable is Undo.IMPOSSIBLE] == ["create"]
    assert reversible.index("wipe") < reversible.index("settle-partitions")
    assert step(made, "wipe").undoable is Undo.CAPSULE


@pytest.mark.parametrize("name", ["partition", "create", "mkfs"])
def test_a_step_that_is_done_again_makes_blank_first_what_it_needs_blank(name: str) -> None:
    one = step(plan(), name)
    blank = {check.subject for check in one.before if check.kind == BLANK.kind}
    wiped = {a.argv[-1] for a in one.repair if isinstance(a, Run) and a.argv[:2] == ("wipefs", "--all")}
    assert blank
    assert blank == wiped


def test_the_same_seed_gives_the_same_plan_and_another_seed_other_uuids() -> None:
    assert plan() == plan()
    other = make_plan(TANK, machine(), seed="99999999-2222-4333-8444-555555555555")
    assert other.fingerprint != plan().fingerprint
    assert {other.array_uuid, other.filesystem_uuid}.isdisjoint({plan().array_uuid, plan().filesystem_uuid})


def test_the_plan_of_a_completed_spec_is_the_same_plan() -> None:
    made = plan(spares=("S-0004",))
    again = make_plan(made.spec, machine(), seed=SEED)
    assert again == made
    from_file = make_plan(read_spec(write_spec(made.spec), origin="t"), machine(), seed=SEED)
    assert from_file == made


def test_a_plan_survives_a_round_trip() -> None:
    assert from_json(to_json(plan()), Plan, origin="plan.json") == plan()


def test_a_plan_knows_its_size_its_computer_and_its_hazards() -> None:
    made = plan()
    start, size = (int(word) for word in step(made, "partition").after[0].expect.split())
    assert made.array_bytes == md_geometry("raid5", [size] * 3, chunk=512 * KIB).array_bytes
    assert made.host == "nas"
    assert "not-a-backup" in {hazard.id for hazard in made.hazards}
    assert start == MIB


@pytest.mark.parametrize("seed", ["", "7", "x" * 300])
def test_a_seed_that_is_no_uuid_is_refused(seed: str) -> None:
    with pytest.raises(BadInput, match="is not a UUID"):
        make_plan(TANK, machine(), seed=seed)


@given(st.uuids().map(str))
def test_both_spellings_of_a_uuid_are_one(text: str) -> None:
    assert len(md_spelling(text)) == 35
    assert bare(md_spelling(text)) == bare(text)


def test_a_model_with_control_characters_reaches_no_command() -> None:
    evil: Disk = msgspec.structs.replace(disk(1), model="x\x1b[2J\n", by_id=("wwn-0x5000c50000000001",))
    made = plan(where=machine(evil))
    assert "\\u001b" not in to_json(made.steps)
