"""Where the terminal's own cursor stands: on the focus. Braille displays and screen readers follow it.

Textual hides that cursor and leaves it at the top, except in a field.
"""

from typing import Final, Protocol, runtime_checkable

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static

from raidtui.ui.shell.private import line_of_option
from raidtui.ui.widgets.live import Live

HOME: Final = Offset(0, 0)


@runtime_checkable
class HasSpot(Protocol):
    """A widget that knows which of its cells the user is at."""

    @property
    def spot(self) -> Offset:
        """That cell, within the content."""


@runtime_checkable
class HasMark(Protocol):
    """A page on which not the focus but a sign shows where the user is."""

    MARKED_IN: str  # selector of the widgets in which it can be
    MARK: str  # the sign, at the beginning of a line or with a style of its own


def spot_on(screen: Screen[object]) -> Offset:
    """The cell that the user is at: in the focused widget, else at the page's mark, else at its title."""
    focused = screen.focused
    if isinstance(focused, Input):  # its own offset is one cell too far at the end of the text
        before = cell_len(focused.value[: focused.cursor_position])
        return focused.content_region.offset + Offset(before - focused.scroll_offset.x, 0)
    if focused is not None and focused.is_on_screen:  # a hidden list keeps the focus
        at = focused.content_region.offset
        if isinstance(focused, HasSpot):
            return at + focused.spot
        if isinstance(focused, OptionList) and focused.highlighted is not None:
            line = line_of_option(focused, focused.highlighted) - focused.scroll_offset.y
            return at + Offset(0, min(max(0, line), max(0, focused.size.height - 1)))
        return at
    if isinstance(screen, HasMark):
        for widget in screen.query(screen.MARKED_IN):
            if widget.is_on_screen and (found := _mark_in(widget, screen.MARK)) is not None:
                return widget.content_region.offset + found
    titles = screen.query("#heading")
    return titles.first().content_region.offset if titles else HOME


def _mark_in(widget: Widget, mark: str) -> Offset | None:
    """The cell of the mark in the text of a widget; None if it is not there."""
    if isinstance(widget, Live):
        lines = list(widget.lines)
    elif isinstance(widget, Static) and isinstance(widget.content, Content):
        lines = widget.content.split("\n", allow_blank=True)
    else:
        return None
    for y, line in enumerate(lines):
        text = line.plain
        if text.lstrip().startswith(mark):
            return Offset(text.index(mark), y)
        for span in line.spans:
            if text[span.start : span.end] == mark:
                return Offset(span.start, y)
    return None
