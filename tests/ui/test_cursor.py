"""The terminal's own cursor stands on the focus, which braille displays and screen readers follow; and NO_COLOR."""

import re
from pathlib import Path
from typing import Final

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot

from raidtui.backends.reading import recorded_machine
from raidtui.model.spec import Backend
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.places import PLACES
from raidtui.ui.widgets.rows import Rows
from raidtui.ui.wizard.draft import Draft
from tests.ui import machines
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_results import result
from tests.ui.pictures import answers, in_app, open_app, press, shown
from tests.ui.terminals import Terminal

MACHINES: Final = Path(__file__).resolve().parents[1] / "machines"
DEGRADED: Final = MACHINES / "raid5-degraded.json"


def drafted() -> Draft:
    """Four disks as RAID5."""
    members = [disk.serial for disk in machines.four_disks().disks[1:]]
    return answers(*members).with_level(Backend.MDADM, "raid5", None).fitting()


def at(app: RaidtuiApp) -> str:
    """The text from the terminal's cursor on, to the end of its line."""
    place = app.cursor_position
    return shown(app).splitlines()[place.y].ljust(80)[place.x :]


@pytest.mark.parametrize("name", [name for name in PLACES if name not in {"procedure", "recover"}])
def test_on_every_screen_it_is_on_the_highlighted_row_the_mark_or_the_title(name: str) -> None:
    recorded = name in {"care", "unit", "scrubs", "teardown"}
    machine = recorded_machine(str(DEGRADED)) if recorded else machines.four_disks()
    app = open_app(machine, "overview", name, draft=drafted())

    async def walk(pilot: Pilot[int]) -> None:
        for key in ("", "down", "down", "up"):
            await press(pilot, *([key] if key else []))
            assert app.cursor_position.y > 0, shown(app)
            rows = app.screen.query(Rows)
            if app.screen.focused is None or not rows or not rows.first().rows:
                continue
            table = rows.first()
            row = next(one for one in table.rows if one.key == table.key)
            words = next(cell for cell in row.cells if cell.strip()).split()
            assert words[0][:6] in at(app), f"{words[0]!r} is not in {at(app)!r}:\n{shown(app)}"

    in_app(app, walk)


@pytest.mark.parametrize(
    ("name", "keys", "wanted"),
    [
        ("disks", ("down",), "[2] sdc"),
        ("options", (), "data"),
        ("options", ("down",), "[ext4]"),
        ("options", ("down", "right"), "[xfs]"),
        ("benchmark", (), "║"),
        ("overview", (), ">"),
        ("confirm", (), ""),
    ],
)
def test_where_it_is(name: str, keys: tuple[str, ...], wanted: str) -> None:
    app = open_app(machines.four_disks(), name, draft=drafted())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *keys)
        place = app.cursor_position
        line = shown(app).splitlines()[place.y]
        assert wanted in line, f"{line!r} in:\n{shown(app)}"
        if keys == ("down", "right"):
            assert line[place.x :].startswith(wanted)

    in_app(app, walk)


def test_in_a_field_it_is_behind_what_is_typed() -> None:
    app = open_app(machines.four_disks(), "confirm", draft=drafted())

    async def walk(pilot: Pilot[int]) -> None:
        before = app.cursor_position
        await press(pilot, "0", "0")
        assert app.cursor_position == Offset(before.x + 2, before.y)
        assert shown(app).splitlines()[before.y][before.x :].startswith("00")

    in_app(app, walk)


@pytest.mark.parametrize(
    ("key", "title"), [("f1", "Help"), ("d", "RAID"), ("w", "What if"), ("ctrl+p", "")], ids=str
)
def test_a_dialog_takes_it(key: str, title: str) -> None:
    app = open_app(machines.four_disks(), "level", draft=drafted())

    async def walk(pilot: Pilot[int]) -> None:
        page = app.screen
        await press(pilot, key)
        assert app.screen is not page
        focused = app.screen.focused
        assert focused is not None
        assert title in shown(app)
        assert focused.region.contains(*app.cursor_position)

    in_app(app, walk)


def test_it_follows_the_marked_row_of_a_comparison() -> None:
    results = [result(1, "data raid5"), result(2, "data raid10", factor=1.62, level="raid10")]
    app = open_app(BusyWorld(machines.four_disks(), results=results), "compare")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space", "space", "enter")
        first = app.cursor_position
        assert at(app).startswith("> ")
        await press(pilot, "down")
        assert app.cursor_position.y > first.y
        assert at(app).startswith("> ")

    in_app(app, walk)


COLORED: Final = {
    *(str(number) for number in (*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108)))
}


def colors(written: bytes) -> set[str]:
    """The color codes among the attributes that were sent."""
    sent = {code.decode() for code in re.findall(rb"\x1b\[([0-9;]*)m", written)}
    return {part for code in sent for part in code.split(";")} & COLORED


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["xterm-256color", "linux"])
def test_no_color_sends_no_color_and_the_cursor_is_on_the_row(kind: str) -> None:
    words = ["-m", "raidtui", "--machine", str(DEGRADED)]
    with Terminal(words, environment={"TERM": kind, "NO_COLOR": "1"}) as terminal:
        terminal.until("Enter opens")
        terminal.press("d")
        terminal.until("[Disks]")
        terminal.until_cursor_on("[ ] ubde")
        assert colors(terminal.written) == set()
        terminal.press("q")
        assert terminal.exit_code() == 0


@pytest.mark.slow
def test_the_terminals_own_palette_is_all_that_is_sent() -> None:
    words = ["-m", "raidtui", "wizard", "--machine", str(DEGRADED), "--colors", "16"]
    with Terminal(words, environment={"COLORTERM": "truecolor"}) as terminal:
        terminal.until("Enter opens")
        terminal.wait(0.5)
        assert colors(terminal.written)
        assert not {"38", "48"} & colors(terminal.written), "they choose other colors than the palette's"
        terminal.press("q")
        assert terminal.exit_code() == 0
