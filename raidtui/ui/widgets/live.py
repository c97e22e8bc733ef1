"""Lines that change often: only the cells that differ are sent, as the terminal line may be slow."""

from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget


class Live(Widget):
    """A block of lines without wrapping; `show` replaces them."""

    DEFAULT_CSS = """
    Live { height: auto; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, *lines: Content, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.auto_links = False  # there are none, and searching for them costs as much as drawing a line
        self._lines = lines
        self._drawn: dict[int, tuple[Content, Strip]] = {}
        self._drawn_as: tuple[int, Style] | None = None  # width and style of the drawn lines

    @property
    def lines(self) -> tuple[Content, ...]:
        return self._lines

    def render(self) -> Content:
        return Content("\n").join(self._lines)

    def render_line(self, y: int) -> Strip:
        """Draw a line, but only if it changed: Textual redraws all lines when one changes."""
        if self.text_selection is not None or y >= len(self._lines):
            return super().render_line(y)
        drawn_as = self.size.width, self.visual_style
        if self._drawn_as != drawn_as:
            self._drawn, self._drawn_as = {}, drawn_as
        line = self._lines[y]
        if y not in self._drawn or not self._drawn[y][0].is_same(line):
            self._drawn[y] = line, Visual.to_strips(self, line, self.size.width, 1, self.visual_style)[0]
        return self._drawn[y][1]

    def show(self, lines: Sequence[Content]) -> None:
        old, self._lines = self._lines, tuple(lines)
        if len(old) != len(self._lines):
            self.refresh(layout=True)
            return
        regions = [
            Region(start, row, end - start, 1)
            for row, (before, after) in enumerate(zip(old, self._lines, strict=True))
            for start, end in [changed(before, after)]
            if end > start
        ]
        if regions:
            self.refresh(*regions)


def changed(before: Content, after: Content) -> tuple[int, int]:
    """The range of cells, start and end, in which two lines differ.

    A single range: for each one, Textual sends the line from its start.
    """
    old, new = before.plain, after.plain
    if old == new and before.spans == after.spans:
        return 0, 0
    width = max(cell_len(old), cell_len(new))
    if before.spans != after.spans or cell_len(old) != len(old) or cell_len(new) != len(new):
        return 0, width
    old, new = old.ljust(width), new.ljust(width)
    places = [place for place in range(width) if old[place] != new[place]]
    return (places[0], places[-1] + 1) if places else (0, 0)


@lru_cache(maxsize=8)
def height_of(text: str, width: int) -> int:
    """The number of lines of ``text`` in ``width`` cells; cached, as it is needed every second and seldom changes."""
    return Content(text).get_height({}, width)
