"""The grid of a benchmark, like CrystalDiskMark's: a row for each pattern, a large figure for each cell. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from textual.content import Content

from raidtui.model.result import Cell
from raidtui.model.struct import Record
from raidtui.model.units import fitting_count, latency
from raidtui.ui.bench.digits import Size, figure, large
from raidtui.ui.widgets.bars import rate_share
from raidtui.ui.widgets.rows import fit

TITLES: Final = {"read": "Read", "write": "Write", "mix": "Mix"}
_NAME: Final = 8  # cells of the column of names
_WIDEST: Final = "2512.3"
_BESIDE: Final = 9  # cells of the text beside the largest figures
_PLAIN: Final = 9  # cells of a small figure
_RULER: Final = 24  # cells of the longest bar in a compact row
_LEAST_RULER: Final = 6
_PANEL: Final = 8  # lines of the cell drawn large below a compact grid
_MARKS: Final = ("0.1", "1", "10", "100", "1k", "10k")  # MB/s along the bar
_FILLED: Final = "■"

Key = tuple[str, str]  # name of the row, direction


class CellView(Record, frozen=True, kw_only=True):
    """The current state of a cell."""

    bytes_per_second: float
    iops: float = 0.0
    latency_mean_seconds: float | None = None
    flags: str = ""  # letters
    runs: str = ""  # "run 3 of 6" during a run, "3 of 6" until all are done
    is_measured: bool = True  # False: there is no figure yet
    live: bool = False  # it is being measured
    now: float | None = None  # current bytes a second, while it is being measured
    iops_now: float | None = None


def view_of(cell: Cell, *, runs: int) -> CellView:
    """The view of ``cell`` after ``len(cell.runs)`` of ``runs`` runs."""
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
    """The grid in at most ``height`` lines; the cell at ``cursor`` has a double line on its left.

    Draws the largest figures that fit, with empty lines between the rows if there is room for them; otherwise one
    line per row, as many around the cursor as fit, and below them one cell, drawn large.
    """
    each = (width - _NAME) // max(1, len(directions))
    size = _fitting(len(names), each, height)
    if size is None:
        return _compact(names, directions, cells, cursor=cursor, width=width, height=height)
    block = size.value + 1
    roomy = len(names) * (block + 1) <= height
    lines = [_header(directions, _NAME, each)]
    for number, name in enumerate(names):
        if roomy and number:
            lines.append(Content(""))
        blocks = [
            _block(cells.get((name, direction)), each, size, chosen=(name, direction) == cursor)
            for direction in directions
        ]
        labels = _labels(name, block)
        lines += [
            Content.assemble((fit(labels[line], _NAME), "bold"), *(one[line] for one in blocks))
            for line in range(block)
        ]
    return lines


def _fitting(rows: int, each: int, height: int) -> Size | None:
    """The largest size at which all cells fit; None if none does."""
    if rows * (Size.BIG.value + 1) + 1 <= height and each >= _figure_width(Size.BIG) + _BESIDE + 4:
        return Size.BIG
    if rows * (Size.SMALL.value + 1) + 1 <= height and each >= _figure_width(Size.SMALL) + 2:
        return Size.SMALL
    return None


def _figure_width(size: Size) -> int:
    return len(large(_WIDEST, size)[0])


def _labels(name: str, count: int) -> tuple[str, ...]:
    """The name of a row split into ``count`` lines: ``SEQ1M``, ``Q8T1``, and so on."""
    words, lines = name.split(), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _NAME - 1:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    if len(lines) == 1 and len(words) == 2:
        lines = words
    return tuple((lines + [""] * count)[:count])


def _header(directions: Sequence[str], name: int, each: int, *, marked: bool = True) -> Content:
    """The header: directions, each with the scale of the bars below it."""
    parts: list[tuple[str, str] | str] = [(fit("MB/s", name), "bold $text-muted")]
    for direction in directions:
        title = TITLES.get(direction, direction)
        scale = _scale(each - 3, taken=len(title)) if marked else ""
        parts += [
            ("│ ", "$text-muted"),
            (title, "bold"),
            (fit(scale[len(title) :], each - 2 - len(title)), "$text-muted"),
        ]
    return Content.assemble(*parts)


def _ends(width: int) -> list[int]:
    """The ends of the fifths of a bar, in cells: 0.1, 1, 10, 100, 1 000 and 10 000 MB/s."""
    return [round(width * fifth / (len(_MARKS) - 1)) for fifth in range(len(_MARKS))]


def _scale(width: int, *, taken: int = 0) -> str:
    """The scale of the bars below, with each mark ending at its value; marks without room are left out."""
    line = " " * taken
    for mark, end in zip(_MARKS, _ends(width), strict=True):
        start = max(0, end - len(mark))
        if not line or start > len(line):
            line = line.ljust(start) + mark
    return line


def _ruler(bytes_per_second: float, width: int, *, marked: bool = True) -> tuple[str, str]:
    """A bar, and the rest of its scale; with ticks at each fifth if ``marked``."""
    share = rate_share(bytes_per_second)
    cells = min(width - (share < 1), max(1, round(share * width))) if share > 0 else 0
    ends = {end - 1 for end in _ends(width)} if marked else ()
    return _FILLED * cells, "".join("┴" if place in ends else "─" for place in range(cells, width))


def _compact(
    names: Sequence[str],
    directions: Sequence[str],
    cells: Mapping[Key, CellView],
    *,
    cursor: Key,
    width: int,
    height: int,
) -> list[Content]:
    """A line for each row, with a figure and, if there is room, a bar per direction; below them one cell, large."""
    column = min(max(map(len, names)) + 1, width // 3)
    each = (width - column) // max(1, len(directions))
    place = names.index(cursor[0]) if cursor[0] in names else 0
    room = max(1, height - 2) if len(names) > height - 1 else len(names)
    first = min(max(0, place - room // 2), len(names) - room)
    lines = [_header(directions, column, each, marked=False)]
    # The same length for all bars, also beside a note, so that they can be compared.
    ruler = min(_RULER, each - 4 - _PLAIN - max((len(_note(cell)) + 1 for cell in cells.values()), default=0))
    for name in names[first : first + room]:
        parts: list[Content | tuple[str, str] | str] = [(fit(name, column), "bold")]
        for direction in directions:
            key = name, direction
            parts.append(_line(cells.get(key), each, ruler=ruler, chosen=key == cursor))
        lines.append(Content.assemble(*parts))
    if room < len(names):
        lines.append(
            Content.styled(
                f"rows {first + 1} to {first + room} of {len(names)}; ↑↓ shows the others", "$text-muted"
            )
        )
    left = height - len(lines)
    key = next((key for key, cell in cells.items() if cell.live), cursor)
    if left >= _PANEL and key in cells:
        lines += [Content("")] * (left > _PANEL) + _panel(key, cells[key], width)
    return lines


def _panel(key: Key, cell: CellView, width: int) -> list[Content]:
    """The cell being measured, else the marked one, drawn large with glyphs that every console has."""
    shown = _figure(cell)
    number, unit = (f"{shown[:-2].replace(',', '')}", "a second") if shown.endswith("/s") else (shown, "MB/s")
    beside = (unit, *_beside(cell, width - _figure_width(Size.BIG) - 4, Size.BIG.value - 1))
    drawn = large(number, Size.BIG) if len(number) <= len(_WIDEST) else ("", "", shown, "", "")
    style = _style(cell)
    lines = [Content.styled(f"{key[0]} {TITLES.get(key[1], key[1]).lower()}", "bold $text-accent")]
    lines += [
        Content.assemble((f"{line:>{_figure_width(Size.BIG)}}", style), f"  {text}")
        for line, text in zip(drawn, beside, strict=True)
    ]
    if cell.bytes_per_second or cell.now:
        size = min(width - 1, 60)
        filled, rest = _ruler(cell.bytes_per_second or cell.now or 0.0, size)
        lines.append(Content.styled(_scale(size) + " MB/s", "$text-muted"))
        lines.append(Content.assemble((filled, "$primary"), (rest, "$text-muted")))
    return lines


def _style(cell: CellView) -> str:
    return "bold" if cell.is_measured else "bold $text-primary"


def _note(cell: CellView) -> str:
    """The note after a bar: the run, the current speed, or the flags."""
    if cell.is_measured and cell.live and (now := _figure_now(cell)):
        return f"now {now}"
    return cell.runs or (f"flags {cell.flags}" if cell.flags else "")


def _line(cell: CellView | None, width: int, *, ruler: int, chosen: bool) -> Content:
    edge = ("║ ", "bold $text-accent") if chosen else ("│ ", "$text-muted")
    if cell is None:
        return _pad(Content.assemble(edge, (f"{'-':>{_PLAIN}}", "$text-muted")), width)
    shown, note = _figure(cell), _note(cell)
    drawn: tuple[str, str] = ("", "")  # no bar if no bytes are transferred
    if ruler >= _LEAST_RULER and cell.bytes_per_second:
        drawn = _ruler(cell.bytes_per_second, ruler, marked=False)
    line = Content.assemble(
        edge,
        (f"{shown:>{_PLAIN}} ", _style(cell)),
        (drawn[0], "$primary"),
        (drawn[1], "$text-muted"),
        (" " if drawn[1] or drawn[0] else "") + note,
    )
    return _pad(line[: width - 1], width)


def _figure(cell: CellView) -> str:
    """The median, else the current speed; empty if there is neither."""
    if not cell.is_measured:
        return _figure_now(cell)
    return _spelled(cell.bytes_per_second, cell.iops)


def _figure_now(cell: CellView) -> str:
    """The current speed; empty if unknown."""
    return _spelled(cell.now, cell.iops_now) if cell.now or cell.iops_now else ""


def _spelled(bytes_per_second: float | None, iops: float | None) -> str:
    """MB/s, or operations a second if no bytes are transferred."""
    if bytes_per_second or not iops:
        return figure(bytes_per_second or 0.0)
    return f"{iops:,.0f}/s"


def _block(cell: CellView | None, width: int, size: Size, *, chosen: bool) -> list[Content]:
    """The lines of a cell: its figure, with the bar below."""
    edge = ("║ ", "bold $text-accent") if chosen else ("│ ", "$text-muted")
    inside = width - 2
    if cell is None:
        empty = Content.assemble(edge, " " * inside)
        return [empty] * size.value + [_bar_line(edge, None, inside, "")]
    wide = _figure_width(size)
    beside = _beside(
        cell, inside - wide - 2, size.value
    )  # a blank on each side: it must not touch the next edge
    lines = [
        _pad(Content.assemble(edge, (f"{line:>{wide}}", _style(cell)), f" {text}" if text else ""), width)
        for line, text in zip(_drawn(cell, size), beside, strict=True)
    ]
    note = "" if any(beside) else cell.runs or cell.flags
    return [*lines, _bar_line(edge, cell, inside, note)]


def _drawn(cell: CellView, size: Size) -> tuple[str, ...]:
    """The lines of the figure; operations a second are drawn small, because they are not MB/s."""
    shown = _figure(cell)
    middle = size.value // 2
    if shown and not shown.endswith("/s") and len(shown) <= len(_WIDEST):
        return large(shown, size)
    return tuple(shown if line == middle else "" for line in range(size.value))


def _beside(cell: CellView, room: int, count: int) -> tuple[str, ...]:
    """The ``count`` lines to the right of the figure, most important first; a text without room is left out."""
    iops = _often((cell.iops if cell.is_measured else cell.iops_now) or 0.0, room)
    mean = latency(cell.latency_mean_seconds) if cell.latency_mean_seconds else ""
    now = f"now {_figure_now(cell)}" if cell.is_measured and cell.live and _figure_now(cell) else ""
    flags = f"flags {cell.flags}" if cell.flags else ""
    runs = cell.runs if len(cell.runs) <= room else cell.runs.replace(" of ", "/")
    lines = [iops, mean, runs, now or flags]
    if count < len(lines):
        lines = [iops, mean if not runs or not now else now, runs or flags]
    return tuple((text if len(text) <= room else "") for text in [*lines, ""][:count])


def _often(iops: float, room: int) -> str:
    """Operations a second as exact as fits; empty if there are none."""
    unit = " IOPS"
    return fitting_count(iops, room - len(unit)) + unit if iops else ""


def _bar_line(edge: tuple[str, str], cell: CellView | None, inside: int, note: str) -> Content:
    """The bar on its scale; a ``note`` without room elsewhere covers its end."""
    width = inside - 1
    filled, rest = _ruler((cell.bytes_per_second or cell.now or 0.0) if cell is not None else 0.0, width)
    shown = Content.assemble((filled, "$primary"), (rest, "$text-muted"))
    if note:
        shown = Content.assemble(shown[: width - len(note) - 1], f" {note}")
    return _pad(Content.assemble(edge, shown), inside + 2)


def _pad(line: Content, width: int) -> Content:
    return line.pad_right(width - line.cell_length) if line.cell_length < width else line
