"""Compare a build by raidtui with the same plan's script run by hand: goal at most 1.15x.

In one guest, on the same disks: RAID5 of four disks with ext4, not mounted at boot. `raidtui apply` and `sh tank.sh`
alternate, so that other load slows both. Both times are wall time of the whole command: for `apply` that includes
reading the machine, planning, the job's process, all checks, the recovery capsule and the journal. Between builds the
array is torn down, which is not timed.

Each row also shows how the time of `apply` was spent: its commands, the rest of the job, and the time outside the job.
"""

import json
import statistics
import sys
import time
from datetime import datetime

from raidtui.lab.guest import Guest, Setup
from raidtui.model.struct import Record
from tests.bench.side_by_side import report
from tests.kernel.driving import JOBS, serials, spec_text

RUNS = 5
DISKS = serials(4)
ERASE = ",".join(DISKS)
SPEC = spec_text("raid5", DISKS, persistent=False)


class Applied(Record, frozen=True, kw_only=True):
    """How the seconds of a `raidtui apply` were spent."""

    whole: float
    commands: float
    job: float  # from the first line of the journal to the last, without the commands

    @property
    def before(self) -> float:
        """Before the first line of the journal, and after the last."""
        return self.whole - self.job - self.commands


def apply(guest: Guest) -> Applied:
    """Build with `raidtui apply`."""
    begin = time.monotonic()
    done = guest.run(
        ["raidtui", "apply", "-", "--erase", ERASE, "--json"], stdin=SPEC, timeout=300, check=True
    )
    whole = time.monotonic() - begin
    job = json.loads(done.stdout)["job"]
    lines = guest.run(["cat", f"{JOBS}/{job}/journal.jsonl"], check=True).stdout.splitlines()
    entries = [json.loads(line) for line in lines]
    first, last = (datetime.fromisoformat(entries[n]["at"]) for n in (0, -1))
    commands = sum(float(entry["seconds"]) for entry in entries if entry["event"] == "command")
    return Applied(whole=whole, commands=commands, job=(last - first).total_seconds() - commands)


def by_hand(guest: Guest) -> float:
    """Build with the plan's script; return the seconds it takes."""
    made = guest.run(["raidtui", "plan", "-", "--script"], stdin=SPEC, timeout=60, check=True).stdout
    guest.run(["sh", "-c", "cat >/root/tank.sh"], stdin=made, check=True)
    begin = time.monotonic()
    guest.run(["sh", "/root/tank.sh", "--erase", ERASE], timeout=300, check=True)
    return time.monotonic() - begin


def tear_down(guest: Guest) -> None:
    """Leave the disks blank."""
    guest.run(["raidtui", "teardown", "tank", "--erase", ERASE], timeout=300, check=True)


def main(runs: int) -> None:
    """Measure and print."""
    applied: list[Applied] = []
    scripted: list[float] = []
    with Guest(Setup(disks="4x2GiB")) as guest:
        for _ in range(runs):
            applied.append(apply(guest))
            tear_down(guest)
            scripted.append(by_hand(guest))
            tear_down(guest)
            one = applied[-1]
            print(
                f"  apply {one.whole:.2f} s ({one.commands:.2f} s commands, {one.job:.2f} s rest of the job, "
                f"{one.before:.2f} s before it), script {scripted[-1]:.2f} s",
                flush=True,
            )
    ours = statistics.median(one.whole for one in applied)
    report("raidtui apply / the plan's script by hand", ours / statistics.median(scripted), 1.15)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
