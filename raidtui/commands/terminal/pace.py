"""How often progress is shown in plain lines: after a number of percent, or of seconds."""

import time
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.units import parse_time

USUAL: Final = "60s"
_MOST: Final = 24 * 3600.0  # seconds


class Pace:
    """Says when the next line about something that lasts is due."""

    def __init__(self, *, percent: float = 0.0, seconds: float = 0.0) -> None:
        """One of both is not 0."""
        self._percent, self._seconds = percent, seconds
        self.again()

    def again(self) -> None:
        """Something else begins: its first line is due at once."""
        self._told, self._at, self._share = -1.0, float("-inf"), 0.0

    def due(self, share: float) -> bool:
        """Whether a line is due now, at this share of the whole, 0 to 1; the caller then prints it."""
        now = time.monotonic()
        if share < self._share:  # another sync
            self.again()
        self._share = share
        reached = share * 100 // self._percent if self._percent else 0.0
        due = reached > self._told if self._percent else now - self._at >= self._seconds
        if due:
            self._told, self._at = reached, now
        return due


def parse_pace(text: str) -> Pace:
    """The pace that ``text`` describes: ``10%`` or ``60s``.

    Raises:
        BadInput: it is neither, or out of range.
    """
    word = text.strip()
    if word.endswith("%"):
        number = word.removesuffix("%").strip()
        if number.isascii() and number.isdigit() and 1 <= int(number[:4]) <= 100:
            return Pace(percent=float(number))
        raise BadInput(f"{text!r} is not a pace; a percentage is a whole number from 1% to 100%")
    seconds = parse_time(word)
    if not 1 <= seconds <= _MOST:
        raise BadInput(f"{text!r} is not a pace; a time is from 1s to 24h")
    return Pace(seconds=float(seconds))
