"""One of a few things, chosen from a list over the page."""

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
    """Offers names, each with a sentence about it; answers with the name, or nothing when it is canceled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
        Binding("enter", "take", "Choose"),
    ]

    def __init__(self, title: str, offers: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._title, self._offers = title, dict(offers)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("Enter chooses, Esc cancels")
            yield Rows((Column("Name", 20, share=1),))
            yield Static(id="meaning")

    def on_mount(self) -> None:
        # Shown after the first layout: the columns take their widths from it.
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
        """Answer with the highlighted one."""
        self.dismiss(self.query_one(Rows).key)

    def action_leave(self) -> None:
        """Answer with nothing."""
        self.dismiss("")
