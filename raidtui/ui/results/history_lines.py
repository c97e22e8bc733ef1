"""One cell as bars: of one target over time, or of all compared results. Pure."""

from textual.content import Content

from raidtui.model.text import harmless
from raidtui.results.compare import Comparison
from raidtui.results.verdicts import SIGNS
from raidtui.ui.bench.digits import figure
from raidtui.ui.results.compare_lines import BEST
from raidtui.ui.results.compare_list import when
from raidtui.ui.widgets.bars import bar
from raidtui.ui.widgets.rows import fit

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
        text = "-" if value is None else f"{value:,.0f}" if shown.unit == "ios" else figure(value)
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
