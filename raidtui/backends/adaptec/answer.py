"""Parse arcconf's output: lines with a name and a value, under headings; the last line reports the result.

The exit status means nothing: it differs between versions, and is 0 for refusals too. Only the last line counts. A
value that cannot be parsed is None, never a guess.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.cards.asking import AGAIN, not_an_answer, quoted, says_busy
from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record
from raidtui.model.units import GIB, KIB, MIB, TIB

DONE: Final = "command completed successfully"
_ABORTED: Final = "command aborted"
_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PAIR: Final = re.compile(r"(.*?\S)\s*:(?:\s+(.*))?")  # names have colons too: "Channel,Device(T:L)"
_SPACES: Final = re.compile(r"\s+")
_ONLY: Final = re.compile(r"controllers found: \d+", re.IGNORECASE)


class Line(Record, frozen=True):
    """One line: a name in lower case with its value, or a heading, which has no name."""

    name: str
    value: str


class Block(Record, frozen=True):
    """A heading and the lines under it, up to the next heading of the same kind."""

    number: str  # from the heading: 8 in "Device #8"
    lines: tuple[Line, ...]

    def text(self, *names: str) -> str:
        """The first value under the first of ``names`` that has one; "not available" and the like count as none."""
        for name in names:
            found = next((one.value for one in self.lines if one.name == name), "")
            if found.lower() not in {"", "not applicable", "not available", "unknown"}:
                return found
        return ""

    def under(self, heading: str, name: str) -> str:
        """The value of ``name`` below a subheading: several parts may have a ``Status``."""
        below = False
        for one in self.lines:
            if not one.name and one.value.lower() == heading:
                below = True
            elif below and one.name == name:
                return one.value
        return ""


def lines_of(text: str) -> tuple[Line, ...]:
    """The lines of a successful answer, without separator lines.

    Raises:
        StepFailed: arcconf refused, or the output is truncated or another program's.
    """
    found = _text_lines(text)
    if not found or not found[-1].lower().startswith(DONE):
        raise refused(text) or not_an_answer("".join(found[-1:]), "arcconf")
    return tuple(_line(one) for one in found[:-1])


def refused(text: str) -> StepFailed | None:
    """The error if arcconf refused a command, in its words; None if the output is not a refusal."""
    found = _text_lines(text)
    if not found or not found[-1].lower().startswith(_ABORTED):
        return None
    why = quoted(_SPACES.sub(" ", found[-2] if found[1:] else found[-1]))
    return StepFailed(f"it refused: {why!r}{f'; {AGAIN}' if says_busy(why) else ''}")


def _text_lines(text: str) -> list[str]:
    """The lines of text, without separators and the number of controllers."""
    lines = (line.strip() for line in _UNPRINTABLE.sub("", text.replace("\r", "\n")).splitlines())
    return [line for line in lines if line.strip("-=_ ") and not _ONLY.fullmatch(line)]


def blocks(lines: Sequence[Line], heading: re.Pattern[str], end: re.Pattern[str]) -> Iterator[Block]:
    """The blocks of ``lines`` that begin with ``heading``, whose first group is a number, up to ``end``."""
    number: str | None = None
    inside: list[Line] = []
    for one in lines:
        title = one.value.lower() if not one.name else one.name if not one.value else ""
        begins = heading.fullmatch(title)
        if (begins or end.fullmatch(title)) and number is not None:
            yield Block(number, tuple(inside))
        if begins:
            number, inside = begins[1], []
        elif end.fullmatch(title):
            number = None
        inside.append(one)
    if number is not None:
        yield Block(number, tuple(inside))


def before(lines: Sequence[Line], heading: re.Pattern[str]) -> tuple[Line, ...]:
    end = next(
        (n for n, one in enumerate(lines) if not one.name and heading.fullmatch(one.value)), len(lines)
    )
    return tuple(lines[:end])


def _line(text: str) -> Line:
    found = _PAIR.fullmatch(text)
    if found is None:
        return Line("", quoted(text))
    return Line(_SPACES.sub(" ", found[1]).lower(), quoted((found[2] or "").strip()))


def why_not(text: str) -> str:
    """Why a command was not done, from its output; empty if it was, or if it printed nothing."""
    try:
        lines_of(text)
    except StepFailed as error:
        return str(error) if text.strip() else ""
    return ""


_UNITS: Final = {"": 1, "B": 1, "BYTES": 1, "KB": KIB, "MB": MIB, "GB": GIB, "TB": TIB}
_SIZE: Final = re.compile(r"(\d{1,19}(?:\.\d{1,19})?)\s*(Bytes|[KMGT]?B)", re.ASCII | re.IGNORECASE)
_SECTOR: Final = re.compile(r"(512|4096|4K)(?:\s*Bytes)?", re.ASCII | re.IGNORECASE)
_LEVEL: Final = re.compile(r"(\d{1,19}(?:E|EE)?)(?:[\s(].*|Triple|ADM)?", re.ASCII | re.IGNORECASE)
_DIGITS: Final = re.compile(r"(\d{1,18})(?:\s.*)?", re.ASCII)
_CELSIUS: Final = re.compile(r"(-?\d{1,9})\s*(?:deg )?C\b.*", re.ASCII)


def size_of(text: str) -> int | None:
    """Bytes of ``953869 MB``, which the tool has rounded."""
    found = _SIZE.fullmatch(text.strip())
    return round(float(found[1]) * _UNITS[found[2].upper()]) if found else None


def sector_of(text: str) -> int:
    """Bytes of a sector: ``512 Bytes``, ``4K``; 512 if not given."""
    found = _SECTOR.fullmatch(text.strip())
    return 4096 if found and found[1].upper() in {"4K", "4096"} else 512


def level_of(text: str) -> str:
    """``raid6`` for ``6 Reed-Solomon``, ``raid1`` for ``1(Triple)``; the tool's word for anything else."""
    found = _LEVEL.fullmatch(text.strip())
    return f"raid{found[1].lower()}" if found else text.strip().lower()


def number_of(text: str) -> int | None:
    """A count: ``6``, ``100 percent``."""
    found = _DIGITS.fullmatch(text.strip())
    return int(found[1]) if found else None


def celsius_of(text: str) -> int | None:
    """The number in ``29 deg C`` or ``33 C/ 91 F (Normal)``."""
    found = _CELSIUS.fullmatch(text.strip())
    return int(found[1]) if found else None
