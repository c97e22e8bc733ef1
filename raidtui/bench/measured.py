"""Runs as the journal of a benchmark has them, and the cells that they add up to."""

from collections.abc import Iterable

import msgspec

from raidtui.bench.profiles import Planned, Row
from raidtui.model.journal import Entry, Event
from raidtui.model.result import Cell, RunValue
from raidtui.model.struct import Record
from raidtui.results.statistics import median


class Measured(Record, frozen=True, kw_only=True):
    """One run of one cell: the data of a CELL entry."""

    row: Row
    direction: str
    run: int  # from 1
    runs: int
    value: RunValue


def measured_of(entry: Entry) -> Measured | None:
    """The run that a journal entry tells of, if it tells of one."""
    if entry.event is not Event.CELL:
        return None
    try:
        return msgspec.json.decode(bytes(entry.data), type=Measured)
    except msgspec.DecodeError:
        return None  # of another version of raidtui


def cells_so_far(entries: Iterable[Entry]) -> tuple[Cell, ...]:
    """The grid as far as it is measured, without flags, in the order in which it is measured."""
    runs: dict[tuple[str, str], list[Measured]] = {}
    for entry in entries:
        if (one := measured_of(entry)) is not None:
            runs.setdefault((one.row.name, one.direction), []).append(one)
    return tuple(
        cell_of(Planned(row=some[0].row, direction=some[0].direction), tuple(one.value for one in some))
        for some in runs.values()
    )


def cell_of(planned: Planned, runs: tuple[RunValue, ...], flags: tuple[str, ...] = ()) -> Cell:
    """The cell of these runs: each number is the median of the runs', whichever run that is.

    The latency of the slowest hundredth is known only if each run had enough I/Os to know it.
    """
    row = planned.row
    tails = [run.latency_p99_seconds for run in runs if run.latency_p99_seconds is not None]
    return Cell(
        name=row.name,
        direction=planned.direction,
        bytes_per_second=median([run.bytes_per_second for run in runs]),
        iops=median([run.iops for run in runs]),
        latency_mean_seconds=median([run.latency_mean_seconds for run in runs]),
        latency_p99_seconds=median(tails) if tails and len(tails) == len(runs) else None,
        block_bytes=row.block_bytes,
        queue_depth=row.queue_depth,
        threads=row.threads,
        random=row.random,
        runs=runs,
        flags=flags,
    )
