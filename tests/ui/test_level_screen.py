"""Choosing the level: what each gives, what is refused and why, chunk, layout and spares."""

import pytest
from textual.pilot import Pilot

from raidtui.ui.draft import Draft
from raidtui.ui.widgets.rows import Rows
from tests.ui import machines
from tests.ui.pictures import LOOKS, SnapCompare, answers, in_app, open_app, picture, press, shown
from tests.ui.recorded import recorded


def serials(count: int) -> list[str]:
    return [machines.disk(number).serial for number in range(1, count + 1)]


def four() -> Draft:
    return answers(*serials(4))


@LOOKS
def test_levels_of_four_equal_disks(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "level", console=look == "console", draft=four())
    assert picture(snap_compare, app, look)


@LOOKS
def test_two_disks_cannot_be_a_raid6(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "level", console=look == "console", draft=answers(*serials(2)))
    assert picture(snap_compare, app, look, ["down", "down", "down", "enter"])


@LOOKS
def test_levels_of_24_disks_with_a_spare_and_a_rare_layout(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.many_disks(), "level", console=look == "console", draft=answers(*serials(24)))
    assert picture(snap_compare, app, look, ["plus", "right", "down", "l", "l", "l", "l"])


@LOOKS
def test_unequal_disks_show_what_is_not_used(snap_compare: SnapCompare, look: str) -> None:
    machine = recorded("mixed-sizes")
    draft = answers(*(disk.serial for disk in machine.disks if disk.choosable))
    app = open_app(machine, "level", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look)


@pytest.mark.parametrize(
    ("count", "level"), [(2, "raid1"), (3, "raid5"), (4, "raid5"), (5, "raid6"), (24, "raid6")]
)
def test_the_usual_level_for_so_many_disks_is_highlighted_first(count: int, level: str) -> None:
    app = open_app(machines.many_disks(), "level", draft=answers(*serials(count)))

    async def walk(pilot: Pilot[int]) -> None:
        assert app.screen.query_one(Rows).key == level

    in_app(app, walk)


def test_the_highlighted_level_and_layout_go_into_the_spec() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "up", "enter")
        assert app.place.name == "options"
        assert (app.draft.spec.level, app.draft.spec.layout) == ("raid10", "o2")

    in_app(app, walk)


def test_a_level_that_these_disks_cannot_make_is_not_taken() -> None:
    app = open_app(machines.four_disks(), "level", draft=answers(*serials(3)))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter")
        assert app.place.name == "level"
        assert "raid6 cannot be made" in shown(app)
        assert app.draft.spec.level == "raid5"

    in_app(app, walk)


def test_arrows_change_the_chunk_and_it_stays_within_its_bounds() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "left")
        assert app.draft.spec.chunk == 256 * 1024
        await press(pilot, *["right"] * 8)
        assert app.draft.spec.chunk == 4096 * 1024

    in_app(app, walk)


def test_a_level_without_chunk_takes_none_along() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "left", "home", "down", "down", "enter")
        assert app.draft.spec.level == "raid1"
        assert app.draft.spec.chunk is None

    in_app(app, walk)


def test_plus_makes_the_last_member_a_spare_and_minus_calls_it_back() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "plus")
        assert app.draft.spec.members == tuple(serials(4)[:3])
        assert app.draft.spec.spares == (serials(4)[3],)
        assert "8.00 TB" in shown(app)
        await press(pilot, "minus")
        assert app.draft.spec.members == tuple(serials(4))

    in_app(app, walk)


def test_l_walks_through_the_layouts_of_the_highlighted_level() -> None:
    app = open_app(machines.four_disks(), "level", draft=four())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "l")
        assert (app.draft.spec.level, app.draft.spec.layout) == ("raid5", "left-asymmetric")
        assert "left-asymmetric" in shown(app)
        await press(pilot, "home", "l")
        assert "no layout to choose" in shown(app)

    in_app(app, walk)
