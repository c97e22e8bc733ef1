"""Runs in the guest: watches arrays and disks and prints one JSON line a callback, until its input ends."""

import json
import sys
import time

from raidtui.machine.watch import watch_arrays, watch_disks
from raidtui.model.machine import Array


def tell(**what: object) -> None:
    print(json.dumps({"at": time.time(), "cpu": time.process_time()} | what), flush=True)


def tell_arrays(arrays: tuple[Array, ...]) -> None:
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
    tell(arrays=found)


if __name__ == "__main__":
    watchers = [watch_arrays(tell_arrays), watch_disks(lambda: tell(disks=True))]
    sys.stdin.read()
    for watcher in watchers:
        watcher.stop()
    tell(ended=True)
