"""What to know before building: every hazard that can be seen on these disks, this layout and this computer.

Each family is a file with small pure functions that look at one `Look` and yield what they find.
"""

from collections.abc import Iterable

from raidtui.advice.hazards import (
    caches,
    connections,
    contents,
    drives,
    health,
    host,
    identity,
    layout,
    likeness,
    safety,
    sizes,
)
from raidtui.advice.hazards.context import Look, look_at
from raidtui.backends.contract import Resolved
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Severity

FAMILIES = (contents, identity, drives, connections, health, caches, likeness, sizes, layout, safety, host)
_ORDER = (Severity.BLOCK, Severity.HIGH, Severity.WARN, Severity.INFO)


def find_hazards(resolved: Resolved, machine: Machine | None) -> tuple[Hazard, ...]:
    """Every hazard of building ``resolved`` on ``machine``, the gravest first; each id at most once.

    Without a machine (sizes in place of members) only what the layout itself implies.
    """
    look = look_at(resolved, machine)
    return sort_hazards(hazard for family in FAMILIES for check in family.CHECKS for hazard in check(look))


def sort_hazards(hazards: Iterable[Hazard]) -> tuple[Hazard, ...]:
    """The gravest first, else in the order they were found."""
    return tuple(sorted(hazards, key=lambda hazard: _ORDER.index(hazard.severity)))


__all__ = ["Hazard", "Look", "find_hazards", "sort_hazards"]
