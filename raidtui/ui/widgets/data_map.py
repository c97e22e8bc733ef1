"""Draw the layout of data on the disks, a column per disk and a row per chunk, and the pairs that lose data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from raidtui.ui.widgets.parts import Parts

if TYPE_CHECKING:
    from raidtui.advice.report import Report
    from raidtui.backends.data_map import Cell, DataMap

_STYLES = {"P": "bold $text-warning", "Q": "bold $text-error", "empty": "$text-muted"}
_WIDEST = 7  # cells of a disk's column
_MATRIX = 24  # disks: more do not fit in 80 columns
_NAMED = 48  # disks at most that are listed by name
_MAP_ROWS = 6
_MOST_ROWS = 12


def drawn_map(
    report: "Report",
    names: Sequence[str],
    spares: Sequence[str],
    *,
    layout: str,
    width: int,
    rows: int,
    boxed: bool = True,
) -> Content:
    """The map of one layout, at most ``width`` cells wide; ``names`` are its disks in slot order.

    ``boxed``: draw lines around the cells if there is room.
    """
    from raidtui.advice.where_data_lies import data_map_of

    found = data_map_of(report, names, layout=layout, rows=rows)
    drawing = _drawing(found, names, spares, width, lines=boxed) if found.zones else []
    return Content.assemble(*drawing, found.words)


def _drawing(
    found: "DataMap", names: Sequence[str], spares: Sequence[str], width: int, *, lines: bool
) -> Parts:
    highest = max(cell.chunk for zone in found.zones for row in zone.rows for cell in row) + 1
    columns = len(names) + len(spares)
    digits = len(str(highest))
    # A cell is its text, and a line or space beside it.
    room = min(_WIDEST, (width - 1) // columns)
    size = max(room, digits + 1)
    letter = "D" if size > digits + 1 else ""
    shown = min(columns, (width - 1) // size)
    heads = [*names, *spares]
    numbered = max(map(len, heads)) >= size
    titles = [str(place) for place in range(1, len(names) + 1)] + ["S"] * len(spares) if numbered else heads
    boxed = lines and size >= 5
    parts: Parts = [(_line(titles[:shown], size, " "), "bold"), "\n"]
    for zone in found.zones:
        if zone.title:
            parts.append((f"{zone.title}\n", "$text-muted"))
        if boxed:
            parts.append(_rule("┌", "┬", "┐", shown, size))
        side = "│" if boxed else " "
        for row in zone.rows:
            cells = [_word(cell, letter) for cell in row] + [("-", "$text-muted")] * len(spares)
            for word, style in cells[:shown]:
                parts += [side, (word.center(size - 1), style)]
            parts += [side, "\n"]
        if boxed:
            parts.append(_rule("└", "┴", "┘", shown, size))
    if numbered:
        legend = [f"{place}={name}" for place, name in zip(titles, heads, strict=True)]
        if lines:
            shown_legend = " ".join(legend) if len(legend) <= _NAMED else f"{legend[0]} … {legend[-1]}"
            parts += [(shown_legend, "$text-muted"), "\n"]
    if shown < columns:
        parts.append((f"… and {columns - shown} more disks\n", "$text-muted"))
    if spares:
        parts.append("A spare (-) holds nothing until a disk fails.\n")
    return parts


def _line(words: Sequence[str], size: int, side: str) -> str:
    return side + side.join(word.center(size - 1) for word in words)


def _rule(left: str, between: str, right: str, cells: int, size: int) -> str:
    return left + between.join(["─" * (size - 1)] * cells) + right + "\n"


def _word(cell: "Cell", letter: str) -> tuple[str, str]:
    if cell.kind == "data":
        return f"{letter}{cell.chunk + 1}", "$text-success" if cell.copy else ""
    return ("" if cell.kind == "empty" else cell.kind), _STYLES[cell.kind]


def map_rows(disks: int) -> int:
    """Rows of a map: few enough for chunk numbers of two digits, if possible."""
    return max(3, min(_MAP_ROWS, 99 // disks))


def small_rows(report: "Report", disks: int, room: int) -> int:
    """Rows of the map beside the explanation: those that ``room`` holds, at least one cycle of the disks.

    Of far copies, two of each zone.
    """
    if report.layout.startswith("f"):
        return 2
    return max(min(map_rows(disks), max(3, disks)), min(_MOST_ROWS, room))


def pairs_matrix(report: "Report", names: Sequence[str], *, width: int) -> Content:
    """A matrix of the pairs of disks: ``■`` if data is lost with both. Empty if all pairs are alike.

    Rows have the names of the disks if that fits ``width``, else only their numbers.
    """
    if not report.fatal_pairs or len(names) > _MATRIX:
        return Content("")
    fatal = set(report.fatal_pairs)
    size = 3
    margin = 3 + max(map(len, names))
    named = margin + size * len(names) <= width
    margin = margin if named else 3
    parts: Parts = [
        "\n",
        (" " * margin, ""),
        ("".join(f"{n + 1:>{size}}" for n in range(len(names))), "bold"),
        "\n",
    ]
    for a in range(len(names)):
        parts.append(((f"{a + 1:>2} {names[a]}" if named else f"{a + 1:>2}").ljust(margin), "bold"))
        for b in range(len(names)):
            mark = " " if a == b else "■" if (min(a, b), max(a, b)) in fatal else "·"
            parts.append((mark.rjust(size), "$text-error" if mark == "■" else "$text-muted"))
        parts.append("\n")
    parts.append(("■ both failed: data is lost   · both failed: data survives\n", "$text-muted"))
    return Content.assemble(*parts)
