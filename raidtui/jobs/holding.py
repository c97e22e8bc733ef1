"""Hold the disks of a job, so that nothing else can use one between the last check and the last write.

Two mechanisms are used. First, an open with O_EXCL, which the kernel grants to one holder only. The whole disk is
enough: its open fails while any partition is held or mounted, and blocks those of all partitions. Second, during a
step that asks for it and between two such steps, flock(LOCK_EX) on the whole disk: udev, which would assemble a
half-written array again, does not touch a locked disk (https://systemd.io/BLOCK_DEVICE_LOCKING). The tools need
O_EXCL themselves, so a step releases its handles right before its commands and keeps its locks.
"""

import errno
import fcntl
import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from raidtui.machine.blocks import read_devices, whole_disks
from raidtui.machine.devices import device_number
from raidtui.machine.tree import HERE
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Disk

_LOCK_PATIENCE_SECONDS: Final = 30.0
_AGAIN_PATIENCE_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.1


class Holding:
    """The handles on the disks of one job."""

    def __init__(self, disks: Sequence[Disk], *, own: Callable[[], Collection[str]]) -> None:
        """``own`` returns the device numbers of the disks under this job's own array, if it is running."""
        # Always in the same order, so that two jobs cannot deadlock.
        reachable = (disk for disk in disks if disk.has_device)
        self._disks = sorted(reachable, key=lambda disk: _as_pair(disk.device_number))
        self._own = own
        self._handles: dict[str, int] = {}  # by device number
        self._locks: dict[str, int] = {}

    def hold_all(self) -> None:
        """Open every disk with O_EXCL, all or none, except members of this job's own running array, which holds them.

        Raises:
            Refused: a disk is in use, with the text saying by what, if known; or its node is another device now.
        """
        own = self._own()
        try:
            for disk in self._disks:
                if disk.device_number not in own:
                    self._hold(disk)
        except Refused:
            self.release_all()
            raise
        except OSError as error:
            self.release_all()
            busy = error.errno == errno.EBUSY
            raise Refused(
                f"{disk.identity} ({disk.path}) is in use{_by_holders(disk)}; free it and try again"
                if busy
                else f"{disk.identity} ({disk.path}) cannot be opened: {error.strerror}"
            ) from error

    def release_all(self) -> None:
        self.unlock()
        for fd in self._handles.values():
            os.close(fd)
        self._handles.clear()

    def holds(self, path: str) -> bool:
        """Whether the device at ``path`` is on a disk held by this job, and so not used by anything else."""
        number = device_number(path)
        return number in self._handles or not self._handles.keys().isdisjoint(whole_disks(number))

    @contextmanager
    def during_step(self, paths: Sequence[str], *, then: Sequence[str] = ()) -> Iterator[None]:
        """Lock the whole disks at ``paths`` against udev, and release their handles for the tools.

        Args:
            then: the disks that the next step locks: they stay locked in between, so that udev does not see
                a half-done job.

        What was written meanwhile is on the disks afterwards, not in their caches: LVM does not flush what it writes, and a
        journal must not say of a step that it is done if a power cut can undo it.

        Raises:
            StepFailed: another process keeps a lock, or took a disk in the meantime; or a disk does not flush its cache.
        """
        wanted = self._disks_at(paths)
        with ExitStack() as failed:
            failed.callback(self.unlock)
            for disk in wanted:
                if disk.device_number not in self._locks:
                    self._locks[disk.device_number] = locked_disk(disk)
            for disk in wanted:
                if disk.device_number in self._handles:
                    os.close(self._handles.pop(disk.device_number))
            yield
            for disk in wanted:
                _flush(disk, self._locks[disk.device_number])
            # Before unlocking, which makes udev probe the disks.
            self._hold_again(wanted)
            failed.pop_all()
        kept = {disk.device_number for disk in self._disks_at(then)}
        self.unlock(all_but=kept)

    def unlock(self, *, all_but: Collection[str] = ()) -> None:
        """Let udev probe the disks again, except those with the device numbers ``all_but``."""
        for number in self._locks.keys() - all_but:
            os.close(self._locks.pop(number))

    def _disks_at(self, paths: Sequence[str]) -> list[Disk]:
        numbers = whole_disks(*map(device_number, paths))
        return [disk for disk in self._disks if disk.device_number in numbers]

    def _hold(self, disk: Disk) -> None:
        # Read-only: the exclusive claim is the same, and closing does not make udev probe the disk.
        self._handles[disk.device_number] = opened_disk(disk, os.O_RDONLY | os.O_EXCL)

    def _hold_again(self, disks: Sequence[Disk]) -> None:
        """Hold ``disks`` again, except those that are now members of our array, which holds them."""
        deadline = time.monotonic() + _AGAIN_PATIENCE_SECONDS
        left = self._busy(disks)
        while left:
            own = self._own()
            left = [disk for disk in left if disk.device_number not in own]
            if left and time.monotonic() >= deadline:
                raise _taken_meanwhile(left[0], os.strerror(errno.EBUSY))
            if left:
                time.sleep(_POLL_SECONDS)
                left = self._busy(left)

    def _busy(self, disks: Sequence[Disk]) -> list[Disk]:
        """Hold ``disks``, and return those that are in use."""
        busy = []
        for disk in disks:
            try:
                self._hold(disk)
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise _taken_meanwhile(disk, error.strerror) from error
                busy.append(disk)
        return busy


def opened_disk(disk: Disk, flags: int) -> int:
    """Open ``disk``, and check that its node still is that device."""
    fd = os.open(disk.path, flags | os.O_CLOEXEC)
    if (number := device_number(fd)) != disk.device_number:
        os.close(fd)
        raise Refused(
            f"{disk.path} was {disk.identity} ({disk.device_number}) and is the device {number or 'of no disk'} now"
        )
    return fd


def _taken_meanwhile(disk: Disk, reason: str | None) -> StepFailed:
    return StepFailed(
        f"{disk.identity} ({disk.path}) was taken by something else during the step{_by_holders(disk)}: {reason}"
    )


def _flush(disk: Disk, fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        raise StepFailed(
            f"{disk.identity} ({disk.path}) does not flush its cache: {error.strerror}"
        ) from error


def locked_disk(disk: Disk) -> int:
    """Open ``disk`` for writing and lock it against udev, until the returned descriptor is closed.

    Raises:
        StepFailed: another process keeps a lock.
    """
    # For writing: closing it makes udev probe the disk again.
    fd = opened_disk(disk, os.O_RDWR)
    deadline = time.monotonic() + _LOCK_PATIENCE_SECONDS
    with ExitStack() as failed:
        failed.callback(os.close, fd)
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise StepFailed(
                        f"{disk.identity} ({disk.path}) is still locked by {_lock_owner(fd)}"
                    ) from None
                time.sleep(_POLL_SECONDS)
            else:
                failed.pop_all()
                return fd


def _lock_owner(fd: int) -> str:
    """The process that holds a flock on the file of ``fd``, from /proc/locks."""
    inode = os.fstat(fd).st_ino
    for line in Path("/proc/locks").read_text().splitlines():
        match = re.match(r"\d+: FLOCK\s+\S+\s+\S+\s+(?P<pid>\d+) [0-9a-f]+:[0-9a-f]+:(?P<inode>\d+) ", line)
        if match and int(match["inode"]) == inode:
            with suppress(OSError):
                name = Path(f"/proc/{match['pid']}/comm").read_text().strip()
                return f"process {match['pid']} ({name})"
            return f"process {match['pid']}"
    return "an unknown process"


def _by_holders(disk: Disk) -> str:
    graph = DeviceGraph(read_devices(HERE))
    device = graph.by_number.get(disk.device_number)
    parts = (device, *graph.parts(device)) if device is not None else ()
    holders = sorted({upper.path for part in parts for upper in graph.on(part)})
    return f" by {', '.join(holders)}" if holders else ""


def _as_pair(number: str) -> tuple[int, int]:
    major, _, minor = number.partition(":")
    return int(major), int(minor)
