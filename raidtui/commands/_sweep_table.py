"""What a sweep measured, as text of at most 80 columns: a table for each profile, and what others published."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.model.result import Result
from raidtui.model.text import harmless
from raidtui.results.published.beside import published_like, ranks_beside
from raidtui.results.side_by_side import cut

_WIDTH: Final = 79
_COLUMN: Final = 10
_LONGEST: Final = 36
_THEIRS: Final = "  published: "

Key = tuple[str, str]  # cell and direction


def tables_of(results: Sequence[Result]) -> Iterator[str]:
    """Rates of each array, the published ones below it, then the ranks where a study has only these."""
    for profile in dict.fromkeys(result.profile for result in results):
        own = sorted((one for one in results if one.profile == profile), key=lambda one: one.label)
        yield from ("", f"{harmless(profile)}, MB/s, medians")
        yield from _rates(own)
    yield from _ranks(results)
    yield ""
    yield from textwrap.wrap(
        "'raidtui results compare ID …' puts them side by side, with --published those of others too. "
        "With --by array, the passes over an array are one column.",
        _WIDTH,
        break_on_hyphens=False,
    )


def _rates(results: Sequence[Result]) -> Iterator[str]:
    heads = list(dict.fromkeys((cell.name, cell.direction) for one in results for cell in one.cells))
    lines = [line for one in results for line in ((one.label, one), *_published(one))]
    for part, width in _parts(heads, [label for label, _ in lines]):
        yield from _head(part, width)
        for label, one in lines:
            figures = [one.cell(*head) for head in part]
            if any(figures) or not label.startswith(_THEIRS):
                yield _line(label, width, [_rate(cell.bytes_per_second) if cell else "" for cell in figures])


def _published(result: Result) -> Iterator[tuple[str, Result]]:
    for other in published_like(result):
        yield _THEIRS + other.label, other


def _rate(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e6:,.1f}" if bytes_per_second else "-"


def _ranks(results: Sequence[Result]) -> Iterator[str]:
    found = ranks_beside(results)
    if not found:
        return
    places = {(one.result, one.cell, one.direction): f"{one.own} ({one.published})" for one in found}
    heads = list(dict.fromkeys((one.cell, one.direction) for one in found))
    ranked = [one for one in results if any(one.id == cell.result for cell in found)]
    ranked.sort(key=lambda one: (one.context.filesystem, one.label))
    yield from ("", "Rank within its filesystem, 1 fastest; in brackets as published")
    for part, width in _parts(heads, [one.label for one in ranked]):
        yield from _head(part, width)
        for one in ranked:
            yield _line(one.label, width, [places.get((one.id, *head), "") for head in part])


def _parts(heads: Sequence[Key], labels: Sequence[str]) -> Iterator[tuple[Sequence[Key], int]]:
    """The columns in parts that fit beside the labels, and the width of these."""
    width = min(_LONGEST, max(map(len, labels)))
    most = (_WIDTH - width) // _COLUMN
    for start in range(0, len(heads), most):
        yield heads[start : start + most], width


def _head(part: Sequence[Key], width: int) -> Iterator[str]:
    names = [(name.split()[0], f"{' '.join(name.split()[1:])} {way[:1].upper()}") for name, way in part]
    yield ""
    yield _line("", width, [cut(first, _COLUMN - 1) for first, _ in names])
    yield _line("", width, [cut(rest.strip(), _COLUMN - 1) for _, rest in names])


def _line(label: str, width: int, cells: Sequence[str]) -> str:
    columns = "".join(f"{harmless(text):>{_COLUMN}}" for text in cells)
    return f"{cut(harmless(label), width):<{width}}{columns}".rstrip()
