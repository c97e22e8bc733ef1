"""The results of a sweep as text of at most 80 columns: a table for each profile, with published figures."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from raidtui.model.result import Cell, Result
from raidtui.model.text import fold, harmless
from raidtui.model.units import millions
from raidtui.results.published.beside import published_like, ranks_beside
from raidtui.results.side_by_side import cut

_WIDTH: Final = 79
_COLUMN: Final = 10
_LONGEST: Final = 39
_THEIRS: Final = "  published: "
_NAMED: Final = ": "  # between the name of a sweep and the name of an array

Key = tuple[str, str]  # cell and direction


def tables_of(results: Sequence[Result]) -> Iterator[str]:
    """Rates of each array with the published ones below it, then ranks if a study published only ranks."""
    results = _without_common_start(results)
    for profile in dict.fromkeys(result.profile for result in results):
        own = sorted((one for one in results if one.profile == profile), key=lambda one: one.label)
        counted = any(_counted(cell) for one in own for cell in one.cells)
        unit = "MB/s or operations a second (/s)" if counted else "MB/s"
        yield from ("", f"{harmless(profile)}, {unit}, medians")
        yield from _rates(own)
    yield from _ranks(results)
    yield ""
    yield from fold(
        "'raidtui results compare ID …' shows them side by side; --published adds published results. "
        "With --by array, all passes over an array are one column.",
        _WIDTH,
    )


def _rates(results: Sequence[Result]) -> Iterator[str]:
    heads = list(dict.fromkeys((cell.name, cell.direction) for one in results for cell in one.cells))
    lines = [line for one in results for line in ((one.label, one), *_published(one))]
    for part in _parts(heads, [label for label, _ in lines]):
        yield from part.title()
        for label, one in lines:
            figures = [one.cell(*head) for head in part.heads]
            if any(figures) or not label.startswith(_THEIRS):
                yield part.line(label, [_rate(cell) if cell else "" for cell in figures])


def _published(result: Result) -> Iterator[tuple[str, Result]]:
    for other in published_like(result):
        yield _THEIRS + other.label, other


def _without_common_start(results: Sequence[Result]) -> list[Result]:
    """The results, their labels without the name of the sweep if all begin with it."""
    common = posixpath.commonprefix([one.label for one in results])
    start = common.rpartition(_NAMED)[0] + _NAMED if _NAMED in common else ""
    return [replace(one, label=one.label.removeprefix(start)) for one in results]


def _rate(cell: Cell) -> str:
    if _counted(cell):
        return f"{cell.iops:,.0f}/s"
    return millions(cell.bytes_per_second) if cell.bytes_per_second else "-"


def _counted(cell: Cell) -> bool:
    """Whether the cell counts operations only, no bytes."""
    return not cell.bytes_per_second and cell.iops > 0


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
    """Split the columns into parts that fit beside the labels."""
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
    """Some of the columns, with the width of the labels and of a column."""

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
