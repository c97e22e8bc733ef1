"""The grid of one result, as text of at most 80 columns."""

from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.bench.measured import rates_of
from raidtui.model.chance import in_percent
from raidtui.model.result import Cell, Result
from raidtui.model.text import cut, fold, harmless, spelled
from raidtui.model.units import latency, millions
from raidtui.results.as_cdm import as_cdm
from raidtui.results.context_words import how_of, layout_of, settings_of
from raidtui.results.knees import knees
from raidtui.results.remarks import letters
from raidtui.results.statistics import median, spread

_WIDTH: Final = 79
_WIDEST_NAME: Final = 25
_TAILS: Final = ("50", "90", "99", "99.9", "99.99")
_TITLES: Final = {"read": "Read", "write": "Write", "mix": "Mix"}


def grid(result: Result) -> str:
    """One result: what was measured and how, the cells by direction, and their flags."""
    context = result.context
    lines = [
        ", ".join(filter(None, (harmless(f"{result.label} ({result.id})"), harmless(result.created)))),
        ": ".join(
            filter(None, (harmless(context.target), f"{spelled(layout_of(context))}; {how_of(context)}"))
        ),
    ]
    lines += fold(settings_of(context), _WIDTH)
    if context.origin:
        lines.append(f"measured by {harmless(context.origin)}")
    width = max((len(cell.name) for cell in result.cells), default=0) + 1
    width = max(15, min(_WIDEST_NAME, width))
    for direction, title in _TITLES.items():
        cells = [cell for cell in result.cells if cell.direction == direction]
        if cells:
            lines += ["", _head(f"[{title}]", width, compat=bool(context.compat))]
            lines += [_cell_line(cell, width, compat=bool(context.compat)) for cell in cells]
    if any(cell.amplification is not None for cell in result.cells) and len(context.disks) > 1:
        lines += ["", *_amplifications(result)]
    if result.profile == "latency":
        lines += ["", *_tails(result, width)]
    lines += ["", *found] if (found := knees(result.cells)) else []
    if any(cell.flags for cell in result.cells):
        lines += ["", *_doubts(result.cells)]
    return "\n".join(lines)


def _doubts(cells: Sequence[Cell]) -> Iterator[str]:
    """Each flag once, with the cells that have it, wrapped."""
    doubtful: dict[str, list[str]] = {}
    for cell in cells:
        for flag in cell.flags:
            doubtful.setdefault(flag, []).append(f"{cell.name} {cell.direction}")
    for flag, names in doubtful.items():
        text = harmless(f"! {', '.join(names)}: {flag}")
        yield from fold(text, _WIDTH, then="  ")


def _head(title: str, width: int, *, compat: bool) -> str:
    if compat:
        return f"{title:<{width}}{'median MB/s':>12}{'best MB/s':>11}{'mean':>10}{'lowest':>10}{'spread':>9}"
    return f"{title:<{width}}{'MB/s':>10}{'IOPS':>11}{'mean':>10}{'p99':>10}{'spread':>9}"


def _cell_line(cell: Cell, width: int, *, compat: bool) -> str:
    moved = cell.bytes_per_second > 0
    rates = rates_of(cell.runs)
    percent = in_percent(spread(rates), 1) if len(rates) > 1 else "-"
    mean = latency(cell.latency_mean_seconds or None)
    begin = f"{cut(harmless(cell.name), width - 1):<{width}}"
    if compat and (score := as_cdm(cell)) is not None:
        figures = (
            f"{millions(cell.bytes_per_second):>12}{millions(score.bytes_per_second):>11}{mean:>10}"
            f"{latency(score.latency_mean_seconds or None):>10}"
        )
    else:
        speed = millions(cell.bytes_per_second) if moved else "-"
        often = f"{cell.iops:,.1f}" if cell.iops else "-"
        figures = f"{speed:>10}{often:>11}{mean:>10}{latency(cell.latency_p99_seconds):>10}"
    return f"{begin}{figures}{percent:>9}  {harmless(letters(cell))}".rstrip()


def _amplifications(result: Result) -> list[str]:
    """The I/O amplification of each cell, wrapped."""
    factors = {
        f"{harmless(cell.name)} {cell.direction}": f"{cell.amplification:.2f}"
        for cell in result.cells
        if cell.amplification is not None
    }
    words = ", ".join(f"{cell} {factor}" for cell, factor in factors.items())
    if len(factors) > 1 and len(set(factors.values())) == 1:
        words = f"{next(iter(factors.values()))} in every cell"
    return fold(f"I/O amplification: {words}", _WIDTH, then="  ")


def _tails(result: Result, width: int) -> list[str]:
    """Latency percentiles of each cell, the median of its runs; ``-`` where a run lacks the percentile."""
    lines = [f"{'[Latency]':<{width}}" + "".join(f"{name + ' %':>10}" for name in _TAILS)]
    for cell in result.cells:
        each = [[run.percentiles[name] for run in cell.runs if name in run.percentiles] for name in _TAILS]
        known = [median(some) if len(some) == len(cell.runs) and some else None for some in each]
        lines.append(
            f"{cut(harmless(cell.name), width - 1):<{width}}"
            + "".join(f"{latency(one):>10}" for one in known)
        )
    return [*lines, "-: too few I/Os for that percentile"]
