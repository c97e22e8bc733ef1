"""The console profile: what a bare Linux console can show.

Its fonts have 256 or 512 glyphs, and it has 16 colors. Besides ASCII, CP437 and Debian's console fonts share only
the glyphs in `SAFE`; all others are replaced on output. There are no bright backgrounds, so only the eight dark
colors are used for them. A terminal whose encoding is not UTF-8 gets ASCII for each glyph that its encoding lacks.
"""

import os
import re
import sys
import unicodedata
from functools import lru_cache
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.scrollbar import ScrollBarRender

from raidtui.model.text import harmless_lines

SAFE: Final = frozenset("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒■▲▼♦←↑→↓•·°±µ÷≤≥")

_SAME_SHAPE: Final = dict(
    zip(
        "━┃┏┓┗┛┣┫┳┻╋╭╮╯╰╸╺╴╶▔▁▂▃▄▅▆▇▀▏▎▍▌▋▊▉▐▕▓▪◾▶►▸‣◀◄◂●○◉⬤✓✔✗✘×…–—‘’“”❯❱⏎⭘🔎\u00a0",  # noqa: RUF001
        "─│┌┐└┘├┤┬┴┼┌┐┘└─────────────│││││││││█■■>>>><<<••••++xxx~--''\"\">>    ",
        strict=True,
    )
)

_ASCII: Final = dict(
    zip("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒■▲▼♦←↑→↓•·°±µ÷≤≥", "-|+++++++++=|+++++++++#.:#^v*<^>v*. +u/<>", strict=True)
)

_SECRET: Final = re.compile(r"(://\S*)…")
_KB_101: Final = 2
_KDGKBTYPE: Final = 0x4B33


@lru_cache(4096)
def safe_character(character: str) -> str:
    """The console's substitute for one character, of the same width: letters lose their accent, the rest is ``?``."""
    if character.isascii() or character in SAFE:
        return character
    if character in _SAME_SHAPE:
        return _SAME_SHAPE[character].ljust(cell_len(character))
    base = unicodedata.normalize("NFKD", character)[0]
    width = cell_len(character)
    return (base if base.isascii() and width == 1 else "?").ljust(width) if width else ""


def safe_text(text: str) -> str:
    """``text`` in the console's glyphs, as wide as before."""
    # In an address whose end is secret a tilde would read as somebody's home folder.
    return text if text.isascii() else "".join(map(safe_character, _SECRET.sub(r"\1*", text)))


class SafeGlyphs(LineFilter):
    """Draws with glyphs that every console font has."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [s if s.text.isascii() else Segment(safe_text(s.text), s.style, s.control) for s in segments]


class EncodedGlyphs(LineFilter):
    """Draws with glyphs that the encoding of a terminal has."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            s if s.text.isascii() else Segment("".join(map(self._has, s.text)), s.style, s.control)
            for s in segments
        ]

    def _has(self, character: str) -> str:
        try:
            character.encode(self._encoding)
        except UnicodeEncodeError:
            return "".join(_ASCII.get(one, one) for one in safe_character(character))
        return character


def glyph_filters(*, console: bool) -> list[LineFilter]:
    """What draws with the glyphs that the terminal has."""
    stream = sys.__stderr__  # there Textual draws
    encoding = stream.encoding if stream is not None else "utf-8"
    filters: list[LineFilter] = [SafeGlyphs()] if console else []
    return filters if encoding.lower() in {"utf-8", "utf8"} else [*filters, EncodedGlyphs(encoding)]


class HarmlessText(LineFilter):
    """Draws no character that the terminal obeys, whatever text reaches a screen: the last net."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        # A character without width is left out, as a ? would move the rest of the line.
        return [
            s
            if s.text.isprintable()
            else Segment(harmless_lines("".join(filter(cell_len, s.text))), s.style, s.control)
            for s in segments
        ]


class PlainBars(ScrollBarRender):
    """Scroll bars of whole cells: consoles do not have the eighth blocks for their exact ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def is_console() -> bool:
    """Whether the terminal is a virtual console, by ``TERM`` or the kernel.

    ``RAIDTUI_CONSOLE`` overrides both: 1 for yes, 0 for no (tmux hides the console from them).
    """
    forced = os.environ.get("RAIDTUI_CONSOLE", "")
    if forced:
        return forced != "0"
    return os.environ.get("TERM") == "linux" or _keyboard_answers(sys.stderr.fileno())


def _keyboard_answers(descriptor: int) -> bool:
    """Whether ``descriptor`` is a console with a keyboard (ioctl KDGKBTYPE)."""
    import fcntl

    answer = bytearray(1)
    try:
        fcntl.ioctl(descriptor, _KDGKBTYPE, answer)
    except OSError:
        return False
    return answer[0] == _KB_101
