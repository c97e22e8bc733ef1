"""md's levels, with one volume over them, and mixes of them over disks of unequal sizes."""

from typing import Final

from msgspec.structs import replace

from raidtui.backends.level import Level
from raidtui.backends.md.levels import LEVELS as MD

_PLACED: Final = (
    "The disks are cut into bands of equal length, each an md array ({}), and one volume spans all of them."
)
_ADDS: Final = "One LVM volume lies over all of the array: resized, moved to other disks and copied in a snapshot later. "

LEVELS: Final = {
    level.name: level
    for level in (
        *(
            replace(
                one,
                explains=f"{one.explains} {_ADDS}",
                pros=(*one.pros, "resized and moved later, as LVM does it"),
                cons=(*one.cons, "two layers to look after: md and LVM"),
                common=False,
            )
            for one in MD.values()
        ),
        Level(
            name="hybrid1",
            min_disks=2,
            placed=_PLACED,
            builds=False,
            explains="Bands of md arrays use unequal disks in full; any one can fail. ",
        ),
        Level(
            name="hybrid2",
            min_disks=3,
            placed=_PLACED,
            builds=False,
            explains="Bands of md arrays use unequal disks in full; any two can fail. ",
        ),
    )
}

COMPARED: Final = ("raid0", "raid1", "raid5", "raid6", "raid10")
"""Those worth comparing on the same disks."""

MIXED: Final = ("hybrid1", "hybrid2")
"""Bands of arrays that survive one failed disk, or two. They can be calculated, not built."""
