"""The profiles of Btrfs for data."""

from typing import Final

from raidtui.backends.level import Level

_WRITE_HOLE: Final = "Its raid5 and raid6 have a write hole and are not for data that matters. "
_PLACED: Final = (
    "Btrfs has no fixed places: each chunk of 1 GiB is laid on the disks with most room left, {}."
)

LEVELS: Final = {
    level.name: level
    for level in (
        Level(name="single", min_disks=2, redundant=False, placed=_PLACED.format("on one of the disks")),
        Level(name="raid0", min_disks=2, redundant=False, placed=_PLACED.format("striped over all of them")),
        Level(name="raid1", min_disks=2, placed=_PLACED.format("on two of them")),
        Level(name="raid1c3", min_disks=3, placed=_PLACED.format("on three of them")),
        Level(name="raid1c4", min_disks=4, placed=_PLACED.format("on four of them")),
        Level(name="raid10", min_disks=4, placed=_PLACED.format("striped over pairs of them")),
        Level(name="raid5", min_disks=3, explains=_WRITE_HOLE, placed=_PLACED.format("with one parity")),
        Level(name="raid6", min_disks=4, explains=_WRITE_HOLE, placed=_PLACED.format("with two parities")),
    )
}

COMPARED: Final = ("raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6")
"""Those worth comparing on the same disks."""
