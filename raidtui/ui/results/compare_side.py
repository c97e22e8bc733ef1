"""A comparison: conclusion, legend, table and remarks; or one row as bars over all results."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.model.result import Result
from raidtui.model.text import count_of, harmless
from raidtui.results.compare import Comparison, compare, compare_by
from raidtui.results.groups import group_of
from raidtui.results.verdicts import SIGNS
from raidtui.ui.bench.digits import figure
from raidtui.ui.results.compare_lines import BEST, Metric, is_narrow, legend, metrics_of, table, window
from raidtui.ui.results.compare_list import when
from raidtui.ui.results.compare_notes import headline, is_open, note, verdicts
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.live import height_of
from raidtui.ui.widgets.rows import fit

_TALL = 34  # lines of a screen that shows everything at once
_SHELL = 8  # rail, heading, keys, the line above them, and blank lines
_WIDEST = 200  # cells: longer lines are hard to read


def compared(results: Sequence[Result], by: str, baseline: str) -> Comparison:
    """Compare ``results``, in groups if ``by`` is set; ``baseline`` is an id or group, by default the first."""
    if by:
        names = dict.fromkeys(group_of(one, by) for one in results)
        return compare_by(results, by, baseline=baseline if baseline in names else "")
    ids = [result.id for result in results]
    return compare(results, baseline=ids.index(baseline) if baseline in ids else 0)


class Side(Vertical):
    """Shows a comparison; keeps the metric, the marked row, and the first scrolled column."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.comparison: Comparison | None = None
        self.is_history = self.is_bars = False
        self.title = ""
        self._by = ""
        self._target = ""
        self._metric = self._row = self._first = 0

    def compose(self) -> ComposeResult:
        yield Static(id="verdict")
        yield Static(id="legend")
        with VerticalScroll(id="rows", can_focus=False):
            yield Static(id="table")
        yield Static(id="proof")
        yield Static(id="note")

    def open(self, comparison: Comparison, *, by: str = "", history_of: str = "") -> None:
        """Show another comparison: single results, groups ``by`` a property, or the history of a target."""
        if self.comparison is None or len(comparison.columns) != len(self.comparison.columns):
            self._first = 0
        self.comparison, self._by, self._target = comparison, by, history_of
        self.is_history = bool(history_of)
        self._row = min(self._row, max(0, len(comparison.rows) - 1))
        self.paint()

    def close(self) -> None:
        """Show no comparison."""
        self.comparison, self.is_history, self.is_bars = None, False, False
        self._row = self._first = 0

    @property
    def _width(self) -> int:
        return min(_WIDEST, self.screen.size.width) - 3

    @property
    def _is_tall(self) -> bool:
        return self.screen.size.height >= _TALL

    def paint(self) -> None:
        """Update the display."""
        found = self.comparison
        if found is None:
            return
        self.set_class(self.is_history or self.is_bars, "-bars")
        if self.is_history or self.is_bars:
            metric = metrics_of(found)[0]
            self._paint_bars(found)
        else:
            metric = metrics_of(found)[self._metric % len(metrics_of(found))]
            self._paint_table(found, metric)
        self._put("#verdict", headline(found, tall=self._is_tall))
        self._put("#note", note(found, metric, self._width, tall=self._is_tall))

    def _put(self, where: str, text: Content) -> None:
        self.query_one(where, Static).update(text)

    def _paint_table(self, found: Comparison, metric: Metric) -> None:
        width, height = self._width, self.screen.size.height
        shown = window(found, self._first, width)
        columns = found.columns
        what = f"{count_of(columns, 'group')} by {self._by}" if self._by else count_of(columns, "result")
        more = len(columns) - len(shown)
        self.title = f"Compare {what}: {metric.title}" + (f" (←→ {more} more)" if more else "")
        named = shown if self._is_tall or len(shown) <= 6 else shown[:6]
        self._put("#legend", Content("\n").join(legend(found, named, width)))
        lines = table(
            found,
            metric,
            width=width,
            marked=self._row,
            open_all=is_open(found, len(shown), width, height),
            shown=shown,
        )
        brief = len(shown) > 3 and not self._is_tall
        every = [verdicts(found, row, metric, brief=brief, shown=shown) for row in found.rows]
        proof = every[self._row] if every else Content("")
        whole = Content("\n").join(every)
        around = (headline(found, tall=self._is_tall), note(found, metric, width, tall=self._is_tall), whole)
        room = height - _SHELL - len(shown) - len(lines)
        room -= sum(height_of(text.plain, width) for text in around)
        if room >= 0:
            proof = whole  # on every row, not only on the marked one
        is_loose = room >= len(lines) == len(found.rows) + 1
        self._put("#table", Content("\n\n" if is_loose else "\n").join(lines))
        self._put("#proof", proof)

    def _paint_bars(self, found: Comparison) -> None:
        row = found.rows[self._row]
        unit = "IOPS" if row.unit == "ios" else "MB/s"
        begin = f"History of {harmless(self._target)}: " if self.is_history else ""
        self.title = f"{begin}{row.name} {row.direction}, {unit} (↑↓ {len(found.rows)} cells)"
        self._put("#table", Content("\n").join(bars(found, self._row, width=self._width)))

    def next_metric(self) -> None:
        """Show the next metric: MB/s, factor, IOPS, latency, rank …"""
        if self.comparison is not None:
            self._metric = (self._metric + 1) % len(metrics_of(self.comparison))
            self.paint()

    def toggle_bars(self) -> None:
        """Show the marked row as bars, or all rows as a table."""
        self.is_bars = not self.is_bars
        self.paint()

    def scroll_columns(self, step: int) -> None:
        """Scroll the columns; with bars, the lines."""
        found = self.comparison
        if self.is_history or self.is_bars:
            area = self.query_one("#rows", VerticalScroll)
            area.scroll_relative(y=step * area.size.height, animate=False)
        elif found is not None:
            fitting = len(window(found, 0, self._width))
            self._first = max(0, min(len(found.columns) - fitting, self._first + step))
            self.paint()

    def mark(self, step: int) -> None:
        """Mark another row, and scroll to it."""
        found = self.comparison
        if found is None or not found.rows:
            return
        self._row = (self._row + step) % len(found.rows)
        self.paint()
        if self.is_history or self.is_bars:
            return
        shown = window(found, self._first, self._width)
        each = 2 if is_narrow(found, len(shown), self._width) else 1
        area = self.query_one("#rows", VerticalScroll)
        before = each if is_open(found, len(shown), self._width, self.screen.size.height) else 1
        first = 1 + self._row * before if self._row else 0
        if first < area.scroll_offset.y:
            area.scroll_to(y=first, animate=False)
        elif first + each > area.scroll_offset.y + area.size.height:
            area.scroll_to(y=first + each - area.size.height, animate=False)


_DATE, _FIGURE, _FACTOR = 16, 10, 10
_LABEL_SHARE = 4  # a quarter of the width


def bars(comparison: Comparison, row: int, *, width: int) -> list[Content]:
    """A line for each column, in order, with a bar scaled from zero to the best; no bar if the value is unknown."""
    shown = comparison.rows[row]
    most = max((cell.value or 0.0 for cell in shown.cells), default=0.0)
    label = max(8, width // _LABEL_SHARE)
    room = max(4, width - _DATE - label - _FIGURE - _FACTOR - 4)
    lines = []
    for number, (column, cell) in enumerate(zip(comparison.columns, shown.cells, strict=True)):
        value = cell.value
        known = value is not None and most > 0
        drawn = bar((value or 0.0) / most, room) if known else " " * room
        text = "-" if value is None else f"{value:,.0f}" if shown.unit == "ios" else figure(value, group=",")
        text += BEST if cell.best else " "
        factor = ""
        if cell.factor is not None and number != comparison.baseline:
            factor = f"{cell.factor:.2f}x{SIGNS.get(cell.verdict, '')} {cell.flags[:2]}"
        elif number == comparison.baseline:
            factor = f"base {cell.flags[:2]}"
        lines.append(
            Content.assemble(
                (f"{fit(when(column.created), _DATE)} ", "$text-muted"),
                f"{fit(harmless(column.label or column.id), label)} ",
                (drawn, "$text-success" if cell.best else "$text-accent"),
                f" {text:>{_FIGURE}}",
                (f" {fit(factor.rstrip(), _FACTOR)}", "$text-muted"),
            )
        )
    return lines
