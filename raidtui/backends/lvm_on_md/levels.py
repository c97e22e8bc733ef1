"""md's levels with a volume over them: the arrays under it, and how it is laid out over these."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.backends.arithmetic.disks import dealt_out
from raidtui.backends.level import Level, by_name
from raidtui.backends.lvm.space import EXTENT
from raidtui.backends.md.levels import LEVELS as MD
from raidtui.model.errors import CannotBuild
from raidtui.model.text import spelled

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


class Dealing(NamedTuple):
    """The arrays of a volume, all of one level and number of disks."""

    level: str  # of each array, in md's words
    arrays: int
    volume: str  # lvcreate's type: linear, striped

    @property
    def striped(self) -> bool:
        """Whether the volume is striped over the arrays."""
        return self.volume == "striped"

    def names(self, name: str) -> tuple[str, ...]:
        """The names of the arrays under the group ``name``: the same, or ``tank-1``, ``tank-2`` for several."""
        return (name,) if self.arrays == 1 else tuple(f"{name}-{n}" for n in range(1, self.arrays + 1))

    def all_names(self, name: str) -> tuple[str, ...]:
        """The names of the group and its arrays."""
        return tuple(dict.fromkeys((name, *self.names(name))))


def dealing_of(level: str, disks: int, options: Mapping[str, str]) -> Dealing:
    """The arrays for this number of disks: as many as chosen, else one; if striped, the fewest that divide evenly.

    Raises:
        CannotBuild: too few disks, or they cannot be divided evenly.
    """
    below = STRIPED.get(level, level)
    chosen = options.get("arrays")
    if level not in STRIPED:
        count = int(chosen or 1)
    elif chosen == "1":
        raise CannotBuild(
            f"{spelled(level)} is striped over two arrays or more; with one take {spelled(below)}"
        )
    elif disks < LEVELS[level].min_disks:
        raise CannotBuild(f"{spelled(level)} takes at least {LEVELS[level].min_disks} disks, not {disks}")
    else:
        each = LEVELS[level].min_disks // 2
        even = (count for count in range(2, disks // each + 1) if disks % count == 0)
        count = int(chosen) if chosen else next(even, 2)
    dealt_out(range(disks), count, "arrays")
    return Dealing(below, count, "striped" if level in STRIPED else "linear")


def piece_of(stripe_width: int) -> int:
    """LVM's stripe size over arrays, in bytes: a full stripe of md, or the largest power of two that divides it.

    lvcreate takes powers of two up to an extent (lvm2, STRIPE_SIZE_MAX). So no piece straddles two full stripes.
    """
    return min(stripe_width & -stripe_width, EXTENT)


def level_over(volume: str, arrays: tuple[str, ...]) -> str:
    """The level of an existing unit, from its LVM type ``volume`` and the levels of the ``arrays`` under it."""
    if len(set(arrays)) != 1:
        return volume
    if len(arrays) > 1 and volume != "linear":
        return next(
            (level for level, below in STRIPED.items() if (volume, below) == ("striped", arrays[0])), volume
        )
    return arrays[0]
