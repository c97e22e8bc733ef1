"""Published figures and ranks to show beside own ones: same profile, on a unit with the same layout. Pure."""

from collections.abc import Iterator, Sequence

from raidtui.model.result import Result
from raidtui.model.spec import USUAL
from raidtui.model.struct import Record
from raidtui.results.compare import compare
from raidtui.results.published import is_published
from raidtui.results.published.reader import Rank, all_published, published_ranks


class RankedCell(Record, frozen=True, kw_only=True):
    """The ranks of one cell of one result, own and published: 1 is the fastest."""

    result: str  # id
    cell: str
    direction: str
    own: int
    published: int


def published_like(result: Result) -> tuple[Result, ...]:
    """The published results with its profile, level, number of disks, chunk and filesystem.

    What a study does not state matches anything.
    """
    return tuple(other for other in all_published() if _alike(result, other))


def with_published(results: Sequence[Result]) -> list[Result]:
    """``results``, followed by each published result that matches one of them."""
    found = {one.id: one for result in results for one in published_like(result)}
    named = {result.id for result in results}
    return [*results, *(one for name, one in found.items() if name not in named)]


def ranks_beside(results: Sequence[Result]) -> tuple[RankedCell, ...]:
    """The ranks of ``results`` among those with the same filesystem, beside the published ones.

    Only if two or more layouts of a study were measured; empty if no study has ranks for them.
    """
    made = [one for one in results if not is_published(one.id)]
    groups: dict[tuple[str, str], list[Result]] = {}
    for one in made:
        if any(_is_ranked(one, rank) for rank in published_ranks()):
            groups.setdefault((one.profile, one.context.filesystem), []).append(one)
    return tuple(cell for group in groups.values() if len(group) > 1 for cell in _ranked(group))


def _ranked(results: Sequence[Result]) -> Iterator[RankedCell]:
    rows = {(row.name, row.direction): row.cells for row in compare(results).rows}
    for rank in published_ranks():
        for index, one in enumerate(results):
            cells = rows.get((rank.cell, rank.direction))
            own = cells[index].rank if cells else None
            if own is not None and _is_ranked(one, rank):
                yield RankedCell(
                    result=one.id, cell=rank.cell, direction=rank.direction, own=own, published=rank.rank
                )


def _is_ranked(result: Result, rank: Rank) -> bool:
    unit, disks = result.context.unit, len(result.context.disks)
    if result.profile != rank.profile:
        return False
    if unit is None:
        return not rank.level and disks == 1
    return (unit.backend, unit.level, unit.raid_disks) == (rank.backend, rank.level, rank.disks)


def _alike(result: Result, other: Result) -> bool:
    own, theirs = result.context, other.context
    if is_published(result.id) or result.profile != other.profile:
        return False
    if theirs.filesystem not in {"", own.filesystem}:
        return False
    if own.unit is None or theirs.unit is None:
        return own.unit is theirs.unit and len(own.disks) == len(theirs.disks) == 1
    # Studies of cards use the bare names of levels, with the usual backend.
    ours = (USUAL if own.card else own.unit.backend, own.unit.level, own.unit.raid_disks)
    return ours == (theirs.unit.backend, theirs.unit.level, theirs.unit.raid_disks) and (
        theirs.unit.chunk_bytes in {0, own.unit.chunk_bytes} and theirs.unit.layout in {"", own.unit.layout}
    )
