"""The facts of one volume over bands of arrays."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.backends.arithmetic.disks import check_sizes, read_in_rebuild
from raidtui.backends.arithmetic.ideal import ideal
from raidtui.backends.facts import Facts, MemberUse, Options, Shape, check_no_spares, resilience
from raidtui.backends.hybrid.bands import (
    Band,
    bands_of,
    pending_on,
    thinnest,
    used_on,
    volume_bytes,
    with_more,
)
from raidtui.backends.hybrid.levels import redundancy_of
from raidtui.backends.lvm.facts import EXACT_LVM
from raidtui.backends.md.facts import boot_of
from raidtui.model.md_levels import parity_of
from raidtui.model.text import count_of
from raidtui.model.units import both, decimal


def hybrid_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """The facts of ``level`` on members of these sizes, in bytes.

    Raises:
        CannotBuild: too few disks, or md or LVM would refuse.
    """
    redundancy = redundancy_of(level)
    check_no_spares("a hybrid volume", options, "each of its arrays has other members")
    check_sizes(sizes)
    options = replace(options, spare_sizes=())
    bands = bands_of(sizes, redundancy, options)
    used = [used_on(bands, place)[0] for place in range(len(sizes))]
    lowest, largest = bands[0].geometry, max(range(len(sizes)), key=lambda place: used[place])
    sets, lives = resilience(Shape(sure=redundancy), len(sizes))
    return Facts(
        paced_by_md=True,
        layout=" + ".join(f"{band.geometry.level} of {len(band.disks)}" for band in bands),
        array_bytes=volume_bytes(bands),
        component_bytes=max(used),
        members=tuple(_used(place, sizes, bands, redundancy, options) for place in range(len(sizes))),
        # All disks are in the first band, which survives any `redundancy` of them and never more.
        sets=sets,
        survival=lives,
        # For the disk that is in most bands.
        read_in_rebuild=sum(
            read_in_rebuild(band.geometry.level, len(band.disks), band.geometry.component_bytes)
            for band in bands
            if largest in band.disks
        ),
        # The first band has the most disks: no part of the volume is faster.
        ideal=ideal(lowest.level, len(sizes), rotational=options.rotational),
        accuracy=EXACT_LVM,
        no_growth="it takes no further disk; larger disks in place of smaller ones add bands",
        boot=boot_of(lowest),
        parity=parity_of(lowest.level),
        metadata=lowest.metadata,
        # mkfs takes one stripe: that of the first band, which has the most disks.
        chunk_bytes=lowest.chunk_bytes,
        consistency=lowest.consistency,
        stripe_width_bytes=lowest.stripe_width_bytes,
    )


def _used(
    place: int, sizes: Sequence[int], bands: Sequence[Band], redundancy: int, options: Options
) -> MemberUse:
    """How one member is used: the rest is md's, or pending until another disk is as large."""
    size = sizes[place]
    used, overhead = used_on(bands, place)
    pending = pending_on(bands, place, size)
    over = [band for band in bands if place in band.disks]
    words = [f"{both(overhead)} for the metadata of {count_of(over, 'array')}"]
    if pending >= thinnest(sizes):
        more = with_more(sizes, size, redundancy, options)
        words.append(f"{both(pending)} pending: one more disk of {decimal(size)} gives {decimal(more)}")
    elif pending:
        words.append(f"{both(pending)} that would be too thin a band")
    return MemberUse(size_bytes=size, used_bytes=used, wasted_bytes=size - used, why="; ".join(words))
