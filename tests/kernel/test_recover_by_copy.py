"""A filesystem on an array whose beginning was overwritten: a copy of its superblock leads to the files."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import LEFT, end, files_are_right, recover, sums

ARRAY = """set -e
mdadm -q --create /dev/md/tank --run --level=1 --raid-devices=2 --assume-clean --metadata=1.2 /dev/ubda /dev/ubdb
udevadm settle; mkfs.{kind} -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
"""
MAKE = (
    ARRAY
    + """for n in $(seq 40); do head -c 300000 /dev/urandom >/srv/tank/f$n; done
cd /srv/tank; sha256sum f* >sums; cd /; sync
mdadm --detail --scan >>/etc/mdadm/mdadm.conf
echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank {kind} defaults,nofail 0 0" >>/etc/fstab
umount /srv/tank; dd if=/dev/zero of=/dev/md/tank bs={gone} count=1 status=none; udevadm settle"""
)
# XFS puts the folders of the first one into its allocation groups by turns, and files into that of their folder.
FOLDERS = (
    ARRAY.format(kind="xfs")
    + """for one in 1 2 3 4 5 6 7 8; do
  mkdir /srv/tank/$one; for n in $(seq 9); do head -c 100000 /dev/urandom >/srv/tank/$one/f$n; done
done
find /srv/tank -type f -exec sha256sum {{}} + | cut -d' ' -f1 | sort >/root/sums; umount /srv/tank
dd if=/dev/zero of=/dev/md/tank bs={gone} count=1 status=none; mdadm --stop --scan; udevadm settle"""
)
FOUND = "find /run/raidtui-recovery -type f -exec sha256sum {} + | cut -d' ' -f1 | sort | comm -12 - /root/sums | wc -l"


@pytest.mark.first(1)
@pytest.mark.parametrize(("kind", "gone"), [("xfs", "32K"), ("btrfs", "1M"), ("ext4", "16K")])
def test_the_beginning_of_a_filesystem_was_overwritten(large_guest: Guest, kind: str, gone: str) -> None:
    guest = large_guest
    guest.shell(MAKE.format(kind=kind, gone=gone), timeout=300)
    said = guest.run(["raidtui", "care"]).stdout
    assert "a copy of" in said
    assert "raidtui recover tank --stop" in said
    assert "/etc/fstab" not in said  # nothing is disconnected
    guest.shell("mdadm --stop --scan; udevadm settle")
    before, left = sums(guest, "ab"), guest.shell(LEFT).stdout
    found = recover(guest, "tank")
    best = found["tried"][0]
    assert (best["by_copy"], best["contents"], best["files"]) == (True, kind, 41), best
    assert best["clean"] == (kind != "ext4")  # of ext4 the copies of the group descriptors are older
    assert best["repaired"] == (kind == "xfs")
    refused = guest.run(["raidtui", "recover", "tank", "--for-real", "1"])
    assert (refused.returncode, "by a copy of its superblock" in refused.stderr) == (3, True), refused
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "ab", left)


@pytest.mark.first(0)
@pytest.mark.parametrize("gone", ["128K", "1M"])
def test_of_an_xfs_that_lost_its_first_folder_those_in_other_groups_are_found(
    large_guest: Guest, gone: str
) -> None:
    guest = large_guest
    guest.shell(FOLDERS.format(gone=gone), timeout=300)
    before, left = sums(guest, "ab"), guest.shell(LEFT).stdout
    best = recover(guest, "tank")["tried"][0]
    assert (best["by_copy"], best["repaired"], best["contents"], best["files"]) == (True, True, "xfs", 54), (
        best
    )
    said = guest.run(["raidtui", "recover", "tank"], timeout=600).stdout
    assert "1. REPAIRED on the overlay, xfs, 54 files" in said
    assert "NOT ALL: files and folders of the part that was overwritten are missing" in said
    recover(guest, "tank", "--mount", "1")
    assert guest.shell(FOUND).stdout.strip() == "54"  # six of eight folders, each file as it was
    end(guest, before, "ab", left)
