"""Read the system-wide sync limits: ``dev.raid.speed_limit_min`` and ``_max`` (md(4))."""

from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.units import KIB

LEAST: Final = 1000 * KIB
"""md's default lower limit, bytes a second: what a sync gets even beside other I/O."""
SpeedLimits = tuple[int | None, int | None]
"""Lowest and highest sync rate, in bytes a second; None if md is not loaded."""


def read_limits(tree: Tree) -> SpeedLimits:
    """The system's current limits."""
    return _limit(tree, "min"), _limit(tree, "max")


def _limit(tree: Tree, which: str) -> int | None:
    limit = tree.number(f"/proc/sys/dev/raid/speed_limit_{which}")
    return None if limit is None else limit * KIB
