"""Files that people write (a spec, a sweep, a profile), read whole."""

import sys
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.text import harmless
from raidtui.model.units import MIB

STANDARD_INPUT: Final = "-"
_MOST_BYTES: Final = MIB  # a thousand times what such a file has; a device or a pipe may never end


def read_text(path: str, *, what: str) -> str:
    """The text of the file ``path``; ``-`` is standard input.

    Args:
        what: the word for what it should be: "spec".

    Raises:
        BadInput: it is not there, cannot be read, is far too large, or is not text in UTF-8.
    """
    shown = spell_origin(path)
    if path == STANDARD_INPUT and sys.stdin is None:
        raise BadInput(f"standard input is closed; name a file with the {what}")
    try:
        if path == STANDARD_INPUT:
            content = sys.stdin.buffer.read(_MOST_BYTES + 1)
        else:
            with open(path, "rb") as file:
                content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"the {what} {shown} cannot be read: {reason}") from error
    if len(content) > _MOST_BYTES:
        raise BadInput(f"{shown} is larger than 1 MiB; a {what} is a small TOML file")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{shown} is not text; a {what} is a small TOML file in UTF-8") from error


def spell_origin(path: str) -> str:
    """What a sentence calls the file ``path``."""
    return "standard input" if path == STANDARD_INPUT else harmless(path)
