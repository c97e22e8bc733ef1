"""Lines of text files that make an array come back after a reboot, put in and taken out.

The file is replaced in one move, so a power cut leaves the old or the new one; everything else in it stays as it
is, byte for byte, and so do its owner and mode. Doing either twice is doing it once.
"""

import os
from pathlib import Path
from typing import Final

from raidtui.jobs.durable import sync_folder, write_file
from raidtui.model.errors import StepFailed

_NEW_FILE_MODE: Final = 0o644


def ensure_line(path: str, line: str) -> str:
    """Have exactly ``line`` in the file, once; the first of several stays. Returns what was done, in words.

    Raises:
        StepFailed: the file's folder does not exist.
    """
    file = _file(path)
    if not file.parent.is_dir():
        raise StepFailed(f"{path} cannot be written: the folder {file.parent} does not exist")
    wanted = _one_line(line)
    if not file.exists():
        write_file(file, wanted + b"\n")
        file.chmod(_NEW_FILE_MODE)
        sync_folder(file.parent)
        return f"made {path} with the line {line!r}"
    lines = file.read_bytes().splitlines(keepends=True)
    where = [number for number, one in enumerate(lines) if one.rstrip() == wanted]
    if len(where) == 1:
        return f"{path} has the line {line!r} already"
    if where:
        kept = [one for number, one in enumerate(lines) if number not in where[1:]]
        _replace(file, kept)
        return f"left the line {line!r} once in {path}"
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    _replace(file, [*lines, wanted + b"\n"])
    return f"added to {path} the line {line!r}"


def drop_line(path: str, line: str) -> str:
    """Have ``line`` no longer in the file; nothing else of it changes. Returns what was done, in words."""
    file = _file(path)
    if not file.exists():
        return f"there is no {path}"
    wanted = _shown(_one_line(line))
    lines = file.read_bytes().splitlines(keepends=True)
    kept = [one for one in lines if _shown(one) != wanted]
    if len(kept) == len(lines):
        return f"{path} does not have the line {line!r}"
    _replace(file, kept)
    return f"took from {path} the line {line!r}"


def has_line(path: str, line: str) -> bool:
    """Whether the file has ``line``; blanks at its end do not count."""
    file = _file(path)
    wanted = _shown(_one_line(line))
    return file.exists() and wanted in {_shown(one) for one in file.read_bytes().splitlines()}


def _file(path: str) -> Path:
    # A link stays a link: the file behind it is replaced.
    return Path(os.path.realpath(path))


def _one_line(line: str) -> bytes:
    if not line.strip() or len(line.splitlines()) != 1:
        raise ValueError(f"not one line of text: {line!r}")
    return line.rstrip().encode()


def _shown(line: bytes) -> str:
    """A line as a plan knows it: a byte that is no UTF-8 can be shown only as a replacement character."""
    return line.rstrip().decode(errors="replace")


def _replace(file: Path, lines: list[bytes]) -> None:
    write_file(file, b"".join(lines), like=file.stat())
