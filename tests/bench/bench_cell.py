"""Compare a fio cell run by raidtui with the same job run by fio alone: goal within 2 %.

In one guest, on ext4 on RAID1, alternating, so that other load affects both. The rate is fio's own; the difference is
what raidtui does meanwhile on the guest's only processor: read counters and progress four times a second, and store
them.

On a busy computer the rates vary by far more. Then the processor time of raidtui compared with fio's is the better
measure: if the processor is the bottleneck, this share is the loss.
"""

import json
import statistics
import sys
from pathlib import Path

from raidtui.lab.guest import Guest, Setup

ROOT = Path(__file__).resolve().parent.parent.parent
PAIRS = 9
ROWS = ("RND4K Q32T1",)  # here the processor is the bottleneck, so raidtui's share lowers the rate

ARRAY = """
mdadm --quiet --create /dev/md127 --run --level=1 --raid-devices=2 --bitmap=none --metadata=1.2 /dev/ubda /dev/ubdb
mdadm --wait /dev/md127 || true
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/md127
mkdir -p /srv/one && mount /dev/md127 /srv/one
"""

# Runs in the guest. Each line: the cell, its rate by raidtui and by fio alone, processor seconds of raidtui and of
# fio, and wall-clock seconds.
INSIDE = r"""
import json, os, subprocess, sys
from pathlib import Path
import raidtui.bench.fio_runner
from raidtui.bench.own_file import opened
from raidtui.bench.rounds import Rounds
from raidtui.bench.fio_runner import BenchContext
from raidtui.bench.stop import StopRequests
from raidtui.bench.target import check_target
from raidtui.jobs.journal import Journal
from raidtui.machine.reader import read_machine
from raidtui.model.journal import BenchRequest

costs = []

def run_fio(*words, **more):
    # The real one, with its processor time and fio's.
    begin = os.times()
    done = real(*words, **more)
    end = os.times()
    ours = end.user + end.system - begin.user - begin.system
    fios = end.children_user + end.children_system - begin.children_user - begin.children_system
    costs.append((ours, fios, end.elapsed - begin.elapsed))
    return done

real, raidtui.bench.fio_runner.run_fio = raidtui.bench.fio_runner.run_fio, run_fio

pairs, names = int(sys.argv[1]), sys.argv[2:]
request = BenchRequest(target="/srv/one", size_bytes=64 * 2**20, runs=pairs, seconds=3)  # CrystalDiskMark: 5
machine = read_machine(smart=False)
target = check_target(request.target, machine, request)
folder = Path("/run/bench-cell"); folder.mkdir()
alone = folder / "alone"; alone.mkdir()
with Journal(folder) as journal, StopRequests() as stop, opened(
    target, machine, size_bytes=request.size_bytes, job="cell", erase=""
) as found:
    given = BenchContext(
        job=folder, journal=journal, stop=stop, target=target, opened=found, program="/usr/bin/fio"
    )
    rounds = Rounds(given)
    rounds.fill()

    def by_raidtui(turn):
        return rounds.run(turn).value.bytes_per_second

    def by_fio(turn):
        argv = [word for word in rounds.argv_of(turn) if not word.startswith("--eta")]
        subprocess.run(argv, cwd=alone, pass_fds=found.descriptors, check=True, stdout=subprocess.DEVNULL)
        job = json.loads((alone / "cell.json").read_text())["jobs"][0]
        return job["read"]["bw_bytes"] or job["write"]["bw_bytes"]

    for turn in rounds.turns:
        if turn.cell.row.name not in names or not turn.run:
            continue
        # The first may profit from the pause before it, so alternate that, too.
        order = (by_raidtui, by_fio) if turn.run % 2 else (by_fio, by_raidtui)
        rates = {way: way(turn) for way in order}
        print(json.dumps([turn.cell.row.name, turn.cell.direction, rates[by_raidtui], rates[by_fio], *costs[-1]]), flush=True)
"""


def main() -> None:
    """Boot, measure, and print the median ratio of each cell and overall."""
    with Guest(Setup(disks="2x160MiB")) as guest:
        guest.shell(ARRAY)
        words = [sys.executable, "-c", INSIDE, str(PAIRS), *ROWS]
        done = guest.run(words, env={"PYTHONPATH": str(ROOT)}, timeout=1800)
    if done.returncode:
        raise SystemExit(done.stderr)
    ratios: dict[str, list[float]] = {}
    ours_busy = fios_busy = clock = 0.0
    for line in done.stdout.splitlines():
        name, direction, ours, alone, cost, fios_cost, elapsed = json.loads(line)
        ratios.setdefault(f"{name} {direction}", []).append(ours / alone)
        ours_busy, fios_busy, clock = ours_busy + cost, fios_busy + fios_cost, clock + elapsed
    for cell, found in ratios.items():
        print(f"  {cell}: {statistics.median(found):.3f} ({min(found):.2f} … {max(found):.2f})")
    middle = statistics.median(ratio for found in ratios.values() for ratio in found)
    print(
        f"a fio cell through raidtui / by fio alone: {middle:.3f}x "
        f"(goal: 0.98 to 1.02{'' if 0.98 <= middle <= 1.02 else ', missed'})"
    )
    share = 100 * ours_busy / clock
    print(
        f"raidtui's processor time during a cell: {share:.1f} % of a core, {100 * ours_busy / fios_busy:.1f} % of fio's "
        f"(goal: at most 2 % of a core{'' if share <= 2 else ', missed'})"
    )


if __name__ == "__main__":
    main()
