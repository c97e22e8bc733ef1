"""What one logical volume over arrays of md gives; on disks of mixed sizes, over bands of arrays."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.backends.arithmetic.ideal import ideal
from raidtui.backends.arithmetic.rebuild import read_in_rebuild
from raidtui.backends.facts import Facts, Options, Shape, check_no_spares, plain_uses, resilience
from raidtui.backends.lvm.facts import EXACT_LVM
from raidtui.backends.lvm_on_md.bands import bands, on_md, volume_over
from raidtui.backends.md.facts import boot_of, facts_of, geometry_with
from raidtui.model.md_levels import parity_of
from raidtui.model.units import MIB
from raidtui.steps.extents import member_extent


def lvm_on_md_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    if level in {"hybrid1", "hybrid2"}:
        return _hybrid(1 if level == "hybrid1" else 2, sizes, options)
    geometry = geometry_with(level, sizes, options)
    return replace(
        facts_of(geometry, options), array_bytes=on_md(geometry), accuracy=EXACT_LVM, can_grow=False
    )


def _hybrid(redundancy: int, sizes: Sequence[int], options: Options) -> Facts:
    check_no_spares("a mixed-size layout", options, "each of its arrays spans other disks")
    pieces = [
        member_extent(size, options.logical_sector, partition=True, reserve=0).size_bytes for size in sizes
    ]
    over = bands(pieces, redundancy)
    space = volume_over(over, len(sizes))
    lowest = over[0].geometry
    sets, lives = resilience(Shape(sure=redundancy), len(sizes))
    return Facts(
        layout=" + ".join(f"{band.geometry.level} of {len(band.disks)}" for band in over),
        array_bytes=space.data_bytes,
        component_bytes=max(space.used),
        members=plain_uses(sizes, space.used, 140 * MIB, "md's metadata and alignment"),
        sets=sets,
        survival=lives,
        read_in_rebuild=read_in_rebuild(lowest.level, len(sizes), max(space.used)),
        ideal=ideal(lowest.level, len(sizes), rotational=options.rotational),
        accuracy=EXACT_LVM,
        boot=boot_of(lowest),
        parity=parity_of(lowest.level),
        metadata=lowest.metadata,
        chunk_bytes=lowest.chunk_bytes,
        consistency=lowest.consistency,
    )
