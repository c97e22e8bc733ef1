"""Write files that survive a power cut (written to a temporary file, synced, renamed), and append to logs."""

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from raidtui.machine.own_files import named, open_own


def sync_folder(folder: Path) -> None:
    """Sync the directory ``folder``, without which a new file in it may be lost."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with named(folder):
            os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(folder: Path) -> None:
    """Create ``folder`` and its missing parents, each readable only by its owner, and sync them to disk."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    sync_folder(folder.parent)


def write_file(path: Path, content: bytes, *, like: os.stat_result | None = None, mode: int = 0o600) -> None:
    """Write ``content`` to ``path`` atomically: after a power cut there is either the old file or the new one.

    Args:
        like: status of the file that is replaced, for owner and mode; extended attributes (such as an SELinux
            context) are copied from the file at ``path``.
        mode: of the new file without ``like``, whatever the umask is.
    """
    write_pieces(path, (content,), like=like, mode=mode)


def write_pieces(
    path: Path,
    pieces: Iterable[bytes | memoryview],
    *,
    like: os.stat_result | None = None,
    mode: int = 0o600,
) -> None:
    """Like `write_file`, for content in pieces."""
    beside = path.with_name(f".{path.name}.raidtui")
    beside.unlink(missing_ok=True)  # left by a process that was killed
    fd = open_own(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        for piece in pieces:
            _write(fd, piece)
        if like is None:
            os.fchmod(fd, mode)
        else:
            os.fchown(fd, like.st_uid, like.st_gid)
            os.fchmod(fd, like.st_mode & 0o7777)
            for name in os.listxattr(path):
                os.setxattr(fd, name, os.getxattr(path, name))
        os.fsync(fd)
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):  # on a filesystem that has become read-only it stays
            beside.unlink(missing_ok=True)
        raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from error
    finally:
        os.close(fd)
    sync_folder(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Append a line to a log shared by several processes, creating its folder. It is on disk when this returns."""
    make_folder(path.parent)
    fd = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        with named(path):
            fcntl.flock(fd, fcntl.LOCK_EX)
            size = os.fstat(fd).st_size
            torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"  # a power cut truncated the last line
            _write(fd, (b"\n" if torn else b"") + line + b"\n")
            os.fsync(fd)
            if size == 0:
                sync_folder(path.parent)
    finally:
        os.close(fd)


def _write(fd: int, content: bytes | memoryview) -> None:
    done = 0
    while done < len(content):
        with memoryview(content)[done:] as rest:  # released at once: the piece may be a buffer that is reused
            done += os.write(fd, rest)
