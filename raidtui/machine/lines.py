"""Lines of the text files of /etc, compared as a plan knows them."""

import os
from pathlib import Path


def has_line(path: str, line: str) -> bool:
    """Whether the file has ``line``; blanks at its end do not count."""
    file = file_behind(path)
    wanted = shown(as_bytes(line))
    return file.exists() and wanted in {shown(one) for one in file.read_bytes().splitlines()}


def file_behind(path: str) -> Path:
    """The file itself: a link stays a link, and the file behind it is read and replaced."""
    return Path(os.path.realpath(path))


def as_bytes(line: str) -> bytes:
    """``line`` as it stands in a file.

    Raises:
        ValueError: it is empty, or more than one line.
    """
    if not line.strip() or len(line.splitlines()) != 1:
        raise ValueError(f"not one line of text: {line!r}")
    return line.rstrip().encode()


def shown(line: bytes) -> str:
    """A line as a plan knows it: a byte that is not UTF-8 can be shown only as a replacement character."""
    return line.rstrip().decode(errors="replace")
