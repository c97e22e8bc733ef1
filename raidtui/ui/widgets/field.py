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

    def __init__(
        self,
        value: str = "",
        *,
        id: str | None = None,  # noqa: A002
        max_length: int,
        placeholder: str = "",
    ) -> None:
        # A selected text shows by colour alone, and the next key would replace it.
        super().__init__(value, id=id, max_length=max_length, placeholder=placeholder, select_on_focus=False)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether the key is typed; Textual knows no character of the slash."""
        return key == "slash" or super().check_consume_key(key, character)


class FilterField(Field):
    """The text by which a list is filtered while it is typed; Enter goes back to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "To the list")]
