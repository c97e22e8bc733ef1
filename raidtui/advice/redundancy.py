"""How much of its redundancy a unit has, in one scale for every backend. Pure."""

from enum import IntEnum

from raidtui.backends.registry import backend
from raidtui.model.md_levels import Left, parity_of
from raidtui.model.unit import NO_REDUNDANCY, REDUNDANCY_UNKNOWN, Health, Unit

_WHOLE = frozenset({Health.OK, Health.SYNCING, Health.ERRORS})


class Redundancy(IntEnum):
    """What one more failed disk does."""

    LOST = -1  # it has lost more members than it survives
    NONE = 0  # any further failure, or one of some disks, loses data
    REDUCED = 1  # any single further failure is survived, though members are missing
    WHOLE = 2  # all that its level gives


def is_redundant_level(unit: Unit) -> bool | None:
    """Whether its level survives a failed disk at all; None if the level is not known."""
    level = backend(unit.backend).levels.get(unit.level)
    return None if level is None else level.redundant


def failures_survived(unit: Unit) -> str:
    """How many failed disks a whole unit of a redundant level survives for certain, in words."""
    level = backend(unit.backend).levels[unit.level]
    parity = 0 if level.placed else parity_of(level.placement)
    if parity > 1:
        return f"any {parity} failed disks"
    return "any one failed disk" if parity == 1 or unit.raid_disks == 2 else "at least one failed disk"


def redundancy(unit: Unit) -> Redundancy | None:
    """What ``unit`` has left; None if it is not running or its level is not known."""
    redundant = is_redundant_level(unit)
    if unit.health is Health.FAILED:
        return Redundancy.LOST
    if (
        unit.stopped
        or unit.health is Health.INACTIVE
        or redundant is None
        or REDUNDANCY_UNKNOWN in unit.state
    ):
        return None
    if not redundant or NO_REDUNDANCY in unit.state:
        return Redundancy.NONE
    if Left.of_state(unit.state) is Left.SOME:
        return Redundancy.REDUCED
    return Redundancy.WHOLE if unit.health in _WHOLE else Redundancy.NONE
