"""Runs in the guest: run a raidtui command that writes to a disk, after each entry of its journal, how many there are.

    marking.py NODE -- job run FOLDER

The mark says at which place of the recording an entry was accepted: from there on no power cut may lose it.
"""

import mmap
import os
import sys
from typing import Any
from unittest.mock import patch

from raidtui import cli
from raidtui.jobs.journal import Journal
from raidtui.model.journal import Entry, Event

node, _, *words = sys.argv[1:]
really_append = Journal.append
device = os.open(node, os.O_WRONLY | os.O_DIRECT)
page = mmap.mmap(-1, mmap.PAGESIZE)


def mark(number: int) -> None:
    page[:] = f"RAIDTUI-MARK{number}".encode().ljust(mmap.PAGESIZE, b"\0")
    os.pwrite(device, page, 0)


def append_and_mark(self: Journal, kind: Event, **fields: Any) -> Entry:
    entry = really_append(self, kind, **fields)
    if not self._waits:
        mark(self.count + 1)
    return entry


mark(1)
patch.object(Journal, "append", append_and_mark).start()
raise SystemExit(cli.main(words))
