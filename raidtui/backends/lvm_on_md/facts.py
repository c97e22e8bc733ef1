"""The facts of a logical volume over md arrays."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.backends.arithmetic.disks import dealt_out, read_in_rebuild
from raidtui.backends.arithmetic.ideal import of_groups
from raidtui.backends.arithmetic.survival import all_survive, survival_of
from raidtui.backends.facts import Facts, MemberUse, Options
from raidtui.backends.lvm.facts import EXACT_LVM
from raidtui.backends.lvm_on_md.levels import Dealing, dealing_of, piece_of
from raidtui.backends.lvm_on_md.space import on_md
from raidtui.backends.md.facts import facts_of, geometry_with
from raidtui.backends.md.geometry import Geometry
from raidtui.model.text import count_of
from raidtui.model.units import both, spell_size


def lvm_on_md_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """The facts of ``level`` on members of these sizes, in bytes.

    Raises:
        CannotBuild: md or LVM would refuse, or the disks cannot be divided evenly among the arrays.
    """
    own = dict(options.own)
    dealing = dealing_of(level, len(sizes), own)
    spares = dealt_out(options.spare_sizes, dealing.arrays, "arrays", of="spare")
    arrays = [
        geometry_with(dealing.level, members, replace(options, spare_sizes=tuple(own_spares)))
        for members, own_spares in zip(dealt_out(sizes, dealing.arrays, "arrays"), spares, strict=True)
    ]
    alone = replace(
        facts_of(arrays[0], options),
        array_bytes=on_md(arrays[0]),
        accuracy=EXACT_LVM,
        grows_bytes=None,
        no_growth="",
    )
    return alone if dealing.arrays == 1 else _over(dealing, arrays, alone)


def _over(dealing: Dealing, arrays: Sequence[Geometry], one: Facts) -> Facts:
    """The facts of a volume over several arrays; ``one``: the facts of the first array."""
    count, disks = len(arrays), sum(len(array.members) for array in arrays)
    each = [on_md(array) for array in arrays]
    used = [min(each)] * count if dealing.striped else each  # whole stripes only
    sets = all_survive(one.sets, count)
    component = max(array.component_bytes for array in arrays)
    width = one.stripe_width_bytes
    piece = piece_of(width) if dealing.striped else 0
    order = f"striped by {spell_size(piece)}" if piece else "one after the other"
    return replace(
        one,
        array_bytes=sum(used),
        component_bytes=component,
        members=tuple(
            _used(use, part, whole)
            for array, part, whole in zip(arrays, used, each, strict=True)
            for use in array.members
        ),
        spares=tuple(use for array in arrays for use in array.spares),
        sets=sets,
        survival=survival_of(sets, disks),
        read_in_rebuild=read_in_rebuild(dealing.level, disks // count, component),
        ideal=of_groups(one.ideal, count, striped=dealing.striped),
        stripe_width_bytes=width * count if dealing.striped else width,
        groups=count,
        grouped=f"{count} arrays of {count_of(arrays[0].members, 'disk')}, {order}",
        piece_bytes=piece,
    )


def _used(use: MemberUse, part: int, whole: int) -> MemberUse:
    """A member of an array; the volume uses ``part`` of the array's ``whole`` bytes."""
    if part == whole:
        return use
    lost = use.used_bytes - use.used_bytes * part // whole
    return replace(
        use,
        used_bytes=use.used_bytes - lost,
        wasted_bytes=use.wasted_bytes + lost,
        why="; ".join(filter(None, (use.why, f"{both(lost)} that the smallest array cannot match"))),
    )
