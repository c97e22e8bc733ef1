"""A dialog to choose one of a few things from a list."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.modal import Over
from raidtui.ui.widgets.rows import Column, Row, Rows


class Chooser(Over[str]):
    """Lists names, with an explanation of the highlighted one; the answer is the name, or None if canceled."""

    HELP = """
    One of a few things is to be chosen for the page below. The arrow keys mark a line; below the list stands what it
    means. Enter chooses it. Esc closes the list and changes nothing.
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
        Binding("enter", "take", "Choose"),
    ]

    def __init__(self, title: str, offers: Sequence[tuple[str, str]], *, column: str) -> None:
        """``column``: what the names are, as the heading of the list."""
        super().__init__()
        self._title, self._offers, self._column = title, dict(offers), column

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("Enter chooses, Esc cancels")
            yield Rows((Column(self._column, 20, share=1),))
            yield Static(id="meaning")

    def on_mount(self) -> None:
        # Filled after the first layout, which sets the widths of the columns.
        later(self, self._fill)

    def _fill(self) -> None:
        table = self.query_one(Rows)
        table.styles.height = len(self._offers) + 2
        table.show([Row(name, (name,)) for name in self._offers])
        table.focus_list()

    @while_there
    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self.query_one("#meaning", Static).update(Content(self._offers[event.key]))

    def action_take(self) -> None:
        self.dismiss(self.query_one(Rows).key)
