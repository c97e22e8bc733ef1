"""A list of rows in columns that fit the width; the keys of the page act on the highlighted row."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from raidtui.model.struct import Record
from raidtui.model.text import fold


class Column(Record, frozen=True):
    """A column. ``width`` is the minimum; the remaining room is distributed by ``share``.

    A column takes no more than its longest cell needs, so that columns stay together on a wide terminal.
    """

    title: str
    width: int
    share: int = 0
    right: bool = False  # right-aligned, for numbers
    keep_end: bool = False  # cut at the front: people compare the end of a serial number


class Row(Record, frozen=True):
    """A row: its key, its cells as plain text, and a style for each cell, or one for all.

    ``marks``: the index of a cell whose characters have their own styles, and these (``2, {"#": "$success"}``).
    If there are fewer cells than columns, the last cell extends to the end of the row. ``rule``: it divides the list;
    the cursor skips it.
    """

    key: str
    cells: tuple[str, ...]
    styles: tuple[str, ...] = ()
    wrap: bool = False  # wrap the last cell
    marks: tuple[int, Mapping[str, str]] | None = None
    rule: bool = False


class _List(OptionList, inherit_bindings=False):
    # Without OptionList's own Enter: the page binds Enter.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor_up", "Up", show=False),
        Binding("down,j", "cursor_down", "Down", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
    ]


class Rows(Vertical):
    """Rows under a header. The highlight stays on the same row (by key) when the rows change."""

    DEFAULT_CSS = """
    Rows { height: 1fr; }
    Rows > #header { height: 1; color: $text-muted; text-style: bold; }
    Rows > _List { height: 1fr; border: none; padding: 0; background: transparent; scrollbar-size-vertical: 1; }
    Rows > _List:focus { border: none; }
    """

    class Moved(Message):
        """Another row is highlighted; ``by_hand``: by the user, not by the page."""

        def __init__(self, key: str, *, by_hand: bool) -> None:
            super().__init__()
            self.key, self.by_hand = key, by_hand

    class Scrolled(Message):
        """Other rows are visible."""

    def __init__(self, columns: Sequence[Column], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._columns = tuple(columns)
        self._rows: tuple[Row, ...] = ()
        self._width = 0
        self._needs = [0] * len(self._columns)  # the longest cell of each column so far
        self._widths = self._share_out()
        self._placed = ""  # key of the row that the page highlighted, until its message arrives
        self._plain: int | None = None  # the row painted without its styles

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield _List(compact=True)

    def on_mount(self) -> None:
        for changing in ("scroll_y", "virtual_size", "size"):
            self.watch(self._list, changing, self._scrolled, init=False)

    def _scrolled(self) -> None:
        self.post_message(self.Scrolled())

    @property
    def _list(self) -> OptionList:
        return self.query_one(_List)

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._rows

    @property
    def key(self) -> str:
        """The key of the highlighted row; empty if there is none."""
        index = self._list.highlighted
        return self._rows[index].key if index is not None and index < len(self._rows) else ""

    @property
    def lines(self) -> int:
        """How many lines all rows take."""
        return sum(str(option.prompt).count("\n") + 1 for option in self._list.options)

    @property
    def out_of_sight(self) -> str:
        """The number of hidden rows above and below: "2 rows above, 3 below"; empty if none."""
        shown = self._list
        top, bottom = shown.scroll_offset.y, shown.scroll_offset.y + shown.size.height
        above = below = end = 0
        for option in shown.options:
            start, end = end, end + str(option.prompt).count("\n") + 1
            above += start < top
            below += end > bottom
        parts: list[str] = []
        for count, where in ((above, "above"), (below if shown.size.height else 0, "below")):
            if count:
                parts.append(f"{count} {where}" if parts else f"{count} row{'s'[: count != 1]} {where}")
        return ", ".join(parts)

    def show(
        self, rows: Sequence[Row], *, highlight: str = "", columns: Sequence[Column] | None = None
    ) -> None:
        """Replace the rows, and the columns if given.

        Highlights the row with the key ``highlight``, by default the current one, else the first.
        """
        wanted = highlight or self.key
        if columns is not None and tuple(columns) != self._columns:
            self._columns, self._rows = tuple(columns), ()
            self._needs = [0] * len(self._columns)
        old, self._rows = self._rows, tuple(rows)
        keys = [row.key for row in self._rows]
        self._measure()
        moved = self._place_columns()
        if [row.key for row in old] == keys:
            self._paint(() if moved else old)
        else:
            self._plain = None
            self._list.clear_options()
            self._list.add_options(Option(self._line(row), disabled=row.rule) for row in self._rows)
        if keys:
            first = next((index for index, row in enumerate(self._rows) if not row.rule), 0)
            place = keys.index(wanted) if wanted in keys else first
            if place != self._list.highlighted:
                self._placed = keys[place]
            self._list.highlighted = place

    def step_down(self) -> None:
        """Highlight the next row, if there is one."""
        index = self._list.highlighted
        if index is not None and index + 1 < len(self._rows):
            self._list.highlighted = index + 1

    def focus_list(self) -> None:
        self._list.focus()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._list.scroll_to_highlight)  # the list itself scrolls too early
        if event.size.width != self._width:
            self._width = event.size.width
            self._place_columns()
            self._paint(())

    def _measure(self) -> None:
        """Note the longest cells. A column never shrinks again: it stays where it is while a list is filtered."""
        for index, column in enumerate(self._columns):
            if column.share:
                # The last cell of a shorter row may be as long as the row.
                least = min(index + 2, len(self._columns))
                cells = (row.cells[index] for row in self._rows if len(row.cells) >= least)
                self._needs[index] = max(self._needs[index], *map(cell_len, (column.title, *cells)))

    def _place_columns(self) -> bool:
        """Update the widths and the header; return whether a width changed."""
        before, self._widths = self._widths, self._share_out()
        titles = Row("", tuple(column.title for column in self._columns))
        self.query_one("#header", Static).update(self._line(titles))
        return self._widths != before

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._repaint_cursor()
        if self.key:
            self.post_message(self.Moved(self.key, by_hand=self.key != self._placed))
        self._placed = ""

    def _paint(self, old: tuple[Row, ...]) -> None:
        for index, row in enumerate(self._rows):
            if index >= len(old) or old[index] != row:
                line = self._line(row, plain=index == self._plain)
                self._list.replace_option_prompt_at_index(index, line)

    def _repaint_cursor(self) -> None:
        """Paint the highlighted row without its styles, but for a severity, which stands on its own background."""
        before, self._plain = self._plain, self._list.highlighted
        for index in {before, self._plain} - {None}:
            if index is not None and index < len(self._rows):
                line = self._line(self._rows[index], plain=index == self._plain)
                self._list.replace_option_prompt_at_index(index, line)

    def _line(self, row: Row, *, plain: bool = False) -> Content:
        parts: list[tuple[str, str] | str] = []
        widths, last = self._widths, len(row.cells) - 1
        # Textual drops "reverse" from the cursor's style; without colors nothing else would show the cursor.
        cursor = "reverse" if plain and "nocolor" in self.app.pseudo_classes else ""
        for index, cell in enumerate(row.cells):
            column, width = self._columns[index], widths[index]
            if index == last < len(widths) - 1:
                to_the_end = sum(widths[index:]) + len(widths) - 1 - index
                room = self._width - 1 - sum(widths[:index]) - index
                text = fit(cell, room if self._width else to_the_end)
            elif index == last and row.wrap and self._width:
                text = _wrapped(cell, widths[index], indent=sum(widths[:index]) + index)
            else:
                text = fit(cell, width, right=column.right, keep_end=column.keep_end)
            style = row.styles[index if len(row.styles) > 1 else 0] if row.styles else ""
            if plain:
                style = f"{style} on $background" if len(row.styles) > 1 and _is_severe(style) else cursor
            parts.append((" " if index else "", cursor))
            if row.marks and row.marks[0] == index and not plain:
                parts += [("".join(run), row.marks[1].get(mark, style)) for mark, run in groupby(text)]
            else:
                parts.append((text, style))
        return Content.assemble(*parts)

    def _share_out(self) -> list[int]:
        """The width of each column: its minimum, plus its share of the rest as far as it needs it."""
        widths = [column.width for column in self._columns]
        # One space between columns, one column kept for the scrollbar.
        room = max(0, self._width - 1 - sum(width + 1 for width in widths) + 1)
        while room:
            narrow = [
                index
                for index, column in enumerate(self._columns)
                if column.share and widths[index] < self._needs[index]
            ]
            if not narrow:
                break
            widths[min(narrow, key=lambda one: _taken(self._columns[one], widths[one]))] += 1
            room -= 1
        if self._columns[-1].share:  # it extends to the end of the line
            widths[-1] += room
        if self._width:  # a line that is too long would be wrapped into the first column
            excess = max(0, sum(width + 1 for width in widths) - self._width)
            elastic = max(range(len(widths)), key=lambda one: (self._columns[one].share > 0, widths[one]))
            widths[elastic] = max(1, widths[elastic] - excess)
        return widths


def _is_severe(style: str) -> bool:
    """Whether it is the style of an error or a warning, which keeps its color under the cursor."""
    return "error" in style or "warning" in style


def _taken(column: Column, width: int) -> float:
    """By how much a column exceeds its minimum, relative to its share."""
    return (width - column.width) / column.share


def _wrapped(text: str, width: int, *, indent: int) -> str:
    """``text`` wrapped to ``width`` cells, with the later lines indented."""
    lines = fold(text, width) or [""]
    return ("\n" + " " * indent).join(fit(line, width) for line in lines)


def fit(text: str, width: int, *, right: bool = False, keep_end: bool = False) -> str:
    """``text`` in exactly ``width`` cells: padded, or cut, with a ``…`` at the cut."""
    length = cell_len(text)
    if length <= width:
        return " " * (width - length) + text if right else text + " " * (width - length)
    kept = ""
    for character in reversed(text) if keep_end else text:
        if cell_len(kept + character) > width - 1:
            break
        kept = character + kept if keep_end else kept + character
    cut = "…" + kept if keep_end else kept + "…"
    return cut + " " * (width - cell_len(cut))
