"""What a build by raidtui costs against the same plan's script run by hand: goal at most 1.15x.

In one guest, on the same disks: RAID5 of four disks with ext4, that is not mounted at boot. `raidtui apply` and
`sh tank.sh` take turns, so that whatever else uses these processors slows both. Both times are wall time, from the
command to its end: of `apply` that includes reading the machine, planning, the job's process, every check, the
recovery capsule and the journal. Between two builds the array is torn down; that is not timed.

Each row also shows where the time of `apply` went: its commands, the rest of the job, and what came before the job.
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
    """Where the seconds of one `raidtui apply` went."""

    whole: float
    commands: float
    job: float  # from the journal's first line to its last, without the commands

    @property
    def before(self) -> float:
        """Until the job's first line, and from its last one to the prompt."""
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
    """Build with the plan's script; the seconds that it takes."""
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
