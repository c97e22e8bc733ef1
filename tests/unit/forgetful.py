"""A filesystem that forgets at a power cut what was not synced: no more is kept than POSIX promises.

The files are real ones; what is durable is noted at each fsync, which is all that a program can rely on: fsync of a file
keeps its content, fsync of a folder keeps its entries. A crash is put together from that in three ways, as filesystems
differ in what they keep beyond it.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from unittest.mock import patch


class Kept(Enum):
    """What a power cut leaves."""

    SYNCED = "only what was synced"
    NAMES = "all names, but only the content that was synced"
    ALL = "all"


class Forgetful:
    """The folder ``root``, all of it durable at first, and what is durable of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._content: dict[int, bytes] = {}  # by inode, of files
        self._entries: dict[
            int, dict[str, tuple[int, bool]]
        ] = {}  # by inode, of folders: name → inode, is a folder
        self._opened: list[int] = []
        for folder, _, files in os.walk(root):
            self._note_folder(os.stat(folder).st_ino, folder)
            for name in files:
                self._note_file(os.path.join(folder, name))

    @contextmanager
    def watching(self, crashes: list["Forgetful"]) -> Iterator[None]:
        """Note each fsync of this process inside; add what is durable before and after each to ``crashes``."""
        really = os.fsync

        def fsync(fd: int) -> None:
            crashes.append(self.frozen())
            really(fd)
            about = os.fstat(fd)
            path = os.readlink(f"/proc/self/fd/{fd}")
            if stat.S_ISDIR(about.st_mode):
                self._note_folder(about.st_ino, path)
            else:
                # By the descriptor: the file may have no name any more. The inode stays while it is remembered.
                self._note_file(f"/proc/self/fd/{fd}")
            crashes.append(self.frozen())

        with patch.object(os, "fsync", fsync):
            yield
        crashes.append(self.frozen())

    def frozen(self) -> "Forgetful":
        """The state now, for a crash; the files as they are now are copied."""
        now = Forgetful.__new__(Forgetful)
        now.root = self.root
        now._content, now._entries = (
            dict(self._content),
            {key: dict(value) for key, value in self._entries.items()},
        )
        now._live = {}
        for folder, folders, files in os.walk(self.root):
            here = Path(folder)
            now._live[os.stat(folder).st_ino] = (
                {name: (os.lstat(here / name).st_ino, name in folders) for name in (*folders, *files)},
                {os.lstat(here / name).st_ino: (here / name).read_bytes() for name in files},
            )
        return now

    def crash(self, kept: Kept, target: Path) -> Path:
        """Write what a power cut leaves of a frozen state to the folder ``target``, and return it."""
        shutil.rmtree(target, ignore_errors=True)
        self._write(os.stat(self.root).st_ino, kept, target)
        return target

    def _write(self, folder: int, kept: Kept, target: Path) -> None:
        target.mkdir(mode=0o700)
        live, contents = self._live.get(folder, ({}, {}))
        entries = self._entries.get(folder, {}) if kept is Kept.SYNCED else live
        for name, (inode, is_folder) in entries.items():
            if is_folder:
                self._write(inode, kept, target / name)
            else:
                now = contents.get(inode, b"")
                content = now if kept is Kept.ALL else self._content.get(inode, b"")
                (target / name).write_bytes(content)
                (target / name).chmod(0o600)

    def _note_folder(self, inode: int, path: str) -> None:
        found = {}
        for entry in os.scandir(path):
            found[entry.name] = (entry.inode(), entry.is_dir(follow_symlinks=False))
        self._entries[inode] = found

    def _note_file(self, path: str) -> None:
        self._content[os.stat(path).st_ino] = Path(path).read_bytes()

    _live: dict[int, tuple[dict[str, tuple[int, bool]], dict[int, bytes]]]
