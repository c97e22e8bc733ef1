"""Results side by side: factors of a baseline, the best of each row, and what must be said about it."""

import csv
import io

import pytest

from raidtui.model.errors import BadInput
from raidtui.model.machine import Array
from raidtui.model.result import Cell, Context, Result, RunValue
from raidtui.results.compare import compare
from raidtui.results.exchange import comparison_csv, runs_csv


def cell(name: str, direction: str, *runs: float, flags: tuple[str, ...] = ()) -> Cell:
    middle = sorted(runs)[len(runs) // 2]
    return Cell(
        name=name,
        direction=direction,
        bytes_per_second=middle,
        iops=middle / 4096,
        latency_mean_seconds=0.001,
        flags=flags,
        runs=tuple(
            RunValue(bytes_per_second=run, iops=run / 4096, latency_mean_seconds=0.001) for run in runs
        ),
    )


def result(label: str, *cells: Cell, **context: object) -> Result:
    here: dict[str, object] = {"size_bytes": 2**30, "engine": "io_uring", "seconds": 5, "runs": 6}
    return Result(
        id=f"id-{label}",
        label=label,
        created="2026-11-21T04:00:00+00:00",
        version="0.1.0",
        profile="cdm",
        context=Context(**(here | context)),  # type: ignore[arg-type]
        cells=cells,
    )


SLOW = cell("SEQ1M Q8T1", "read", 100.0, 101.0, 99.0, 100.5, 99.5, 100.2)
FAST = cell("SEQ1M Q8T1", "read", 200.0, 202.0, 199.0, 201.0, 200.5, 199.5)


def test_each_value_is_a_factor_of_the_baseline_and_the_best_is_marked() -> None:
    row = compare([result("one", SLOW), result("two", FAST)]).rows[0]
    assert [c.factor for c in row.cells] == pytest.approx([1.0, 2.0], rel=0.01)
    assert [c.best for c in row.cells] == [False, True]
    assert [c.verdict for c in row.cells] == ["", "faster"]
    other = compare([result("one", SLOW), result("two", FAST)], baseline=1).rows[0]
    assert [c.factor for c in other.cells] == pytest.approx([0.5, 1.0], rel=0.01)
    assert [c.verdict for c in other.cells] == ["slower", ""]


def test_rows_are_reads_then_writes_then_mixes_in_the_grids_order() -> None:
    first = result("one", cell("B", "mix", 1.0), cell("A", "write", 1.0), cell("A", "read", 1.0))
    second = result("two", cell("A", "read", 1.0), cell("Z", "read", 1.0))
    rows = compare([first, second]).rows
    assert [(row.name, row.direction) for row in rows] == [
        ("A", "read"),
        ("Z", "read"),
        ("A", "write"),
        ("B", "mix"),
    ]


def test_a_cell_that_only_one_has_is_neither_best_nor_a_factor() -> None:
    row = compare([result("one", SLOW), result("two", cell("RND4K Q1T1", "read", 5.0))]).rows[1]
    assert row.cells[0].value is None
    assert (row.cells[1].value, row.cells[1].factor, row.cells[1].best) == (5.0, None, False)


@pytest.mark.parametrize(
    ("change", "remark"),
    [
        ({"size_bytes": 2**27}, "not the same: the size of the test file (one: 1GiB, two: 128MiB)"),
        ({"direct": False}, "not the same: the cache (O_DIRECT) (one: direct, two: cached)"),
        ({"engine": "libaio"}, "not the same: the I/O engine (one: io_uring, two: libaio)"),
        ({"tools": {"fio": "3.39"}}, "not the same: the version of fio (one: unknown, two: 3.39)"),
        ({"seconds": 1}, "not the same: the seconds of a run (one: 5, two: 1)"),
        ({"during_sync": "resync"}, "not the same: the array's state (one: in sync, two: resync)"),
        (
            {"array": Array(name="t", node="/dev/md0", degraded=1)},
            "not the same: the array's state (one: in sync, two: degraded)",
        ),
        ({"hostname": "attic"}, "not the same: the computer (one: unknown, two: attic)"),
    ],
)
def test_what_is_not_comparable_is_said(change: dict[str, object], remark: str) -> None:
    assert compare([result("one", SLOW), result("two", FAST, **change)]).remarks == (remark,)


def test_equal_circumstances_need_no_remark() -> None:
    assert compare([result("one", SLOW), result("two", FAST)]).remarks == ()


def test_a_cell_that_measured_something_else_is_named() -> None:
    bad = cell("SEQ1M Q8T1", "read", 900.0, flags=("C cached although direct", "V spread 7 %"))
    comparison = compare([result("one", SLOW), result("two", bad)])
    assert comparison.remarks == ("two has cells that are not comparable: SEQ1M Q8T1 read (C)",)
    assert comparison.rows[0].cells[1].flags == "CV"


def test_a_comparison_needs_two_different_results_and_a_baseline_among_them() -> None:
    one = result("one", SLOW)
    with pytest.raises(BadInput, match="two results or more"):
        compare([one])
    with pytest.raises(BadInput, match="id-one is named twice"):
        compare([one, one])
    with pytest.raises(BadInput, match="one of the 2 results"):
        compare([one, result("two", FAST)], baseline=2)


def test_the_tables_are_csv_that_reads_back() -> None:
    results = [result('one, "quoted"', SLOW), result("two", FAST)]
    table = list(csv.reader(io.StringIO(comparison_csv(compare(results)))))
    assert table[0][2] == 'one, "quoted" bytes_per_second'
    assert table[1][:2] == ["SEQ1M Q8T1", "read"]
    assert float(table[1][4]) == FAST.bytes_per_second
    runs = list(csv.DictReader(io.StringIO(runs_csv(results))))
    assert [row["run"] for row in runs] == [str(n) for n in range(7)] * 2
    assert float(runs[1]["bytes_per_second"]) == SLOW.runs[0].bytes_per_second
