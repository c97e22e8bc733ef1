"""The files of a lost Btrfs are looked for on overlays: they are found, and no member is written."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import LEFT, end, files_are_right, recover, sums

DISKS = "LAB-0001,LAB-0002,LAB-0003"
FILL = """mkdir -p /srv/tank; mount {0} /srv/tank
for n in $(seq 40); do head -c 100000 /dev/urandom >/srv/tank/f$n; done; cd /srv/tank; sha256sum f* >sums; cd /; sync -f /srv/tank
echo 1 >/srv/tank/later; sync -f /srv/tank; echo 2 >/srv/tank/last; sync -f /srv/tank"""
ZERO_FIRST = "dd if=/dev/zero of=/dev/ubd{} bs=64k seek=1 count=1 conv=notrunc status=none; "
TEAR = """root=$(btrfs inspect-internal dump-super /dev/ubda | awk '$1 == "root" {print $2}')
btrfs-map-logical -l $root /dev/ubda >/tmp/places; grep -c physical /tmp/places
while read -r _ _ _ _ _ place _ device; do
  dd if=/dev/urandom of=$device bs=512 seek=$((place / 512)) count=32 conv=notrunc status=none
done </tmp/places"""


def build(guest: Guest, data: str, metadata: str, letters: str = "abc") -> None:
    """A filesystem of whole disks with files on it, mounted."""
    names = " ".join(f"/dev/ubd{one}" for one in letters)
    guest.shell(
        f"set -e; mkfs.btrfs -q -f -L tank -d {data} -m {metadata} {names}; udevadm settle; "
        f"{FILL.format('/dev/ubd' + letters[0])}"
    )


def found_whole(guest: Guest, *words: str, before: str, letters: str = "abc", files: int = 43) -> None:
    """A trial finds the files; they are right where they are mounted; nothing is left, and no disk has changed."""
    left = guest.shell(LEFT).stdout
    best = recover(guest, *words)["tried"][0]
    assert (best["mounted"], best["unreadable"], best["odd"], best["files"]) == (True, 0, 0, files), best
    assert guest.shell(LEFT).stdout == left
    recover(guest, *words, "--mount", "1")
    assert files_are_right(guest)
    assert guest.run(["sh", "-c", "echo x >/run/raidtui-recovery/x"]).returncode != 0
    end(guest, before, letters, left)


@pytest.mark.first(0)
def test_a_mounted_one_is_left_alone_and_a_first_superblock_that_is_zeroed_is_taken_from_its_copy(
    large_guest: Guest,
) -> None:
    guest = large_guest
    build(guest, "raid1", "raid1", "ab")
    refused = guest.run(["raidtui", "recover", "tank"])
    assert (refused.returncode, "unmount" in refused.stderr) == (3, True), refused.stderr
    guest.shell(f"umount /srv/tank; {ZERO_FIRST.format('a')} {ZERO_FIRST.format('b')} udevadm settle")
    before = sums(guest, "ab")
    found_whole(guest, "--disks", "LAB-0001,LAB-0002", before=before, letters="ab")
    # The kernel knows the devices again as it did before.
    assert guest.run(["mount", "/dev/ubda", "/srv/tank"]).returncode != 0
    guest.shell(
        "btrfs rescue super-recover -y /dev/ubda; btrfs rescue super-recover -y /dev/ubdb", check=False
    )
    guest.shell("btrfs device scan; mount /dev/ubda /srv/tank; umount /srv/tank")


@pytest.mark.first(0)
def test_two_of_three_devices_lost(large_guest: Guest) -> None:
    """Metadata has three copies, data two: the names of all files are there, and the data of some."""
    guest = large_guest
    build(guest, "raid1", "raid1c3")
    guest.shell(
        "umount /srv/tank; for one in b c; do dd if=/dev/zero of=/dev/ubd$one bs=1M status=none; done; udevadm settle",
        check=False,
    )
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    found = recover(guest, "tank")["tried"]
    assert found[0]["files"] == 43, found
    assert all("degraded" in one["candidate"]["options"] for one in found)
    assert guest.shell(LEFT).stdout == left
    end(guest, before, "abc", left)


@pytest.mark.first(0)
def test_a_newest_root_that_is_torn_on_both_copies(large_guest: Guest) -> None:
    guest = large_guest
    build(guest, "raid1", "raid1", "ab")
    guest.shell(f"umount /srv/tank; {TEAR}; udevadm settle")
    assert guest.run(["mount", "/dev/ubda", "/srv/tank"]).returncode != 0
    before = sums(guest, "ab")
    found_whole(guest, "tank", before=before, letters="ab")


@pytest.mark.first(0)
def test_a_log_that_cannot_be_replayed(large_guest: Guest) -> None:
    """fsync writes to the log; a power cut leaves it there, and both copies of it are torn."""
    guest = large_guest
    build(guest, "raid1", "raid1", "ab")
    guest.shell(
        """set -e; mount -o remount,commit=3000 /srv/tank; echo 3 >/srv/tank/synced; sync /srv/tank/synced
        for one in a b; do dd if=/dev/ubd$one of=/tmp/$one bs=1M count=200 iflag=direct conv=sparse status=none; done
        umount /srv/tank
        for one in a b; do dd if=/tmp/$one of=/dev/ubd$one bs=1M conv=notrunc,fsync status=none; rm /tmp/$one; done
        at() { btrfs inspect-internal dump-super /dev/ubda | awk -v key=$1 '$1 == key {print $2}'; }
        log=$(at log_root); root=$(at root); [ "$log" != 0 ]
        btrfs-map-logical -l $root /dev/ubda >/tmp/places
        while read -r _ _ _ _ _ place _ device; do
          at=$(((place + log - root) / 512))
          dd if=/dev/urandom of=$device bs=512 seek=$at count=32 conv=notrunc status=none
        done </tmp/places; udevadm settle"""
    )
    assert guest.run(["mount", "/dev/ubda", "/srv/tank"]).returncode != 0
    before = sums(guest, "ab")
    found_whole(guest, "tank", before=before, letters="ab")


@pytest.mark.first(0)
def test_nothing_to_be_had_is_said(large_guest: Guest) -> None:
    guest = large_guest
    build(guest, "raid0", "raid0")
    guest.shell(
        """umount /srv/tank; for one in b c; do dd if=/dev/zero of=/dev/ubd$one bs=1M status=none; done
        dd if=/dev/zero of=/dev/ubda bs=1M seek=1 status=none; udevadm settle  # its first superblock is left""",
        check=False,
    )
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    done = guest.run(["raidtui", "recover", "tank"], timeout=600)
    assert done.returncode == 4, (done.stdout, done.stderr)
    assert "NOT THIS WAY" in done.stdout
    end(guest, before, "abc", left)


@pytest.mark.first(0)
def test_disks_that_are_smaller_than_their_filesystem_are_copied_out(large_guest: Guest) -> None:
    """Copied to smaller disks, or cut off by a controller: no option mounts it, and btrfs restore reads it."""
    guest = large_guest
    cut = "echo ',{}M' | sfdisk -q --no-reread --wipe never /dev/ubd{}; "
    guest.shell(
        f"set -e; {''.join(cut.format(300, one) for one in 'ab')} udevadm settle; mkfs.btrfs -q -f -L tank -d raid1 -m raid1 "
        f"/dev/ubda1 /dev/ubdb1; udevadm settle; {FILL.format('/dev/ubda1')}; umount /srv/tank; "
        f"btrfs device scan --forget; {''.join(cut.format(280, one) for one in 'ab')} udevadm settle",
    )
    assert guest.run(["mount", "-o", "ro,rescue=all", "/dev/ubda1", "/srv/tank"]).returncode != 0
    before, left = sums(guest, "ab"), guest.shell(LEFT).stdout
    best = recover(guest, "tank")["tried"][0]
    assert (best["mounted"], best["candidate"]["unmounted"], best["files"]) == (False, True, 43), best
    guest.shell("mkfs.ext4 -q /dev/ubdc; mkdir -p /srv/away; mount /dev/ubdc /srv/away; mkdir /srv/away/tank")
    refused = guest.run(["raidtui", "recover", "tank", "--mount", "1"])
    assert (refused.returncode, "--copy-to FOLDER" in refused.stderr) == (2, True), refused.stderr
    copied = recover(guest, "tank", "--mount", "1", "--copy-to", "/srv/away/tank")
    assert (copied["copied"], copied["copied_to"]) == (43, "/srv/away/tank")
    assert guest.run(["sh", "-c", "cd /srv/away/tank && sha256sum --quiet -c sums"]).returncode == 0
    guest.shell("umount /srv/away")
    assert guest.shell(LEFT).stdout == left
    assert sums(guest, "ab") == before
