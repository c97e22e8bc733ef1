"""Lines that change often: only what differs is painted; bars and large figures are right."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.content import Content
from textual.visual import Visual
from textual.widget import Widget

from raidtui.ui.bench.digits import Size, figure, large
from raidtui.ui.widgets.bars import FULL, bar, rate_share
from raidtui.ui.widgets.live import Live, changed


@given(st.text("ab", max_size=40), st.text("ab", max_size=40))
def test_outside_the_changed_stretch_two_lines_are_equal(before: str, after: str) -> None:
    start, end = changed(Content(before), Content(after))
    width = max(len(before), len(after))
    old, new = before.ljust(width), after.ljust(width)
    assert old[:start] == new[:start]
    assert old[end:] == new[end:]
    if start < end:
        assert old[start] != new[start]
        assert old[end - 1] != new[end - 1]


def test_what_did_not_change_is_not_painted() -> None:
    line = Content("10 MB/s")
    assert changed(line, line) == (0, 0)
    assert changed(line, Content("19 MB/s")) == (1, 2)


def test_a_change_of_colour_alone_is_painted() -> None:
    assert changed(Content.styled("ok", "red"), Content.styled("ok", "green")) == (0, 2)


def test_wide_letters_are_painted_whole() -> None:
    assert changed(Content("超a"), Content("超b")) == (0, 3)


class _Lines(App[None]):
    def compose(self) -> ComposeResult:
        yield Live(Content("one 1"), Content("two 2"), id="lines")


def test_what_is_shown_is_what_was_given_however_it_changes() -> None:
    scenes = [["one 2", "two 2"], ["one 2"], ["one 2", "two 3", "three"], []]

    async def run() -> None:
        app = _Lines()
        async with app.run_test(size=(20, 6)) as pilot:
            for scene in scenes:
                app.query_one(Live).show([Content(line) for line in scene])
                await pilot.pause()
                strips = app.screen._compositor.render_strips()
                assert [strip.text.rstrip() for strip in strips][: len(scene)] == scene
                assert app.query_one(Live).size.height == max(1, len(scene))

    asyncio.run(run())


def test_only_the_lines_that_changed_are_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    draw: Callable[..., object] = Visual.to_strips

    def counted(widget: Widget, visual: Visual, *rest: object, **more: object) -> object:
        if isinstance(widget, Live):
            drawn.append(str(visual))
        return draw(widget, visual, *rest, **more)

    monkeypatch.setattr(Visual, "to_strips", counted)

    async def run() -> None:
        app = _Lines()
        async with app.run_test(size=(20, 6)) as pilot:
            await pilot.pause()
            app.screen._compositor.render_strips()
            assert drawn == ["one 1", "two 2"]
            app.query_one(Live).show([Content("one 1"), Content("two 3")])
            await pilot.pause()
            app.screen._compositor.render_strips()
            assert drawn[2:] == ["two 3"]
            app.query_one(Live).show([Content("one 1"), Content.styled("two 3", "red")])
            await pilot.pause()
            app.screen._compositor.render_strips()
            assert drawn[3:] == ["two 3"], "another colour is another line"
            await pilot.resize_terminal(30, 6)
            await pilot.pause()
            app.screen._compositor.render_strips()
            assert drawn[4:] == ["one 1", "two 3"], "in another width all are"

    asyncio.run(run())


@given(st.floats(0, 1), st.integers(2, 80))
def test_a_bar_is_as_wide_as_asked_never_empty_for_something_never_full_for_less(
    share: float, width: int
) -> None:
    drawn = bar(share, width)
    assert len(drawn) == width
    assert (FULL in drawn) == (share > 0)
    assert (drawn == FULL * width) == (share == 1)


def test_each_fifth_of_the_rates_bar_is_ten_times_more() -> None:
    shares = [rate_share(10.0**power) for power in range(5, 11)]
    assert shares == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert rate_share(0) == 0
    assert rate_share(1e12) == 1


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (734_000, "0.734"),
        (9.9996e6, "10.00"),
        (51.234e6, "51.23"),
        (512.34e6, "512.3"),
        (2512.34e6, "2512.3"),
        (12512.6e6, "12513"),
    ],
)
def test_figures_have_four_digits_and_fit(rate: float, text: str) -> None:
    assert figure(rate) == text
    for size, widest in ((Size.SMALL, 21), (Size.BIG, 42)):
        lines = large(text, size)
        assert len(lines) == size.value
        assert {len(line) for line in lines} == {len(lines[0])}
        assert len(lines[0]) <= widest


def test_big_figures_are_solid_and_of_what_every_console_has() -> None:
    assert set("".join(large("0123456789.", Size.BIG))) == {"█", " "}
    assert "".join(large("0123456789.", Size.SMALL)).strip("═║╔╗╚╝╠╣╦╩• ") == ""


@pytest.mark.parametrize("size", Size)
def test_no_two_digits_look_alike(size: Size) -> None:
    assert len({large(digit, size) for digit in "0123456789."}) == 11
