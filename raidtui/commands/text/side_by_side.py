"""Several results as bars of text, as wide as the terminal."""

from raidtui.model.text import harmless
from raidtui.results.compare import Comparison, letter
from raidtui.results.side_by_side import cut, figure_of


def bars(comparison: Comparison, *, width: int, full: str, rest: str) -> str:
    """A bar for each result in each row, from zero to the row's best; at most ``width`` columns."""
    names = [f"{letter(n)} {harmless(c.label or c.id)}" for n, c in enumerate(comparison.columns)]
    figures = 12
    label = max(2, min(max(map(len, names)), width // 3))
    room = max(1, width - label - figures - 2)
    lines: list[str] = []
    for row in comparison.rows:
        most = max((cell.value or 0.0 for cell in row.cells), default=0.0)
        unit = "I/Os a second" if row.unit == "ios" else "MB/s"
        lines += [*([""] if lines else []), cut(harmless(f"{row.name} {row.direction}, {unit}"), width)]
        for name, cell in zip(names, row.cells, strict=True):
            share = (cell.value or 0.0) / most if most else 0.0
            drawn = _bar(share, room, full, rest) if cell.value is not None else " " * room
            text = figure_of(cell, row).removesuffix("/s").lstrip("*")
            lines.append(f"{cut(name, label):<{label}} {drawn} {text:>{figures - 1}}"[:width].rstrip())
    return "\n".join(lines)


def _bar(share: float, room: int, full: str, rest: str) -> str:
    from raidtui.ui.widgets.bars import FULL, REST, bar

    return bar(share, room).replace(FULL, full).replace(REST, rest)


def drawing(encoding: str) -> tuple[str, str]:
    """The two characters of a bar that an output with this encoding can show."""
    from raidtui.ui.widgets.bars import FULL, REST

    try:
        (FULL + REST).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "#", "."
    return FULL, REST
