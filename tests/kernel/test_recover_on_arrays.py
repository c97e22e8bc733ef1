"""The files of a lost volume group on arrays are looked for: arrays first, then the group, all on overlays; no member is written."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import LEFT, end, files_are_right, recover, sums

BUILD = """set -e; mdadm -q --stop --scan || :
raid=A19D880F-05FC-4D3B-A006-743F0F84911E
for one in a b c; do printf 'label: gpt\\nsize=72MiB, type=%s\\nsize=72MiB, type=%s\\n' $raid $raid | sfdisk -q /dev/ubd$one; done
udevadm settle
for one in 1 2; do
  mdadm -q --create /dev/md/tank-$one --name=tank-$one --run --level=5 --raid-devices=3 --chunk=64 --bitmap=internal \
    /dev/ubd[abc]$one; mdadm -q --wait /dev/md/tank-$one || :
done
vgcreate -q {tag} tank /dev/md/tank-1 /dev/md/tank-2; lvcreate -q -y -Wn -l 100%FREE -n data tank
mkfs.ext4 -qF /dev/tank/data; mkdir -p /srv/tank; mount /dev/tank/data /srv/tank
for n in $(seq 60); do head -c 2500000 /dev/urandom >/srv/tank/f$n; done; cd /srv/tank; sha256sum f* >sums; cd /; sync"""
HYBRID = "--addtag raidtui-hybrid"
STOP = "umount -l /srv/tank; sleep 1; vgchange -q -an tank; dmsetup remove tank-data; mdadm -q --stop --scan; udevadm settle"


def found_whole(guest: Guest, *words: str, files: int = 61) -> None:
    """A trial finds the files; they are right where they are mounted; nothing is left, and no disk has changed."""
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    best = recover(guest, *words)["tried"][0]
    assert (best["clean"], best["unreadable"], best["odd"], best["files"]) == (True, 0, 0, files), best
    assert (guest.shell(LEFT).stdout, sums(guest, "abc")) == (left, before)
    recover(guest, *words, "--mount", "1")
    assert files_are_right(guest)
    assert guest.run(["sh", "-c", "echo x >/run/raidtui-recovery/x"]).returncode != 0
    end(guest, before, "abc", left)


@pytest.mark.first(0)
def test_two_disks_of_a_hybrid_with_one_redundancy_lost_within_minutes(guest: Guest) -> None:
    guest.shell(BUILD.format(tag=HYBRID))
    guest.shell(
        "lab pull LAB-0002; echo 1 >/srv/tank/after-first; sync; lab pull LAB-0003; sync; sleep 1; lab plug",
        check=False,
    )
    guest.shell(STOP, check=False)
    found_whole(guest, "tank", files=62)


@pytest.mark.first(0)
def test_the_superblocks_of_one_band_are_zeroed(guest: Guest) -> None:
    guest.shell(f"{BUILD.format(tag=HYBRID)}; umount /srv/tank; vgchange -q -an tank; mdadm -q --stop --scan")
    guest.shell("mdadm -q --zero-superblock /dev/ubd[abc]1; udevadm settle")
    found_whole(guest, "tank")


@pytest.mark.first(0)
def test_the_metadata_of_a_group_on_arrays_is_overwritten_and_one_member_is_gone(guest: Guest) -> None:
    guest.shell(
        f"{BUILD.format(tag='')}; umount /srv/tank; vgchange -q -an tank; "
        "for one in 1 2; do dd if=/dev/urandom of=/dev/md/tank-$one bs=64k count=12 conv=fsync status=none; done; "
        "mdadm -q --stop --scan; mdadm -q --zero-superblock /dev/ubdb2; udevadm settle"
    )
    found_whole(guest, "tank")
