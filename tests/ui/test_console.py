"""The console profile: only glyphs that every console font has, readable in sixteen colors and in none."""

import html
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.pilot import Pilot

from raidtui.ui.shell.console import SAFE, glyph_filters, is_console, safe_character, safe_text
from tests.ui import machines
from tests.ui.pictures import in_app, open_app, press, shown

SNAPSHOTS = Path(__file__).parents[2] / "snapshots"


@given(st.text())
def test_every_text_becomes_safe_and_keeps_its_width(text: str) -> None:
    safe = safe_text(text)
    assert all(c.isascii() or c in SAFE for c in safe)
    assert cell_len(safe) == sum(cell_len(c) for c in text) or any(not c.isascii() for c in text)


@pytest.mark.parametrize(
    ("character", "safe"),
    [("é", "e"), ("━", "─"), ("▁", "─"), ("超", "? "), ("▶", ">"), ("█", "█"), ("ß", "?")],
)
def test_what_becomes_of_a_glyph(character: str, safe: str) -> None:
    assert safe_character(character) == safe


@pytest.mark.parametrize("encoding", ["iso8859-1", "ascii", "koi8-r", "cp437"])
def test_a_terminal_without_utf_8_gets_only_glyphs_of_its_encoding_as_wide_as_before(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "__stderr__", SimpleNamespace(encoding=encoding))
    glyphs = [Segment("".join(SAFE) + "▂━é超…")]
    for one in glyph_filters(console=False):
        glyphs = one.apply(glyphs, Color(0, 0, 0))
    (drawn,) = glyphs
    drawn.text.encode(encoding)
    assert drawn.cell_length == cell_len("".join(SAFE) + "▂━é超…")
    assert "?" not in drawn.text.replace("? ", "")


def text_of(picture: Path) -> str:
    """Everything that a picture shows, without the window that the exporter draws round it."""
    runs = re.findall(r'<text [^>]*clip-path="url\([^"]*line-\d+\)"[^>]*>([^<]*)</text>', picture.read_text())
    return html.unescape("".join(runs)).replace("\u00a0", " ")


def test_no_console_picture_of_any_screen_has_a_glyph_outside_the_set() -> None:
    pictures = [picture for picture in SNAPSHOTS.glob("*/*.svg") if "console" in picture.name]
    assert pictures
    foreign = {
        str(picture.relative_to(SNAPSHOTS)): unsafe
        for picture in pictures
        if (unsafe := {c for c in text_of(picture) if not c.isascii() and c not in SAFE})
    }
    assert foreign == {}


def test_pictures_hold_text() -> None:
    """The test above means nothing if the exporter's format changes under it."""
    picture = next(SNAPSHOTS.glob("test_disks_screen/*console*.svg"))
    assert "Disks" in text_of(picture)


def test_the_command_palette_is_safe_on_a_console() -> None:
    app = open_app(machines.four_disks(), "disks", console=True)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "ctrl+p")
        svg = app.export_screenshot()
        runs = re.findall(r"clip-path=\"url\([^\"]*line-\d+\)\"[^>]*>([^<]*)</text>", svg)
        text = html.unescape("".join(runs)).replace("\u00a0", " ")
        assert "Overview" in text
        assert {c for c in text if not c.isascii() and c not in SAFE} == set()

    in_app(app, walk)


@pytest.mark.parametrize("console", [False, True])
def test_without_colours_the_cursor_and_the_choice_can_still_be_seen(
    console: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = open_app(machines.four_disks(), "disks", console=console)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "space")
        strips = app.screen._compositor.render_strips()
        chosen, below = (
            next(s for s in strips if disk in s.text) for disk in ("WD-WCC7K0012", "WD-WCC7K0013")
        )
        assert chosen.text.lstrip().startswith("[1] sdb")
        assert below.text.lstrip().startswith("[ ] sdc")
        assert not any(segment.style.reverse for segment in chosen if segment.style)
        marked = [segment for segment in below if "sdc" in segment.text]
        assert marked
        assert all(segment.style and segment.style.reverse for segment in marked), "Space led to the next"

    in_app(app, walk)


def test_colour_is_never_alone_a_failing_disk_is_told_in_words() -> None:
    app = open_app(machines.taken_disks(), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        assert "FAILING" in shown(app)
        assert "[ ] sdb" not in shown(app)

    in_app(app, walk)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "linux"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "screen", "RAIDTUI_CONSOLE": "1"}, True),
        ({"TERM": "linux", "RAIDTUI_CONSOLE": "0"}, False),
    ],
)
def test_the_profile_is_chosen_by_the_terminal_or_by_the_user(
    environment: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("raidtui.ui.shell.console._keyboard_answers", lambda descriptor: False)
    assert is_console() is expected


def test_a_word_that_was_cut_does_not_look_like_the_end_of_a_sentence() -> None:
    assert safe_text("without redundancy th…") == "without redundancy th~"


def test_an_address_whose_end_is_not_shown_does_not_read_as_a_home_folder() -> None:
    assert safe_text("https://example.org/…, slack://…") == "https://example.org/*, slack://*"
    assert safe_text("WD-WCC7…") == "WD-WCC7~"
