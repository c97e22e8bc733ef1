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

from raidtui.ui.care.overview import OverviewScreen
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.help import HelpScreen
from raidtui.ui.shell.lifecycle import InFront, in_thread
from raidtui.ui.widgets.dialog import AskText
from tests.ui import machines
from tests.ui.pictures import answers, drain, in_app, open_app, press, settle, shown
from tests.ui.recorded import recorded

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


def test_a_key_acts_on_no_screen_that_was_not_there_when_it_was_pressed() -> None:
    app = open_app(recorded("blank-4"), "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        type_at_once(app, "a", "enter", "enter", "enter", "enter")
        await settle(pilot)
        assert app.place.name == "level", "the first Enter led here, and the others were not meant for it"

        type_at_once(app, "escape", "escape", "escape")
        await settle(pilot)
        assert app.place.name == "disks"

    in_app(app, walk)


def test_esc_typed_before_a_dialog_was_seen_closes_it_and_nothing_else() -> None:
    app = open_app(recorded("blank-4"), "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        page = app.screen
        type_at_once(app, "f1", "escape", "escape", "a")
        await settle(pilot)
        assert app.screen is page, "the second Esc and what followed were not meant for the page below"
        assert not app.draft.spec.members
        await asyncio.sleep(0.3)  # what comes at once goes with them
        await press(pilot, "f1")
        assert isinstance(app.screen, HelpScreen)

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
        assert isinstance(app.screen, OverviewScreen), "the page below stays"

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
