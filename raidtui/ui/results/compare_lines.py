"""The table of a comparison: a column per result, with factors, the best of each row marked. Pure."""

from collections.abc import Sequence
from typing import Final

from textual.content import Content

from raidtui.model.chance import in_percent
from raidtui.model.struct import Record
from raidtui.model.text import harmless, spelled
from raidtui.model.units import latency
from raidtui.results.compare import Comparison, Row, RowCell, letter
from raidtui.results.verdicts import SIGNS
from raidtui.ui.bench.digits import figure
from raidtui.ui.results.compare_list import when
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.rows import fit

_NAME: Final = 19  # cells of "> RND4K Q32T1 write"
_LONGEST_NAME: Final = 30
_FACTOR: Final = 9  # cells of "1.62x+ RV"
_FIGURE: Final = 10  # cells of "1,234,567*"
_LEAST_BAR: Final = 4
_ONE_LINE: Final = _FIGURE + 7 + _FACTOR + 1  # cells of a column with room for figure, bar and factor
_NARROWEST: Final = 9
_LABEL: Final = 23  # minimum cells of a label
_LAYOUT: Final = 17  # minimum cells of a layout
_LEGEND: Final = 79  # cells of a legend line with these
BEST: Final = "*"


class Metric(Record, frozen=True):
    """A figure of a cell to compare."""

    name: str
    title: str
    less_is_better: bool = False
    alone: bool = False  # already relative: shown without a factor

    def value(self, cell: RowCell) -> float | None:
        """The value in SI units; None if the result does not have it."""
        return {
            "MB/s": cell.value,
            "IOPS": cell.iops,
            "mean": cell.latency_mean_seconds,
            "p99": cell.latency_p99_seconds,
            "factor": cell.factor,
            "rank": cell.rank,
            "% of ideal": cell.ideal_share,
            "amplification": cell.amplification,
        }[self.name]

    def spell(self, value: float | None) -> str:
        if value is None:
            return "-"
        if self.name in {"factor", "amplification"}:
            return f"{value:.2f}x"
        if self.name == "% of ideal":
            return in_percent(value)
        if self.name in {"rank", "IOPS"}:
            return f"{value:,.0f}"
        return latency(value) if self.less_is_better else figure(value, group=",")


METRICS: Final = (
    Metric("MB/s", "MB/s, median of the runs"),
    Metric("factor", "MB/s, times the baseline", alone=True),
    Metric("IOPS", "IOPS, median of the runs"),
    Metric("mean", "mean latency, less is better", less_is_better=True),
    Metric("p99", "99th percentile of the latency, less is better", less_is_better=True),
    Metric("rank", "rank, 1 is the fastest", less_is_better=True, alone=True),
    Metric("% of ideal", "MB/s, share of the ideal of such disks", alone=True),
    Metric(
        "amplification", "I/O amplification: bytes of the disks per byte", less_is_better=True, alone=True
    ),
)
_IOPS: Final = METRICS[2]


def metrics_of(comparison: Comparison) -> tuple[Metric, ...]:
    """The metrics that any cell has."""
    cells = [cell for row in comparison.rows for cell in row.cells]
    return tuple(m for m in METRICS if m.name == "MB/s" or any(m.value(cell) is not None for cell in cells))


def name_width(comparison: Comparison) -> int:
    """The width of the names of rows, in cells: that of the longest, within limits."""
    longest = max((len(f"> {row.name} {row.direction}") for row in comparison.rows), default=0)
    return max(_NAME, min(_LONGEST_NAME, longest))


def window(comparison: Comparison, first: int, width: int) -> tuple[int, ...]:
    """The columns that fit: all, or the baseline and the others from the ``first`` on."""
    columns = range(len(comparison.columns))
    room = max(2, (width - name_width(comparison)) // _NARROWEST)
    if len(columns) <= room:
        return tuple(columns)
    others = [number for number in columns if number != comparison.baseline]
    start = min(first, len(others) - (room - 1))
    return (comparison.baseline, *others[start : start + room - 1])


def legend(comparison: Comparison, shown: Sequence[int], width: int) -> list[Content]:
    """A line for each of the ``shown`` columns: letter, label, layout, and date or number of results."""
    columns = [comparison.columns[number] for number in shown]
    more = max(0, width - _LEGEND)
    label = min(_LABEL + more, max(_LABEL, *(len(harmless(one.label or one.id)) for one in columns)))
    more -= label - _LABEL
    layout = min(_LAYOUT + more, max(_LAYOUT, *(len(harmless(one.layout)) for one in columns)))
    return [_legend(comparison, number, label, layout) for number in shown]


def _legend(comparison: Comparison, number: int, label: int, layout: int) -> Content:
    column = comparison.columns[number]
    date = f"{column.results} results" if column.results > 1 else when(column.created)
    kept = "" if column.capacity_kept is None else f"keeps {in_percent(column.capacity_kept)}"
    return Content.assemble(
        (f"{letter(number)} {'base' if number == comparison.baseline else '    '} ", "bold $text-accent"),
        (fit(harmless(column.label or column.id), label), "bold"),
        f" {fit(harmless(spelled(column.layout)), layout)} {kept:>11} ",
        (date, "$text-muted"),
    )


def is_narrow(comparison: Comparison, columns: int, width: int) -> bool:
    """Whether factors must be placed below their figures."""
    return _each_width(comparison, columns, width) < _ONE_LINE


def _each_width(comparison: Comparison, columns: int, width: int) -> int:
    return (width - name_width(comparison)) // columns


def table(
    comparison: Comparison,
    metric: Metric,
    *,
    width: int,
    marked: int,
    open_all: bool,
    shown: Sequence[int] | None = None,
) -> list[Content]:
    """The rows under the letters of the ``shown`` columns (default: all); the row at ``marked`` has a ``>``.

    If the columns are narrow, the factors are below their figures: for every row with ``open_all``, else only for
    the marked one.
    """
    columns = range(len(comparison.columns)) if shown is None else shown
    each, name = _each_width(comparison, len(columns), width), name_width(comparison)
    narrow = is_narrow(comparison, len(columns), width)
    room = min(each, _FIGURE)
    drawn = each - room - 1 - (0 if narrow else _FACTOR + 1)
    drawn = drawn if drawn >= _LEAST_BAR and metric.name != "rank" else 0
    letters = [f"{letter(n)}{' base' if n == comparison.baseline else ''}" for n in columns]
    header = "".join(f"{word:>{room - 1}} ".ljust(each) for word in letters)
    title = metric.name if len(metric.name) < name else ""
    lines = [Content.assemble((fit(title, name) + header, "bold $text-muted"))]
    for number, row in enumerate(comparison.rows):
        widths = _Widths(name, each, room, drawn, 0 if narrow else _FACTOR)
        top, below = _row(row, metric, comparison.baseline, columns, widths, marked=number == marked)
        lines.append(top)
        if narrow and (open_all or number == marked) and not metric.alone:
            lines.append(below)
    return lines


class _Widths(Record, frozen=True):
    """The widths in cells of the name, a column, and its figure, bar and factor; 0 if there is no room."""

    name: int
    each: int
    figure: int
    bar: int
    factor: int


def _row(
    row: Row, metric: Metric, baseline: int, columns: Sequence[int], widths: _Widths, *, marked: bool
) -> tuple[Content, Content]:
    """Two lines of a row: its figures with bars, and factors if there is room; and its factors only."""
    if row.unit == "ios" and metric.name == "MB/s":
        metric = _IOPS
    values = [metric.value(cell) for cell in row.cells]
    best = _best(values, metric)
    longest = max((value for value in values if value is not None), default=0.0)
    name = ("> " if marked else "  ") + fit(f"{row.name} {row.direction}", widths.name - 2)
    top: list[tuple[str, str] | str] = [(name, "bold" if marked else "")]
    below: list[tuple[str, str] | str] = [" " * widths.name]
    for number in columns:
        value = values[number]
        is_best = best is not None and value == best
        text = f"{metric.spell(value)}{BEST if is_best else ' '}"
        top.append((f"{text:>{widths.figure}}", "bold $text-success" if is_best else ""))
        if widths.bar:
            share = (value or 0.0) / longest if longest else 0.0
            drawn = bar(share, widths.bar) if value is not None else " " * widths.bar
            top.append((f" {drawn}", "$text-success" if is_best else "$text-accent"))
        factor = "" if number == baseline else _factor(row.cells[number], value, values[baseline], metric)
        factor = " ".join(filter(None, (factor, row.cells[number].flags[:2])))
        if widths.factor:
            top.append((f" {fit(factor, widths.factor)}", "$text-muted"))
        used = (
            widths.figure
            + (widths.bar + 1 if widths.bar else 0)
            + (widths.factor + 1 if widths.factor else 0)
        )
        top.append(" " * (widths.each - used))
        below.append((f"{factor:>{widths.figure}}".ljust(widths.each), "$text-muted"))
    return Content.assemble(*top), Content.assemble(*below)


def _best(values: Sequence[float | None], metric: Metric) -> float | None:
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    return min(known) if metric.less_is_better else max(known)


def _factor(cell: RowCell, value: float | None, base: float | None, metric: Metric) -> str:
    """The factor to the baseline, with the sign of the verdict, which is on rates; empty if unknown."""
    if value is None or not base:
        return ""
    sign = SIGNS.get(cell.verdict, "") if not metric.less_is_better else ""
    if metric.alone:
        return sign if metric.name == "factor" else ""
    return f"{value / base:.2f}x{sign}"
