"""Results that travel: the JSON file of ``export`` and ``import``, and tables as CSV.

A result is carried as the document that it is, unchanged: what a newer raidtui put in comes through an older one.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Result
from raidtui.model.struct import Record, decode_json, from_json
from raidtui.model.text import harmless
from raidtui.results.compare import Comparison, names_of
from raidtui.results.summary import Summary, layout_of
from raidtui.results.validate import check_result

VERSION: Final = 1  # of the file of `export`


class _Export(Record, frozen=True, kw_only=True):
    raidtui_results: int
    results: tuple[msgspec.Raw, ...]


def write_export(documents: Iterable[str]) -> str:
    """The file that holds these results; ``documents`` are JSON, as the store has them."""
    whole = _Export(
        raidtui_results=VERSION, results=tuple(msgspec.Raw(document.encode()) for document in documents)
    )
    return msgspec.json.encode(whole).decode() + "\n"


def is_export(content: bytes) -> bool:
    """Whether this is a file that `write_export` wrote, whole or not."""
    begin = content[:2000]
    return '"raidtui_results"' in begin.decode(json.detect_encoding(begin), "replace")


def read_export(content: bytes, *, origin: str) -> tuple[tuple[Result, str], ...]:
    """The results in a file that `write_export` wrote, each with its document; ``origin`` is the file's name.

    Raises:
        BadInput: the content is cut short, is something else, is of a newer raidtui, or has what cannot be.
    """
    try:
        # Windows saves what a program printed as UTF-16, or with a mark before it.
        found = decode_json(content.decode(json.detect_encoding(content)), _Export)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"{origin} is not a file of 'raidtui results export': {error}") from error
    if found.raidtui_results > VERSION:
        raise BadInput(f"{origin} was written by a newer raidtui; update raidtui to import it")
    read = []
    for raw in found.results:
        document = bytes(raw).decode()
        result = from_json(document, Result, origin=origin)
        check_result(result, origin=origin)
        read.append((result, document))
    return tuple(read)


_RUN_COLUMNS: Final = (
    *("id", "label", "created", "target", "layout", "name", "direction", "run"),
    *("bytes_per_second", "iops", "latency_mean_seconds", "latency_p99_seconds", "seconds", "flags"),
)


def runs_csv(results: Sequence[Result]) -> str:
    """Every run of every cell, one a line; run 0 is the cell itself, the median of its runs."""
    rows: list[Sequence[object]] = [_RUN_COLUMNS]
    for result in results:
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
    return _csv(rows)


def _cell_row(cell: Cell) -> tuple[object, ...]:
    return (
        *(cell.name, cell.direction, 0, cell.bytes_per_second, cell.iops),
        *(cell.latency_mean_seconds, cell.latency_p99_seconds, "", "; ".join(cell.flags)),
    )


def summaries_csv(results: Sequence[Summary]) -> str:
    """A list of results, one a line."""
    names = Summary.__struct_fields__
    return _csv([names, *([getattr(one, name) for name in names] for one in results)])


_OF_A_CELL: Final = ("factor", "verdict", "rank", "ideal_share", "amplification", "flags")


def comparison_csv(comparison: Comparison) -> str:
    """A comparison: a line for each row and direction, and for each result its value and what there is to say of it.

    The value is bytes a second, or operations a second where the ``unit`` is ``ios``. No two columns have one name:
    where several results have one label, their ids are beside it.
    """
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


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [harmless(one) if isinstance(one, str) else one for one in row] for row in rows
    )
    return text.getvalue()
