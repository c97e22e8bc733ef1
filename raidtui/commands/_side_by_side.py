"""Several results as text: side by side at most 80 columns wide, six at a time, or as bars of any width."""

import textwrap
from collections.abc import Callable
from typing import Final

from raidtui.model.text import harmless
from raidtui.results.compare import Column, Comparison, Row, RowCell, letter
from raidtui.results.verdicts import LEGEND, SIGNS

MOST_COLUMNS: Final = 6  # that fit side by side; more follow below
_WIDTH: Final = 79
_NAME: Final = 12  # columns of "RND4K Q32T1"
_LONGEST_NAME: Final = 24
_DIRECTION: Final = 5
_COLUMN: Final = 10


def table(comparison: Comparison) -> str:
    """MB/s and factors, ranks, the share of the ideal, amplification, remarks, and last the conclusions."""
    base = letter(comparison.baseline)
    lines = [_legend(index, column, comparison) for index, column in enumerate(comparison.columns)]
    lines += _section(comparison, "MB/s", _value, below=_factor)
    lines += _section(comparison, "rank, 1 fastest", lambda cell, _: str(cell.rank or ""))
    lines += _section(comparison, "% of ideal", lambda cell, _: _percent(cell.ideal_share))
    lines += _section(comparison, "amplification", lambda cell, _: _times(cell.amplification))
    notes = [
        f"* best of its row. Below, the factor to {base}: {LEGEND}. Letters: 'raidtui results show' explains them.",
        *(f"! {remark}" for remark in comparison.remarks),
        comparison.assumption,
        *comparison.conclusions,
    ]
    lines.append("")
    for note in filter(None, notes):
        lines += textwrap.wrap(harmless(note), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines)


def _legend(index: int, column: Column, comparison: Comparison) -> str:
    """What a column is; its label has all the room that the rest leaves."""
    label = harmless(column.label or column.id)
    layout = harmless(column.layout)
    kept = "" if column.capacity_kept is None else f"keeps {100 * column.capacity_kept:.0f} %"
    many = f"{column.results} results" if column.results > 1 else ""
    told = all(word in label for word in layout.split(", "))  # the label of a sweep's result has it
    rest = [word for word in ("" if told else layout, column.created[:10], kept, many) if word]
    text = "  ".join(rest) + (" (baseline)" if index == comparison.baseline else "")
    return f"{letter(index)}  {_cut(label, max(12, _WIDTH - 5 - len(text)))}  {text}"[:_WIDTH]


def _section(
    comparison: Comparison,
    title: str,
    spell: Callable[[RowCell, Row], str],
    below: Callable[[RowCell, Row], str] | None = None,
) -> list[str]:
    """A table of one thing, in as many parts as it needs; nothing where no cell knows it."""
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
            name = f"{_cut(row.name, name_width):<{name_width}} {row.direction:<{_DIRECTION}}"
            lines.append(
                (name + "".join(f"{spell(row.cells[index], row):>{_COLUMN}}" for index in part)).rstrip()
            )
            if below is not None:
                texts = ["" if i == comparison.baseline else below(row.cells[i], row) for i in part]
                second = (" " * width + "".join(f"{text:>{_COLUMN}}" for text in texts)).rstrip()
                lines += [second] if second else []
    return lines


def _value(cell: RowCell, row: Row) -> str:
    if cell.value is None:
        return "-"
    text = f"{cell.value:,.0f}/s" if row.unit == "ios" else f"{cell.value / 1e6:,.1f}"
    return f"{'*' if cell.best else ''}{text}"


def _factor(cell: RowCell, _: Row) -> str:
    factor = "" if cell.factor is None else f"{cell.factor:.2f}x{SIGNS.get(cell.verdict, '')}"
    return f"{cell.flags[:2]} {factor}".strip()


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def _times(factor: float | None) -> str:
    return "" if factor is None else f"{factor:.2f}x"


def bars(comparison: Comparison, *, width: int, full: str, rest: str) -> str:
    """A bar for each result in each row, from zero to the row's best; exactly ``width`` columns at most."""
    names = [f"{letter(n)} {harmless(c.label or c.id)}" for n, c in enumerate(comparison.columns)]
    figures = 12
    label = max(2, min(max(map(len, names)), width // 3))
    room = max(1, width - label - figures - 2)
    lines: list[str] = []
    for row in comparison.rows:
        most = max((cell.value or 0.0 for cell in row.cells), default=0.0)
        unit = "I/Os a second" if row.unit == "ios" else "MB/s"
        lines += [*([""] if lines else []), _cut(f"{row.name} {row.direction}, {unit}", width)]
        for name, cell in zip(names, row.cells, strict=True):
            share = (cell.value or 0.0) / most if most else 0.0
            drawn = _bar(share, room, full, rest) if cell.value is not None else " " * room
            text = _value(cell, row).removesuffix("/s").lstrip("*")
            lines.append(f"{_cut(name, label):<{label}} {drawn} {text:>{figures - 1}}"[:width].rstrip())
    return "\n".join(lines)


def _bar(share: float, room: int, full: str, rest: str) -> str:
    from raidtui.ui.bars import FULL, REST, bar

    return bar(share, room).replace(FULL, full).replace(REST, rest)


def drawing(encoding: str) -> tuple[str, str]:
    """The characters of a bar that an output of that encoding can take."""
    from raidtui.ui.bars import FULL, REST

    try:
        (FULL + REST).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "#", "."
    return FULL, REST


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"
