"""Open raidtui's own files: never through a link, and for root only where nobody else can change them.

A link that another user put into the state folder would make root write to the file that it leads to.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from raidtui.model.errors import Refused
from raidtui.model.paths import state_folder
from raidtui.model.text import as_number

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def open_own(path: Path, flags: int) -> int:
    """Open a file of raidtui's for writing, and return its descriptor. Neither it nor a folder of it may be a link.

    Each folder below the state folder is opened in turn. ``flags`` must not have O_TRUNC: the file is checked first.

    Raises:
        Refused: a link is in the way, it is not a regular file, or another user can change it or its folder.
        OSError: as of `os.open`, with the whole path.
    """
    base, parts = _split(path)
    with ExitStack() as stack, named(path):
        # The state folder itself may be behind a link: its owner decides where it is.
        folder = os.open(base, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, folder)
        here = base
        for part in parts[:-1]:
            here /= part
            refuse_link(here)
            folder = os.open(part, _FOLDER, dir_fd=folder)
            stack.callback(os.close, folder)
            check_owner(here, os.fstat(folder))
        refuse_link(path)
        # Without O_NONBLOCK the open of a planted FIFO would wait for its other end.
        safe = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(parts[-1], flags | safe, 0o600, dir_fd=folder)
        with ExitStack() as failed:
            failed.callback(os.close, fd)
            about = os.fstat(fd)
            if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
                raise Refused(f"{path} must be a regular file with only this name; remove it")
            if base == state_folder():
                check_owner(path, about)
            failed.pop_all()
        return fd


def _split(path: Path) -> tuple[Path, tuple[str, ...]]:
    state = state_folder()
    if path.is_relative_to(state) and path != state:
        return state, path.relative_to(state).parts
    return path.parent, (path.name,)


def refuse_link(path: Path) -> None:
    """Check that ``path`` is not a symbolic link. Raises Refused: it is one."""
    if path.is_symlink():
        raise Refused(f"{path} is a symbolic link, which raidtui does not follow; remove it")


def check_owner(path: Path, about: os.stat_result) -> None:
    """Check, as root, that only root, or the user who became root with sudo, can change what is at ``path``.

    Raises:
        Refused: another user owns it, or may write to it.
    """
    if os.geteuid() != 0:
        return  # without root no disk can be changed, so the owner does not matter
    others = about.st_mode & 0o022
    if about.st_gid in {0, _of_sudo("SUDO_GID")}:
        others &= 0o002
    if about.st_uid not in {0, _of_sudo("SUDO_UID")} or others:
        raise open_to_others(path, about)


def _of_sudo(variable: str) -> int:
    """The number of the user or group that became root with sudo; root's own if the variable has none."""
    return as_number(os.environ.get(variable, "")) or 0


def open_to_others(path: Path, about: os.stat_result) -> Refused:
    """The error that says whose ``path`` is."""
    return Refused(
        f"other users can change what is in {path} (owner {about.st_uid}, mode {stat.S_IMODE(about.st_mode):o}), "
        "and so what root's jobs do. Set RAIDTUI_STATE to a folder that only root may write to"
    )


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Give an OSError inside the name of the file: one of a descriptor has none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from error


def unusable(error: OSError) -> str:
    """The sentence about a file of raidtui's own that cannot be read or written."""
    return f"cannot use {error.filename}, where raidtui keeps its state: {error.strerror}"


def is_own(error: OSError) -> bool:
    """Whether ``error`` is about a file of raidtui's own, or the folder that they are in."""
    state = state_folder()
    path = Path(str(error.filename)) if error.filename else None
    return path is not None and (path.is_relative_to(state) or state.is_relative_to(path))


@contextmanager
def refusing() -> Iterator[None]:
    """Refuse what is about to begin if a file of raidtui's own cannot be used.

    Raises:
        Refused: an OSError occurred inside.
    """
    try:
        yield
    except OSError as error:
        raise Refused(
            f"{unusable(error)}. Nothing was started; make {state_folder()} writable, or set RAIDTUI_STATE to "
            "another folder"
        ) from error
