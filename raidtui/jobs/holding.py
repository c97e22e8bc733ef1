"""Holds the disks of a job: nobody else gets one between the question whether it is free and the last write.

Two things are held. An open with O_EXCL, which the kernel gives to one holder only: the whole disk is enough,
because it is refused while any partition is held or mounted, and refuses every partition while it is held. And,
during a step that says so, flock(LOCK_EX) on the whole disk: udev, which would assemble a half-written array
again, leaves a locked disk alone (https://systemd.io/BLOCK_DEVICE_LOCKING). The tools open O_EXCL themselves, so
a step's handles are let go of right before its commands; its locks stay.
"""

import errno
import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from raidtui.jobs.blockdev import device_number, whole_disks
from raidtui.jobs.guard import same_uuid
from raidtui.machine.arrays import read_arrays
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Disk

_LOCK_PATIENCE_SECONDS: Final = 30.0
_AGAIN_PATIENCE_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.1


class Holding:
    """The handles on the disks of one job."""

    def __init__(self, disks: Sequence[Disk], *, is_own: Callable[[str], bool]) -> None:
        """``is_own``: whether what stands on a disk (by its device number) is this job's own array."""
        # In one order everywhere, so that two jobs cannot each wait for the other.
        self._disks = sorted(disks, key=lambda disk: _as_pair(disk.device_number))
        self._is_own = is_own
        self._handles: dict[str, int] = {}

    def hold_all(self) -> None:
        """Open every disk O_EXCL, all or none; members of this job's own running array are held by that.

        Raises:
            Refused: one is in use; the text says by what, as far as the kernel tells.
        """
        try:
            for disk in self._disks:
                if not self._is_own(disk.device_number):
                    self._hold(disk)
        except OSError as error:
            self.release_all()
            busy = error.errno == errno.EBUSY
            raise Refused(
                f"{disk.identity} ({disk.path}) is in use{_by_whom(disk)}; free it and try again"
                if busy
                else f"{disk.identity} ({disk.path}) cannot be opened: {error.strerror}"
            ) from error

    def release_all(self) -> None:
        """Let go of every disk."""
        for fd in self._handles.values():
            os.close(fd)
        self._handles.clear()

    def holds(self, path: str) -> bool:
        """Whether the device at ``path`` is on a disk that is held here: then nobody else has it."""
        return bool(whole_disks(device_number(path)) & self._handles.keys())

    @contextmanager
    def during_step(self, paths: Sequence[str]) -> Iterator[None]:
        """Have the whole disks at ``paths`` locked against udev, and their handles free for the tools.

        Raises:
            StepFailed: somebody else keeps a lock, or took a disk meanwhile.
        """
        numbers = {number for path in paths for number in whole_disks(device_number(path))}
        wanted = [disk for disk in self._disks if disk.device_number in numbers]
        with ExitStack() as locks:
            for disk in wanted:
                locks.enter_context(_locked(disk))
            for disk in wanted:
                if disk.device_number in self._handles:
                    os.close(self._handles.pop(disk.device_number))
            yield
            # Before the locks go: udev looks at the disks the moment they do.
            for disk in wanted:
                self._hold_again(disk)

    def _hold(self, disk: Disk) -> None:
        self._handles[disk.device_number] = os.open(disk.path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)

    def _hold_again(self, disk: Disk) -> None:
        deadline = time.monotonic() + _AGAIN_PATIENCE_SECONDS
        while True:
            try:
                self._hold(disk)
            except OSError as error:
                if error.errno == errno.EBUSY and self._is_own(disk.device_number):
                    return  # a member of our array: the kernel holds it for us
                if error.errno != errno.EBUSY or time.monotonic() >= deadline:
                    raise StepFailed(
                        f"{disk.identity} ({disk.path}) was taken by something else during the step"
                        f"{_by_whom(disk)}: {error.strerror}"
                    ) from error
                time.sleep(_POLL_SECONDS)
            else:
                return


@contextmanager
def _locked(disk: Disk) -> Iterator[None]:
    # For writing: closing it is then what tells udev to look at the disk again.
    fd = os.open(disk.path, os.O_RDWR | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _LOCK_PATIENCE_SECONDS
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise StepFailed(
                        f"{disk.identity} ({disk.path}) is locked by {_lock_owner(fd)} and stays so"
                    ) from None
                time.sleep(_POLL_SECONDS)
            else:
                break
        yield
    finally:
        os.close(fd)


def _lock_owner(fd: int) -> str:
    """Who has a flock on the file of ``fd``, from /proc/locks."""
    inode = os.fstat(fd).st_ino
    for line in Path("/proc/locks").read_text().splitlines():
        match = re.match(r"\d+: FLOCK\s+\S+\s+\S+\s+(?P<pid>\d+) [0-9a-f]+:[0-9a-f]+:(?P<inode>\d+) ", line)
        if match and int(match["inode"]) == inode:
            with suppress(OSError):
                name = Path(f"/proc/{match['pid']}/comm").read_text().strip()
                return f"process {match['pid']} ({name})"
            return f"process {match['pid']}"
    return "a process that cannot be told"


def _by_whom(disk: Disk) -> str:
    folder = Path("/sys/dev/block") / disk.device_number
    holders = sorted({path.name for path in (*folder.glob("holders/*"), *folder.glob("*/holders/*"))})
    return f" by {', '.join(f'/dev/{name}' for name in holders)}" if holders else ""


def _as_pair(number: str) -> tuple[int, int]:
    major, _, minor = number.partition(":")
    return int(major), int(minor)


def own_array_on(uuid: str) -> Callable[[str], bool]:
    """A question: does a running array with ``uuid`` stand on the whole disk with this device number?"""

    def is_own(number: str) -> bool:
        return any(
            number in whole_disks(device_number(member.path))
            for array in read_arrays()
            if same_uuid(array.uuid, uuid)
            for member in array.members
        )

    return is_own
