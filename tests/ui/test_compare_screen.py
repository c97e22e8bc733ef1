"""The compare screen: picking, the table with its marks, factors and remarks, and files."""

import csv
import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from raidtui.model.result import Result
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import nas, open_at
from tests.ui.made_results import result
from tests.ui.pictures import LOOKS, WITH_WIDE, SnapCompare, in_app, picture, press, shown

LONG = "a very long label that somebody typed, [bold]with markup[/bold] and родительские"
TWO = [result(1, "data raid5"), result(2, "data raid10", factor=1.62, level="raid10")]
SIX = [
    *TWO,
    result(3, "scratch raid0", factor=2.1, level="raid0", flags=["R resync while measuring"]),
    result(4, LONG, factor=0.98, level="raid6", size_bytes=4 * 1024**3),
    result(5, "mirror", factor=0.7, level="raid1", flags=["V spread 12%"], mix=True),
    result(6, "", factor=0.5, level="raid6", hostname="other"),
]
EIGHT = [
    *SIX,
    result(7, "seventh", factor=1.2),
    result(8, "eighth", factor=1.4, level="raid0"),
]
PICK_ALL = [*(["space"] * 6), "enter"]


def at_compare(*results: Result, look: str = "80x24", **about: str) -> RaidtuiApp:
    return open_at(BusyWorld(nas(), results=results), "compare", console=look == "console", **about)


@LOOKS
def test_no_result_yet(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(look=look), look)


@WITH_WIDE
def test_some_are_picked(snap_compare: SnapCompare, look: str) -> None:
    app = at_compare(*SIX, look=look)
    assert picture(snap_compare, app, look, ["space", "space", "space", "up", "b"])


@WITH_WIDE
def test_two_results(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*TWO, look=look), look, ["space", "space", "enter"])


@WITH_WIDE
def test_three_results_by_latency(snap_compare: SnapCompare, look: str) -> None:
    keys = ["space", "space", "space", "enter", "b", "v", "v", "v"]
    assert picture(snap_compare, at_compare(*SIX, look=look), look, keys)


@WITH_WIDE
def test_six_results(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*SIX, look=look), look, PICK_ALL)


@LOOKS
def test_what_is_not_the_same(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*SIX, look=look), look, [*PICK_ALL, "w"])


@LOOKS
def test_groups_of_eight_results(snap_compare: SnapCompare, look: str) -> None:
    keys = [*(["space"] * 8), "enter", "g"]
    assert picture(snap_compare, at_compare(*EIGHT, look=look), look, keys)


@LOOKS
def test_the_history_of_one_target(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*EIGHT, look=look), look, ["h", "down"])


@LOOKS
def test_what_others_published(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*TWO, look=look), look, ["p", *["down"] * 14, "space"])


def lines_of(app: RaidtuiApp, word: str) -> list[str]:
    return [line for line in shown(app).splitlines() if word in line]


def test_the_best_of_a_row_is_marked_without_colour() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        (row,) = lines_of(app, "SEQ1M Q1T1 read")
        assert "486.1 " in row
        assert "787.5*" in row

    in_app(app, walk)


def test_b_moves_the_baseline_and_every_factor_with_it() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        assert "1.62x+" in lines_of(app, "SEQ1M Q1T1 read")[0]
        await press(pilot, "b")
        assert "B base" in shown(app)
        assert "0.62x-" in lines_of(app, "SEQ1M Q1T1 read")[0]

    in_app(app, walk)


def test_v_goes_round_the_metrics_and_less_latency_is_better() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        seen = [app.screen.title]
        for _ in range(5):
            await press(pilot, "v")
            seen.append(app.screen.title)
            if app.screen.title and "mean" in app.screen.title:
                (row,) = lines_of(app, "SEQ1M Q1T1 read")
                assert "1.33 ms*" in row
        assert len(set(seen)) == 5
        assert seen[0] == seen[-1]

    in_app(app, walk)


def test_one_result_alone_asks_for_another_and_not_for_a_second_pick() -> None:
    app = at_compare(TWO[0])

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space")
        assert "measure another array" in shown(app)

    in_app(app, walk)


def test_two_are_the_fewest() -> None:
    app = at_compare(*SIX)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "enter")
        assert "1 picked" in shown(app)

    in_app(app, walk)


def test_more_columns_than_fit_are_scrolled_and_the_baseline_stays() -> None:
    app = at_compare(*EIGHT)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *["space"] * 8, "enter")
        assert "8 results" in (app.screen.title or "")
        assert lines_of(app, "MB/s  ")[0].split()[1:] == ["A", "base", "B", "C", "D", "E", "F"]
        await press(pilot, *["right"] * 5)
        assert lines_of(app, "MB/s  ")[0].split()[1:] == ["A", "base", "D", "E", "F", "G", "H"]
        await press(pilot, "left")
        assert lines_of(app, "MB/s  ")[0].split()[1:] == ["A", "base", "C", "D", "E", "F", "G"]

    in_app(app, walk)


def test_g_groups_by_what_differs_and_then_shows_single_results_again() -> None:
    app = at_compare(*EIGHT)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *["space"] * 8, "enter")
        titles = []
        for _ in range(3):
            await press(pilot, "g")
            titles.append((app.screen.title or "").partition(":")[0])
        assert titles == ["Compare 5 groups by level", "Compare 2 groups by machine", "Compare 8 results"]

    in_app(app, walk)


def test_the_marked_row_is_drawn_as_bars_in_proportion() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter", "down", "a")
        assert (app.screen.title or "").startswith("SEQ1M Q1T1 read, MB/s")
        (slow,), (fast,) = lines_of(app, "data raid5"), lines_of(app, "data raid10")
        assert fast.count("█") == pytest.approx(1.62 * slow.count("█"), abs=1)
        assert slow.split()[-2:] == ["486.1", "base"]
        await press(pilot, "a")
        assert "MB/s, median" in (app.screen.title or "")
        await press(pilot, "a", "escape")
        assert "MB/s, median" in (app.screen.title or ""), "one step back, not all the way to the list"

    in_app(app, walk)


def test_results_of_a_sweep_can_be_distinguished_in_the_smallest_list() -> None:
    app = at_compare(
        *(result(n, f"own: raid5 of 3, {chunk}, ext4, pass 1") for n, chunk in ((1, "64KiB"), (2, "1MiB")))
    )

    async def walk(pilot: Pilot[int]) -> None:
        assert lines_of(app, "raid5 of 3, 64KiB")
        assert lines_of(app, "raid5 of 3, 1MiB")

    in_app(app, walk)


def test_a_long_history_is_scrolled() -> None:
    app = at_compare(*[result(number, f"day {number}") for number in range(1, 31)])

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "h")
        assert not lines_of(app, "day 30")
        await press(pilot, "right", "right")
        assert lines_of(app, "day 30")

    in_app(app, walk)


def test_what_others_published_is_picked_beside_ones_own() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "p", *["down"] * 14, "space", "enter")
        assert "MegaRAID RAID5 of 3" in shown(app)
        assert "2,578.9*" in lines_of(app, "SEQ1M Q8T1 read")[0]
        assert "who measured" in shown(app)

    in_app(app, walk)


def test_what_a_publication_does_not_tell_is_unknown_and_not_the_best() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "p", *["down"] * 14, "space", "enter", "v", "v", "v")
        assert "mean latency" in shown(app)
        assert lines_of(app, "SEQ1M Q8T1 read")[0].split()[-1] == "-"
        assert "*" not in lines_of(app, "SEQ1M Q8T1 read")[0]
        await press(pilot, "w")
        assert "0B" not in shown(app)

    in_app(app, walk, size=(100, 50))


def test_the_history_of_a_target_begins_with_its_oldest_result() -> None:
    elsewhere = result(9, "elsewhere", target="/srv/other")
    app = at_compare(*reversed(SIX), elsewhere)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "h")
        assert "History of /srv/data: SEQ1M Q8T1 read" in (app.screen.title or "")
        assert "elsewhere" not in shown(app)
        assert lines_of(app, "data raid5")[0].split()[-2:] == ["512.3", "base"]
        assert lines_of(app, "scratch raid0")[0].split()[-2:] == ["2.10x", "R"]
        await press(pilot, "down", "escape", "end", "h")
        assert "/srv/other was measured only once" in shown(app)

    in_app(app, walk)


def test_escape_leads_from_the_table_to_the_list_and_then_back() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter", "escape")
        assert "2 picked" in shown(app)
        assert app.place.name == "compare"
        await press(pilot, "escape")
        assert app.place.name == "overview"

    in_app(app, walk)


def test_rows_that_do_not_fit_are_scrolled_to() -> None:
    app = at_compare(*SIX)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *PICK_ALL)
        assert not lines_of(app, "> RND4K Q1T1 mix")
        await press(pilot, "up")  # from the first row to the last
        assert lines_of(app, "> RND4K Q1T1 mix")
        await press(pilot, "down")
        assert lines_of(app, "> SEQ1M Q8T1 read")

    in_app(app, walk)


def test_remarks_are_shown_at_once_and_whole_with_w() -> None:
    app = at_compare(*SIX)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *PICK_ALL)
        assert "! not the same: the size of the test file" in shown(app)
        assert "more: w)" in shown(app)
        await press(pilot, "w")
        assert "the computer" in shown(app)
        assert "[bold]with markup[/bold]" in shown(app)

    in_app(app, walk, size=(100, 30))


@pytest.mark.parametrize("dialog", ["f1", "w", "e"])
def test_after_a_dialog_the_arrows_still_mark_rows_of_the_table(dialog: str) -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        before = shown(app)
        await press(pilot, dialog, "escape")
        assert shown(app) == before
        await press(pilot, "down")
        assert shown(app) != before

    in_app(app, walk)


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_exported_can_be_imported(in_empty_folder: Path) -> None:
    from raidtui.results.foreign.recognise import read_file

    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "e", "enter")
        assert "Saved as" in shown(app)

    in_app(app, walk)
    file = in_empty_folder / "results.json"
    assert json.loads(file.read_text())["raidtui_results"] == 1
    assert [found for found, _ in read_file(file)] == TWO


def test_a_table_is_exported_for_a_spreadsheet(in_empty_folder: Path) -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter", "e", *["backspace"] * 4, *"csv", "enter")
        assert "Saved as" in shown(app)

    in_app(app, walk)
    rows = list(csv.DictReader((in_empty_folder / "results.csv").open()))
    assert len(rows) == 8
    assert rows[0]["data raid10 verdict"] == "faster"


@pytest.mark.parametrize(("ending", "begin"), [("md", "1. data raid5"), ("html", "<!DOCTYPE html>")])
def test_a_comparison_is_exported_in_the_form_that_the_ending_asks_for(
    in_empty_folder: Path, ending: str, begin: str
) -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter", "e", *["backspace"] * 4, *ending, "enter")

    in_app(app, walk)
    assert (in_empty_folder / f"results.{ending}").read_text().startswith(begin)


@pytest.mark.parametrize(("ending", "why"), [(".foo", "'.foo' is not a format"), ("", "without ending")])
def test_an_ending_that_says_no_form_is_refused(in_empty_folder: Path, ending: str, why: str) -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "e", *["backspace"] * 5, *ending, "enter")
        assert why in shown(app)
        assert "choose .json, .md, .html, .csv or .txt" in shown(app)

    in_app(app, walk)
    assert not list(in_empty_folder.iterdir())


def test_in_the_lab_a_saved_file_is_said_to_go_with_it(in_empty_folder: Path) -> None:
    class Lab(BusyWorld):
        in_lab = True

    app = open_at(Lab(nas(), results=TWO), "compare")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "e", "enter")
        assert "it is gone with the lab" in " ".join(shown(app).split())

    in_app(app, walk)


def test_a_file_that_exists_is_not_touched(in_empty_folder: Path) -> None:
    (in_empty_folder / "results.json").write_text("mine")
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "e", "enter")
        assert "was not touched" in shown(app)

    in_app(app, walk)
    assert (in_empty_folder / "results.json").read_text() == "mine"


def test_forgetting_a_result_asks_first() -> None:
    world = BusyWorld(nas(), results=TWO)
    app = open_at(world, "compare")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "delete", "enter")
        assert world.orders == []
        await press(pilot, "delete", "right", "enter")

    in_app(app, walk)
    assert world.orders == [("remove", TWO[0].id)]


def came_from_benchmark(*picked: Result) -> RaidtuiApp:
    ids = ",".join(result.id for result in picked)
    places = [Place("overview"), Place("disks"), Place("compare", {"picked": ids})]
    return RaidtuiApp(BusyWorld(nas(), results=SIX), False, places=places)


def test_two_that_somebody_comes_with_are_compared_at_once_and_escape_leads_back_there() -> None:
    app = came_from_benchmark(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot)
        assert "data RAID10 against data RAID5, not alternated: writes 1.6x faster" in shown(app)
        await press(pilot, "a", "escape")
        assert "data RAID10 against data RAID5" in shown(app), "from bars to the table first"
        await press(pilot, "escape")
        assert app.place.name == "disks"

    in_app(app, walk)


def test_one_that_somebody_comes_with_is_picked_in_the_list() -> None:
    app = came_from_benchmark(TWO[0])

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot)
        assert "1 picked" in shown(app)
        await press(pilot, "escape")
        assert app.place.name == "disks"

    in_app(app, walk)


def test_every_row_has_its_bars_at_first_sight() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        for name in ("SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"):
            for direction in ("read", "write"):
                (row,) = [line for line in lines_of(app, f"{name} {direction}") if "against" not in line]
                slow, fast = (part.count("\u2588") for part in row.split("*", 1)[0:1] + row.split("*", 1)[1:])
                assert fast > slow > 0

    in_app(app, walk)


def test_the_list_is_filtered_and_escape_shows_all_again() -> None:
    app = at_compare(*SIX)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "slash", *"RAID10")
        assert lines_of(app, "data raid10")
        assert not lines_of(app, "mirror")
        await press(pilot, "enter", "space")
        assert "data raid10" in lines_of(app, "1 base")[0]
        await press(pilot, "escape")
        assert lines_of(app, "mirror")
        assert "data raid10" in lines_of(app, "1 base")[0], "what was picked stays picked"
        await press(pilot, "slash", *"nowhere")
        assert "No result has this text" in shown(app)

    in_app(app, walk)


def test_enter_opens_a_result_until_one_is_picked() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Enter Open" in shown(app).splitlines()[-1]
        await press(pilot, "enter")
        assert "Benchmark of /srv/data" in shown(app)
        await press(pilot, "escape", "space")
        assert "Enter" not in shown(app).splitlines()[-1]
        await press(pilot, "enter")
        assert "pick two results or more with Space first" in shown(app)
        await press(pilot, "space")
        keys = shown(app).splitlines()[-1]
        assert "Enter Compare" in keys
        assert "o Open" in keys

    in_app(app, walk)


def test_enter_opens_the_only_result_which_is_picked_after_its_benchmark() -> None:
    app = at_compare(TWO[0], picked=TWO[0].id)

    async def walk(pilot: Pilot[int]) -> None:
        assert "The only result so far" in shown(app)
        assert "Enter Open" in shown(app).splitlines()[-1]
        await press(pilot, "enter")
        assert "Benchmark of /srv/data" in shown(app)

    in_app(app, walk)


def test_enter_on_a_published_result_says_that_two_are_needed() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "p")
        assert "Enter" not in shown(app).splitlines()[-1]
        await press(pilot, "enter")
        assert "pick two results or more with Space first" in shown(app)

    in_app(app, walk)


def test_a_comparison_and_a_single_result_are_copied_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    app = at_compare(*TWO)
    monkeypatch.setattr(app, "copy_to_clipboard", copied.append)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "y", "space", "space", "enter", "y")
        assert "sent to the terminal's clipboard (if it accepts OSC 52)" in " ".join(shown(app).split())

    in_app(app, walk)
    single, both = copied
    assert "SEQ    1MiB (Q=  8, T= 1):   512.300 MB/s" in single
    assert "A  data raid5  RAID5 of 4, ext4" in both
    assert both.endswith(
        "data RAID10 against data RAID5, not alternated: writes 1.6x faster, reads 1.6x\n  faster"
    )


def test_an_old_result_opens_in_the_grid() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "o")
        assert app.place.name == "benchmark"
        assert "829" in shown(app)
        await press(pilot, "escape")
        assert app.place.name == "compare"

    in_app(app, walk)


def test_a_view_of_latency_speaks_of_latency_below_the_table_too() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        assert "SEQ1M Q8T1 read against A (MB/s): B faster 1.62x" in shown(app)
        await press(pilot, "v", "v", "v")
        assert "SEQ1M Q8T1 read against A (mean): B 0.62x" in shown(app)
        assert "Only MB/s and IOPS have verdicts" in shown(app)
        assert "+ faster" not in shown(app)

    in_app(app, walk)


def test_escape_from_a_comparison_leads_to_the_result_that_one_came_from() -> None:
    app = open_at(BusyWorld(nas(), results=TWO), "benchmark", result=TWO[1].id)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot)
        before = shown(app)
        assert "829" in before
        await press(pilot, "c")
        assert app.place.name == "compare"
        assert "data RAID10 against data RAID5" in shown(app)
        await press(pilot, "escape")
        assert app.place.name == "benchmark"
        assert shown(app) == before

    in_app(app, walk)


def test_two_results_with_one_label_are_told_apart_by_their_letters() -> None:
    app = at_compare(
        result(1, "data raid5"), result(2, "data raid5", factor=1.62), picked="000000000001,000000000002"
    )

    async def walk(pilot: Pilot[int]) -> None:
        assert "B against A, not alternated: writes 1.6x faster, reads 1.6x faster" in shown(app)
        assert "data raid5 (0" not in shown(app)
        await press(pilot, "w")
        assert "B against A, not alternated: writes 1.6x faster" in shown(app)

    in_app(app, walk)


def test_a_large_terminal_has_bars_to_its_full_width_and_a_verdict_on_every_row() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        every = shown(app).splitlines()
        assert sum("against A (MB/s)" in line for line in every) == 8
        row = next(line for line in every if "> SEQ1M Q8T1 read" in line)
        assert len(row.rstrip()) > 180
        table, proof = app.screen.query_one("#rows").region, app.screen.query_one("#proof").region
        assert proof.y == table.bottom + 1  # not anchored at the bottom

    in_app(app, walk, size=(200, 50))


def test_on_a_small_terminal_the_verdict_is_on_the_marked_row() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter", "down")
        (proof,) = lines_of(app, "against A (MB/s)")
        assert proof.strip().startswith("SEQ1M Q1T1 read")

    in_app(app, walk)
