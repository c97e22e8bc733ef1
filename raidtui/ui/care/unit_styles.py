"""The styles for the states of units and members. Pure. The words are always clear without them."""

from typing import Final

from raidtui.backends.registry import backend
from raidtui.model.text import harmless
from raidtui.model.unit import WELL, Health, Unit, UnitMember

GOOD: Final = "$text-success"
WARN: Final = "$text-warning"
BAD: Final = "bold $text-error"
PLAIN: Final = ""

GONE: Final = frozenset({"missing", "faulty"})

MARKS: Final = {
    Health.OK: "OK",
    Health.SYNCING: "SYNC",
    Health.BUILDING: "BUILDING",
    Health.ERRORS: "ERRORS",
    Health.DEGRADED: "DEGRADED",
    Health.FAILED: "FAILED",
    Health.INACTIVE: "INACTIVE",
}
STYLES: Final = {
    Health.OK: GOOD,
    Health.SYNCING: PLAIN,
    Health.BUILDING: WARN,
    Health.ERRORS: WARN,
    Health.DEGRADED: WARN,
    Health.FAILED: BAD,
    Health.INACTIVE: BAD,
}


def style_of(unit: Unit) -> str:
    """The style of a unit's state; never good for a unit without redundancy."""
    level = backend(unit.backend).levels.get(unit.level)
    if unit.health is Health.OK and level is not None and not level.redundant:
        return PLAIN
    is_paused = unit.activity is not None and unit.activity.paused
    return WARN if unit.health is Health.SYNCING and is_paused else STYLES[unit.health]


def member_style(member: UnitMember, unit: Unit) -> str:
    """The style of a member's state; plain during the first rebuild, as nothing has failed."""
    if member.role in GONE:
        return BAD
    if member.state in WELL or (unit.health is Health.BUILDING and member.state == "rebuilding"):
        return PLAIN
    return WARN


def called(unit: Unit) -> str:
    """The name of a unit for display."""
    return harmless(unit.shown)
