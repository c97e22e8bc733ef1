"""How a name must look: the part that every backend asks of the names of its units."""

import re
from typing import Final

from raidtui.model.errors import BadInput

LONGEST_NAME: Final = 32  # so that a partition's name, 36 characters in GPT, has room for it and a number
_SHOWN: Final = 40  # characters of a name in a message
_MARKS: Final = {
    ".": "dots",
    "-": "dashes",
    "+": "plus signs",
    ":": "colons",
    "_": "underscores",
}


def quoted(name: str) -> str:
    """``name`` as a message shows it: quoted, and cut where it is very long."""
    return repr(name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "…")


def check_plain(name: str, *, of: str, longest: int = LONGEST_NAME) -> None:
    """See that ``name`` is plain, and none that the kernel gives to an array.

    Raises:
        BadInput: it is empty, too long, has a character that device names cannot have, or would be taken for a
            device number; the text says what ``of`` it cannot be the name.
    """
    check_form(name, of=of, marks="._-", longest=longest)
    if name.isdigit() or re.fullmatch(r"md_?\d+", name):
        raise BadInput(f"{quoted(name)} looks like a device number; choose a name such as tank")


def check_form(name: str, *, of: str, marks: str, longest: int, digit_first: bool = True) -> None:
    """See that ``name`` has letters, digits and ``marks`` only, and begins with a letter or digit.

    Args:
        of: what is called so: ``an array``.
        marks: what it may have besides, of ``.-+:_``.
        longest: the most characters that it may have.
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
