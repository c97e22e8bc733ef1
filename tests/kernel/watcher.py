"""Runs in the guest: watch arrays and disks, and print a JSON line per callback, until stdin is closed."""

import json
import sys
import time

from raidtui.machine.watch import watch_arrays, watch_disks
from raidtui.model.machine import Array


def report(**what: object) -> None:
    print(json.dumps({"at": time.time(), "cpu": time.process_time()} | what), flush=True)


def report_arrays(arrays: tuple[Array, ...]) -> None:
    found = [
        {
            "node": array.node,
            "state": array.state,
            "degraded": array.degraded,
            "action": array.sync_action,
            "members": {member.path: [member.slot, *member.state] for member in array.members},
        }
        for array in arrays
    ]
    report(arrays=found)


if __name__ == "__main__":
    watchers = [watch_arrays(report_arrays), watch_disks(lambda: report(disks=True))]
    sys.stdin.read()
    for watcher in watchers:
        watcher.stop()
    report(ended=True)
