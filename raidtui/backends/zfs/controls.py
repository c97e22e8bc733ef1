"""The controls of a pool: its scrub (zpool-scrub(8)). A resilver cannot be paused."""

from collections.abc import Iterator, Mapping
from typing import Final

from raidtui.backends.control import Control, Nights, Order
from raidtui.model.plan import Run
from raidtui.model.unit import Health, Unit

_SCRUB: Final = "scrub"


def controls(unit: Unit) -> Mapping[Control, Order]:
    """The controls that ``unit`` takes now; none if it is not imported or its data cannot be read."""
    return {} if unit.health in {Health.FAILED, Health.INACTIVE} else dict(_controls(unit))


def _controls(unit: Unit) -> Iterator[tuple[Control, Order]]:
    doing = unit.activity
    if doing is None:
        yield Control.SCRUB, _scrub(unit, message="Scrub started.")
    elif doing.what == _SCRUB:
        if doing.paused:
            yield Control.RESUME, _scrub(unit, message="Scrub resumed.")
        else:
            yield (
                Control.PAUSE,
                _scrub(unit, "-p", message="Scrub paused. p resumes it, also after a reboot."),
            )
        yield Control.STOP, _scrub(unit, "-s", message="Scrub stopped.")


def _scrub(unit: Unit, *options: str, message: str) -> Order:
    return Order(actions=(Run(argv=("zpool", "scrub", *options, unit.name)),), message=message)


NIGHTS: Final = Nights(  # zpool-scrub(8): the same command starts and resumes it
    begin=lambda unit, _: _scrub(unit, message="Scrub started."),
    end=lambda unit: _scrub(unit, "-p", message="Scrub paused."),
)
