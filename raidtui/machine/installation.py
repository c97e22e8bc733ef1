"""How raidtui itself was installed here."""

import sys
from pathlib import Path
from typing import Final

from raidtui import __version__

ONE_FILE: Final = "one file"
"""Started from a file that holds everything; what it unpacked may be gone after the next boot."""

_PACKAGE: Final = Path(__file__).parent.parent
# Written beside the package by the program that installed it, as 'INSTALLER' in the metadata.
_WORDS: Final = {"dpkg": "Debian package", "one-file": ONE_FILE}
# Files in the environment of a tool that calls pip or uv.
_MARKS: Final = {"pipx_metadata.json": "pipx", "uv-receipt.toml": "uv tool"}


def how_installed(package: Path = _PACKAGE, environment: Path | None = None) -> str:
    """In words: "Debian package", `ONE_FILE`, "wheel, by pipx", or "checkout in /home/me/raidtui".

    Args:
        package: the folder of raidtui's modules.
        environment: the folder of the Python environment; by default the one that runs.
    """
    metadata = package.parent / f"raidtui-{__version__}.dist-info"
    if not metadata.is_dir():
        return f"checkout in {package.parent}"
    try:
        by = (metadata / "INSTALLER").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        by = ""
    if by in _WORDS:
        return _WORDS[by]
    place = Path(sys.prefix) if environment is None else environment
    by = next((tool for mark, tool in _MARKS.items() if (place / mark).exists()), by)
    return f"wheel, by {by}" if by else "wheel"


def own_command() -> tuple[str, ...]:
    """The command that starts the raidtui that runs now."""
    return (sys.executable, "-P", "-m", "raidtui")
