"""The file trees in which the kernel and udev describe the computer, under any root, so that tests can make one.

A device may vanish between two reads, and md answers ENODEV or EINVAL while an array is taken down: whatever
cannot be read is taken for gone and reads as nothing.
"""

import os
import stat
from collections.abc import Iterator
from typing import Final


class Tree:
    """The files of one computer; ``root`` is ``/`` but for tests."""

    def __init__(self, root: str | os.PathLike[str] = "/") -> None:
        self.root: Final = os.fspath(root).rstrip("/")

    def path(self, path: str) -> str:
        """Where ``path`` of that computer is on this one."""
        return self.root + path

    def text(self, path: str) -> str:
        """The content of a file without the space around it; empty if it cannot be read."""
        try:
            with open(self.root + path, "rb") as file:
                return file.read().decode(errors="replace").strip()
        except OSError:
            return ""

    def bytes(self, path: str) -> bytes:
        """The content of a file as it is; empty if it cannot be read."""
        try:
            with open(self.root + path, "rb") as file:
                return file.read()
        except OSError:
            return b""

    def number(self, path: str) -> int | None:
        """The whole number that a file starts with, ``None`` if there is none: ``4 (3)`` is 4."""
        word = self.text(path).partition(" ")[0]
        try:
            return int(word)
        except ValueError:
            return None

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; none if it cannot be read."""
        try:
            return sorted(os.listdir(self.root + path))
        except OSError:
            return []

    def link(self, path: str) -> str:
        """Where a symbolic link says it leads; empty if it is none."""
        try:
            return os.readlink(self.root + path)
        except OSError:
            return ""

    def exists(self, path: str) -> bool:
        """Whether there is such a file, folder or device."""
        return os.path.exists(self.root + path)

    def lines(self, path: str) -> Iterator[str]:
        """The lines of a file, none if it cannot be read."""
        yield from self.text(path).splitlines()

    def block_number(self, path: str) -> str | None:
        """The number, ``8:0``, of the block device that ``path`` is a node of, under whatever name.

        Empty for what is none, ``None`` for what is not there.
        """
        try:
            status = os.stat(self.root + path)
        except OSError:
            return None
        if not stat.S_ISBLK(status.st_mode):
            return ""
        return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"

    def device_named(self, path: str) -> str:
        """The kernel's name of the device that ``path`` leads to: ``sda1`` for ``/dev/disk/by-id/…-part1``.

        Follows links by their names, so that it works in a tree without device nodes. Empty for what is not
        under ``/dev``.
        """
        for _ in range(10):
            target = self.link(path)
            if not target:
                break
            path = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return path.removeprefix("/dev/") if path.startswith("/dev/") else ""


HERE: Final = Tree()
"""This computer."""
