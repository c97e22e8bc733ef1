"""The controls of a RAID volume: scrub and sync speed (lvchange(8), lvmraid(7)).

LVM cannot pause a sync. A check is stopped by a message to the kernel (device-mapper/dm-raid.rst).
"""

from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.backends.control import Control, Order
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.status import RaidStatus
from raidtui.backends.pace import next_pace, pace_of
from raidtui.model.plan import Run
from raidtui.model.unit import Health, Unit
from raidtui.model.units import KIB

_CHECK: Final = "check"
_NORMAL_RATE: Final = 0  # the system's limits apply


def controls(unit: Unit) -> Mapping[Control, Order]:
    """The controls that ``unit`` takes now; none if its volume is not active or not redundant."""
    redundant = unit.level in LEVELS and LEVELS[unit.level].redundant
    if not unit.node or not redundant or unit.health in {Health.FAILED, Health.INACTIVE}:
        return {}
    return dict(_controls(unit, unit.path.removeprefix("/dev/")))


def _controls(unit: Unit, volume: str) -> Iterator[tuple[Control, Order]]:
    doing, limits = unit.activity, unit.limits
    if doing is None:
        if unit.health in {Health.OK, Health.ERRORS}:
            check = Run(argv=("lvchange", "--syncaction", _CHECK, volume))
            yield Control.SCRUB, Order(actions=(check,), message="Scrub started.")
        # Leave limits set outside raidtui alone: LVM stores them with the volume.
        if limits is not None and limits.own and pace_of(limits) is not None:
            yield Control.RESTORE, Order(actions=(_rates(volume, None, None),))
        return
    if doing.what == _CHECK and isinstance(unit.reading, RaidStatus):
        stop = Run(argv=("dmsetup", "message", unit.reading.name, "0", "idle"))
        yield Control.STOP, Order(actions=(stop,), message="Scrub stopped.")
    if not doing.paused and limits is not None:
        for control, step in ((Control.FASTER, 1), (Control.SLOWER, -1)):
            if (pace := next_pace(limits, step)) is not None:
                rates = _rates(volume, pace.minimum, pace.maximum)
                yield control, Order(actions=(rates,), message=f"Speed limits: {pace.words}.")


def _rates(volume: str, least: int | None, most: int | None) -> Run:
    """Set the limits, in bytes a second; None: the system's."""

    def word(rate: int | None) -> str:
        return f"{_NORMAL_RATE if rate is None else rate // KIB}k"

    return Run(argv=("lvchange", "--minrecoveryrate", word(least), "--maxrecoveryrate", word(most), volume))
