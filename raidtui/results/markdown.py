"""Results as Markdown tables, to paste into a forum or an issue."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from raidtui.model.chance import in_percent
from raidtui.model.result import Cell, Result
from raidtui.model.text import harmless, spelled
from raidtui.model.units import latency, millions
from raidtui.results.compare import Column, Comparison, Row, RowCell
from raidtui.results.context_words import how_of, layout_of, settings_of, system_of
from raidtui.results.remarks import letters
from raidtui.results.statistics import spread
from raidtui.results.verdicts import LEGEND, SIGNS

DIRECTIONS: Final = {"read": "Read", "write": "Write", "mix": "Mix"}
_WIDEST_HEAD: Final = 80  # characters of all names together; if longer, columns show their number in the list
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~#])")


def plain(text: str) -> str:
    """``text`` escaped, so that Markdown shows it as it is."""
    return _SPECIAL.sub(r"\\\1", harmless(text))


def result_markdown(result: Result) -> str:
    """One result: where and how it was measured, its grid, its flags, the exact command."""
    context = result.context
    machine = [word for word in (context.processor_model, system_of(context)) if word]
    about = [
        f"**{plain(result.label or result.id)}**, {plain(spelled(layout_of(context)))}",
        plain(f"{how_of(context)}; {result.created[:16].replace('T', ' ')} UTC"),
        plain(settings_of(context)),
        plain("; ".join((*machine, *(f"{name} {version}" for name, version in context.tools.items())))),
        plain(f"measured by {context.origin}") if context.origin else "",
    ]
    lines = [f"{line}  " for line in about if line]
    for direction, title in DIRECTIONS.items():
        cells = [cell for cell in result.cells if cell.direction == direction]
        if cells:
            lines += [
                "",
                *_table([title, "MB/s", "spread", "IOPS", "mean", "p99", ""], map(_grid_row, cells)),
            ]
    doubts = [f"- {plain(f'{c.name} {c.direction}: {flag}')}" for c in result.cells for flag in c.flags]
    if doubts:
        lines += ["", *doubts]
    if context.job_text:
        lines += ["", "One of the commands:", "", f"    {harmless(context.job_text)}"]
    return "\n".join(lines) + "\n"


def _grid_row(cell: Cell) -> list[str]:
    rates = [run.bytes_per_second or run.iops for run in cell.runs]
    return [
        plain(cell.name),
        millions(cell.bytes_per_second, 2) if cell.bytes_per_second else "-",
        in_percent(spread(rates), 1) if len(rates) > 1 else "",
        f"{cell.iops:,.0f}" if cell.iops else "-",
        latency(cell.latency_mean_seconds or None),
        latency(cell.latency_p99_seconds),
        plain(letters(cell)),
    ]


def comparison_markdown(comparison: Comparison) -> str:
    """Several results side by side: a column for each, the best of a row in bold, then conclusions and remarks."""
    base = comparison.columns[comparison.baseline]
    lines = [
        f"{number}. {plain(_name(column))}: {plain(spelled(column.layout))}, {plain(column.created[:10])}"
        for number, column in enumerate(comparison.columns, 1)
    ]
    names = [plain(_name(column)) for column in comparison.columns]
    if sum(map(len, names)) > _WIDEST_HEAD:
        names = [str(number) for number in range(1, len(names) + 1)]
    head = ["MB/s", *names]
    rows = (_row(row, comparison.baseline) for row in comparison.rows)
    lines += ["", *_table(head, rows), ""]
    lines.append(f"Medians of the runs; times {plain(_name(base))} in brackets: {LEGEND}.")
    notes = (*comparison.conclusions, comparison.assumption, *comparison.remarks)
    lines += ["", *(f"- {plain(one)}" for one in notes if one)]
    return "\n".join(lines) + "\n"


def _name(column: Column) -> str:
    return column.label or column.id


def _row(row: Row, baseline: int) -> list[str]:
    return [
        plain(f"{row.name} {row.direction}"),
        *(_cell(cell, row.unit, index == baseline) for index, cell in enumerate(row.cells)),
    ]


def _cell(cell: RowCell, unit: str, is_baseline: bool) -> str:
    if cell.value is None:
        return ""
    text = f"{cell.value:,.0f}/s" if unit == "ios" else millions(cell.value, 2)
    text = f"**{text}**" if cell.best else text
    if cell.factor is not None and not is_baseline:
        text += f" ({cell.factor:.2f}x{SIGNS.get(cell.verdict, '')})"
    return f"{text} {plain(cell.flags)}".rstrip()


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    marks = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(line)} |" for line in (head, marks, *rows)]
