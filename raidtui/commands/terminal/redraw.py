"""Keep a few lines of a terminal up to date, sending only what changed: over a slow line every byte counts."""

import os
from collections.abc import Callable, Sequence
from typing import TextIO

from raidtui.commands.terminal.output import terminal
from raidtui.model.text import harmless


class Redraw:
    """Lines at the end of the terminal, redrawn in place."""

    def __init__(self, out: TextIO, size: Callable[[], os.terminal_size]) -> None:
        self._out = terminal(out)
        self._size = size
        self._shown: list[str] = []
        self._fits = size()

    def show(self, lines: Sequence[str]) -> int:
        """Show ``lines``, cut to the size of the terminal; return the number of bytes sent."""
        fits = self._size()
        # Leave one row for the cursor, and one column so that no line wraps.
        wanted = [harmless(line)[: fits.columns - 1] for line in lines][: fits.lines - 1]
        if fits != self._fits:
            self._shown = []  # the terminal has rewrapped the old lines: begin below them
            self._fits = fits
        text = self._difference(wanted)
        self._shown = wanted
        self._out.write(text)
        self._out.flush()
        return len(text.encode())

    def _difference(self, wanted: list[str]) -> str:
        old = self._shown
        changed = [
            row for row in range(max(len(old), len(wanted))) if old[row : row + 1] != wanted[row : row + 1]
        ]
        row = len(old)  # the cursor is below the last line
        parts: list[str] = []
        for target in changed:
            parts.append(_move(row, target))
            text = wanted[target] if target < len(wanted) else ""
            parts.append(f"{text}\x1b[K\n")
            row = target + 1
        if parts:
            parts.append(_move(row, len(wanted)))
        return "".join(parts)


def _move(row: int, target: int) -> str:
    if target < row:
        return f"\x1b[{row - target}A"
    return "\n" * (target - row)
