"""The types of logical volumes that LVM makes, in its own words."""

from typing import Final

from raidtui.backends.level import Level

LEVELS: Final = {
    level.name: level
    for level in (
        Level(name="linear", min_disks=1, redundant=False),
        Level(name="striped", min_disks=2, redundant=False),
        Level(name="raid0", min_disks=2, redundant=False),
        Level(name="raid1", min_disks=2),
        Level(name="raid4", min_disks=3),
        Level(name="raid5", min_disks=3),
        Level(name="raid6", min_disks=5),
        Level(name="raid10", min_disks=4),
    )
}

COMPARED: Final = ("linear", "striped", "raid1", "raid4", "raid5", "raid6", "raid10")
"""Those worth comparing on the same disks."""
