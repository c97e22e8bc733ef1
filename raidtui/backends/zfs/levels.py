"""The layouts of a pool, in ZFS' words."""

from typing import Final

from raidtui.backends.level import Level

_PLACED: Final = "ZFS has no fixed places: each record is written where there is room, {}."

LEVELS: Final = {
    level.name: level
    for level in (
        Level(name="stripe", min_disks=1, redundant=False, placed=_PLACED.format("on one of the disks")),
        Level(
            name="mirror",
            min_disks=2,
            placed=_PLACED.format("with its copy on the other disks of its mirror"),
        ),
        Level(name="raidz1", min_disks=2, placed=_PLACED.format("as a stripe of its own with one parity")),
        Level(name="raidz2", min_disks=3, placed=_PLACED.format("as a stripe of its own with two parities")),
        Level(
            name="raidz3", min_disks=4, placed=_PLACED.format("as a stripe of its own with three parities")
        ),
    )
}

COMPARED: Final = ("stripe", "mirror", "raidz1", "raidz2", "raidz3")
"""Those worth comparing on the same disks."""
