"""Results side by side: factors of a baseline, the best of each row, and what must be said about it."""

import csv
import io

import msgspec
import pytest

from raidtui.model.errors import BadInput
from raidtui.model.result import Cell, Context, MeasuredDisk, MeasuredUnit, Result, RunValue
from raidtui.model.text import spelled
from raidtui.results.compare import compare, compare_by
from raidtui.results.csv_text import comparison_csv, runs_csv
from raidtui.results.efficiency import capacity_kept
from raidtui.results.groups import groupings


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


def test_a_latency_or_a_number_of_ios_that_is_unknown_is_not_zero() -> None:
    untold = msgspec.structs.replace(SLOW, iops=0.0, latency_mean_seconds=0.0, runs=())
    compared = compare([result("one", FAST), result("two", untold, size_bytes=0, seconds=0, runs=0)])
    told, nothing = compared.rows[0].cells
    assert (told.iops, told.latency_mean_seconds) == (FAST.iops, 0.001)
    assert (nothing.value, nothing.iops, nothing.latency_mean_seconds) == (100.0 + 0.2, None, None)
    assert "not the same: the size of the test file (one: 1GiB, two: unknown)" in compared.remarks
    assert "not the same: the number of runs (one: 6, two: unknown)" in compared.remarks


def test_where_ios_are_counted_bytes_without_them_are_no_figure() -> None:
    seeks = msgspec.structs.replace(SLOW, bytes_per_second=0.0, iops=500.0, runs=())
    untold = msgspec.structs.replace(SLOW, iops=0.0)
    row = compare([result("one", untold), result("two", seeks)]).rows[0]
    assert row.unit == "ios"
    assert [cell.value for cell in row.cells] == [None, 500.0]


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
            {"unit": MeasuredUnit(name="t", degraded=1)},
            "not the same: the array's state (one: in sync, two: degraded)",
        ),
        ({"hostname": "attic"}, "not the same: the computer (one: unknown, two: attic)"),
    ],
)
def test_what_is_not_comparable_is_said(change: dict[str, object], remark: str) -> None:
    assert compare([result("one", SLOW), result("two", FAST, **change)]).remarks == (remark,)


def test_a_difference_in_how_arrays_of_one_level_are_built_is_named() -> None:
    wide, narrow = (array("raid5", 4, chunk_bytes=2**size, consistency="bitmap") for size in (19, 16))
    other = array("raid5", 4, chunk_bytes=2**19, consistency="resync")
    both = compare([result("one", SLOW, unit=wide), result("two", FAST, unit=narrow)])
    assert both.remarks == ("not the same: the chunk (one: 512KiB, two: 64KiB)",)
    both = compare([result("one", SLOW, unit=wide), result("two", FAST, unit=other)])
    assert both.remarks == ("not the same: the consistency policy (one: bitmap, two: resync)",)
    mirror = array("raid10", 4, chunk_bytes=2**16, layout="n2")
    assert compare([result("one", SLOW, unit=wide), result("two", FAST, unit=mirror)]).remarks == ()


@pytest.mark.parametrize(
    ("one", "two", "remark"),
    [
        ({"compat": "cdm8"}, {}, "not the same: whose method (one: CrystalDiskMark 8, two: raidtui's)"),
        (
            {"scheduler": "none"},
            {"scheduler": "bfq"},
            "not the same: the I/O scheduler (one: none, two: bfq)",
        ),
        (
            {"mount_options": "rw,relatime,stripe=32"},
            {"mount_options": "rw,relatime,sync,stripe=64"},
            "not the same: the mount options (one: relatime,rw, two: relatime,rw,sync)",
        ),
        (
            {"fill_percent": 12.0},
            {"fill_percent": 95.0},
            "not the same: how full the filesystem is (one: at most 80 %, two: more than 80 %)",
        ),
    ],
)
def test_what_both_know_and_do_not_share_is_said(
    one: dict[str, object], two: dict[str, object], remark: str
) -> None:
    assert compare([result("one", SLOW, **one), result("two", FAST, **two)]).remarks == (remark,)
    if one:  # another program does not say it
        foreign = compare([result("one", SLOW, origin="fio 3.33"), result("two", FAST, **two)])
        assert foreign.remarks == ("not the same: who measured (one: fio 3.33, two: raidtui)",)


def test_requests_of_another_size_under_the_same_name_are_not_compared() -> None:
    small, large = (
        msgspec.structs.replace(one, block_bytes=size) for one, size in ((SLOW, 65536), (FAST, 2**20))
    )
    comparison = compare([result("one", small), result("two", large)])
    assert comparison.rows[0].cells[1].verdict == ""
    assert comparison.remarks == (
        "I/Os of another size or number; not comparable with one: SEQ1M Q8T1 read of two",
    )


def test_seeks_of_which_one_program_has_no_bytes_are_compared_by_their_number() -> None:
    seeks = cell("seeks", "mix", 4096 * 500.0)
    counted = msgspec.structs.replace(seeks, bytes_per_second=0.0, runs=())
    row = compare([result("fio", seeks), result("Bonnie++", counted)]).rows[0]
    assert row.unit == "ios"
    assert [c.factor for c in row.cells] == [1.0, 1.0]


def test_what_is_equal_has_to_be_so_among_all_cells() -> None:
    """Six runs that differ by a little: equal alone, and too wide an interval for one of twenty."""
    runs = (100.0, 101.0, 102.0, 103.0, 99.0, 98.0)
    one = [cell(f"row {n}", "read", *runs) for n in range(20)]
    assert compare([result("a", one[0]), result("b", one[0])]).rows[0].cells[1].verdict == "equal"
    many = compare([result("a", *one), result("b", *one)])
    assert [row.cells[1].verdict for row in many.rows] == ["undecided"] * 20


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
    (row,) = csv.DictReader(io.StringIO(comparison_csv(compare(results))))
    assert (row["name"], row["direction"]) == ("SEQ1M Q8T1", "read")
    assert float(row['one, "quoted" value']) == SLOW.bytes_per_second
    assert (float(row["two value"]), row["two verdict"], row["two rank"]) == (
        FAST.bytes_per_second,
        "faster",
        "1",
    )
    runs = list(csv.DictReader(io.StringIO("".join(runs_csv(results)))))
    assert [row["run"] for row in runs] == [str(n) for n in range(7)] * 2
    assert float(runs[1]["bytes_per_second"]) == SLOW.runs[0].bytes_per_second


GRID = tuple(
    (name, direction)
    for direction in ("read", "write")
    for name in ("SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1")
)


def whole(label: str, factor: float = 1.0, **context: object) -> Result:
    """A grid of eight cells with six runs each, ``factor`` times as fast as another."""
    runs = [factor * run for run in (99.0, 99.5, 100.0, 100.2, 100.5, 101.0)]
    return result(label, *(cell(name, direction, *runs) for name, direction in GRID), **context)


def array(level: str, disks: int, **more: object) -> MeasuredUnit:
    return MeasuredUnit(name="t", level=level, raid_disks=disks, **more)  # type: ignore[arg-type]


def test_the_verdict_over_a_grid_counts_only_what_holds_among_all_its_cells() -> None:
    comparison = compare([whole("one"), whole("two", 1.5), whole("three")])
    assert comparison.columns[0].overall is None
    two, three = (column.overall for column in comparison.columns[1:])
    assert two is not None
    assert three is not None
    assert (two.verdict, two.faster, two.cells) == ("faster", 8, 8)
    assert (three.verdict, three.equal) == ("equal", 8)
    assert two.words("B", "A") == "B against A, not alternated: writes 1.5x faster, reads 1.5x faster"
    assert three.words("C", "A") == "C against A, not alternated: writes the same; reads the same"
    assert comparison.assumption.startswith("Not alternated: heat, load or fill may have changed")


def measured(label: str, factors: dict[str, float], *, runs: int = 3, **context: object) -> Result:
    """A grid of eight cells, a factor for each direction, with runs that spread by 1.5 %."""
    values = (98.5, 100.0, 101.5, 99.2, 100.8, 100.1)[:runs]
    return result(label, *(cell(n, d, *(factors[d] * one for one in values)) for n, d in GRID), **context)


def test_three_runs_decide_a_factor_that_anybody_can_see() -> None:
    five = measured("raid5", {"read": 1.0, "write": 1.0}, unit=array("raid5", 4))
    ten = measured("raid10", {"read": 1.01, "write": 2.76}, unit=array("raid10", 4))
    comparison = compare([five, ten])
    assert [row.cells[1].verdict for row in comparison.rows] == ["undecided"] * 4 + ["faster"] * 4
    assert comparison.conclusions == (
        "RAID10 against RAID5, not alternated: writes 2.8x faster, keeps 50 % of the disks instead of 75 %; "
        "reads about the same",
    )


def test_what_holds_for_one_cell_alone_is_not_marked_among_eight() -> None:
    """7 % with a spread of 1.5 %: significant by itself, and not after the correction for eight cells."""
    factors = {"read": 1.07, "write": 1.0}
    alone = [
        msgspec.structs.replace(one, cells=one.cells[:1])
        for one in (measured("one", {"read": 1.0, "write": 1.0}), measured("two", factors))
    ]
    assert compare(alone).rows[0].cells[1].verdict == "faster"
    whole = compare([measured("one", {"read": 1.0, "write": 1.0}), measured("two", factors)])
    assert {row.cells[1].verdict for row in whole.rows} == {"undecided"}
    assert whole.conclusions == (
        "two against one, not alternated: no significant difference in 8 cells (corrected for multiple tests)",
    )


def test_the_conclusion_says_how_many_cells_it_is_not_about() -> None:
    base = measured("one", {"read": 1.0, "write": 1.0})
    faster = measured("two", {"read": 1.0, "write": 3.0})
    cells = tuple(
        msgspec.structs.replace(cell, flags=("S steady: no",)) if cell.direction == "write" else cell
        for cell in faster.cells
    )
    trending = msgspec.structs.replace(faster, cells=cells)
    assert compare([base, trending]).conclusions == (
        "two against one, not alternated: no significant difference in 4 cells (corrected for multiple tests); "
        "4 of 8 cells cannot be compared",
    )


def test_the_difference_is_said_in_figures_where_not_every_cell_has_it() -> None:
    base = measured("one", {"read": 1.0, "write": 1.0})
    cells = [
        msgspec.structs.replace(
            one,
            bytes_per_second=one.bytes_per_second * factor,
            runs=tuple(
                msgspec.structs.replace(run, bytes_per_second=run.bytes_per_second * factor)
                for run in one.runs
            ),
        )
        for one, factor in zip(base.cells, (1.0, 0.5, 1.0, 1.3, 2.0, 3.0, 2.5, 2.0), strict=True)
    ]
    other = msgspec.structs.replace(base, id="id-two", label="two", cells=tuple(cells))
    assert compare([base, other]).conclusions == (
        "two against one, not alternated: writes 2.0 to 3.0x faster, "
        "reads 1.30x faster in 1 of 4 cells and 2.0x slower in 1 of 4 cells",
    )


def test_a_single_run_of_each_decides_nothing() -> None:
    one, two = (measured(name, {"read": f, "write": f}, runs=1) for name, f in (("one", 1.0), ("two", 9.0)))
    comparison = compare([one, two])
    assert {row.cells[1].verdict for row in comparison.rows} == {""}
    assert comparison.assumption == ""
    assert comparison.conclusions == (
        "two against one: no verdict, which needs two comparable runs of a cell on each side",
    )


TWO = "RAID10 of 4, no filesystem against RAID5 of 4, no filesystem"


def test_passes_that_alternate_are_distinguished_from_two_sittings() -> None:
    def at(minute: int, level: str, factor: float) -> Result:
        made = measured(f"{level} {minute}", {"read": factor, "write": factor}, unit=array(level, 4))
        return msgspec.structs.replace(made, created=f"2026-11-21T04:{minute:02}:00+00:00")

    alternating = [at(1, "raid5", 1.0), at(2, "raid10", 2.0), at(3, "raid5", 1.01), at(4, "raid10", 2.01)]
    swept = compare_by(alternating, "array")
    assert swept.alternating
    assert (
        swept.assumption == "The passes alternate, so a slow drift of the machine affects all results alike."
    )
    assert {row.cells[1].verdict for row in swept.rows} == {"faster"}, (
        "two passes of each decide a factor of two"
    )
    assert swept.conclusions[0].startswith(f"{TWO}: ")
    blocks = [at(1, "raid5", 1.0), at(2, "raid5", 1.01), at(3, "raid10", 2.0), at(4, "raid10", 2.01)]
    assert not compare_by(blocks, "array").alternating
    # Drift between the blocks would look like a difference: each verdict says so itself.
    assert compare_by(blocks, "array").conclusions[0].startswith(f"{TWO}, not alternated: ")
    assert not compare(alternating[:2]).alternating


def test_cells_that_measured_something_else_prove_nothing_over_the_grid() -> None:
    cached = result(
        "two", *(cell(n, d, *[900.0 + i for i in range(6)], flags=("C cached",)) for n, d in GRID)
    )
    overall = compare([whole("one"), cached]).columns[1].overall
    assert overall is not None
    assert (overall.verdict, overall.faster, overall.cells) == ("", 0, 0)


def test_ranks_are_shared_by_those_that_do_not_differ_significantly() -> None:
    results = [whole("one"), whole("two", 2.0), whole("three", 1.995), whole("four", 0.5)]
    assert [c.rank for c in compare(results).rows[0].cells] == [3, 1, 1, 4]


def test_published_figures_are_ranked_by_the_figures_themselves() -> None:
    plain = [result(str(rate), cell("A", "read", float(rate))) for rate in (100, 99, 90)]
    bare = [
        msgspec.structs.replace(r, cells=tuple(msgspec.structs.replace(c, runs=()) for c in r.cells))
        for r in plain
    ]
    assert [c.rank for c in compare(bare).rows[0].cells] == [1, 1, 3]


def test_a_measured_disk_shows_what_part_of_the_ideal_an_array_reaches_and_what_only_a_cache_can_do() -> None:
    single = result("disk", cell("RND4K Q32T1", "write", 100.0), disks=(MeasuredDisk(identity="a"),))
    random = [msgspec.structs.replace(c, random=True, block_bytes=4096, queue_depth=32) for c in single.cells]
    single = msgspec.structs.replace(single, cells=tuple(random))
    stripe = msgspec.structs.replace(
        single,
        id="s",
        label="stripe",
        context=Context(unit=array("raid0", 3)),
        cells=(msgspec.structs.replace(random[0], bytes_per_second=270.0),),
    )
    parity = msgspec.structs.replace(
        single,
        id="p",
        label="parity",
        context=Context(unit=array("raid5", 3), disks=tuple(MeasuredDisk(identity=name) for name in "abc")),
        cells=(msgspec.structs.replace(random[0], bytes_per_second=250.0, runs=()),),
    )
    comparison = compare([single, stripe, parity])
    shares = [c.ideal_share for c in comparison.rows[0].cells]
    assert shares == [None, pytest.approx(0.9), pytest.approx(2.5)], "three disks of a RAID5: 3 / 3 I/Os"
    assert (
        "parity is faster than such disks can be: a cache helped, or they differ from the single disk that was measured: "
        "RND4K Q32T1 write (250 %)" in comparison.remarks
    )


def test_a_cache_is_blamed_only_where_disks_and_runs_say_so() -> None:
    def alone(rate: float, **context: object) -> Result:
        made = cell("RND4K Q32T1", "read", rate)
        made = msgspec.structs.replace(made, random=True, block_bytes=4096, queue_depth=32)
        return result("disk", made, disks=(MeasuredDisk(identity="a", **context),))  # type: ignore[arg-type]

    def of_four(*runs: float, known: bool = True, rotational: bool = True) -> Result:
        made = cell("RND4K Q32T1", "read", *runs)
        made = msgspec.structs.replace(made, random=True, block_bytes=4096, queue_depth=32)
        disks = tuple(MeasuredDisk(identity=name, rotational=rotational) for name in "abcd")
        return result("array", made, unit=array("raid0", 4), disks=disks if known else ())

    def blamed(*results: Result) -> bool:
        return any("a cache helped" in remark for remark in compare(results).remarks)

    assert blamed(alone(100.0), of_four(700.0, 690.0, 710.0))
    assert not blamed(alone(100.0), of_four(700.0, 300.0, 710.0)), "one run was within what the disks can do"
    assert not blamed(alone(100.0), of_four(700.0, 690.0, 710.0, known=False)), (
        "nobody knows what disks these are"
    )
    flash = of_four(700.0, 690.0, 710.0, rotational=False)
    assert not blamed(alone(100.0), flash), "a rotating disk alone says nothing of flash"


def test_the_ideal_is_of_disks_of_the_same_model() -> None:
    def of(model: str, count: int) -> dict[str, object]:
        return {"disks": tuple(MeasuredDisk(identity=f"{model} {n}", model=model) for n in range(count))}

    nvme = result("nvme", FAST, **of("SN850X", 1))
    stripe = result("stripe", FAST, unit=array("raid0", 2), **of("ST4000DM004", 2))
    shares = [c.ideal_share for c in compare([nvme, stripe]).rows[0].cells]
    assert shares == [None, None], "another model says nothing of these disks"
    own = result("own", SLOW, **of("ST4000DM004", 1))
    assert compare([nvme, own, stripe]).rows[0].cells[2].ideal_share == pytest.approx(1.0, rel=0.01)
    on_a_card = result("card", FAST, unit=array("raid1", 2), card="MegaRAID", **of("ST4000DM004", 2))
    assert compare([own, on_a_card]).rows[0].cells[1].ideal_share is None, "its mirror may read both"


def test_all_disks_of_flash_may_serve_a_stream() -> None:
    def streamed(level: str, *, rotational: bool) -> float | None:
        disks = tuple(MeasuredDisk(identity=str(n), rotational=rotational) for n in range(4))
        one = result("disk", cell("SEQ1M Q8T1", "read", 100.0), disks=disks[:1])
        made = result("array", cell("SEQ1M Q8T1", "read", 400.0), unit=array(level, 4), disks=disks)
        return compare([one, made]).rows[0].cells[1].ideal_share

    assert streamed("raid5", rotational=False) == pytest.approx(1.0)
    assert streamed("raid5", rotational=True) == pytest.approx(4 / 3)


def test_what_an_array_costs_stands_beside_what_it_gives() -> None:
    writes = cell("RND4K Q32T1", "write", 100.0, 101.0, 99.0)
    slow = cell("RND4K Q32T1", "write", 31.0, 31.2, 30.9)
    comparison = compare(
        [result("RAID0", writes, unit=array("raid0", 3)), result("RAID5", slow, unit=array("raid5", 3))]
    )
    assert [column.capacity_kept for column in comparison.columns] == [1.0, pytest.approx(2 / 3)]
    assert comparison.conclusions == (
        "RAID5 against RAID0, not alternated: writes 3.2x slower, keeps 67 % of the disks instead of 100 %",
    )


@pytest.mark.parametrize(
    ("level", "disks", "layout", "kept"),
    [
        ("raid0", 4, "", 1.0),
        ("raid1", 3, "", 1 / 3),
        ("raid6", 6, "", 4 / 6),
        ("raid10", 5, "n2", 0.5),
        ("raid10", 6, "f3", 1 / 3),
    ],
)
def test_the_capacity_that_is_kept(level: str, disks: int, layout: str, kept: float) -> None:
    assert capacity_kept(Context(unit=array(level, disks, layout=layout))) == pytest.approx(kept)


def test_nobody_knows_what_an_unknown_array_keeps() -> None:
    assert capacity_kept(Context()) is None
    for strange in (array("raidz", 3), array("raid10", 4, layout="left-symmetric"), array("raid5", 0)):
        assert capacity_kept(Context(unit=strange)) is None


def test_a_group_has_one_value_of_each_of_its_results() -> None:
    results = [
        whole(f"r{n}", 1.0 if n < 3 else 2.0, unit=array("raid5" if n < 3 else "raid10", 4)) for n in range(5)
    ]
    comparison = compare_by(results, "level", baseline="raid10")
    assert [(c.label, c.results) for c in comparison.columns] == [("RAID5", 3), ("RAID10", 2)]
    assert comparison.baseline == 1
    assert [len(cell.runs) for cell in comparison.rows[0].cells] == [3, 2]
    assert comparison.rows[0].cells[0].verdict == "slower"
    assert comparison.rows[0].cells[0].factor == pytest.approx(0.5, rel=0.01)


def test_a_group_of_different_arrays_says_so_and_nothing_of_what_one_of_them_costs() -> None:
    small, large = {"chunk_bytes": 65536}, {"chunk_bytes": 524288}
    results = [
        whole(f"{level} {chunk['chunk_bytes']}", unit=array(level, 3, **chunk))
        for chunk in (small, large)
        for level in ("raid0", "raid5")
    ]
    comparison = compare_by(results, "chunk")
    assert [(c.layout, c.capacity_kept) for c in comparison.columns] == [("several layouts", None)] * 2
    assert "keeps" not in comparison.conclusions[0]


@pytest.mark.parametrize(
    ("by", "change", "value"),
    [
        ("chunk", {"unit": array("raid5", 4, chunk_bytes=65536)}, "64KiB"),
        ("filesystem", {"filesystem": "xfs"}, "xfs"),
        ("machine", {"hostname": "attic"}, "attic"),
        ("level", {"unit": array("raid5", 4)}, "raid5"),
    ],
)
def test_results_are_grouped_by_what_differs(by: str, change: dict[str, object], value: str) -> None:
    columns = compare_by([whole("one"), whole("two", 1.0, **change)], by).columns
    assert columns[1].label == spelled(value)
    with pytest.raises(BadInput, match=f"all have the same {by}"):
        compare_by([whole("one"), whole("two")], by)


def test_the_passes_of_a_sweep_over_an_array_are_taken_as_one() -> None:
    arrays = [
        array("raid5", 3, chunk_bytes=65536),
        array("raid5", 3, chunk_bytes=524288),
        array("raid10", 4, layout="f2"),
    ]
    results = [
        whole(f"{n} pass {p}", unit=one, filesystem="ext4") for p in (1, 2) for n, one in enumerate(arrays)
    ]
    columns = compare_by(results, "array").columns
    assert [(column.label, column.results) for column in columns] == [
        ("RAID5 of 3, 64KiB, ext4", 2),
        ("RAID5 of 3, 512KiB, ext4", 2),
        ("RAID10 f2 of 4, ext4", 2),
    ]


def test_published_figures_are_a_group_of_their_own() -> None:
    results = [
        *(whole(f"own {n}", 1.0, unit=array("raid5", 3)) for n in range(2)),
        msgspec.structs.replace(whole("study", 4.0, unit=array("raid5", 3)), id="published:study-raid5"),
    ]
    columns = compare_by(results, "array").columns
    assert [(column.label, column.results) for column in columns] == [
        ("RAID5 of 3, no filesystem", 2),
        ("RAID5 of 3, no filesystem, published", 1),
    ]
    assert "level" in groupings(results)


def test_groups_are_offered_by_what_differs_and_by_array_where_that_is_not_the_same_again() -> None:
    small, large = (array("raid5", 3, chunk_bytes=size) for size in (65536, 524288))
    wide = array("raid0", 3, chunk_bytes=65536)
    assert groupings([whole("1", unit=small), whole("2", unit=large)]) == ("chunk",)
    assert groupings([whole("1", unit=small), whole("2", unit=large), whole("3", unit=large)]) == ("chunk",)
    some = [whole(str(number), unit=one) for number, one in enumerate((small, large, wide, small))]
    assert groupings(some) == ("level", "chunk", "array")


def test_what_cannot_be_grouped_is_said() -> None:
    two = [whole("one"), whole("two", hostname="attic")]
    with pytest.raises(BadInput, match="cannot be grouped by 'colour'; choose one of level, chunk"):
        compare_by(two, "colour")
    with pytest.raises(BadInput, match="no machine here is 'cellar'; valid values: unknown, attic"):
        compare_by(two, "machine", baseline="cellar")


def test_the_clock_of_fio_3_34_forbids_comparing_cells_that_the_processor_bound() -> None:
    old = whole("old", tools={"fio": "3.33"})
    new = whole("new", 1.5, tools={"fio": "3.36"})
    busy = msgspec.structs.replace(new.cells[2], flags=("B CPU-bound",))
    new = msgspec.structs.replace(new, cells=(*new.cells[:2], busy, *new.cells[3:]))
    comparison = compare([old, new])
    assert any(r.endswith("not comparable with old: RND4K Q32T1 read of new") for r in comparison.remarks)
    assert [row.cells[1].verdict for row in comparison.rows] == [
        "faster" if at != 2 else "" for at in range(8)
    ]


def test_what_many_results_do_not_share_is_one_line() -> None:
    results = [whole(f"r{n}", hostname="attic" if n else "cellar") for n in range(9)]
    assert "not the same: the computer (cellar: r0; attic: 8 results)" in compare(results).remarks


def test_rows_that_only_count_operations_are_compared_by_them() -> None:
    def seeks(label: str, rate: float) -> Result:
        return result(
            label,
            Cell(name="seeks", direction="mix", bytes_per_second=0.0, iops=rate, latency_mean_seconds=0.0),
        )

    row = compare([seeks("one", 100.0), seeks("two", 250.0)]).rows[0]
    assert row.unit == "ios"
    assert [c.value for c in row.cells] == [100.0, 250.0]
    assert row.cells[1].factor == 2.5
