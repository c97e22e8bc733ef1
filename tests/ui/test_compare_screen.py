"""The compare screen: picking, the table with its marks, factors and remarks, and files."""

import csv
import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from raidtui.model.result import Result
from raidtui.ui.app import RaidtuiApp
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import nas, open_at
from tests.ui.made_results import result
from tests.ui.pictures import LOOKS, SnapCompare, in_app, picture, press, shown

LONG = "a very long label that somebody typed, [bold]with markup[/bold] and родительские"
TWO = [result(1, "data raid5"), result(2, "data raid10", factor=1.62, level="raid10")]
SIX = [
    *TWO,
    result(3, "scratch raid0", factor=2.1, level="raid0", flags=["R resync while measuring"]),
    result(4, LONG, factor=0.98, level="raid6", size_bytes=4 * 1024**3),
    result(5, "mirror", factor=0.7, level="raid1", flags=["V spread 12%"], mix=True),
    result(6, "", factor=0.5, level="raid6", hostname="other"),
]
PICK_ALL = [*(["space", "down"] * 6), "enter"]


def at_compare(*results: Result, look: str = "80x24", **about: str) -> RaidtuiApp:
    return open_at(BusyWorld(nas(), results=results), "compare", console=look == "console", **about)


@LOOKS
def test_no_result_yet(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(look=look), look)


@LOOKS
def test_some_are_picked(snap_compare: SnapCompare, look: str) -> None:
    app = at_compare(*SIX, look=look)
    assert picture(snap_compare, app, look, ["space", "down", "space", "down", "down", "space", "b"])


@LOOKS
def test_two_results(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*TWO, look=look), look, ["space", "down", "space", "enter"])


@LOOKS
def test_three_results_by_latency(snap_compare: SnapCompare, look: str) -> None:
    keys = ["space", "down", "space", "down", "space", "enter", "b", "v", "v", "v"]
    assert picture(snap_compare, at_compare(*SIX, look=look), look, keys)


@LOOKS
def test_six_results(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*SIX, look=look), look, PICK_ALL)


@LOOKS
def test_what_is_not_the_same(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_compare(*SIX, look=look), look, [*PICK_ALL, "w"])


def lines_of(app: RaidtuiApp, word: str) -> list[str]:
    return [line for line in shown(app).splitlines() if word in line]


def test_the_best_of_a_row_is_marked_without_colour() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "down", "space", "enter")
        (row,) = lines_of(app, "SEQ1M Q1T1 read")
        assert "486.1 " in row
        assert "787.5*" in row

    in_app(app, walk)


def test_b_moves_the_baseline_and_every_factor_with_it() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "down", "space", "enter")
        assert "1.62x+" in lines_of(app, "SEQ1M Q1T1 read")[0]
        await press(pilot, "b")
        assert "B base" in shown(app)
        assert "0.62x-" in lines_of(app, "SEQ1M Q1T1 read")[0]

    in_app(app, walk)


def test_v_goes_round_the_metrics_and_less_latency_is_better() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "down", "space", "enter")
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


def test_six_are_the_most_and_two_the_fewest() -> None:
    seven = [*SIX, result(7, "seventh")]
    app = at_compare(*seven)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "enter")
        assert "1 picked so far" in shown(app)
        await press(pilot, *["down", "space"] * 6)
        assert "6 results are the most" in shown(app)

    in_app(app, walk)


def test_escape_leads_from_the_table_to_the_list_and_then_back() -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "down", "space", "enter", "escape")
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


def test_remarks_are_told_at_once_and_whole_with_w() -> None:
    app = at_compare(*SIX)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *PICK_ALL)
        assert "! not the same: the size of the test file" in shown(app)
        assert "more: w)" in shown(app)
        await press(pilot, "w")
        assert "the computer" in shown(app)
        assert "[bold]with markup[/bold]" in shown(app)

    in_app(app, walk, size=(100, 30))


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_exported_can_be_imported(in_empty_folder: Path) -> None:
    from raidtui.results.foreign.recognise import read_file

    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "down", "space", "e", "enter")
        assert "Saved as" in shown(app)

    in_app(app, walk)
    file = in_empty_folder / "results.json"
    assert json.loads(file.read_text())["raidtui_results"] == 1
    assert [found for found, _ in read_file(file)] == TWO


def test_a_table_is_exported_for_a_spreadsheet(in_empty_folder: Path) -> None:
    app = at_compare(*TWO)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "down", "space", "enter", "e", *["backspace"] * 4, *"csv", "enter")
        assert "Saved as" in shown(app)

    in_app(app, walk)
    rows = list(csv.reader((in_empty_folder / "results.csv").open()))
    assert rows[0][:2] == ["name", "direction"]
    assert len(rows) == 9


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
