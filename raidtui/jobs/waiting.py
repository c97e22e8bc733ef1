"""Waits until a unit is in sync, and knows a degraded end from a good one."""

import time
from collections.abc import Callable
from typing import Final

from raidtui.model.errors import StepFailed
from raidtui.model.unit import Health, Unit

_SECONDS: Final = 1.0
_QUIET_READINGS: Final = 3  # md starts a recovery a moment after the failure that makes it needed
_CALM_READINGS: Final = 2  # a card may be between two operations when it is asked


def wait_until_in_sync(
    mark: str,
    show: Callable[[Unit], None],
    *,
    read: Callable[[], tuple[Unit, ...]],
    every: float = 0,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Unit:
    """Wait until the unit with ``mark`` has nothing left to sync and no member missing; ``show`` it each second.

    A member that fails meanwhile and is replaced by a spare is part of the waiting. Returns the unit as it is
    at the end.

    Args:
        read: the units as they are now.
        every: seconds between two readings that say something new; 0: each does, for the kernel reports changes.

    Raises:
        StepFailed: the unit is gone or failed, or stays degraded and no spare can replace what it lost.
    """
    quiet, counted = 0, 0.0
    while True:
        unit = next((one for one in read() if one.has_mark(mark)), None)
        if unit is None:
            raise StepFailed(f"{mark} no longer exists; 'raidtui status' shows what there is")
        name = f"{unit.name} ({unit.node or unit.path})"
        if unit.health in {Health.FAILED, Health.INACTIVE}:
            raise StepFailed(f"{name} no longer works: {unit.state}")
        show(unit)
        settled = unit.activity is None and unit.health in {Health.OK, Health.ERRORS, Health.DEGRADED}
        now = clock()
        if not settled:
            quiet = 0
        elif not quiet or now - counted >= every:
            quiet, counted = quiet + 1, now
        if unit.health is not Health.DEGRADED and quiet >= (_CALM_READINGS if every else 1):
            return unit
        if quiet >= _QUIET_READINGS:
            raise StepFailed(f"{name} stays as it is, with no spare left: {unit.state}")
        sleep(_SECONDS)
