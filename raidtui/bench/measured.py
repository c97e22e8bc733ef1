"""Runs in the journal of a benchmark, and the cells computed from them."""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from raidtui.bench.rows import WITH_SYNC, WRITE, Planned, Row
from raidtui.model.journal import Entry, Event
from raidtui.model.result import Cell, RunValue
from raidtui.model.struct import Record, decode_json
from raidtui.results.statistics import median


class Measured(Record, frozen=True, kw_only=True):
    """One run of one cell: the data of a CELL entry."""

    row: Row
    direction: str
    run: int  # from 1
    runs: int
    value: RunValue


def rates_of(runs: Iterable[RunValue]) -> list[float]:
    """Bytes a second of each run, or operations a second if no bytes are transferred; the spread is that of these."""
    return [run.bytes_per_second or run.iops for run in runs]


def measured_of(entry: Entry) -> Measured | None:
    """The run in a journal entry, if it has one."""
    if entry.event is not Event.CELL:
        return None
    try:
        return decode_json(entry.data, Measured)
    except msgspec.DecodeError:
        return None  # of another version of raidtui


def cells_so_far(entries: Iterable[Entry]) -> tuple[Cell, ...]:
    """The grid measured so far, without flags, in measuring order."""
    runs: dict[tuple[str, str], list[Measured]] = {}
    for entry in entries:
        if (one := measured_of(entry)) is not None:
            runs.setdefault((one.row.name, one.direction), []).append(one)
    return tuple(
        cell
        for some in runs.values()
        for cell in cells_of_runs(
            Planned(row=some[0].row, direction=some[0].direction), tuple(one.value for one in some)
        )
    )


def cells_of_runs(
    planned: Planned,
    runs: tuple[RunValue, ...],
    flags: tuple[str, ...] = (),
    *,
    amplification: float | None = None,
    curve: tuple[float, ...] = (),
) -> tuple[Cell, ...]:
    """The cell of these runs; if a sync followed each run, also the cell that includes the time of the sync.

    Each figure is the median of that figure over the runs. The 99th percentile of latency is known only if every run
    had enough I/Os for it.

    Args:
        curve: bytes a second in each second, of a cell that ran until it was steady.
    """
    cell = replace(_cell(planned, runs), flags=flags, amplification=amplification, curve=curve)
    if planned.direction != WRITE or not all(run.sync_seconds is not None for run in runs):
        return (cell,)
    real = _cell(planned, tuple(with_sync(run) for run in runs))
    # After the sync nothing is in the cache; flags on spread, trend, CPU and queue describe the runs without it.
    doubts = tuple(flag for flag in flags if flag[0] in "RTEZ")
    return cell, replace(real, name=real.name + WITH_SYNC, flags=doubts)


def with_sync(run: RunValue) -> RunValue:
    """A run including the time until the disks had all of it. The latency of single writes is then unknown."""
    seconds = run.seconds + (run.sync_seconds or 0.0)
    share = run.seconds / seconds if seconds else 1.0
    return RunValue(
        bytes_per_second=run.bytes_per_second * share,
        iops=run.iops * share,
        latency_mean_seconds=0.0,
        seconds=seconds,
        total_ios=run.total_ios,
        started=run.started,
        sync_seconds=run.sync_seconds,
    )


def _cell(planned: Planned, runs: tuple[RunValue, ...]) -> Cell:
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
    )
