"""A single disk with a filesystem: its spec, its steps, and how it is removed again."""

import shutil
import subprocess
from typing import Any

import msgspec
import pytest

from raidtui.backends.specfile import read_spec, write_spec
from raidtui.jobs.disk_contents import own_signatures
from raidtui.jobs.guard import check_still_ours
from raidtui.jobs.write_extents import find_writes
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Mount, Partition, Signature, Weight
from raidtui.model.plan import DropLine, EnsureLine, PlanKind, Undo
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import GIB, MIB
from raidtui.plan.script import as_script
from raidtui.steps.devices import BLANK
from raidtui.steps.filesystems import FILESYSTEM
from raidtui.steps.partitions import LINUX_FILESYSTEM, LINUX_RAID
from tests.unit.plan_machines import (
    SEED,
    array,
    commands,
    disk,
    machine,
    member_disk,
    plan,
    step,
    teardown,
    whole,
)

ALONE = Spec(
    name="lone",
    backend=Backend.DISK,
    level="single",
    members=("S-0001",),
    filesystem=FilesystemSpec(type="xfs"),
)
FILES = "12345678-1234-4123-8123-123456789abc"


def with_files(number: int = 1, *, kind: str = "xfs", uuid: str = FILES, **changes: Any) -> Disk:
    """A disk as `ALONE` makes it."""
    made = member_disk(number)
    (partition,) = made.partitions
    signature = Signature(device=partition.path, offset=0, type=kind, uuid=uuid, label="lone")
    part = msgspec.structs.replace(partition, type=LINUX_FILESYSTEM, signatures=(signature,))
    return msgspec.structs.replace(made, **{"partitions": (part,)} | changes)


def mounted(*disks: Disk, at: str = "/srv/lone", **system: Any) -> Machine:
    mount = Mount(source="/dev/sda1", target=at, type="xfs")
    return msgspec.structs.replace(machine(*disks, **system), mounts=(mount,))


def test_it_has_the_steps_of_an_array_without_the_array() -> None:
    made = plan(ALONE, machine(initramfs="update-initramfs"))
    assert [one.id for one in made.steps] == [
        "mountpoint",
        "capsule",
        "wipe",
        "partition",
        "settle-partitions",
        "mkfs",
        "settle-filesystem",
        "fstab",
        "mount",
    ]
    assert made.array_uuid == ""
    assert made.array_path == f"{whole(1)}-part1"
    assert f"type={LINUX_FILESYSTEM}" in str(step(made, "partition").actions[0])
    assert step(made, "partition").after[0].expect == f"{MIB} {made.array_bytes}"
    assert commands(step(made, "mkfs"))[-1][-1] == made.array_path
    assert [check.kind for check in step(made, "mkfs").after] == [FILESYSTEM.kind]
    assert not any("array" in text for one in made.steps for text in (one.title, one.reason, one.undo_note))
    assert not any(argv[0] == "mdadm" for one in made.steps for argv in commands(one))


def test_what_need_not_come_back_has_no_line_in_fstab() -> None:
    made = plan(ALONE, persistent=False)
    assert not any(isinstance(action, EnsureLine) for one in made.steps for action in one.actions)
    assert commands(step(made, "mount")) == [
        ("mount", "-t", "xfs", f"UUID={made.filesystem_uuid}", "/srv/lone")
    ]


def test_the_old_contents_come_back_until_the_filesystem_is_made() -> None:
    made = plan(ALONE)
    ways = {one.id: one.undoable for one in made.steps}
    assert ways["wipe"] is Undo.CAPSULE
    assert [name for name, way in ways.items() if way is Undo.IMPOSSIBLE] == ["mkfs"]
    assert commands(msgspec.structs.replace(step(made, "mkfs"), actions=step(made, "mkfs").undo)) == [
        ("wipefs", "--all", made.array_path)
    ]
    assert find_writes(made, made.disks[0])  # the capsule knows every program that runs before


def test_its_disk_is_let_go_of_while_its_partition_is_written_or_mounted() -> None:
    made = plan(ALONE)
    held = {one.id for one in made.steps if one.holds == (whole(1),)}
    assert held == {"wipe", "partition", "mkfs", "mount"}


def test_a_slice_of_it_is_the_same_place_as_a_members() -> None:
    made = plan(ALONE, slice=2 * GIB)
    member = plan(members=("S-0001", "S-0002", "S-0003"), slice=2 * GIB)
    assert step(made, "partition").after[0] == step(member, "partition").after[0]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"chunk": 65536}, "backend = 'disk' has no key 'chunk'"),
        ({"layout": "n2"}, "backend = 'disk' has no key 'layout'"),
        ({"metadata": "1.2"}, "backend = 'disk' has no key 'metadata'"),
        ({"consistency": "bitmap"}, "backend = 'disk' has no key 'consistency'"),
        ({"spares": ("S-0002",)}, "backend = 'disk' has no key 'spares'"),
        ({"members": ("S-0001", "S-0002")}, "names 2 disks"),
        ({"members": ()}, "names no disks"),
        ({"level": "raid0"}, "the level of a single disk is single"),
        ({"partition": False}, "leave partition = false out"),
        ({"filesystem": FilesystemSpec()}, "a single disk needs a filesystem"),
        ({"slice": 200 * MIB}, "xfs needs at least 315 MB (300 MiB), and the partition has"),
    ],
)
def test_what_only_an_array_has_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInput) as error:
        plan(ALONE, **changes)
    assert reason in str(error.value)


def test_its_spec_is_read_as_it_was_written_and_a_wrong_key_is_named_with_its_line() -> None:
    assert read_spec(write_spec(ALONE), origin="lone.toml") == ALONE
    with pytest.raises(BadInput, match=r"lone\.toml, line 7: backend = 'disk' has no key 'chunk'"):
        read_spec(write_spec(ALONE).replace("\n[", 'chunk = "64KiB"\n\n['), origin="lone.toml")


def test_mdadm_is_not_needed() -> None:
    where = machine()
    del where.tools["mdadm"]
    assert plan(ALONE, where).steps


def test_it_may_be_called_as_an_array_is() -> None:
    assert plan(
        ALONE, machine(*(member_disk(n) for n in (4, 5, 6)), arrays=(array(mountpoints=()),)), name="tank"
    )


@pytest.mark.parametrize(
    "made", [plan(ALONE), teardown(mounted(with_files()), "S-0001")], ids=["build", "teardown"]
)
@pytest.mark.processes
def test_its_script_is_a_script(made: Any) -> None:
    text = as_script(made)
    assert "the single disk " in text
    assert "mdstat" not in text[text.index("\nsay '1/") :]
    shell = shutil.which("sh")
    assert shell is not None
    assert subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False).stderr == ""


@pytest.mark.parametrize("word", ["S-0001", "0x5000c50000000001", "/srv/lone", "/srv/lone/"])
def test_it_is_taken_away_from_the_top_down(word: str) -> None:
    line = f"UUID={FILES} /srv/lone xfs defaults,nofail 0 0"
    made = teardown(mounted(with_files(), fstab=(line, "UUID=cccc /home ext4 defaults 0 2")), word)
    assert [one.id for one in made.steps] == ["unmount", "fstab", "clear", "table", "settle", "mountpoint"]
    assert made.kind is PlanKind.TEARDOWN
    assert [one.identity for one in made.disks] == ["S-0001"]
    assert step(made, "fstab").actions == (DropLine(path="/etc/fstab", line=line),)
    assert commands(step(made, "clear")) == [("wipefs", "--all", f"{whole(1)}-part1")]
    assert commands(step(made, "table"))[0] == ("wipefs", "--all", whole(1))
    assert step(made, "settle").after == (BLANK.of(whole(1)),)
    assert [one.id for one in made.steps if one.holds] == ["unmount", "clear", "table"]


def test_its_line_in_fstab_is_found_where_a_label_or_a_folder_has_a_blank() -> None:
    one = with_files()
    (files,) = one.partitions[0].signatures
    part = msgspec.structs.replace(
        one.partitions[0], signatures=(msgspec.structs.replace(files, label="my disk"),)
    )
    line = r"LABEL=my\040disk /srv/my\040disk xfs defaults 0 0"
    where = mounted(msgspec.structs.replace(one, partitions=(part,)), at="/srv/my disk", fstab=(line,))
    assert step(teardown(where, "S-0001"), "fstab").actions == (DropLine(path="/etc/fstab", line=line),)


def two_partitions() -> Disk:
    one = with_files()
    second = Partition(name="sda2", path="/dev/sda2", number=2, start_bytes=GIB, size_bytes=GIB)
    return msgspec.structs.replace(one, partitions=(*one.partitions, second))


def of_raid_type() -> Disk:
    one = with_files()
    return msgspec.structs.replace(
        one, partitions=(msgspec.structs.replace(one.partitions[0], type=LINUX_RAID),)
    )


@pytest.mark.parametrize(
    "found", [disk(1), member_disk(1), two_partitions(), of_raid_type(), with_files(kind="crypto_LUKS")]
)
def test_a_serial_number_of_anything_else_erases_nothing(found: Disk) -> None:
    with pytest.raises(BadInput, match="is not a single-disk build"):
        teardown(machine(found), "S-0001")


def with_empty_table(
    *more: Claim, kind: str = "gpt", detail: str = "GPT partition table without partitions", **changes: Any
) -> Disk:
    """A disk that has a partition table and no partitions."""
    table = Signature(device="/dev/sda", offset=512, type=kind)
    claim = Claim(
        what=ClaimKind.PARTITION_TABLE, weight=Weight.DATA, device="/dev/sda", detail=detail, how_to_free=""
    )
    return msgspec.structs.replace(disk(1), **{"signatures": (table,), "taken_by": (claim, *more)} | changes)


@pytest.mark.parametrize("kind", ["gpt", "dos"])
def test_an_empty_partition_table_is_all_that_is_erased(kind: str) -> None:
    made = teardown(machine(with_empty_table(kind=kind), disk(2)), "S-0001")
    assert [one.id for one in made.steps] == ["table", "settle"]
    assert [one.identity for one in made.disks] == ["S-0001"]
    assert commands(step(made, "table")) == [
        ("wipefs", "--all", whole(1)),
        ("blockdev", "--rereadpt", whole(1)),
    ]
    assert BLANK.of(whole(1)) in step(made, "settle").after
    assert step(made, "table").destroys == (
        f"S-0001: its {'GPT' if kind == 'gpt' else 'MBR'} partition table, which has no partitions",
    )


@pytest.mark.parametrize(
    ("what", "weight"),
    [
        (ClaimKind.OVERWRITTEN, Weight.DATA),
        (ClaimKind.UNREADABLE, Weight.UNUSABLE),
        (ClaimKind.CONFIGURED, Weight.DATA),
        (ClaimKind.PROCESS, Weight.BUSY),
        (ClaimKind.UNREAD, Weight.BUSY),
    ],
)
def test_an_empty_partition_table_over_something_else_stays(what: ClaimKind, weight: Weight) -> None:
    claim = Claim(what=what, weight=weight, device="/dev/sda", detail="an old member", how_to_free="x")
    with pytest.raises(Refused, match="S-0001 is not left blank: an old member"):
        teardown(machine(with_empty_table(claim)), "S-0001")


@pytest.mark.parametrize(
    "detail",
    [
        "GPT partition table, but the kernel shows no partitions",
        "GPT partition table with 2 partitions that the kernel does not show, so what is in them is unknown",
    ],
)
def test_a_table_whose_partitions_the_kernel_may_hide_stays(detail: str) -> None:
    with pytest.raises(Refused, match="S-0001 is not left blank: GPT partition table"):
        teardown(machine(with_empty_table(detail=detail)), "S-0001")
    with pytest.raises(Refused, match="what is on it is not known"):
        teardown(machine(with_empty_table(taken_by=())), "S-0001")


def test_a_table_with_partitions_or_beside_another_signature_is_not_empty() -> None:
    swap = Signature(device="/dev/sda", offset=4086, type="swap")
    both = with_empty_table()
    both = msgspec.structs.replace(both, signatures=(*both.signatures, swap))
    for one in (both, with_empty_table(partitions=member_disk(1).partitions)):
        with pytest.raises(BadInput, match="is not a single-disk build"):
            teardown(machine(one), "S-0001")


def test_a_serial_number_behind_a_card_names_no_single_disk() -> None:
    behind = msgspec.structs.replace(disk(8), path="", device_number="", slot="252:0")
    with pytest.raises(BadInput, match=r"S-0008 \(slot 252:0\) is a drive behind a RAID card; to remove the"):
        teardown(machine(behind), "S-0008")


def test_an_array_is_meant_before_a_disk() -> None:
    made = teardown(machine(*(member_disk(n) for n in (1, 2, 3)), with_files(4), arrays=(array(),)), "tank")
    assert len(made.disks) == 3
    with pytest.raises(BadInput, match=r"nothing here is called 'nothing'.*\(here: none\)"):
        teardown(machine(with_files()), "nothing")


def test_a_disk_of_the_system_or_of_a_larger_btrfs_stays() -> None:
    claim = Claim(what=ClaimKind.SYSTEM, weight=Weight.SYSTEM, device="/dev/sda1", detail="/", how_to_free="")
    with pytest.raises(Refused, match="the running system is on S-0001"):
        teardown(machine(with_files(taken_by=(claim,))), "S-0001")
    with pytest.raises(Refused, match="shares its btrfs filesystem with S-0002"):
        teardown(machine(with_files(kind="btrfs"), with_files(2, kind="btrfs")), "S-0001")
    on_array = array(signatures=(Signature(device="/dev/md127", offset=65600, type="btrfs", uuid=FILES),))
    with pytest.raises(Refused, match=r"shares its btrfs filesystem with the array tank \(/dev/md127\)"):
        teardown(machine(with_files(4, kind="btrfs"), arrays=(on_array,)), "S-0004")


def test_of_two_disks_with_one_serial_number_neither_is_taken_away() -> None:
    twin = with_files(2, serial="S-0001")
    for word in ("S-0001", "0x5000c50000000001"):
        with pytest.raises(Refused, match="/dev/sda is called S-0001, and so is /dev/sdb"):
            teardown(machine(with_files(uuid="aaaa"), twin), word)


def test_a_job_that_goes_on_knows_its_own_mount_and_no_other() -> None:
    made = plan(ALONE)
    claim = Claim(
        what=ClaimKind.MOUNT, weight=Weight.BUSY, device="/dev/sda1", detail="mounted", how_to_free="umount"
    )
    own = with_files(uuid=made.filesystem_uuid, taken_by=(claim,))
    check_still_ours(made, machine(), machine(own), written=True)
    assert f"xfs {made.filesystem_uuid}" in own_signatures(made, own)
    with pytest.raises(Refused, match="is in use now"):
        check_still_ours(made, machine(), machine(with_files(taken_by=(claim,))), written=True)


def test_the_same_seed_gives_the_same_plan() -> None:
    assert plan(ALONE).seed == SEED
    assert plan(ALONE).fingerprint == plan(ALONE).fingerprint != plan(ALONE, slice=2 * GIB).fingerprint
