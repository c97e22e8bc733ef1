"""Compare ``raidtui inspect --json`` with ``lsblk -J -O`` plus ``wipefs -J`` on each of 24 disks: goal at most 1.3 times.

Alternating in one guest, wall time. Also measures the processor time of watching a resync (goal 0.5 %).
"""

import signal
import sys
from statistics import median

from raidtui.lab.guest import Guest, Setup
from tests.bench.side_by_side import report
from tests.machines.record import SHELF, SHELF_DISKS

ROUNDS = 9
TIMER = """
import subprocess, sys, time
plain = "lsblk -J -O; for disk in /dev/disk/by-id/ubd-RAIDTUI_SHELF_*; do wipefs -J $disk; done"
for turn in range(int(sys.argv[1])):
    for command in ("raidtui inspect --json", plain):
        begin = time.perf_counter()
        subprocess.run(["sh", "-ec", command], check=True, stdout=subprocess.DEVNULL)
        print(time.perf_counter() - begin)
"""
WATCHED_SECONDS = 60  # every backend is asked once a minute
RESYNC = """
shelf=/dev/disk/by-id/ubd-RAIDTUI_SHELF_SHELF-00
mdadm --quiet --create /dev/md/tank --run --homehost=lab --metadata=1.2 --bitmap=internal --level=5 --raid-devices=4 \
    ${shelf}01 ${shelf}04 ${shelf}07 ${shelf}10
echo 2000 >/sys/block/md127/md/sync_speed_max
udevadm settle
"""


def measure_inspect(guest: Guest) -> list[float]:
    """The time of inspect in each round, as a multiple of the other commands."""
    output = guest.run([sys.executable, "-c", TIMER, str(ROUNDS)], check=True, timeout=600).stdout
    times = [float(line) for line in output.split()][2:]  # in the first turn, programs are read from the host
    return [ours / theirs for ours, theirs in zip(times[0::2], times[1::2], strict=True)]


def measure_watch(guest: Guest) -> tuple[float, float]:
    """Share of the processor and bytes a second that ``status --watch`` takes during a resync."""
    guest.shell(RESYNC)
    status = guest.start(["raidtui", "status", "--watch"], size=(40, 120))
    guest.shell("sleep 5")
    spent, sent = _processor_time(guest), len(status.stdout)
    guest.shell(f"sleep {WATCHED_SECONDS}")
    spent, sent = _processor_time(guest) - spent, len(status.stdout) - sent
    status.kill(signal.SIGINT)
    status.wait(20)
    return spent / WATCHED_SECONDS, sent / WATCHED_SECONDS


def _processor_time(guest: Guest) -> float:
    """Processor seconds of all threads of the watching process so far."""
    # utime and stime count whole ticks of 10 ms, and charge one for each wakeup by a timer.
    output = guest.shell("cat /proc/$(pgrep -of 'status --watch')/task/*/schedstat").stdout
    return sum(int(line.split()[0]) for line in output.splitlines()) / 1e9


if __name__ == "__main__":
    with Guest(Setup(disks=SHELF_DISKS)) as guest:
        guest.shell(SHELF)
        ratios = measure_inspect(guest)
        report("inspect / (lsblk -J -O + wipefs -J on each), 24 disks", median(ratios), 1.3)
        print(f"  from {min(ratios):.2f}x to {max(ratios):.2f}x in {len(ratios)} rounds")
        share, rate = measure_watch(guest)
    print(
        f"status --watch during a resync: {100 * share:.2f} % of a core (goal: at most 0.5 %), {rate:.0f} bytes/s"
    )
