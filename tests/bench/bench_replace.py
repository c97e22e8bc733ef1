"""Compare a replacement by raidtui with the kernel's own copy of the member: goal at most 1.05x.

In one guest, the disk of a RAID5 goes back and forth between two disks, by hand (``mdadm --replace --with``) and by
`raidtui replace` in turns. The time of raidtui is from its command that starts the copy to the end of the wait for it,
as the journal has it: what comes before (reading, capsule, wiping) and after (proof, erasing the old superblock) is
shown beside it, and does not grow with the size of the disks.
"""

import json
import statistics
import sys
import time
from datetime import datetime

from raidtui.lab.guest import Guest, Setup
from tests.bench.side_by_side import report
from tests.kernel.driving import JOBS, serials, spec_text

RUNS = 3
A, B, C, D = serials(4)
BY_HAND = """
exec >/dev/null
table() { sfdisk --quiet --dump "/dev/$1" | sed -e '/^label-id:/d' -e '/^device:/d' -e 's/, *uuid=[^,]*//' | sfdisk --quiet "/dev/$2"; }
table ubd{old} ubd{new}
udevadm settle
mdadm --quiet /dev/md/tank --add-spare /dev/ubd{new}1
mdadm --quiet /dev/md/tank --replace /dev/ubd{old}1 --with /dev/ubd{new}1
mdadm --wait /dev/md/tank
"""
FREE = "mdadm -q /dev/md/tank --remove /dev/ubd{old}1; sleep 1; wipefs -aq /dev/ubd{old}1 /dev/ubd{old}; udevadm settle"


def by_hand(guest: Guest, old: str, new: str) -> float:
    """Copy with mdadm; return the seconds until it is over."""
    begin = time.monotonic()
    guest.shell(BY_HAND.replace("{old}", old).replace("{new}", new), timeout=600)
    took = time.monotonic() - begin
    guest.shell(FREE.replace("{old}", old))
    return took


def replaced(guest: Guest, old: str, new: str) -> tuple[float, float]:
    """Replace with raidtui; return the seconds of the copy, and those of the whole command."""
    begin = time.monotonic()
    done = guest.run(["raidtui", "replace", old, new, "--erase", new, "--json"], timeout=600, check=True)
    whole = time.monotonic() - begin
    job = json.loads(done.stdout)["job"]
    lines = guest.run(["cat", f"{JOBS}/{job}/journal.jsonl"], check=True).stdout.splitlines()
    at = {
        (entry["event"], entry.get("step", "")): datetime.fromisoformat(entry["at"])
        for entry in map(json.loads, lines)
    }
    copied = at["step-done", "wait"] - at["step", "partition"]
    return copied.total_seconds(), whole


def main(runs: int) -> None:
    """Measure and print."""
    ours: list[float] = []
    theirs: list[float] = []
    with Guest(Setup(disks="4x1GiB")) as guest:
        spec = spec_text("raid5", [A, B, C], persistent=False)
        guest.run(
            ["raidtui", "apply", "-", "--erase", f"{A},{B},{C}", "--wait-sync"],
            stdin=spec,
            timeout=600,
            check=True,
        )
        guest.shell("echo 30000 >/proc/sys/dev/raid/speed_limit_max")
        for _ in range(runs):
            theirs.append(by_hand(guest, "b", "d"))
            copied, whole = replaced(guest, D, B)
            ours.append(copied)
            print(f"  raidtui {copied:.2f} s of {whole:.2f} s in all, by hand {theirs[-1]:.2f} s", flush=True)
    report("raidtui replace / mdadm --replace", statistics.median(ours) / statistics.median(theirs), 1.05)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
