"""Trees of files that are the same each time they are made."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from package.environment import ROOT


def made_at() -> datetime:
    """The time that every file gets: SOURCE_DATE_EPOCH, else that of the commit, else that of pyproject.toml."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return datetime.fromtimestamp(int(given), UTC)
    argv = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    try:
        answer = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError:  # an unpacked source archive, on a computer without git
        answer = None
    if answer is not None and answer.returncode == 0 and answer.stdout.strip():
        return datetime.fromtimestamp(int(answer.stdout), UTC)
    return datetime.fromtimestamp(int((ROOT / "pyproject.toml").stat().st_mtime), UTC)


def write(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write a file, and the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def settle(tree: Path, time: datetime) -> None:
    """Give everything below ``tree`` the same time, and modes that do not depend on who made it."""
    for folder, _, names in os.walk(tree, topdown=False):
        for name in names:
            path = Path(folder) / name
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
            os.utime(path, (time.timestamp(), time.timestamp()), follow_symlinks=False)
        Path(folder).chmod(0o755)
        os.utime(folder, (time.timestamp(), time.timestamp()))
