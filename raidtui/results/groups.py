"""Results that belong together, by level, chunk, filesystem, machine or day: their runs are taken as one."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final

import msgspec

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, Result, RunValue
from raidtui.model.units import spell_size

BY: Final[Mapping[str, Callable[[Result], str]]] = {
    "level": lambda r: r.context.array.level if r.context.array and r.context.array.level else "single",
    "chunk": lambda r: _chunk(r),
    "filesystem": lambda r: r.context.filesystem or "none",
    "machine": lambda r: r.context.hostname or "unknown",
    "day": lambda r: r.created[:10] or "unknown",
}


def _chunk(result: Result) -> str:
    array = result.context.array
    return spell_size(array.chunk_bytes) if array and array.chunk_bytes else "none"


def grouped(results: Sequence[Result], by: str) -> tuple[Result, ...]:
    """One result for each value that ``by`` has, in the order of their first: called by it, with all its runs.

    Raises:
        BadInput: ``by`` is none of `BY`.
    """
    if by not in BY:
        raise BadInput(f"results cannot be grouped by {by!r}; choose one of {', '.join(BY)}")
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(BY[by](result), []).append(result)
    return tuple(_merged(value, members) for value, members in groups.items())


def _merged(value: str, members: Sequence[Result]) -> Result:
    keys = dict.fromkeys((cell.name, cell.direction) for result in members for cell in result.cells)
    cells = [
        _joined([cell for result in members if (cell := result.cell(name, direction)) is not None])
        for name, direction in keys
    ]
    return msgspec.structs.replace(
        members[0], id=value, label=value, context=_shared(members), cells=tuple(cells)
    )


def _shared(members: Sequence[Result]) -> Context:
    """The context of the first, without its array where they are not all of arrays that are laid out alike."""
    context = members[0].context
    arrays = {(a.level, a.raid_disks) if (a := one.context.array) is not None else None for one in members}
    return context if len(arrays) == 1 else msgspec.structs.replace(context, array=None, disks=())


def _joined(cells: Sequence[Cell]) -> Cell:
    if len(cells) == 1:
        return cells[0]
    runs = tuple(run for cell in cells for run in cell.runs or (_only_run(cell),))
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
