"""A teardown takes an array as it is found: parked, broken, with members failed or removed."""

from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    array,
    inspect,
    nodes,
    raidtui,
    serials,
    signatures,
    spec_text,
    teardown,
    unit,
)

FOUR = serials(4)


def build(guest: Guest, level: str, *, filesystem: str = "none", **options: Any) -> None:
    """An array called tank on the first four disks, in sync."""
    done = apply(guest, spec_text(level, FOUR, filesystem=filesystem, **options), FOUR, "--wait-sync")
    assert done.code == 0, done.stderr


def nothing_is_left(guest: Guest) -> None:
    """No array, no signature, no line: also after udev has looked at every disk again."""
    guest.shell("udevadm trigger --subsystem-match=block --action=add; udevadm settle")
    assert signatures(guest, FOUR) == []
    assert array(guest) is None
    assert "ARRAY" not in guest.shell("cat /etc/mdadm/mdadm.conf").stdout
    assert guest.shell("cat /etc/fstab").stdout == ""
    assert "md1" not in guest.shell("cat /proc/mdstat").stdout


@pytest.mark.first(0)
def test_a_half_assembled_array_is_taken_with_the_members_that_it_waits_for(guest: Guest) -> None:
    build(guest, "raid5")
    first, second, *_ = nodes(guest, FOUR)
    # As after a reboot with half of the disks found.
    guest.shell(f"mdadm --stop /dev/md/tank; mdadm --incremental {first}1; mdadm --incremental {second}1")
    found = array(guest)
    assert found is not None
    assert found["state"] == "inactive"
    done = teardown(guest, "tank", FOUR)
    assert done.code == 0, done.stderr
    nothing_is_left(guest)


@pytest.mark.first(0)
def test_failed_and_removed_members_are_erased_too(guest: Guest) -> None:
    build(guest, "raid6", filesystem="ext4")
    first, second, *_ = nodes(guest, FOUR)
    guest.shell(
        f"mdadm /dev/md/tank --fail {first}1; mdadm /dev/md/tank --remove {first}1; mdadm /dev/md/tank --fail {second}1"
    )
    refused = teardown(guest, "tank", FOUR[1:])
    assert refused.code == 3
    assert "On lab (virtual disks): remove " in refused.stderr
    assert "LAB-0001" in refused.stderr
    done = teardown(guest, "tank", FOUR)
    assert done.code == 0, done.stderr
    nothing_is_left(guest)


@pytest.mark.first(0)
@pytest.mark.parametrize("partition", [True, False], ids=["partitions", "whole disks"])
def test_a_mirror_with_metadata_at_the_end_leaves_no_filesystem_behind(guest: Guest, partition: bool) -> None:
    reserve = {} if partition else {"reserve": "0B"}
    build(guest, "raid1", filesystem="ext4", metadata="1.0", partition=partition, **reserve)
    done = teardown(guest, "tank", FOUR)
    assert done.code == 0, done.stderr
    nothing_is_left(guest)


def test_an_array_in_use_is_not_taken(guest: Guest) -> None:
    build(guest, "raid0")
    guest.shell("mkswap -q /dev/md/tank; swapon /dev/md/tank")
    try:
        done = teardown(guest, "tank", FOUR)
        assert done.code in (3, 4), done.stderr
        assert array(guest) is not None
        assert "swap" in {s["type"] for s in array(guest)["signatures"]}  # type: ignore[index]
    finally:
        guest.shell("swapoff -a")


def test_a_teardown_that_could_not_begin_to_erase_has_lost_nothing_and_can_be_undone(guest: Guest) -> None:
    guest.shell(
        """
        mdadm --quiet --create /dev/md/tank --run --level=1 --raid-devices=2 --bitmap=none --metadata=1.2 \\
            --name=tank --homehost=lab /dev/ubda /dev/ubdb
        udevadm settle
        printf '0 40960 linear /dev/md/tank 0\n' | dmsetup create volume
        """
    )
    done = teardown(guest, "tank", FOUR[:2])
    assert done.code == 4
    assert "Nothing was written to the disks" in done.stderr
    undone = raidtui(guest, "rollback", done.report["job"], "--json")
    assert undone.code == 0, undone.stderr
    assert array(guest) is not None


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("backend", "level"), [("mdadm", "raid1"), ("lvm", "raid1"), ("btrfs", "raid1"), ("disk", "single")]
)
def test_a_stranger_mounted_over_the_place_is_never_unmounted(
    request: pytest.FixtureRequest, backend: str, level: str
) -> None:
    """By every backend alike; and what is its own goes as often as it is mounted."""
    guest: Guest = request.getfixturevalue("large_guest" if backend == "btrfs" else "guest")
    members = FOUR[:1] if backend == "disk" else FOUR[:2]
    filesystem = "btrfs" if backend == "btrfs" else "ext4"
    assert apply(guest, spec_text(level, members, backend=backend, filesystem=filesystem), members).code == 0
    word = FOUR[0] if backend == "disk" else "tank"
    guest.shell(
        """
        mkfs.ext4 -q /dev/ubde; mount /dev/ubde /srv/tank; echo mine >/srv/tank/mine
        """
    )
    for _ in range(2):
        refused = teardown(guest, word, members)
        assert refused.code == 3
        assert "is mounted at /srv/tank, over the mount of" in refused.stderr
        assert guest.shell("cat /srv/tank/mine").stdout == "mine\n"
        guest.shell("umount /srv/tank; mount -t tmpfs /dev/md127 /srv/tank; echo mine >/srv/tank/mine")
    guest.shell("umount /srv/tank; wipefs -qa /dev/ubde; mount --bind /srv/tank /srv/tank")
    done = teardown(guest, word, members)
    assert done.code == 0, done.stderr
    nothing_is_left(guest)


def test_a_mount_in_another_namespace_stops_it_before_anything_is_changed(guest: Guest) -> None:
    build(guest, "raid1", filesystem="ext4")
    lines = guest.shell("cat /etc/fstab").stdout
    guest.shell(
        """
        mount --make-rprivate /
        unshare --mount --propagation private sleep 300 >/dev/null 2>&1 & echo $! >/tmp/holder
        sleep 1; umount /srv/tank
        """
    )
    done = teardown(guest, "tank", FOUR)
    assert done.code == 3
    assert "in another mount namespace, that of process" in done.stderr
    assert "(sleep)" in done.stderr
    assert guest.shell("cat /etc/fstab").stdout == lines != ""
    how = next(c["how_to_free"] for c in inspect(guest)["disks"][0]["taken_by"] if "tank" in c["how_to_free"])
    for command in how.split(" && "):
        extra = f" --erase {','.join(FOUR)}" if command.startswith("raidtui") else ""
        guest.shell(f"{command}{extra} </dev/null")
    guest.shell("kill $(cat /tmp/holder)")
    nothing_is_left(guest)


@pytest.mark.first(0)
def test_an_array_that_stopped_working_is_taken(guest: Guest) -> None:
    build(guest, "raid0")
    # The kernel calls it broken once a member is gone; the device itself cannot be pulled here, so it is parked.
    guest.shell("mdadm --readonly /dev/md/tank")
    done = teardown(guest, "tank", FOUR)
    assert done.code == 0, done.stderr
    nothing_is_left(guest)


@pytest.mark.first(0)
def test_the_same_disks_make_another_array_at_once_and_the_old_filesystem_does_not_show(guest: Guest) -> None:
    for _ in range(2):
        build(guest, "raid1", filesystem="ext4")
        assert teardown(guest, "tank", FOUR).code == 0
    nothing_is_left(guest)
    assert raidtui(guest, "inspect", "--json").report["arrays"] == []


@pytest.mark.first(0)
def test_what_is_on_another_disk_and_what_names_another_array_stays(guest: Guest) -> None:
    guest.shell(
        """
        make='mdadm --quiet --create --run --level=1 --raid-devices=2 --bitmap=none --metadata=1.2 --name=tank'
        $make --homehost=lab /dev/md/tank /dev/ubda /dev/ubdb
        $make --homehost=other /dev/md/foreign /dev/ubdc /dev/ubdd
        mkfs.ext4 -q /dev/md/tank
        mkfs.btrfs -q -f -d raid0 -m raid1 /dev/md/foreign /dev/ubde
        udevadm settle
        echo 'ARRAY /dev/md/tank name=lab:tank' >>/etc/mdadm/mdadm.conf
        echo '/dev/disk/by-id/md-name-lab:tank /srv/ours ext4 defaults 0 2' >/etc/fstab
        mkdir -p /srv/ours
        mount /srv/ours
        """
    )
    lines = guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf").stdout
    foreign = next(one["uuid"] for one in inspect(guest)["arrays"] if one["path"] == "/dev/md/foreign")
    refused = teardown(guest, foreign, FOUR[2:])
    assert refused.code == 3
    assert "LAB-0005 (/dev/ubde)" in refused.stderr
    guest.shell("wipefs --quiet --all /dev/ubde")  # nobody wants it any more
    done = teardown(guest, foreign, FOUR[2:])
    assert done.code == 0, done.stderr
    assert guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf").stdout == lines
    assert guest.shell("umount /srv/ours; mount /srv/ours; findmnt -no FSTYPE /srv/ours").stdout == "ext4\n"


def test_one_disk_alone_is_built_mounted_kept_and_taken_away(guest: Guest) -> None:
    spec = f'name = "lone"\nbackend = "disk"\nlevel = "single"\nmembers = ["{FOUR[0]}"]\n[filesystem]\ntype = "ext4"\n'
    done = apply(guest, spec, FOUR[:1])
    assert done.code == 0, done.stderr
    assert "/srv/lone ext4" in guest.shell("cat /proc/mounts").stdout
    assert (
        guest.shell("umount /srv/lone; mount /srv/lone; findmnt -no FSTYPE /srv/lone").stdout.strip()
        == "ext4"
    )
    done = teardown(guest, FOUR[0], FOUR[:1])
    assert done.code == 0, done.stderr
    assert "/srv/lone" not in guest.shell("cat /proc/mounts").stdout
    nothing_is_left(guest)


@pytest.mark.first(0)
def test_a_disk_with_nothing_but_an_empty_partition_table_is_left_blank(guest: Guest) -> None:
    (node,) = nodes(guest, FOUR[:1])
    guest.shell(f"echo label: gpt | sfdisk --quiet {node}; udevadm settle")
    refused = teardown(guest, FOUR[0], FOUR[1:2])
    assert refused.code in {2, 3}, refused.stderr
    assert signatures(guest, FOUR[:1]) != []
    done = teardown(guest, FOUR[0], FOUR[:1])
    assert done.code == 0, done.stderr
    nothing_is_left(guest)
    guest.shell(f"echo 2048,20480 | sfdisk --quiet --label gpt {node}; partx --delete {node}; udevadm settle")
    hidden = teardown(guest, FOUR[0], FOUR[:1])
    assert hidden.code in {2, 3}, hidden.stderr
    assert "1" in guest.shell(f"partx --show --noheadings --output NR {node}").stdout


@pytest.mark.first(0)
def test_the_mount_folder_goes_with_the_array_that_it_was_created_for(guest: Guest) -> None:
    build(guest, "raid1", filesystem="ext4")
    guest.shell("mountpoint -q /srv/tank")
    assert teardown(guest, "tank", FOUR).code == 0
    assert guest.shell("ls /srv").stdout == ""
    guest.shell("mkdir /srv/tank")
    build(guest, "raid1", filesystem="ext4")
    assert teardown(guest, "tank", FOUR).code == 0
    assert guest.shell("ls /srv").stdout == "tank\n", "a folder that was there before stays"
    nothing_is_left(guest)


@pytest.mark.first(0)
def test_a_volume_group_is_taken_apart_as_it_is_found(guest: Guest) -> None:
    """Exported, without one of its disks, and made by hand with several volumes."""
    for damage in (
        "vgchange -qq -an tank; vgexport -qq tank",
        "vgchange -qq -an tank; wipefs -qa /dev/ubdb1 /dev/ubdb; blockdev --rereadpt /dev/ubdb",
    ):
        spec = spec_text("raid1", FOUR[:2], backend="lvm", filesystem="none")
        built = apply(guest, spec, FOUR[:2])
        assert built.code == 0, built.stderr
        guest.shell(damage)
        here = FOUR[:1] if "wipefs" in damage else FOUR[:2]
        done = teardown(guest, "tank", here)
        assert done.code == 0, done.stderr
        nothing_is_left(guest)
        assert unit(guest) is None

    guest.shell(
        """
        vgcreate -qq tank /dev/ubda /dev/ubdb /dev/ubdc
        lvcreate -qq -y --type raid1 -m 1 -l 10 -n one tank; lvcreate -qq -y -l 10 -n two tank
        mkfs.ext4 -q /dev/tank/one; mkswap -q /dev/tank/two
        mkdir -p /srv/one; mount /dev/tank/one /srv/one
        echo '/dev/mapper/tank-one /srv/one ext4 defaults 0 2' >/etc/fstab
        """
    )
    named = teardown(guest, "tank", FOUR[:2])
    assert named.code == 3
    assert FOUR[2] in named.stderr
    done = teardown(guest, "tank", FOUR[:3])
    assert done.code == 0, done.stderr
    nothing_is_left(guest)


@pytest.mark.first(0)
def test_a_volume_group_of_another_system_is_explained_and_left_alone(guest: Guest) -> None:
    guest.shell("vgcreate -qq tank /dev/ubda /dev/ubdb; vgchange -qq -y --systemid nas-2 tank")
    found = unit(guest)
    assert found is not None
    assert found["state"] == "of another system, nas-2"
    refused = teardown(guest, "tank", FOUR[:2])
    assert refused.code == 3
    assert "of another system, nas-2; remove it there" in refused.stderr
    for members in (FOUR[:2], FOUR[2:]):  # neither its disks nor its name can be had
        assert apply(guest, spec_text("raid1", members, backend="lvm"), members).code in {2, 3}
    assert [one["type"] for one in signatures(guest, FOUR)] == ["LVM2_member"] * 2
