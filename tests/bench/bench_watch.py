"""Watch a resync on the build screen: goals at most 1 % of a core and 1 KB of terminal output a second.

In one guest: build a RAID5 of four disks with a spare, slow its first sync down to an hour, as with real disks, and
watch the build screen on a terminal of 80x24. A sync of minutes is drawn every second and costs up to three times as
much. Processor time is that of all threads, according to the guest's kernel; system calls cost more there than on a
real computer.
"""

import json
import sys
from importlib.util import find_spec
from typing import Any

from raidtui.lab.guest import Guest, Setup
from tests.kernel.driving import apply, python, serials, spec_text

SECONDS = 60
DISKS = serials(5)
WATCH = f"""
import json
from tests.kernel.terminal import Terminal

with Terminal() as screen:
    screen.until("Enter opens it")
    screen.press("j")
    screen.until("Enter Open")
    screen.press("enter")
    screen.until("Not redundant yet", "busy")
    screen.watch(20)  # until its rate is known
    received, cost = screen.received, screen.processor_seconds
    screen.watch({SECONDS})
    figures = dict(
        bytes=(screen.received - received) / {SECONDS},
        share=(screen.processor_seconds - cost) / {SECONDS},
        text=screen.text,
    )
print(json.dumps(figures))
"""


def watch(guest: Guest) -> dict[str, Any]:
    """Build an array that syncs for an hour, and watch its screen for a minute."""
    guest.shell("cd /proc/sys/dev/raid && echo 300 >speed_limit_min && echo 300 >speed_limit_max")
    built = apply(guest, spec_text("raid5", DISKS[:4], spares=DISKS[4:]), DISKS)
    if built.code:
        raise SystemExit(built.stderr)
    done = python(guest, WATCH)
    if done.returncode:
        raise SystemExit(done.stderr)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def report(what: str, value: float, goal: float, unit: str) -> None:
    """Print a figure with its goal; missing it is no error."""
    missed = "" if value <= goal else ", missed"
    print(f"{what}: {value:.2f} {unit} (goal: at most {goal:g} {unit}{missed})", file=sys.stdout)


if __name__ == "__main__":
    if find_spec("pyte") is None:
        raise SystemExit("pyte is missing; ./start test installs it")
    with Guest(Setup(disks="5x1GiB")) as booted:
        seen = watch(booted)
    print(seen["text"], file=sys.stderr)
    report("terminal output while a resync is watched", seen["bytes"], 1024, "bytes/s")
    report("processor time of it", 100 * seen["share"], 1, "% of a core")
