"""Several results side by side as text of at most 80 columns, six at a time."""

from collections.abc import Callable
from typing import Final

from raidtui.model.chance import in_percent
from raidtui.model.text import fold, harmless, spelled
from raidtui.model.units import millions
from raidtui.results.compare import Column, Comparison, Row, RowCell, letter, sentences
from raidtui.results.verdicts import LEGEND, SIGNS

MOST_COLUMNS: Final = 6  # side by side; more follow below
_WIDTH: Final = 79
_NAME: Final = 12  # width of "RND4K Q32T1"
_LONGEST_NAME: Final = 24
_DIRECTION: Final = 5
_COLUMN: Final = 10


def table(comparison: Comparison) -> str:
    """MB/s and factors, ranks, the share of the ideal, amplification, remarks, and finally the conclusions."""
    base = letter(comparison.baseline)
    lines = [_legend(index, column, comparison) for index, column in enumerate(comparison.columns)]
    lines += _section(comparison, "MB/s", figure_of, below=_factor)
    lines += _section(comparison, "rank, 1 fastest", lambda cell, _: str(cell.rank or ""))
    lines += _section(comparison, "% of ideal", lambda cell, _: _percent(cell.ideal_share))
    lines += _section(comparison, "amplification", lambda cell, _: _times(cell.amplification))
    notes = [
        f"* best of its row. Below, the factor to {base}: {LEGEND}. Letters: 'raidtui results show' explains them.",
        *(f"! {remark}" for remark in comparison.lettered),
        comparison.assumption,
        *sentences(comparison),
    ]
    lines.append("")
    for note in filter(None, notes):
        lines += fold(harmless(note), _WIDTH, then="  ")
    return "\n".join(lines)


def _legend(index: int, column: Column, comparison: Comparison) -> str:
    """What a column is; its label gets all the room that the rest leaves."""
    label = harmless(column.label or column.id)
    layout = harmless(column.layout)
    kept = "" if column.capacity_kept is None else f"keeps {in_percent(column.capacity_kept)}"
    many = f"{column.results} results" if column.results > 1 else ""
    named = all(
        word in label or spelled(word) in label for word in layout.split(", ")
    )  # the label of a sweep's result has it
    rest = [
        word for word in ("" if named else spelled(layout), harmless(column.created[:10]), kept, many) if word
    ]
    text = "  ".join(rest) + (" (baseline)" if index == comparison.baseline else "")
    return f"{letter(index)}  {cut(label, max(12, _WIDTH - 5 - len(text)))}  {text}"[:_WIDTH]


def _section(
    comparison: Comparison,
    title: str,
    spell: Callable[[RowCell, Row], str],
    below: Callable[[RowCell, Row], str] | None = None,
) -> list[str]:
    """A table of one quantity, in as many parts as it needs; nothing if no cell has it."""
    if not any(spell(cell, row).strip("-") for row in comparison.rows for cell in row.cells):
        return []
    lines = []
    longest = max(len(row.name) for row in comparison.rows)
    name_width = max(_NAME, min(_LONGEST_NAME, longest))
    width = name_width + 1 + _DIRECTION
    most = min(MOST_COLUMNS, (_WIDTH - width) // _COLUMN)
    for start in range(0, len(comparison.columns), most):
        part = range(start, min(start + most, len(comparison.columns)))
        lines += ["", title.ljust(width) + "".join(f"{letter(index):>{_COLUMN}}" for index in part)]
        for row in comparison.rows:
            name = (
                f"{cut(harmless(row.name), name_width):<{name_width}} {harmless(row.direction):<{_DIRECTION}}"
            )
            lines.append(
                (name + "".join(f"{spell(row.cells[index], row):>{_COLUMN}}" for index in part)).rstrip()
            )
            if below is not None:
                texts = ["" if i == comparison.baseline else below(row.cells[i], row) for i in part]
                second = (" " * width + "".join(f"{text:>{_COLUMN}}" for text in texts)).rstrip()
                lines += [second] if second else []
    return lines


def figure_of(cell: RowCell, row: Row) -> str:
    """MB/s, or operations a second, with a star on the best of the row."""
    if cell.value is None:
        return "-"
    text = f"{cell.value:,.0f}/s" if row.unit == "ios" else millions(cell.value)
    return f"{'*' if cell.best else ''}{text}"


def _factor(cell: RowCell, _: Row) -> str:
    factor = "" if cell.factor is None else f"{cell.factor:.2f}x{SIGNS.get(cell.verdict, '')}"
    return f"{harmless(cell.flags[:2])} {factor}".strip()


def _percent(share: float | None) -> str:
    return "" if share is None else in_percent(share)


def _times(factor: float | None) -> str:
    return "" if factor is None else f"{factor:.2f}x"


def cut(text: str, width: int) -> str:
    """``text`` cut to at most ``width`` characters."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"
