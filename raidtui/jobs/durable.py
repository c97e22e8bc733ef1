"""Files that are whole after a power cut: written beside, synced, and put in place in one move; and logs of lines."""

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Bring the names inside ``folder`` to disk: a new file is not found again without this."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(folder: Path) -> None:
    """Make ``folder`` and what is missing above it, each readable by its owner alone, and bring it to disk."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    sync_folder(folder.parent)


def write_file(path: Path, content: bytes, *, like: os.stat_result | None = None) -> None:
    """Put ``content`` at ``path``: after a power cut there is the old file or the new one, never half of one.

    Args:
        like: the file that is replaced: owner and mode are taken from it, and extended attributes (an SELinux
            context, say) from the file at ``path``. Without it the new file is its owner's alone.
    """
    write_pieces(path, (content,), like=like)


def write_pieces(
    path: Path, pieces: Iterable[bytes | memoryview], *, like: os.stat_result | None = None
) -> None:
    """As `write_file`, of a content that comes in pieces."""
    beside = path.with_name(f".{path.name}.raidtui")
    beside.unlink(missing_ok=True)  # left by a process that was killed
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        for piece in pieces:
            _write(fd, piece)
        if like is not None:
            os.fchown(fd, like.st_uid, like.st_gid)
            os.fchmod(fd, like.st_mode & 0o7777)
            for name in os.listxattr(path):
                os.setxattr(fd, name, os.getxattr(path, name))
        os.fsync(fd)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from error
    finally:
        os.close(fd)
    sync_folder(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a log that several processes may write to; its folder is made. It is on disk when this returns."""
    make_folder(path.parent)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"  # the end of a line was lost in a power cut
        _write(fd, (b"\n" if torn else b"") + line + b"\n")
        os.fsync(fd)
    finally:
        os.close(fd)


def _write(fd: int, content: bytes | memoryview) -> None:
    done = 0
    while done < len(content):
        with memoryview(content)[
            done:
        ] as rest:  # let go of at once: the piece may be a buffer that is used again
            done += os.write(fd, rest)
