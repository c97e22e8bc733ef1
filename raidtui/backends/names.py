"""Rules that every backend applies to the names of its units."""

import re
from typing import Final

from raidtui.model.errors import BadInput

LONGEST_NAME: Final = 32  # leaves room for a number in a GPT partition name of 36 characters
_SHOWN: Final = 40  # characters of a name in a message
_MARKS: Final = {
    ".": "dots",
    "-": "dashes",
    "+": "plus signs",
    ":": "colons",
    "_": "underscores",
}


def quoted(name: str) -> str:
    """``name`` as shown in a message: quoted, and cut if very long."""
    return repr(name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "…")


def check_plain(name: str, *, of: str, longest: int = LONGEST_NAME) -> None:
    """Check that ``name`` is plain and does not look like a kernel name of an array.

    Args:
        of: what is being named, for the error: ``an array``.
        longest: the most characters allowed.

    Raises:
        BadInput: it is empty, too long, has a character not allowed in device names, or looks like a device number.
    """
    check_form(name, of=of, marks="._-", longest=longest)
    if name.isdigit() or re.fullmatch(r"md_?\d+", name):
        raise BadInput(f"{quoted(name)} looks like a device number; choose a name such as tank")


def check_form(name: str, *, of: str, marks: str, longest: int, digit_first: bool = True) -> None:
    """Check that ``name`` has letters, digits and ``marks`` only, and begins with a letter or digit.

    Args:
        of: what is being named, for the error: ``an array``.
        marks: the other characters allowed, from ``.-+:_``.
        longest: the most characters allowed.
        digit_first: whether it may begin with a digit.

    Raises:
        BadInput: it is empty, too long, or has another character.
    """
    if not re.fullmatch(rf"[A-Za-z{'0-9' * digit_first}][A-Za-z0-9{re.escape(marks)}]*", name):
        *known, last = [words for mark, words in _MARKS.items() if mark in marks]
        raise BadInput(
            f"{quoted(name)} cannot be the name of {of}: use {', '.join(['letters', 'digits', *known])} and {last}, "
            f"beginning with a letter{' or digit' * digit_first}"
        )
    if len(name) > longest:
        raise BadInput(
            f"{quoted(name)} is {len(name)} characters long; the name of {of} has at most {longest}"
        )
