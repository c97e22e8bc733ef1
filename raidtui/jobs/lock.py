"""Lock files that show whether a process is alive: the kernel releases them when it ends, for whatever reason.

Unlike a process id, such a lock cannot be mistaken for that of another process.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from raidtui.machine.own_files import named, open_own
from raidtui.model.errors import Refused
from raidtui.model.text import as_number

_POLL_SECONDS: Final = 0.1


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock file ``path`` exclusively."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        # Shared, so that several callers of this function do not take each other for a holder.
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def holder(path: Path) -> int | None:
    """The id of the process that holds ``path``; ``None`` if none does."""
    if not is_locked(path):
        return None
    written = path.read_text(encoding="ascii", errors="replace").strip()
    return as_number(written)


def processes_with(path: Path) -> list[str]:
    """The processes that have ``path`` open, in words: ``mkfs.ext4 (process 4711)``; as far as they can be read."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(_is_same(one, path) for one in (folder / "fd").iterdir()):
                found.append(f"{(folder / 'comm').read_text().strip()} (process {folder.name})")
    return found


def _is_same(descriptor: Path, path: Path) -> bool:
    with suppress(OSError):
        return descriptor.samefile(path)
    return False


@contextmanager
def held(
    path: Path,
    *,
    patience_seconds: float,
    refusal: str,
    inherited: bool = False,
    waiting: Callable[[], None] = lambda: None,
) -> Iterator[int]:
    """Hold the lock file ``path`` exclusively, write this process's id to it, and yield the descriptor.

    Args:
        patience_seconds: how long to wait for another holder; never zero, because `is_locked` holds it for an
            instant.
        refusal: the message if another process keeps it.
        inherited: whether children inherit the descriptor, and so also hold the lock as long as they run.
        waiting: called again and again while another process holds it; may raise to give up.

    Raises:
        Refused: another process holds it.
    """
    fd = open_own(path, os.O_RDWR | os.O_CREAT)
    try:
        deadline = time.monotonic() + patience_seconds
        while not _take(fd):
            if time.monotonic() >= deadline:
                raise Refused(refusal)
            waiting()
            time.sleep(_POLL_SECONDS)
        with named(path):
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        os.set_inheritable(fd, inherited)
        yield fd
    finally:
        os.close(fd)


def _take(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
