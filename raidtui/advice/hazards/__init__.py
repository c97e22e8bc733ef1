"""What to know before building: every hazard that can be seen on these disks, this layout and this computer.

Each family is a file with small pure functions that look at one `Look` and yield what they find; those of one
backend alone are in its folder.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

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
from raidtui.backends.contract import Resolved
from raidtui.backends.look import Look
from raidtui.backends.registry import backend
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Severity

OF_LAYOUTS: Final = (sizes, layout, safety)
OF_DISKS: Final = (contents, identity, drives, connections, health, caches, likeness)
FAMILIES: Final = (*OF_DISKS, *OF_LAYOUTS, host)
_ORDER = (Severity.BLOCK, Severity.HIGH, Severity.WARN, Severity.INFO)


def find_hazards(resolved: Resolved, machine: Machine | None) -> tuple[Hazard, ...]:
    """Every hazard of building ``resolved`` on ``machine``, the gravest first; each id at most once.

    Without a machine (sizes in place of members) only what the layout itself implies.
    """
    look, own = look_at(resolved, machine), backend(resolved.spec.backend)
    families = OF_LAYOUTS if machine is None else FAMILIES
    checks = (*(check for family in families for check in family.CHECKS), *own.hazards)
    found = (hazard for check in checks for hazard in check(look))
    return sort_hazards(replace(one, severity=own.grades.get(one.id, one.severity)) for one in found)


def look_at(resolved: Resolved, machine: Machine | None) -> Look:
    """What the checks look at: ``resolved`` on ``machine``; None: it is of sizes alone."""
    disks = {
        role: tuple(one.disk for one in resolved.pieces if one.role == role) for role in ("member", "spare")
    }
    return Look(
        spec=resolved.spec,
        facts=resolved.facts,
        machine=machine,
        members=disks["member"],
        spares=disks["spare"],
    )


def sort_hazards(hazards: Iterable[Hazard]) -> tuple[Hazard, ...]:
    """The gravest first, else in the order they were found."""
    return tuple(sorted(hazards, key=lambda hazard: _ORDER.index(hazard.severity)))


__all__ = ["Hazard", "Look", "find_hazards", "look_at", "sort_hazards"]
