"""The order in which units are listed: those that need attention come first. Pure."""

from typing import Final

from raidtui.model.unit import Health, Unit

_ORDER: Final = (
    Health.FAILED,
    Health.INACTIVE,
    Health.DEGRADED,
    Health.ERRORS,
    Health.BUILDING,
    Health.SYNCING,
    Health.OK,
)


def urgency(unit: Unit) -> tuple[int, bool, str]:
    """A key to sort units by."""
    return _ORDER.index(unit.health), not unit.lost, unit.name
