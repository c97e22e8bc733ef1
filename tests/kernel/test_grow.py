"""An array grows while its filesystem is in use: by disks, and into larger ones; the data is the same before and after."""

import json
import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    array,
    cut_power_at,
    grow,
    growing,
    kill_everywhere,
    killed,
    prepare,
    promised,
    raidtui,
    serials,
    spec_text,
)

A, B, C, NEW, MORE = FIVE = serials(5)
READ_ALL = "echo 3 >/proc/sys/vm/drop_caches; sha256sum /srv/tank/data"
SLOW = "echo 4000 >/proc/sys/dev/raid/speed_limit_max; echo 1000 >/proc/sys/dev/raid/speed_limit_min"
FAST = "echo 200000 >/proc/sys/dev/raid/speed_limit_max; echo 200000 >/proc/sys/dev/raid/speed_limit_min"


def build(guest: Guest, level: str = "raid5", disks: tuple[str, ...] = (A, B, C), **options: Any) -> str:
    """A mounted array called tank, in sync, with a file; return the file's checksum."""
    done = apply(guest, spec_text(level, list(disks), **options), list(disks), "--wait-sync")
    assert done.code == 0, done.stderr
    guest.shell("dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 status=none; sync")
    return guest.shell(READ_ALL).stdout


def check_whole(guest: Guest, level: str, members: int, size: int) -> None:
    """Check that the array is what was promised: level, members, bytes, redundancy, no mismatch."""
    found = array(guest)
    assert found is not None
    assert (found["level"], found["raid_disks"], found["size_bytes"]) == (level, members, size)
    assert found["degraded"] == 0
    assert [one["state"] for one in found["members"]] == [["in_sync"]] * members
    assert found["mismatch_sectors"] == 0
    assert found["checked"]


def change(to: str) -> str:
    """The row of the table for one more disk, with or without another level."""
    return f"to {to}" if to else "+1 disk"


def files_bytes(guest: Guest) -> int:
    return int(guest.shell("stat -f -c '%b %S' /srv/tank | awk '{ print $1 * $2 }'").stdout)


def test_a_raid5_grows_by_a_disk_while_its_files_are_read_and_written(guest: Guest) -> None:
    data = build(guest)
    shape, before = promised(guest, "+1 disk"), files_bytes(guest)
    guest.shell(SLOW)
    running = guest.start(["raidtui", "grow", "tank", "--add", NEW, "--erase", NEW])
    while b"tank: reshape" not in running.stderr:
        assert running.returncode is None, running.stderr
        guest.pump(0.05)
    assert guest.shell(READ_ALL).stdout == data
    guest.shell(f"dd if=/dev/urandom of=/srv/tank/during bs=1M count=10 status=none; sync; {FAST}")
    during = guest.shell("sha256sum /srv/tank/during").stdout
    assert running.wait(120) == 0, running.stderr
    check_whole(guest, "raid5", 4, shape["unit_bytes"])
    assert files_bytes(guest) > before * 1.4
    assert guest.shell(READ_ALL).stdout == data
    assert guest.shell("sha256sum /srv/tank/during").stdout == during
    guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank")


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("level", "disks", "to", "filesystem"),
    [
        ("raid1", 2, "", "ext4"),
        ("raid1", 2, "raid5", "ext4"),
        ("raid1", 2, "raid5", "xfs"),
        ("raid4", 3, "", "ext4"),
        ("raid5", 3, "", "xfs"),
        ("raid5", 3, "", "btrfs"),
        ("raid5", 3, "raid6", "ext4"),
        ("raid6", 4, "", "ext4"),
    ],
)
def test_every_level_that_is_offered_grows_to_the_promised_size(
    large_guest: Guest, level: str, disks: int, to: str, filesystem: str
) -> None:
    guest = large_guest
    own, new = tuple(serials(disks)), serials(disks + 1)[-1]
    data = build(guest, level, own, filesystem=filesystem)
    shape, before = promised(guest, change(to)), files_bytes(guest)
    done = grow(guest, new, to=to)
    assert done.returncode == 0, done.stderr
    check_whole(guest, to or level, disks + 1, shape["unit_bytes"])
    assert guest.shell(READ_ALL).stdout == data
    gains = to != "raid6" and (to or level) != "raid1"
    assert (files_bytes(guest) > before * 1.15) is gains
    if filesystem == "ext4" and gains:
        reported = guest.shell("dumpe2fs -h /dev/md/tank 2>/dev/null | grep 'RAID stripe width'").stdout
        width = int(guest.shell("cat /sys/block/md127/queue/optimal_io_size").stdout)
        assert int(reported.split()[-1]) * 4096 == width
        guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank")


@pytest.mark.first(0)
def test_a_change_of_level_that_not_every_superblock_has(guest: Guest) -> None:
    """A power cut may come between two superblocks: md then leaves out a member that has the old one."""
    data = build(guest)
    guest.shell(f"rm -r {JOBS}/*")
    job = prepare(guest, "grow", "tank", "--add", NEW, "--erase", NEW, "--level", "raid6")
    go_on = ("job", "run", job["folder"])
    assert killed(guest, "step", "grow", *go_on)
    device, kept = "/dev/ubdc1", "/run/superblock"
    guest.shell(f"sync; dd if={device} of={kept} bs=1M count=1 iflag=direct status=none")
    assert killed(guest, "step-done", "grow", *go_on)
    guest.shell(
        f"umount /srv/tank; mdadm --stop /dev/md/tank; udevadm settle; mdadm -q --stop --scan || :; "
        f"dd if={kept} of={device} bs=1M oflag=direct conv=notrunc status=none; "
        "mdadm --assemble --run /dev/md/tank /dev/ubda1 /dev/ubdb1; udevadm settle; mount /srv/tank"
    )
    assert guest.shell("cat /sys/block/md127/md/degraded").stdout == "2\n"
    done = raidtui(guest, *go_on)
    assert done.code == 0, done.stderr
    found = array(guest)
    assert found is not None
    check_whole(guest, "raid6", 4, found["size_bytes"])
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_two_disks_join_at_once_and_an_array_line_with_a_number_does_not_stop_the_boot(guest: Guest) -> None:
    data = build(guest)
    guest.shell(
        "sed -i 's/^ARRAY .*/& num-devices=3/' /etc/mdadm/mdadm.conf; grep num-devices= /etc/mdadm/mdadm.conf"
    )
    shape = promised(guest, "+2 disks")
    done = grow(guest, NEW, MORE)
    assert done.returncode == 0, done.stderr
    check_whole(guest, "raid5", 5, shape["unit_bytes"])
    assert "num-devices" not in guest.shell("cat /etc/mdadm/mdadm.conf").stdout
    guest.shell(
        "umount /srv/tank; mdadm -q --stop /dev/md/tank; mdadm -q --assemble --scan; udevadm settle; mount /srv/tank"
    )
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "to"), [("raid5", ""), ("raid1", "raid5"), ("raid5", "raid6")])
def test_a_growth_that_is_killed_at_every_step_is_finished(guest: Guest, level: str, to: str) -> None:
    own = (A, B, C)[: 2 if level == "raid1" else 3]
    data = build(guest, level, own)
    shape = promised(guest, change(to))
    guest.shell(f"rm -r {JOBS}/*")
    kill_everywhere(guest, prepare(guest, *growing(NEW, to=to)))
    check_whole(guest, to or level, len(own) + 1, shape["unit_bytes"])
    assert guest.shell(READ_ALL).stdout == data


LARGER = ("raidtui", "grow", "tank", "--size", "max")


def on_larger_disks(guest: Guest, level: str, count: int) -> str:
    """Build on the first ``count`` disks, replace each by one of the next; return the checksum of the file."""
    every = serials(2 * count)
    data = build(guest, level, tuple(every[:count]))
    for old, new in zip(every[:count], every[count:], strict=True):
        done = guest.run(["raidtui", "replace", old, new, "--erase", new], timeout=300)
        assert done.returncode == 0, done.stderr
    return data


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "count"), [("raid1", 2), ("raid5", 3), ("raid10", 4)])
def test_an_array_takes_the_space_of_larger_disks_after_all_were_replaced(
    own_guest: Callable[[str], Guest], level: str, count: int
) -> None:
    guest = own_guest(f"{count}x160MiB,{count}x300MiB")
    early = guest.run(list(LARGER))
    assert early.returncode == 2, early.stderr
    data = on_larger_disks(guest, level, count)
    shape, before = promised(guest, "larger members"), files_bytes(guest)
    done = guest.run(list(LARGER), timeout=300)
    assert done.returncode == 0, done.stderr
    check_whole(guest, level, count, shape["unit_bytes"])
    assert files_bytes(guest) > before * 1.7
    assert guest.shell("cat /sys/block/md127/md/bitmap/location").stdout.startswith("+")
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank")
    again = guest.run(list(LARGER))
    assert (again.returncode, "already uses all" in again.stderr) == (3, True), again.stderr


@pytest.mark.first(0)
def test_larger_members_are_rolled_back_before_the_size_is_set_and_finished_after_every_kill(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest("2x160MiB,2x300MiB")
    data = on_larger_disks(guest, "raid1", 2)
    shape = promised(guest, "larger members")
    sizes = "cat /sys/class/block/ubdc1/size /sys/class/block/ubdd1/size"
    before = guest.shell(sizes).stdout
    guest.shell(f"rm -r {JOBS}/*")
    job = prepare(guest, *LARGER[1:])
    assert killed(guest, "step-done", "bitmap-off", "job", "run", job["folder"])
    assert guest.shell(sizes).stdout != before
    undone = raidtui(guest, "rollback", job["request"]["id"])
    assert undone.code == 0, undone.stderr
    assert guest.shell(sizes).stdout == before
    assert guest.shell("cat /sys/block/md127/md/bitmap/location").stdout.startswith("+")
    guest.shell(f"rm -r {JOBS}/*")
    kill_everywhere(guest, prepare(guest, *LARGER[1:]))
    check_whole(guest, "raid1", 2, shape["unit_bytes"])
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_larger_members_survive_a_power_cut_while_the_new_space_is_synced(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest("2x160MiB,2x300MiB")
    data = on_larger_disks(guest, "raid1", 2)
    shape = promised(guest, "larger members")
    guest.shell(SLOW)
    cut_power_at(guest, list(LARGER), "tank: resync")
    boot_and_resume(guest)
    check_whole(guest, "raid1", 2, shape["unit_bytes"])
    assert guest.shell("cat /sys/block/md127/md/bitmap/location").stdout.startswith("+")
    assert guest.shell(READ_ALL).stdout == data


def boot_and_resume(guest: Guest) -> None:
    """Assemble and mount as a boot does, then resume the growth."""
    guest.shell("mdadm --assemble --scan -q || :; udevadm settle")
    mounted = guest.shell("mountpoint -q /srv/tank || mount /srv/tank", check=False)
    seen = guest.shell("cat /proc/mdstat; lsblk -o NAME,FSTYPE,UUID; dmesg | tail -n 20", check=False).stdout
    assert mounted.returncode == 0, f"{mounted.stderr}\n{seen}"
    growth = next(
        one["request"]["id"]
        for one in raidtui(guest, "jobs", "--json").report["jobs"]
        if one["request"]["kind"] == "care"
    )
    guest.shell(FAST)
    done = raidtui(guest, "resume", growth)
    assert done.code == 0, done.stderr


@pytest.mark.first(0)
def test_a_growth_survives_a_power_cut_in_the_middle_of_the_reshape(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest("4x160MiB")
    data = build(guest)
    shape = promised(guest, "+1 disk")
    guest.shell(SLOW)
    cut_power_at(guest, ["raidtui", "grow", "tank", "--add", NEW, "--erase", NEW], "tank: reshape")
    boot_and_resume(guest)
    check_whole(guest, "raid5", 4, shape["unit_bytes"])
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank")


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("level", "to"), [("raid4", ""), ("raid5", ""), ("raid6", ""), ("raid1", "raid5"), ("raid5", "raid6")]
)
@pytest.mark.parametrize("seed", range(4))
def test_a_growth_survives_power_cuts_at_random_moments(
    own_guest: Callable[[str], Guest], level: str, to: str, seed: int
) -> None:
    chance = random.Random(f"{level} {to} {seed}".replace("  ", " "))
    disks = {"raid1": 2, "raid6": 4}.get(level, 3)
    own, new = tuple(serials(disks)), serials(disks + 1)[-1]
    guest = own_guest(f"{disks + 1}x160MiB")
    data = build(guest, level, own)
    shape = promised(guest, change(to))
    guest.shell(SLOW)
    running = guest.start(["raidtui", *growing(new, to=to)])
    word = b"tank: rebuild" if to == "raid6" else b"tank: reshape"
    while word not in running.stderr:
        assert running.returncode is None, running.stderr
        guest.pump(0.05)
    guest.start(
        [
            "sh",
            "-c",
            "while :; do dd if=/dev/urandom of=/srv/tank/busy bs=64k count=40 conv=fsync status=none; done",
        ]
    )
    until = time.monotonic() + chance.uniform(0, 12)
    while time.monotonic() < until:
        guest.pump(0.05)
    guest.power_cut()
    guest.power_on()
    boot_and_resume(guest)
    check_whole(guest, to or level, disks + 1, shape["unit_bytes"])
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank")


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("mdadm -q /dev/md/tank --fail /dev/ubda1; sleep 0.5", "lacks 1 member"),
        ("echo check >/sys/block/md127/md/sync_action; echo 100 >/proc/sys/dev/raid/speed_limit_max", "is busy: check"),
        ("umount /srv/tank", "is not mounted"),
        ("mount -o remount,ro /srv/tank", "mounted read-only"),
        ("mkswap -q /dev/ubdd; swapon /dev/ubdd", "is in use"),
    ],
)  # fmt: skip
def test_what_cannot_grow_is_refused_and_nothing_changes(guest: Guest, script: str, words: str) -> None:
    build(guest)
    guest.shell(script)
    before = json.dumps(array(guest), sort_keys=True) if "check" not in script else ""
    done = grow(guest, NEW)
    assert (done.returncode, words in done.stderr) == (3, True), done.stderr
    assert not before or json.dumps(array(guest), sort_keys=True) == before


@pytest.mark.first(1)
@pytest.mark.parametrize("filesystem", ["xfs", "ext4", "btrfs"])
def test_space_that_a_growth_left_unused_is_a_finding_and_is_filled(
    large_guest: Guest, filesystem: str
) -> None:
    """mdadm --grow by hand, after which the filesystem was forgotten."""
    large_guest.shell(
        "mdadm --create /dev/md/tank --run -q --level=1 -n 2 --bitmap=none --assume-clean --size=320M /dev/ubda /dev/ubdb; "
        f"mkfs.{filesystem} -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank; echo data >/srv/tank/data; "
        "mdadm -q --grow /dev/md/tank --size=560M --assume-clean; udevadm trigger --settle /dev/md127"
    )
    before, checksum = files_bytes(large_guest), large_guest.shell(READ_ALL).stdout
    kinds = [one["kind"] for one in raidtui(large_guest, "status", "--json").report["findings"]]
    assert "space-unused" in kinds
    done = raidtui(large_guest, "care", "tank", "--do", "fill", "--json")
    assert done.code == 0, done.stderr
    assert files_bytes(large_guest) > before * 1.5
    assert "space-unused" not in [
        one["kind"] for one in raidtui(large_guest, "status", "--json").report["findings"]
    ]
    assert large_guest.shell(READ_ALL).stdout == checksum
