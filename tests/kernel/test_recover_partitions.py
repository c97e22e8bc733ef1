"""A partitioned array: the trial looks into its partitions, by the table, its copy, or where a first partition begins."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import LEFT, end, files_are_right, recover, sums

MAKE = """set -e
mdadm -q --create /dev/md/tank --run --level=5 --raid-devices=3 --assume-clean --metadata=1.2 /dev/ubda /dev/ubdb /dev/ubdc
udevadm settle; printf 'label: gpt\n,,\n' | sfdisk -q /dev/md/tank; udevadm settle
mkfs.ext4 -q /dev/md/tank1; mkdir -p /srv/tank; mount /dev/md/tank1 /srv/tank
for n in $(seq 40); do head -c 300000 /dev/urandom >/srv/tank/f$n; done
cd /srv/tank; sha256sum f* >sums; cd /; sync"""
STALE = """lab pull LAB-0002; echo 1 >/srv/tank/after-first; sync; lab pull LAB-0003; sync; sleep 1; lab plug
umount /srv/tank; mdadm --stop --scan; udevadm settle"""
OVERWRITE = """umount /srv/tank
dd if=/dev/zero of=/dev/md/tank bs={gone} count=1 conv=notrunc,fsync status=none
{more}; mdadm --stop --scan; udevadm settle"""
BOTH_ENDS = (
    "dd if=/dev/zero of=/dev/md/tank bs=512 seek=$(($(blockdev --getsz /dev/md/tank) - 33)) status=none"
)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "harm",
    [
        STALE,
        OVERWRITE.format(gone="512K", more=":"),
        OVERWRITE.format(gone="512K", more=BOTH_ENDS),
    ],
    ids=["members lost", "table only at its end", "table gone"],
)
def test_the_files_of_a_partition_are_found_as_the_superblocks_say(guest: Guest, harm: str) -> None:
    guest.shell(MAKE, timeout=300)
    guest.shell(harm, check=False)
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    found = recover(guest, "tank")
    best = found["tried"][0]
    assert (best["candidate"]["way"], best["clean"], best["unreadable"]) == ("events", True, 0), best
    assert best["candidate"]["begin_bytes"] == 1024 * 1024
    stale = harm == STALE
    assert best["files"] == (42 if stale else 41)
    if stale:
        assert [one["source"] for one in best["candidate"]["shape"]["slots"]] == ["LAB-0001", "", "LAB-0003"]
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "abc", left)
