"""Waits until an array is in sync, and knows a degraded end from a good one."""

import time
from collections.abc import Callable
from typing import Final

from raidtui.machine.arrays import read_arrays
from raidtui.model.errors import StepFailed
from raidtui.model.machine import Array
from raidtui.model.uuids import same_uuid

_SECONDS: Final = 1.0
_QUIET_READINGS: Final = 3  # md starts a recovery a moment after the failure that makes it needed


def wait_until_in_sync(
    uuid: str,
    show: Callable[[Array], None],
    *,
    read: Callable[[], tuple[Array, ...]] = read_arrays,
    sleep: Callable[[float], None] = time.sleep,
) -> Array:
    """Wait until the array with ``uuid`` has nothing left to sync and no member missing; ``show`` it each second.

    A member that fails meanwhile and is replaced by a spare is part of the waiting. Returns the array as it is
    at the end.

    Raises:
        StepFailed: the array is gone or broken, or stays degraded and no spare can replace what it lost.
    """
    quiet = 0
    while True:
        array = next((one for one in read() if same_uuid(one.uuid, uuid)), None)
        if array is None:
            raise StepFailed(f"the array {uuid} no longer exists; 'raidtui status' shows the arrays")
        if array.state in {"broken", "inactive", "clear"}:
            raise StepFailed(f"the array {array.name} ({array.node}) is {array.state}: it no longer works")
        show(array)
        quiet = quiet + 1 if array.sync is None and array.sync_action == "idle" else 0
        if quiet and not array.degraded:
            return array
        if quiet >= _QUIET_READINGS:
            raise StepFailed(
                f"the array {array.name} ({array.node}) is degraded: {array.degraded} of {array.raid_disks} members "
                f"missing or failed ({_failed(array)}), and no spare left to replace them"
            )
        sleep(_SECONDS)


def _failed(array: Array) -> str:
    names = [f"{m.path} {'/'.join(m.state)}" for m in array.members if "faulty" in m.state]
    return ", ".join(names) or "a member is missing"
