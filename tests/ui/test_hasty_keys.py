"""Keys that come faster than screens: typed ahead, pasted, or brought all at once by a slow line."""

import asyncio
import random
import threading
from time import monotonic
from typing import Any

import pytest
from rich.console import RenderableType
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from raidtui.model.machine import Machine
from raidtui.model.smart import Smart
from raidtui.model.unit import Unit
from raidtui.ui.care.overview import OverviewScreen
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.lifecycle import InFront, in_thread
from raidtui.ui.widgets.dialog import AskText, Question
from tests.ui import machines
from tests.ui.pictures import answers, drain, in_app, open_app, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

pytestmark = pytest.mark.slow

KEYS = (
    *(
        "enter",
        "enter",
        "enter",
        "escape",
        "down",
        "down",
        "up",
        "left",
        "right",
        "space",
        "tab",
        "f1",
        "plus",
    ),
    *("minus", "a", "s", "d", "l", "m", "b", "w", "j", "c", "n", "t", "1", "x"),
)
MACHINES = ("blank-4", "disks-24", "mixed-sizes", "taken", "raid5-clean", "raid5-building")


def type_at_once(app: RaidtuiApp, *keys: str) -> None:
    """Have the keys come before any of them has had an effect."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


@pytest.mark.parametrize("seed", range(8))
def test_no_haste_stops_the_app(seed: int) -> None:
    dice = random.Random(seed)
    app = open_app(recorded(dice.choice(MACHINES)), dice.choice(("overview", "disks")))

    async def run() -> None:
        async with app.run_test(size=dice.choice(((80, 24), (120, 40)))) as pilot:
            for _ in range(80):
                type_at_once(app, dice.choice(KEYS))
                if dice.random() < 0.4:
                    await asyncio.sleep(dice.choice((0, 0, 0.01, 0.03, 0.1)))
            await drain(pilot)  # what was wrong is raised at the end of the test's app

    asyncio.run(run())


def test_the_whole_wizard_in_one_burst_leads_to_the_button_and_does_not_press_it() -> None:
    """Each key lands on the screen it was meant for, whatever that screen reads or calculates first."""
    machine = recorded("blank-4")
    world = PretendWorld(machine)
    app = open_app(world, "overview", draft=answers())
    serials = "".join(disk.serial[-4:] for disk in machine.disks)

    async def walk(pilot: Pilot[int]) -> None:
        type_at_once(app, "n", "a", "enter", "enter", "enter", "enter", *serials, "enter", "enter", "enter")
        await settle(pilot)
        assert app.place.name == "confirm"
        assert "4 of 4 disks named" in shown(app)
        assert app.focused is app.screen.query_one("#erase")
        assert world.orders == [], "nobody has seen yet what would be erased"
        await asyncio.sleep(0.3)  # what came at once is gone with them
        await press(pilot, "enter")
        assert [what for what, _ in world.orders] == ["build"]

    in_app(app, walk)


def test_keys_wait_for_a_slow_reading_of_the_disks_and_esc_does_not() -> None:
    read = threading.Event()

    class Slow(PretendWorld):
        def machine(self) -> Machine:
            read.wait()
            return super().machine()

    for keys, place in (("a", "enter"), "level"), (("a", "enter", "escape", "escape"), "overview"):
        read.clear()
        app = open_app(Slow(recorded("blank-4")), "overview", "disks", draft=answers())

        async def run(app: RaidtuiApp = app, keys: tuple[str, ...] = keys, place: str = place) -> None:
            async with app.run_test(size=(80, 24)) as pilot:
                await pilot.pause()
                type_at_once(app, *keys)
                await pilot.pause()
                waiting_at = app.place.name
                read.set()
                await settle(pilot)
                assert waiting_at == ("overview" if "escape" in keys else "disks")
                assert app.place.name == place

        asyncio.run(run())


def test_space_typed_ahead_accepts_no_hazard_that_was_not_seen() -> None:
    worn = machines.disk(3, smart=Smart(passed=True, pending_sectors=3))
    disks = [machines.disk(1), machines.disk(2), worn]
    draft = answers(*(disk.serial for disk in disks), level="raid5")
    app = open_app(machines.machine(disks), "overview", "disks", "level", "options", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        type_at_once(app, "enter", "space", "enter")
        await settle(pilot)
        assert app.place.name == "review"
        assert "HIGH [ ]" in shown(app)
        await asyncio.sleep(0.3)
        await press(pilot, "space")
        assert "HIGH [x]" in shown(app)

    in_app(app, walk)


def test_what_follows_a_text_is_for_the_page_below() -> None:
    app = open_app(recorded("blank-4"), "overview", "disks", draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        type_at_once(app, "f1", "escape", "a", "enter")
        await settle(pilot)
        assert app.place.name == "level"
        type_at_once(app, "escape", "escape", "escape")
        await settle(pilot)
        assert app.place.name == "overview"

    in_app(app, walk)


def test_a_second_enter_was_meant_for_the_question_and_not_for_the_page_below() -> None:
    app = open_app(recorded("blank-4"), "overview")
    heard: list[bool | None] = []

    async def walk(pilot: Pilot[int]) -> None:
        app.push_screen(Question("Really?", "It is asked.", yes="Yes"), heard.append)
        await settle(pilot)
        type_at_once(app, "right", "enter", "enter", "enter")
        await settle(pilot)
        assert heard == [True]
        assert isinstance(app.screen, OverviewScreen)

    in_app(app, walk)


def test_a_question_that_was_not_seen_is_not_answered() -> None:
    app = open_app(recorded("blank-4"), "overview")
    heard: list[bool | None] = []

    async def walk(pilot: Pilot[int]) -> None:
        before = [events.Key(key, None) for key in ("right", "enter")]
        app.push_screen(Question("Really?", "It is asked.", yes="Yes"), heard.append)
        await settle(pilot)
        for key in before:
            app.post_message(key)
        await settle(pilot)
        assert heard == []

    in_app(app, walk)


def test_a_dialog_answers_once() -> None:
    app = open_app(recorded("blank-4"), "overview")
    answers: list[str | None] = []

    async def walk(pilot: Pilot[int]) -> None:
        app.push_screen(AskText("Where to", "A file", ""), answers.append)
        await settle(pilot)
        type_at_once(app, "x", "enter", "enter", "enter")
        await settle(pilot)
        assert len(answers) == 1

    in_app(app, walk)


@pytest.mark.parametrize("left", [False, True])
def test_an_answer_is_heard_only_on_the_screen_that_asked(left: bool) -> None:
    app = open_app(recorded("blank-4"), "overview")
    has_come = threading.Event()

    def slow_disk() -> str:
        has_come.wait()
        return "an answer"

    async def walk(pilot: Pilot[int]) -> None:
        app.push_screen(AskText("Where to", "A file", ""))
        await settle(pilot)
        asked = asyncio.ensure_future(in_thread(app.screen, slow_disk))
        await asyncio.sleep(0)
        if left:
            await press(pilot, "escape")
        has_come.set()
        if left:
            with pytest.raises(asyncio.CancelledError):
                await asked
        else:
            assert await asked == "an answer"

    in_app(app, walk)


def test_the_command_palette_answers_once() -> None:
    app = open_app(recorded("blank-4"), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "ctrl+p", *"disks")
        type_at_once(app, "enter", "enter", "enter", "enter")
        await settle(pilot)
        assert app.place.name == "disks", "the page that was chosen, and no order was given on it"

    in_app(app, walk)


def test_text_and_bound_keys_keep_their_order() -> None:
    app = open_app(recorded("blank-4"), "overview")
    answers: list[str | None] = []

    async def walk(pilot: Pilot[int]) -> None:
        app.push_screen(AskText("Where to", "A file", "data"), answers.append)
        await settle(pilot)
        type_at_once(app, *["backspace"] * 4, *"tank", "left", "left", *"x", "enter")
        await settle(pilot)

    in_app(app, walk)
    assert answers == ["taxnk"]


@pytest.mark.parametrize(("place", "sign"), [("confirm", "type the last"), ("options", "Name")])
def test_no_field_is_seen_before_it_takes_the_keys(
    place: str, sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine it takes long to make 24 fields: whoever sees them may type."""
    machine = machines.many_disks()
    draft = answers(*(disk.serial for disk in machine.disks[1:]), level="raid6")
    app = open_app(machine, "overview", "disks", place, draft=draft)
    paint, seen_at = app._display, [0.0]

    def note(screen: Screen[object], renderable: RenderableType | None) -> None:
        paint(screen, renderable)
        if not seen_at[0] and app.screen.is_mounted and sign in shown(app):
            seen_at[0] = monotonic()

    async def slowly(container: Widget, *about: Any, **named: Any) -> None:
        await mount_all(container, *about, **named)
        await asyncio.sleep(0.1)  # several paintings

    mount_all = Widget.mount_all
    monkeypatch.setattr(Widget, "mount_all", slowly)
    monkeypatch.setattr(app, "_display", note)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        page = app.screen
        assert isinstance(page, InFront)
        assert 0 < page.since <= seen_at[0], "keys count from before the first field was seen"

    in_app(app, walk)


def test_options_typed_in_one_burst_with_the_key_that_opens_them_are_taken() -> None:
    app = open_app(recorded("raid5-clean"), "benchmark")

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            type_at_once(app, "o", "down", "down", "down", "3", "down", "4", "enter")
            await drain(pilot)
            await settle(pilot)
            assert "3 runs of 4 s" in shown(app)

    asyncio.run(run())


def test_enter_typed_while_the_overview_reads_opens_what_is_to_do_and_other_keys_do_not_wait() -> None:
    may_read, may_poll = threading.Event(), threading.Event()

    class Slow(PretendWorld):
        def machine(self) -> Machine:
            may_read.wait(10)
            return super().machine()

        def polled(self, *, fresh: bool = True) -> tuple[Unit, ...]:
            may_poll.wait(10)
            return super().polled(fresh=fresh)

    app = open_app(Slow(recorded("raid5-degraded")), "overview")
    btrfs = open_app(Slow(recorded("btrfs-raid1")), "overview")

    async def waits(app: RaidtuiApp, key: str, place: str) -> None:
        may_read.clear()
        may_poll.clear()
        async with app.run_test(size=(80, 24)) as pilot:
            type_at_once(app, "j", "escape", key)
            await pilot.pause(0.3)
            assert app.place.name == "overview"
            may_read.set()
            await pilot.pause(0.3)
            assert "No arrays" not in shown(app), "what is polled is not read yet"
            may_poll.set()
            await drain(pilot)
            await settle(pilot)
            assert app.place.name == place

    asyncio.run(waits(app, "enter", "care"))
    asyncio.run(waits(btrfs, "u", "unit"))
