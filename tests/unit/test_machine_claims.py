"""Why a disk is taken: everything that open(O_EXCL) sees, and what it misses, on made trees of /sys and /proc."""

import subprocess
from pathlib import Path

import pytest

from raidtui.machine.contents.btrfs_superblock import count_btrfs_devices
from raidtui.machine.contents.unknown_data import Unknown
from raidtui.machine.mounts import is_below
from raidtui.machine.tools import find_tool
from raidtui.model.machine import Claim, ClaimKind, Disk, Weight
from raidtui.model.struct import to_json
from tests.unit.machine_trees import GIB, MadeTree, put_superblock, put_superblock_at_end


@pytest.fixture
def made(tmp_path: Path) -> MadeTree:
    return MadeTree(tmp_path)


def only(disk: Disk, kind: ClaimKind) -> Claim:
    """The one claim of that kind."""
    (claim,) = [claim for claim in disk.taken_by if claim.what is kind]
    return claim


def test_a_disk_with_nothing_on_it_is_free(made: MadeTree) -> None:
    made.disk("sda")
    disk = made.read_disk("sda")
    assert disk.free
    assert disk.choosable
    assert disk.taken_by == ()


def test_samples_are_taken_only_where_nothing_else_is_found(made: MadeTree) -> None:
    for name in ("sda", "sdb"):
        made.disk(name)
        made.unexplained[f"/dev/{name}"] = Unknown(words="random bytes from end to end")
    made.signature("/dev/sdb", "ext4")

    assert only(made.read_disk("sda"), ClaimKind.UNKNOWN_DATA).weight is Weight.DATA
    assert made.read_disk("sda").choosable
    assert [claim.what for claim in made.read_disk("sdb").taken_by] == [ClaimKind.FILESYSTEM]


@pytest.mark.parametrize("late", ["/dev/sda", "/dev/sda1"])
def test_what_does_not_answer_in_time_is_unknown_and_not_blank(made: MadeTree, late: str) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    made.slow.add(late)
    disk = made.read_disk("sda")
    claim = only(disk, ClaimKind.UNREADABLE)
    assert (claim.device, claim.detail) == (late, "it cannot be read: wipefs did not end within 20 s")
    assert not disk.choosable


def test_an_array_that_does_not_answer_in_time_says_so(made: MadeTree) -> None:
    made.disk("sda")
    made.array("md127", [("sda", "0", "in_sync")])
    made.slow.add("/dev/md127")
    (array,) = made.read().arrays
    assert array.unread == "wipefs did not end within 20 s"


def test_a_partition_without_a_signature_may_hold_data_all_the_same(made: MadeTree) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    made.signature("/dev/sda", "gpt")
    made.unexplained["/dev/sda1"] = Unknown(words="bcachefs filesystem, which wipefs does not know")
    claim = only(made.read_disk("sda"), ClaimKind.UNKNOWN_DATA)
    assert (claim.device, claim.detail) == ("/dev/sda1", "bcachefs filesystem, which wipefs does not know")


def test_remains_are_shown_on_a_disk_that_is_free(made: MadeTree) -> None:
    made.disk("sda")
    made.unexplained["/dev/sda"] = Unknown(words="remains of old data", what=ClaimKind.REMAINS)
    disk = made.read_disk("sda")
    assert only(disk, ClaimKind.REMAINS).weight is Weight.DATA
    assert disk.free


def test_data_in_a_partition_is_shown_wherever_it_begins(made: MadeTree) -> None:
    """Such as parity that begins with zeros: the table refers to it, so the disk is not free."""
    made.disk("sda")
    made.partition("sda", 1)
    made.signature("/dev/sda", "gpt")
    made.unexplained["/dev/sda1"] = Unknown(words="remains of old data", what=ClaimKind.REMAINS)
    disk = made.read_disk("sda")
    assert only(disk, ClaimKind.UNKNOWN_DATA).device == "/dev/sda1"
    assert not disk.free


LOST = Unknown(words="ext4 at 129 MiB, where md puts the data of a member", what=ClaimKind.OVERWRITTEN)


@pytest.mark.parametrize("table", [False, True])
def test_data_without_its_superblock_is_not_free_and_an_empty_table_does_not_hide_it(
    made: MadeTree, *, table: bool
) -> None:
    made.disk("sda")
    made.unexplained["/dev/sda"] = LOST
    if table:
        made.signature("/dev/sda", "gpt")
    disk = made.read_disk("sda")
    assert only(disk, ClaimKind.OVERWRITTEN).weight is Weight.DATA
    assert not disk.free


@pytest.mark.parametrize("in_use", [False, True])
def test_a_filesystem_that_began_before_the_table_was_made_shows_unless_a_partition_is_in_use(
    made: MadeTree, *, in_use: bool
) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    made.signature("/dev/sda", "gpt")
    if in_use:
        made.signature("/dev/sda1", "ext4")
    made.unexplained["/dev/sda"] = Unknown(words="XFS without its beginning", began=True)
    claims = [one for one in made.read_disk("sda").taken_by if one.what is ClaimKind.UNKNOWN_DATA]
    assert [one.detail for one in claims] == (
        [] if in_use else ["XFS without its beginning. It is older than the partition table"]
    )


def test_the_unit_of_a_copy_is_known_of_a_disk_and_of_a_partition(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.partition("sdb", 1)
    made.unexplained["/dev/sda"] = made.unexplained["/dev/sdb1"] = Unknown(
        words="a copy", what=ClaimKind.OVERWRITTEN, unit="u-1"
    )
    for name in ("sda", "sdb"):
        assert only(made.read_disk(name), ClaimKind.OVERWRITTEN).unit == "u-1"


def test_a_signature_on_the_disk_makes_a_copy_no_finding(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "ext4")
    made.unexplained["/dev/sda"] = Unknown(words="a copy", what=ClaimKind.OVERWRITTEN, unit="u-1")
    assert ClaimKind.OVERWRITTEN not in {one.what for one in made.read_disk("sda").taken_by}


def test_what_only_remains_below_an_empty_table_is_not_shown(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "gpt")
    made.unexplained["/dev/sda"] = Unknown(words="remains of old data", what=ClaimKind.REMAINS)
    assert [claim.what for claim in made.read_disk("sda").taken_by] == [ClaimKind.PARTITION_TABLE]


def test_a_disk_with_remains_may_be_the_member_that_an_array_lacks(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.signature("/dev/sdb", "linux_raid_member", uuid="0f" * 16)
    put_superblock(made, "/dev/sdb")
    made.unexplained["/dev/sda"] = Unknown(words="remains of old data", what=ClaimKind.REMAINS)
    claim = only(made.read_disk("sda"), ClaimKind.OVERWRITTEN)
    assert "lacks a member, and this disk may be it" in claim.detail
    assert not made.read_disk("sda").free


def test_a_line_that_names_a_disk_does_not_hide_what_is_on_it(made: MadeTree) -> None:
    made.disk("sda")
    made.write("/etc/fstab", "/dev/sda /srv auto defaults 0 0\n")
    made.unexplained["/dev/sda"] = Unknown(words="bcachefs filesystem")
    assert {c.what for c in made.read_disk("sda").taken_by} == {ClaimKind.CONFIGURED, ClaimKind.UNKNOWN_DATA}


def test_half_of_a_btrfs_is_a_part_of_something_larger(made: MadeTree) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    made.signature("/dev/sda", "btrfs", uuid="u-1")
    made.btrfs_devices["/dev/sda"] = 2  # the other one is in a drawer
    for name in ("sdb", "sdc"):
        made.signature(f"/dev/{name}", "btrfs", uuid="u-2")
    half, one = (only(made.read_disk(name), ClaimKind.BTRFS_POOL) for name in ("sda", "sdb"))
    assert half.detail.startswith("one of 2 devices of a Btrfs filesystem, not mounted (1 of them here)")
    assert one.detail.startswith("one of 2 devices of a Btrfs filesystem, not mounted (all of them here)")


def test_a_btrfs_beside_its_clone_is_not_larger(made: MadeTree) -> None:
    for name in ("sda", "sdb", "sdc", "sdd"):
        made.disk(name)
        made.signature(f"/dev/{name}", "btrfs", uuid="u-1" if name < "sdc" else "u-2")
        made.btrfs_devices[f"/dev/{name}"] = 1
    (claim,) = made.read_disk("sda").taken_by
    assert claim.what is ClaimKind.BTRFS
    assert "not mounted (2 devices here have its UUID: a clone is among them)" in claim.detail
    for name in ("sdc", "sdd"):  # a RAID1 with its superblocks at the end
        made.signature(f"/dev/{name}", "linux_raid_member", uuid="array")
    assert not any("clone" in claim.detail for claim in made.read_disk("sdc").taken_by)


def test_a_btrfs_on_one_disk_is_a_filesystem_like_others(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "btrfs", uuid="u-1")
    made.btrfs_devices["/dev/sda"] = 1
    assert only(made.read_disk("sda"), ClaimKind.BTRFS).detail.startswith("Btrfs filesystem, not mounted")


@pytest.mark.processes
def test_the_superblock_of_btrfs_says_how_many_devices_it_has(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    for file in files:
        with file.open("wb") as made:
            made.truncate(200 * 1024**2)
    mkfs = find_tool("mkfs.btrfs")
    assert mkfs is not None
    subprocess.run([mkfs, "--quiet", *files], check=True)
    assert [count_btrfs_devices(str(file)) for file in files] == [2, 2]
    with files[1].open("r+b") as made:
        made.seek(64 * 1024 + 0xC9)  # the devid: 0 while a replacement copies another device to it
        made.write(bytes(8))
    assert count_btrfs_devices(str(files[1])) == 0
    assert count_btrfs_devices(__file__) is None
    assert count_btrfs_devices(str(tmp_path / "none")) is None


def test_a_mount_is_found_by_number_and_freed_by_umount(made: MadeTree) -> None:
    made.disk("sda")
    number = made.partition("sda", 1)
    made.signature("/dev/sda1", "ext4", label="photos")
    made.mounts(f"{number} /dev/root /srv/my\\040photos ext4")
    disk = made.read_disk("sda")
    claim = only(disk, ClaimKind.MOUNT)
    assert claim.device == "/dev/sda1"
    assert claim.detail == 'ext4 "photos" mounted at /srv/my photos'
    assert claim.how_to_free == "umount '/srv/my photos'"
    assert claim.weight is Weight.BUSY
    assert disk.partitions[0].mountpoints == ("/srv/my photos",)
    assert not disk.choosable


def test_a_mount_in_another_namespace_only_is_found(made: MadeTree) -> None:
    number = made.disk("sda")
    made.mounts(f"{number} /dev/sda /mnt ext4", pid="77", namespace="mnt:[2]")
    made.write("/proc/77/comm", "dockerd\n")
    claim = only(made.read_disk("sda"), ClaimKind.MOUNT)
    assert claim.detail == "ext4 mounted at /mnt in another mount namespace, that of process 77 (dockerd)"
    assert claim.how_to_free == "nsenter --mount=/proc/77/ns/mnt umount /mnt"


def test_root_of_a_container_is_not_the_running_system(made: MadeTree) -> None:
    number = made.disk("sda")
    made.mounts(f"{number} /dev/sda / ext4", pid="77", namespace="mnt:[2]")
    assert only(made.read_disk("sda"), ClaimKind.MOUNT).weight is Weight.BUSY


def test_root_of_process_one_is_the_running_system_even_from_a_chroot(made: MadeTree) -> None:
    number = made.disk("sda")
    made.mounts(f"{number} /dev/sda / ext4", pid="1", namespace="mnt:[2]")
    assert only(made.read_disk("sda"), ClaimKind.SYSTEM).weight is Weight.SYSTEM


@pytest.mark.parametrize("target", ["/", "/boot", "/boot/efi", "/usr", "/var"])
def test_the_running_system_makes_its_disk_untouchable(made: MadeTree, target: str) -> None:
    made.disk("sda")
    number = made.partition("sda", 2)
    made.mounts(f"{number} /dev/sda2 {target} ext4")
    disk = made.read_disk("sda")
    claim = only(disk, ClaimKind.SYSTEM)
    assert claim.weight is Weight.SYSTEM
    assert target in claim.detail
    assert not disk.choosable


def test_the_running_system_is_followed_through_lvm_luks_and_md_to_every_disk(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.partition("sda", 1)
    made.partition("sdb", 1)
    made.array("md0", [("sda1", "0", "in_sync"), ("sdb1", "1", "in_sync")], level="raid1")
    made.disk("dm-0", dm__name="crypt", dm__uuid="CRYPT-LUKS2-abc-crypt")
    root = made.disk("dm-1", dm__name="vg-root", dm__uuid="LVM-abc")
    made.stack("dm-0", "md0")
    made.stack("dm-1", "dm-0")
    made.mounts(f"{root} /dev/mapper/vg-root / ext4")
    machine = made.read()
    assert [disk.name for disk in machine.disks] == ["sda", "sdb"]
    for disk in machine.disks:
        claim = only(disk, ClaimKind.SYSTEM)
        assert claim.device == f"{disk.path}1"
        assert claim.detail == "the running system is on it: / through LVM volume vg-root"


def test_the_running_system_on_btrfs_takes_both_devices_though_the_mount_names_one(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    for name in ("sda", "sdb"):
        made.write(f"/sys/fs/btrfs/1234/devices/{name}/dev", "8:0")
    made.write("/sys/fs/btrfs/1234/label", "system")
    made.mounts("0:33 /dev/sda / btrfs")
    assert only(made.read_disk("sda"), ClaimKind.SYSTEM)
    assert only(made.read_disk("sdb"), ClaimKind.SYSTEM)


def test_the_running_system_on_zfs_is_known_by_its_pool(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "zfs_member", label="rpool")
    made.mounts("0:33 rpool/ROOT/debian / zfs")
    assert only(made.read_disk("sda"), ClaimKind.SYSTEM)


def test_the_second_device_of_a_mounted_btrfs_is_taken(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    for name in ("sda", "sdb"):
        made.write(f"/sys/fs/btrfs/1234/devices/{name}/dev", "8:0")
    made.signature("/dev/sdb", "btrfs", label="My Pair")
    made.mounts("0:33 /dev/sda /srv btrfs")
    assert only(made.read_disk("sda"), ClaimKind.MOUNT).how_to_free == "umount /srv"
    claim = only(made.read_disk("sdb"), ClaimKind.BTRFS)
    assert claim.weight is Weight.BUSY
    assert claim.detail == 'member of Btrfs "My Pair" (2 devices), mounted at /srv'
    assert claim.how_to_free == "umount /srv"


def test_a_mounted_btrfs_whose_mount_names_no_device_here_is_taken(made: MadeTree) -> None:
    made.disk("sda")
    made.write("/sys/fs/btrfs/1234/devices/sda/dev", "8:0")
    made.mounts("0:33 /dev/mapper/gone /srv btrfs")
    claim = only(made.read_disk("sda"), ClaimKind.BTRFS)
    assert claim.weight is Weight.BUSY
    assert claim.how_to_free == "unmount this Btrfs"


def test_an_unmounted_btrfs_is_data(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.signature("/dev/sda", "btrfs", uuid="1234", label="pair")
    made.signature("/dev/sdb", "btrfs", uuid="1234", label="pair")
    disk = made.read_disk("sda")
    assert only(disk, ClaimKind.BTRFS_POOL).weight is Weight.DATA
    assert "one of 2 devices" in only(disk, ClaimKind.BTRFS_POOL).detail
    assert disk.choosable
    assert not disk.free


def test_swap_is_switched_off(made: MadeTree) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    made.write("/proc/swaps", "Filename Type Size Used Priority\n/dev/sda1 partition 1048572 0 -2\n")
    claim = only(made.read_disk("sda"), ClaimKind.SWAP)
    assert (claim.weight, claim.how_to_free) == (Weight.BUSY, "swapoff /dev/sda1")


def test_swap_that_fstab_names_belongs_to_the_running_system(made: MadeTree) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    made.signature("/dev/sda1", "swap", uuid="6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f001")
    made.write("/proc/swaps", "Filename Type Size Used Priority\n/dev/sda1 partition 1048572 0 -2\n")
    made.write("/etc/fstab", "UUID=6f0d9c1e-5a3b-4d52-9a55-0c9be1a7f001 none swap sw 0 0\n")
    assert only(made.read_disk("sda"), ClaimKind.SYSTEM).how_to_free.startswith("swapoff /dev/sda1")


def test_a_member_of_a_running_array_names_it_and_what_is_mounted_on_it(made: MadeTree) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    members = [("sda", "0", "in_sync"), ("sdb", "1", "in_sync"), ("sdc", "none", "spare")]
    number = made.array("md127", members, level="raid1", raid_disks="2")
    made.link("/dev/md/tank", "../md127")
    made.mounts(f"{number} /dev/md127 /srv/tank ext4")
    claim = only(made.read_disk("sda"), ClaimKind.ARRAY)
    assert claim.detail == 'member of array "tank" (/dev/md127, RAID1), mounted at /srv/tank'
    assert claim.how_to_free == "raidtui teardown tank"  # which cleans fstab and mdadm.conf too
    spare = only(made.read_disk("sdc"), ClaimKind.ARRAY)
    assert spare.detail.startswith("spare of")
    assert spare.how_to_free == "raidtui care tank --do remove-spare --with S-sdc"


def test_a_member_of_an_inactive_array_is_freed_by_stopping_it(made: MadeTree) -> None:
    made.disk("sda")
    made.array("md127", [("sda", "none", "spare")], array_state="inactive", level="", raid_disks="", uuid="")
    claim = only(made.read_disk("sda"), ClaimKind.ARRAY)
    assert "inactive" in claim.detail
    assert claim.how_to_free == "mdadm --stop /dev/md127"


def test_a_member_of_an_array_that_is_not_assembled_is_data(made: MadeTree) -> None:
    made.disk("sda")
    made.signature(
        "/dev/sda", "linux_raid_member", uuid="d422944c-77a0-0bde-5f2e-f982c976754b", label="nas:old"
    )
    disk = made.read_disk("sda")
    claim = only(disk, ClaimKind.MD_MEMBER)
    assert claim.weight is Weight.DATA
    assert 'array "nas:old", which is not running' in claim.detail
    assert disk.choosable


def former_member(made: MadeTree, *, degraded: str = "1") -> Disk:
    """sdb, which carries the superblock of md127 of sda, an array that mdadm.conf names."""
    made.disk("sda")
    made.disk("sdb")
    made.array("md127", [("sda", "0", "in_sync")], level="raid1", raid_disks="2", degraded=degraded)
    made.signature(
        "/dev/sdb", "linux_raid_member", uuid="d422944c-77a0-0bde-5f2e-f982c976754b", label="lab:tank"
    )
    made.write("/etc/mdadm/mdadm.conf", "ARRAY /dev/md/tank UUID=d422944c:77a00bde:5f2ef982:c976754b\n")
    return made.read_disk("sdb")


def test_a_former_member_never_leads_to_the_line_of_the_running_array(made: MadeTree) -> None:
    disk = former_member(made)
    assert [claim.what for claim in disk.taken_by] == [ClaimKind.MD_MEMBER]
    assert "mdadm.conf" not in disk.taken_by[0].how_to_free


@pytest.mark.parametrize("mounted", [True, False])
def test_a_former_member_of_a_mirror_never_leads_to_the_line_that_mounts_the_array(
    made: MadeTree, mounted: bool
) -> None:
    """With metadata at the end a member of a mirror shows the filesystem that is on the array."""
    number = "9:127"
    former_member(made)
    for device in ("/dev/sdb", "/dev/md127"):
        made.signature(device, "ext4", uuid="e2a4-fs")
    made.write("/etc/fstab", "UUID=e2a4-fs /srv/tank ext4 defaults 0 2\n")
    if mounted:
        made.mounts(f"{number} /dev/md127 /srv/tank ext4")
    claims = made.read_disk("sdb").taken_by
    assert {claim.what for claim in claims} == {ClaimKind.MD_MEMBER, ClaimKind.FILESYSTEM}


def test_a_clone_never_leads_to_the_line_that_mounts_what_it_was_copied_from(made: MadeTree) -> None:
    number = made.disk("sda")
    made.disk("sdb")
    for device in ("/dev/sda", "/dev/sdb"):
        made.signature(device, "ext4", uuid="e2a4-fs", label="films")
    made.write("/etc/fstab", "LABEL=films /srv/films ext4 defaults 0 2\n")
    made.mounts(f"{number} /dev/sda /srv/films ext4")
    assert [claim.what for claim in made.read_disk("sdb").taken_by] == [ClaimKind.FILESYSTEM]
    made.mounts("")
    assert ClaimKind.CONFIGURED in {claim.what for claim in made.read_disk("sdb").taken_by}


KEPT = "keep it as it is until the array is redundant again"


@pytest.mark.parametrize(
    ("own", "running", "degraded", "words", "command"),
    [
        (
            {"events": 20, "slot": 1},
            {"events": 30, "cleared": 19},
            "1",
            "re-added",
            "raidtui care md127",
        ),
        # The bitmap has forgotten what changed since it left.
        (
            {"events": 20, "slot": 1},
            {"events": 30, "cleared": 21},
            "1",
            "has no redundancy now",
            KEPT,
        ),
        # There is no bitmap.
        (
            {"events": 20, "slot": 1, "cleared": None},
            {"events": 20, "cleared": None},
            "1",
            "has no redundancy now",
            KEPT,
        ),
        # Another device has its slot.
        (
            {"events": 20, "slot": 0},
            {"events": 30, "cleared": 19},
            "1",
            "has no redundancy now",
            KEPT,
        ),
        (
            {"events": 20, "slot": 1},
            {"events": 30, "cleared": 19},
            "0",
            "runs without it",
            "",
        ),
    ],
)
def test_a_former_member_is_re_added_rebuilt_or_erased(
    made: MadeTree,
    own: dict[str, int | None],
    running: dict[str, int | None],
    degraded: str,
    words: str,
    command: str,
) -> None:
    put_superblock(made, "/dev/sda", **running)
    put_superblock(made, "/dev/sdb", **own)
    claim = only(former_member(made, degraded=degraded), ClaimKind.MD_MEMBER)
    assert claim.weight is Weight.DATA
    assert words in claim.detail
    assert claim.how_to_free == command


def failed_array(made: MadeTree, *, state: str = "broken", **superblocks: dict[str, int | None]) -> None:
    """md127, a raid5 of three, with sda only; the others have these superblocks."""
    slot = ("0", "in_sync") if state == "broken" else ("none", "spare")
    about = {"level": "raid5", "raid_disks": "3"} if state == "broken" else {"level": "", "raid_disks": ""}
    for name in ("sda", "sdb", "sdc"):
        made.disk(name, udev={"ID_SERIAL_SHORT": f"S-{name}", "DEVLINKS": f"/dev/disk/by-id/ata-{name}"})
        made.link(f"/dev/disk/by-id/ata-{name}", f"../../{name}")
    number = made.array("md127", [("sda", *slot)], degraded="2", array_state=state, **about)
    if state == "broken":
        made.mounts(f"{number} /dev/md127 /srv/my\\040tank ext4")
    for name, stored in superblocks.items():
        made.signature(f"/dev/{name}", "linux_raid_member", uuid="d422944c-77a0-0bde-5f2e-f982c976754b")
        put_superblock(made, f"/dev/{name}", **stored)


AGAIN = "get the data first: 'raidtui status' shows how"


def test_members_that_a_failed_array_has_lost_are_never_to_be_erased(made: MadeTree) -> None:
    """Nor may it be assembled from the one that left first: mdadm would, unless others are named."""
    failed_array(made, sda={"events": 26}, sdb={"events": 19, "slot": 1}, sdc={"events": 23, "slot": 2})
    for name in ("sdb", "sdc"):
        claim = only(made.read_disk(name), ClaimKind.MD_MEMBER)
        assert "which has failed without it" in claim.detail
        assert claim.how_to_free.startswith(AGAIN)


@pytest.mark.parametrize("features", [2, 16])  # MD_FEATURE_RECOVERY_OFFSET, MD_FEATURE_REPLACEMENT
def test_a_member_that_was_still_being_rebuilt_does_not_bring_a_failed_array_back(
    made: MadeTree, features: int
) -> None:
    failed_array(made, sda={"events": 26}, sdb={"events": 25, "slot": 1, "features": features})
    claim = only(made.read_disk("sdb"), ClaimKind.MD_MEMBER)
    assert claim.how_to_free == "connect the other disks that it lost; until then keep this one as it is"


def test_a_superblock_that_a_partition_and_its_disk_show_is_the_partitions(made: MadeTree) -> None:
    """md would look for the data at the wrong place on the whole disk."""
    for name in ("sda", "sdb"):
        made.disk(name)
    size = 3 * GIB
    made.partition("sdb", 1, size=size)
    made.array(
        "md127",
        [("sda", "0", "in_sync")],
        level="raid5",
        raid_disks="3",
        degraded="2",
        array_state="broken",
        metadata_version="1.0",
    )
    put_superblock_at_end(made, "/dev/sda", 4 * GIB, events=9, active=(0,))
    for path, there in (("/dev/sdb", 4 * GIB), ("/dev/sdb1", size)):
        made.signature(path, "linux_raid_member", uuid="d422944c-77a0-0bde-5f2e-f982c976754b")
        put_superblock_at_end(made, path, there, events=7, slot=1, active=(0, 1))
    (array,) = made.read().arrays
    assert array.newest == ("/dev/sda", "/dev/sdb1")


def test_an_array_that_failed_before_a_reboot_is_assembled_by_force(made: MadeTree) -> None:
    """``mdadm --run`` would not start it: md refuses the members that are behind."""
    failed_array(
        made,
        state="inactive",
        sda={"events": 26},
        sdb={"events": 19, "slot": 1},
        sdc={"events": 23, "slot": 2},
    )
    assert only(made.read_disk("sdc"), ClaimKind.MD_MEMBER).how_to_free.startswith(AGAIN)
    (array,) = made.read().arrays
    assert array.newest == ("/dev/disk/by-id/ata-sda", "/dev/disk/by-id/ata-sdc")
    assert only(made.read_disk("sda"), ClaimKind.ARRAY).how_to_free.startswith(AGAIN), "as the others"
    put_superblock(made, "/dev/sdc", events=26, slot=2)
    assert only(made.read_disk("sdc"), ClaimKind.MD_MEMBER).how_to_free == "raidtui care tank"


def test_a_member_that_another_device_is_a_clone_of_is_left_as_it_is(made: MadeTree) -> None:
    """Nobody can tell which of the two is meant: not even added to its array."""
    failed_array(made, state="inactive", sda={}, sdb={"slot": 1, "device": 7}, sdc={"slot": 1, "device": 7})
    for name in ("sdb", "sdc"):
        claim = only(made.read_disk(name), ClaimKind.MD_MEMBER)
        assert "whose superblock another device has too" in claim.detail
        assert "mdadm" not in claim.how_to_free


def test_a_former_member_that_was_used_without_the_others_is_not_re_added(made: MadeTree) -> None:
    """It has writes of its own, which md would keep beside those of the array."""
    put_superblock(made, "/dev/sda", events=30, cleared=19)
    put_superblock(made, "/dev/sdb", events=20, slot=1, active=(1, 2))
    claim = only(former_member(made, degraded="1"), ClaimKind.MD_MEMBER)
    assert claim.how_to_free == KEPT


def test_a_path_of_a_multipath_device_is_never_to_be_erased(made: MadeTree) -> None:
    """It is the same disk as the multipath device, with the same data."""
    made.disk("sda")
    made.signature("/dev/sda", "mpath_member")
    claim = only(made.read_disk("sda"), ClaimKind.MULTIPATH)
    assert claim.weight is Weight.UNUSABLE
    assert "raidtui does not build on multipath devices" in claim.how_to_free


def test_a_member_that_an_inactive_array_lacks_is_added_to_it(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.array("md127", [("sda", "none", "spare")], array_state="inactive", level="", raid_disks="")
    put_superblock(made, "/dev/sda")
    made.signature(
        "/dev/sdb", "linux_raid_member", uuid="d422944c-77a0-0bde-5f2e-f982c976754b", label="lab:tank"
    )
    claim = only(made.read_disk("sdb"), ClaimKind.MD_MEMBER)
    assert "which is not started" in claim.detail
    assert claim.how_to_free == "raidtui care tank"


def test_what_stands_on_an_array_goes_before_its_teardown(made: MadeTree) -> None:
    for name in ("sda", "sdb"):
        made.disk(name)
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid1")
    made.link("/dev/md/tank", "../md127")
    made.disk("dm-0", dm__name="vault", dm__uuid="CRYPT-LUKS2-abc-vault")
    made.stack("dm-0", "md127")
    claim = only(made.read_disk("sda"), ClaimKind.ARRAY)
    assert claim.how_to_free == "cryptsetup close vault && raidtui teardown tank"


def test_an_array_of_arrays_is_freed_by_the_teardown_of_the_topmost(made: MadeTree) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    made.array("md126", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid0", uuid="1" * 32)
    made.array("md127", [("md126", "0", "in_sync"), ("sdc", "1", "in_sync")], level="raid1")
    made.mounts("9:127 /dev/md127 /srv/t ext4", "0:40 none /srv/t tmpfs")
    for name in ("sdc", "sda"):
        assert (
            only(made.read_disk(name), ClaimKind.ARRAY).how_to_free
            == "umount /srv/t && raidtui teardown md127"
        )


def test_an_array_of_arrays_that_is_also_on_a_volume_is_stopped_because_no_teardown_takes_it(
    made: MadeTree,
) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    made.disk("dm-0", dm__name="vg0-lv", dm__uuid=f"LVM-{'g' * 32}{'d' * 32}")
    made.stack("dm-0", "sdc")
    made.array("md126", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid0", uuid="1" * 32)
    made.array("md127", [("md126", "0", "in_sync"), ("dm-0", "1", "in_sync")], level="raid1")
    inner = only(made.read_disk("sda"), ClaimKind.ARRAY)
    assert inner.how_to_free == "mdadm --stop /dev/md127 && mdadm --stop /dev/md126"


@pytest.mark.parametrize("more", [False, True])
def test_an_array_on_a_partition_of_an_array_is_freed_with_it_unless_that_has_others(
    made: MadeTree, more: bool
) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.array("md126", [("sda", "0", "in_sync")], level="raid1", uuid="1" * 32)
    made.partition("md126", 1)
    if more:
        made.partition("md126", 2)
    made.array("md127", [("md126p1", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid1")
    stopped = "mdadm --stop /dev/md127 && mdadm --stop /dev/md126"
    how = only(made.read_disk("sda"), ClaimKind.ARRAY).how_to_free
    assert how == (stopped if more else "raidtui teardown md127")


def test_an_array_in_a_group_that_spans_other_disks_is_stopped_because_no_teardown_takes_it(
    made: MadeTree,
) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid1")
    made.signature("/dev/md127", "LVM2_member", uuid="pv-1")
    number = made.disk("dm-0", dm__name="vg0-lv", dm__uuid=f"LVM-{'g' * 32}{'d' * 32}")
    made.stack("dm-0", "md127", "sdc")
    made.mounts(f"{number} /dev/mapper/vg0-lv /srv/t ext4")
    assert only(made.read_disk("sda"), ClaimKind.ARRAY).how_to_free == (
        "umount /srv/t && lvchange --activate n vg0/lv && mdadm --stop /dev/md127"
    )


@pytest.mark.parametrize("other", ["btrfs", "zfs_member"])
def test_an_array_with_a_part_of_a_filesystem_of_several_devices_is_only_stopped(
    made: MadeTree, other: str
) -> None:
    for name in ("sda", "sdb", "sdc"):
        made.disk(name)
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid1")
    made.signature("/dev/md127", other, uuid="pool")
    made.signature("/dev/sdc", other, uuid="pool")
    assert only(made.read_disk("sda"), ClaimKind.ARRAY).how_to_free == "mdadm --stop /dev/md127"


def test_volumes_with_snapshots_are_deactivated_with_their_group(made: MadeTree) -> None:
    """LVM refuses to deactivate a snapshot alone."""
    group = "LVM-" + "g" * 32
    made.disk("sda")
    numbers = [
        made.disk(f"dm-{n}", dm__name=f"vg0-{name}", dm__uuid=f"{group}{uuid * 32}{suffix}")
        for n, (name, uuid, suffix) in enumerate(
            [("lv-real", "d", "-real"), ("snap-cow", "s", "-cow"), ("lv", "d", ""), ("snap", "s", "")]
        )
    ]
    for lower, uppers in (("sda", ("dm-0", "dm-1")), ("dm-0", ("dm-2", "dm-3")), ("dm-1", ("dm-3",))):
        for upper in uppers:
            made.stack(upper, lower)
    made.mounts(
        f"{numbers[2]} /dev/mapper/vg0-lv /srv/t ext4", f"{numbers[3]} /dev/mapper/vg0-snap /srv/t/old ext4"
    )
    (how,) = {claim.how_to_free for claim in made.read_disk("sda").taken_by if claim.what is ClaimKind.LVM}
    assert how == "umount /srv/t/old && umount /srv/t && vgchange --activate n vg0"


def test_the_volumes_of_a_firmware_raid_are_stopped_before_their_container(made: MadeTree) -> None:
    made.disk("sda")
    members = [("sda", "0", "in_sync")]
    made.array("md0", [("sda", "none", "spare")], metadata_version="external:imsm", array_state="inactive")
    made.array("md126", members, metadata_version="external:/md0/0", uuid="1" * 32, level="raid1")
    volume, container = [one for one in made.read_disk("sda").taken_by if one.what is ClaimKind.ARRAY]
    assert volume.how_to_free == "mdadm --stop /dev/md126"
    assert container.detail.startswith("member of firmware RAID set")
    assert container.how_to_free == "mdadm --stop /dev/md0", "followed in this order, both work"


def test_what_is_mounted_over_it_is_unmounted_first_and_what_is_mounted_twice_twice(made: MadeTree) -> None:
    number = made.disk("sda")
    line = f"{number} /dev/sda /srv/x ext4"
    made.mounts(
        line, line, "0:40 tmpfs /srv/x tmpfs", "0:41 tmpfs /srv/x/in tmpfs", "0:42 tmpfs /srv/y tmpfs"
    )
    claim = only(made.read_disk("sda"), ClaimKind.MOUNT)
    assert claim.how_to_free == " && ".join(["umount /srv/x/in", *["umount /srv/x"] * 3])


def test_a_tmpfs_that_calls_itself_the_disk_is_not_its_mount(made: MadeTree) -> None:
    made.disk("sda")
    made.mounts("0:40 /dev/sda /srv/x tmpfs")
    assert made.read_disk("sda").free


def test_a_mount_elsewhere_that_ends_with_ours_is_not_named_and_one_that_stays_is(made: MadeTree) -> None:
    """A service's namespace is a slave of ours: to unmount here unmounts there. A private copy stays."""
    number = made.disk("sda")
    root = "20 1 8:99 / / rw shared:1 - ext4 /dev/root rw\n"
    made.write("/proc/self/mountinfo", f"{root}30 20 {number} / /srv rw shared:7 - ext4 /dev/sda rw\n")
    for pid, tag in (("77", "master:1"), ("78", ""), ("79", "shared:9")):
        inner = f"40 1 8:99 / / rw {tag} - ext4 /dev/root rw\n".replace("  ", " ")
        made.write(f"/proc/{pid}/mountinfo", f"{inner}41 40 {number} / /srv rw - ext4 /dev/sda rw\n")
        made.link(f"/proc/{pid}/ns/mnt", f"mnt:[{pid}]")
    elsewhere = made.read().mounts_elsewhere
    assert {one.pid for one in elsewhere if one.mount.target == "/srv"} == {78, 79}
    hows = {c.how_to_free for c in made.read_disk("sda").taken_by if c.what is ClaimKind.MOUNT}
    assert hows == {
        "umount /srv",
        "nsenter --mount=/proc/78/ns/mnt umount /srv",
        "nsenter --mount=/proc/79/ns/mnt umount /srv",
    }


def test_a_physical_volume_cannot_be_used_while_lvm_does_not_answer(made: MadeTree) -> None:
    """Its group may be active on another disk, which nothing on this one shows."""
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member")
    assert only(made.read_disk("sda"), ClaimKind.LVM).weight is Weight.DATA  # LVM is not installed
    made.programs["lvm version"] = "LVM version: 2.03.16"  # and pvs does not end in time
    disk = made.read_disk("sda")
    claim = only(disk, ClaimKind.UNREADABLE)
    assert "LVM does not answer" in claim.detail
    assert not disk.choosable


def test_an_active_volume_is_deactivated_by_its_lvm_name(made: MadeTree) -> None:
    made.disk("sda")
    number = made.disk("dm-0", dm__name="my--vg-films", dm__uuid="LVM-abc")
    made.stack("dm-0", "sda")
    made.mounts(f"{number} /dev/mapper/my--vg-films /srv/films xfs")
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.detail == 'in volume group "my-vg" (volume films), mounted at /srv/films'
    assert claim.how_to_free == "umount /srv/films && lvchange --activate n my-vg/films"


def test_a_group_that_would_stay_active_on_another_disk_is_deactivated_as_a_whole(made: MadeTree) -> None:
    group = "LVM-" + "g" * 32
    for disk, mapped, name in (("sda", "dm-0", "one"), ("sdb", "dm-1", "two")):
        made.disk(disk)
        made.disk(mapped, dm__name=f"vg-{name}", dm__uuid=f"{group}{name[0] * 32}")
        made.stack(mapped, disk)
    for disk in ("sda", "sdb"):
        how = only(made.read_disk(disk), ClaimKind.LVM).how_to_free
        assert how == "lvchange --activate n vg/one && lvchange --activate n vg/two"


def test_a_leg_of_a_raid_volume_goes_with_the_volume(made: MadeTree) -> None:
    group = "LVM-" + "g" * 32
    made.disk("sda")
    made.disk("dm-0", dm__name="tank-data_rimage_0", dm__uuid=f"{group}{'i' * 32}")
    made.disk("dm-1", dm__name="tank-data", dm__uuid=f"{group}{'d' * 32}")
    made.disk("dm-2", dm__name="tank-data_rmeta_0", dm__uuid=f"{group}{'m' * 32}")
    for leg in ("dm-0", "dm-2"):
        made.stack(leg, "sda")
        made.stack("dm-1", leg)
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.detail == 'in volume group "tank" (volume data)'
    assert claim.how_to_free == "lvchange --activate n tank/data"


PVS = """{"report": [{"pv": [
 {"pv_name": "/dev/sda", "vg_name": "data", "vg_uuid": "ab-cd", "pv_count": "2"},
 {"pv_name": "/dev/sdb", "vg_name": "data", "vg_uuid": "ab-cd", "pv_count": "2"}]}]}"""


def test_a_physical_volume_of_an_inactive_group_is_data(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs["lvm"] = PVS
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.weight is Weight.DATA
    assert 'one of 2 in the volume group "data", which is not active' in claim.detail


def test_a_physical_volume_is_busy_while_its_group_is_active_on_another_disk(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("sdb")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs["lvm"] = PVS
    made.disk("dm-0", dm__name="data-films", dm__uuid="LVM-abcdxyz")
    made.stack("dm-0", "sdb")
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.weight is Weight.BUSY
    assert claim.how_to_free == "lvchange --activate n data/films", "whether vgreduce would work is not known"
    made.programs["lvm"] = PVS.replace('"data", ', '"data", "pv_pe_alloc_count": "0", ', 1)
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.how_to_free == "raidtui teardown S-sda"


def test_a_physical_volume_of_a_group_whose_metadata_is_missing_is_not_active_elsewhere(
    made: MadeTree,
) -> None:
    """LVM gives no UUID of such a group, which every volume would match."""
    for name in ("sda", "sdb"):
        made.disk(name)
        made.signature(f"/dev/{name}", "LVM2_member", uuid=f"pv-{name}")
    made.programs["lvm"] = PVS.replace('"data", "vg_uuid": "ab-cd"', '"[unknown]", "vg_uuid": ""', 1)
    made.disk("dm-0", dm__name="data-films", dm__uuid="LVM-abcdxyz")
    made.stack("dm-0", "sdb")
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.weight is Weight.DATA
    assert "whose metadata LVM cannot read" in claim.detail


def test_an_empty_physical_volume_is_freed_with_the_volumes_on_another_partition_of_its_disk(
    made: MadeTree,
) -> None:
    made.disk("sda")
    for number in (1, 2):
        made.partition("sda", number)
        made.signature(f"/dev/sda{number}", "LVM2_member", uuid=f"pv-{number}")
    rows = PVS.replace("/dev/sda", "/dev/sda1").replace("/dev/sdb", "/dev/sda2")
    made.programs["lvm"] = rows.replace('"data", "vg_uuid"', '"data", "pv_pe_alloc_count": "0", "vg_uuid"')
    made.disk("dm-0", dm__name="data-films", dm__uuid="LVM-abcdxyz")
    made.stack("dm-0", "sda1")
    used, unused = [one for one in made.read_disk("sda").taken_by if one.what is ClaimKind.LVM]
    assert used.how_to_free == unused.how_to_free == "lvchange --activate n data/films"
    assert unused.detail.endswith("which is active on another partition of this disk")


def pvs(**about: str) -> str:
    """What pvs says of /dev/sda, in a volume group of two disks."""
    row = {"pv_name": "/dev/sda", "vg_name": "data", "vg_uuid": "ab-cd", "pv_count": "2"} | about
    return to_json({"report": [{"pv": [row]}]})


def test_a_volume_group_of_another_system_is_busy_and_the_claim_says_whose_it_is(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs |= {"lvm pvs": pvs(vg_systemid="nas-2"), "lvm systemid": "  system ID: nas-1\n"}
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.weight is Weight.BUSY
    assert claim.detail == 'in the LVM volume group "data" of another system, "nas-2"'
    assert claim.how_to_free == (
        "remove the volume group on that system; if that no longer exists: raidtui teardown S-sda"
    )


def test_a_volume_group_with_the_system_id_of_this_computer_is_its_own(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs |= {"lvm pvs": pvs(vg_systemid="nas-1"), "lvm systemid": "  system ID: nas-1\n"}
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.weight is Weight.DATA
    assert 'in the volume group "data", which is not active' in claim.detail


def test_a_volume_group_of_a_cluster_is_busy_though_nothing_here_uses_it(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs["lvm pvs"] = pvs(vg_lock_type="sanlock")
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.weight is Weight.BUSY
    assert claim.detail == 'in the LVM volume group "data" that a cluster shares through sanlock'


def test_a_group_that_is_active_here_is_told_by_its_volumes_whoever_owns_it(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs["lvm pvs"] = pvs(vg_lock_type="sanlock")
    made.disk("dm-0", dm__name="data-films", dm__uuid="LVM-abcdxyz")
    made.stack("dm-0", "sda")
    claim = only(made.read_disk("sda"), ClaimKind.LVM)
    assert claim.detail == 'in volume group "data" (volume films)'


def test_a_group_that_raidtui_built_is_removed_by_its_teardown(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs["lvm pvs"] = pvs(vg_tags="home,raidtui.0f370fa5-5555-5fd3-89b9-caa60eb93290")
    made.disk("dm-0", dm__name="data-films", dm__uuid="LVM-abcdxyz")
    made.stack("dm-0", "sda")
    assert only(made.read_disk("sda"), ClaimKind.LVM).how_to_free == "raidtui teardown data"


def test_an_exported_group_and_one_with_a_missing_disk_are_data_and_say_so(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "LVM2_member", uuid="pv-uuid")
    made.programs["lvm pvs"] = pvs(vg_exported="exported")
    exported = only(made.read_disk("sda"), ClaimKind.LVM)
    made.programs["lvm pvs"] = pvs(vg_missing_pv_count="1")
    partial = only(made.read_disk("sda"), ClaimKind.LVM)
    assert {exported.weight, partial.weight} == {Weight.DATA}
    assert 'one of 2 in the volume group "data", which was exported' in exported.detail
    assert 'in the volume group "data", which is not active, 1 of its disks missing' in partial.detail


def test_an_opened_luks_device_is_closed_and_a_closed_one_is_data(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("dm-0", dm__name="vault", dm__uuid="CRYPT-LUKS2-abc-vault")
    made.stack("dm-0", "sda")
    made.signature("/dev/sda", "crypto_LUKS", uuid="1")
    made.disk("sdb")
    made.signature("/dev/sdb", "crypto_LUKS", uuid="2")
    opened = made.read_disk("sda")
    assert [claim.how_to_free for claim in opened.taken_by] == ["cryptsetup close vault"]
    assert only(made.read_disk("sdb"), ClaimKind.LUKS).weight is Weight.DATA


@pytest.mark.parametrize(("uuid", "tool"), [("INTEGRITY", "integritysetup"), ("VERITY-0a", "veritysetup")])
def test_a_device_that_is_not_encrypted_is_closed_by_the_program_that_opened_it(
    made: MadeTree, uuid: str, tool: str
) -> None:
    made.disk("sda")
    made.disk("dm-0", dm__name="checked", dm__uuid=f"CRYPT-{uuid}-checked")
    made.stack("dm-0", "sda")
    claim = only(made.read_disk("sda"), ClaimKind.DEVICE_MAPPER)
    assert claim.how_to_free == f"{tool} close checked"
    assert "encrypted" not in claim.detail


def test_a_path_of_a_multipath_device_cannot_be_used(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("dm-0", dm__name="mpatha", dm__uuid="mpath-3600508b")
    made.disk("sdb")
    made.stack("dm-0", "sda", "sdb")
    claim = only(made.read_disk("sda"), ClaimKind.MULTIPATH)
    assert claim.weight is Weight.UNUSABLE
    assert claim.how_to_free.startswith("multipath -f mpatha, and exclude the disk")


def test_two_paths_of_a_multipath_device_are_not_told_to_become_one(made: MadeTree) -> None:
    """What is built on the device is named, and goes first."""
    for name in ("sda", "sdb", "sdc"):
        made.disk(name, udev={"ID_SERIAL_SHORT": f"S-{name}", "ID_WWN": "0x5000c500a1b2c3d4"})
    made.disk("dm-0", dm__name="mpatha", dm__uuid="mpath-3600508b")
    made.stack("dm-0", "sda", "sdb")
    made.disk("dm-1", dm__name="safe", dm__uuid="CRYPT-LUKS2-abc")
    made.stack("dm-1", "dm-0")

    first, _, third = made.read().disks

    assert only(first, ClaimKind.MULTIPATH).how_to_free.startswith(
        "cryptsetup close safe && multipath -f mpatha, and"
    )
    assert "the same WWN as /dev/sdc" in only(first, ClaimKind.DUPLICATE).detail
    assert "the same WWN as /dev/sda, /dev/sdb" in only(third, ClaimKind.DUPLICATE).detail


@pytest.mark.parametrize(
    ("uuid", "kind"),
    [
        ("DMRAID-isw_abc", ClaimKind.FIRMWARE_RAID),
        ("stratis-1-private-abc", ClaimKind.DEVICE_MAPPER),
        ("VDO-abc", ClaimKind.DEVICE_MAPPER),
        ("", ClaimKind.DEVICE_MAPPER),
    ],
)
def test_every_device_mapper_holder_is_a_claim(made: MadeTree, uuid: str, kind: ClaimKind) -> None:
    made.disk("sda")
    made.disk("dm-0", dm__name="thing", dm__uuid=uuid)
    made.stack("dm-0", "sda")
    assert only(made.read_disk("sda"), kind).weight is Weight.BUSY


def test_a_whole_device_behind_a_loop_device_is_taken(made: MadeTree) -> None:
    made.disk("sda")
    number = made.disk("loop0", loop__backing_file="/dev/disk/by-id/ata-X_S-sda")
    made.link("/dev/disk/by-id/ata-X_S-sda", "../../sda")
    made.mounts(f"{number} /dev/loop0 /mnt ext4")
    claim = only(made.read_disk("sda"), ClaimKind.LOOP)
    assert claim.how_to_free == "umount /mnt && losetup --detach /dev/loop0"


def test_an_image_on_a_disk_is_detached_before_the_disk_is_unmounted(made: MadeTree) -> None:
    number = made.disk("sda")
    other = made.disk("loop0", udev={}, loop__backing_file="/srv/a/image")
    made.mounts(f"{number} /dev/sda /srv/a ext4", f"{other} /dev/loop0 /srv/image ext4")
    disk = made.read_disk("sda")
    image, mount = (one for one in disk.taken_by if one.weight is Weight.BUSY)
    free = "umount /srv/image && losetup --detach /dev/loop0"
    assert (image.what, image.how_to_free) == (ClaimKind.LOOP, free)
    assert (mount.what, mount.how_to_free) == (ClaimKind.MOUNT, f"{free} && umount /srv/a")


def test_a_loop_device_that_goes_with_its_last_use_is_not_detached(made: MadeTree) -> None:
    number = made.disk("sda")
    other = made.disk("loop0", udev={}, loop__backing_file="/srv/a/image", loop__autoclear="1")
    made.mounts(f"{number} /dev/sda /srv/a ext4", f"{other} /dev/loop0 /srv/image ext4")
    mount = only(made.read_disk("sda"), ClaimKind.MOUNT)
    assert mount.how_to_free == "umount /srv/image && umount /srv/a"


def test_a_swap_file_is_switched_off_before_its_disk_is_unmounted(made: MadeTree) -> None:
    number = made.disk("sda")
    made.mounts(f"{number} /dev/sda /srv/a ext4")
    made.write("/proc/swaps", "Filename Type\n/srv/a/swap\\040file file 1 0 -2\n/swap file 1 0 -2\n")
    disk = made.read_disk("sda")
    swap, mount = (one for one in disk.taken_by if one.weight is Weight.BUSY)
    assert swap.detail == "the file /srv/a/swap file on it is in use as swap"
    assert swap.how_to_free == "swapoff '/srv/a/swap file'"
    assert mount.how_to_free == "swapoff '/srv/a/swap file' && umount /srv/a"


def test_a_swap_file_on_an_array_goes_before_its_teardown(made: MadeTree) -> None:
    for disk in ("sda", "sdb"):
        made.disk(disk)
    number = made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")])
    made.mounts(f"{number} /dev/md127 /srv/a ext4")
    made.write("/proc/swaps", "Filename Type\n/srv/a/swap file 1 0 -2\n")
    how = only(made.read_disk("sda"), ClaimKind.ARRAY).how_to_free
    assert how.startswith("swapoff /srv/a/swap && raidtui teardown ")


def test_an_overlay_of_folders_on_a_disk_is_unmounted_first(made: MadeTree) -> None:
    number = made.disk("sda")
    line = "30 1 {} / {} rw shared:1 - {} {} rw{}\n"
    rows = [
        line.format(number, "/srv/a", "ext4", "/dev/sda", ""),
        line.format("0:50", "/srv/over", "overlay", "none", ",lowerdir=/low:/srv/a/low,upperdir=/up"),
        line.format("0:51", "/srv/over/in", "tmpfs", "none", ""),
        line.format("0:52", "/srv/other", "overlay", "none", ",lowerdir=/srv/ab"),
    ]
    made.write("/proc/self/mountinfo", "".join(rows))
    mount = only(made.read_disk("sda"), ClaimKind.MOUNT)
    assert mount.how_to_free == "umount /srv/over/in && umount /srv/over && umount /srv/a"


def test_a_loop_device_over_a_file_takes_no_disk(made: MadeTree) -> None:
    made.disk("sda")
    made.disk("loop0", loop__backing_file="/srv/image.img")
    assert made.read_disk("sda").free


def test_a_process_with_the_disk_open_is_named(made: MadeTree) -> None:
    made.disk("sda")
    made.process(4242, "dd", "/dev/sda", writes=True)
    claim = only(made.read_disk("sda"), ClaimKind.PROCESS)
    assert claim.detail == "open for writing by process 4242 (dd)"
    assert claim.how_to_free == "end dd (process 4242)"


JOB = "20261122-041530-tank"
STATE = "/var/lib/raidtui/jobs"


def test_a_job_of_raidtui_is_named_and_never_to_be_killed(made: MadeTree) -> None:
    made.disk("sda")
    made.process(787, "python3", "/dev/sda", writes=True)
    made.write("/proc/787/cmdline", f"/opt/bin/python3\0-P\0-m\0raidtui\0job\0run\0{STATE}/{JOB}\0")
    made.process(790, "dd", "/dev/sda", writes=True, parent=787)  # its command
    claim = only(made.read_disk("sda"), ClaimKind.PROCESS)
    assert claim.detail == f"raidtui job {JOB} is using it"
    assert claim.how_to_free == f"wait until that job ends; to follow it: raidtui attach {JOB}"


def test_a_job_that_only_reads_a_disk_does_not_use_it_unless_it_holds_it(made: MadeTree) -> None:
    made.disk("sda")
    made.process(787, "python3", "/dev/sda", f"{STATE}/{JOB}/lock")
    assert made.read_disk("sda").free  # it reads every disk of the computer when it starts
    made.claimed["/dev/sda"] = "the kernel reports it as busy"
    assert only(made.read_disk("sda"), ClaimKind.PROCESS).detail == f"raidtui job {JOB} is using it"


def test_a_command_that_outlives_its_job_is_still_that_jobs(made: MadeTree) -> None:
    made.disk("sda")
    made.process(790, "dd", "/dev/sda", f"{STATE}/{JOB}/commands", writes=True)
    assert only(made.read_disk("sda"), ClaimKind.PROCESS).detail == f"raidtui job {JOB} is using it"


def test_another_raidtui_that_reads_the_disks_takes_none(made: MadeTree) -> None:
    made.disk("sda")
    made.process(500, "raidtui", "/dev/sda")
    made.write("/proc/500/cmdline", "/opt/bin/python3\0/opt/bin/raidtui\0inspect\0")
    assert made.read_disk("sda").free


def test_a_process_that_only_sounds_like_a_job_is_not_one(made: MadeTree) -> None:
    made.disk("sda")
    made.process(600, "cat", "/dev/sda")
    made.write("/proc/600/cmdline", f"cat\0job\0run\0{STATE}/{JOB}\0")
    assert only(made.read_disk("sda"), ClaimKind.PROCESS).how_to_free == "end cat (process 600)"


def test_udev_its_children_and_programs_that_only_look_are_passed_over(made: MadeTree) -> None:
    made.disk("sda")
    made.process(100, "(udev-worker)", "/dev/sda")
    made.process(101, "ata_id", "/dev/sda", parent=100)
    made.process(102, "blkid", "/dev/sda")
    assert made.read_disk("sda").free


def test_a_bcache_backing_device_is_stopped_and_a_cache_unregistered(made: MadeTree) -> None:
    made.disk("sda")
    made.write("/sys/block/sda/bcache/running", "1")
    made.disk("bcache0")
    made.stack("bcache0", "sda")
    made.disk("sdb")
    made.write("/sys/block/sdb/bcache/set/uuid", "1")
    backing, cache = made.read_disk("sda"), made.read_disk("sdb")
    assert only(backing, ClaimKind.BCACHE).how_to_free == "echo 1 > /sys/block/sda/bcache/stop"
    assert only(cache, ClaimKind.BCACHE).how_to_free == "echo 1 > /sys/block/sdb/bcache/set/unregister"


def test_a_cache_in_use_is_not_called_a_backing_device(made: MadeTree) -> None:
    """The kernel lists the bcache device as a holder of both. Stopping the cache writes its data first."""
    for name in ("sda", "sdb", "bcache0"):
        made.disk(name)
    made.stack("bcache0", "sda", "sdb")
    made.write("/sys/block/sda/bcache/running", "1")
    made.write("/sys/block/sdb/bcache/set/uuid", "1")
    made.write("/sys/block/bcache0/bcache/state", "dirty")
    backing, cache = (only(made.read_disk(name), ClaimKind.BCACHE) for name in ("sda", "sdb"))
    assert backing.detail == "backing device of bcache /dev/bcache0"
    assert cache.detail == "bcache cache of /dev/bcache0, with data that is nowhere else"
    assert cache.how_to_free == "echo 1 > /sys/block/sdb/bcache/set/unregister"


def test_what_nothing_explains_is_said_by_the_kernel(made: MadeTree) -> None:
    made.disk("sda")
    made.claimed["/dev/sda"] = "the kernel reports it as busy"
    claim = only(made.read_disk("sda"), ClaimKind.EXCLUSIVE)
    assert claim.weight is Weight.BUSY
    assert "a container" in claim.how_to_free


def test_an_imported_zfs_pool_shows_only_in_o_excl(made: MadeTree) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    made.signature("/dev/sda1", "zfs_member", label="tank")
    made.claimed |= {"/dev/sda1": "busy", "/dev/sda": "busy"}
    disk = made.read_disk("sda")
    assert only(disk, ClaimKind.ZFS).how_to_free == "zpool export tank"
    assert not [claim for claim in disk.taken_by if claim.what is ClaimKind.EXCLUSIVE]


def test_an_exported_zfs_pool_is_data(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "zfs_member", label="tank")
    assert only(made.read_disk("sda"), ClaimKind.ZFS).weight is Weight.DATA


def test_the_kernel_is_not_asked_about_a_disk_whose_use_is_known(made: MadeTree) -> None:
    number = made.disk("sda")
    made.mounts(f"{number} /dev/sda /srv ext4")
    asked: list[str] = []

    def note(path: str) -> str:
        asked.append(path)
        return "busy"

    made.read(exclusive_error=note)
    assert asked == []


def test_a_read_only_disk_cannot_be_used(made: MadeTree) -> None:
    made.disk("sda", ro="1")
    claim = only(made.read_disk("sda"), ClaimKind.READ_ONLY)
    assert claim.weight is Weight.UNUSABLE
    assert "write-protect switch" in claim.how_to_free


def test_an_empty_card_reader_and_a_dead_disk_are_told_apart(made: MadeTree) -> None:
    made.disk("sda", size=0, removable="1")
    made.disk("sdb", size=0)
    assert only(made.read_disk("sda"), ClaimKind.NO_MEDIA).weight is Weight.UNUSABLE
    assert only(made.read_disk("sdb"), ClaimKind.ZERO_SIZE).weight is Weight.UNUSABLE


def test_a_disk_that_cannot_be_read_is_not_taken_for_a_blank_one(made: MadeTree) -> None:
    made.disk("sda")
    made.unreadable["/dev/sda"] = "Input/output error at byte 0"
    claim = only(made.read_disk("sda"), ClaimKind.UNREADABLE)
    assert claim.weight is Weight.UNUSABLE
    assert claim.detail == "it cannot be read: Input/output error at byte 0"


def test_host_managed_zones_forbid_md(made: MadeTree) -> None:
    made.disk("sda", queue__zoned="host-managed")
    assert only(made.read_disk("sda"), ClaimKind.ZONED).weight is Weight.UNUSABLE


def test_the_same_wwn_twice_makes_both_unusable(made: MadeTree) -> None:
    for name in ("sda", "sdb"):
        made.disk(name, udev={"ID_SERIAL_SHORT": f"S-{name}", "ID_WWN": "0x5000c500a1b2c3d4"})
    made.disk("sdc")
    first, second, other = made.read().disks
    assert "the same WWN as /dev/sdb" in only(first, ClaimKind.DUPLICATE).detail
    assert only(second, ClaimKind.DUPLICATE).weight is Weight.UNUSABLE
    assert other.free


def test_an_enclosure_that_gives_every_disk_one_serial_makes_them_unusable(made: MadeTree) -> None:
    for name in ("sda", "sdb"):
        made.disk(name, udev={"ID_SERIAL_SHORT": "JMICRON00042"})
    assert only(made.read_disk("sda"), ClaimKind.DUPLICATE).detail.startswith("the same serial number")


def test_disks_whose_bridge_makes_a_wwn_up_are_told_apart_by_their_serial_numbers(made: MadeTree) -> None:
    for name in ("sda", "sdb"):
        made.disk(name, udev={"ID_SERIAL_SHORT": f"WD-{name}", "ID_WWN": "0x0000000000000000"})
    assert made.read_disk("sda").free


def test_two_units_of_one_drive_are_unusable_for_their_serial_number_names_both(made: MadeTree) -> None:
    for name, wwn in (("sda", "0x6000c500a1b2c3d40001"), ("sdb", "0x6000c500a1b2c3d40002")):
        made.disk(name, udev={"ID_SERIAL_SHORT": "ZR500ABC", "ID_WWN_WITH_EXTENSION": wwn})
    claim = only(made.read_disk("sda"), ClaimKind.DUPLICATE)
    assert claim.weight is Weight.UNUSABLE
    assert claim.detail.startswith(
        "the same serial number as /dev/sdb, but a different WWN: two units of one"
    )


def test_a_partition_table_is_data_with_its_kind_and_partitions(made: MadeTree) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    made.partition("sda", 2)
    for offset in (0x200, 4 * GIB - 512):
        made.signature("/dev/sda", "gpt", offset=offset)
    made.signature("/dev/sda", "PMBR", offset=0x1FE)
    disk = made.read_disk("sda")
    assert only(disk, ClaimKind.PARTITION_TABLE).detail == "GPT partition table with 2 partitions"
    assert disk.partition_table == "gpt"
    assert disk.choosable


@pytest.mark.parametrize(
    ("sfdisk", "words"),
    [
        ('{"partitiontable": {"label": "gpt", "partitions": []}}', "GPT partition table without partitions"),
        ('{"partitiontable": {"label": "gpt"}}', "GPT partition table without partitions"),
        (
            '{"partitiontable": {"label": "gpt", "partitions": [{"start": 2048}, {"start": 83968}]}}',
            "GPT partition table with 2 partitions that the kernel does not show, so what is in them is unknown",
        ),
        ("{}", "GPT partition table, but the kernel shows no partitions"),
        (None, "GPT partition table, but the kernel shows no partitions"),
    ],
)
def test_of_a_table_whose_partitions_the_kernel_does_not_show_its_own_word_counts(
    made: MadeTree, sfdisk: str | None, words: str
) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "gpt", offset=0x200)
    if sfdisk is not None:
        made.programs["sfdisk"] = sfdisk
    claim = only(made.read_disk("sda"), ClaimKind.PARTITION_TABLE)
    assert (claim.detail, claim.weight) == (words, Weight.DATA)


def test_the_table_of_what_is_on_an_array_is_not_one_of_its_members(made: MadeTree) -> None:
    """With metadata at the end, the first sectors of a member are those of the array."""
    for name in ("sda", "sdb"):
        made.disk(name)
        made.signature(f"/dev/{name}", "gpt", offset=512)
        made.signature(f"/dev/{name}", "linux_raid_member", uuid="u")
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid1")
    assert {claim.what for claim in made.read_disk("sda").taken_by} == {ClaimKind.ARRAY}


def test_a_filesystem_is_data_with_label_size_and_uuid(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "xfs", uuid="6f0d9c1e", label="films")
    claim = only(made.read_disk("sda"), ClaimKind.FILESYSTEM)
    assert claim.detail == 'xfs filesystem "films", 4.00 GiB, UUID 6f0d9c1e'
    assert claim.how_to_free == ""


def test_firmware_raid_is_left_to_the_firmware(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "isw_raid_member")
    disk = made.read_disk("sda")
    assert "no longer exists: raidtui teardown S-sda" in only(disk, ClaimKind.FIRMWARE_RAID).how_to_free
    assert not disk.choosable


def test_an_unknown_signature_is_named_by_libblkids_word(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "ceph_bluestore")
    assert "ceph_bluestore" in only(made.read_disk("sda"), ClaimKind.SIGNATURE).detail


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("/etc/fstab", "UUID=6f0d9c1e-5a3b /srv/backup ext4 noauto 0 2"),
        ("/etc/fstab", "LABEL=backup /srv/backup ext4 noauto 0 2"),
        ("/etc/fstab", "/dev/disk/by-id/ata-X_S-sda /srv/backup ext4 noauto 0 2"),
        ("/etc/crypttab", "vault UUID=6f0d9c1e-5a3b none luks,noauto"),
    ],
)
def test_a_disk_that_a_configuration_names_is_claimed_with_the_line(
    made: MadeTree, file: str, line: str
) -> None:
    made.disk("sda")
    made.link("/dev/disk/by-id/ata-X_S-sda", "../../sda")
    made.signature("/dev/sda", "ext4", uuid="6f0d9c1e-5a3b", label="backup")
    made.write(file, f"# a comment\n{line}\n")
    claim = only(made.read_disk("sda"), ClaimKind.CONFIGURED)
    assert claim.weight is Weight.DATA
    assert claim.how_to_free == f"remove this line from {file}: {line}"


def test_mdadm_conf_names_arrays_by_uuid_with_colons(made: MadeTree) -> None:
    made.disk("sda")
    made.signature("/dev/sda", "linux_raid_member", uuid="d422944c-77a0-0bde-5f2e-f982c976754b")
    made.write(
        "/etc/mdadm/mdadm.conf",
        "ARRAY /dev/md/tank metadata=1.2\n  UUID=d422944c:77a00bde:5f2ef982:c976754b\n",
    )
    assert only(made.read_disk("sda"), ClaimKind.CONFIGURED).device == "/dev/sda"


def test_a_mounted_filesystem_is_not_called_configured_though_not_in_use(made: MadeTree) -> None:
    number = made.disk("sda")
    made.signature("/dev/sda", "ext4", uuid="6f0d9c1e-5a3b")
    made.write("/etc/fstab", "UUID=6f0d9c1e-5a3b /srv ext4 defaults 0 2\n")
    made.mounts(f"{number} /dev/sda /srv ext4")
    assert [claim.what for claim in made.read_disk("sda").taken_by] == [ClaimKind.MOUNT]


def test_the_heaviest_claim_comes_first(made: MadeTree) -> None:
    made.disk("sda")
    made.partition("sda", 1)
    root = made.partition("sda", 2)
    made.signature("/dev/sda", "gpt", offset=512)
    made.signature("/dev/sda1", "ext4")
    made.mounts(f"{root} /dev/sda2 / ext4")
    weights = [claim.weight for claim in made.read_disk("sda").taken_by]
    assert weights == [Weight.SYSTEM, Weight.DATA, Weight.DATA]


def test_without_root_udev_tells_what_is_on_a_disk_and_the_reading_is_incomplete(made: MadeTree) -> None:
    made.disk(
        "sda", udev={"ID_SERIAL_SHORT": "S1", "ID_FS_TYPE": "ext4", "ID_FS_LABEL": "films", "ID_FS_UUID": "1"}
    )
    machine = made.read(root=False)
    assert not machine.complete
    assert only(machine.disks[0], ClaimKind.FILESYSTEM).detail.startswith('ext4 filesystem "films"')


@pytest.mark.parametrize(
    ("file", "what", "how"),
    [
        (
            "nvmet/subsystems/nqn.x/namespaces/1/device_path",
            "served over NVMe as namespace 1 of nqn.x",
            "enable",
        ),
        (
            "target/core/fileio_0/disk1/udev_path",
            "served by the kernel's iSCSI target as disk1",
            "fileio delete disk1",
        ),
        (
            "usb_gadget/g1/functions/mass_storage.0/lun.0/file",
            "served over USB by the gadget g1",
            "lun.0/file",
        ),
    ],
)
def test_what_the_kernel_itself_serves_is_taken_though_nothing_claims_it(
    made: MadeTree, file: str, what: str, how: str
) -> None:
    made.disk("sda")
    made.link("/dev/disk/by-id/ata-X_S-sda", "../../sda")
    made.write(f"/sys/kernel/config/{file}", "/dev/disk/by-id/ata-X_S-sda\n")
    made.write("/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/enable", "1\n")
    (claim,) = made.read_disk("sda").taken_by
    assert (claim.weight, claim.detail) == (Weight.BUSY, what)
    assert how in claim.how_to_free


def test_an_export_that_is_switched_off_takes_nothing(made: MadeTree) -> None:
    made.disk("sda")
    made.write("/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path", "/dev/sda\n")
    made.write("/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/enable", "0\n")
    assert made.read_disk("sda").free


def test_files_on_a_dead_network_are_not_asked_what_they_are() -> None:
    targets = ("/net/nas", "/mnt/with space")
    assert is_below("/net/nas/file", targets)
    assert is_below("/net/nas", targets)
    assert not is_below("/net/nasty", targets)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("e75caf8f-f680-4cee-afa3-b001e56efc2d", "disk of a storage pool of Windows (Storage Spaces)"),
        ("0x42", "dynamic disk of Windows (LDM)"),
    ],
)
def test_a_partition_of_another_system_is_named_by_its_type(made: MadeTree, kind: str, words: str) -> None:
    made.disk("sda")
    made.partition("sda", 1, udev={"ID_PART_ENTRY_TYPE": kind})
    made.partition("sda", 2, udev={"ID_PART_ENTRY_TYPE": kind})
    disk = made.read_disk("sda")
    assert not disk.free
    assert [(one.device, one.detail) for one in disk.taken_by if words in one.detail] == [
        ("/dev/sda1", f"{words}, by the type of the partition")
    ]
    made.signature("/dev/sda1", "ext4")  # what is on it counts more
    assert [one.device for one in made.read_disk("sda").taken_by if words in one.detail] == ["/dev/sda2"]
