"""The styles in which the states of units and members are shown. Pure. They are never needed to understand the words."""

from typing import Final

from raidtui.model.text import harmless
from raidtui.model.unit import WELL, Health, Unit, UnitMember

GOOD: Final = "$text-success"
WARN: Final = "$text-warning"
BAD: Final = "bold $text-error"
PLAIN: Final = ""

GONE: Final = frozenset({"missing", "faulty"})

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
    """The style of a unit's state: one without redundancy is never quite well."""
    from raidtui.backends.registry import backend

    level = backend(unit.backend).levels.get(unit.level)
    if unit.health is Health.OK and level is not None and not level.redundant:
        return PLAIN
    is_paused = unit.activity is not None and unit.activity.paused
    return WARN if unit.health is Health.SYNCING and is_paused else STYLES[unit.health]


def member_style(member: UnitMember, unit: Unit) -> str:
    """The style of a member's state. One that is filled for the first time has not failed."""
    if member.role in GONE:
        return BAD
    if member.state in WELL or (unit.health is Health.BUILDING and member.state == "rebuilding"):
        return PLAIN
    return WARN


def called(unit: Unit) -> str:
    """Its name, as it is shown."""
    return harmless(unit.name or unit.node)
