"""Text as people see it: what came from a disk, a device or a file made harmless, and things counted."""

import unicodedata
from collections.abc import Sized

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def harmless(text: str) -> str:
    """``text`` with every control, format and unassigned character shown as ``?`` and trailing space dropped.

    A disk label may hold escape sequences that rewrite the terminal, or marks that turn the line round.
    """
    if text.isprintable():  # nearly all text; a list of 100 000 results has half a million pieces
        return text.rstrip()
    return "".join("?" if unicodedata.category(c) in _INVISIBLE else c for c in text).rstrip()


def count_of(things: Sized, name: str) -> str:
    """How many there are: ``1 spare``, ``2 spares``."""
    return f"{len(things)} {name}" if len(things) == 1 else f"{len(things)} {name}s"
