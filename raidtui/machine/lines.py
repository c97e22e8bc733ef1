"""Compare lines of text files in /etc with those in a plan."""

import os
from pathlib import Path


def has_line(path: str, line: str) -> bool:
    """Whether the file has ``line``; trailing blanks are ignored."""
    file = file_behind(path)
    wanted = shown(as_bytes(line))
    return file.exists() and wanted in {shown(one) for one in file.read_bytes().splitlines()}


def file_behind(path: str) -> Path:
    """Resolve links, so that the file is replaced and not the link to it."""
    return Path(os.path.realpath(path))


def as_bytes(line: str) -> bytes:
    """Encode ``line`` for a file. Raises ValueError: ``line`` is empty or has several lines."""
    if not line.strip() or len(line.splitlines()) != 1:
        raise ValueError(f"not one line of text: {line!r}")
    return line.rstrip().encode()


def shown(line: bytes) -> str:
    """Decode a line as in a plan: bytes that are not UTF-8 become replacement characters."""
    return line.rstrip().decode(errors="replace")
