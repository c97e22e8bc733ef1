"""The profiles, those of users, and what becomes of one on a certain target and within a certain time."""

from pathlib import Path

import pytest

from raidtui.bench.costs import Costs
from raidtui.bench.profile_file import find_profile, own_profiles, pattern, read_profile
from raidtui.bench.rows import READ, WRITE, Until, Work, cells_of
from raidtui.bench.schedule import Schedule, certainty, expected_seconds, fit, turns_of
from raidtui.bench.settings import settle
from raidtui.bench.steady import each_second, is_steady
from raidtui.model.errors import BadInput
from raidtui.model.journal import BenchRequest
from raidtui.model.units import GIB, KIB, MIB
from raidtui.results.published.reader import all_published
from raidtui.results.verdicts import smallest_factor


def asked(**more: object) -> BenchRequest:
    return BenchRequest(target="/srv", **more)  # type: ignore[arg-type]


def test_every_profile_is_explained_in_two_lines_of_a_small_terminal() -> None:
    for profile in own_profiles().values():
        assert 10 < len(profile.title) <= 67, profile.name
        assert 10 < len(profile.about) <= 136, profile.name


def test_the_names_of_earlier_versions_still_find_their_grids() -> None:
    assert find_profile("nvme").name == "cdm-nvme"
    assert find_profile("real").name == "cdm-real"


def test_an_unknown_profile_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="unknown profile 'cmd'; did you mean 'cdm'"):
        find_profile("cmd")


@pytest.mark.parametrize("name", ["streams", "bonnie", "mkfile", "cdm"])
def test_cells_are_called_as_in_the_all_published_so_that_they_compare(name: str) -> None:
    own = {row.name for row in own_profiles()[name].rows}
    published = {cell.name for result in all_published() if result.profile == name for cell in result.cells}
    assert published, "there are such results"
    assert published <= own


def test_reads_come_before_writes_before_mixes() -> None:
    cells = cells_of(own_profiles()["cdm"].rows, writes=True, mix=True)
    assert [cell.direction for cell in cells] == ["read"] * 4 + ["write"] * 4 + ["mix"] * 4
    assert [cell.row.name for cell in cells[:4]] == ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"]
    only = cells_of(own_profiles()["cdm"].rows, writes=False, mix=True)
    assert {cell.direction for cell in only} == {"read"}


def test_files_are_made_before_they_are_asked_about_and_deleted() -> None:
    works = [cell.row.work for cell in settle(asked(profile="bonnie", size_bytes=GIB)).cells]
    assert works == [Work.IO, Work.IO, Work.REWRITE, Work.IO, Work.CREATE, Work.STAT, Work.DELETE]
    device = settle(asked(profile="bonnie", size_bytes=GIB), files=False).cells
    assert all(cell.row.touches_blocks for cell in device)


def test_a_name_tells_the_pattern() -> None:
    row = pattern("RND16K Q4T2 read")
    assert row is not None
    assert (row.block_bytes, row.queue_depth, row.threads, row.random) == (16 * KIB, 4, 2, True)
    assert row.directions == (READ,)
    assert pattern("seeks") is None


def test_a_file_of_the_user_is_a_profile(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        """
name = "mine"
title = "What my database does"
seconds = 10
size = "2GiB"

[row."RND16K Q4T1"]

[row."log"]
block = "8KiB"
cached = true
until = "either"
directions = ["write"]
"""
    )
    profile = find_profile(str(file))
    assert (profile.name, profile.seconds, profile.size_bytes, profile.runs) == ("mine", 10, 2 * GIB, 6)
    assert [row.name for row in profile.rows] == ["RND16K Q4T1", "log"]
    log = profile.rows[1]
    assert (log.block_bytes, log.cached, log.until, log.directions) == (8 * KIB, True, Until.EITHER, (WRITE,))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('title = "t"\n[row."SEQ1M Q1T1"]', "mine.toml: the key 'name' is missing"),
        ('name = "m"\ntitle = "t"', "the profile has no rows"),
        ('name = "m/x"\ntitle = "t"\n[row."SEQ1M Q1T1"]', "line 1: the name of a profile is made of letters"),
        ('name = "m"\ntitle = "t"\n[row."log"]', "the row 'log' has no block size"),
        (
            'name = "m"\ntitle = "t"\n[row."log"]\nblok = "4KiB"',
            "line 4: there is no key 'blok'; did you mean",
        ),
        (
            'name = "m"\ntitle = "t"\n[row."SEQ1M Q1T1"]\nthreads = 1000',
            "line 4: threads must be at most 256",
        ),
        (
            'name = "m"\ntitle = "t"\n[row."SEQ1M Q1T1"]\nuntil = "dawn"',
            "line 4: 'dawn' is not a valid until",
        ),
        ('name = "m"\ntitle = "t"\n[row."RND4K Q1T1"]\nbeside = "x"', "line 4: 'x' is not a pattern"),
        ('name = "m"\ntitle = "t"\nrow = 3', "line 3: row has sections below it"),
        (
            'name = "m"\ntitle = "t"\n[row."SEQ1M Q1T1"]\ndirections = []',
            "line 4: directions is an empty list",
        ),
    ],
)
def test_a_profile_that_is_wrong_is_answered_with_the_line(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_profile(text, origin="mine.toml")
    assert sentence in str(caught.value)


def test_chunks_and_stripes_have_the_size_of_the_array() -> None:
    rows = settle(asked(profile="chunks"), chunk=64 * KIB, stripe=192 * KIB).rows
    assert {row.block_bytes for row in rows if row.block_of} == {64 * KIB, 192 * KIB}
    with pytest.raises(BadInput, match="not on an array with chunks"):
        settle(asked(profile="chunks"))


def test_a_size_that_nobody_asked_for_is_made_to_fit() -> None:
    assert settle(asked(), room=300 * MIB).size_bytes == 256 * MIB
    assert settle(asked()).size_bytes == GIB
    assert settle(asked(size_bytes=GIB), room=300 * MIB).size_bytes == GIB, (
        "what was asked for is refused later"
    )


def test_a_test_file_that_is_too_small_for_every_row_is_told_the_least() -> None:
    with pytest.raises(BadInput, match="no row of the profile iozone fits into 32MiB; the least is 64MiB"):
        settle(asked(profile="iozone", size_bytes=32 * MIB))


def test_a_sweep_over_sizes_goes_as_far_as_the_test_file() -> None:
    names = [row.name for row in settle(asked(profile="iozone", size_bytes=128 * MIB)).rows]
    assert names == ["64M first", "128M first", "64M again", "128M again", "64M random", "128M random"]


def test_what_is_made_anew_needs_no_file_before() -> None:
    assert not settle(asked(profile="mkfile")).prefills
    assert not settle(asked(profile="bonnie")).prefills
    assert settle(asked()).prefills
    assert not settle(asked(), writes=False).prefills


def test_a_target_that_is_only_read_has_no_rows_that_write() -> None:
    cells = settle(asked(profile="latency"), writes=False).cells
    assert [cell.row.beside for cell in cells] == ["", "RND4K Q32T1 read", "SEQ1M Q8T1 read"]
    with pytest.raises(BadInput, match="every row of the profile mkfile writes"):
        settle(asked(profile="mkfile"), writes=False)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            {"compat": "cdm8", "profile": "streams"},
            "CrystalDiskMark has no rows like those of the profile streams",
        ),
        ({"compat": "cdm7"}, "unknown CrystalDiskMark version 'cdm7'; write cdm8 or cdm9"),
        ({"compat": "cdm8", "cached": True}, "CrystalDiskMark bypasses the page cache"),
        ({"mix": True, "profile": "mkfile"}, "has no rows that read and write together"),
        ({"label": "x" * 300}, "the label has 300 characters"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(more: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        settle(asked(**more))


def test_through_the_cache_all_rows_go_and_keep_their_names() -> None:
    settings = settle(asked(cached=True))
    assert all(row.cached for row in settings.rows)
    assert not settings.direct
    assert settings.rows[0].name == "SEQ1M Q8T1"


def test_rounds_go_over_all_cells_after_a_warm_up_that_does_not_count() -> None:
    turns = turns_of(settle(asked(profile="cdm-real", runs=3)))
    assert [turn.run for turn in turns] == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    assert [turn.cell for turn in turns[:4]] == [turn.cell for turn in turns[4:8]]
    assert (turns[0].seconds, turns[0].ramp_seconds) == (2, 0)
    assert (turns[4].seconds, turns[4].ramp_seconds) == (5, 1)


def test_a_single_run_is_a_look_and_has_no_warm_up() -> None:
    turns = turns_of(settle(asked(runs=1)))
    assert {turn.run for turn in turns} == {1}
    assert {turn.run for turn in turns_of(settle(asked(runs=2)))} == {0, 1, 2}


@pytest.mark.parametrize(("version", "runs"), [("cdm8", 5), ("cdm9", 3)])
def test_as_crystaldiskmark_one_cell_is_repeated_after_a_whole_run_that_does_not_count(
    version: str, runs: int
) -> None:
    turns = turns_of(settle(asked(compat=version)))
    first = turns[: runs + 1]
    assert {turn.cell for turn in first} == {turns[0].cell}
    assert [turn.run for turn in first] == list(range(runs + 1))
    assert {(turn.seconds, turn.ramp_seconds) for turn in turns} == {(5, 0)}
    assert [turn.pause_seconds for turn in turns[: runs + 2]] == [0] * (runs + 1) + [5]


@pytest.mark.parametrize(("runs", "seconds", "ramps"), [(1, 1, {0}), (3, 1, {0}), (1, 2, {1})])
def test_runs_of_a_second_are_a_quick_look(runs: int, seconds: int, ramps: set[int]) -> None:
    settings = settle(asked(runs=runs, seconds=seconds))
    assert {turn.ramp_seconds for turn in turns_of(settings) if turn.run} == ramps


@pytest.mark.parametrize(("seconds", "ramp"), [(1, 2), (5, 5), (60, 10)])
def test_a_rotating_disk_gets_more_time_to_settle(seconds: int, ramp: int) -> None:
    def ramps(**more: object) -> set[int]:
        settings = settle(asked(seconds=seconds), **more)  # type: ignore[arg-type]
        return {turn.ramp_seconds for turn in turns_of(settings) if turn.run}

    assert ramps(rotational=True) == {ramp}
    assert ramps() == {int(seconds > 1)}


def test_what_fills_the_cache_has_no_ramp_or_the_sync_would_be_of_more_than_was_measured() -> None:
    turns = turns_of(settle(asked(cached=True)))
    assert {turn.ramp_seconds for turn in turns if turn.run and turn.cell.direction == WRITE} == {0}


def test_the_time_that_is_left_shrinks_to_nothing_and_learns() -> None:
    turns = turns_of(settle(asked(profile="cdm-real", runs=3), writes=False))
    schedule = Schedule(turns, fill_bytes=150_000_000, costs=Costs())
    begin = schedule.remaining(running_seconds=0.0)
    assert begin == pytest.approx(1 + sum(turn.wall_seconds + 0.8 for turn in turns))
    assert schedule.remaining(running_seconds=2.0, filled=0.5) == pytest.approx(begin - 1 + 2)
    schedule.filled()
    for turn in turns:
        schedule.finished(turn.wall_seconds + 0.1)
        assert schedule.remaining(running_seconds=0.0) < begin
    assert schedule.remaining(running_seconds=0.0) == 0.0


@pytest.mark.parametrize("minutes", [1, 2, 5, 10, 30, 120])
def test_a_budget_is_kept_and_three_runs_come_first(minutes: int) -> None:
    settings = settle(asked())
    budget = fit(settings, 60 * minutes)
    assert budget.expected_seconds <= 60 * minutes
    assert budget.runs >= (1 if minutes == 1 else 3)
    assert budget.seconds >= (3 if minutes >= 5 else 1)
    if minutes >= 2:
        assert "in each of 8 cells" in budget.certainty


def test_more_time_never_buys_less() -> None:
    settings = settle(asked(), rotational=True)
    found = [fit(settings, 60 * minutes) for minutes in (3, 5, 10, 20, 40, 80)]
    assert [one.runs for one in found] == sorted(one.runs for one in found)


def test_too_little_time_is_a_sentence_with_what_it_takes() -> None:
    with pytest.raises(BadInput, match="10 s is not enough: one run of each cell"):
        fit(settle(asked()), 10)
    with pytest.raises(BadInput, match="runs until the speed is steady"):
        fit(settle(asked(profile="sustained")), 3600)
    with pytest.raises(BadInput, match="compatible mode has its own runs and seconds"):
        fit(settle(asked(compat="cdm8")), 3600)


def test_what_so_many_runs_show_is_what_the_verdicts_can_decide() -> None:
    assert certainty(3, 8) == "3 runs can detect differences of 19 % or more in each of 8 cells (spread 3 %)"
    assert certainty(6, 8) == "6 runs can detect differences of 12 % or more in each of 8 cells (spread 3 %)"
    assert certainty(1, 8) == "1 run cannot detect a difference; 2 or more can"


def test_every_profile_has_runs_enough_for_a_verdict() -> None:
    for profile in own_profiles().values():
        settings = settle(asked(profile=profile.name), chunk=2**19, stripe=2**20)
        factor = smallest_factor(settings.runs, len(settings.cells))
        assert factor is not None
        assert factor < 1.5, profile.name


@pytest.mark.parametrize(
    ("rates", "steady"),
    [
        ((500, 100, 101, 99, 100, 100), True),  # only the last five count
        ((100, 100, 100, 100), False),
        ((110, 105, 100, 95, 90), False),  # within a fifth, but falling
        ((130, 100, 70, 100, 100), False),
        ((0, 0, 0, 0, 0), False),
    ],
)
def test_steady_is_within_a_fifth_and_without_a_trend(rates: tuple[float, ...], steady: bool) -> None:
    # SNIA PTS 2.0.2
    assert is_steady(rates) is steady


def test_a_curve_has_a_point_a_second() -> None:
    assert each_second((1.0, 3.0, 1.0, 3.0, 5.0, 5.0), milliseconds=250) == (2.0, 5.0)


def test_a_steady_profile_counts_its_rounds_cell_by_cell() -> None:
    turns = turns_of(settle(asked(profile="sustained")))
    assert [turn.run for turn in turns[:25]] == list(range(1, 26))
    assert len({turn.cell for turn in turns[:25]}) == 1
    assert expected_seconds(settle(asked(profile="sustained"))) > 3000
