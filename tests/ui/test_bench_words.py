"""What is said of one cell of a benchmark."""

from msgspec.structs import replace

from raidtui.model.result import Cell
from raidtui.ui.bench.bench_sentences import cell_words
from raidtui.ui.bench.bench_words import cell_detail
from tests.ui.made_results import ROWS, cell, run_value


def with_a_wild_run() -> Cell:
    quiet = cell(ROWS[0], "read", 500.0)
    return replace(quiet, runs=(*quiet.runs[:-1], run_value(ROWS[0], 90.0)))


def test_a_run_far_from_the_others_is_marked_and_its_part_of_the_spread_told() -> None:
    lines = cell_detail(with_a_wild_run(), "").plain.splitlines()
    assert [line.split()[0] for line in lines if line.endswith("outlier")] == ["6"]
    assert "spread 38.8 %, 1.2 % without outliers" in cell_words(with_a_wild_run())
    flagged = replace(with_a_wild_run(), flags=("V spread 39 %, unreliable",))
    assert cell_words(flagged).endswith("spread 1.2 % without outliers")


def test_of_runs_that_agree_none_is_marked() -> None:
    quiet = cell(ROWS[0], "read", 500.0)
    assert "outlier" not in cell_detail(quiet, "").plain
    assert "outlier" not in cell_words(quiet)
