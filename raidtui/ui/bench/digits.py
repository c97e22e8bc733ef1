"""Draw large figures: three lines of double box lines, or five of full blocks; every console has both. Pure."""

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
_LINES: Final = {
    "0": ("╔═╗", "║ ║", "╚═╝"),
    "1": ("═╗ ", " ║ ", "═╩═"),
    "2": ("══╗", "╔═╝", "╚══"),
    "3": ("══╗", " ═╣", "══╝"),
    "4": ("║ ║", "╚═╣", "  ║"),
    "5": ("╔══", "╚═╗", "══╝"),
    "6": ("╔══", "╠═╗", "╚═╝"),
    "7": ("══╗", "  ║", "  ║"),
    "8": ("╔═╗", "╠═╣", "╚═╝"),
    "9": ("╔═╗", "╚═╣", "══╝"),
    ".": (" ", " ", "•"),
}


class Size(Enum):
    """The height of a figure in lines."""

    SMALL = 3  # box lines, which leave no gaps between the lines of a terminal or picture
    BIG = 5  # full blocks, two for each dot


def large(text: str, size: Size = Size.BIG) -> tuple[str, ...]:
    """The lines of a number, all of the same width; only digits and a point are allowed."""
    font = _DOTS if size is Size.BIG else _LINES
    rows = (" ".join(font[character][row] for character in text) for row in range(size.value))
    if size is Size.SMALL:
        return tuple(rows)
    return tuple("".join("██" if dot == "#" else "  " for dot in row) for row in rows)


def figure(bytes_per_second: float, *, group: str = "") -> str:
    """A rate in MB/s with at least four digits: ``2512.3``, ``512.3``, ``51.23``, ``0.734``.

    Args:
        group: what separates thousands: ``,`` in a text; large digits have none.
    """
    number = bytes_per_second / 1e6
    for bound, decimals in ((9.9995, 3), (99.995, 2), (9999.95, 1)):
        if number < bound:
            return f"{number:{group}.{decimals}f}"
    return f"{number:{group}.0f}"
