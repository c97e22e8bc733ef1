"""What an array gives for what it costs: its share of the ideal, and the capacity that it keeps."""

from collections.abc import Sequence

from raidtui.backends.arithmetic.ideal import Ideal, ideal
from raidtui.backends.md.layouts import copies_of, default_layout
from raidtui.backends.md.levels import LEVELS
from raidtui.model.errors import BadInput
from raidtui.model.machine import Array
from raidtui.model.result import Cell, Context, Result


def capacity_kept(context: Context) -> float | None:
    """Which part of its disks' capacity the target keeps for data; None where nobody knows."""
    array = context.array
    if array is None:
        return 1.0 if len(context.disks) == 1 else None
    n = array.raid_disks
    if not _is_possible(array):
        return None
    if array.level in {"raid4", "raid5", "raid6"}:
        return (n - (2 if array.level == "raid6" else 1)) / n
    if array.level == "raid10":
        return 1 / copies_of(array.layout or default_layout("raid10")).total
    return 1 / n if array.level == "raid1" else 1.0


def single_disk(results: Sequence[Result], like: Result) -> Result | None:
    """The first of these results that measured one disk such as those of ``like`` alone, if there is one.

    What the ideal of an array is a multiple of. One with the same filesystem, of the same computer, goes first.
    """
    alone = [r for r in results if r.context.array is None and len(r.context.disks) == 1]
    fitting = [r for r in alone if _has_such_disks(r.context, like.context)]
    near = [
        (_place(one.context) == _place(like.context), one.context.filesystem == like.context.filesystem)
        for one in fitting
    ]
    return fitting[near.index(max(near))] if near else None


def _has_such_disks(one: Context, other: Context) -> bool:
    """Whether the models of the disks are the same; where one is unknown, whether one computer has measured both."""
    mine, theirs = ({disk.model for disk in context.disks} - {""} for context in (one, other))
    if mine and theirs:
        return mine == theirs
    return _place(one) == _place(other)


def _place(context: Context) -> tuple[str, str]:
    return context.origin, context.hostname


def share_of_ideal(result: Result, cell: Cell, single: Result | None) -> float | None:
    """Which part of the best that md could make of disks like ``single`` a cell is; 1.0 is all of it.

    More than 1.0 is a cache or a faster part of the disks. None without a measured disk, for mixed cells, for
    other arrays than md's levels, and for those of a card, whose mirrors read otherwise.
    """
    array = result.context.array if not result.context.card else None
    one = single.cell(cell.name, cell.direction) if single is not None else None
    if array is None or one is None or cell.direction not in {"read", "write"} or not one.bytes_per_second:
        return None
    if not _is_possible(array) or not cell.threads:  # it was not told how many ran
        return None
    return cell.bytes_per_second / (one.bytes_per_second * _multiple(_ideal(array, result.context), cell))


def _is_possible(array: Array) -> bool:
    """Whether this is an array that md could make: results from elsewhere may say anything."""
    if array.level not in LEVELS or array.raid_disks < max(1, LEVELS[array.level].min_disks):
        return False
    if array.level != "raid10":
        return True
    try:
        copies_of(array.layout or default_layout("raid10"))
    except BadInput:
        return False
    return True


def _ideal(array: Array, context: Context) -> Ideal:
    rotational = not context.disks or any(disk.rotational for disk in context.disks)
    return ideal(
        array.level, array.raid_disks, array.layout, consistency=array.consistency, rotational=rotational
    )


def _multiple(best: Ideal, cell: Cell) -> float:
    """Of one disk's speed. A few requests in flight keep no more than as many disks busy."""
    if not cell.random:
        if cell.direction == "write":
            return best.seq_write
        return best.seq_read_many if cell.threads > 1 else best.seq_read
    return min(
        best.rand_read if cell.direction == "read" else best.rand_write, cell.queue_depth * cell.threads
    )
