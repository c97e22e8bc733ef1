"""md's levels, with one volume over them, and mixes of them over disks of unequal sizes."""

from typing import Final

from raidtui.backends.level import Level

LEVELS: Final = {
    level.name: level
    for level in (
        Level(name="raid0", min_disks=2, redundant=False),
        Level(name="linear", min_disks=2, redundant=False),
        Level(name="raid1", min_disks=2),
        Level(name="raid4", min_disks=2),
        Level(name="raid5", min_disks=2),
        Level(name="raid6", min_disks=4),
        Level(name="raid10", min_disks=2),
        Level(
            name="hybrid1",
            min_disks=2,
            explains="Bands of md arrays use unequal disks in full; any one can fail. ",
        ),
        Level(
            name="hybrid2",
            min_disks=3,
            explains="Bands of md arrays use unequal disks in full; any two can fail. ",
        ),
    )
}

COMPARED: Final = ("raid1", "raid5", "raid6", "raid10")
"""Those worth comparing on the same disks."""

MIXED: Final = ("hybrid1", "hybrid2")
"""Bands of arrays that survive one failed disk, or two."""
