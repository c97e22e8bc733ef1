"""The fio command lines: what they must say so that the right thing is measured, and for long enough."""

import pytest

from raidtui.bench.fio import Place, engines_of, prefill_argv, replay_lines, run_argv
from raidtui.bench.profile_file import own_profiles
from raidtui.bench.rows import Planned, Row, Until, Work

ROWS = {row.name: row for row in own_profiles()["cdm"].rows}
PLACE = Place(filename="/proc/self/fd/7", size_bytes=2**30, folder="/proc/self/fd/8/.")


def command(row: Row, direction: str, place: Place = PLACE) -> tuple[str, ...]:
    cell = Planned(row=row, direction=direction)
    return run_argv(cell, place, engine=engines_of(row)[0], seconds=5, ramp_seconds=1)


def options(row: Row | str, direction: str, place: Place = PLACE) -> dict[str, str]:
    argv = command(ROWS[row] if isinstance(row, str) else row, direction, place)
    assert argv[0] == "fio"
    # What a job says for itself comes after its name and holds instead of what all have.
    pairs = [word.removeprefix("--").partition("=") for word in argv[1:]]
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
    told = options(Row(name="SEQ1M Q8T4", block_bytes=2**20, queue_depth=8, threads=4), "read")
    assert (told["iodepth"], told["numjobs"]) == ("32", "1")


def test_threads_through_the_cache_have_a_part_of_the_file_each() -> None:
    told = options(Row(name="SEQ128K Q1T8", block_bytes=2**17, threads=8, cached=True), "read")
    assert (told["ioengine"], told["direct"], told["numjobs"]) == ("psync", "0", "8")
    assert told["size"] == told["offset_increment"] == str(2**27)


def test_a_deep_queue_through_the_cache_is_never_left_to_libaio() -> None:
    assert engines_of(Row(name="r", block_bytes=4096, queue_depth=8, cached=True)) == ("io_uring", "psync")
    assert engines_of(Row(name="r", block_bytes=4096, cached=True)) == ("psync",)
    assert engines_of(Row(name="r", block_bytes=4096)) == ("io_uring", "libaio")


@pytest.mark.parametrize(
    ("until", "said", "unsaid"),
    [
        (Until.END, {"norandommap"}, {"runtime", "time_based", "ramp_time"}),
        (Until.EITHER, {"runtime"}, {"time_based", "ramp_time"}),
        (Until.SECONDS, {"runtime", "time_based", "ramp_time"}, set()),
    ],
)
def test_a_run_ends_with_the_seconds_with_the_file_or_with_either(
    until: Until, said: set[str], unsaid: set[str]
) -> None:
    told = set(options(Row(name="r", block_bytes=4096, cached=True, until=until), "read"))
    assert said <= told
    assert not unsaid & told


def test_what_is_written_into_the_cache_goes_through_the_file_once() -> None:
    row = Row(name="r", block_bytes=4096, random=True, cached=True)
    told = options(row, "write")
    assert "time_based" not in told, "written over and over, the disks would take only the last of it"
    assert "ramp_time" not in told
    assert told["norandommap"] == "0", "each block once"
    assert "time_based" in options(row, "read")


def test_through_the_whole_file_every_block_has_its_turn_once() -> None:
    row = Row(name="r", block_bytes=4096, random=True, cached=True, until=Until.END)
    assert options(row, "read")["norandommap"] == "0"


def test_what_is_written_into_the_cache_is_synced_by_us_and_timed_and_not_by_fio() -> None:
    assert "end_fsync" not in options(Row(name="r", block_bytes=2**20, cached=True), "write")


def test_zeros_are_written_where_they_are_asked_for() -> None:
    told = options(Row(name="mkfile", block_bytes=8192, cached=True, fresh=True, zeros=True), "write")
    assert (told["zero_buffers"], told["fallocate"]) == ("1", "none")
    assert "refill_buffers" not in told


def test_other_work_meanwhile_is_a_job_of_its_own_that_is_not_counted() -> None:
    row = Row(name="r", block_bytes=4096, random=True, beside="SEQ1M Q8T1 write", directions=("read",))
    argv = command(row, "read")
    first, second = argv.index("--name=cell"), argv.index("--name=beside")
    assert "--rw=randread" in argv[first:second]
    assert {"--new_group=1", "--rw=write", "--bs=1048576", "--iodepth=8"} <= set(argv[second:])
    assert Planned(row=row, direction="read").writes, "a target that is only read does not have it"


def test_many_files_are_made_in_their_folder_and_nowhere_else() -> None:
    row = Row(name="create in order", block_bytes=0, work=Work.CREATE, files=16384)
    told = options(row, "write")
    assert told["directory"] == "/proc/self/fd/8/."
    assert (told["ioengine"], told["nrfiles"], told["create_on_open"]) == ("filecreate", "16384", "1")
    assert "filename" not in told


def test_rewriting_reads_each_block_and_writes_it_back_where_it_was() -> None:
    lines = replay_lines("f", 4 * 8192, 8192, most_bytes=2**30)
    assert lines[:5] == ["fio version 2 iolog", "f add", "f open", "f read 0 8192", "f write 0 8192"]
    assert lines[-2:] == ["f write 24576 8192", "f close"]
    sampled = replay_lines("f", 8 * 8192, 8192, most_bytes=2 * 8192)
    assert [line for line in sampled if "read" in line] == ["f read 0 8192", "f read 32768 8192"]


def test_crystaldiskmark_touches_the_same_places_each_time_and_does_not_sync() -> None:
    told = options("SEQ1M Q8T1", "write", Place(filename="f", size_bytes=2**30, like_cdm=True))
    assert told["randrepeat"] == "1"
    assert "end_fsync" not in told


def test_the_file_is_filled_with_real_writes_of_data_that_cannot_be_compressed() -> None:
    argv = prefill_argv(PLACE)
    for word in ("--rw=write", "--fallocate=none", "--refill_buffers=1", "--thread=1"):
        assert word in argv
    assert not [word for word in argv if word.startswith(("--runtime", "--time_based"))], "all of it"
