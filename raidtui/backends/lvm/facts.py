"""The facts of a logical volume on bare disks. LVM's RAID is md's code, so it survives what md's levels survive."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.disks import read_in_rebuild
from raidtui.backends.arithmetic.ideal import ideal
from raidtui.backends.facts import NOT_AT_BOOT, Facts, Options, Shape, check_no_spares, plain_uses, resilience
from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.space import EXTENT, data_stripes, extents, first_extent, lvm_space
from raidtui.model.md_levels import parity_of
from raidtui.model.units import MIB

EXACT_LVM: Final = "exact to the extent of 4 MiB"
_BOOT: Final = (
    "stays inactive: LVM does not activate an incomplete volume group at boot; "
    "start it by hand: vgchange -ay --activationmode degraded VG"
)


def lvm_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """The facts of ``level`` on physical volumes of these sizes, in bytes.

    Raises:
        CannotBuild: LVM would refuse, or there are spares.
    """
    check_no_spares("LVM", options, "it rebuilds into free space of the volume group")
    space = lvm_space(level, sizes, stripe=options.chunk)
    known, disks = LEVELS[level], len(sizes)
    shape = Shape(known.placed_as or level, known.default_layout)
    sets, lives = resilience(shape, disks)
    component = min(space.used)
    return Facts(
        paced_by_md=True,
        layout="",
        array_bytes=space.data_bytes,
        component_bytes=component,
        members=plain_uses(sizes, space.used, 8 * MIB, "LVM's metadata and whole extents"),
        sets=sets,
        survival=lives,
        read_in_rebuild=read_in_rebuild(shape.level, disks, component),
        ideal=ideal(shape.level, disks, shape.layout, rotational=options.rotational),
        accuracy=EXACT_LVM,
        boot=_BOOT if lives.guaranteed else NOT_AT_BOOT,
        parity=parity_of(shape.level),
        chunk_bytes=space.stripe_bytes,
        stripe_width_bytes=space.stripe_width_bytes,
        grows_bytes=_grows(level, sizes),
        grows_by=1 if level in {"linear", "raid1"} else disks,
    )


def _grows(level: str, sizes: Sequence[int]) -> int:
    """What further disks add: one of a linear volume, a copy, or one for each image or stripe, like the smallest."""
    if level == "raid1":
        return 0
    data = 1 if level == "linear" else data_stripes(level, len(sizes))
    return extents(min(sizes), first_extent()) * data * EXTENT
