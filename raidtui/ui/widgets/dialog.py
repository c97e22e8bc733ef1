"""Small dialogs: the safe answer has the focus, and Escape gives it."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Button, Static

from raidtui.ui.shell.modal import Over
from raidtui.ui.widgets.field import Field


class Question(Over[bool]):
    """A yes/no question; the first button is no, and has the focus."""

    HELP = """
    A question about the page below. The first button changes nothing and has the focus: Enter presses it, and Esc
    does the same. The arrow keys move to the other button, which does what the question says.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "answer(False)", "No"),
        Binding("left,up", "app.focus_previous", "Other", show=False),
        Binding("right,down", "app.focus_next", "Other", show=False),
    ]

    def __init__(self, title: str, text: str, *, yes: str, no: str = "Cancel") -> None:
        super().__init__()
        self._title, self._text, self._yes, self._no = title, text, yes, no

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            yield Static(Content(self._text))
            with Horizontal(classes="buttons"):
                yield Push(Content(self._no), id="no")
                yield Push(Content(self._yes), id="yes")

    def on_mount(self) -> None:
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)


class AskText(Over[str]):
    """Asks for a line of text; the answer is None if canceled. ``does``: what Enter does with it."""

    TYPES = True
    HELP = """
    One line of text for the page below. What is there already is a proposal: change it, or press Enter at once. The
    lower edge of the box says what Enter does. Esc closes it and changes nothing.
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel")]

    def __init__(self, title: str, text: str, value: str, *, does: str = "saves") -> None:
        super().__init__()
        self._title, self._text, self._value, self._does = title, text, value, does

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content(f"Enter {self._does}, Esc cancels")
            yield Static(Content(self._text))
            yield Field(self._value, max_length=4096)

    def on_input_submitted(self, event: Field.Submitted) -> None:
        self.dismiss(event.value.strip())


class Reader(Over[None]):
    """A long text in a scrolling dialog; ``at_end``: scroll to its last line."""

    TYPES = True  # it confirms nothing
    HELP = (
        "The full text from the page below. The arrow keys, PgUp, PgDn, Home and End scroll. Esc closes it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,c", "leave", "Close")]

    def __init__(self, title: str, text: Content, *, at_end: bool = False) -> None:
        super().__init__()
        self._title, self._text, self._at_end = title, text, at_end

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="reader") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("Esc closes, ↑↓ PgUp PgDn scroll")
            yield Static(self._text)

    def on_mount(self) -> None:
        if self._at_end:
            self.query_one(".reader").scroll_end(animate=False)


class Push(Button):
    """A one-line button."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "Press")]

    def render(self) -> Content:
        left, right = ("> ", " <") if self.has_focus else ("[ ", " ]")
        return Content.assemble(left, str(self.label), right)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return super().get_content_width(container, viewport) + 4
