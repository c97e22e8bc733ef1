"""Export results as JSON, CSV, Markdown, an HTML page, or text in CrystalDiskMark's style."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.result import Result
from raidtui.model.struct import to_json
from raidtui.results.cdm_text import cdm_text
from raidtui.results.compare import Comparison, compare
from raidtui.results.csv_text import comparison_csv, runs_csv
from raidtui.results.exchange import write_export
from raidtui.results.markdown import comparison_markdown, result_markdown
from raidtui.results.page import html_page

FORMATS: Final = ("json", "csv", "markdown", "html", "text")
_ENDINGS: Final = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".txt": "text",
}


def format_of(file: str) -> str:
    """The format for a file's ending; JSON, which can be imported again, if the ending is not known."""
    return _ENDINGS.get(PurePath(file).suffix.lower(), "json")


def says_format(file: str) -> bool:
    """Whether a file's ending names a format."""
    return PurePath(file).suffix.lower() in _ENDINGS


def export_results(
    results: Sequence[Result],
    kind: str,
    *,
    document: Callable[[Result], str] | None = None,
) -> str:
    """The whole text of `export_pieces`.

    Args:
        document: returns the JSON document of a result as it was stored; by default the result is encoded again.
    """
    stored = ((one, document(one) if document and kind == "json" else "") for one in results)
    return "".join(export_pieces(stored, kind))


def export_pieces(stored: Iterable[tuple[Result, str]], kind: str) -> Iterator[str]:
    """These results in one of `FORMATS`, piece by piece; Markdown and HTML start with a comparison of several.

    JSON, CSV and text keep one result in memory at a time, HTML and Markdown all of them.

    Args:
        stored: each result with its JSON document as it was stored; if that is empty, the result is encoded again.

    Raises:
        BadInput: there is no such format, or no result; raised before the first piece.
    """
    if kind not in FORMATS:
        raise BadInput(f"{kind!r} is not a format; choose one of {', '.join(FORMATS)}")
    rest = iter(stored)
    first = next(rest, None)
    if first is None:
        raise BadInput("there are no results to export")
    pairs = chain([first], rest)
    if kind == "json":
        yield from write_export(document or to_json(result, pretty=False) for result, document in pairs)
    elif kind == "csv":
        yield from runs_csv(result for result, _ in pairs)
    elif kind == "text":
        for number, (result, _) in enumerate(pairs):
            yield ("\n" if number else "") + cdm_text(result)
    else:
        results = [result for result, _ in pairs]
        together = compare(results) if len(results) > 1 else None
        yield html_page(results, together) if kind == "html" else _markdown(results, together)


def _markdown(results: Sequence[Result], together: Comparison | None) -> str:
    return "\n".join([*([comparison_markdown(together)] if together else []), *map(result_markdown, results)])


def export_comparison(results: Sequence[Result], comparison: Comparison, kind: str) -> str:
    """A comparison in one of the `FORMATS`, except text. Raises BadInput: there is no such form."""
    if kind == "csv":
        return comparison_csv(comparison)
    if kind == "markdown":
        return comparison_markdown(comparison)
    if kind == "html":
        return html_page(results, comparison)
    if kind == "json":
        return to_json(comparison)
    raise BadInput(f"a comparison cannot be exported as {kind}; choose one of json, csv, markdown and html")
