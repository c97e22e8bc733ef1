"""Care and Grow with RAID cards: findings of virtual drives and of cards, the plan of a copyback, what a drive can join."""

import pytest
from textual.pilot import Pilot

from raidtui.backends.units import units_of
from raidtui.model.machine import Machine
from raidtui.model.procedure import Grow, Replace
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.wizard.procedure import words_of
from tests.ui.pictures import SnapCompare, answers, in_app, open_app, picture, press, shown
from tests.ui.worlds import PretendWorld
from tests.unit.test_recorded_states import state

BOTH = pytest.mark.parametrize("look", ["80x24", "120x40"])
OLD, NEW = "WD-WM00000003", "WD-WM00000009"


def at_care(name: str) -> RaidtuiApp:
    return open_app(state(name), "overview", "care")


def at_plan(machine: Machine, order: Replace | Grow) -> RaidtuiApp:
    places = [Place("overview"), Place("procedure", words_of(order))]
    return RaidtuiApp(PretendWorld(machine), False, places=places, draft=answers())


def at_grow(machine: Machine) -> RaidtuiApp:
    (unit,) = units_of(machine)
    places = [Place("overview"), Place("unit", {"unit": unit.uuid}), Place("grow", {"unit": unit.uuid})]
    return RaidtuiApp(PretendWorld(machine), False, places=places, draft=answers())


@BOTH
@pytest.mark.parametrize(
    "name",
    ["card-drive-failed", "card-predicted-failure", "card-foreign-while-degraded", "card-two-drives-gone"],
)
def test_care(snap_compare: SnapCompare, name: str, look: str) -> None:
    assert picture(snap_compare, at_care(name), look)


@BOTH
def test_the_page_of_a_foreign_configuration(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_care("card-foreign"), look, ["f1"])


@BOTH
def test_the_plan_of_a_copyback(snap_compare: SnapCompare, look: str) -> None:
    app = at_plan(state("card-predicted-failure"), Replace(old=OLD, new=NEW))
    assert picture(snap_compare, app, look)


@BOTH
def test_what_a_virtual_drive_can_become(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_grow(state("card-well")), look)


@BOTH
def test_why_a_degraded_one_cannot_grow(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_grow(state("card-drive-failed")), look, ["down"])


@BOTH
def test_a_copyback_on_the_overview(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_app(state("card-copyback"), "overview"), look)


def test_from_care_to_the_confirmation_of_the_drive_that_is_erased() -> None:
    app = at_care("card-predicted-failure")

    async def walk(pilot: Pilot[int]) -> None:
        assert "replace WD-WM00000003 in 252:2 while it still works" in " ".join(shown(app).split())
        await press(pilot, "enter")
        assert f"Replace {OLD} with {NEW}" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "confirm"
        text = " ".join(shown(app).split())
        assert NEW in text

    in_app(app, walk)


def test_a_further_drive_and_another_level_are_planned_together() -> None:
    app = at_grow(state("card-well"))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter")
        assert "Let c0v0 become RAID6 with 1 further disk" in " ".join(shown(app).split())

    in_app(app, walk, size=(120, 40))
