"""The order in which units are listed: those that need attention come first. Pure."""

from typing import Final

from raidtui.model.unit import Health, Unit

WORST_FIRST: Final = (
    Health.FAILED,
    Health.INACTIVE,
    Health.DEGRADED,
    Health.ERRORS,
    Health.BUILDING,
    Health.SYNCING,
    Health.OK,
)
"""Every health; a test keeps it so."""


def urgency(unit: Unit) -> tuple[int, bool, str]:
    """A key to sort units by."""
    return WORST_FIRST.index(unit.health), not unit.lost, unit.name
