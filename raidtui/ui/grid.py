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
_LARGE: Final = 4  # lines of a row with large figures
_PLENTY: Final = 27  # lines from which on a line may stay empty
_PLAIN: Final = 9  # cells of a figure in a line
_BAR: Final = 24  # cells of the longest bar in a line
_LEAST_BAR: Final = 6

Key = tuple[str, str]  # name of the row, direction


class CellView(Record, frozen=True, kw_only=True):
    """One cell as it is now."""

    bytes_per_second: float
    iops: float = 0.0
    latency_mean_seconds: float | None = None
    flags: str = ""  # letters
    runs: str = ""  # "run 3 of 6" while it is measured, "3 of 6" until all are
    is_measured: bool = True  # else there is no figure yet
    live: bool = False  # it is being measured
    now: float | None = None  # bytes a second at this moment, while it is measured
    iops_now: float | None = None


def view_of(cell: Cell, *, runs: int) -> CellView:
    """A cell that was measured ``len(cell.runs)`` of ``runs`` times."""
    return CellView(
        bytes_per_second=cell.bytes_per_second,
        iops=cell.iops,
        latency_mean_seconds=cell.latency_mean_seconds,
        flags="".join(sorted({flag[0] for flag in cell.flags if flag})),
        runs=f"{len(cell.runs)} of {runs}" if 0 < len(cell.runs) < runs else "",
    )


def grid_lines(
    names: Sequence[str],
    directions: Sequence[str],
    cells: Mapping[Key, CellView],
    *,
    cursor: Key,
    width: int,
    height: int,
) -> list[Content]:
    """The grid in at most ``height`` lines; the cell at ``cursor`` has a double line at its left.

    Large figures where they have room, with an empty line between the rows where there is plenty; else a line for
    each row, and as many of them around the cursor as fit.
    """
    if len(names) * _LARGE + 1 > height:
        return _compact(names, directions, cells, cursor=cursor, width=width, height=height)
    roomy = height >= _PLENTY and len(names) * (_LARGE + 1) <= height
    each = (width - _NAME) // max(1, len(directions))
    lines = [_header(directions, _NAME, each)]
    for number, name in enumerate(names):
        if roomy and number:
            lines.append(Content(""))
        blocks = [
            _block(cells.get((name, direction)), each, chosen=(name, direction) == cursor)
            for direction in directions
        ]
        labels = _labels(name)
        lines += [
            Content.assemble((fit(labels[line], _NAME), "bold"), *(block[line] for block in blocks))
            for line in range(_LARGE)
        ]
    return lines


def _labels(name: str) -> tuple[str, str, str, str]:
    """A row's name in the lines of its column: ``SEQ1M``, ``Q8T1``, and what else there is."""
    words, lines = name.split(), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _NAME - 1:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    if len(lines) == 1 and len(words) == 2:
        lines = words
    return tuple((lines + [""] * _LARGE)[:_LARGE])  # type: ignore[return-value]


def _header(directions: Sequence[str], name: int, each: int) -> Content:
    parts: list[tuple[str, str] | str] = [(fit("MB/s", name), "bold $text-muted")]
    for direction in directions:
        parts.append((fit(f"│ {TITLES.get(direction, direction)}", each), "bold $text-muted"))
    return Content.assemble(*parts)


def _compact(
    names: Sequence[str],
    directions: Sequence[str],
    cells: Mapping[Key, CellView],
    *,
    cursor: Key,
    width: int,
    height: int,
) -> list[Content]:
    """A line for each row: a figure for each direction, and a bar where there is room."""
    column = min(max(map(len, names)) + 1, width // 3)
    each = (width - column) // max(1, len(directions))
    place = names.index(cursor[0]) if cursor[0] in names else 0
    room = max(1, height - 2) if len(names) > height - 1 else len(names)
    first = min(max(0, place - room // 2), len(names) - room)
    lines = [_header(directions, column, each)]
    for name in names[first : first + room]:
        parts: list[Content | tuple[str, str] | str] = [(fit(name, column), "bold")]
        for direction in directions:
            parts.append(_line(cells.get((name, direction)), each, chosen=(name, direction) == cursor))
        lines.append(Content.assemble(*parts))
    if room < len(names):
        lines.append(
            Content.styled(
                f"rows {first + 1} to {first + room} of {len(names)}; ↑↓ shows the others", "$text-muted"
            )
        )
    return lines


def _line(cell: CellView | None, width: int, *, chosen: bool) -> Content:
    """One cell in one line."""
    edge = ("║ ", "bold $text-accent") if chosen else ("│ ", "$text-muted")
    if cell is None:
        return _pad(Content.assemble(edge, (f"{'-':>{_PLAIN}}", "$text-muted")), width)
    style = "bold" if cell.is_measured else "bold $text-primary"
    shown = _figure(cell)
    note = cell.runs or (f"flags {cell.flags}" if cell.flags else "")
    if cell.is_measured and cell.live and (now := _figure_now(cell)):
        note = f"now {now}"
    room = width - 4 - _PLAIN - (len(note) + 1 if note else 0)
    drawn = ""  # of what moves no bytes there is nothing to draw
    if room >= _LEAST_BAR and cell.bytes_per_second:
        drawn = f" {bar(rate_share(cell.bytes_per_second), min(room, _BAR))}"
    line = Content.assemble(
        edge, (f"{shown:>{_PLAIN}}", style), (drawn, "$primary"), f" {note}" if note else ""
    )
    return _pad(line[: width - 1], width)


def _figure(cell: CellView) -> str:
    """The median, or the speed now of what has none yet; nothing before there is one."""
    if not cell.is_measured:
        return _figure_now(cell)
    return _spelled(cell.bytes_per_second, cell.iops)


def _figure_now(cell: CellView) -> str:
    """The speed at this moment; nothing until it is known."""
    return _spelled(cell.now, cell.iops_now) if cell.now or cell.iops_now else ""


def _spelled(bytes_per_second: float | None, iops: float | None) -> str:
    """MB/s; for what moves no bytes operations a second."""
    if bytes_per_second or not iops:
        return figure(bytes_per_second or 0.0)
    return f"{iops:,.0f}/s"


def _block(cell: CellView | None, width: int, *, chosen: bool) -> tuple[Content, Content, Content, Content]:
    """The four lines of one cell."""
    edge = ("║ ", "bold $text-accent") if chosen else ("│ ", "$text-muted")
    inside = width - 2
    if cell is None:
        empty = Content.assemble(edge, " " * inside)
        return (empty, empty, empty, Content.assemble(edge, (fit(bar(0, inside - 1), inside), "$text-muted")))
    style = "bold" if cell.is_measured else "bold $text-primary"
    beside = _beside(cell, inside - _FIGURE - 1)
    first, second, third = (
        Content.assemble(edge, (f"{line:>{_FIGURE}}"[-inside:], style), f" {said}" if said else "")
        for line, said in zip(_drawn(cell), beside, strict=True)
    )
    return (
        _pad(first, width),
        _pad(second, width),
        _pad(third, width),
        _pad(_bar_line(edge, cell, inside), width),
    )


def _drawn(cell: CellView) -> tuple[str, str, str]:
    """The figure in three lines; operations a second are written small, they are no MB/s."""
    shown = _figure(cell)
    return ("", shown, "") if shown.endswith("/s") else large(shown)


def _beside(cell: CellView, room: int) -> tuple[str, str, str]:
    """What fits to the right of the figure."""
    if room < 4:
        return "", "", ""
    often = cell.iops if cell.is_measured else cell.iops_now
    iops = f"{often:,.0f} IOPS" if often else ""
    if often and len(iops) > room:
        iops = f"{often / 1000:,.0f}k IOPS"
    mean = latency(cell.latency_mean_seconds) if cell.latency_mean_seconds else ""
    flags = f"flags {cell.flags}" if cell.flags else ""
    if cell.is_measured and cell.live and (now := _figure_now(cell)):
        flags = f"now {now}"
    return tuple(text if len(text) <= room else "" for text in (iops, mean, flags))  # type: ignore[return-value]


def _bar_line(edge: tuple[str, str], cell: CellView, inside: int) -> Content:
    note = cell.runs or (f"flags {cell.flags}" if cell.flags and inside < _FIGURE + 8 else "")
    size = inside - 1 - (len(note) + 1 if note else 0)
    shown = bar(rate_share(cell.bytes_per_second or cell.now or 0.0), max(4, size))
    return Content.assemble(edge, (shown, "$primary"), f" {note}" if note else "")


def _pad(line: Content, width: int) -> Content:
    return line.pad_right(width - line.cell_length) if line.cell_length < width else line
