"""The file or device that is measured, open: a test file that leaves nothing behind, whatever kills us.

The test file gets a name for an instant and is then only a descriptor, which fio inherits and opens again through
``/proc/self/fd``. When the last process that has it ends, however it ends, the filesystem frees it; after a power
cut it does so when it is mounted. No path can lead fio anywhere else, whatever is mounted or renamed meanwhile.

Rows that make many files need names for them: these are in a folder of their own, which is removed at the end, and
after a kill by the next benchmark there.
"""

import errno
import fcntl
import os
import shutil
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from raidtui.bench.target import Target, check_blank, check_same
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.text import harmless
from raidtui.model.units import MIB, spell_size

_BEGIN: Final = ".raidtui-bench-"
_END: Final = ".tmp"
_FOLDER_END: Final = ".files"
_BLKZEROOUT: Final = 0x127F
_ZERO_PIECE: Final = 64 * MIB
# Filesystems, mostly on a network, that cannot lock a directory.
_NO_LOCK: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


class Opened(Record, frozen=True, kw_only=True):
    """What is measured, as descriptors that fio inherits."""

    descriptor: int  # the test file, or the device
    folder: int | None = None  # for rows that make files; a device has none

    @property
    def filename(self) -> str:
        """What fio calls the file."""
        return f"/proc/self/fd/{self.descriptor}"

    @property
    def foldername(self) -> str:
        """What fio calls the folder. The dot makes it a folder to those who ask what the link itself is."""
        return f"/proc/self/fd/{self.folder}/." if self.folder is not None else ""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """To be inherited."""
        return (self.descriptor, *(() if self.folder is None else (self.folder,)))


@contextmanager
def opened(
    target: Target, machine: Machine, *, size_bytes: int, job: str, erase: str, files: bool = False
) -> Iterator[Opened]:
    """What is measured: an empty test file of ``size_bytes``, or the device.

    Args:
        files: with a folder for many files.

    Raises:
        Refused: it is not what was checked any more, or another benchmark measures there.
        StepFailed: the file cannot be made.
    """
    if target.is_device:
        with _device(target, machine, size_bytes=size_bytes, erase=erase) as descriptor:
            yield Opened(descriptor=descriptor)
        return
    folder = os.open(target.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        check_same(target, folder)
        _lock(folder, target)
        remove_leftovers(folder)
        descriptor = _make_file(folder, target, f"{_BEGIN}{job}{_END}", size_bytes)
        try:
            if not files:
                yield Opened(descriptor=descriptor)
                return
            with _folder(folder, target, f"{_BEGIN}{job}{_FOLDER_END}") as own:
                yield Opened(descriptor=descriptor, folder=own)
        finally:
            os.close(descriptor)
    finally:
        os.close(folder)


def remove_leftovers(folder: int) -> tuple[str, ...]:
    """Remove what a kill left of ours in the open directory ``folder``; returns the names.

    A test file can be left only in the instant between making it and unlinking it. Whoever holds the lock
    of the directory knows that nobody else is in that instant.
    """
    removed = []
    for name in os.listdir(folder):
        if not name.startswith(_BEGIN):
            continue
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if found.st_uid != os.geteuid():
            continue
        if name.endswith(_END) and stat.S_ISREG(found.st_mode):
            os.unlink(name, dir_fd=folder)
            removed.append(name)
        elif name.endswith(_FOLDER_END) and stat.S_ISDIR(found.st_mode):
            shutil.rmtree(name, dir_fd=folder)
            removed.append(name)
    return tuple(removed)


@contextmanager
def _folder(parent: int, target: Target, name: str) -> Iterator[int]:
    """A new folder in the open directory ``parent``, removed with all that is in it."""
    try:
        os.mkdir(name, 0o700, dir_fd=parent)
    except OSError as error:
        raise StepFailed(f"cannot create a folder in {harmless(target.path)}: {error.strerror}") from error
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
        shutil.rmtree(name, dir_fd=parent)


def _lock(folder: int, target: Target) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Refused(
            f"another benchmark is running in {harmless(target.path)}; see 'raidtui jobs'"
        ) from error
    except OSError as error:
        if error.errno not in _NO_LOCK:
            raise


def _make_file(folder: int, target: Target, name: str, size_bytes: int) -> int:
    shown = harmless(target.path)
    try:
        descriptor = os.open(
            name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder
        )
    except OSError as error:
        raise StepFailed(f"cannot create a file in {shown}: {error.strerror}") from error
    try:
        os.unlink(name, dir_fd=folder)
        # All of its length, and nothing in it yet: the prefill writes every block, and fio makes no file anew.
        os.ftruncate(descriptor, size_bytes)
    except OSError as error:
        os.close(descriptor)
        raise StepFailed(f"cannot extend the test file in {shown}: {error.strerror}") from error
    return descriptor


@contextmanager
def _device(target: Target, machine: Machine, *, size_bytes: int, erase: str) -> Iterator[int]:
    flags = os.O_RDWR | os.O_EXCL if target.writes else os.O_RDONLY
    if target.writes:
        number = f"{os.major(target.number)}:{os.minor(target.number)}"
        check_blank(target.path, number, machine, erase)
    try:
        descriptor = os.open(target.path, flags | os.O_CLOEXEC)
    except OSError as error:
        raise Refused(f"{harmless(target.path)} cannot be opened: {error.strerror}") from error
    try:
        check_same(target, descriptor)
        yield descriptor
    finally:
        try:
            if target.writes:
                _make_blank(descriptor, size_bytes)
        except OSError as error:
            raise StepFailed(
                f"{harmless(target.path)} could not be made blank again: {error.strerror}; its first "
                f"{spell_size(size_bytes)} hold what the benchmark wrote"
            ) from error
        finally:
            os.close(descriptor)


def _make_blank(descriptor: int, size_bytes: int) -> None:
    """Put zeros where the benchmark wrote: what was blank is blank again."""
    for start in range(0, size_bytes, _ZERO_PIECE):
        fcntl.ioctl(descriptor, _BLKZEROOUT, struct.pack("QQ", start, min(_ZERO_PIECE, size_bytes - start)))
