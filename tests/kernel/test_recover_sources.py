"""Recovery from copies of disks, and from a reshape that a power cut ended; every source stays as it is."""

from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import FILL, LEFT, build, end, files_are_right, recover, stop, sums

IMAGE = "/mnt/images/b.img"
MADE = "mdadm -q --create /dev/md/tank --run --metadata=1.2 --raid-devices=3 {more} /dev/ubda /dev/ubdb /dev/ubdc"


@pytest.mark.first(0)
def test_an_image_takes_the_place_of_a_disk_that_is_gone(guest: Guest) -> None:
    build(guest, "5", "abc")
    guest.shell("lab pull LAB-0003; echo 1 >/srv/tank/after-first; sync; sleep 1; lab plug", check=False)
    stop(guest)
    # As ddrescue leaves it: holes where nothing could be read.
    guest.shell(
        f"mkfs.ext4 -qF /dev/ubdd; mkdir -p /mnt/images; mount /dev/ubdd /mnt/images; dd if=/dev/ubdb of={IMAGE} bs=1M conv=sparse "
        f"status=none; truncate -s $(blockdev --getsize64 /dev/ubdb) {IMAGE}; lab pull LAB-0002"
    )
    digest = guest.shell(f"sha256sum {IMAGE}").stdout
    before, left = sums(guest, "ac"), guest.shell(LEFT).stdout
    order = ["tank", "--image", f"LAB-0002={IMAGE}"]
    best = recover(guest, *order)["tried"][0]
    assert [one["source"] for one in best["candidate"]["shape"]["slots"]] == ["LAB-0001", "LAB-0002", ""]
    assert (best["clean"], best["unreadable"]) == (True, 0), best
    recover(guest, *order, "--mount", "1")
    assert files_are_right(guest)
    assert guest.shell("ls /run/raidtui-recovery/after-first").returncode == 0
    end(guest, before, "ac", left)
    assert guest.shell(f"sha256sum {IMAGE}").stdout == digest
    real = guest.run(["raidtui", "recover", "tank", "--for-real", "1"])
    assert (real.returncode, "was read from an image" in real.stderr) == (3, True), real.stderr
    guest.shell("umount /mnt/images; lab plug")


@pytest.mark.first(0)
def test_a_clone_on_another_disk_is_taken_as_the_member_that_it_was(guest: Guest) -> None:
    build(guest, "5", "abc")
    guest.shell("lab pull LAB-0003; echo 1 >/srv/tank/after-first; sync; sleep 1; lab plug", check=False)
    stop(guest)
    guest.shell("dd if=/dev/ubdb of=/dev/ubdd bs=1M status=none; lab pull LAB-0002; udevadm settle")
    stop(guest)
    before, left = sums(guest, "acd"), guest.shell(LEFT).stdout
    best = recover(guest, "tank")["tried"][0]
    assert [one["source"] for one in best["candidate"]["shape"]["slots"]] == ["LAB-0001", "LAB-0004", ""]
    assert (best["clean"], best["unreadable"]) == (True, 0), best
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "acd", left)
    guest.shell("lab plug")


@pytest.mark.first(0)
def test_one_with_the_superblock_of_the_older_array_says_where_those_belong_that_were_created_over(
    guest: Guest,
) -> None:
    build(guest, "5", "abcd")
    stop(guest)
    # With the oldest superblock, whose copy at the end of the disks is inside the older array then.
    guest.shell(
        "mdadm -q --create /dev/md/other --run --assume-clean --metadata=0.90 --level=5 --raid-devices=3 /dev/ubdb /dev/ubda /dev/ubdc"
    )
    guest.shell("mdadm -q --stop /dev/md/other; mdadm -q --stop --scan || :; udevadm settle")
    before, left = sums(guest, "abcd"), guest.shell(LEFT).stdout
    members = ["tank", "--disks", "LAB-0001,LAB-0002,LAB-0003"]
    best = recover(guest, *members)["tried"][0]
    order = [one["source"] for one in best["candidate"]["shape"]["slots"]]
    assert order == ["LAB-0001", "LAB-0002", "LAB-0003", "LAB-0004"]
    recover(guest, *members, "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "abcd", left)


@pytest.mark.first(0)
def test_a_change_of_chunk_is_cut_in_the_middle_and_its_backup_file_is_gone(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest("3x160MiB")
    build(guest, "5", "abc", "--chunk=512")
    guest.shell(
        """echo 4000 >/proc/sys/dev/raid/speed_limit_max; echo 4000 >/proc/sys/dev/raid/speed_limit_min
mdadm -q --grow /dev/md/tank --chunk=64 --backup-file=/root/backup
until [ "$(cat /sys/block/md*/md/reshape_position)" != none ] && [ "$(cat /sys/block/md*/md/reshape_position)" -gt 60000 ]; do sleep 0.2; done"""
    )
    guest.power_cut()
    guest.power_on()
    guest.shell("rm -f /root/backup; mdadm -q --stop --scan || :; udevadm settle")
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    found = recover(guest, "tank")
    best = found["tried"][0]
    assert best["candidate"]["way"] == "reshape", best
    assert best["candidate"]["rest"] is not None, best
    assert best["files"] >= 1541, best
    recover(guest, "tank", "--mount", "1")
    wrong = guest.run(
        ["sh", "-c", "cd /run/raidtui-recovery && sha256sum --quiet -c sums 2>&1 | grep -c FAILED"]
    ).stdout
    # What was being moved when the power went is lost without the backup file; the rest is there.
    assert int(wrong) <= 4, wrong
    end(guest, before, "abc", left)


_NO_LAYOUT = """
import struct, sys
for path in sys.argv[1:]:
    with open(path, "r+b", buffering=0) as device:
        device.seek(4096)
        block = bytearray(device.read(4096))
        struct.pack_into("<I", block, 8, struct.unpack_from("<I", block, 8)[0] & ~0x1000)
        count = struct.unpack_from("<I", block, 220)[0]
        struct.pack_into("<II", block, 76, 0, struct.unpack_from("<I", block, 80)[0])
        struct.pack_into("<I", block, 216, 0)
        total = sum(struct.unpack_from(f"<{64 + count // 2}I", block))
        total += struct.unpack_from("<H", block, 254 + 2 * count)[0] if count % 2 else 0
        struct.pack_into("<I", block, 216, (total + (total >> 32)) & 0xFFFFFFFF)
        device.seek(4096)
        device.write(block)
"""


@pytest.mark.first(0)
@pytest.mark.parametrize("level", ["0", "linear"])
def test_an_array_without_redundancy_that_nobody_starts_is_read(
    own_guest: Callable[[str], Guest], level: str
) -> None:
    guest = own_guest("2x160MiB,1x96MiB")
    guest.shell(f"{MADE.format(more=f'--level={level}')}\n{FILL}", timeout=300)
    stop(guest)
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    best = recover(guest, "tank")["tried"][0]
    assert (best["candidate"]["way"], best["clean"], best["unreadable"]) == ("events", True, 0), best
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    end(guest, before, "abc", left)


@pytest.mark.first(0)
@pytest.mark.parametrize("layout", ["original", "alternate"])
def test_a_raid0_whose_superblocks_say_no_layout_is_tried_in_both(
    own_guest: Callable[[str], Guest], layout: str
) -> None:
    # The last holds 189 chunks: 567 are before the zone of the two others, an odd number.
    guest = own_guest("2x160MiB,1x98816KiB")
    large = "cd /srv/tank; head -c 300M /dev/urandom >fill; sha256sum f* >sums; cd /; sync"  # more than the first zone
    guest.shell(f"{MADE.format(more=f'--level=0 --layout={layout}')}\n{FILL}\n{large}", timeout=300)
    stop(guest)
    guest.shell(
        f"python3 -c '{_NO_LAYOUT}' /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle; mdadm -q --stop --scan || :"
    )
    before, left = sums(guest, "abc"), guest.shell(LEFT).stdout
    found = recover(guest, "tank")["tried"]
    layouts = [one["candidate"]["shape"]["layout"] for one in found]
    assert sorted(layouts) == [1, 2]
    right = {}
    for number, tried in enumerate(layouts, 1):
        recover(guest, "tank", "--mount", str(number))
        right[tried] = files_are_right(guest)
        guest.shell("raidtui recover --clean")
    assert right == {1: layout == "original", 2: layout == "alternate"}
    refused = guest.run(["raidtui", "recover", "tank", "--for-real", "1"])
    assert (refused.returncode, "no superblock confirms" in refused.stderr) == (3, True), refused.stderr
    end(guest, before, "abc", left)
