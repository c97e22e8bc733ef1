"""Read hand-written text (a spec, a sweep, a profile) from a file or standard input."""

import sys
from typing import BinaryIO, Final

from raidtui.model.errors import BadInput
from raidtui.model.text import harmless
from raidtui.model.units import MIB

_MOST_BYTES: Final = MIB  # a thousand times the usual size; a device or pipe may never end


def read_text(path: str, *, what: str) -> str:
    """Read the text file ``path``.

    Args:
        what: what the file should be, such as "spec", for errors.

    Raises:
        BadInput: the file is missing, unreadable, too large, or not UTF-8 text.
    """
    shown = harmless(path)
    try:
        with open(path, "rb") as file:
            return _text(file, shown, what)
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"the {what} {shown} cannot be read: {reason}") from error


def read_input(*, what: str) -> str:
    """Read standard input; otherwise like `read_text`."""
    if sys.stdin is None:
        raise BadInput(f"standard input is closed; name a file with the {what}")
    try:
        return _text(sys.stdin.buffer, "standard input", what)
    except OSError as error:
        raise BadInput(f"the {what} on standard input cannot be read: {error.strerror}") from error


def _text(stream: BinaryIO, shown: str, what: str) -> str:
    content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise BadInput(f"{shown} is larger than 1 MiB; a {what} is a small TOML file")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{shown} is not text; a {what} is a small TOML file in UTF-8") from error
