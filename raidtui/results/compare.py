"""Results side by side: the rate of each cell, how many times the baseline's it is, and what forbids comparing."""

from collections.abc import Callable, Sequence
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Result
from raidtui.model.struct import Record
from raidtui.model.units import spell_size
from raidtui.results.statistics import Ratio, hl_ratio, spread, verdict
from raidtui.results.summary import layout_of

NOT_COMPARABLE: Final = "CSRFE"  # cells with one of these flags measured something else than they say


class Column(Record, frozen=True, kw_only=True):
    """One of the results."""

    id: str
    label: str
    layout: str  # "raid5 of 4, ext4"
    created: str


class RowCell(Record, frozen=True, kw_only=True):
    """One cell of one result; ``value`` is None where that result does not have it."""

    value: float | None = None  # bytes a second
    factor: float | None = None  # times the baseline's value
    best: bool = False  # of its row
    flags: str = ""  # the letters: "RV"
    iops: float | None = None
    latency_mean_seconds: float | None = None
    latency_p99_seconds: float | None = None
    ratio: Ratio | None = None  # times the baseline, from the single runs
    verdict: str = ""  # against the baseline: faster, slower, equal, undecided; empty for the baseline itself
    runs: tuple[float, ...] = ()  # bytes a second of each
    spread: float | None = None  # coefficient of variation of the runs; None below two


class Row(Record, frozen=True, kw_only=True):
    """One row and direction of the grid, over all results."""

    name: str
    direction: str
    cells: tuple[RowCell, ...]


class Comparison(Record, frozen=True, kw_only=True):
    """Two or more results side by side."""

    columns: tuple[Column, ...]
    baseline: int  # index of a column
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]  # what is not the same everywhere and so forbids, or tempers, the comparison


def compare(results: Sequence[Result], *, baseline: int = 0) -> Comparison:
    """Put ``results`` side by side; ``baseline`` is the index of the one that the others are factors of.

    Raises:
        BadInput: nothing to compare, one of them twice, or no such baseline.
    """
    if len(results) < 2:
        raise BadInput("a comparison needs two results or more")
    ids = [result.id for result in results]
    if twice := next((one for one in ids if ids.count(one) > 1), None):
        raise BadInput(f"the result {twice} is named twice")
    if not 0 <= baseline < len(results):
        raise BadInput(f"the baseline must be one of the {len(results)} results")
    order = sorted(
        dict.fromkeys((cell.direction, cell.name) for result in results for cell in result.cells),
        key=lambda key: ("read", "write", "mix").index(key[0]) if key[0] in {"read", "write", "mix"} else 3,
    )
    return Comparison(
        columns=tuple(
            Column(id=r.id, label=r.label, layout=layout_of(r.context), created=r.created) for r in results
        ),
        baseline=baseline,
        rows=tuple(_row(results, name, direction, baseline) for direction, name in order),
        remarks=_remarks(results),
    )


def _row(results: Sequence[Result], name: str, direction: str, baseline: int) -> Row:
    cells = [result.cell(name, direction) for result in results]
    base = cells[baseline]
    rates = [cell.bytes_per_second for cell in cells if cell is not None]
    top = max(rates) if len(rates) > 1 else None
    return Row(
        name=name,
        direction=direction,
        cells=tuple(_row_cell(cell, base, top, is_baseline=cell is base) for cell in cells),
    )


def _row_cell(cell: Cell | None, base: Cell | None, top: float | None, *, is_baseline: bool) -> RowCell:
    if cell is None:
        return RowCell()
    factor = cell.bytes_per_second / base.bytes_per_second if base and base.bytes_per_second > 0 else None
    ratio = None
    rates = tuple(run.bytes_per_second for run in cell.runs)
    if base is not None and not is_baseline and base.runs and rates:
        ratio = hl_ratio(rates, [run.bytes_per_second for run in base.runs])
    return RowCell(
        value=cell.bytes_per_second,
        factor=factor,
        best=top is not None and cell.bytes_per_second >= top,
        flags=letters(cell),
        iops=cell.iops,
        latency_mean_seconds=cell.latency_mean_seconds,
        latency_p99_seconds=cell.latency_p99_seconds,
        ratio=ratio,
        verdict=verdict(ratio).value if ratio else "",
        runs=rates,
        spread=spread(rates) if len(rates) > 1 else None,
    )


def letters(cell: Cell) -> str:
    """The letters of the cell's flags, those that forbid a comparison first: ``RV``."""
    found = {flag[0] for flag in cell.flags if flag}
    return "".join(sorted(found, key=lambda letter: (letter not in NOT_COMPARABLE, letter)))


_SAME: Final[tuple[tuple[str, Callable[[Result], str]], ...]] = (
    ("who measured", lambda r: r.context.origin or "raidtui"),
    ("the size of the test file", lambda r: spell_size(r.context.size_bytes)),
    ("the cache (O_DIRECT)", lambda r: "direct" if r.context.direct else "cached"),
    ("the I/O engine", lambda r: r.context.engine or "unknown"),
    ("the version of fio", lambda r: r.context.tools.get("fio", "unknown")),
    ("the seconds of a run", lambda r: str(r.context.seconds)),
    ("the number of runs", lambda r: str(r.context.runs)),
    ("the profile", lambda r: r.profile),
    ("the array's state", lambda r: _state(r)),
    ("the computer", lambda r: r.context.hostname or "unknown"),
    ("the kernel", lambda r: r.context.kernel or "unknown"),
    ("the processor's governor", lambda r: r.context.governor or "none"),
)


def _state(result: Result) -> str:
    """What the array was doing: ``in sync``, ``resync``, ``degraded``."""
    array = result.context.array
    words = [result.context.during_sync] if result.context.during_sync else []
    # Degraded is how md calls its first build too; then the sync says it.
    if array is not None and array.degraded and not result.context.during_sync:
        words.append("degraded")
    return " and ".join(words) or "in sync"


def _remarks(results: Sequence[Result]) -> tuple[str, ...]:
    names = [result.label or result.id for result in results]
    remarks = []
    for what, ask in _SAME:
        answers = [ask(result) for result in results]
        if len(set(answers)) > 1:
            each = ", ".join(f"{name}: {answer}" for name, answer in zip(names, answers, strict=True))
            remarks.append(f"not the same: {what} ({each})")
    for name, result in zip(names, results, strict=True):
        bad = [
            f"{cell.name} {cell.direction} ({found})"
            for cell in result.cells
            if (found := "".join(letter for letter in letters(cell) if letter in NOT_COMPARABLE))
        ]
        if bad:
            remarks.append(f"{name} has cells that are not comparable: {', '.join(bad)}")
    return tuple(remarks)
