"""A page with a list and an explanation of the highlighted row: below it, or beside it on a wide terminal."""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from raidtui.ui.shell.lifecycle import later, while_there
from raidtui.ui.shell.page import Page
from raidtui.ui.widgets.rows import Column, Rows

_MARGINS: Final = 4  # cells: margins and scrollbar
LEAST_BENEATH: Final = 5  # lines: fewer say too little

_AROUND: Final = 7  # lines that are neither the list's nor below it: two above, its head, a rule, two below


class ListPage(Page):
    """The explanation has a fixed height, so that nothing jumps; ``d`` shows all of it if it does not fit."""

    COLUMNS: ClassVar[Sequence[Column]] = ()
    LIST_SHARE: ClassVar[float] = 0.68  # of a wide page; the explanation has the rest, as the style says
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "detail", "Detail", show=False, tooltip="Show the whole explanation"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._explanation = Content("Reading the disks...")

    def body(self) -> ComposeResult:
        with Vertical(id="panes"):
            yield Rows(self.COLUMNS)
            yield Static(id="beneath")
            with VerticalScroll(id="detail", can_focus=False):
                yield Static(self._explanation, id="explanation")

    @property
    def is_wide(self) -> bool:
        """Whether the explanation is beside the list, where there is room for all of it."""
        return self.has_class("-wide")

    @property
    def list_width(self) -> int:
        """The width of a terminal that would have this list across all of it."""
        width = self.app.size.width
        return int((width - 2) * self.LIST_SHARE) if self.is_wide else width

    @property
    def beneath_width(self) -> int:
        """The cells of a line below the list."""
        return self.list_width - _MARGINS

    @property
    def detail_width(self) -> int:
        """The cells of a line of the explanation."""
        return int((self.app.size.width - 2) * (1 - self.LIST_SHARE if self.is_wide else 1))

    @property
    def room_beneath(self) -> int:
        """The lines that the list leaves free on a large terminal; 0 on a small one."""
        if not (self.is_wide and self.has_class("-tall")):
            return 0
        return max(0, self.size.height - _AROUND - self.table.lines)

    def beneath(self, room: int) -> Content:
        """What stands below a short list on a large terminal, in at most ``room`` lines; empty: nothing."""
        return Content("")

    def show_beneath(self) -> None:
        """Fill the room below the list."""
        room = self.room_beneath
        text = self.beneath(room) if room >= LEAST_BENEATH else Content("")
        if self.query("#beneath"):
            self.set_class(bool(text.plain), "-filled")
            self.put("#beneath", text)

    def on_resize(self) -> None:
        later(self, self.show_beneath)

    @property
    def table(self) -> Rows:
        return self.query_one(Rows)

    def explain(self, text: Content) -> None:
        """Explain the highlighted row."""
        self._explanation = text
        self.put("#explanation", text)
        self.show_beneath()
        later(self, self._mark_overflow)

    @on(Rows.Scrolled)
    @while_there
    def _rows_scrolled(self) -> None:
        self._mark_overflow()

    def _mark_overflow(self) -> None:
        """Say on the edge of the explanation what does not fit, and the key that shows it."""
        detail = self.query_one("#detail")
        keys = "d: show all" if detail.max_scroll_y else ""
        detail.border_title = ", ".join(filter(None, (self.table.out_of_sight, keys)))

    def action_detail(self) -> None:
        from raidtui.ui.widgets.dialog import Reader

        self.app.push_screen(Reader(self.title or "", self._explanation))
