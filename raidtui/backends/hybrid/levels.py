"""The two levels of bands: one failed disk, or two. The number is that of the disks that may fail, as in raidz1."""

from collections.abc import Iterable
from typing import Final

from raidtui.backends.level import Level, by_name
from raidtui.model.md_levels import may_lose

_COSTS: Final = ("two layers to manage, md and LVM", "several arrays share the disks: slow seeks")


def _level(number: int, failed: str, arrays: str, *, below: str, suits: str, also: tuple[str, ...]) -> Level:
    return Level(
        name=f"hybrid{number}",
        placed_as=below,
        also=also,
        min_disks=number + 1,
        title=f"bands of arrays, {failed} can fail",
        explains="Unequal disks are cut into bands where the smaller ones end. Each band is an md array over the disks "
        f"that reach it ({arrays}), and LVM joins the arrays to one volume. {failed.capitalize()} can fail. Equal disks "
        "have one band.",
        suits=suits,
        pros=("uses unequal disks nearly in full", f"{failed} can fail", "larger disks add space later"),
        cons=_COSTS,
        has_chunk=True,
        consistencies=("bitmap", "resync"),
    )


LEVELS: Final = by_name(
    _level(
        1,
        "any one disk",
        "a mirror of two, RAID5 of three or more",
        below="raid5",
        suits="two to five disks of unequal sizes",
        also=("shr", "shr1", "shr-1"),
    ),
    _level(
        2,
        "any two disks",
        "a mirror of three, RAID6 of four or more",
        below="raid6",
        suits="five or more disks of unequal sizes",
        also=("shr2", "shr-2"),
    ),
)


def redundancy_of(level: str) -> int:
    """How many disks may fail, whichever they are."""
    return tuple(LEVELS).index(level) + 1


def level_over(arrays: Iterable[tuple[str, int]]) -> str:
    """The level of an existing unit, from md's level and the number of disks of each array; empty without any."""
    fewest = min((may_lose(level, disks) or 0 for level, disks in arrays), default=0)
    return next((level for level in LEVELS if redundancy_of(level) == fewest), "")
