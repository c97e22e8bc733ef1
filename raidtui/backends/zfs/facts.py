"""What a pool of ZFS gives."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.ideal import Factors, Ideal, ideal
from raidtui.backends.facts import NOT_AT_BOOT, Facts, MemberUse, Options, Shape, plain_uses, resilience
from raidtui.backends.zfs.space import DEFAULT_RECORD, pool_space
from raidtui.model.errors import CannotBuild
from raidtui.model.units import MIB

_BOOT: Final = "is imported automatically, in state DEGRADED"
EXACT_ZFS: Final = (
    "exact for an empty pool of OpenZFS 2.1 on whole disks; what files take depends on their record size"
)


def zfs_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    disks, record = len(sizes), DEFAULT_RECORD if options.record is None else options.record
    pairs = level == "mirror" and options.layout != "all" and disks > 3 and disks % 2 == 0
    if level == "mirror" and not pairs and disks > 3 and options.layout != "all":
        raise CannotBuild(f"ZFS mirrors in pairs take an even number of disks, not {disks}")
    if level == "stripe":
        groups: list[Sequence[int]] = [[size] for size in sizes]
    elif pairs:
        groups = [sizes[start : start + 2] for start in range(0, disks, 2)]
    else:
        groups = [sizes]
    space = pool_space(level, groups, record=record)
    parity = {"raidz1": 1, "raidz2": 2, "raidz3": 3}.get(level, 0)
    shape = (
        Shape("raid0")
        if level == "stripe"
        else Shape("raid10", "n2")
        if pairs
        else Shape("raid1")
        if level == "mirror"
        else Shape(sure=parity)
    )
    sets, lives = resilience(shape, disks)
    used = tuple(space.leaves[place // len(groups[0])] for place in range(disks))
    n = float(disks)
    if parity:
        best = Ideal(
            seq_read=n - parity,
            seq_write=n - parity,
            rand_read=1,  # every disk takes part in reading a record
            rand_write=1,
            seq_read_many=n - parity,
            ios_per_random_write=n,
            degraded=Factors(seq_read=n - parity, seq_write=n - parity, rand_read=1, rand_write=1),
        )
    else:
        best = ideal(shape.level, disks, shape.layout, rotational=options.rotational)
    stored = space.available_bytes
    if parity and record != DEFAULT_RECORD:
        stored = int(stored * space.efficiency / pool_space(level, groups).efficiency)
    lowest = min(used)
    return Facts(
        layout="pairs" if pairs else "",
        array_bytes=stored,
        component_bytes=lowest,
        members=plain_uses(sizes, used, 16 * MIB, "ZFS's partition and labels"),
        spares=tuple(
            MemberUse(size_bytes=size, used_bytes=0, wasted_bytes=size, why="a spare")
            for size in options.spare_sizes
        ),
        sets=sets,
        survival=lives,
        read_in_rebuild=lowest * (disks - parity) if parity else lowest if level == "mirror" else 0,
        ideal=best,
        accuracy=EXACT_ZFS,
        boot=_BOOT if lives.guaranteed else NOT_AT_BOOT,
        parity=parity,
        rebuilds_data_only=True,
    )
