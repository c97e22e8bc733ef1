"""What a spec leaves open is filled in; what cannot be built is refused in one sentence and with the right code."""

from typing import Any

import msgspec
import pytest

from raidtui.backends.md.levels import LEVELS
from raidtui.backends.resolve import resolve
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Array, ClaimKind, Machine, Mount, Signature, Weight
from raidtui.model.spec import FilesystemSpec, Spec
from raidtui.model.units import KIB, MIB
from raidtui.steps.mount_names import complete_filesystem
from tests.unit.plan_machines import TANK, disk, machine, member_disk, plan, taken


def completed(spec: Spec, where: Machine) -> Spec:
    """The spec with its defaults."""
    return resolve(spec, where).spec


def refusal(kind: type[Exception] = BadInput, where: Machine | None = None, **changes: Any) -> str:
    """The sentence with which a changed spec is refused."""
    with pytest.raises(kind) as caught:
        plan(where=where, **changes)
    said = str(caught.value)
    assert said.isprintable()
    return said


def test_every_default_is_filled_in() -> None:
    assert completed(TANK, machine()) == Spec(
        name="tank",
        level="raid5",
        members=("S-0001", "S-0002", "S-0003"),
        chunk=512 * KIB,
        layout="left-symmetric",
        metadata="1.2",
        consistency="bitmap",
        partition=True,
        reserve=100 * MIB,
        filesystem=FilesystemSpec(type="ext4", label="tank", mountpoint="/srv/tank"),
    )


@pytest.mark.parametrize("level", LEVELS)
def test_a_completed_spec_is_complete(level: str) -> None:
    members = ("S-0001", "S-0002", "S-0003", "S-0004")
    once = completed(Spec(name="tank", level=level, members=members), machine())
    assert completed(once, machine()) == once
    assert (once.chunk is None) == (level in {"raid1", "linear"})
    assert once.consistency == ("none" if level in {"raid0", "linear"} else "bitmap")
    assert once.layout == LEVELS[level].default_layout or once.layout is None


@pytest.mark.parametrize(("kind", "room"), [("ext4", 16), ("xfs", 12), ("btrfs", 27)])
def test_a_long_name_is_cut_to_the_label_that_the_filesystem_has_room_for(kind: str, room: int) -> None:
    name = "a-name-of-twenty-seven-char"
    made = completed(
        msgspec.structs.replace(TANK, name=name, filesystem=FilesystemSpec(type=kind)), machine()
    )
    assert made.filesystem.label == name[:room]


def test_without_a_filesystem_there_is_nothing_to_label_or_mount() -> None:
    bare = FilesystemSpec(type="none", label="x", mountpoint="/srv/x")
    assert completed(msgspec.structs.replace(TANK, filesystem=bare), machine()).filesystem == FilesystemSpec()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "letters, digits, dots"),
        ("a/b", "letters, digits, dots"),
        ("a b", "letters, digits, dots"),
        ("tank\n", "letters, digits, dots"),
        ("\x1b[2J", "letters, digits, dots"),
        ("größe", "letters, digits, dots"),
        ("-tank", "beginning with a letter or digit"),
        (".hidden", "beginning with a letter or digit"),
        ("t" * 300, "is 300 characters long; the name of an array has at most 27"),
        ("t" * 28, "at most 27"),
        ("7", "looks like a device number"),
        ("md127", "looks like a device number"),
        ("md_0", "looks like a device number"),
    ],
)
def test_a_name_that_no_device_can_have_is_refused(name: str, reason: str) -> None:
    said = refusal(name=name)
    assert reason in said
    assert len(said) < 250


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"members": ()}, "names no disks"),
        ({"members": (), "sizes": (10**12,) * 3}, "sizes instead of members, which only 'raidtui calc' takes"),
        ({"members": ("S-0001",)}, "RAID5 takes at least 2 disks, not 1"),
        ({"level": "raid6"}, "RAID6 takes at least 4 disks, not 3"),
        ({"level": "raid7"}, "'raid7' is not a level of mdadm"),
        ({"members": ("S-0001", "S-0002", "S-0001")}, "'S-0001' is named twice"),
        ({"spares": ("S-0002",)}, "'S-0002' is named twice"),
        (
            {"members": ("S-0001", "S-0002", "0x5000c50000000001")},
            "'S-0001' and '0x5000c50000000001' are the same disk",
        ),
        ({"members": ("S-0001", "S-0009")}, "no disk of this machine is called 'S-0009'; its disks are S-0001"),
        ({"members": ("S-0001", "/dev/sdb")}, "'/dev/sdb' is a device name, and those change between boots"),
        ({"level": "raid0", "spares": ("S-0004",)}, "RAID0 cannot have spares"),
        ({"level": "raid0", "consistency": "bitmap"}, "RAID0 has no redundancy to keep consistent"),
        ({"level": "raid6", "members": ("S-0001", "S-0002", "S-0003", "S-0004"), "consistency": "ppl"},
         "ppl) is for RAID5 only"),
        ({"level": "raid1", "chunk": 64 * KIB}, "RAID1 has no chunk"),
        ({"chunk": 96 * KIB}, "not a power of two"),
        ({"chunk": 0}, "not between 4KiB and 1GiB"),
        ({"layout": "n2"}, "'n2' is not a layout of RAID5"),
        ({"level": "raid10", "layout": "n4"}, "keeps 4 copies, more than the 3 disks"),
        ({"metadata": "0.90"}, "metadata 0.90 cannot store the array name"),
        ({"metadata": "2.0"}, "'2.0' is not a metadata version"),
        ({"reserve": 10**13}, "has no room for a partition"),
        ({"partition": False, "reserve": MIB}, "these members are whole disks"),
        ({"partition": False, "slice": MIB}, "a slice of each disk is a partition"),
        ({"slice": KIB}, "a slice of 1KiB is less than 1MiB"),
        ({"filesystem": FilesystemSpec(type="ntfs")}, "'ntfs' is not a supported filesystem"),
        ({"filesystem": FilesystemSpec(type="xfs", label="thirteen-char")}, "has 13 bytes; xfs takes 12"),
        ({"filesystem": FilesystemSpec(type="ext4", label="\u202eknat")}, "a character that cannot be shown"),
        ({"filesystem": FilesystemSpec(type="ext4", mountpoint="srv/tank")}, "not an absolute path; write for example /srv/tank"),
        ({"filesystem": FilesystemSpec(type="ext4", mountpoint="tank")}, "not an absolute path; write for example /srv/tank"),
        ({"filesystem": FilesystemSpec(type="ext4", mountpoint="/srv/a\nb")}, "has a line break"),
        ({"filesystem": FilesystemSpec(type="ext4", mountpoint="/srv/../etc")}, "shortest form; write /etc"),
        ({"filesystem": FilesystemSpec(type="ext4", mountpoint="//srv/x")}, "shortest form; write /srv/x"),
        ({"filesystem": FilesystemSpec(type="ext4", mountpoint="/srv/" + "x" * 300)}, "longer than 255 bytes"),
        ({"filesystem": FilesystemSpec(type="ext4", mountpoint="/srv/a\x07")}, "cannot be shown"),
        *[
            ({"filesystem": FilesystemSpec(type="ext4", mountpoint=path)}, "belongs to the system")
            for path in ("/", "/usr", "/usr/local", "/etc/x", "/boot", "/var", "/root", "/dev/shm", "/lib64")
        ],
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_built_is_refused_with_the_reason(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in refusal(**changes)


@pytest.mark.parametrize(
    "path",
    [
        "/home",
        "/srv",
        "/mnt/a",
        "/var/lib/libvirt",
        "/usrlocal",
        "/données",
        "/srv/a b",
        '/srv/it\'s \\ "a" tab\t',
    ],
)
def test_ordinary_folders_can_be_mounted_on(path: str) -> None:
    made = plan(filesystem=FilesystemSpec(type="ext4", mountpoint=path))
    assert made.spec.filesystem.mountpoint == path


def test_a_filesystem_that_would_not_fit_is_refused() -> None:
    small = machine(*(disk(n, size_bytes=200 * MIB) for n in (1, 2)))
    said = refusal(
        where=small,
        level="raid1",
        members=("S-0001", "S-0002"),
        reserve=0,
        filesystem=FilesystemSpec(type="xfs"),
    )
    assert "xfs needs at least 315 MB (300 MiB)" in said


def test_the_system_disk_is_refused_and_nothing_overrides_that() -> None:
    system = taken(1, Weight.SYSTEM, ClaimKind.SYSTEM, "the running system: mounted at /", "cannot be freed")
    said = refusal(Refused, machine(system))
    assert "S-0001 (/dev/sda) is a disk of the running system" in said
    assert "cannot be erased" in said


def test_a_taken_disk_says_by_what_and_how_to_free_it() -> None:
    mounted = taken(2, Weight.BUSY, ClaimKind.MOUNT, "mounted at /srv/photos", "umount /srv/photos")
    said = refusal(Refused, machine(mounted))
    assert said == (
        "S-0002 (/dev/sdb) is in use (/dev/sdb1: mounted at /srv/photos); to free it: umount /srv/photos"
    )


def test_a_disk_that_cannot_be_written_is_refused() -> None:
    said = refusal(
        Refused, machine(taken(1, Weight.UNUSABLE, ClaimKind.READ_ONLY, "read-only", "blockdev --setrw"))
    )
    assert "cannot be used" in said
    assert "blockdev --setrw" in said


def test_a_taken_disk_may_still_be_calculated_with() -> None:
    mounted = taken(2, Weight.BUSY, ClaimKind.MOUNT, "mounted", "umount")
    assert completed(TANK, machine(mounted)).level == "raid5"


def test_data_that_nothing_uses_does_not_stand_in_the_way() -> None:
    photos = taken(2, Weight.DATA, ClaimKind.FILESYSTEM, "ext4 'photos'")
    assert plan(where=machine(photos)).disks[1].identity == "S-0002"


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        (machine(arrays=(Array(name="tank", node="/dev/md3"),)), "used by the array /dev/md3"),
        (machine(arrays=(Array(name="x", node="/dev/md3", path="/dev/md/tank"),)), "used by the array"),
        (machine(mdadm_conf_arrays=("ARRAY /dev/md/tank UUID=1:2:3:4",)), "ARRAY /dev/md/tank UUID=1:2:3:4"),
        (machine(mdadm_conf_arrays=("ARRAY <ignore> name=nas:tank",)), "used by a line of /etc/mdadm"),
        (machine(mdadm_conf_arrays=("ARRAY tank UUID=1:2:3:4",)), "used by a line of /etc/mdadm"),
        (machine(mdadm_conf_arrays=("ARRAY <ignore> NAME=nas:tank",)), "used by a line of /etc/mdadm"),
        (machine(member_disk(6)), "/dev/sdf1 is a member of it"),
        (machine(fstab=("UUID=x /srv/tank/ ext4 defaults 0 2",)), "/etc/fstab already mounts something"),
        (machine(fstab=(r"UUID=x /srv/\164ank ext4 defaults 0 2",)), "/etc/fstab already mounts something"),
        (
            msgspec.structs.replace(
                machine(), mounts=(Mount(source="/dev/sdz1", target="/srv/tank", type="ext4"),)
            ),
            "/dev/sdz1 is mounted at /srv/tank already",
        ),
    ],
)  # fmt: skip
def test_a_name_or_mount_point_that_is_in_use_is_refused(where: Machine, sentence: str) -> None:
    assert sentence in refusal(where=where)


def test_the_old_array_of_disks_that_are_erased_does_not_keep_its_name() -> None:
    stopped = machine(*(member_disk(n) for n in (1, 2, 3)))
    assert plan(where=stopped).spec.name == "tank"


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        ({"mkfs.ext4": "1.47"}, "mdadm is not installed; on Debian: apt-get install mdadm"),
        ({"mdadm": "3.4", "mkfs.ext4": "1.47"}, "mdadm is 3.4 here and must be 4.1 or newer"),
        ({"mdadm": "4.2"}, "mkfs.ext4 is not installed; on Debian: apt-get install e2fsprogs"),
    ],
)
def test_a_missing_or_old_tool_is_named_with_its_package(tools: dict[str, str], sentence: str) -> None:
    assert sentence in refusal(ToolMissing, msgspec.structs.replace(machine(), tools=tools))


def test_without_a_filesystem_no_mkfs_is_needed() -> None:
    bare = msgspec.structs.replace(machine(), tools={"mdadm": "4.4"})
    assert plan(where=bare, filesystem=FilesystemSpec()).filesystem_uuid == ""


def test_text_from_a_disk_cannot_rewrite_the_terminal() -> None:
    evil = Signature(device="/dev/sdf1", offset=0, type="linux_raid_member", label="tank")
    claim = taken(1, Weight.BUSY, ClaimKind.MOUNT, "mounted at /\x1b[2J", "umount '/\x1b[2J'")
    assert "/?[2J" in refusal(Refused, machine(claim))
    assert "/dev/sdf1" in refusal(where=machine(disk(6, signatures=(evil,))))


@pytest.mark.parametrize(
    "on", ["the array first (/dev/md127)", "the linux_raid_member on /dev/sdf1", "the ext4 on /dev/sdf"]
)
def test_a_seed_whose_uuids_are_on_this_computer_already_is_refused(on: str) -> None:
    used = plan()
    files = Signature(device="/dev/sdf", offset=1080, type="ext4", uuid=used.filesystem_uuid)
    where = {
        "the array first (/dev/md127)": machine(
            arrays=(Array(name="first", node="/dev/md127", uuid=used.array_uuid),)
        ),
        "the linux_raid_member on /dev/sdf1": machine(member_disk(6, uuid=used.array_uuid)),
        "the ext4 on /dev/sdf": machine(disk(6, signatures=(files,))),
    }[on]
    said = refusal(where=where, name="pool")
    assert f"was used on this computer already: {on}" in said


def test_the_remains_of_the_same_build_on_its_own_disks_do_not_matter() -> None:
    members = (member_disk(n, uuid=plan().array_uuid) for n in (1, 2, 3))
    assert plan(where=machine(*members)).array_uuid == plan().array_uuid


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("partitions",),
        ("/dev/sda1", "partitions", "containers"),
        ("/dev/sd*",),
        ("/dev/disk/by-id/wwn-*-part1",),
        ("/dev/disk/by-path/*",),
    ],
)
def test_mdadm_finds_members_where_its_device_lines_let_it_look(words: tuple[str, ...]) -> None:
    assert plan(where=machine(mdadm_conf_devices=words)).spec.name == "tank"


def test_an_array_that_mdadm_would_not_look_for_at_the_next_start_is_refused() -> None:
    narrow = machine(mdadm_conf_devices=("/dev/sd[ab]1", "containers"))
    said = refusal(Refused, where=narrow)
    assert "limits arrays to /dev/sd[ab]1 containers" in said
    assert "would ignore S-0003 at boot; add the word partitions to its DEVICE line" in said
    assert plan(where=narrow, persistent=False).spec.name == "tank"


def test_a_backend_that_is_its_own_filesystem_needs_no_type_and_is_always_mounted() -> None:
    own = FilesystemSpec(type="btrfs", label="tank", mountpoint="/srv/tank")
    assert complete_filesystem(FilesystemSpec(), "tank", own="btrfs") == own
    assert complete_filesystem(own, "tank", own="btrfs") == own
    pool = complete_filesystem(FilesystemSpec(mountpoint="/pool"), "tank", own="zfs")
    assert pool == FilesystemSpec(type="zfs", label="tank", mountpoint="/pool")
    for wrong, own_type, words in (
        (FilesystemSpec(type="ext4"), "btrfs", "no ext4 can be made on it"),
        (FilesystemSpec(label="x"), "zfs", "the label of a zfs filesystem is its name, tank"),
        (FilesystemSpec(mountpoint="/etc"), "zfs", "belongs to the system"),
    ):
        with pytest.raises(BadInput, match=words):
            complete_filesystem(wrong, "tank", own=own_type)
