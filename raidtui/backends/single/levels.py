"""The one level of a single disk."""

from typing import Final

from raidtui.backends.level import Level

ALONE: Final = Level(
    name="single",
    title="a single disk",
    explains="A filesystem on one disk: all its space, its own speed, and everything is lost with it. To compare "
    "arrays with, and for data that has a copy elsewhere.",
    placed="All of the data is on this disk.",
    suits="a baseline for arrays",
    pros=("all the space of the disk",),
    cons=("everything is lost with it",),
    min_disks=1,
    redundant=False,
)
"""Never offered for several disks."""

LEVELS: Final = {ALONE.name: ALONE}
