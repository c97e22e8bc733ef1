"""A replacement is cut off by a power cut at ten random moments: it is finished, and the data is the same."""

import random
import time
from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import raidtui, serials
from tests.kernel.test_replace import LVM, READ_ALL, B, build

CUTS = 10
NEW = serials(4)[-1]
BTRFS = """
for disk in a b c; do printf 'label: gpt\\n,500MiB\\n' | sfdisk -q /dev/ubd$disk; done; udevadm settle
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda1 /dev/ubdb1 /dev/ubdc1; udevadm settle
mkdir -p /srv/tank; mount /dev/ubda1 /srv/tank; dd if=/dev/urandom of=/srv/tank/data bs=1M count=200 status=none; sync
raidtui status >/dev/null
"""
# Nothing of the old disk is left: it is blank, and lost to its unit.
DISK, PART = "/dev/disk/by-id/ubd-RAIDTUI_LAB_{old}", "/dev/disk/by-id/ubd-RAIDTUI_LAB_{old}-part1"
WIPE = f"wipefs -qa {PART} {DISK}; blockdev --rereadpt {DISK}; udevadm settle; "
GONE = {
    "mdadm": f"mdadm -q /dev/md/tank --fail {PART}; sleep 0.5; mdadm -q /dev/md/tank --remove {PART}; {WIPE}",
    "lvm": f"umount /srv/tank; vgchange -qq -an tank; {WIPE} vgchange -qq -ay tank; mount /dev/tank/data /srv/tank",
    "btrfs": f"umount /srv/tank; {WIPE} btrfs device scan --forget; btrfs device scan >/dev/null; "
    "mount -o degraded $(blkid -L tank) /srv/tank",
}
BOOTED = {
    "mdadm": "mdadm -q --assemble --scan || :; udevadm settle; mountpoint -q /srv/tank || mount /dev/md/tank /srv/tank",
    "lvm": "udevadm settle; vgchange -qq -ay tank; mkdir -p /srv/tank; mountpoint -q /srv/tank || mount /dev/tank/data /srv/tank",
    "btrfs": "btrfs device scan >/dev/null; mkdir -p /srv/tank; mountpoint -q /srv/tank || "
    "mount -o degraded $(blkid -L tank) /srv/tank",
}


def finish(guest: Guest, old: str, new: str) -> None:
    """Resume what was interrupted, as a person would; what had not begun is begun again."""
    jobs = raidtui(guest, "jobs", "--json").report["jobs"]
    for job in jobs:
        if job["outcome"] == "interrupted":
            done = raidtui(guest, "resume", job["request"]["id"], timeout=900)
            assert done.code == 0, done.stderr
    if not jobs:
        done = raidtui(guest, "replace", old, new, "--erase", new, timeout=900)
        assert done.code == 0, done.stderr


def is_replaced(guest: Guest, backend: str, old: str, new: str) -> bool:
    """Whether the unit is whole, with the new disk and without the old one."""
    (found,) = raidtui(guest, "status", "--json").report["units"]
    disks = {disk for one in found["members"] for disk in (one["disk"], *one.get("on", ())) if disk}
    return found["health"] == "ok" and new in disks and old not in disks


@pytest.mark.first(0)
@pytest.mark.timeout(3000)  # ten boots, on a busy machine
@pytest.mark.parametrize("gone", [False, True], ids=["works", "gone"])
@pytest.mark.parametrize("backend", ["mdadm", "lvm", "btrfs"])
def test_a_replacement_that_is_cut_off_at_any_moment_is_finished(
    own_guest: Callable[[str], Guest], backend: str, gone: bool
) -> None:
    guest = own_guest("4x600MiB" if backend == "btrfs" else "4x160MiB")
    if backend == "mdadm":
        data = build(guest)
    else:
        guest.shell(LVM if backend == "lvm" else BTRFS, timeout=300)
        data = guest.shell(READ_ALL).stdout
    chance, took, old, new = random.Random(31), 0.0, B, NEW
    for number in range(CUTS + 1):
        if gone:
            guest.shell(GONE[backend].format(old=old))
        lost = "tank" if gone else old
        begin = time.monotonic()
        if number:
            guest.start(["raidtui", "replace", lost, new, "--erase", new])
            deadline = begin + chance.uniform(0.3, 1.0) * took
            while (left := deadline - time.monotonic()) > 0:
                guest.pump(left)
            guest.power_cut()
            guest.power_on()
            guest.shell(BOOTED[backend], check=False)
            finish(guest, lost, new)
        else:  # how long it takes here
            assert raidtui(guest, "replace", lost, new, "--erase", new).code == 0
            took = time.monotonic() - begin
        assert is_replaced(guest, backend, old, new), (number, guest.run(["raidtui", "status"]).stdout)
        guest.shell(BOOTED[backend])
        assert guest.shell(READ_ALL).stdout == data, number
        guest.shell("rm -rf /var/lib/raidtui/jobs/*")
        old, new = new, old
