"""Runs in the guest: run a raidtui command that kills itself with SIGKILL at an entry of the journal.

    kill_at.py EVENT STEP -- job run FOLDER

The process dies as soon as an entry of kind EVENT about STEP is on disk. With ``prepare`` as EVENT the job's folder is
created, but no process is started.
"""

import os
import signal
import sys
from typing import Any
from unittest.mock import patch

from raidtui import cli
from raidtui.jobs import start
from raidtui.jobs.journal import Journal
from raidtui.model.journal import Entry, Event

event, step, _, *words = sys.argv[1:]
really_append = Journal.append


def append_and_die(self: Journal, kind: Event, **fields: Any) -> Entry:
    entry = really_append(self, kind, **fields)
    if kind.value == event and entry.step == step:
        os.kill(os.getpid(), signal.SIGKILL)
    return entry


# patch.object fails if there is nothing to replace: then the command would run to its end.
if event == "prepare":
    patch.object(start, "launch", lambda folder, mode: None).start()
else:
    patch.object(Journal, "append", append_and_die).start()
raise SystemExit(cli.main(words))
