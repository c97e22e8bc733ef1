"""The layouts of a pool, in ZFS' words."""

from typing import Final

from raidtui.backends.level import Level

LEVELS: Final = {
    level.name: level
    for level in (
        Level(name="stripe", min_disks=1, redundant=False),
        Level(name="mirror", min_disks=2),
        Level(name="raidz1", min_disks=2),
        Level(name="raidz2", min_disks=3),
        Level(name="raidz3", min_disks=4),
    )
}

COMPARED: Final = ("stripe", "mirror", "raidz1", "raidz2", "raidz3")
"""Those worth comparing on the same disks."""
