"""Runs in a guest: a command of raidtui in a process that kills itself with SIGKILL at a point of the journal.

    kill_at.py EVENT STEP -- job run FOLDER

The moment an entry of the kind EVENT about STEP is on disk, the process is gone, as if somebody had done it from
outside at exactly that instant. ``prepare`` as the EVENT starts no job: its folder is made, and nothing runs.
"""

import os
import signal
import sys
from typing import Any

from raidtui import cli
from raidtui.jobs import start
from raidtui.jobs.journal import Journal
from raidtui.model.journal import Entry, Event

event, step, _, *words = sys.argv[1:]
really_append = Journal.append


def append_and_die(self: Journal, kind: Event, **told: Any) -> Entry:
    entry = really_append(self, kind, **told)
    if kind.value == event and entry.step == step:
        os.kill(os.getpid(), signal.SIGKILL)
    return entry


if event == "prepare":
    setattr(start, "_launch", lambda folder, mode: None)  # noqa: B010
else:
    setattr(Journal, "append", append_and_die)  # noqa: B010
raise SystemExit(cli.main(words))
