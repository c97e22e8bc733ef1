"""A choice of a few words on one line: ``[ext4]  xfs  btrfs  none``."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static


class Choice(Static, can_focus=True):
    """Left and right (or Space) change it; brackets mark the chosen word, ``>`` the focus."""

    DEFAULT_CSS = """
    Choice { width: auto; height: 1; }
    Choice:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    Choice:disabled { color: $text-muted; text-style: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Change", key_display="←→"),
        Binding("right,space", "step(1)", "Next", show=False),
    ]

    value: reactive[str] = reactive("", init=False)

    class Changed(Message):
        """Another word was chosen."""

        def __init__(self, choice: "Choice") -> None:
            super().__init__()
            self.choice = choice

        @property
        def control(self) -> "Choice":
            return self.choice

    def __init__(self, words: Sequence[str], value: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words = tuple(words)
        self.set_reactive(Choice.value, value)

    def render(self) -> Content:
        parts: list[tuple[str, str] | str] = [">" if self.has_focus else " "]
        for word in self._words:
            chosen = word == self.value
            parts += [(f"[{word}]", "bold") if chosen else f" {word} ", " "]
        return Content.assemble(*parts)

    @property
    def spot(self) -> Offset:
        """The chosen word."""
        place = self._words.index(self.value) if self.value in self._words else 0
        return Offset(1 + sum(len(word) + 3 for word in self._words[:place]), 0)

    def watch_value(self) -> None:
        self.refresh()
        self.post_message(self.Changed(self))

    def action_step(self, step: int) -> None:
        place = self._words.index(self.value) if self.value in self._words else 0
        self.value = self._words[(place + step) % len(self._words)]
