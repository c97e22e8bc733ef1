"""Results side by side: the rate of each cell, its factor to the baseline, and what forbids comparing."""

from collections.abc import Callable, Sequence
from math import comb

from msgspec.structs import replace

from raidtui.model.chance import in_percent
from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Result
from raidtui.model.struct import Record
from raidtui.model.text import spelled
from raidtui.results.conclusion import Counted, Overall, overall
from raidtui.results.context_words import layout_of
from raidtui.results.efficiency import capacity_kept, share_of_ideal, single_disk
from raidtui.results.groups import group_of, grouped
from raidtui.results.remarks import are_unlike, clocks_differ, is_sound, letters, remarks
from raidtui.results.statistics import spread
from raidtui.results.verdicts import MARGIN, Judgement, Usual, Verdict, are_different, findings, usual_of

_DIRECTIONS = ("read", "write", "mix")
_CACHED = 1.1  # times the ideal: more than disks can do
_SITTINGS = "Not alternated: heat, load or fill may have changed in between."
_ALTERNATING = "The passes alternate, so a slow drift of the machine affects all results alike."


def letter(number: int) -> str:
    """The letter of a column: A … Z, AA, AB …"""
    return (letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


class Column(Record, frozen=True, kw_only=True):
    """A result, or a group of results."""

    id: str
    label: str
    layout: str  # "raid5 of 4, ext4"
    created: str
    results: int = 1  # number of results in it
    capacity_kept: float | None = None  # share of the disks' capacity that is left for data
    overall: Overall | None = None  # against the baseline; None for the baseline itself


class RowCell(Record, frozen=True, kw_only=True):
    """One cell of one result; ``value`` is None if the result does not have it."""

    value: float | None = None  # bytes a second, or I/Os a second as the row's ``unit`` says
    factor: float | None = None  # times the baseline's value
    best: bool = False  # of its row
    flags: str = ""  # the letters: "RV"
    iops: float | None = None
    latency_mean_seconds: float | None = None
    latency_p99_seconds: float | None = None
    # Against the baseline, corrected for all rows and columns: faster, slower, equal, undecided. Empty for the
    # baseline itself, and if the two cannot be compared or have too few runs.
    verdict: str = ""
    interval: tuple[float, float] | None = None  # of the true factor, at the verdict's confidence
    runs: tuple[float, ...] = ()  # value of each run, in the row's unit
    spread: float | None = None  # coefficient of variation of the runs; None below two
    rank: int | None = None  # 1 is the fastest; results without a significant difference share one
    # Of the best that the backend could do with such disks; needs a measured single disk.
    ideal_share: float | None = None
    amplification: float | None = None  # bytes that the members transferred per byte


class Row(Record, frozen=True, kw_only=True):
    """One row and direction of the grid, with a cell for each column."""

    name: str
    direction: str
    cells: tuple[RowCell, ...]
    unit: str = "bytes"  # a second; or "ios" if only operations were counted


class Comparison(Record, frozen=True, kw_only=True):
    """Two or more results side by side."""

    columns: tuple[Column, ...]
    baseline: int  # index of a column
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]  # differences that forbid or limit the comparison
    lettered: tuple[str, ...]  # the remarks, with letters of columns instead of labels
    conclusions: tuple[str, ...] = ()  # a sentence for each column but the baseline's
    alternating: bool = False  # the passes of all columns alternate with the baseline's, as in a sweep
    assumption: str = ""  # of the verdicts, in a sentence; empty if there are none


def compare(results: Sequence[Result], *, baseline: int = 0) -> Comparison:
    """Compare ``results``; ``baseline`` is the index of the one that the factors refer to.

    Raises:
        BadInput: fewer than two results, one of them twice, or no such baseline.
    """
    _check(results)
    return _side_by_side(results, [[result] for result in results], baseline)


def compare_by(results: Sequence[Result], by: str, *, baseline: str = "") -> Comparison:
    """Compare groups of results: a column for each value of ``by``, with one value of each of its results.

    Args:
        baseline: the group that the factors refer to; by default the first.

    Raises:
        BadInput: fewer than two groups, a result twice, no such baseline, or no such ``by``.
    """
    groups = grouped(results, by)
    _check(results)
    names = [group.id for group in groups]
    if len(groups) < 2:
        raise BadInput(f"these results all have the same {by} ({names[0]}), so there is nothing to compare")
    if baseline and baseline not in names:
        raise BadInput(f"no {by} here is {baseline!r}; valid values: {', '.join(names)}")
    members = [[result for result in results if group_of(result, by) == name] for name in names]
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
    """Compare ``results``; ``members`` has the results that each was made from, for the remarks."""
    if not 0 <= baseline < len(results):
        raise BadInput(f"the baseline must be one of the {len(results)} results")
    order = sorted(
        dict.fromkeys((cell.direction, cell.name) for result in results for cell in result.cells),
        key=lambda key: _DIRECTIONS.index(key[0]) if key[0] in _DIRECTIONS else 3,
    )
    singles = [single_disk(results, result) for result in results]
    rows = [_row(results, name, direction, baseline, singles) for direction, name in order]
    rows = _judged(results, rows, baseline)
    kept = [capacity_kept(result.context) for result in results]
    columns = tuple(
        Column(
            id=result.id,
            label=result.label,
            layout=_layout(members[index]),
            created=result.created,
            results=len(members[index]),
            capacity_kept=kept[index],
            overall=None
            if index == baseline
            else overall(
                _counted(rows, index),
                kept=kept[index],
                base_kept=kept[baseline],
                alternating=_alternate(members[index], members[baseline]),
            ),
        )
        for index, result in enumerate(results)
    )
    names = names_of(columns)
    alternating = all(column.overall.alternating for column in columns if column.overall is not None)

    def notes(called: Callable[[int, Result], str]) -> tuple[str, ...]:
        every = [(one, called(index, one)) for index, some in enumerate(members) for one in some]
        firsts = [called(index, one) for index, one in enumerate(results)]
        unlike = remarks([one for one, _ in every], [name for _, name in every])
        return (*unlike, *_beyond_ideal(results, rows, singles, firsts))

    are_judged = any(column.overall and column.overall.cells for column in columns)
    return Comparison(
        columns=columns,
        baseline=baseline,
        rows=tuple(rows),
        remarks=notes(lambda _, one: one.label or one.id),
        lettered=notes(lambda index, _: letter(index)),
        conclusions=tuple(
            column.overall.words(spelled(names[index]), spelled(names[baseline]))
            for index, column in enumerate(columns)
            if column.overall is not None
        ),
        alternating=alternating,
        assumption="" if not are_judged else _ALTERNATING if alternating else _SITTINGS,
    )


def sentences(comparison: Comparison) -> list[str]:
    """The conclusions, to show above lettered columns: columns with the same label are called by their letters."""
    labels = [spelled(column.label) or column.id for column in comparison.columns]
    names = [label if labels.count(label) == 1 else letter(index) for index, label in enumerate(labels)]
    return [
        column.overall.words(names[index], names[comparison.baseline])
        for index, column in enumerate(comparison.columns)
        if column.overall is not None
    ]


def names_of(columns: Sequence[Column]) -> list[str]:
    """The label of each column, with its id if several have the same label."""
    labels = [column.label or column.id for column in columns]
    return [
        f"{label} ({column.id})" if labels.count(label) > 1 else label
        for label, column in zip(labels, columns, strict=True)
    ]


def _alternate(some: Sequence[Result], others: Sequence[Result]) -> bool:
    """Whether both have several passes, and not all of one were measured before all of the other."""
    times = [sorted(result.created for result in members) for members in (some, others)]
    if any(len(moments) < 2 or not moments[0] for moments in times):
        return False
    return times[0][0] < times[1][-1] and times[1][0] < times[0][-1]


def _row(
    results: Sequence[Result], name: str, direction: str, baseline: int, singles: Sequence[Result | None]
) -> Row:
    """One row, without verdicts and ranks. ``singles``: for each result the single disk that its ideal refers to."""
    cells = [result.cell(name, direction) for result in results]
    # Bonnie++ only counts seeks, fio in its place also has their bytes: compare what both have.
    counted = any(cell is not None and cell.iops and not cell.bytes_per_second for cell in cells)
    counted = counted or all(cell is None or not cell.bytes_per_second for cell in cells)
    values = [None if cell is None else _iops(cell) if counted else cell.bytes_per_second for cell in cells]
    known = [value for value in values if value is not None]
    top = max(known) if len(known) > 1 else None
    base = values[baseline]
    made = []
    for index, (result, cell, value) in enumerate(zip(results, cells, values, strict=True)):
        if cell is None or value is None:
            made.append(RowCell())
            continue
        runs = tuple(run.iops if counted else run.bytes_per_second for run in cell.runs)
        made.append(
            RowCell(
                value=value,
                factor=value / base if base else None,
                best=top is not None and value >= top,
                flags=letters(cell),
                iops=_iops(cell),
                latency_mean_seconds=cell.latency_mean_seconds or None,
                latency_p99_seconds=cell.latency_p99_seconds or None,
                runs=runs,
                spread=spread(runs) if len(runs) > 1 else None,
                ideal_share=share_of_ideal(result, cell, singles[index]),
                amplification=cell.amplification,
            )
        )
    return Row(name=name, direction=direction, cells=tuple(made), unit="ios" if counted else "bytes")


def _iops(cell: Cell) -> float | None:
    """I/Os a second of a cell; None if it has a rate but reports no I/Os."""
    return None if cell.bytes_per_second and not cell.iops else cell.iops


def _judged(results: Sequence[Result], rows: Sequence[Row], baseline: int) -> list[Row]:
    """The rows with verdicts against the baseline, corrected for all rows and columns, and with ranks."""
    places = [(at, index) for at in range(len(rows)) for index in range(len(results)) if index != baseline]
    pairs = [
        (rows[at].cells[index].runs, rows[at].cells[baseline].runs)
        if _comparable(results, rows[at], index, baseline)
        else None
        for at, index in places
    ]
    found = dict(zip(places, findings(pairs), strict=True))
    usual = usual_of(pairs)

    def judged(cell: RowCell, rank: int | None, finding: Judgement | None) -> RowCell:
        if finding is None:
            return replace(cell, rank=rank)
        return replace(cell, rank=rank, verdict=finding.verdict.value, interval=(finding.low, finding.high))

    made = []
    for at, row in enumerate(rows):
        ranks = _ranks(results, row, usual, len(rows))
        cells = (judged(cell, ranks.get(n), found.get((at, n))) for n, cell in enumerate(row.cells))
        made.append(replace(row, cells=tuple(cells)))
    return made


def _ranks(results: Sequence[Result], row: Row, usual: Usual, rows: int) -> dict[int, int]:
    """The rank of each column: 1 for the fastest and all that are not significantly slower, and so on."""
    known = {index: cell.value for index, cell in enumerate(row.cells) if cell.value is not None}
    comparisons = rows * comb(len(results), 2)  # their values choose which of them meet

    def is_slower(index: int, leader: int) -> bool:
        if known[index] >= known[leader] * (1 - MARGIN):
            return False
        if not _comparable(results, row, index, leader):
            return True
        runs, others = row.cells[index].runs, row.cells[leader].runs
        return are_different(runs, others, usual, comparisons) is not False

    ranks: dict[int, int] = {}
    leader, rank = -1, 0
    for place, index in enumerate(sorted(known, key=lambda index: -known[index]), 1):
        if leader < 0 or is_slower(index, leader):
            leader, rank = index, place
        ranks[index] = rank
    return ranks


def _counted(rows: Sequence[Row], index: int) -> list[Counted]:
    """The factors of a column against the baseline, by direction and verdict."""
    counted = []
    for direction in dict.fromkeys(row.direction for row in rows):
        cells = [row.cells[index] for row in rows if row.direction == direction]
        factors = {
            word.value: tuple(cell.factor or 0.0 for cell in cells if cell.verdict == word)
            for word in Verdict
        }
        apart = sum(cell.factor is not None and not cell.verdict for cell in cells)
        counted.append(Counted(direction=direction, apart=apart, **factors))
    return counted


def _comparable(results: Sequence[Result], row: Row, index: int, baseline: int) -> bool:
    one, other = (results[n].cell(row.name, row.direction) for n in (index, baseline))
    if not row.cells[index].value or not row.cells[baseline].value:
        return False
    if one is None or other is None or not is_sound(one) or not is_sound(other) or are_unlike(one, other):
        return False
    return not clocks_differ(results[index], results[baseline], row.name, row.direction)


def _beyond_ideal(
    results: Sequence[Result],
    rows: Sequence[Row],
    singles: Sequence[Result | None],
    names: Sequence[str],
) -> list[str]:
    """Sentences on cells whose slowest run beats the ideal: a cache helped, or the disks differ from the single one."""
    notes = []
    for index, (result, single, name) in enumerate(zip(results, singles, names, strict=True)):
        kinds = {disk.rotational for one in (result, single) if one for disk in one.context.disks}
        if not result.context.disks or len(kinds) != 1:  # what they can do is not known
            continue
        found = [
            f"{row.name} {row.direction} ({in_percent(cell.ideal_share)})"
            for row in rows
            if (cell := row.cells[index]).ideal_share is not None
            and cell.value
            and cell.ideal_share * min((cell.value, *cell.runs)) / cell.value > _CACHED
        ]
        if found:
            notes.append(
                f"{name} is faster than such disks can be: a cache helped, or they differ from the single "
                f"disk that was measured: {', '.join(found)}"
            )
    return notes
