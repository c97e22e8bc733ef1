"""The fio command lines: what they must say so that the right thing is measured, and for long enough."""

import pytest

from raidtui.bench.fio import Place, prefill_argv, run_argv
from raidtui.bench.profiles import PROFILES, Planned, Row, cells_of, find_profile
from raidtui.bench.schedule import Schedule, ramp_of, turns_of
from raidtui.model.errors import BadInput
from raidtui.model.journal import BenchRequest

ROWS = {row.name: row for row in PROFILES["cdm"].rows}
PLACE = Place(filename="/proc/self/fd/7", size_bytes=2**30)


def options(row: str, direction: str, place: Place = PLACE) -> dict[str, str]:
    argv = run_argv(Planned(row=ROWS[row], direction=direction), place, seconds=5, ramp_seconds=1)
    assert argv[0] == "fio"
    pairs = [word.removeprefix("--").partition("=") for word in argv[1:]]
    assert len({key for key, _, _ in pairs}) == len(pairs), "an option given twice is one too many"
    return {key: value for key, _, value in pairs}


@pytest.mark.parametrize("direction", ["read", "write", "mix"])
@pytest.mark.parametrize("row", ROWS)
def test_every_run_is_timed_direct_threaded_and_makes_no_file(row: str, direction: str) -> None:
    told = options(row, direction)
    assert {
        "thread": "1",
        "allow_file_create": "0",
        "invalidate": "1",
        "norandommap": "1",
        "randrepeat": "0",
        "time_based": "1",
        "runtime": "5",
        "ramp_time": "1",
        "direct": "1",
        "lat_percentiles": "1",
        "group_reporting": "1",
        "ioengine": "io_uring",
        "filename": "/proc/self/fd/7",
        "size": "1073741824",
    }.items() <= told.items()


@pytest.mark.parametrize(
    ("row", "direction", "rw", "bs", "depth"),
    [
        ("SEQ1M Q8T1", "read", "read", "1048576", "8"),
        ("SEQ1M Q1T1", "write", "write", "1048576", "1"),
        ("RND4K Q32T1", "write", "randwrite", "4096", "32"),
        ("RND4K Q1T1", "mix", "randrw", "4096", "1"),
    ],
)
def test_the_row_says_what_is_done(row: str, direction: str, rw: str, bs: str, depth: str) -> None:
    told = options(row, direction)
    assert (told["rw"], told["bs"], told["iodepth"], told["numjobs"]) == (rw, bs, depth, "1")


def test_only_sequential_writes_include_the_flush_at_the_end() -> None:
    assert options("SEQ1M Q8T1", "write")["end_fsync"] == "1"
    for row, direction in (("SEQ1M Q8T1", "read"), ("RND4K Q32T1", "write"), ("SEQ1M Q8T1", "mix")):
        assert "end_fsync" not in options(row, direction)


def test_small_blocks_and_compressing_filesystems_get_fresh_data() -> None:
    assert options("RND4K Q1T1", "write")["refill_buffers"] == "1"
    assert "refill_buffers" not in options("SEQ1M Q8T1", "write")
    assert "refill_buffers" not in options("RND4K Q1T1", "read")
    squeezed = Place(filename="f", size_bytes=2**30, compresses=True)
    assert options("SEQ1M Q8T1", "write", squeezed)["refill_buffers"] == "1"


def test_a_mix_is_reported_as_one() -> None:
    told = options("RND4K Q32T1", "mix")
    assert (told["rwmixread"], told["unified_rw_reporting"]) == ("70", "mixed")


def test_threads_read_sequentially_as_one_with_a_deeper_queue() -> None:
    row = Row(name="SEQ1M Q8T4", block_bytes=2**20, queue_depth=8, threads=4)
    argv = run_argv(Planned(row=row, direction="read"), PLACE, seconds=1, ramp_seconds=1)
    assert "--iodepth=32" in argv
    assert "--numjobs=1" in argv


def test_the_file_is_filled_with_real_writes_of_data_that_cannot_be_compressed() -> None:
    argv = prefill_argv(PLACE)
    for word in ("--rw=write", "--fallocate=none", "--refill_buffers=1", "--end_fsync=1", "--thread=1"):
        assert word in argv
    assert not [word for word in argv if word.startswith(("--runtime", "--time_based"))], "all of it"


def test_reads_come_before_writes_before_mixes() -> None:
    cells = cells_of(PROFILES["cdm"], writes=True, mix=True)
    assert [cell.direction for cell in cells] == ["read"] * 4 + ["write"] * 4 + ["mix"] * 4
    assert [cell.row.name for cell in cells[:4]] == ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"]
    assert {cell.direction for cell in cells_of(PROFILES["cdm"], writes=False, mix=True)} == {"read"}


def test_an_unknown_profile_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="no profile is called 'nvm'; did you mean nvme"):
        find_profile("nvm")


REQUEST = BenchRequest(target="/srv", runs=3, seconds=5)


def test_rounds_go_over_all_cells_after_a_warm_up_that_does_not_count() -> None:
    turns = turns_of(PROFILES["real"], REQUEST, writes=True, rotational=False)
    assert [turn.run for turn in turns] == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    assert [turn.cell for turn in turns[:4]] == [turn.cell for turn in turns[4:8]]
    assert (turns[0].seconds, turns[0].ramp_seconds) == (2, 0)
    assert (turns[4].seconds, turns[4].ramp_seconds) == (5, 1)


@pytest.mark.parametrize(("seconds", "ramp"), [(1, 2), (5, 5), (60, 10)])
def test_a_rotating_disk_gets_more_time_to_settle(seconds: int, ramp: int) -> None:
    assert ramp_of(seconds, rotational=True) == ramp
    assert ramp_of(seconds, rotational=False) == 1


def test_the_time_that_is_left_shrinks_to_nothing_and_learns() -> None:
    turns = turns_of(PROFILES["real"], REQUEST, writes=False, rotational=False)
    schedule = Schedule(turns, fill_bytes=150_000_000)
    begin = schedule.remaining(running_seconds=0.0)
    assert begin == pytest.approx(1 + sum(turn.wall_seconds + 0.5 for turn in turns))
    assert schedule.remaining(running_seconds=2.0, filled=0.5) == pytest.approx(begin - 1 + 2)
    schedule.filled()
    for turn in turns:
        schedule.finished(turn.wall_seconds + 0.1)
        assert schedule.remaining(running_seconds=0.0) < begin
    assert schedule.remaining(running_seconds=0.0) == 0.0
