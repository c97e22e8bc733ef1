"""Efficiency of an array: its share of the ideal speed, and the share of capacity left for data."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from raidtui.backends.arithmetic.ideal import Ideal
from raidtui.backends.facts import Facts, Options
from raidtui.backends.registry import FOLDERS, backend
from raidtui.model.errors import CannotBuild
from raidtui.model.result import Cell, Context, MeasuredUnit, Result
from raidtui.model.spec import Backend

_MOST: Final = 1024  # members; no backend takes more, but an imported result may claim any number
_MEMBER: Final = 4 * 10**12  # bytes, any size: neither the share of capacity nor the ideal depends on it


def capacity_kept(context: Context) -> float | None:
    """The share of its disks' capacity that the target has for data; None if not known."""
    if context.unit is None:
        return 1.0 if len(context.disks) == 1 else None
    facts = _facts(context.unit, context)
    return None if facts is None else facts.array_bytes / sum(member.used_bytes for member in facts.members)


def single_disk(results: Sequence[Result], like: Result) -> Result | None:
    """The first of these results that measured a single disk such as those of ``like``, if there is one.

    The ideal of an array is a multiple of it. One of the same computer, with the same filesystem, is preferred.
    """
    alone = [r for r in results if r.context.unit is None and len(r.context.disks) == 1]
    fitting = [r for r in alone if _has_such_disks(r.context, like.context)]
    near = [
        (_place(one.context) == _place(like.context), one.context.filesystem == like.context.filesystem)
        for one in fitting
    ]
    return fitting[near.index(max(near))] if near else None


def _has_such_disks(one: Context, other: Context) -> bool:
    """Whether the models of the disks are the same; if one is unknown, whether the same computer measured both."""
    mine, theirs = ({disk.model for disk in context.disks} - {""} for context in (one, other))
    if mine and theirs:
        return mine == theirs
    return _place(one) == _place(other)


def _place(context: Context) -> tuple[str, str]:
    return context.origin, context.hostname


def share_of_ideal(result: Result, cell: Cell, single: Result | None) -> float | None:
    """The rate of a cell divided by the best that its backend could reach with disks like ``single``.

    More than 1.0 means a cache or a faster part of the disks. None without a measured disk, for mixed cells, for
    unknown levels, and for arrays of a card, whose mirrors read in another way.
    """
    unit = result.context.unit if not result.context.card else None
    one = single.cell(cell.name, cell.direction) if single is not None else None
    if unit is None or one is None or cell.direction not in {"read", "write"} or not one.bytes_per_second:
        return None
    facts = _facts(unit, result.context)
    if facts is None or not cell.threads:  # the number of threads is not known
        return None
    return cell.bytes_per_second / (one.bytes_per_second * _multiple(facts.ideal, cell))


def _facts(unit: MeasuredUnit, context: Context) -> Facts | None:
    """The backend's facts about such a unit; None if it cannot exist: imported results may claim anything."""
    rotational = not context.disks or any(disk.rotational for disk in context.disks)
    return _facts_of(unit.backend, unit.level, unit.raid_disks, unit.layout, unit.consistency, rotational)


@lru_cache(maxsize=256)
def _facts_of(
    name: Backend, level: str, disks: int, layout: str, consistency: str, rotational: bool
) -> Facts | None:
    if name not in FOLDERS or level not in backend(name).levels or disks > _MOST:
        return None
    known = backend(name).levels[level]
    options = Options(  # of the stored options only those that the level has
        layout=layout or None if known.has_layout else None,
        consistency=consistency if consistency in known.consistencies else None,
        rotational=rotational,
    )
    try:
        return backend(name).facts(level, (_MEMBER,) * disks, options)
    except CannotBuild:
        return None


def _multiple(best: Ideal, cell: Cell) -> float:
    """The ideal as a multiple of one disk's speed. N I/Os in flight keep at most N disks busy."""
    if not cell.random:
        if cell.direction == "write":
            return best.seq_write
        return best.seq_read_many if cell.threads > 1 else best.seq_read
    return min(
        best.rand_read if cell.direction == "read" else best.rand_write, cell.queue_depth * cell.threads
    )
