"""The lines around the grid."""

from msgspec.structs import replace

from raidtui.model.journal import BenchRequest, Outcome
from raidtui.model.unit import Activity
from raidtui.results.summary import summarise
from raidtui.ui.bench.bench_lines import before, ended, previous, title, unreliable
from raidtui.ui.bench.bench_sentences import unit_at
from tests.ui import machines
from tests.ui.made_results import bench_job, result


def test_unreliable_cells_are_named_in_one_line_that_fits() -> None:
    cells = result(1, "fast").cells
    doubtful = [replace(cell, flags=("R resync while measuring", "V spread 7 %")) for cell in cells]
    assert unreliable(cells, 70) == ""
    assert unreliable([*doubtful[:1], *cells[1:]], 70) == "Unreliable: SEQ1M Q8T1 read (RV)"
    assert unreliable(doubtful, 72) == "Unreliable: SEQ1M Q8T1 read (RV), SEQ1M Q1T1 read (RV) and 6 more"
    assert unreliable(doubtful, 40) == "8 of 8 cells are unreliable"


def test_a_spread_worth_a_notice_makes_no_cell_unreliable() -> None:
    noticed = [replace(cell, flags=("V spread 7 %",)) for cell in result(1, "fast").cells]
    assert unreliable(noticed, 70) == ""
    assert (
        "no unreliable cells"
        in ended(bench_job(Outcome.DONE), replace(result(1, "fast"), cells=tuple(noticed)), 78).plain
    )


def test_what_was_canceled_is_called_so_once_in_a_line_that_fits() -> None:
    text = "canceled. Nothing was saved; the test file is gone."
    said = ended(bench_job(Outcome.CANCELLED, sentence=text, step="warm-up"), None, 78).plain
    assert said == "Canceled during warm-up. Nothing was saved; the test file is gone."
    assert len(said) < 78


def test_the_previous_result_is_the_newest_older_one_of_the_same_grid() -> None:
    first, second, third = (result(number, "fast") for number in (1, 2, 3))
    others = [summarise(one) for one in (third, second, first)]
    assert previous(third, others) == second.id
    assert previous(second, others) == first.id
    assert previous(first, others) == ""
    assert previous(third, [summarise(replace(second, profile="chunks")), *others[2:]]) == first.id


def test_a_volume_group_is_named_with_its_level_and_said_to_be_busy_as_an_array_is() -> None:
    pool = machines.volume_group(raid_disks=4, mountpoints=("/srv/pool",))
    request = BenchRequest(target="/srv/pool")
    assert title("/srv/pool", pool) == "Benchmark of /srv/pool: LVM RAID5 pool of 4"
    assert before(request, pool).plain.startswith("Press Enter to start.")
    doing = Activity(what="resync", fraction=0.25)
    syncs = replace(pool, state="resync 25.0 %, usable now", activity=doing)
    assert before(request, syncs).plain == "pool: resync 25.0 %, usable now"


def test_before_the_start_the_last_measurement_is_named_for_the_grid_is_empty() -> None:
    request = BenchRequest(target="/srv/data")
    done, other = bench_job(Outcome.DONE), bench_job(Outcome.DONE, target="/srv/other")
    (_, last) = before(request, None, [bench_job(Outcome.CANCELLED), other, done]).plain.splitlines()
    assert last.startswith("Measured last at 20")
    assert last.endswith("; c on the Overview shows every result.")
    assert len(before(request, None, [bench_job(Outcome.CANCELLED), other]).plain.splitlines()) == 1


def test_what_is_measured_is_found_below_the_longest_mount_point_and_nothing_without_a_target() -> None:
    outer = machines.volume_group(name="outer", node="", path="", mountpoints=("/srv",))
    inner = machines.volume_group(name="inner", mountpoints=("/srv/pool",))
    assert unit_at("/srv/pool/a", (outer, inner)) == inner
    assert unit_at("/srv/pools", (outer, inner)) == outer
    assert unit_at(inner.path, (outer, inner)) == inner
    assert unit_at("", (outer, inner)) is None
