"""Results side by side: the rate of each cell, how many times the baseline's it is, and what forbids comparing."""

from collections.abc import Sequence

from msgspec.structs import replace

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Result
from raidtui.model.struct import Record
from raidtui.results.groups import BY, grouped
from raidtui.results.remarks import are_unlike, clocks_differ, is_sound, letters, remarks
from raidtui.results.statistics import (
    CONFIDENCE,
    MARGIN,
    Ratio,
    Verdict,
    chance_of_verdict,
    hl_ratio,
    holm,
    spread,
    verdict,
)
from raidtui.results.summary import layout_of
from raidtui.results.worth import capacity_kept, share_of_ideal, single_disk, worth

_DIRECTIONS = ("read", "write", "mix")
_CACHED = 1.1  # times the ideal: no disk does that


def letter(number: int) -> str:
    """What the columns are called: A … Z, AA, AB …"""
    return (letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


class Overall(Record, frozen=True, kw_only=True):
    """What the single runs prove over a whole grid; only what holds among so many cells counts."""

    verdict: str  # faster, slower, equal, mixed, undecided; empty where nothing can be compared
    faster: int = 0  # cells
    slower: int = 0
    equal: int = 0
    cells: int = 0  # that could be compared

    def words(self, name: str, base: str) -> str:
        """It in a sentence on ``name`` against ``base``."""
        if not self.verdict:
            return f"{name} against {base}: no single runs to tell by"
        return (
            f"{name} against {base}: {self.verdict}; of {self.cells} cells {self.faster} faster, "
            f"{self.slower} slower, {self.equal} equal for sure, corrected for their number"
        )


class Column(Record, frozen=True, kw_only=True):
    """One of the results, or a group of them."""

    id: str
    label: str
    layout: str  # "raid5 of 4, ext4"
    created: str
    results: int = 1  # how many are in it
    capacity_kept: float | None = None  # part of the disks' capacity that is left for data
    overall: Overall | None = None  # against the baseline; None for the baseline itself


class RowCell(Record, frozen=True, kw_only=True):
    """One cell of one result; ``value`` is None where that result does not have it."""

    value: float | None = None  # bytes a second, or I/Os a second as the row's ``unit`` says
    factor: float | None = None  # times the baseline's value
    best: bool = False  # of its row
    flags: str = ""  # the letters: "RV"
    iops: float | None = None
    latency_mean_seconds: float | None = None
    latency_p99_seconds: float | None = None
    ratio: Ratio | None = None  # times the baseline, from the single runs
    verdict: str = ""  # against the baseline: faster, slower, equal, undecided; empty for the baseline itself
    holds: bool = False  # the verdict holds among all cells of the grid as well (Holm)
    runs: tuple[float, ...] = ()  # of each, in the row's unit
    spread: float | None = None  # coefficient of variation of the runs; None below two
    rank: int | None = None  # 1 is the fastest; those that cannot be told apart share one
    ideal_share: float | None = (
        None  # of the best that md could do with such disks; needs a measured single disk
    )
    amplification: float | None = None  # bytes that the members moved for each byte


class Row(Record, frozen=True, kw_only=True):
    """One row and direction of the grid, over all results."""

    name: str
    direction: str
    cells: tuple[RowCell, ...]
    unit: str = "bytes"  # a second; or "ios" where nothing but operations was counted


class Comparison(Record, frozen=True, kw_only=True):
    """Two or more results side by side."""

    columns: tuple[Column, ...]
    baseline: int  # index of a column
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]  # what is not the same everywhere and so forbids, or tempers, the comparison
    worth: tuple[str, ...] = ()  # what each array costs in capacity, and what it gives


def compare(results: Sequence[Result], *, baseline: int = 0) -> Comparison:
    """Put ``results`` side by side; ``baseline`` is the index of the one that the others are factors of.

    Raises:
        BadInput: nothing to compare, one of them twice, or no such baseline.
    """
    _check(results)
    return _side_by_side(results, [[result] for result in results], baseline)


def compare_by(results: Sequence[Result], by: str, *, baseline: str = "") -> Comparison:
    """Put groups of results side by side: a column for each value of ``by``, with the runs of all its results.

    Args:
        baseline: the value of the group that the others are factors of; by default the first.

    Raises:
        BadInput: fewer than two groups, a result twice, no such baseline, or no such ``by``.
    """
    groups = grouped(results, by)
    _check(results)
    names = [group.id for group in groups]
    if len(groups) < 2:
        raise BadInput(f"these results have all the same {by} ({names[0]}), so there is nothing to compare")
    if baseline and baseline not in names:
        raise BadInput(f"no {by} here is {baseline!r}; there are {', '.join(names)}")
    members = [[result for result in results if BY[by](result) == name] for name in names]
    return _side_by_side(groups, members, names.index(baseline) if baseline else 0)


def _layout(members: Sequence[Result]) -> str:
    found = {layout_of(one.context) for one in members}
    return found.pop() if len(found) == 1 else "several layouts"


def _check(results: Sequence[Result]) -> None:
    if len(results) < 2:
        raise BadInput("a comparison needs two results or more")
    ids = [result.id for result in results]
    if twice := next((one for one in ids if ids.count(one) > 1), None):
        raise BadInput(f"the result {twice} is named twice")


def _side_by_side(
    results: Sequence[Result], members: Sequence[Sequence[Result]], baseline: int
) -> Comparison:
    """``members`` are the results that each of ``results`` was made of: what differs is told of them."""
    if not 0 <= baseline < len(results):
        raise BadInput(f"the baseline must be one of the {len(results)} results")
    order = sorted(
        dict.fromkeys((cell.direction, cell.name) for result in results for cell in result.cells),
        key=lambda key: _DIRECTIONS.index(key[0]) if key[0] in _DIRECTIONS else 3,
    )
    singles = [single_disk(results, result) for result in results]
    rows = [_row(results, name, direction, baseline, singles) for direction, name in order]
    held = [_corrected(results, rows, index, baseline) for index in range(len(results))]
    rows = [
        replace(row, cells=tuple(replace(cell, holds=held[n][at]) for n, cell in enumerate(row.cells)))
        for at, row in enumerate(rows)
    ]
    return Comparison(
        columns=tuple(
            Column(
                id=result.id,
                label=result.label,
                layout=_layout(members[index]),
                created=result.created,
                results=len(members[index]),
                capacity_kept=capacity_kept(result.context),
                overall=None if index == baseline else _overall(rows, index, baseline),
            )
            for index, result in enumerate(results)
        ),
        baseline=baseline,
        rows=tuple(rows),
        remarks=(*remarks([one for some in members for one in some]), *_beyond_ideal(results, rows)),
        worth=tuple(_worth(results, rows, baseline)),
    )


def _row(
    results: Sequence[Result], name: str, direction: str, baseline: int, singles: Sequence[Result | None]
) -> Row:
    """``singles`` has for each result what its ideal is a multiple of."""
    cells = [result.cell(name, direction) for result in results]
    # Bonnie++ counts seeks, fio in its place has their bytes as well: what both have is compared.
    counted = any(cell is not None and cell.iops and not cell.bytes_per_second for cell in cells)
    counted = counted or all(cell is None or not cell.bytes_per_second for cell in cells)
    values = [None if cell is None else _iops(cell) if counted else cell.bytes_per_second for cell in cells]
    runs = [
        tuple(run.iops if counted else run.bytes_per_second for run in cell.runs)
        if cell and value is not None
        else ()
        for cell, value in zip(cells, values, strict=True)
    ]
    known = [value for value in values if value is not None]
    top = max(known) if len(known) > 1 else None
    ranks = _ranks(values, runs)
    base = values[baseline]
    made = []
    for index, (result, cell, value) in enumerate(zip(results, cells, values, strict=True)):
        if cell is None or value is None:
            made.append(RowCell())
            continue
        ratio = None
        if index != baseline and runs[index] and runs[baseline]:
            ratio = hl_ratio(runs[index], runs[baseline])
        made.append(
            RowCell(
                value=value,
                factor=value / base if base else None,
                best=top is not None and value >= top,
                flags=letters(cell),
                iops=_iops(cell),
                latency_mean_seconds=cell.latency_mean_seconds or None,
                latency_p99_seconds=cell.latency_p99_seconds or None,
                ratio=ratio,
                verdict=verdict(ratio).value if ratio else "",
                runs=runs[index],
                spread=spread(runs[index]) if len(runs[index]) > 1 else None,
                rank=ranks[index],
                ideal_share=share_of_ideal(result, cell, singles[index]),
                amplification=cell.amplification,
            )
        )
    return Row(name=name, direction=direction, cells=tuple(made), unit="ios" if counted else "bytes")


def _iops(cell: Cell) -> float | None:
    """Its I/Os a second; none that moved bytes are none that were told, as no latency at all is."""
    return None if cell.bytes_per_second and not cell.iops else cell.iops


def _ranks(values: Sequence[float | None], runs: Sequence[Sequence[float]]) -> list[int | None]:
    """1 for the fastest and for all that cannot be told from it, and so on."""
    known = {index: value for index, value in enumerate(values) if value is not None}
    ranks: list[int | None] = [None] * len(values)
    leader, rank = -1, 0
    for place, index in enumerate(sorted(known, key=lambda index: -known[index]), 1):
        if leader < 0 or _is_slower(known[index], known[leader], runs[index], runs[leader]):
            leader, rank = index, place
        ranks[index] = rank
    return ranks


def _is_slower(value: float, top: float, runs: Sequence[float], top_runs: Sequence[float]) -> bool:
    ratio = hl_ratio(runs, top_runs) if runs and top_runs else None
    if ratio is None or ratio.low is None:  # no runs, or too few: the figures themselves
        return value < top * (1 - MARGIN)
    return verdict(ratio) is Verdict.SLOWER


def _corrected(results: Sequence[Result], rows: Sequence[Row], index: int, baseline: int) -> list[bool]:
    """For each row whether the verdict of that column holds among all rows.

    Differences by Holm's method; what is equal by an interval that is wider, the more rows there are (Bonferroni).
    """
    chances: dict[int, float] = {}
    held = [False] * len(rows)
    for at, row in enumerate(rows):
        cell, base = row.cells[index], row.cells[baseline]
        if index == baseline or not cell.verdict or not _comparable(results, row, index, baseline):
            continue
        chances[at] = chance_of_verdict(cell.runs, base.runs)
    for at in chances:
        runs, others = rows[at].cells[index].runs, rows[at].cells[baseline].runs
        wide = hl_ratio(runs, others, confidence=1 - (1 - CONFIDENCE) / len(chances))
        held[at] = verdict(wide) is Verdict.EQUAL
    for at, true in zip(chances, holm(list(chances.values())), strict=True):
        held[at] = held[at] or (true and rows[at].cells[index].verdict in {Verdict.FASTER, Verdict.SLOWER})
    return held


def _comparable(results: Sequence[Result], row: Row, index: int, baseline: int) -> bool:
    one, other = (results[n].cell(row.name, row.direction) for n in (index, baseline))
    if one is None or other is None or not is_sound(one) or not is_sound(other) or are_unlike(one, other):
        return False
    return not clocks_differ(results[index], results[baseline], row.name, row.direction)


def _overall(rows: Sequence[Row], index: int, baseline: int) -> Overall:
    cells = [row.cells[index] for row in rows if row.cells[index].verdict]
    held = [cell.verdict for cell in cells if cell.holds]
    faster, slower, equal = (held.count(word) for word in (Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL))
    if not cells:
        word = ""
    elif faster and slower:
        word = "mixed"
    elif faster or slower:
        word = Verdict.FASTER.value if faster else Verdict.SLOWER.value
    else:
        word = Verdict.EQUAL.value if equal == len(cells) else Verdict.UNDECIDED.value
    return Overall(verdict=word, faster=faster, slower=slower, equal=equal, cells=len(cells))


def _beyond_ideal(results: Sequence[Result], rows: Sequence[Row]) -> list[str]:
    said = []
    for index, result in enumerate(results):
        found = [
            f"{row.name} {row.direction} ({100 * share:.0f} %)"
            for row in rows
            if (share := row.cells[index].ideal_share) is not None and share > _CACHED
        ]
        if found:
            name = result.label or result.id
            said.append(f"{name} is beyond the ideal of its disks, so a cache helped: {', '.join(found)}")
    return said


def _worth(results: Sequence[Result], rows: Sequence[Row], baseline: int) -> list[str]:
    """A sentence for each array: on the row that costs most of them, random writes with many in flight."""
    base = results[baseline]
    said = []
    for index, result in enumerate(results):
        kept = capacity_kept(result.context)
        found: list[tuple[Cell, float]] = [
            (cell, factor)
            for row in rows
            if (factor := row.cells[index].factor) is not None
            and (cell := result.cell(row.name, row.direction)) is not None
        ]
        if index == baseline or kept is None or result.context.array is None or not found:
            continue
        cell, factor = max(found, key=lambda pair: _tells_most(pair[0]))
        said.append(worth(result.label or result.id, kept, cell, factor, base.label or base.id))
    return said


def _tells_most(cell: Cell) -> tuple[bool, bool, int]:
    return cell.direction == "write", cell.random, cell.queue_depth * cell.threads
