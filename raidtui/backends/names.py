"""How a name must look: the part that every backend asks of the names of its units."""

import re
from typing import Final

from raidtui.model.errors import BadInput

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
