"""md's levels, with one volume over them, and mixes of them over disks of unequal sizes."""

from typing import Final

from raidtui.backends.level import Level
from raidtui.model.md_levels import MD_LEVELS

_PLACED: Final = (
    "The disks are cut into bands of equal length, each an md array ({}), and one volume spans all of them."
)

LEVELS: Final = {
    level.name: level
    for level in (
        *(Level(name=name, min_disks=one.least, redundant=one.redundant) for name, one in MD_LEVELS.items()),
        Level(
            name="hybrid1",
            min_disks=2,
            placed=_PLACED,
            explains="Bands of md arrays use unequal disks in full; any one can fail. ",
        ),
        Level(
            name="hybrid2",
            min_disks=3,
            placed=_PLACED,
            explains="Bands of md arrays use unequal disks in full; any two can fail. ",
        ),
    )
}

COMPARED: Final = ("raid1", "raid5", "raid6", "raid10")
"""Those worth comparing on the same disks."""

MIXED: Final = ("hybrid1", "hybrid2")
"""Bands of arrays that survive one failed disk, or two."""
