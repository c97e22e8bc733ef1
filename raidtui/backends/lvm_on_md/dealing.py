"""The arrays under a volume: level, number, names, and how the volume is laid out over them."""

from collections.abc import Mapping
from typing import NamedTuple

from raidtui.backends.arithmetic.disks import dealt_out
from raidtui.backends.lvm.space import EXTENT
from raidtui.backends.lvm_on_md.levels import LEVELS, STRIPED
from raidtui.model.errors import CannotBuild
from raidtui.model.text import spelled


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
