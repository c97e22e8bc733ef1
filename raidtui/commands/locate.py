"""Find a disk in the case: its light blinks, and raidtui says at once if another disk is pulled.

The activity light blinks by reads, one second on and one second off; a locate light is turned on where ledctl can.
A disk that is gone cannot blink: the other disks of its array do, and it is the one that stays dark. Ends when the disk
is pulled, at Enter or Ctrl-C. Nothing is written to any disk.
"""

from __future__ import annotations

import argparse
import os
import select
import sys
import time
from typing import TYPE_CHECKING, Final

from raidtui.commands._recorded import refuse_recorded
from raidtui.model.errors import BadInput, Refused

if TYPE_CHECKING:
    from raidtui.jobs.search import Said

_LOOK_SECONDS: Final = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "disk", metavar="DISK", help="serial number of the disk, also if it is no longer connected"
    )
    parser.add_argument("--seconds", type=int, metavar="N", help="stop after this time (default: at Enter)")


def run(args: argparse.Namespace) -> int:
    """Blink until the disk is pulled or the user ends it."""
    from raidtui.backends.reading import read_whole
    from raidtui.backends.units import units_of
    from raidtui.jobs.search import Search
    from raidtui.jobs.unit_journal import UnitJournal

    refuse_recorded(args.machine, "its disks have no light")
    if args.seconds is not None and args.seconds < 1:
        raise BadInput("--seconds must be at least 1")
    if os.geteuid() != 0:
        raise Refused("only root can read the disk to make it blink; run the same command with sudo")
    machine = read_whole(smart=False)
    ends = None if args.seconds is None else time.monotonic() + args.seconds
    with Search(args.disk, machine, UnitJournal().look(units_of(machine))) as search:
        for said in search.begin():
            _say(said)
        if ends is None and sys.stdin.isatty():
            print("Press Enter to stop.", flush=True)
        while not search.found and (ends is None or time.monotonic() < ends):
            if _pressed(_LOOK_SECONDS):
                break
            for said in search.look():
                _say(said)
    return 0


def _pressed(seconds: float) -> bool:
    """Wait; return early, and whether, a line was entered on the terminal."""
    if not sys.stdin.isatty():
        time.sleep(seconds)
        return False
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return False
    sys.stdin.readline()
    return True


def _say(said: Said) -> None:
    from raidtui.commands.terminal.output import terminal

    print(said.text, flush=True)
    if said.danger and sys.stdout.isatty():
        terminal(sys.stdout).write("\a")
