"""From the pull of a disk to the finding with its serial number: goal at most 2 s beyond the kernel's own time.

In one guest of QEMU, a disk is pulled from an array of each backend while files are written. The time of the kernel is
until it shows the loss itself: md in sysfs, LVM in the state of device mapper, Btrfs in its error counters, ZFS in its
kstat. That of raidtui is until `raidtui status --watch` prints a finding with the serial number. Emulated, all of it is
slower than on a real computer, and raidtui more than the kernel.
"""

import json
import sys
import time
from typing import Final, NamedTuple

from raidtui.lab.command import Command
from raidtui.lab.guest import Guest, Setup
from tests.kernel.driving import nodes, serials
from tests.vm.conftest import CLEAN_UP

GOAL_SECONDS: Final = 2.0
PULLED: Final = "LAB-0002"
LOAD: Final = "while :; do dd if=/dev/urandom of=/srv/tank/load bs=64K count=4 conv=fsync status=none || :; sleep 0.2; done"


class Array(NamedTuple):
    """How an array is made on three disks and mounted, and the condition in which the kernel knows of a loss."""

    make: str
    lost: str


_MOUNT: Final = "mkfs.ext4 -q -E lazy_itable_init=0 {device}; mkdir -p /srv/tank; mount {device} /srv/tank"
ARRAYS: Final = {
    "md": Array(
        "mdadm -q --create /dev/md/tank --run --homehost=lab --metadata=1.2 --bitmap=internal --level=5 -n3 {disks}; "
        "mdadm -q --wait /dev/md/tank || :; " + _MOUNT.format(device="/dev/md/tank"),
        "grep -q 1 /sys/block/md127/md/degraded",
    ),
    "LVM": Array(
        "vgcreate -qq tank {disks}; lvcreate -qq -y --type raid5 -i 2 -n data -l 50%FREE tank; "
        + _MOUNT.format(device="/dev/tank/data"),
        "dmsetup status tank-data | cut -d' ' -f6 | grep -q D",
    ),
    "Btrfs": Array(
        "mkfs.btrfs -q -f -L tank -d raid1 -m raid1 {disks} >/dev/null; udevadm settle; mkdir -p /srv/tank; "
        "mount {first} /srv/tank",
        "grep -q '_errs [1-9]' /sys/fs/btrfs/*-*/devinfo/*/error_stats",
    ),
    "ZFS": Array(
        "zpool create -f -m /srv/tank tank raidz {disks}",
        "! zpool status -x tank | grep -q 'is healthy'",
    ),
}


def measure(guest: Guest, array: Array) -> tuple[float, float]:
    """Seconds from the pull until the kernel shows it, and until raidtui does."""
    guest.shell(CLEAN_UP, check=False, timeout=600)
    disks = nodes(guest, serials(3))
    guest.shell(array.make.format(disks=" ".join(disks), first=disks[0]), timeout=600)
    watch = guest.start(["raidtui", "status", "--watch", "--json"])
    load = guest.start(["sh", "-c", LOAD])
    kernel = guest.start(["sh", "-c", f"echo ready; until {array.lost}; do sleep 0.05; done; echo lost"])
    until(guest, watch, lambda: b'"findings"' in watch.stdout and b"ready" in kernel.stdout)
    time.sleep(5)  # until the first reading of the whole computer is over
    begin = time.monotonic()
    guest.pull(PULLED)
    seen: dict[str, float] = {}

    def both() -> bool:
        if b"lost" in kernel.stdout:
            seen.setdefault("kernel", time.monotonic() - begin)
        if found(watch):
            seen.setdefault("raidtui", time.monotonic() - begin)
        return len(seen) == 2

    until(guest, watch, both)
    for one in (load, watch):
        one.kill(9)
        one.wait(60)
    guest.plug(PULLED)
    return seen["kernel"], seen["raidtui"]


def found(watch: Command) -> bool:
    """Whether a finding with the serial number of the pulled disk was printed."""
    whole, _, _ = bytes(watch.stdout).rpartition(b"\n")
    lines = [json.loads(line) for line in whole.splitlines()[-3:]]
    return any(PULLED in json.dumps(line.get("findings")) for line in lines)


def until(guest: Guest, watch: Command, what: object) -> None:
    """Wait for it."""
    assert callable(what)
    deadline = time.monotonic() + 180
    while not what():
        if time.monotonic() > deadline or watch.returncode is not None:
            raise SystemExit(f"not seen: {bytes(watch.stdout)[-500:]!r} {bytes(watch.stderr)[-500:]!r}")
        guest.pump(0.02)


def main(*names: str) -> None:
    """Measure and print."""
    with Guest(Setup(disks="4xscsi:512MiB", engine="qemu")) as guest:
        for name in names or ARRAYS:
            kernel, ours = measure(guest, ARRAYS[name])
            more = ours - kernel
            print(
                f"{name}: {ours:.1f} s, the kernel {kernel:.1f} s: {more:+.1f} s (goal: at most +{GOAL_SECONDS:g} s"
                f"{'' if more <= GOAL_SECONDS else ', missed'})",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
