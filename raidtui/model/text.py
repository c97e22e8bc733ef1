"""Make text from disks, devices and files safe to show, and write counts."""

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence, Sized
from functools import lru_cache
from typing import Final

_INVISIBLE: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MOST_DIGITS: Final = 19  # of a signed number of 64 bits
_LONGEST_ECHO: Final = 200  # characters of foreign text that an error repeats
_LONGEST_SENTENCE: Final = 3000
_RAID: Final = r"\braid\d+(?:c\d)?\b"
_BACKENDS: Final = {
    "lvm": "LVM",
    "lvm-on-md": "LVM on md",
    "zfs": "ZFS",
    "btrfs": "Btrfs",
    "megaraid": "MegaRAID",
    "adaptec": "Adaptec",
}
_BACKEND: Final = rf"^(?:{'|'.join(_BACKENDS)})(?= )"  # before a level
_LONG_WORD: Final = rf"\S{{{_LONGEST_ECHO + 1},}}"
# Not between the apostrophes of two possessives.
_LONG_QUOTE: Final = rf"(?<!\w)(?P<mark>['\"])(?:(?!(?P=mark)).){{{_LONGEST_ECHO + 1},}}(?P=mark)(?!\w)"


def harmless(text: str) -> str:
    """``text`` with every control, format and unassigned character replaced by ``?``, without trailing space.

    A disk label may contain escape sequences that rewrite the terminal, or marks that reverse the line.
    """
    if text.isprintable():  # nearly all text is; a list of 100 000 results has half a million strings
        return text.rstrip()
    return "".join("?" if unicodedata.category(c) in _INVISIBLE else c for c in text).rstrip()


_SUSPECT: Final = re.compile(r"[^\n\t -~]")


def harmless_lines(text: str) -> str:
    """As `harmless`, for text in lines: newlines, tabs and trailing space stay."""
    return _SUSPECT.sub(lambda found: "?" if unicodedata.category(found[0]) in _INVISIBLE else found[0], text)


def as_sentence(text: str) -> str:
    """``text`` of an error: harmless, one line, and not longer than a person reads, whatever input it repeats.

    A quoted text and a word have at most 200 characters.
    """
    line = harmless(text)
    if len(line) > _LONGEST_ECHO:
        line = re.sub(_LONG_QUOTE, lambda found: f"{found[0][:_LONGEST_ECHO]}…{found['mark']}", line)
        line = re.sub(_LONG_WORD, lambda found: f"{found[0][: _LONGEST_ECHO - 1]}…", line)
    return line if len(line) <= _LONGEST_SENTENCE else f"{line[:_LONGEST_SENTENCE]} …"


def cut(text: str, width: int) -> str:
    """``text`` in at most ``width`` characters; what is cut off shows as ``…``."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


_TIE: Final = "\u00a0"  # textwrap does not break there
_UNIT: Final = r"(?:(?:[kKMGTP]i?)?B(?:/s)?|%|[mµ]?s|min|h|d|IOPS)(?!\w)"
_UPPER_END: Final = rf"[\d.,]+ {_UNIT}"
_MONTH: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_TIED: Final = re.compile(
    " (?:"
    rf"(?<=\d )(?={_UNIT})"
    rf"|(?<=\d )(?=to {_UPPER_END})|(?<=\d to )(?={_UPPER_END})"
    rf"|(?<=\d )(?={_MONTH}(?!\w))|(?<={_MONTH} )(?=\d)"
    r"|(?<=\d-\d\d )(?=\d\d:\d\d)|(?<=\d:\d\d )(?=UTC)"
    ")"
)


def tied(text: str, tie: str = _TIE) -> str:
    """``text`` with a ``tie`` of one character for each space in a quantity, a range of them, and a date with its time."""
    return re.sub(_TIED, tie, text)


def fold(text: str, width: int, *, first: str = "", then: str = "", whole: bool = False) -> list[str]:
    """``text`` in lines of at most ``width`` characters.

    A name or an id with hyphens stays in one line; so does what is `tied`.

    Args:
        first: before the first line; ``then``: before each further one.
        whole: a longer word is a line of its own, and is not cut.
    """
    lines = textwrap.wrap(
        tied(text),
        width,
        initial_indent=first,
        subsequent_indent=then,
        break_on_hyphens=False,
        break_long_words=not whole,
    )
    return [line.replace(_TIE, " ") for line in lines]


def as_number(text: str) -> int | None:
    """The number that ``text`` is, of at most 19 digits; None if it is none."""
    return int(text) if len(text) <= _MOST_DIGITS and text.isascii() and text.isdigit() else None


def count_of(things: Sized | int, name: str) -> str:
    """A count with its noun: ``1 spare``, ``2 spares``."""
    number = things if isinstance(things, int) else len(things)
    return f"{number:,} {name}{'' if number == 1 else 's'}"


@lru_cache(maxsize=256)  # a list of results has a few levels, thousands of times
def spelled(level: str) -> str:
    """A level as people write it: ``RAID5``, ``RAID10 n2``, ``RAID1C3``, ``LVM striped``; others as they are: ``raidz1``."""
    named = re.sub(_BACKEND, lambda found: _BACKENDS[found[0]], level)
    return re.sub(_RAID, lambda found: found[0].upper(), named)


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as a sentence lists them: ``raid50``, ``raid50 and raid60``, ``a, b and c``; or with "or" as the ``last``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def in_order(ways: Iterable[str]) -> tuple[str, ...]:
    """The commands of several ``a && b``, each complete by itself, as one list in which none is repeated needlessly."""
    found: list[str] = []
    for way in ways:
        commands = way.split(" && ") if way else []
        for place, one in enumerate(commands, start=1):
            # What is mounted twice is unmounted twice.
            found += [one] * (commands[:place].count(one) - found.count(one))
    return tuple(found)
