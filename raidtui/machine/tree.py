"""Read sysfs, /proc and other files under any root, so that tests can make their own.

A device may vanish between two reads, and md returns ENODEV or EINVAL while an array is being stopped: what cannot
be read counts as gone and reads as empty.
"""

import os
import stat
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

_PIECE: Final = 16 * 1024
_MOST_PIECES: Final = 2048  # a file of 32 MiB is none that is read here
_GONE: Final = (OSError, ValueError)  # ValueError: a name with a NUL, which no file has


class Tree:
    """The files of one computer; ``root`` is ``/`` except in tests."""

    def __init__(self, root: str | os.PathLike[str] = "/") -> None:
        self.root: Final = os.fspath(root).rstrip("/")

    def path(self, path: str) -> str:
        """The real path of ``path``."""
        return self.root + path

    def text(self, path: str) -> str:
        """The content of a file, stripped; empty if it cannot be read."""
        return self.bytes(path).decode(errors="replace").strip()

    def bytes(self, path: str) -> bytes:
        """The raw content of a file; empty if it cannot be read."""
        try:
            # Without a file object: a computer with many disks has a thousand of these files, of a few bytes each.
            # Nor does a pipe or a device in the place of a file let it wait, or read without end.
            descriptor = os.open(self.root + path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except _GONE:
            return b""
        try:
            pieces = list(islice(iter(partial(os.read, descriptor, _PIECE), b""), _MOST_PIECES))
            return b"".join(pieces) if len(pieces) < _MOST_PIECES else b""
        except OSError:
            return b""
        finally:
            os.close(descriptor)

    def why_not_read(self, path: str, *, most: int) -> str:
        """Why a file that is there cannot be read, or has more than ``most`` bytes; empty if nothing is wrong.

        That this user may not read it is not said: without root that is usual.
        """
        try:
            about = os.stat(self.root + path)
            if stat.S_ISCHR(about.st_mode) and about.st_rdev == os.stat(os.devnull).st_rdev:
                return ""  # a link to /dev/null: somebody wants it empty
            if not stat.S_ISREG(about.st_mode):
                return "it is not a file"
            if about.st_size > most:
                return f"it has {about.st_size:,} bytes"
            with open(self.root + path, "rb") as file:
                file.read()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return ""
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def number(self, path: str) -> int | None:
        """The whole number at the start of a file: 4 for ``4 (3)``; ``None`` if there is none."""
        word = self.text(path).partition(" ")[0]
        try:
            return int(word)
        except ValueError:
            return None

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; none if it cannot be read."""
        try:
            return sorted(os.listdir(self.root + path))
        except _GONE:
            return []

    def link(self, path: str) -> str:
        """The target of a symbolic link; empty if it is not a link."""
        try:
            return os.readlink(self.root + path)
        except _GONE:
            return ""

    def exists(self, path: str) -> bool:
        """Whether there is such a file, folder or device."""
        return os.path.exists(self.root + path)

    def modified(self, path: str) -> int:
        """When a file or folder was last changed, in nanoseconds; 0 if it does not exist."""
        try:
            return os.stat(self.root + path).st_mtime_ns
        except _GONE:
            return 0

    def lines(self, path: str) -> Iterator[str]:
        """The lines of a file; none if it cannot be read."""
        yield from self.text(path).splitlines()

    def block_number(self, path: str) -> str | None:
        """The number, such as ``8:0``, of the block device node at ``path``, whatever it is called.

        Empty if ``path`` is not a block device, ``None`` if it does not exist.
        """
        try:
            status = os.stat(self.root + path)
        except _GONE:
            return None
        if not stat.S_ISBLK(status.st_mode):
            return ""
        return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"

    def device_named(self, path: str) -> str:
        """The kernel name of the device at ``path``: ``sda1`` for ``/dev/disk/by-id/…-part1``.

        Follows links by name, so it works in a tree without device nodes. Empty if the target is not under ``/dev``.
        """
        for _ in range(10):
            target = self.link(path)
            if not target:
                break
            path = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return path.removeprefix("/dev/") if path.startswith("/dev/") else ""


HERE: Final = Tree()
"""This computer."""
