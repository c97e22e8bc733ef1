"""What a sweep measured, as text of at most 80 columns: a table for each profile, and what others published."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

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
    for part in _parts(heads, [label for label, _ in lines]):
        yield from part.title()
        for label, one in lines:
            figures = [one.cell(*head) for head in part.heads]
            if any(figures) or not label.startswith(_THEIRS):
                yield part.line(label, [_rate(cell.bytes_per_second) if cell else "" for cell in figures])


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
    for part in _parts(heads, [one.label for one in ranked]):
        yield from part.title()
        for one in ranked:
            yield part.line(one.label, [places.get((one.id, *head), "") for head in part.heads])


def _parts(heads: Sequence[Key], labels: Sequence[str]) -> Iterator["_Part"]:
    """The columns in parts that fit beside the labels."""
    width = min(_LONGEST, max(map(len, labels)))
    column = max(_COLUMN, *(1 + len(line) for head in heads for line in _words(head)))
    most = max(1, (_WIDTH - width) // column)
    for start in range(0, len(heads), most):
        yield _Part(heads[start : start + most], width, column)


def _words(head: Key) -> tuple[str, str]:
    """``RND4K`` above ``Q32T1 W``."""
    name, direction = head
    first, _, rest = name.partition(" ")
    return first, f"{rest} {direction[:1].upper()}".strip()


class _Part(NamedTuple):
    """Some columns, and the widths of the labels and of each."""

    heads: Sequence[Key]
    width: int
    column: int

    def title(self) -> Iterator[str]:
        yield ""
        for line in zip(*map(_words, self.heads), strict=True):
            yield self.line("", line)

    def line(self, label: str, cells: Sequence[str]) -> str:
        columns = "".join(f"{harmless(text):>{self.column}}" for text in cells)
        return f"{cut(harmless(label), self.width):<{self.width}}{columns}".rstrip()
