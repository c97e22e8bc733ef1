"""Group results by level, chunk, filesystem, machine, day or array, with one value of each result."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final

import msgspec

from raidtui.backends.registry import FOLDERS, backend
from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, Result, RunValue
from raidtui.model.text import spelled
from raidtui.model.units import spell_size
from raidtui.results.context_words import filesystem_of, layout_of
from raidtui.results.published import is_published

BY: Final[Mapping[str, Callable[[Result], str]]] = {
    "level": lambda r: _level(r),
    "chunk": lambda r: _chunk(r),
    "filesystem": lambda r: r.context.filesystem or "none",
    "machine": lambda r: r.context.hostname or "unknown",
    "day": lambda r: r.created[:10] or "unknown",
    "array": lambda r: _array(r),  # arrays built alike: all passes of a sweep over one
}


def _level(result: Result) -> str:
    """The level of its unit; ``single`` for a single disk, ``unknown`` for anything else without a unit."""
    unit = result.context.unit
    if unit is not None and unit.level:
        return unit.kind
    return "single" if unit is None and len(result.context.disks) == 1 else "unknown"


def _chunk(result: Result) -> str:
    unit = result.context.unit
    return spell_size(unit.chunk_bytes) if unit and unit.chunk_bytes else "none"


def _array(result: Result) -> str:
    """Everything that was built: ``raid5 of 3, 64KiB, ext4``; raid10 with its layout, which makes it another array."""
    context = result.context
    unit = context.unit
    if unit is None:
        return layout_of(context)
    known = backend(unit.backend).levels.get(unit.level) if unit.backend in FOLDERS else None
    named = known is not None and known.called_with_layout and unit.layout
    level = f"{unit.kind} {unit.layout}" if named else unit.kind
    chunk = spell_size(unit.chunk_bytes) if unit.chunk_bytes else ""
    words = (f"{level} of {unit.raid_disks}", chunk, filesystem_of(context))
    return ", ".join(word for word in words if word)


def group_of(result: Result, by: str) -> str:
    """The group of ``result``. Published results are never grouped with own ones."""
    value = BY[by](result)
    return f"{value}, published" if is_published(result.id) else value


def grouped(results: Sequence[Result], by: str) -> tuple[Result, ...]:
    """One result for each value of ``by``, in order of first appearance, labeled with the value.

    Its runs are one value of each result in the group.

    Raises:
        BadInput: ``by`` is not one of `BY`.
    """
    if by not in BY:
        raise BadInput(f"results cannot be grouped by {by!r}; choose one of {', '.join(BY)}")
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(group_of(result, by), []).append(result)
    return tuple(_merged(value, members) for value, members in groups.items())


def groupings(results: Sequence[Result]) -> tuple[str, ...]:
    """What these results can be grouped by: whatever they differ in, and array if that makes other groups."""
    found: dict[str, tuple[int, ...]] = {}
    for by in BY:
        groups = _groups(results, by)
        single = len(set(groups)) == len(results)
        if len(set(groups)) > 1 and not (by == "array" and (single or groups in found.values())):
            found[by] = groups
    return tuple(found)


def grouping_like(results: Sequence[Result], by: str) -> str:
    """The one of `groupings` that makes the same groups as ``by``; empty if every group has one result."""
    wanted = _groups(results, by)
    together = len(set(wanted)) < len(results)
    return next((one for one in groupings(results) if together and _groups(results, one) == wanted), "")


def _groups(results: Sequence[Result], by: str) -> tuple[int, ...]:
    """For each result the index of the first result of its group."""
    values = [group_of(result, by) for result in results]
    return tuple(map(values.index, values))


def _merged(value: str, members: Sequence[Result]) -> Result:
    keys = dict.fromkeys((cell.name, cell.direction) for result in members for cell in result.cells)
    cells = [
        _joined([cell for result in members if (cell := result.cell(name, direction)) is not None])
        for name, direction in keys
    ]
    return msgspec.structs.replace(
        members[0], id=value, label=spelled(value), context=_shared(members), cells=tuple(cells)
    )


def _shared(members: Sequence[Result]) -> Context:
    """The context of the first, without its unit and disks unless all units have the same level and disks."""
    context = members[0].context
    units = {(u.kind, u.raid_disks) if (u := one.context.unit) is not None else None for one in members}
    return context if len(units) == 1 else msgspec.structs.replace(context, unit=None, disks=())


def _joined(cells: Sequence[Cell]) -> Cell:
    if len(cells) == 1:
        return cells[0]
    # One value of each: runs within a pass are more alike than passes, and would show differences that do not exist.
    runs = tuple(_only_run(cell) for cell in cells)
    tails = [run.latency_p99_seconds for run in runs if run.latency_p99_seconds is not None]
    moved = [cell.amplification for cell in cells if cell.amplification is not None]
    return msgspec.structs.replace(
        cells[0],
        bytes_per_second=median(run.bytes_per_second for run in runs),
        iops=median(run.iops for run in runs),
        latency_mean_seconds=median(run.latency_mean_seconds for run in runs),
        latency_p99_seconds=median(tails) if tails else None,
        runs=runs,
        flags=tuple(dict.fromkeys(flag for cell in cells for flag in cell.flags)),
        amplification=median(moved) if moved else None,
    )


def _only_run(cell: Cell) -> RunValue:
    return RunValue(
        bytes_per_second=cell.bytes_per_second,
        iops=cell.iops,
        latency_mean_seconds=cell.latency_mean_seconds,
        latency_p99_seconds=cell.latency_p99_seconds,
    )
