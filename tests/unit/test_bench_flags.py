"""Cells that cannot be relied upon say so, with the letter and the reason."""

from collections.abc import Sequence

import msgspec
import pytest

from raidtui.bench.flags import FlagInputs, RunFacts, dirty_rate, flags_of
from raidtui.bench.measured import Measured, cells_of_runs, cells_so_far
from raidtui.bench.profile_file import own_profiles
from raidtui.bench.rows import Planned, Row
from raidtui.model.journal import Entry, Event
from raidtui.model.result import RunValue

ROWS = {row.name: row for row in own_profiles()["cdm"].rows}
ASKED = FlagInputs(seconds=5, filesystem="ext4")
MB = 1_000_000.0


def cell(direction: str = "read", row: str = "SEQ1M Q8T1") -> Planned:
    return Planned(row=ROWS[row], direction=direction)


def run(rate: float = 100 * MB, seconds: float = 5.0, **seen: object) -> RunFacts:
    value = {key: seen.pop(key) for key in ("series", "processor_percent") if key in seen}
    return RunFacts(
        value=RunValue(
            bytes_per_second=rate,
            iops=rate / 4096,
            latency_mean_seconds=0.001,
            seconds=seconds,
            **value,  # type: ignore[arg-type]
        ),
        ramp_seconds=1.0,
        **seen,  # type: ignore[arg-type]
    )


def letters(cell: Planned, runs: Sequence[RunFacts], asked: FlagInputs = ASKED) -> str:
    return "".join(flag[0] for flag in flags_of(cell, runs, asked))


SIX = [run(rate * MB) for rate in (100, 101, 99, 100.5, 99.5, 100.2)]


def test_six_even_runs_have_no_flag() -> None:
    assert flags_of(cell(), SIX, ASKED) == ()


def test_a_spread_is_noticed_above_five_and_unreliable_above_ten_percent() -> None:
    def even(step: float) -> list[RunFacts]:
        return [run((100 + step * sign) * MB) for sign in (1, -1, 1, -1, 1, -1)]

    assert flags_of(cell(), even(6), ASKED) == ("V spread 7 %",)
    assert flags_of(cell(), even(12), ASKED) == ("V spread 13 %, unreliable",)


def test_a_rotating_disk_may_vary_more_when_it_seeks() -> None:
    runs = [run((100 + 6 * sign) * MB) for sign in (1, -1, 1, -1, 1, -1)]
    rotating = FlagInputs(seconds=5, filesystem="ext4", rotational=True)
    assert letters(cell(row="RND4K Q1T1"), runs, rotating) == ""
    assert letters(cell(row="SEQ1M Q8T1"), runs, rotating) == "V"


def test_reads_that_the_device_did_not_do_came_from_a_cache() -> None:
    served = [run(device_read=10, device_written=0) for _ in range(3)]
    assert flags_of(cell(), served, ASKED) == ("C cached: 100 % was not read from the disks",)
    real = [run(device_read=int(600 * MB), device_written=0) for _ in range(3)]
    assert letters(cell(), real) == ""


@pytest.mark.parametrize(("share", "letter"), [(0.95, ""), (0.85, "C"), (0.5, "C")])
@pytest.mark.parametrize("ramp", [1.0, 5.0])
def test_what_is_read_before_it_counts_does_not_hide_a_cache(share: float, letter: str, ramp: float) -> None:
    moved = int(share * 100 * MB * (5.0 + ramp))
    runs = [msgspec.structs.replace(run(device_read=moved, device_written=0), ramp_seconds=ramp)] * 3
    assert letters(cell(), runs) == letter


def test_rows_that_only_count_are_judged_by_what_they_count() -> None:
    made = next(row for row in own_profiles()["bonnie"].rows if row.name == "create in order")

    def counting(*counts: float) -> list[RunFacts]:
        values = [msgspec.structs.replace(run().value, bytes_per_second=0.0, iops=n) for n in counts]
        return [msgspec.structs.replace(run(), value=value) for value in values]

    planned = Planned(row=made, direction="write")
    assert letters(planned, counting(100, 100, 100, 100, 100)) == ""
    assert letters(planned, counting(5000, 20000, 8000, 3000, 15000)) == "V"
    assert letters(planned, counting(100, 110, 120, 130, 140)) == "SV"


def test_writes_that_became_dirty_pages_went_through_the_cache() -> None:
    through = [run(dirtied_bytes=int(600 * MB)) for _ in range(3)]
    past = [run(dirtied_bytes=int(1 * MB)) for _ in range(3)]
    assert flags_of(cell("write"), through, ASKED) == ("C cached despite O_DIRECT",)
    assert letters(cell("mix"), through) == "C"
    assert letters(cell("write"), past) == ""
    (why,) = flags_of(cell("write"), through, FlagInputs(seconds=5, filesystem="btrfs"))
    assert why == "C cached despite O_DIRECT: Btrfs buffers writes that have checksums"


def test_dirty_pages_of_others_are_not_held_against_us() -> None:
    others = dirty_rate([run(dirtied_bytes=int(600 * MB))])
    busy = FlagInputs(seconds=5, filesystem="ext4", others_dirty_rate=others)
    assert letters(cell("write"), [run(dirtied_bytes=int(600 * MB))] * 3, busy) == ""
    once = [run(dirtied_bytes=int(600 * MB)), run(dirtied_bytes=0), run(dirtied_bytes=0)]
    assert letters(cell("write"), once) == "", (
        "what happens in one run of three is not how the filesystem works"
    )


def test_a_sync_at_any_time_and_a_missing_member_are_stamped() -> None:
    assert flags_of(cell(), [run(), run(sync_action="resync"), run()], ASKED) == ("R resync while measuring",)
    assert flags_of(cell(), [run(degraded="/dev/md127")], ASKED) == ("R /dev/md127 is degraded",)


def test_more_traffic_than_ours_is_somebody_elses() -> None:
    ours = run(device_read=int(600 * MB), device_written=int(1 * MB))
    writer = run(device_read=int(600 * MB), device_written=int(300 * MB))
    reader = run(device_read=int(1500 * MB), device_written=0)
    assert letters(cell(), [ours] * 3) == ""
    assert letters(cell(), [writer] * 3) == "F"
    assert letters(cell(), [reader] * 3) == "F"
    assert letters(cell(), [ours, ours, writer]) == "", "most of the runs were alone"


def test_a_filesystem_that_writes_elsewhere_may_write_more() -> None:
    amplified = run(device_read=0, device_written=int(3000 * MB))
    assert letters(cell("write"), [amplified] * 3) == "F"
    assert letters(cell("write"), [amplified] * 3, FlagInputs(seconds=5, filesystem="btrfs")) == ""


def test_a_short_run_is_told() -> None:
    assert flags_of(cell(), [run(), run(seconds=3.0)], ASKED) == ("E a run lasted 3.0 s instead of 5 s",)


def test_a_trend_during_a_run_is_told() -> None:
    falling = tuple(100 * MB - 2 * MB * n for n in range(20))
    assert flags_of(cell(), [run(series=falling)] * 2, ASKED) == ("S slower by 47 % during a run",)
    assert letters(cell(), [run(series=falling[:4])] * 2) == "", "four quarters of a second are noise"


@pytest.mark.parametrize(
    ("rates", "expected"), [((100, 104, 108, 112, 118), "S"), ((100, 104, 99, 112, 118), "")]
)
def test_runs_that_only_go_one_way_are_a_trend(rates: tuple[float, ...], expected: str) -> None:
    assert letters(cell(), [run(rate * MB) for rate in rates]).replace("V", "") == expected


def test_a_busy_processor_and_a_shallow_queue_are_told() -> None:
    assert flags_of(cell(), [run(processor_percent=97.0)], ASKED) == ("B CPU-bound (97 % of a core)",)
    shallow = [run(depth_percent=40.0)]
    assert flags_of(cell(), shallow, ASKED) == ("Q queue depth 8 only 40 % of the time",)
    assert letters(cell(row="SEQ1M Q1T1"), shallow) == ""


def through_cache(name: str = "block", **more: object) -> Planned:
    row = Row(name=name, block_bytes=8192, cached=True, **more)  # type: ignore[arg-type]
    return Planned(row=row, direction="read")


def test_a_file_that_the_memory_can_hold_says_nothing_about_disks_unless_the_row_says_so() -> None:
    small = FlagInputs(seconds=5, size_bytes=2**30, memory_bytes=2**30)
    assert flags_of(through_cache(), SIX, small) == (
        "C the file has 1 times the memory; below 2 it measures the cache",
    )
    assert letters(through_cache("SEQ1M Q1T1 cached"), SIX, small) == ""
    large = FlagInputs(seconds=5, size_bytes=2**31, memory_bytes=2**30)
    assert letters(through_cache(), SIX, large) == ""


def test_a_run_through_the_whole_file_is_as_long_as_it_takes() -> None:
    assert letters(through_cache(until="end"), [run(seconds=0.5)] * 3) == ""


def test_heat_of_a_disk_or_the_processor_is_told() -> None:
    hot = FlagInputs(seconds=5, hot="/dev/sda was at 58 °C, its limit is 60 °C")
    assert flags_of(cell(), SIX, hot) == ("T /dev/sda was at 58 °C, its limit is 60 °C",)
    assert flags_of(cell(), [run(throttled=True)], ASKED) == ("T the CPU throttled for heat",)


def test_a_governor_that_saves_power_matters_only_where_the_processor_does() -> None:
    saving = FlagInputs(seconds=5, governor="powersave")
    assert letters(cell(), [run(processor_percent=70.0)], saving) == "T"
    assert letters(cell(), [run(processor_percent=20.0)], saving) == ""


def test_zeros_on_what_compresses_them_are_told() -> None:
    zeros = Planned(
        row=Row(name="mkfile cached", block_bytes=8192, cached=True, zeros=True), direction="write"
    )
    assert letters(zeros, SIX, FlagInputs(seconds=5, compresses=True)) == "Z"
    assert letters(zeros, SIX, FlagInputs(seconds=5)) == ""


def test_a_filesystem_that_the_kernel_still_makes_disturbs() -> None:
    assert letters(cell(), [run(), run(lazy_init=True)]) == "F"


def test_going_on_until_steady_says_whether_it_came_to_that() -> None:
    falling = [run(rate * MB) for rate in (110, 105, 100, 95, 90)]
    assert letters(cell("write"), falling, FlagInputs(seconds=5, steady=False)).startswith("S")
    assert "S" not in letters(cell("write"), falling, FlagInputs(seconds=5, steady=True))


def test_what_the_cache_held_back_has_a_cell_of_its_own_with_the_time_of_the_sync() -> None:
    value = RunValue(
        bytes_per_second=100.0, iops=10, latency_mean_seconds=1, seconds=2.0, sync_seconds=6.0, total_ios=20
    )
    planned = Planned(row=Row(name="mkfile", block_bytes=8192, cached=True), direction="write")
    apparent, real = cells_of_runs(planned, (value,), ("C cached", "R resync"))
    assert (apparent.name, apparent.bytes_per_second) == ("mkfile", 100.0)
    assert (real.name, real.bytes_per_second, real.iops) == ("mkfile +sync", 25.0, 2.5)
    assert real.flags == ("R resync",)


def test_a_cell_is_the_median_of_its_runs_number_by_number() -> None:
    values = [
        RunValue(bytes_per_second=b, iops=i, latency_mean_seconds=s, latency_p99_seconds=p)
        for b, i, s, p in ((100, 9, 0.3, 0.9), (300, 7, 0.1, 0.7), (200, 8, 0.2, 0.8))
    ]
    (found,) = cells_of_runs(cell(), tuple(values))
    assert (found.bytes_per_second, found.iops) == (200, 8)
    assert (found.latency_mean_seconds, found.latency_p99_seconds) == (0.2, 0.8)
    assert found.runs == tuple(values)
    unknown = RunValue(bytes_per_second=1, iops=1, latency_mean_seconds=1)
    assert cells_of_runs(cell(), (*values, unknown))[0].latency_p99_seconds is None


def test_the_grid_so_far_is_read_from_the_journal() -> None:
    def entry(rate: float, number: int, row: str) -> Entry:
        data = Measured(
            row=ROWS[row],
            direction="read",
            run=number,
            runs=2,
            value=RunValue(bytes_per_second=rate, iops=1, latency_mean_seconds=1),
        )
        raw = msgspec.Raw(msgspec.json.encode(data))
        return Entry(seq=number, at="", event=Event.CELL, data=raw)

    entries = [
        Entry(seq=0, at="", event=Event.STARTED),
        entry(100, 1, "SEQ1M Q8T1"),
        entry(10, 1, "RND4K Q1T1"),
        entry(200, 2, "SEQ1M Q8T1"),
        Entry(seq=5, at="", event=Event.CELL),
    ]
    found = cells_so_far(entries)
    assert [(one.name, one.bytes_per_second, len(one.runs)) for one in found] == [
        ("SEQ1M Q8T1", 150, 2),
        ("RND4K Q1T1", 10, 1),
    ]
