"""Locks that say who lives: held by a process, and let go of by the kernel when it ends, however it ends.

A process id can be used again by another process; such a lock cannot.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from raidtui.model.errors import Refused

_POLL_SECONDS: Final = 0.1


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock file ``path`` exclusively."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        # Shared: those who only ask never look like a holder to each other.
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def holder(path: Path) -> int | None:
    """The process id of who holds ``path``, if anybody does."""
    if not is_locked(path):
        return None
    written = path.read_text(encoding="ascii", errors="replace").strip()
    return int(written) if written.isdigit() else None


@contextmanager
def held(path: Path, *, patience_seconds: float, refusal: str, inherited: bool = False) -> Iterator[int]:
    """Hold the lock file ``path`` exclusively; the file then holds this process's id. Gives the descriptor.

    Args:
        patience_seconds: how long to wait for another holder; at least a moment, because who merely asks
            (`is_locked`) holds it for an instant.
        refusal: the sentence when somebody else keeps it.
        inherited: whether a child may be given the descriptor, and holds the lock as well while it lives.

    Raises:
        Refused: somebody else holds it.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + patience_seconds
        while not _take(fd):
            if time.monotonic() >= deadline:
                raise Refused(refusal)
            time.sleep(_POLL_SECONDS)
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
