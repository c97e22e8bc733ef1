"""Results as CSV: a list, every run, a comparison. Pure."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import astuple

from raidtui.model.text import harmless
from raidtui.results.summary import Summary

if TYPE_CHECKING:  # a list of thousands needs neither documents nor comparisons
    from raidtui.model.result import Cell, Result
    from raidtui.results.compare import Comparison


_RUN_COLUMNS: Final = (
    *("id", "label", "created", "target", "layout", "name", "direction", "run"),
    *("bytes_per_second", "iops", "latency_mean_seconds", "latency_p99_seconds", "seconds", "flags"),
)


def runs_csv(results: "Iterable[Result]") -> Iterator[str]:
    """Every run of every cell, one per line, in a piece for each result; run 0 is the median of the cell's runs."""
    from raidtui.results.context_words import layout_of

    yield _csv([_RUN_COLUMNS])
    for result in results:
        rows: list[Sequence[object]] = []
        begin = (
            *(result.id, result.label, result.created, result.context.target),
            layout_of(result.context),
        )
        for cell in result.cells:
            rows.append((*begin, *_cell_row(cell)))
            rows += [
                (
                    *(*begin, cell.name, cell.direction, number, run.bytes_per_second, run.iops),
                    *(run.latency_mean_seconds, run.latency_p99_seconds, run.seconds, ""),
                )
                for number, run in enumerate(cell.runs, 1)
            ]
        yield _csv(rows)


def _cell_row(cell: "Cell") -> tuple[object, ...]:
    return (
        *(cell.name, cell.direction, 0, cell.bytes_per_second, cell.iops),
        *(cell.latency_mean_seconds, cell.latency_p99_seconds, "", "; ".join(cell.flags)),
    )


def summaries_csv(results: Sequence[Summary]) -> str:
    """A list of results, one a line."""
    names = Summary.__struct_fields__
    line = ",".join(["%s"] * len(names)) + "\n"
    text = line % names + "".join(map(line.__mod__, map(astuple, results)))
    # Usually no value needs quotes; then this is the document, in half the time that the writer takes for 100 000.
    lines = 1 + len(results)
    if '"' not in text and text.count(",") == (len(names) - 1) * lines and _is_harmless(text, lines):
        return text
    return _csv([names, *map(astuple, results)])


_SPACE_AT_END: Final = re.compile(r'\s[",\n]')  # of a value, or before a comma within one
_WIDE: Final = "\uff1d\uff0b\uff0d\uff20"  # the same in full width, which some spreadsheets take as well
_FORMULA: Final = (*"=+-@", *_WIDE, "\t", "\r")
_FORMULA_IN: Final = re.compile(rf'(?:^|,)"?[=+@{_WIDE}-]', re.MULTILINE)  # or a negative number
_OF_A_CELL: Final = ("factor", "verdict", "rank", "ideal_share", "amplification", "flags")


def comparison_csv(comparison: "Comparison") -> str:
    """A comparison: a line for each row and direction; for each result its value, factor, verdict and so on.

    The value is bytes a second, or operations a second if the ``unit`` is ``ios``. Column names are unique: if several
    results have the same label, their ids are added.
    """
    from raidtui.results.compare import names_of

    head: list[object] = ["name", "direction", "unit"]
    for name in names_of(comparison.columns):
        head += [f"{name} {word}" for word in ("value", *_OF_A_CELL)]
    rows: list[Sequence[object]] = [head]
    for row in comparison.rows:
        line: list[object] = [row.name, row.direction, row.unit]
        for cell in row.cells:
            line += [cell.value, *(getattr(cell, name) for name in _OF_A_CELL)]
        rows.append(line)
    return _csv(rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = _write(rows)
    if _is_harmless(text, len(rows)):
        return text
    return _write([[_as_text(one) if isinstance(one, str) else one for one in row] for row in rows])


def _as_text(value: str) -> str:
    """``value`` harmless, and behind an apostrophe if a spreadsheet would take it for a formula."""
    shown = harmless(value)
    return f"'{shown}" if value.startswith(_FORMULA) else shown


def _is_harmless(text: str, lines: int) -> bool:
    """Whether `_as_text` would change no value of a CSV text that should have this many lines."""
    # Nearly always, which this shows at once; a list of 100 000 results has a million values.
    one_each = text.count("\n") == lines
    plain = one_each and text.replace("\n", "").isprintable() and not _SPACE_AT_END.search(text)
    return plain and not _FORMULA_IN.search(text)


def _write(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
