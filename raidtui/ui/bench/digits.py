"""Draw large figures: three lines of half blocks, or five of full blocks, which every console has. Pure."""

from enum import Enum
from typing import Final

# Each digit has three columns and five rows of dots; the point has one column.
_DOTS: Final = {
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": ("## ", " # ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", " ##", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", "  #", "  #"),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
    ".": (" ", " ", " ", " ", "#"),
}
_ROWS: Final = 5
_HALVES: Final = {("#", "#"): "█", ("#", " "): "▀", (" ", "#"): "▄", (" ", " "): " "}


class Size(Enum):
    """The height of a figure in lines."""

    SMALL = 3  # half blocks, which a console's font does not have
    BIG = 5  # full blocks, two for each dot


def large(text: str, size: Size = Size.BIG) -> tuple[str, ...]:
    """The lines of a number, all of the same width; only digits and a point are allowed."""
    rows = [" ".join(_DOTS[character][row] for character in text) for row in range(_ROWS)]
    if size is Size.BIG:
        return tuple("".join("██" if dot == "#" else "  " for dot in row) for row in rows)
    rows.append(" " * len(rows[0]))
    return tuple(
        "".join(_HALVES[pair] for pair in zip(rows[line], rows[line + 1], strict=True))
        for line in range(0, len(rows), 2)
    )


def figure(bytes_per_second: float) -> str:
    """A rate in MB/s with at least four digits: ``2512.3``, ``512.3``, ``51.23``, ``0.734``."""
    number = bytes_per_second / 1e6
    for bound, decimals in ((9.9995, 3), (99.995, 2), (9999.95, 1)):
        if number < bound:
            return f"{number:.{decimals}f}"
    return f"{number:.0f}"
