"""What arcconf answers: lines of text, a name and a value, under headings; a last line says that it was done.

The exit status is not a verdict: it differs between versions, and refusals end with 0. What counts is the last line.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from raidtui.backends.cards.asking import AGAIN, not_an_answer, says_busy
from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record

DONE: Final = "command completed successfully"
_ABORTED: Final = "command aborted"
_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PAIR: Final = re.compile(r"(.*?\S)\s*:(?:\s+(.*))?")  # names have colons too: "Channel,Device(T:L)"
_SPACES: Final = re.compile(r"\s+")
_ONLY: Final = re.compile(r"controllers found: \d+", re.IGNORECASE)


class Line(Record, frozen=True):
    """One line: a name in lower case and its value, or a heading, which has no name."""

    name: str
    value: str


class Block(Record, frozen=True):
    """A heading and the lines under it, up to the next heading of its kind."""

    number: str  # in the heading: of "Device #8"
    lines: tuple[Line, ...]

    def text(self, *names: str) -> str:
        """The first value under the first of ``names`` that has one; what has none says so in words."""
        for name in names:
            found = next((one.value for one in self.lines if one.name == name), "")
            if found.lower() not in {"", "not applicable", "not available", "unknown"}:
                return found
        return ""

    def under(self, heading: str, name: str) -> str:
        """The value of ``name`` below a heading inside: two parts may both have a ``Status``."""
        below = False
        for one in self.lines:
            if not one.name and one.value.lower() == heading:
                below = True
            elif below and one.name == name:
                return one.value
        return ""


def lines_of(text: str) -> tuple[Line, ...]:
    """The lines of an answer that was completed, without the rules between its parts.

    Raises:
        StepFailed: it does not say so: it was refused, cut short, or is of another program.
    """
    found = _spoken(text)
    if not found or not found[-1].lower().startswith(DONE):
        raise refused(text) or not_an_answer("".join(found[-1:]), "arcconf")
    return tuple(_line(one) for one in found[:-1])


def refused(text: str) -> StepFailed | None:
    """Why arcconf did not do what it was asked, in its own words; None where it does not say that it refused."""
    found = _spoken(text)
    if not found or not found[-1].lower().startswith(_ABORTED):
        return None
    why = _SPACES.sub(" ", found[-2] if found[1:] else found[-1])
    return StepFailed(f"it refused: {why!r}{f'; {AGAIN}' if says_busy(why) else ''}")


def _spoken(text: str) -> list[str]:
    """The lines that say something: no rules, and not how many controllers there are."""
    lines = (line.strip() for line in _UNPRINTABLE.sub("", text.replace("\r", "\n")).splitlines())
    return [line for line in lines if line.strip("-=_ ") and not _ONLY.fullmatch(line)]


def blocks(lines: Sequence[Line], heading: re.Pattern[str], end: re.Pattern[str]) -> Iterator[Block]:
    """The parts of ``lines`` that begin with such a heading, whose first group is a number, up to ``end``."""
    number: str | None = None
    inside: list[Line] = []
    for one in lines:
        spoken = one.value.lower() if not one.name else one.name if not one.value else ""
        begins = heading.fullmatch(spoken)
        if (begins or end.fullmatch(spoken)) and number is not None:
            yield Block(number, tuple(inside))
        if begins:
            number, inside = begins[1], []
        elif end.fullmatch(spoken):
            number = None
        inside.append(one)
    if number is not None:
        yield Block(number, tuple(inside))


def before(lines: Sequence[Line], heading: re.Pattern[str]) -> tuple[Line, ...]:
    """The lines before such a heading."""
    end = next(
        (n for n, one in enumerate(lines) if not one.name and heading.fullmatch(one.value)), len(lines)
    )
    return tuple(lines[:end])


def _line(text: str) -> Line:
    found = _PAIR.fullmatch(text)
    if found is None:
        return Line("", text)
    return Line(_SPACES.sub(" ", found[1]).lower(), (found[2] or "").strip())
