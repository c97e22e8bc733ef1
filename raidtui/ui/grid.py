"""The grid of a benchmark as CrystalDiskMark draws it: a row for each pattern, a large figure for each cell. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from textual.content import Content

from raidtui.model.result import Cell
from raidtui.model.struct import Record
from raidtui.model.units import latency
from raidtui.ui.bars import bar, rate_share
from raidtui.ui.digits import figure, large
from raidtui.ui.widgets.rows import fit

TITLES: Final = {"read": "Read", "write": "Write", "mix": "Mix"}
_NAME: Final = 9  # cells of the column of names
_FIGURE: Final = 20  # cells of "2512.3" drawn large

Key = tuple[str, str]  # name of the row, direction


class CellView(Record, frozen=True, kw_only=True):
    """One cell as it is now."""

    bytes_per_second: float
    iops: float = 0.0
    latency_mean_seconds: float | None = None
    flags: str = ""  # letters
    runs: str = ""  # "run 3 of 6" while it is measured, "3 of 6" until all are
    live: bool = False  # the figure is that of this moment


def view_of(cell: Cell, *, runs: int) -> CellView:
    """A cell that was measured ``len(cell.runs)`` of ``runs`` times."""
    return CellView(
        bytes_per_second=cell.bytes_per_second,
        iops=cell.iops,
        latency_mean_seconds=cell.latency_mean_seconds,
        flags="".join(sorted({flag[0] for flag in cell.flags if flag})),
        runs=f"{len(cell.runs)} of {runs}" if len(cell.runs) < runs else "",
    )


def grid_lines(
    names: Sequence[str],
    directions: Sequence[str],
    cells: Mapping[Key, CellView],
    *,
    cursor: Key,
    width: int,
    roomy: bool,
) -> list[Content]:
    """The whole grid; the cell at ``cursor`` has a double line at its left. ``roomy``: an empty line between rows."""
    each = (width - _NAME) // max(1, len(directions))
    header: list[tuple[str, str] | str] = [(fit("MB/s", _NAME), "bold $text-muted")]
    for direction in directions:
        header.append((fit(f"│ {TITLES.get(direction, direction)}", each), "bold $text-muted"))
    lines = [Content.assemble(*header)]
    for number, name in enumerate(names):
        if roomy and number:
            lines.append(Content(""))
        blocks = [
            _block(cells.get((name, direction)), each, chosen=(name, direction) == cursor)
            for direction in directions
        ]
        pattern, _, queue = name.partition(" ")
        labels = (pattern, queue, "", "")
        lines += [
            Content.assemble((fit(labels[line], _NAME), "bold"), *(block[line] for block in blocks))
            for line in range(4)
        ]
    return lines


def _block(cell: CellView | None, width: int, *, chosen: bool) -> tuple[Content, Content, Content, Content]:
    """The four lines of one cell."""
    edge = ("║ ", "bold $text-accent") if chosen else ("│ ", "$text-muted")
    inside = width - 2
    if cell is None:
        empty = Content.assemble(edge, " " * inside)
        return (empty, empty, empty, Content.assemble(edge, (fit(bar(0, inside - 1), inside), "$text-muted")))
    style = "bold $text-primary" if cell.live else "bold"
    beside = _beside(cell, inside - _FIGURE - 1)
    first, second, third = (
        Content.assemble(edge, (f"{line:>{_FIGURE}}"[-inside:], style), f" {said}" if said else "")
        for line, said in zip(large(figure(cell.bytes_per_second)), beside, strict=True)
    )
    return (
        _pad(first, width),
        _pad(second, width),
        _pad(third, width),
        _pad(_bar_line(edge, cell, inside), width),
    )


def _beside(cell: CellView, room: int) -> tuple[str, str, str]:
    """What fits to the right of the figure."""
    if room < 4:
        return "", "", ""
    iops = f"{cell.iops:,.0f} IOPS" if cell.iops else ""
    if len(iops) > room:
        iops = f"{cell.iops / 1000:,.0f}k IOPS"
    mean = latency(cell.latency_mean_seconds) if cell.latency_mean_seconds else ""
    flags = f"flags {cell.flags}" if cell.flags else ""
    return tuple(text if len(text) <= room else "" for text in (iops, mean, flags))  # type: ignore[return-value]


def _bar_line(edge: tuple[str, str], cell: CellView, inside: int) -> Content:
    note = cell.runs or (f"flags {cell.flags}" if cell.flags and inside < _FIGURE + 8 else "")
    size = inside - 1 - (len(note) + 1 if note else 0)
    shown = bar(rate_share(cell.bytes_per_second), max(4, size))
    return Content.assemble(edge, (shown, "$primary"), f" {note}" if note else "")


def _pad(line: Content, width: int) -> Content:
    return line.pad_right(width - line.cell_length) if line.cell_length < width else line
