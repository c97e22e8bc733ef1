"""Runs in a guest: kills a job's process with SIGKILL the moment its journal says that it is at a certain point.

    kill_at.py JOBS EVENT [STEP] [SKIP]

Waits for an entry of the kind EVENT (about STEP) in the newest job's journal, not counting the first SKIP bytes
of it, and prints the step it killed the process at; prints "ended" if the job ended before.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

jobs, event = Path(sys.argv[1]), sys.argv[2]
step = sys.argv[3] if len(sys.argv) > 3 else ""
seen = int(sys.argv[4]) if len(sys.argv) > 4 else 0
pid = 0
rest = b""
while True:
    journals = sorted(jobs.glob("*/journal.jsonl"))
    if journals and journals[-1].stat().st_size > seen:
        with journals[-1].open("rb") as file:
            file.seek(seen)
            rest += file.read()
        seen = journals[-1].stat().st_size
        *lines, rest = rest.split(b"\n")
        for line in lines:
            entry = json.loads(line)
            if entry["event"] == "started":
                pid = entry["data"]["pid"]
            elif entry["event"] == event and step in ("", entry.get("step")) and pid:
                os.kill(pid, signal.SIGKILL)
                print(entry.get("step", ""))
                raise SystemExit(0)
            elif entry["event"] == "ended":
                print("ended")
                raise SystemExit(0)
    time.sleep(0.002)
