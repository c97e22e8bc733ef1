"""The files of a lost volume group are looked for on overlays: they are found, and no physical volume is written."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import LEFT, end, files_are_right, recover, sums

FILL = """mkfs.ext4 -qF /dev/tank/data; mkdir -p /srv/tank; mount /dev/tank/data /srv/tank
for n in $(seq 60); do head -c 300000 /dev/urandom >/srv/tank/f$n; done
cd /srv/tank; sha256sum f* >sums; cd /; sync; umount /srv/tank"""
DISKS = "LAB-0001,LAB-0002,LAB-0003"
HEAD = "dd if=/dev/zero of=/dev/ubd{} bs=1M count=1 conv=notrunc status=none"


def build(guest: Guest, how: str, letters: str = "abc") -> None:
    """A group of whole disks with a filesystem on it, whose metadata was changed before and after; then inactive."""
    names = " ".join(f"/dev/ubd{one}" for one in letters)
    guest.shell(
        f"set -e; vgcreate -q tank {names}; lvcreate -q -y -Wn -L 8M -n scratch tank; lvcreate -q -y -Wn {how} -n data tank; "
        "until lvs --noheadings -o sync_percent tank/data | grep -qE '100|^ *$'; do sleep 0.2; done; "
        f"{FILL}; lvremove -q -y tank/scratch; vgchange -q -an tank; udevadm settle"
    )


def found_whole(guest: Guest, *words: str, before: str, letters: str = "abc") -> None:
    """A trial finds the files; they are right where they are mounted; nothing is left, and no disk has changed."""
    left = guest.shell(LEFT).stdout
    best = recover(guest, *words)["tried"][0]
    assert (best["clean"], best["unreadable"], best["odd"], best["files"]) == (True, 0, 0, 61), best
    assert guest.shell(LEFT).stdout == left
    recover(guest, *words, "--mount", "1")
    assert files_are_right(guest)
    assert guest.run(["sh", "-c", "echo x >/run/raidtui-recovery/x"]).returncode != 0
    end(guest, before, letters, left)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    "how", ["--type raid1 -m1 -L 60M", "-l 100%FREE", "-i 3 -I 64 -L 90M", "--type raid5 -i 2 -I 64 -L 90M"]
)
def test_a_physical_volume_whose_head_firmware_has_zeroed(guest: Guest, how: str) -> None:
    build(guest, how)
    guest.shell(f"{HEAD.format('b')}; udevadm settle")
    before = sums(guest, "abc")
    found_whole(guest, "tank", "--disks", "LAB-0002", before=before)


@pytest.mark.first(0)
def test_every_head_is_gone_and_the_order_follows_from_the_files_of_lvm(guest: Guest) -> None:
    build(guest, "--type raid5 -i 2 -I 64 -L 90M")
    guest.shell("".join(f"{HEAD.format(one)}; " for one in "abc") + "udevadm settle")
    before = sums(guest, "abc")
    found_whole(guest, "--disks", "LAB-0003,LAB-0001,LAB-0002", before=before)


@pytest.mark.first(0)
def test_a_wrong_pvcreate_over_one_and_the_metadata_of_another_overwritten(guest: Guest) -> None:
    build(guest, "-l 100%FREE")
    guest.shell(
        "set -e; pvcreate -q -ff -y /dev/ubda; vgcreate -q other /dev/ubda; vgchange -q -an other; "
        "dd if=/dev/urandom of=/dev/ubdb bs=4k seek=1 count=200 conv=notrunc status=none; "
        "rm -r /etc/lvm/backup /etc/lvm/archive; udevadm settle"
    )
    before = sums(guest, "abc")
    found_whole(guest, "tank", "--disks", "LAB-0001,LAB-0002", before=before)


@pytest.mark.first(0)
def test_two_of_raid5_marked_missing_which_lvm_does_not_take_back(guest: Guest) -> None:
    """Two disks failed one after the other; LVM calls both failed. The one that failed last has the files."""
    build(guest, "--type raid5 -i 2 -I 64 -L 90M")
    fail = "for one in rimage rmeta; do dmsetup wipe_table --force tank-data_${{one}}_{}; done; "
    guest.shell(
        f"vgchange -q -ay tank; mount /dev/tank/data /srv/tank; {fail.format(1)} echo 1 >/srv/tank/after; sync; "
        f"{fail.format(2)} echo 2 >/srv/tank/later; sync; sleep 1; umount -l /srv/tank; sleep 1; vgchange -q -an tank; "
        "udevadm settle",
        check=False,
    )
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    best = recover(guest, "tank", "--disks", DISKS)["tried"][0]
    assert [one["source"] for one in best["candidate"]["shape"]["slots"]] == ["LAB-0001", "", "LAB-0003"]
    recover(guest, "tank", "--disks", DISKS, "--mount", "1")
    assert files_are_right(guest)
    assert guest.shell("ls /run/raidtui-recovery/after").returncode == 0
    end(guest, before, "abc", left)


@pytest.mark.first(0)
def test_an_active_group_is_left_as_it_is_and_a_snapshot_is_not_looked_into(guest: Guest) -> None:
    build(guest, "-L 40M")
    guest.shell("lvcreate -q -y -s -L 8M -n before tank/data; vgchange -q -ay tank")
    refused = guest.run(["raidtui", "recover", "tank"])
    assert (refused.returncode, "--stop" in refused.stderr) == (3, True), refused.stderr
    trial = recover(guest, "tank", "--stop")
    assert (trial["stopped"], trial["md_wrote"]) == (["volume group tank"], False)
    found = trial["tried"]
    assert (found[0]["candidate"]["of"], found[0]["clean"], found[0]["files"]) == ("data", True, 61)
    others = {one["candidate"]["of"]: one for one in found[1:]}
    assert "snapshot" in others["snapshot0"]["candidate"]["why_not"]
    assert not others["snapshot0"]["known"]


@pytest.mark.first(0)
def test_nothing_to_be_had_is_said(guest: Guest) -> None:
    build(guest, "-i 3 -I 64 -L 90M")
    guest.shell("dd if=/dev/zero of=/dev/ubdb bs=1M status=none || :; udevadm settle", check=False)
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    done = guest.run(["raidtui", "recover", "tank", "--disks", "LAB-0002"], timeout=600)
    assert done.returncode == 4, (done.stdout, done.stderr)
    assert "NOT THIS WAY" in done.stdout
    end(guest, before, "abc", left)
