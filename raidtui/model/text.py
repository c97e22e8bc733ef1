"""Make text from disks, devices and files safe to show, and write counts."""

import unicodedata
from collections.abc import Sequence, Sized

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def harmless(text: str) -> str:
    """``text`` with every control, format and unassigned character replaced by ``?``, without trailing space.

    A disk label may contain escape sequences that rewrite the terminal, or marks that reverse the line.
    """
    if text.isprintable():  # nearly all text is; a list of 100 000 results has half a million strings
        return text.rstrip()
    return "".join("?" if unicodedata.category(c) in _INVISIBLE else c for c in text).rstrip()


def count_of(things: Sized, name: str) -> str:
    """A count with its noun: ``1 spare``, ``2 spares``."""
    return f"{len(things)} {name}" if len(things) == 1 else f"{len(things)} {name}s"


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: ``raid50``, ``raid50 and raid60``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
