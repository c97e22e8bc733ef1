"""The page of one unit: its state, what to do, the commands."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.backends.units import units_of
from raidtui.model.machine import Machine
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.shell.recorded_world import RecordedWorld
from tests.ui.pictures import LOOKS, WITH_WIDE, SnapCompare, answers, in_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

DEGRADED = recorded("raid5-degraded")


def at_unit(machine: Machine, *, console: bool = False) -> RaidtuiApp:
    """The page of the first unit of ``machine``, reached from Overview."""
    about = {"unit": units_of(machine)[0].uuid}
    places = [Place("overview"), Place("unit", about)]
    return RaidtuiApp(PretendWorld(machine), console, places=places, draft=answers())


@WITH_WIDE
def test_a_degraded_array_and_its_commands(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_unit(DEGRADED, console=look == "console"), look)


def test_y_copies_the_commands_whole_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    app = at_unit(DEGRADED)
    sent: list[str] = []
    monkeypatch.setattr(app, "copy_to_clipboard", sent.append)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "y")
        assert "2 lines sent to the terminal's clipboard" in shown(app)

    in_app(app, walk)
    assert sent == ["raidtui care tank --erase LAB-0005\nraidtui care tank --do remove-failed\n"]


def test_a_console_has_no_clipboard_and_says_so() -> None:
    app = at_unit(DEGRADED, console=True)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "y")
        assert "the Linux console has no clipboard" in shown(app)

    in_app(app, walk)


def test_it_leads_to_the_removal_and_to_the_disks_and_back() -> None:
    app = at_unit(DEGRADED)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "t")
        assert app.place.name == "teardown"
        await press(pilot, "escape", "d")
        assert app.place.name == "disks"
        await press(pilot, "escape", "escape")
        assert app.place.name == "overview"

    in_app(app, walk)


def test_a_healthy_unit_needs_nothing_and_one_that_is_gone_is_said_to_be() -> None:
    clean = recorded("raid5-clean")
    app = at_unit(clean)
    world = app.world
    assert isinstance(world, PretendWorld)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Nothing to do." in shown(app)
        assert "Copy" not in shown(app).splitlines()[-1]
        world.become(msgspec.structs.replace(clean, arrays=()))
        await settle(pilot)
        await settle(pilot)
        assert "It is not there any more" in shown(app)

    in_app(app, walk)


@pytest.mark.parametrize(("width", "is_beside"), [(80, False), (120, True), (200, True)])
def test_what_to_do_is_beside_what_it_is_on_a_wide_terminal(width: int, is_beside: bool) -> None:
    app = at_unit(DEGRADED)

    async def walk(_: Pilot[int]) -> None:
        unit, care = app.screen.query_one("#unit").region, app.screen.query_one("#care").region
        assert (care.x >= unit.right) is is_beside
        assert (care.y >= unit.bottom) is not is_beside
        assert "RAID5, 1.60 GB" in shown(app)

    in_app(app, walk, size=(width, 40))


def test_l_makes_a_disk_blink_and_says_if_another_is_pulled(monkeypatch: pytest.MonkeyPatch) -> None:
    app = at_unit(DEGRADED)
    monkeypatch.setattr("raidtui.ui.care.unit_disks._LOOK_SECONDS", 0.05)
    assert isinstance(app.world, PretendWorld)
    connected = app.world.connected

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "l")
        assert "Which disk is to be found?" in shown(app)
        await press(pilot, "enter")
        while "one second on, one second off" not in shown(app):
            await pilot.pause(0.05)
        assert "DO NOT PULL IT NOW: tank (RAID5) needs it" in " ".join(shown(app).split())
        del connected["LAB-0005"]
        while "WRONG DISK: LAB-0005 was pulled, not LAB-0001" not in shown(app):
            await pilot.pause(0.05)
        del connected["LAB-0001"]
        while "LAB-0001 is out: that is the right disk." not in shown(app):
            await pilot.pause(0.05)
        await press(pilot, "escape")
        assert app.place.name == "unit"
        assert "LAB-0001 is out" not in shown(app)

    in_app(app, walk)


def test_a_recorded_machine_has_no_light() -> None:
    app = RaidtuiApp(
        RecordedWorld(DEGRADED),
        console=False,
        places=[Place("unit", {"unit": units_of(DEGRADED)[0].uuid})],
        draft=answers(),
    )

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "l", "enter")
        assert "nothing can be carried out on it" in shown(app)

    in_app(app, walk)


@LOOKS
def test_the_search_for_a_disk_that_must_not_be_pulled(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_unit(DEGRADED, console=look == "console"), look, keys=("l", "enter"))
