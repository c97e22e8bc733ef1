"""The console profile: what a bare Linux console can show.

Its fonts have 256 or 512 glyphs and its colors are sixteen. CP437 and Debian's console fonts share only the
glyphs of `SAFE` beside ASCII; everything else that a widget draws is translated on its way out. Bright
backgrounds do not exist there, so nothing but the eight dark colors is used as one.
"""

import os
import sys
import unicodedata
from functools import lru_cache
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.scrollbar import ScrollBarRender

SAFE: Final = frozenset("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒■▲▼♦←↑→↓•·°±µ÷≤≥")

_SAME_SHAPE: Final = dict(
    zip(
        "━┃┏┓┗┛┣┫┳┻╋╭╮╯╰╸╺╴╶▔▁▂▃▄▅▆▇▀▏▎▍▌▋▊▉▐▕▓▪◾▶►▸‣◀◄◂●○◉⬤✓✔✗✘×…–—‘’“”❯❱⏎⭘🔎\u00a0",  # noqa: RUF001
        "─│┌┐└┘├┤┬┴┼┌┐┘└─────────────│││││││││█■■>>>><<<••••++xxx~--''\"\">>    ",
        strict=True,
    )
)

_KB_101: Final = 2
_KDGKBTYPE: Final = 0x4B33


@lru_cache(4096)
def safe_character(character: str) -> str:
    """The console's stand-in for one character, of the same width: letters lose their accent, the rest is ``?``."""
    if character.isascii() or character in SAFE:
        return character
    if character in _SAME_SHAPE:
        return _SAME_SHAPE[character].ljust(cell_len(character))
    base = unicodedata.normalize("NFKD", character)[0]
    width = cell_len(character)
    return (base if base.isascii() and width == 1 else "?").ljust(width) if width else ""


def safe_text(text: str) -> str:
    """``text`` in the console's glyphs, as wide as before."""
    return text if text.isascii() else "".join(map(safe_character, text))


class SafeGlyphs(LineFilter):
    """Draws with glyphs that every console font has."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [s if s.text.isascii() else Segment(safe_text(s.text), s.style, s.control) for s in segments]


class PlainBars(ScrollBarRender):
    """Scroll bars of whole cells: no console has the eighth blocks that would show where one ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def is_console() -> bool:
    """Whether the screen is a virtual console, as the kernel or the terminal's name says, or the user does.

    ``RAIDTUI_CONSOLE`` decides alone when it is set: 1 for yes, 0 for no (inside tmux on a console nobody else
    can know).
    """
    said = os.environ.get("RAIDTUI_CONSOLE", "")
    if said:
        return said != "0"
    return os.environ.get("TERM") == "linux" or _keyboard_answers(sys.stderr.fileno())


def _keyboard_answers(descriptor: int) -> bool:
    """Whether the kernel says that ``descriptor`` is a console with a keyboard (ioctl KDGKBTYPE)."""
    import fcntl

    answer = bytearray(1)
    try:
        fcntl.ioctl(descriptor, _KDGKBTYPE, answer)
    except OSError:
        return False
    return answer[0] == _KB_101
