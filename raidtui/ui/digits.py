"""Large figures of three lines, drawn with the line glyphs that every console font has. Pure."""

from typing import Final

_SHAPES: Final = {
    "0": ("┌─┐", "│ │", "└─┘"),
    "1": ("─┐ ", " │ ", "─┴─"),
    "2": ("──┐", "┌─┘", "└──"),
    "3": ("──┐", " ─┤", "──┘"),
    "4": ("│ │", "└─┤", "  │"),
    "5": ("┌──", "└─┐", "──┘"),
    "6": ("┌──", "├─┐", "└─┘"),
    "7": ("──┐", "  │", "  │"),
    "8": ("┌─┐", "├─┤", "└─┘"),
    "9": ("┌─┐", "└─┤", "──┘"),
    ".": (" ", " ", "."),
}


def large(text: str) -> tuple[str, str, str]:
    """The three lines of a number; digits and a point are all that it knows."""
    lines = ["", "", ""]
    for character in text:
        for number, piece in enumerate(_SHAPES[character]):
            # The point stands close to what it follows.
            gap = " " if lines[number] and character != "." else ""
            lines[number] += gap + piece
    return lines[0], lines[1], lines[2]


def figure(bytes_per_second: float) -> str:
    """A rate in MB/s with four digits or more: ``2512.3``, ``512.3``, ``51.23``, ``0.734``."""
    number = bytes_per_second / 1e6
    for bound, decimals in ((9.9995, 3), (99.995, 2), (9999.95, 1)):
        if number < bound:
            return f"{number:.{decimals}f}"
    return f"{number:.0f}"
