"""Input fields."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class Field(Input):
    """A line of text. It takes every printable key, so the footer shows its own keys instead of the page's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Next"),
        Binding("f10", "app.quit", "Quit"),
    ]

    def __init__(
        self,
        value: str = "",
        *,
        id: str | None = None,  # noqa: A002
        max_length: int,
        placeholder: str = "",
    ) -> None:
        # Selected text shows only by its color, and the next key would replace it.
        super().__init__(value, id=id, max_length=max_length, placeholder=placeholder, select_on_focus=False)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether the key is text; Textual has no character for the slash."""
        return key == "slash" or super().check_consume_key(key, character)


class FilterField(Field):
    """Filters a list as you type; Enter returns to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "To the list")]
