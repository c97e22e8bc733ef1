"""A partitioned array: the trial looks into its partitions, by the table, its copy, or where a first partition begins."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import LEFT, end, files_are_right, recover, sums

MAKE = """set -e
mdadm -q --create /dev/md/tank --run --level=5 --raid-devices=3 --assume-clean --metadata=1.2 /dev/ubda /dev/ubdb /dev/ubdc
udevadm settle; printf 'label: gpt\n{parts}' | sfdisk -q /dev/md/tank; udevadm settle
mkfs.ext4 -q {on}; mkdir -p /srv/tank; mount {on} /srv/tank
for n in $(seq 40); do head -c 300000 /dev/urandom >/srv/tank/f$n; done
cd /srv/tank; sha256sum f* >sums; cd /; sync"""
STALE = """lab pull LAB-0002; echo 1 >/srv/tank/after-first; sync; lab pull LAB-0003; sync; sleep 1; lab plug
umount /srv/tank; mdadm --stop --scan; udevadm settle"""
OVERWRITE = """umount /srv/tank
dd if=/dev/zero of=/dev/md/tank bs={gone} count=1 conv=notrunc,fsync status=none
{more}; mdadm --stop --scan; udevadm settle"""
WRITTEN_LAST = ["LAB-0001", "", "LAB-0003"]
GROUP = (
    "vgcreate -q files /dev/md/tank1 /dev/md/tank3; lvcreate -q -y -Wn -l 100%FREE -n data files; mkfs.ext4"
)
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
    guest.shell(MAKE.format(parts=",,\\n", on="/dev/md/tank1"), timeout=300)
    guest.shell(harm, check=False)
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    found = recover(guest, "tank")
    best = found["tried"][0]
    assert (best["candidate"]["way"], best["clean"], best["unreadable"]) == ("events", True, 0), best
    assert best["candidate"]["begin_bytes"] == 1024 * 1024
    stale = harm == STALE
    assert best["files"] == (42 if stale else 41)
    if stale:
        assert [one["source"] for one in best["candidate"]["shape"]["slots"]] == WRITTEN_LAST
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "abc", left)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    "more",
    [":", "dd if=/dev/zero of=/dev/md/tank bs=512K count=1 status=none"],
    ids=["members lost", "and the table only at its end"],
)
def test_a_volume_group_in_partitions_of_the_array(guest: Guest, more: str) -> None:
    make = MAKE.format(parts="size=100MiB\\nsize=16MiB\\n,,\\n", on="/dev/files/data")
    guest.shell(make.replace("mkfs.ext4", GROUP), timeout=300)
    stale = STALE.replace("umount /srv/tank", "umount -l /srv/tank; sleep 1; dmsetup remove files-data")
    guest.shell(f"{more}; {stale}", check=False)
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    best = recover(guest, "tank")["tried"][0]
    (array,) = best["candidate"]["below"]
    assert [one["source"] for one in array["shape"]["slots"]] == WRITTEN_LAST
    assert (best["candidate"]["of"], best["clean"], best["unreadable"], best["files"]) == (
        "data",
        True,
        0,
        42,
    ), best
    assert guest.shell(LEFT).stdout == left
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "abc", left)
