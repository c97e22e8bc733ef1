"""What a crash, or a person, may leave behind: each is a finding, 'raidtui care' puts it right, and then it is gone."""

from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import raidtui
from tests.kernel.test_care import build, findings
from tests.kernel.test_replace import READ_ALL, A, B, C, is_whole

STATUS = "dmsetup status --target raid | sort"


def only(guest: Guest) -> dict[str, Any]:
    (finding,) = findings(guest)
    return finding


@pytest.mark.first(0)
def test_a_volume_whose_syncs_were_left_paused_syncs_again(guest: Guest) -> None:
    """It is one of two in the group."""
    guest.shell(
        """pvcreate -q /dev/ubda /dev/ubdb /dev/ubdc; vgcreate -q tank /dev/ubda /dev/ubdb /dev/ubdc
        lvcreate -q -y --type raid5 --stripes 2 --size 48M --name data tank
        lvcreate -q -y --type raid1 --mirrors 1 --size 16M --name home tank
        until [ "$(dmsetup status --target raid | grep -c idle)" = 2 ]; do sleep 0.2; done
        mkfs.ext4 -q /dev/tank/data; mkdir -p /srv/tank; mount /dev/tank/data /srv/tank
        dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none; sync; udevadm settle"""
    )
    data = guest.shell("sha256sum /srv/tank/data").stdout
    guest.shell("dmsetup message tank-home 0 frozen")
    finding = only(guest)
    assert (finding["kind"], finding["remedies"][0]["procedure"]["type"]) == ("held", "let-sync")
    assert "tank/home" in finding["remedies"][0]["text"]
    refused = raidtui(guest, "care", "tank", "--do", "check")
    assert (refused.code, "let it run first" in refused.stderr) == (3, True), refused.stderr
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert "frozen" not in guest.shell(STATUS).stdout
    assert findings(guest) == []
    guest.shell("lvchange -q --syncaction check tank/home")  # which LVM refused before
    assert guest.shell("echo 3 >/proc/sys/vm/drop_caches; sha256sum /srv/tank/data").stdout == data


MD = "/sys/block/md127/md"


@pytest.mark.first(0)
def test_a_check_that_was_stopped_is_made_again_from_the_start(guest: Guest) -> None:
    build(guest)
    guest.shell(f"echo 65536 >{MD}/sync_min")
    assert only(guest)["kind"] == "check-stopped"
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert guest.shell(f"cat {MD}/last_sync_action {MD}/mismatch_cnt {MD}/sync_min").stdout == "check\n0\n0\n"
    assert findings(guest) == []


@pytest.mark.first(0)
def test_a_rebuild_that_a_speed_limit_holds_up_ends(guest: Guest) -> None:
    """The array's own limit, and then the computer's."""
    data = build(guest)
    guest.shell(
        f"echo 1 >{MD}/sync_speed_max; echo 1 >{MD}/sync_speed_min; echo 1 >/proc/sys/dev/raid/speed_limit_min"
    )
    assert only(guest)["kind"] == "slowed"
    guest.shell("mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdb")
    guest.shell("wipefs -qa /dev/ubdb; mdadm -q /dev/md/tank --add /dev/ubdb; sleep 1")
    finding = only(guest)
    assert (finding["kind"], finding["remedies"][0]["procedure"]["type"]) == ("no-redundancy", "let-sync")
    assert guest.shell(f"cat {MD}/degraded").stdout == "1\n"
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    guest.shell("mdadm -q --wait /dev/md/tank || :; sleep 0.5", timeout=60)
    assert is_whole(guest, [A, B, C])
    limits = f"{MD}/sync_speed_min {MD}/sync_speed_max /proc/sys/dev/raid/speed_limit_min"
    assert guest.shell(f"cat {limits}").stdout == "1 (system)\n200000 (system)\n1\n"
    guest.shell("echo 1 >/proc/sys/dev/raid/speed_limit_max")
    assert only(guest)["kind"] == "slowed"
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert guest.shell(f"cat {limits}").stdout == "1000 (system)\n200000 (system)\n1000\n"
    assert findings(guest) == []
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_a_disk_that_was_left_read_only_makes_its_array_read_only_until_it_is_put_right(guest: Guest) -> None:
    """As a recovery that was killed leaves it; while its record is there nothing is made writable."""
    data = build(guest)
    guest.shell(
        "umount /srv/tank; mdadm -q --stop /dev/md/tank; blockdev --setro /dev/ubdb; udevadm settle; "
        "mdadm -q --assemble /dev/md/tank /dev/ubda /dev/ubdb /dev/ubdc"
    )
    assert guest.shell(f"cat {MD}/array_state").stdout == "readonly\n"
    finding = only(guest)
    assert (finding["kind"], finding["remedies"][0]["procedure"]["type"]) == ("read-only", "make-writable")
    assert f"{B} (ubdb) is set read-only" in finding["what"]
    boot = guest.shell("cat /proc/sys/kernel/random/boot_id").stdout.strip()
    record = f'{{"name": "tank", "folder": "", "boot": "{boot}", "read_only": ["/dev/ubdb"]}}'
    guest.shell(f"mkdir -p /var/lib/raidtui/recovery; echo '{record}' >/var/lib/raidtui/recovery/trial.json")
    assert {one["kind"] for one in findings(guest)} == {"trial-left", "read-only"}
    refused = raidtui(guest, "care", "tank", "--do", "make-writable")
    assert refused.code in {2, 3}, refused.stderr
    assert guest.shell("cat /sys/block/ubdb/ro").stdout == "1\n"
    guest.shell("echo rubbish >/var/lib/raidtui/recovery/trial.json")
    assert raidtui(guest, "care", "tank", "--do", "make-writable").code in {2, 3}
    guest.shell("rm -r /var/lib/raidtui/recovery")
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert guest.shell(f"cat /sys/block/ubdb/ro {MD}/array_state").stdout in {"0\nclean\n", "0\nactive\n"}
    guest.shell("mount /dev/md/tank /srv/tank")
    assert guest.shell(READ_ALL).stdout == data
    assert findings(guest) == []
    guest.shell("umount /srv/tank; mdadm -q --readonly /dev/md/tank")
    assert only(guest)["kind"] == "read-only"
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert guest.shell(f"cat {MD}/array_state").stdout == "clean\n"
    assert findings(guest) == []


def test_a_table_over_a_member_is_found_while_the_array_runs_and_hides_no_member_when_it_is_stopped(
    guest: Guest,
) -> None:
    guest.shell(
        """mdadm -q -C /dev/md/tank --run --homehost=lab -e1.2 -l1 -n2 --size=120M --assume-clean /dev/ubda /dev/ubdb
        mdadm --detail --scan >>/etc/mdadm/mdadm.conf; sleep 1
        echo label:gpt | sfdisk -q --no-reread --force --wipe never /dev/ubdb; udevadm settle"""
    )
    assert "a92b4efc" not in guest.run(["mdadm", "--examine", "/dev/ubdb"]).stdout
    finding = only(guest)
    assert (finding["kind"], finding["disks"][0]["disk"]) == ("superblock-gone", "LAB-0002")
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert "a92b4efc" in guest.shell("mdadm --examine /dev/ubdb").stdout
    assert findings(guest) == []
    guest.shell("mdadm -q --stop /dev/md/tank; udevadm settle; mdadm -q --stop --scan || :; udevadm settle")
    assert "ID_FS_TYPE" not in guest.shell("udevadm info /dev/ubdb").stdout  # udev saw the table only
    done = raidtui(guest, "status", "--json")
    (unit,) = done.report["units"]
    assert [one["path"] for one in unit["members"]] == ["/dev/ubda", "/dev/ubdb"]


@pytest.mark.first(0)
def test_a_volume_that_was_left_suspended_is_resumed_and_one_with_a_tiny_limit_syncs_as_usual(
    guest: Guest,
) -> None:
    guest.shell(
        """vgcreate -q tank /dev/ubda /dev/ubdb; lvcreate -qy --type raid1 -m1 -L32M -n data tank
        lvcreate -qy -L16M -n plain tank; until dmsetup status --target raid | grep -q idle; do sleep 0.2; done
        mkfs.ext4 -q /dev/tank/data; mkdir -p /srv/tank; mount /dev/tank/data /srv/tank; udevadm settle"""
    )
    for suspended in ("tank-data", "tank-plain"):
        guest.shell(f"dmsetup suspend {suspended}")
        finding = only(guest)
        assert finding["remedies"][0]["procedure"]["type"] == "start"
        assert suspended.replace("-", "/") in finding["remedies"][0]["text"]
        done = raidtui(guest, "care", "tank")
        assert done.code == 0, done.stderr
        assert "Suspended" not in guest.shell("dmsetup info -c --noheadings -o suspended").stdout
        assert findings(guest) == []
    guest.shell("echo more >/srv/tank/file; sync; lvchange -qy --maxrecoveryrate 1k tank/data")
    assert only(guest)["kind"] == "slowed"
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert guest.shell("lvs --noheadings -o raid_max_recovery_rate tank/data").stdout.strip() in {"", "0"}
    assert findings(guest) == []


@pytest.mark.first(0)
def test_an_array_that_lost_its_write_journal_is_written_to_again_without_one(guest: Guest) -> None:
    """Not while it is mounted: its last writes failed."""
    guest.shell(
        """mdadm -q -C /dev/md/tank --run --homehost=lab -e1.2 -l5 -n3 --size=60M --write-journal /dev/ubdd /dev/ubd[abc]
        mdadm --detail --scan >>/etc/mdadm/mdadm.conf; mdadm -q --wait /dev/md/tank || :
        mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
        dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 conv=fsync status=none"""
    )
    data = guest.shell("sha256sum /srv/tank/data").stdout
    guest.shell("mdadm -q /dev/md/tank --fail /dev/ubdd; udevadm settle")
    wanted = [only(guest)["remedies"][0]["procedure"]["type"]]
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    wanted.append(only(guest)["remedies"][0]["procedure"]["type"])
    assert wanted == ["remove-failed", "without-journal"]
    mounted = raidtui(guest, "care", "tank")
    assert (mounted.code, "mounted" in mounted.stderr) == (4, True), mounted.stderr
    guest.shell("umount /srv/tank || umount -l /srv/tank; fuser -k /dev/md127 2>/dev/null || :")
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert guest.shell(f"cat {MD}/consistency_policy").stdout == "resync\n"
    guest.shell("e2fsck -fy /dev/md/tank || [ $? -lt 4 ]; mount /dev/md/tank /srv/tank")
    assert guest.shell("echo 3 >/proc/sys/vm/drop_caches; sha256sum /srv/tank/data").stdout == data
    guest.shell("dd if=/dev/urandom of=/srv/tank/more bs=1M count=8 conv=fsync status=none")
    assert findings(guest) == []


@pytest.mark.first(0)
def test_a_large_array_without_a_bitmap_gets_one(own_guest: Callable[[str], Guest]) -> None:
    """While it is mounted; its superblocks have it after the next start too."""
    guest = own_guest("2x101GiB")
    guest.shell(
        """mdadm -q -C /dev/md/tank --run --homehost=lab -e1.2 -l1 -n2 --assume-clean --bitmap=none /dev/ubda /dev/ubdb
        mdadm --detail --scan >>/etc/mdadm/mdadm.conf
        mkfs.ext4 -q -E lazy_itable_init=1,lazy_journal_init=1 /dev/md/tank; mkdir -p /srv/tank
        mount /dev/md/tank /srv/tank; udevadm settle"""
    )
    assert only(guest)["remedies"][0]["procedure"]["type"] == "add-bitmap"
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert findings(guest) == []
    guest.shell("umount /srv/tank; mdadm -q --stop /dev/md/tank; mdadm -q --assemble --scan; udevadm settle")
    assert guest.shell(f"cat {MD}/bitmap/location").stdout.strip() not in {"", "none"}
