"""Results side by side as lines: a column for each, the best of each row marked, each as a factor. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from raidtui.model.text import harmless
from raidtui.model.units import latency
from raidtui.results.compare import Comparison, Row, RowCell
from raidtui.ui import clock
from raidtui.ui.digits import figure
from raidtui.ui.widgets.rows import fit

_NAME: Final = 19  # cells of "> RND4K Q32T1 write"
_FACTOR: Final = 9  # cells of "1.62x+ RV"
_ONE_LINE: Final = 19  # cells of a column that has room for the figure and the factor side by side
_WIDEST: Final = 22
BEST: Final = "*"
# What the runs prove: see the verdicts of `raidtui.results.statistics`.
SIGNS: Final = {"faster": "+", "slower": "-", "equal": "=", "undecided": "?"}


@dataclass(frozen=True)
class Metric:
    """What of a cell is compared."""

    name: str
    title: str
    less_is_better: bool = False

    def value(self, cell: RowCell) -> float | None:
        """It, in SI units; None where that result does not know it."""
        return {
            "MB/s": cell.value,
            "IOPS": cell.iops,
            "mean": cell.latency_mean_seconds,
            "p99": cell.latency_p99_seconds,
            "factor": cell.factor,
        }[self.name]

    def spell(self, value: float | None) -> str:
        """It, as it is shown."""
        if value is None:
            return "-"
        if self.less_is_better:
            return latency(value)
        if self.name == "factor":
            return f"{value:.2f}x"
        return f"{value:,.0f}" if self.name == "IOPS" else figure(value)


METRICS: Final = (
    Metric("MB/s", "MB/s, median of the runs"),
    Metric("factor", "MB/s, times the baseline"),
    Metric("IOPS", "IOPS, median of the runs"),
    Metric("mean", "mean latency, less is better", less_is_better=True),
    Metric("p99", "latency of the slowest hundredth, less is better", less_is_better=True),
)


def letter(number: int) -> str:
    """What the columns are called: A, B, C …"""
    return chr(ord("A") + number)


def legend(comparison: Comparison) -> list[Content]:
    """A line for each result: its letter, label, layout and date."""
    return [
        Content.assemble(
            (f"{letter(number)} {'base' if number == comparison.baseline else '    '} ", "bold $text-accent"),
            (fit(harmless(column.label or column.id), 27), "bold"),
            f" {fit(harmless(column.layout), 22)} ",
            (clock.spoken(column.created), "$text-muted"),
        )
        for number, column in enumerate(comparison.columns)
    ]


def each_width(columns: int, width: int) -> int:
    """How wide each column can be."""
    return min(_WIDEST, (width - _NAME) // columns)


def is_narrow(columns: int, width: int) -> bool:
    """Whether a factor has to stand below its figure."""
    return each_width(columns, width) < _ONE_LINE


def table(
    comparison: Comparison, metric: Metric, *, width: int, marked: int, open_all: bool
) -> list[Content]:
    """The rows under their letters; the one at ``marked`` has a ``>``.

    Where columns are narrow the factors stand below their figures: for every row with ``open_all``, else for the
    marked one.
    """
    columns = len(comparison.columns)
    each, narrow = each_width(columns, width), is_narrow(columns, width)
    room = each if narrow else each - _FACTOR - 1
    letters = [f"{letter(n)}{' base' if n == comparison.baseline else ''}" for n in range(columns)]
    header = "".join(f"{word:>{room - 1}} ".ljust(each) for word in letters)
    lines = [Content.assemble((fit(metric.name, _NAME) + header, "bold $text-muted"))]
    for number, row in enumerate(comparison.rows):
        top, below = _row(row, metric, comparison.baseline, each, room, marked=number == marked)
        lines.append(top)
        if narrow and (open_all or number == marked) and metric.name != "factor":
            lines.append(below)
    return lines


def _row(
    row: Row, metric: Metric, baseline: int, each: int, room: int, *, marked: bool
) -> tuple[Content, Content]:
    """A row's figures, with the factors if there is room; and its factors alone."""
    values = [metric.value(cell) for cell in row.cells]
    best = _best(values, metric)
    name = ("> " if marked else "  ") + fit(f"{row.name} {row.direction}", _NAME - 2)
    top: list[tuple[str, str] | str] = [(name, "bold" if marked else "")]
    below: list[tuple[str, str] | str] = [" " * _NAME]
    for number, value in enumerate(values):
        is_best = best is not None and value == best
        text = f"{metric.spell(value)}{BEST if is_best else ' '}"
        top.append((f"{text:>{room}}", "bold $text-success" if is_best else ""))
        told = "" if number == baseline else _factor(row.cells[number], value, values[baseline], metric)
        told = " ".join(filter(None, (told, row.cells[number].flags[:2])))
        if room < each:
            top.append((f" {fit(told, _FACTOR)}", "$text-muted"))
        below.append((f"{told:>{each - 1}} ", "$text-muted"))
    return Content.assemble(*top), Content.assemble(*below)


def _best(values: Sequence[float | None], metric: Metric) -> float | None:
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    return min(known) if metric.less_is_better else max(known)


def _factor(cell: RowCell, value: float | None, base: float | None, metric: Metric) -> str:
    """How many times the baseline, and what the runs prove of that: they were measured in MB/s."""
    if value is None or not base:
        return ""
    sign = SIGNS.get(cell.verdict, "") if not metric.less_is_better else ""
    return sign if metric.name == "factor" else f"{value / base:.2f}x{sign}"


def verdicts(comparison: Comparison, row: Row, *, brief: bool) -> Content:
    """What the single runs of one row prove about each result against the baseline; ``brief``: no intervals."""
    base = letter(comparison.baseline)
    said = []
    for number, cell in enumerate(row.cells):
        if number == comparison.baseline or cell.ratio is None:
            continue
        ratio = cell.ratio
        known = ratio.low is not None and ratio.high is not None
        span = f" ({ratio.low:.2f} to {ratio.high:.2f})" if known else " (too few runs)"
        said.append(f"{letter(number)} {cell.verdict} {ratio.middle:.2f}x{'' if brief else span}")
    what = "; ".join(said) or "nothing to compare"
    return Content.assemble((f"{row.name} {row.direction} against {base} (MB/s): ", "bold"), what)
