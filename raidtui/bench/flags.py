"""Flags of unreliable cells: a letter and a reason each.

C cached, R resync and F foreign I/O: the cell measured something other than its name says. E: it was cut short.
S a trend, V a spread: another measurement would differ. B processor, Q queue, T heat: the disk was not the limit.
Z zeros: a filesystem that compresses did not write them.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from raidtui.bench.device_stack import IN_PLACE
from raidtui.bench.measured import rates_of
from raidtui.bench.rows import MIX, READ, WRITE, Planned, Until
from raidtui.model.chance import in_percent
from raidtui.model.result import RunValue
from raidtui.model.struct import Record
from raidtui.model.units import KIB, MIB
from raidtui.results.statistics import median, slope, spread

CACHED: Final = "cached"  # marks a cached row in its name
_TIMES_MEMORY: Final = 2
_CACHED: Final = 0.05  # of the bytes written became dirty pages first
_FROM_DISK: Final = 0.90  # of the bytes read must come from the device
_FOREIGN: Final = 0.10
_TREND: Final = 0.10
_SHORT: Final = 0.90  # of the requested seconds
_AT_DEPTH: Final = 90.0  # percent of the samples
_BUSY: Final = 90.0  # percent of a core
_HALF_BUSY: Final = 50.0
_SPREAD: Final = (0.05, 0.10)  # worth a flag, unreliable
_SPREAD_OF_SEEKS: Final = (0.08, 0.15)  # random access on a rotating disk varies by nature
_FEWEST_FOR_DRIFT: Final = 5  # runs: four are in order by chance once in twelve times
_FEWEST_FOR_TREND: Final = 8  # quarters of a second: a run of one second has no trend, only noise
_PAGES_OF_OTHERS: Final = 256 * KIB  # dirtied in one run by the rest of the system, which is never quite idle
_BYTES_OF_OTHERS: Final = MIB  # a second, likewise


class RunFacts(Record, frozen=True, kw_only=True):
    """One run and what the system did meanwhile. Bytes are counted from its start to its end, ramp included."""

    value: RunValue
    ramp_seconds: float = 0.0
    depth_percent: float | None = None  # of the samples at the requested queue depth
    dirtied_bytes: int | None = None  # pages of the whole system that became dirty
    device_read: int | None = None  # of the device that the filesystem is on
    device_written: int | None = None
    amplification: float | None = None
    sync_action: str = ""
    degraded: str = ""  # node of a degraded unit
    lazy_init: bool = False  # the kernel was still initializing the filesystem
    throttled: bool = False  # the processor slowed down because of heat


class FlagInputs(Record, frozen=True, kw_only=True):
    """What was requested, and what is known about the target."""

    seconds: int
    size_bytes: int = 0  # of the test file
    memory_bytes: int = 0
    rotational: bool = False
    filesystem: str = ""
    compresses: bool = False
    governor: str = ""
    steady: bool | None = None  # whether steady state was reached; None if it was not requested
    hot: str = ""  # which disk came close to its limit, in words
    others_dirty_rate: float = 0.0  # from `dirty_rate`


def flags_of(cell: Planned, runs: Sequence[RunFacts], inputs: FlagInputs) -> tuple[str, ...]:
    found = (
        _cached(cell, runs, inputs),
        _syncing(runs),
        _foreign(cell, runs, inputs),
        _short(cell, runs, inputs),
        _trend(runs) if inputs.steady is None else _unsteady(inputs.steady),
        _spread(cell, runs, inputs),
        _hot(runs, inputs),
        _busy(runs),
        _shallow(cell, runs),
        "Z only zeros, which the filesystem compresses" if cell.row.zeros and inputs.compresses else "",
    )
    return tuple(flag for flag in found if flag)


def _bytes(run: RunFacts) -> float:
    return run.value.bytes_per_second * run.value.seconds


def _cached(cell: Planned, runs: Sequence[RunFacts], inputs: FlagInputs) -> str:
    if not cell.row.touches_blocks:
        return ""
    if cell.row.cached:
        return "" if CACHED in cell.row.name.split() else _hot_cache(cell, inputs)
    if cell.direction == READ:
        shares = [
            run.device_read / (run.value.bytes_per_second * _wall(run))
            for run in runs
            if run.device_read is not None and _bytes(run) > 0
        ]
        if shares and median(shares) < _FROM_DISK:
            return f"C cached: {in_percent(1 - median(shares))} was not read from the disks"
        return ""
    part = (100 - cell.row.read_percent) / 100 if cell.direction == MIX else 1.0
    # It was ours only if every run dirtied more than the rest of the system was seen to do.
    shares = [
        (run.dirtied_bytes - inputs.others_dirty_rate * _wall(run) - _PAGES_OF_OTHERS) / (_most(run) * part)
        for run in runs
        if run.dirtied_bytes is not None and _bytes(run) > 0
    ]
    if not shares or min(shares) <= _CACHED:
        return ""
    why = ": Btrfs buffers writes that have checksums" if inputs.filesystem == "btrfs" else ""  # Linux 6.15
    return f"C cached despite O_DIRECT{why}"


def _hot_cache(cell: Planned, inputs: FlagInputs) -> str:
    """Flag a cached row that is not called cached, unless the file is too large for the cache."""
    size = cell.row.size_bytes or inputs.size_bytes
    if cell.row.size_bytes or size >= _TIMES_MEMORY * inputs.memory_bytes:
        return ""  # a row with its own size is meant to show the cache
    return f"C the file has {size / inputs.memory_bytes:.2g} times the memory; below 2 it measures the cache"


def dirty_rate(reads: Iterable[RunFacts]) -> float:
    """The highest rate, in bytes a second, at which the rest of the system dirtied pages while we only read."""
    return max(
        (run.dirtied_bytes / _wall(run) for run in reads if run.dirtied_bytes is not None and _wall(run) > 0),
        default=0.0,
    )


def _wall(run: RunFacts) -> float:
    return run.ramp_seconds + run.value.seconds


def _most(run: RunFacts) -> float:
    """The most bytes fio can have transferred, ramp included: never faster than its fastest quarter second."""
    fastest = max((*run.value.series, run.value.bytes_per_second))
    return _bytes(run) + fastest * (run.ramp_seconds + 1)


def _syncing(runs: Sequence[RunFacts]) -> str:
    if action := next((run.sync_action for run in runs if run.sync_action), ""):
        return f"R {action} while measuring"
    node = next((run.degraded for run in runs if run.degraded), "")
    return f"R {node} is degraded" if node else ""


def _foreign(cell: Planned, runs: Sequence[RunFacts], inputs: FlagInputs) -> str:
    """Flag a device that did more I/O than fio in most of the runs."""
    if any(run.lazy_init for run in runs):
        return "F ext4lazyinit was still initializing the new filesystem"
    if cell.row.cached or cell.row.beside or not cell.row.touches_blocks:
        return ""  # the device then does other I/O than fio reports for that time
    more = [_is_foreign(cell, run, inputs) for run in runs]
    return "F other processes used the device" if more and sum(more) * 2 > len(more) else ""


def _is_foreign(cell: Planned, run: RunFacts, inputs: FlagInputs) -> bool:
    if run.device_read is None or run.device_written is None or inputs.filesystem not in IN_PLACE:
        return False
    slack = _BYTES_OF_OTHERS * _wall(run)
    most = _most(run)
    other = {READ: run.device_written, WRITE: run.device_read}.get(cell.direction, 0)
    same = {READ: run.device_read, WRITE: run.device_written}.get(
        cell.direction, run.device_read + run.device_written
    )
    return other > _FOREIGN * most + slack or same > (1 + _FOREIGN) * most + slack


def _short(cell: Planned, runs: Sequence[RunFacts], inputs: FlagInputs) -> str:
    if cell.until is not Until.SECONDS:
        return ""
    shortest = min((run.value.seconds for run in runs), default=float(inputs.seconds))
    return (
        f"E a run lasted {shortest:.1f} s instead of {inputs.seconds} s"
        if shortest < _SHORT * inputs.seconds
        else ""
    )


def _unsteady(steady: bool) -> str:
    return "" if steady else "S no steady state"


def _hot(runs: Sequence[RunFacts], inputs: FlagInputs) -> str:
    if any(run.throttled for run in runs):
        return "T the CPU throttled for heat"
    if inputs.hot:
        return f"T {inputs.hot}"
    busiest = median([run.value.processor_percent for run in runs])
    if inputs.governor == "powersave" and busiest > _HALF_BUSY:
        return "T the CPU governor is powersave, and fio kept the CPU busy"
    return ""


def _trend(runs: Sequence[RunFacts]) -> str:
    slopes = [slope(run.value.series) for run in runs if len(run.value.series) >= _FEWEST_FOR_TREND]
    if slopes and abs(median(slopes)) > _TREND:
        return f"S {'faster' if median(slopes) > 0 else 'slower'} by {in_percent(abs(median(slopes)))} during a run"
    rates = rates_of(run.value for run in runs)
    if len(rates) >= _FEWEST_FOR_DRIFT and rates in (sorted(rates), sorted(rates, reverse=True)):
        drift = (rates[-1] - rates[0]) / median(rates)
        if abs(drift) > _TREND:
            return f"S {'faster' if drift > 0 else 'slower'} by {in_percent(abs(drift))} from run to run"
    return ""


def _spread(cell: Planned, runs: Sequence[RunFacts], inputs: FlagInputs) -> str:
    notice, unreliable = _SPREAD_OF_SEEKS if inputs.rotational and cell.row.random else _SPREAD
    found = spread(rates_of(run.value for run in runs))
    if found <= notice:
        return ""
    return f"V spread {in_percent(found)}{', unreliable' if found > unreliable else ''}"


def _busy(runs: Sequence[RunFacts]) -> str:
    percent = median([run.value.processor_percent for run in runs])
    return f"B CPU-bound ({in_percent(percent / 100)} of a core)" if percent > _BUSY else ""


def _shallow(cell: Planned, runs: Sequence[RunFacts]) -> str:
    found = [run.depth_percent for run in runs if run.depth_percent is not None]
    if cell.row.queue_depth == 1 or not found or median(found) >= _AT_DEPTH:
        return ""
    return f"Q queue depth {cell.row.queue_depth} only {in_percent(median(found) / 100)} of the time"
