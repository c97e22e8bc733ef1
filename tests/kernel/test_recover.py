"""What is lost beyond redundancy is looked for on overlays: the files are found, and no member is written."""

import json
from typing import Any

import pytest

from raidtui.lab.guest import Guest

SUMS = "for letter in {letters}; do sha256sum </dev/ubd$letter; done; cat /sys/block/ubd?/ro"
FILL = """set -e
mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank
mkdir /srv/tank/small; for n in $(seq 1500); do echo $n >/srv/tank/small/$n; done
for n in $(seq 40); do head -c 300000 /dev/urandom >/srv/tank/f$n; done
cd /srv/tank; sha256sum f* >sums; cd /; sync"""
# Linux 7.2 keeps the nodes of arrays that were assembled by hand, without an array ("clear").
LEFT = (
    "ls /dev/mapper /dev/shm /run/udev/rules.d; grep -Lx clear /sys/block/md*/md/array_state 2>/dev/null || :; "
    "losetup --list --noheadings"
)


def sums(guest: Guest, letters: str) -> str:
    """The checksum of each whole member, and whether a disk is read-only."""
    return guest.shell(SUMS.format(letters=" ".join(letters))).stdout


def build(guest: Guest, level: str, letters: str, more: str = "") -> None:
    """An array of whole disks with files on it, mounted."""
    names = " ".join(f"/dev/ubd{one}" for one in letters)
    guest.shell(
        f"mdadm -q --create /dev/md/tank --run --level={level} --raid-devices={len(letters)} --bitmap=internal --metadata=1.2 "
        f"{more} {names}; mdadm -q --wait /dev/md/tank || :; {FILL}"
    )


def stop(guest: Guest) -> None:
    guest.shell(
        "umount /srv/tank || :; mdadm -q --stop /dev/md/tank || :; mdadm -q --stop --scan || :; udevadm settle"
    )


def recover(guest: Guest, *words: str, code: int = 0) -> dict[str, Any]:
    """What ``raidtui recover`` found."""
    done = guest.run(["raidtui", "recover", *words, "--json"], timeout=600)
    assert done.returncode == code, (done.stdout, done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def files_are_right(guest: Guest) -> bool:
    """Whether every file is as it was where the recovery shows them."""
    return guest.run(["sh", "-c", "cd /run/raidtui-recovery && sha256sum --quiet -c sums"]).returncode == 0


def end(guest: Guest, before: str, letters: str, left: str) -> None:
    """End a recovery: nothing is left of it, and no member has changed."""
    guest.shell("raidtui recover --clean")
    assert guest.shell(LEFT).stdout == left
    assert sums(guest, letters) == before


@pytest.mark.first(0)
def test_two_members_of_raid5_lost_within_minutes(guest: Guest) -> None:
    build(guest, "5", "abc")
    guest.shell(
        "lab pull LAB-0002; echo 1 >/srv/tank/after-first; sync; lab pull LAB-0003; sync; sleep 1; lab plug",
        check=False,
    )
    running = guest.run(["raidtui", "recover", "tank"])
    assert (running.returncode, "--stop" in running.stderr) == (3, True), running.stderr
    for wrong in (
        ("--chunk", "x"),
        ("--level", "raid55"),
        ("--members", "0"),
        ("--mount", "0"),
        ("--overlays", "/nowhere"),
        ("--at", "/etc/passwd"),
        ("--mount", "1", "--copy-to", "/tmp"),
    ):
        refused = guest.run(["raidtui", "recover", "tank", "--stop", *wrong])
        assert refused.returncode in {2, 3}, (wrong, refused.stderr)
        assert (wrong, "md127 : active" in guest.shell("cat /proc/mdstat").stdout) == (wrong, True)
    guest.shell("umount /srv/tank")
    stopping = recover(guest, "tank", "--stop")
    assert (stopping["stopped"], stopping["md_wrote"]) == (["array tank"], True)
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    found = recover(guest, "tank")
    assert guest.shell(LEFT).stdout == left
    assert sums(guest, "abc") == before
    best = found["tried"][0]
    # The one that left last, not the one that left first: that one misses what was written after.
    assert [one["source"] for one in best["candidate"]["shape"]["slots"]] == ["LAB-0001", "", "LAB-0003"]
    assert (best["clean"], best["unreadable"]) == (True, 0), best
    assert best["files"] >= 1542

    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    assert guest.shell("ls /run/raidtui-recovery/after-first").returncode == 0
    assert guest.run(["sh", "-c", "echo x >/run/raidtui-recovery/x"]).returncode != 0
    assert guest.run(["sh", "-c", "echo x | dd of=/dev/ubda bs=512 conv=fsync"]).returncode != 0
    second = guest.run(["raidtui", "recover", "tank"])
    assert (second.returncode, "--clean" in second.stderr) == (3, True)
    busy = guest.run(["sh", "-c", "cd /run/raidtui-recovery && raidtui recover --clean"])
    assert busy.returncode == 4
    assert busy.stderr.startswith("raidtui: /run/raidtui-recovery is in use: leave it in every shell")
    end(guest, before, "abc", left)


@pytest.mark.first(0)
def test_a_killed_trial_is_undone_at_the_next_start(guest: Guest) -> None:
    build(guest, "5", "abc")
    stop(guest)
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    running = guest.start(["raidtui", "recover", "tank"])
    guest.shell(
        "until [ -e /sys/block/md_raidtui_try0 ]; do sleep 0.1; done; kill -9 $(pgrep -f '[r]aidtui recover tank')"
    )
    running.wait(60)
    assert sums(guest, "abc") != before  # they are read-only
    assert guest.shell(LEFT).stdout != left
    refused = guest.run(["raidtui", "care", "tank"])
    assert (refused.returncode, "raidtui recover --clean" in refused.stderr) == (3, True), refused.stderr
    end(guest, before, "abc", left)


@pytest.mark.first(0)
def test_a_wrong_create_over_an_array_with_another_order(guest: Guest) -> None:
    build(guest, "5", "abcd", "--chunk=64")
    stop(guest)
    guest.shell(
        """mdadm -q --create /dev/md/tank --run --assume-clean --level=5 --raid-devices=4 --bitmap=internal --metadata=1.2 \
        /dev/ubdc /dev/ubda /dev/ubdd /dev/ubdb; mdadm -q --stop /dev/md/tank"""
    )
    before, left = sums(guest, "abcd"), guest.shell(LEFT).stdout
    best = recover(guest, "tank")["tried"][0]
    assert [one["source"] for one in best["candidate"]["shape"]["slots"]] == [
        f"LAB-000{one}" for one in (1, 2, 3, 4)
    ]
    assert (best["clean"], best["unreadable"]) == (True, 0), best
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "abcd", left)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("level", "more"), [("5", "--chunk=64"), ("6", "--chunk=64"), ("10", "--layout=n2 --chunk=64")]
)
def test_zeroed_superblocks(guest: Guest, level: str, more: str) -> None:
    build(guest, level, "cabd", more)
    stop(guest)
    guest.shell("for letter in a b c d; do mdadm -q --zero-superblock /dev/ubd$letter; done; udevadm settle")
    before, left = sums(guest, "abcd"), guest.shell(LEFT).stdout
    disks = "LAB-0001,LAB-0002,LAB-0003,LAB-0004"
    best = recover(guest, "--disks", disks)["tried"][0]
    assert (best["clean"], best["unreadable"], best["odd"]) == (True, 0, 0), best
    recover(guest, "--disks", disks, "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "abcd", left)


@pytest.mark.first(0)
def test_nothing_to_be_had_is_said(guest: Guest) -> None:
    build(guest, "5", "abc")
    stop(guest)
    guest.shell("for letter in b c; do dd if=/dev/zero of=/dev/ubd$letter bs=1M status=none; done || :; sync")
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    done = guest.run(["raidtui", "recover", "tank", "--disks", "LAB-0002,LAB-0003"], timeout=600)
    assert done.returncode == 4, (done.stdout, done.stderr)
    assert "UNKNOWN: nothing on these members" in done.stdout
    end(guest, before, "abc", left)


@pytest.mark.first(0)
def test_members_of_two_arrays_are_not_said_to_have_no_files(guest: Guest) -> None:
    build(guest, "1", "ab")
    stop(guest)
    guest.shell(
        "mdadm -q --create /dev/md/other --run --metadata=1.2 -l1 -n2 /dev/ubdc /dev/ubdd; mdadm -q --stop --scan"
    )
    done = guest.run(["raidtui", "recover", "--disks", "LAB-0001,LAB-0002,LAB-0003,LAB-0004"], timeout=600)
    assert (done.returncode, "SEVERAL ARRAYS" in done.stdout) == (4, True), (done.stdout, done.stderr)
    assert "tank and other" in done.stdout or "other and tank" in done.stdout
    best = recover(guest, "tank")["tried"][0]
    assert (best["clean"], best["unreadable"]) == (True, 0), best
