"""The profiles of Btrfs for data."""

from typing import Final

from raidtui.backends.level import Level

_WRITE_HOLE: Final = "Its raid5 and raid6 have a write hole and are not for data that matters. "

LEVELS: Final = {
    level.name: level
    for level in (
        Level(name="single", min_disks=1, redundant=False),
        Level(name="raid0", min_disks=1, redundant=False),
        Level(name="raid1", min_disks=2),
        Level(name="raid1c3", min_disks=3),
        Level(name="raid1c4", min_disks=4),
        Level(name="raid10", min_disks=2),
        Level(name="raid5", min_disks=2, explains=_WRITE_HOLE),
        Level(name="raid6", min_disks=3, explains=_WRITE_HOLE),
    )
}

COMPARED: Final = ("raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6")
"""Those worth comparing on the same disks."""
