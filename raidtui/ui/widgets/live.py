"""Lines that change often: only the cells that differ are sent to the terminal, because a line may be slow."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget

_GAP = 8  # unchanged cells between two changed ones that cost less than moving the cursor over them


class Live(Widget):
    """A block of lines, none of them wrapped; `show` replaces them."""

    DEFAULT_CSS = """
    Live { height: auto; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, *lines: Content, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines = lines

    @property
    def lines(self) -> tuple[Content, ...]:
        """What is shown."""
        return self._lines

    def render(self) -> Content:
        return Content("\n").join(self._lines)

    def show(self, lines: Sequence[Content]) -> None:
        """Show these lines instead."""
        old, self._lines = self._lines, tuple(lines)
        if len(old) != len(self._lines):
            self.refresh(layout=True)
            return
        regions = [
            Region(start, row, end - start, 1)
            for row, (before, after) in enumerate(zip(old, self._lines, strict=True))
            for start, end in changed(before, after)
        ]
        if regions:
            self.refresh(*regions)


def changed(before: Content, after: Content) -> Iterator[tuple[int, int]]:
    """The stretches of cells, start and end, in which two lines differ."""
    old, new = before.plain, after.plain
    if old == new and before.spans == after.spans:
        return
    width = max(cell_len(old), cell_len(new))
    if before.spans != after.spans or cell_len(old) != len(old) or cell_len(new) != len(new):
        yield 0, width
        return
    old, new = old.ljust(width), new.ljust(width)
    start = end = -1
    for place in range(width):
        if old[place] != new[place]:
            if start >= 0 and place - end > _GAP:
                yield start, end
                start = -1
            start, end = (place if start < 0 else start), place + 1
    if start >= 0:
        yield start, end
