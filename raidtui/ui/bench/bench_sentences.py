"""A benchmark in sentences: the request, the running measurement, a cell. Does not load Textual."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from raidtui.bench.live import LONG_SILENCE, Live
from raidtui.model.chance import in_percent
from raidtui.model.journal import BenchRequest
from raidtui.model.md_levels import DEFAULT_CHUNK
from raidtui.model.result import Cell
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.model.units import about, duration, latency, rate, spell_size
from raidtui.results.as_cdm import TITLES, as_cdm

if TYPE_CHECKING:
    from raidtui.bench.settings import Settings


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


def live_text(live: Live) -> str:
    """The time left of the whole benchmark, and the current run."""
    if live.cell:
        which = f"{live.cell} {live.direction}, " + (
            f"run {live.run} of {live.runs}" if live.run else "warm-up"
        )
    else:
        which = "test file" if live.phase == "filling" else ""
    phase = {
        "waiting": "pausing",
        "filling": "being written",
        "warm-up": "",
        "measuring": "",
        "syncing": "syncing",
    }
    state = phase.get(live.phase, live.phase)
    if live.silent_seconds >= LONG_SILENCE:
        state = f"no I/O for {duration(live.silent_seconds)}"
    now = ", ".join(word for word in (which, state) if word)
    return f"{duration(live.remaining_seconds)} left: {now}"
