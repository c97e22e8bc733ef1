"""What is known of a benchmark, and the cell that is marked."""

import msgspec

from raidtui.bench.live import Live
from raidtui.model.journal import BenchRequest
from raidtui.ui.bench.bench_sentences import settings_of
from raidtui.ui.bench.bench_view import Seen
from tests.ui.made_results import result

ASKED = settings_of(BenchRequest(target="/srv/data"), None, room=None, rotational=True)


def test_before_it_measures_the_rows_are_those_that_were_asked_for() -> None:
    seen = Seen(settings=ASKED)
    assert seen.names == ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"]
    assert seen.directions == ["read", "write"]
    assert seen.cell is None


def test_a_request_that_makes_no_sense_has_a_grid_all_the_same() -> None:
    assert (Seen().names, Seen().directions, Seen().key) == (["-"], ["read", "write"], ("-", "read"))


def test_over_the_edge_the_mark_comes_back_at_the_other_side() -> None:
    seen = Seen(settings=ASKED)
    assert seen.moved(0, -1).key == ("RND4K Q1T1", "read")
    assert seen.moved(-1, 0).key == ("SEQ1M Q8T1", "write")
    assert seen.moved(2, 4) == seen


def test_a_stored_result_says_which_rows_there_are() -> None:
    whole = result(1, "fast")
    read_only = msgspec.structs.replace(
        whole, cells=tuple(c for c in whole.cells if c.direction == "read" and c.name != "SEQ1M Q1T1")
    )
    seen = Seen(settings=ASKED, result=read_only, cells=read_only.cells, cursor=(1, 3))
    assert seen.names == ["SEQ1M Q8T1", "RND4K Q32T1", "RND4K Q1T1"]
    assert seen.directions == ["read"]
    assert seen.key == ("RND4K Q1T1", "read"), "the mark stays inside the grid"
    assert seen.cell in read_only.cells


def test_what_is_measured_again_keeps_its_median_beside_the_speed_of_the_moment() -> None:
    whole = result(1, "fast")
    live = Live(cell="SEQ1M Q1T1", direction="write", run=2, runs=6, bytes_per_second=5e6, iops=5.0)
    views = Seen(settings=ASKED, cells=whole.cells, live=live).views()
    assert (views["SEQ1M Q1T1", "write"].runs, views["SEQ1M Q1T1", "write"].live) == ("run 2 of 6", True)
    assert not views["SEQ1M Q1T1", "read"].live
    again = views["SEQ1M Q1T1", "write"]
    median = next(c for c in whole.cells if (c.name, c.direction) == ("SEQ1M Q1T1", "write"))
    assert (again.bytes_per_second, again.iops) == (median.bytes_per_second, median.iops)
    assert (again.now, again.iops_now) == (5e6, 5.0)


def test_in_its_first_run_a_cell_has_no_figure_but_that_of_the_moment() -> None:
    live = Live(cell="SEQ1M Q1T1", direction="write", run=0, runs=6)
    warming_up = Seen(settings=ASKED, live=live).views()["SEQ1M Q1T1", "write"]
    assert (warming_up.is_measured, warming_up.now, warming_up.runs) == (False, None, "warm-up")
