"""A filesystem on an array whose beginning was overwritten: a copy of its superblock leads to the files."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import LEFT, end, files_are_right, recover, sums

MAKE = """set -e
mdadm -q --create /dev/md/tank --run --level=1 --raid-devices=2 --assume-clean --metadata=1.2 /dev/ubda /dev/ubdb
udevadm settle; mkfs.{kind} -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
for n in $(seq 40); do head -c 300000 /dev/urandom >/srv/tank/f$n; done
cd /srv/tank; sha256sum f* >sums; cd /; sync
mdadm --detail --scan >>/etc/mdadm/mdadm.conf
echo "UUID=$(blkid -s UUID -o value /dev/md/tank) /srv/tank {kind} defaults,nofail 0 0" >>/etc/fstab
umount /srv/tank; dd if=/dev/zero of=/dev/md/tank bs={gone} count=1 status=none; udevadm settle"""


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
