"""Open the file or device to measure. The test file leaves nothing behind, however the process ends.

The test file has a name only for an instant; then it is just a descriptor, which fio inherits and opens again through
``/proc/self/fd``. The filesystem frees it when the last process that holds it ends, or, after a power cut, at the
next mount. No path can lead fio anywhere else, whatever is mounted or renamed meanwhile.

Rows that create many files need names for them. These files are in a separate folder, which is removed at the end,
or, after a kill, by the next benchmark there.
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
# Errors of filesystems, mostly network ones, that cannot lock a directory.
_NO_LOCK: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


class Opened(Record, frozen=True, kw_only=True):
    """The open target, as descriptors that fio inherits."""

    descriptor: int  # the test file, or the device
    folder: int | None = None  # for rows that create files; a device has none

    @property
    def filename(self) -> str:
        """The file's name for fio."""
        return f"/proc/self/fd/{self.descriptor}"

    @property
    def foldername(self) -> str:
        """The folder's name for fio. With the dot it is a folder even to programs that examine the link itself."""
        return f"/proc/self/fd/{self.folder}/." if self.folder is not None else ""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that fio inherits."""
        return (self.descriptor, *(() if self.folder is None else (self.folder,)))


@contextmanager
def opened(
    target: Target, machine: Machine, *, size_bytes: int, job: str, erase: str, files: bool = False
) -> Iterator[Opened]:
    """Open an empty test file of ``size_bytes``, or the device.

    Args:
        files: also create a folder for many files.

    Raises:
        Refused: the target changed after it was checked, or another benchmark is running there.
        StepFailed: the file cannot be created.
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
    """Remove our leftovers from the open directory ``folder`` after a kill; return their names.

    A test file can be left behind only in the instant between creating and unlinking it. The caller holds the lock
    of the directory, so no other benchmark is in that instant.
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
    """Create a folder in the open directory ``parent``, and remove it with its contents."""
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
        # Full length, but empty: the prefill writes every block, and fio creates no file.
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
    """Zero what the benchmark wrote, so that the device is blank again."""
    for start in range(0, size_bytes, _ZERO_PIECE):
        fcntl.ioctl(descriptor, _BLKZEROOUT, struct.pack("QQ", start, min(_ZERO_PIECE, size_bytes - start)))
