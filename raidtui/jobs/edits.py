"""Add and remove the lines of configuration files that make an array come back after a reboot.

The file is replaced atomically, so a power cut leaves the old or the new one. The rest of it stays the same byte for
byte, as do owner and mode; only a last line without a newline gets one. Both operations are idempotent.
"""

from pathlib import Path
from typing import Final

from raidtui.jobs.durable import write_file
from raidtui.jobs.folders import make_folders
from raidtui.machine.lines import as_bytes, file_behind, shown
from raidtui.model.errors import StepFailed

_NEW_FILE_MODE: Final = 0o644


def ensure_line(path: str, line: str) -> str:
    """Make sure that the file has ``line`` exactly once; of several, keep the first. Return what was done, in words.

    A missing folder is created, such as /etc/mdadm where the package was purged; not where a link leads to it, as that
    may lead into a filesystem that is not mounted.

    Raises:
        StepFailed: the folder cannot be created, or a link leads to one that does not exist.
    """
    file = file_behind(path)
    if not file.parent.is_dir():
        if str(file) != path:
            raise StepFailed(
                f"{path} cannot be written: it is a link into {file.parent}, which does not exist"
            )
        make_folders(str(file.parent), lambda missing: None)
    wanted = as_bytes(line)
    if not file.exists():
        write_file(file, wanted + b"\n", mode=_NEW_FILE_MODE)
        return f"created {path} with the line {line!r}"
    lines = file.read_bytes().splitlines(keepends=True)
    where = [number for number, one in enumerate(lines) if one.rstrip() == wanted]
    if len(where) == 1:
        return f"{path} already has the line {line!r}"
    if where:
        kept = [one for number, one in enumerate(lines) if number not in where[1:]]
        _replace(file, kept)
        return f"removed duplicates of the line {line!r} from {path}"
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    _replace(file, [*lines, wanted + b"\n"])
    return f"added the line {line!r} to {path}"


def drop_line(path: str, line: str) -> str:
    """Remove ``line`` from the file and change nothing else. Return what was done, in words."""
    file = file_behind(path)
    if not file.exists():
        return f"there is no {path}"
    wanted = shown(as_bytes(line))
    lines = file.read_bytes().splitlines(keepends=True)
    kept = [one for one in lines if shown(one) != wanted]
    if len(kept) == len(lines):
        return f"{path} does not have the line {line!r}"
    _replace(file, kept)
    return f"removed the line {line!r} from {path}"


def _replace(file: Path, lines: list[bytes]) -> None:
    write_file(file, b"".join(lines), like=file.stat())
