"""A disk is replaced from the page of its array: which disk, the new one, the plan, the serial number, the job."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.backends.units import units_of
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.procedure import Replace
from raidtui.plan.replace import find_order
from raidtui.ui.care.unit_offers import candidates, replaceable
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.wizard.procedure import words_of
from tests.ui.pictures import WITH_WIDE, SnapCompare, answers, in_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

CLEAN, DEGRADED = recorded("raid5-clean"), recorded("raid5-degraded")


def new_for(machine: Machine, word: str) -> str:
    """The first disk that can take the place of ``word``."""
    return next(iter(candidates(word, machine, units_of(machine)).values()))[0]


def at_plan(machine: Machine, word: str, *, console: bool = False) -> RaidtuiApp:
    """The plan that replaces the disk ``word``, reached from the page of its array."""
    units = units_of(machine)
    order = find_order(word, new_for(machine, word), machine, units)
    places = [Place("overview"), Place("unit", {"unit": units[0].uuid}), Place("procedure", words_of(order))]
    return RaidtuiApp(PretendWorld(machine), console, places=places, draft=answers())


@WITH_WIDE
def test_the_plan_that_copies_a_disk(snap_compare: SnapCompare, look: str) -> None:
    old = units_of(CLEAN)[0].members[0].disk
    assert picture(snap_compare, at_plan(CLEAN, old, console=look == "console"), look)


@WITH_WIDE
def test_the_plan_that_rebuilds_on_a_new_disk(snap_compare: SnapCompare, look: str) -> None:
    name = units_of(DEGRADED)[0].name
    assert picture(snap_compare, at_plan(DEGRADED, name, console=look == "console"), look)


def test_the_title_has_both_names_however_long_they_are() -> None:
    machine = recorded("states/usb-enclosure-member-failed")
    old, new = (f"usb-RAIDTUI_LAB_DISK_LAB-ENCLOSURE-0:{place}" for place in (1, 3))
    order = Replace(old=old, new=new, missing_from=())
    app = RaidtuiApp(
        PretendWorld(machine), False, places=[Place("procedure", words_of(order))], draft=answers()
    )

    async def look(pilot: Pilot[int]) -> None:
        await settle(pilot)
        title = shown(app).partition("ERASES")[0]
        assert title.count("ENCLOSURE-0:3") == 1
        assert "2 to accept" in title

    in_app(app, look)


@pytest.mark.parametrize("machine", [CLEAN, DEGRADED], ids=["copied", "rebuilt"])
def test_from_the_page_of_an_array_to_the_job(machine: Machine) -> None:
    unit = units_of(machine)[0]
    places = [Place("overview"), Place("unit", {"unit": unit.uuid})]
    app = RaidtuiApp(PretendWorld(machine), False, places=places, draft=answers())
    chosen = next(iter(replaceable(unit).values()))[0]
    new = new_for(machine, chosen)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "n")
        if "Which disk is replaced?" in shown(app):
            await press(pilot, "enter")
        assert "Which disk takes the place of " in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "procedure"
        assert "ERASES 1 disk" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "confirm"
        await press(pilot, *new[-4:], "enter", "enter")
        assert app.place.name == "build"
        assert "[Run]" in shown(app)

    in_app(app, walk)
    world = app.world
    assert isinstance(world, PretendWorld)
    ((kind, request),) = world.orders
    assert isinstance(request, JobRequest)
    assert (kind, request.erase) == ("replace", (new,))
    assert isinstance(request.procedure, Replace)
    assert request.procedure.new == new


def test_a_sync_that_has_ended_since_the_reading_does_not_stand_against_the_plan() -> None:
    (array,) = CLEAN.arrays
    syncing = msgspec.structs.replace(CLEAN, arrays=(msgspec.structs.replace(array, sync_action="recover"),))
    old = units_of(CLEAN)[0].members[0].disk
    app = at_plan(CLEAN, old)
    world = app.world
    assert isinstance(world, PretendWorld)
    readings = iter([syncing, CLEAN])
    world.machine = lambda: next(readings, CLEAN)  # type: ignore[method-assign]

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "cannot be done now" not in shown(app)
        assert "Replace" in shown(app)
        assert next(readings, None) is None, "it was read again"

    in_app(app, walk)
