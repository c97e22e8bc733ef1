"""A line of text to fill in."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class Field(Input):
    """Takes every printable key, so its own keys stand in the footer instead of the page's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Next"),
        Binding("f10", "app.quit", "Quit"),
    ]
