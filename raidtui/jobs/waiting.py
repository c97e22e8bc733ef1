"""Wait until a unit is in sync, or stays degraded."""

import time
from collections.abc import Callable
from typing import Final

from raidtui.model.errors import StepFailed
from raidtui.model.unit import Health, Unit

_SECONDS: Final = 1.0
_QUIET_READINGS: Final = 3  # md starts a recovery shortly after the failure
_CALM_READINGS: Final = 2  # a RAID card may be between two operations


def wait_until_in_sync(
    mark: str,
    show: Callable[[Unit], None],
    *,
    read: Callable[[], tuple[Unit, ...]],
    every: float = 0,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Unit:
    """Wait until the unit with ``mark`` has finished syncing with no member missing; ``show`` it every second.

    If a member fails in the meantime, also wait for its rebuild onto a spare. Return the final state of the unit.

    Args:
        read: returns the current units.
        every: seconds until a reading can differ from the last; 0: every reading is current, as from the kernel.

    Raises:
        StepFailed: the unit is gone or failed, or stays degraded without a spare to replace the missing member.
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
            raise StepFailed(f"{name} cannot rebuild without a spare: {unit.state}")
        sleep(_SECONDS)
