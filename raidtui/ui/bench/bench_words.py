"""Texts about a benchmark: the request, the running measurement, and a cell with all runs. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual.content import Content

from raidtui.bench.live import LONG_SILENCE, Live
from raidtui.model.chance import in_percent
from raidtui.model.journal import BenchRequest, Entry, Event
from raidtui.model.md_levels import DEFAULT_CHUNK
from raidtui.model.result import Cell
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import about, duration, latency, millions, rate, spell_size
from raidtui.results.as_cdm import TITLES, as_cdm
from raidtui.ui.bench.curves import curve
from raidtui.ui.widgets.bars import percent_bar

if TYPE_CHECKING:
    from raidtui.bench.settings import Settings

_FEWEST: Final = 8  # minimum number of values for a curve
_CURVE_WIDTH: Final = 64
_CURVE_HEIGHT: Final = 4
_PROGRESS: Final = 24  # cells of the bar, where there is room
_LEAST_PROGRESS: Final = 12
_BESIDE: Final = 54  # cells of the words beside it


def settings_of(
    request: BenchRequest, unit: Unit | None, *, room: int | None, rotational: bool
) -> "Settings":
    """The settings for ``request``, as far as known before inspecting the target; ``room``: bytes for the test file.

    Raises:
        BadInput: the request is invalid, or its profile unknown.
    """
    from raidtui.bench.settings import settle

    chunk = unit.chunk_bytes if unit is not None and unit.chunk_bytes else DEFAULT_CHUNK
    disks = unit.raid_disks if unit is not None else 2
    return settle(request, room=room, chunk=chunk, stripe=chunk * max(1, disks - 1), rotational=rotational)


def request_words(request: BenchRequest, settings: "Settings", seconds: float | None) -> str:
    """The options of a benchmark, and about how long it takes."""
    profile, runs = settings.profile, settings.runs
    how_often = "until steady" if profile.steady else f"{runs} run{'s'[: runs != 1]}"
    words = [
        *([f"grid {profile.name}"] if profile.name != "cdm" else []),
        spell_size(settings.size_bytes),
        f"{how_often} of {settings.seconds} s",
        "with mix" if settings.mix else "no mix",
        *(["cached"] if request.cached else []),
        *([f"as {TITLES[request.compat]}"] if request.compat else []),
        *([f"label '{harmless(request.label)}'"] if request.label else []),
        *(["during a sync"] if request.during_sync else []),
    ]
    return ", ".join(words) + (f"; {about(seconds)}" if seconds else "")


def grid_names(settings: "Settings") -> tuple[list[str], list[str]]:
    """The rows and directions of a grid; a buffered write has a second row, with its sync."""
    from raidtui.bench.rows import DIRECTIONS, WITH_SYNC, WRITE

    cells = settings.cells
    names: dict[str, None] = {}
    for row in settings.rows:
        written = any(cell.row == row and cell.direction == WRITE for cell in cells)
        names[row.name] = None
        if row.cached and written:
            names[row.name + WITH_SYNC] = None
    found = {cell.direction for cell in cells}
    return list(names), [direction for direction in DIRECTIONS if direction in found]


def live_words(live: Live, width: int) -> Content:
    """One line: progress of the whole benchmark, time left, and the current run."""
    if live.cell:
        which = f"{live.cell} {live.direction}, " + (
            f"run {live.run} of {live.runs}" if live.run else "warm-up"
        )
    else:
        which = "test file" if live.phase == "filling" else ""
    phase = {
        "waiting": "pausing",
        "filling": "being written",
        "warming up": "",
        "measuring": "",
        "syncing": "syncing",
    }
    state = phase.get(live.phase, live.phase)
    if live.silent_seconds >= LONG_SILENCE:
        state = f"no I/O for {duration(live.silent_seconds)}"
    whole = f" {duration(live.remaining_seconds)} left: "
    text = whole + ", ".join(word for word in (which, state) if word)
    size = min(max(_PROGRESS, width - _BESIDE), width - len(text))
    if size < _LEAST_PROGRESS:
        return Content(f"{in_percent(live.percent / 100)},{text}")
    return Content.assemble((percent_bar(live.percent / 100, size), "$primary"), text)


def cell_words(cell: Cell, compat: str = "") -> str:
    """A line about a cell, and a second one if it was measured in CrystalDiskMark's way."""
    from raidtui.bench.measured import rates_of
    from raidtui.results.statistics import outliers, robust_spread, spread

    rates = rates_of(cell.runs)
    words = [
        f"{cell.name} {cell.direction}: {rate(cell.bytes_per_second)}",
        f"{cell.iops:,.0f} IOPS",
        f"mean {latency(cell.latency_mean_seconds)}",
        f"p99 {latency(cell.latency_p99_seconds)}",
    ]
    spreads = []
    if len(rates) > 1 and not any(flag.startswith("V") for flag in cell.flags):  # V has the spread
        spreads.append(in_percent(spread(rates), 1))
    if outliers(rates):
        spreads.append(f"{in_percent(robust_spread(rates), 1)} without outliers")
    if spreads:
        words.append(f"spread {', '.join(spreads)}")
    score = as_cdm(cell) if compat in TITLES else None
    if score is None:
        return ", ".join(words)
    best = f"{rate(score.bytes_per_second)}, {latency(score.latency_mean_seconds)}"
    return f"{', '.join(words)}\n{TITLES[compat]} would show {best}, the best run"


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


def unit_at(target: str, units: Sequence[Unit]) -> Unit | None:
    """The unit of ``target``: its device, or the one with the longest mount point above the path; None if none."""
    found: tuple[int, Unit] | None = None
    for unit in units:
        if target and target in {unit.node, unit.path}:
            return unit
        for place in unit.mountpoints:
            inside = target == place or target.startswith(place.rstrip("/") + "/")
            if inside and (found is None or len(place) > found[0]):
                found = (len(place), unit)
    return found[1] if found else None
