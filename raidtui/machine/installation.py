"""How raidtui itself was installed here."""

import os.path
import sys
from typing import Final

from raidtui import __version__

ONE_FILE: Final = "one file"
"""Started from a file that holds everything; what it unpacked may be gone after the next boot."""

# Not a Path: --version must not wait for the import of pathlib.
_PACKAGE: Final = os.path.dirname(os.path.dirname(__file__))
REFERENCE: Final = os.path.join(_PACKAGE, "REFERENCE.md")
"""What a spec, a profile and a sweep may contain: every installation brings it."""

REPLACED: Final = (
    "raidtui was updated or removed while it ran: leave it and start it again. Jobs keep running."
)

# Written beside the package by the program that installed it, as 'INSTALLER' in the metadata.
_WORDS: Final = {"dpkg": "Debian package", "one-file": ONE_FILE}
# Files in the environment of a tool that calls pip or uv.
_MARKS: Final = {"pipx_metadata.json": "pipx", "uv-receipt.toml": "uv tool"}


def how_installed(package: str = _PACKAGE, environment: str = sys.prefix) -> str:
    """In words: "Debian package", `ONE_FILE`, "wheel, by pipx", or "checkout in /home/me/raidtui".

    Args:
        package: the folder of raidtui's modules.
        environment: the folder of the Python environment.
    """
    beside = os.path.dirname(package)
    metadata = os.path.join(beside, f"raidtui-{__version__}.dist-info")
    if not os.path.isdir(metadata):
        return f"checkout in {beside}"
    try:
        with open(os.path.join(metadata, "INSTALLER"), encoding="utf-8", errors="replace") as file:
            by = file.read().strip()
    except OSError:
        by = ""
    if by in _WORDS:
        return _WORDS[by]
    marked = (tool for mark, tool in _MARKS.items() if os.path.exists(os.path.join(environment, mark)))
    by = next(marked, by)
    return f"wheel, by {by}" if by else "wheel"


def _stamp() -> tuple[int, int] | None:
    """Identifies the installed files: an update writes each file anew."""
    try:
        now = os.stat(os.path.join(_PACKAGE, "__init__.py"))
    except OSError:
        return None
    return now.st_ino, now.st_mtime_ns


_AT_START: Final = _stamp()


def was_replaced() -> bool:
    """Whether the files of raidtui are no longer those that it started from.

    What is not loaded yet does not fit what is: an import may fail, or work by other rules.
    """
    return _stamp() != _AT_START


def own_command() -> tuple[str, ...]:
    """The command that starts the raidtui that runs now."""
    return (sys.executable, "-P", "-m", "raidtui")
