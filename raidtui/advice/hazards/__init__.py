"""Find the hazards of these disks, this layout and this computer before building.

Each family is one file of small pure functions that take a `Look` and yield hazards. Hazards specific to a backend
are in its folder.
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
    tried,
)
from raidtui.backends.contract import Resolved
from raidtui.backends.look import Look
from raidtui.backends.registry import backend
from raidtui.model.machine import Machine
from raidtui.model.plan import Hazard, Severity

OF_LAYOUTS: Final = (sizes, layout, safety)
OF_DISKS: Final = (contents, identity, drives, connections, health, caches, likeness, tried)
FAMILIES: Final = (*OF_DISKS, *OF_LAYOUTS, host)
_ORDER = (Severity.BLOCK, Severity.HIGH, Severity.WARN, Severity.INFO)


def find_hazards(
    resolved: Resolved, machine: Machine | None, *, afr: float | None = None
) -> tuple[Hazard, ...]:
    """Find every hazard of building ``resolved`` on ``machine``, most severe first; each id at most once.

    Without a machine (sizes instead of members), only the hazards of the layout.

    Args:
        afr: the annual failure rate to assume for its disks; None: by their models.
    """
    look, own = look_at(resolved, machine, afr=afr), backend(resolved.spec.backend)
    families = OF_LAYOUTS if machine is None else FAMILIES
    checks = (*(check for family in families for check in family.CHECKS), *own.hazards)
    found = (hazard for check in checks for hazard in check(look))
    return sort_hazards(replace(one, severity=own.grades.get(one.id, one.severity)) for one in found)


def look_at(resolved: Resolved, machine: Machine | None, *, afr: float | None = None) -> Look:
    """Make the input of the checks from ``resolved`` and ``machine``; None: there are only sizes.

    Args:
        afr: see `find_hazards`.
    """
    disks = {
        role: tuple(one.disk for one in resolved.pieces if one.role == role) for role in ("member", "spare")
    }
    return Look(
        spec=resolved.spec,
        facts=resolved.facts,
        machine=machine,
        members=disks["member"],
        spares=disks["spare"],
        afr=afr,
    )


def sort_hazards(hazards: Iterable[Hazard]) -> tuple[Hazard, ...]:
    """Sort by severity, most severe first; equal ones keep their order."""
    return tuple(sorted(hazards, key=lambda hazard: _ORDER.index(hazard.severity)))


__all__ = ["Hazard", "Look", "find_hazards", "look_at", "sort_hazards"]
