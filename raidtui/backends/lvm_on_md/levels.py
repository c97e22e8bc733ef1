"""md's levels with a volume over them."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.level import Level, by_name
from raidtui.backends.md.levels import LEVELS as MD

_ADDS: Final = "One LVM volume lies over all of the array: resized, moved to other disks and copied in a snapshot later. "

STRIPED: Final = {"raid50": "raid5", "raid60": "raid6"}
"""Levels striped over arrays, with the level of these arrays."""


def _striped(name: str, failed: str, *, suits: str, pro: str) -> Level:
    below = MD[STRIPED[name]]
    return replace(
        below,
        name=name,
        shown="",
        also=(),
        min_disks=2 * max(3, below.min_disks),  # a RAID5 of two disks is a mirror
        title=f"stripe over {below.name.upper()} arrays",
        explains=f"The disks form two or more {below.name.upper()} arrays, and one LVM volume is striped over them: the "
        f"speed of all of them. {failed} Each array resyncs and rebuilds alone, from its own few disks.",
        suits=suits,
        pros=("a rebuild reads one array only", pro),
        cons=("one array lost loses the whole volume", "two layers to manage: md and LVM"),
        placed_as=below.name,
    )


LEVELS: Final = by_name(
    *(
        replace(
            one,
            shown="",
            explains=f"{one.explains} {_ADDS}",
            pros=(*one.pros, "LVM can resize or move it later"),
            cons=(*one.cons, "two layers to manage: md and LVM"),
        )
        for one in MD.values()
    ),
    _striped(
        "raid50",
        "Any one disk can fail, and one in each other array beside it.",
        suits="six disks and more",
        pro="each array can lose a disk",
    ),
    _striped(
        "raid60",
        "Any two disks can fail, and two in each other array beside them.",
        suits="eight disks and more",
        pro="each array can lose two disks",
    ),
)

COMPARED: Final = ("raid0", "raid1", "raid5", "raid6", "raid10")
"""The levels worth comparing on the same disks."""
