"""What a build costs besides the commands that do it, as a share of theirs: goal at most 0.15.

In one guest: RAID5 of four disks with ext4, several times; each time from the journal's own clock. The commands'
time is what the journal notes for each; the rest of the time from the first line to the last is ours: the reading
of the machine, the checks with the programs that they ask, the capsule, the journal. The guest has one processor,
and udev and the array's first sync want it as well: our waiting for it counts as ours, the commands' as theirs.

Before the first line raidtui reads the disks, plans, and starts the job's process: how long, is told beside it.
"""

import json
import statistics
import time
from datetime import datetime
from typing import Any

from raidtui.lab.guest import Guest, Setup
from tests.bench.side_by_side import report
from tests.kernel.driving import JOBS, serials, spec_text

RUNS = 5  # others may use these processors
DISKS = serials(4)


def overhead(entries: list[dict[str, Any]]) -> tuple[float, float]:
    """Seconds from the first line of a journal to the last that were not a command's, and those that were."""
    first, last = (datetime.fromisoformat(entries[n]["at"]) for n in (0, -1))
    total = (last - first).total_seconds()
    commands = sum(float(entry["seconds"]) for entry in entries if entry["event"] == "command")
    return total - commands, commands


def build_and_take_away(guest: Guest) -> tuple[float, float, float]:
    """As `overhead`, and the seconds of ``raidtui apply`` that are not in the journal."""
    spec = spec_text("raid5", DISKS)
    words = ["raidtui", "apply", "-", "--erase", ",".join(DISKS), "--json"]
    begin = time.monotonic()
    job = json.loads(guest.run(words, stdin=spec, timeout=300, check=True).stdout)["job"]
    whole = time.monotonic() - begin
    text = guest.run(["cat", f"{JOBS}/{job}/journal.jsonl"], check=True).stdout
    guest.run(["raidtui", "teardown", "tank", "--erase", ",".join(DISKS)], timeout=300, check=True)
    ours, theirs = overhead([json.loads(line) for line in text.splitlines()])
    return ours, theirs, whole - ours - theirs


if __name__ == "__main__":
    with Guest(Setup(disks="4x2GiB")) as booted:
        measured = [build_and_take_away(booted) for _ in range(RUNS)]
    for ours, theirs, before in measured:
        print(f"  {ours:.2f} s besides {theirs:.2f} s of commands, {before:.2f} s until the job began")
    report(
        "a build's time outside its commands / theirs", statistics.median(o / t for o, t, _ in measured), 0.15
    )
