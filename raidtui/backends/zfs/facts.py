"""The facts of a ZFS pool."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.arithmetic.ideal import Factors, Ideal, ideal, of_groups, streamed
from raidtui.backends.arithmetic.survival import all_survive, survival_of
from raidtui.backends.facts import Facts, MemberUse, Options, Shape, plain_uses, resilience
from raidtui.backends.zfs.layout import ashift_of, groups_of
from raidtui.backends.zfs.space import DEFAULT_RECORD, PARITY, pool_space
from raidtui.model.errors import CannotBuild
from raidtui.model.units import MIB, both, parse_size

_BOOT: Final = "is imported automatically, in state DEGRADED"
_LOST: Final = "cannot be imported: its data is lost"


def zfs_facts(level: str, sizes: Sequence[int], options: Options) -> Facts:
    """The facts of ``level`` on members of these sizes, in bytes.

    Raises:
        CannotBuild: ZFS would refuse, the disks cannot be divided evenly among vdevs, or a spare is too small.
    """
    own, disks = dict(options.own), len(sizes)
    record = parse_size(own["recordsize"]) if "recordsize" in own else DEFAULT_RECORD
    check_spares(sizes, options)
    groups = groups_of(level, [min(sizes)] * disks, own)  # all are cut to the smallest
    width, count = len(groups[0]), len(groups)
    ashift = ashift_of(own, physical_sector=options.physical_sector)
    space = pool_space(level, groups, ashift=ashift, record=record, whole_disks=False)
    parity = PARITY[level]
    pairs = level == "mirror" and count > 1 and width == 2
    shape = (
        Shape("raid0")
        if level == "stripe"
        else Shape("raid10", f"n{width}")
        if level == "mirror" and count > 1
        else Shape("raid1")
        if level == "mirror"
        else Shape(sure=parity)
    )
    sets, lives = resilience(shape, disks)
    if parity and count > 1:  # each vdev survives by itself, and losing any vdev loses the pool
        sets = all_survive(resilience(shape, width)[0], count)
        lives = survival_of(sets, disks)
    used = (min(space.leaves),) * disks
    if parity:
        columns = min(width - parity, max(1, record >> ashift))  # disks that hold the data of a record
        one = _raidz(width, parity, columns, rotational=options.rotational)
        best = of_groups(one, count, striped=True)
    else:
        best = ideal(shape.level, disks, shape.layout, rotational=options.rotational)
    stored = space.available_bytes
    if parity and record != DEFAULT_RECORD:
        usual = pool_space(level, groups, ashift=ashift, whole_disks=False)
        stored = int(stored * space.efficiency / usual.efficiency)
    lowest = min(used)
    by, grows = _grows(level, groups, ashift)
    return Facts(
        layout="pairs" if pairs else f"{count} vdevs" if count > 1 and level != "stripe" else "",
        array_bytes=stored,
        component_bytes=lowest,
        members=plain_uses(sizes, used, 16 * MIB, "ZFS's labels"),
        spares=tuple(
            MemberUse(size_bytes=size, used_bytes=0, wasted_bytes=size, why="a spare")
            for size in options.spare_sizes
        ),
        sets=sets,
        survival=lives,
        read_in_rebuild=lowest * (width - parity) if parity else lowest if level == "mirror" else 0,
        ideal=best,
        accuracy=f"exact for an empty pool of OpenZFS 2.1 with ashift {ashift}; the space that files take depends on their record size",
        boot=_BOOT if lives.guaranteed else _LOST,
        parity=parity,
        rebuilds_data_only=True,
        groups=count if parity else 1,
        grows_bytes=grows,
        grows_by=by,
    )


def _grows(level: str, groups: Sequence[Sequence[int]], ashift: int) -> tuple[int, int]:
    """By how many disks it grows, and what they add: a copy of a single disk, or another vdev like the others."""
    if level == "stripe" and len(groups) == 1:
        return 1, 0
    now, then = (
        pool_space(level, some, ashift=ashift, whole_disks=False).available_bytes
        for some in (groups, [*groups, groups[0]])
    )
    return len(groups[0]), then - now


def _raidz(width: int, parity: int, columns: int, *, rotational: bool) -> Ideal:
    """The ideal speed of one vdev. Its records rotate over the disks; reading one uses the disks of its data only."""
    left = width - 1
    return Ideal(
        seq_read=streamed(width, parity, rotational=rotational),
        seq_write=width - parity,
        rand_read=width / columns,
        rand_write=1,  # every disk
        seq_read_many=streamed(width, parity, rotational=rotational),
        ios_per_random_write=width,
        degraded=Factors(
            seq_read=streamed(left, parity - 1, rotational=rotational),  # a parity for each lost column
            seq_write=width - parity,
            rand_read=left / columns,
            rand_write=1,
        ),
    )


def check_spares(sizes: Sequence[int], options: Options) -> None:
    """Check that each spare can replace any member. Raises CannotBuild: one is smaller."""
    for size in options.spare_sizes:
        if size < min(sizes):
            raise CannotBuild(f"a spare of {both(size)} is smaller than the members, {both(min(sizes))} each")
