"""Texts about a benchmark: the running measurement, and a cell with all runs. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual.content import Content

from raidtui.bench.live import Live
from raidtui.model.chance import in_percent
from raidtui.model.journal import Entry, Event
from raidtui.model.result import Cell
from raidtui.model.text import harmless
from raidtui.model.units import duration, latency, millions
from raidtui.ui.bench.bench_sentences import cell_words, live_text
from raidtui.ui.bench.curves import curve
from raidtui.ui.widgets.bars import percent_bar

if TYPE_CHECKING:
    pass

_FEWEST: Final = 8  # minimum number of values for a curve
_CURVE_WIDTH: Final = 64
_CURVE_HEIGHT: Final = 4
_PROGRESS: Final = 24  # cells of the bar, where there is room
_LEAST_PROGRESS: Final = 12
_BESIDE: Final = 54  # cells of the words beside it


def live_words(live: Live, width: int) -> Content:
    """One line: progress of the whole benchmark, time left, and the current run."""
    text = f" {live_text(live)}"
    size = min(max(_PROGRESS, width - _BESIDE), width - len(text))
    if size < _LEAST_PROGRESS:
        return Content(f"{in_percent(live.percent / 100)},{text}")
    return Content.assemble((percent_bar(live.percent / 100, size), "$primary"), text)


def cell_detail(cell: Cell, command: str, compat: str = "") -> Content:
    """All runs of a cell, its latencies, its flags, and the exact command."""
    from raidtui.bench.measured import rates_of
    from raidtui.results.statistics import outliers

    far = {number + 1 for number in outliers(rates_of(cell.runs))}
    parts: list[tuple[str, str] | str] = [(cell_words(cell, compat) + "\n", "bold")]
    parts += [(f"! {harmless(flag)}\n", "$text-warning") for flag in cell.flags]
    header = f"{'run':>4} {'MB/s':>10} {'IOPS':>10} {'mean':>9} {'p99':>9} {'fio CPU':>8}"
    parts += ["\n", (header + "\n", "bold $text-muted")]
    for number, run in enumerate(cell.runs, 1):
        parts.append(
            f"{number:>4} {millions(run.bytes_per_second, 2):>10} {run.iops:>10,.0f} "
            f"{latency(run.latency_mean_seconds):>9} {latency(run.latency_p99_seconds):>9} "
            f"{in_percent(run.processor_percent / 100):>8}"
            + (f"  sync {duration(run.sync_seconds)}" if run.sync_seconds is not None else "")
        )
        parts += [("  outlier", "$text-warning"), "\n"] if number in far else ["\n"]
    if cell.amplification is not None:
        parts.append(
            f"I/O amplification {cell.amplification:.2f}: bytes that the disks moved for each byte of this cell.\n"
        )
    parts += _over_time(cell)
    known = sorted({name for run in cell.runs for name in run.percentiles}, key=float)[:7]
    if known:
        parts += ["\n", ("Latency percentiles\n", "bold $text-muted")]
        parts.append((f"{'run':>4} " + " ".join(f"{name + ' %':>9}" for name in known) + "\n", "$text-muted"))
        for number, run in enumerate(cell.runs, 1):
            parts.append(
                f"{number:>4} "
                + " ".join(f"{latency(run.percentiles.get(name)):>9}" for name in known)
                + "\n"
            )
        if any(run.latency_p99_seconds is None for run in cell.runs):
            parts.append(("p99 needs 10,000 I/Os in a run.\n", "$text-muted"))
    if command:
        parts += ["\n", ("The exact command\n", "bold $text-muted"), harmless(command) + "\n"]
    return Content.assemble(*parts)


def _over_time(cell: Cell) -> list[tuple[str, str] | str]:
    """The rate over time: of all rounds if it ran until steady, else of the median run."""
    values: Sequence[float] = cell.curve
    what = f"MB/s over {duration(len(values))}, until it was steady"
    if not values:
        runs = sorted(
            (run for run in cell.runs if len(run.series) >= _FEWEST), key=lambda run: run.bytes_per_second
        )
        if not runs:
            return []
        middle = runs[(len(runs) - 1) // 2]
        values, what = middle.series, f"MB/s over the {duration(middle.seconds)} of the median run"
    lines = curve(values, width=_CURVE_WIDTH, height=_CURVE_HEIGHT)
    highest, lowest = max(values) / 1e6, min(values) / 1e6
    return [
        "\n",
        (f"{what}: {lowest:,.1f} to {highest:,.1f}\n", "bold $text-muted"),
        ("\n".join(lines) + "\n", "$primary"),
    ]


def command_of(entries: Sequence[Entry], cell: Cell) -> str:
    """The fio command of a cell's last run: the last command in the journal before that run."""
    from raidtui.bench.measured import measured_of
    from raidtui.model.plan import Run
    from raidtui.plan.words import command_line

    command, found = "", ""
    for entry in entries:
        if entry.event is Event.COMMAND:
            command = command_line(Run(argv=entry.argv))
        elif (one := measured_of(entry)) is not None and (one.row.name, one.direction) == (
            cell.name,
            cell.direction,
        ):
            found = command
    return found
