"""Report changes of arrays and disks by waiting for kernel events instead of polling.

md ends a poll (POLLPRI) on ``/proc/mdstat`` and some sysfs files when an array starts or stops, a member fails or a
sync starts or ends, but not on progress. So arrays are read again on such an event, and every one to three seconds
during a sync.
"""

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from raidtui.machine.md.arrays import ArrayReader
from raidtui.machine.tree import HERE, Tree
from raidtui.machine.udev import udev_runs
from raidtui.model.machine import Array, Sync
from raidtui.model.md_levels import loses_all_with_one

SYNC_SECONDS: Final = 1.0  # shortest time between two readings during a sync
_SYNC_MOST_SECONDS: Final = 3.0  # the longest, so that rates still look live
_STEPS: Final = 1000  # per sync: a tenth of a percent is the smallest step shown
_WHOLE_EVERY: Final = 15  # readings; in between only mdstat is read, unless there is an event
_BLIND_SECONDS: Final = 2.0  # between two readings where the kernel sends no events
_GATHER_SECONDS: Final = 0.05  # events come in bursts; one reading is enough for all of them
_BURST: Final = 10  # waits at most; then read even if events keep coming
_SETTLE_SECONDS: Final = 0.3  # udev takes a moment for a new disk, and reports its partitions one by one
_ATTRIBUTES: Final = ("array_state", "sync_action", "degraded")  # md's sysfs files that end a poll
_EVENTS: Final = select.POLLPRI | select.POLLERR


class Watcher:
    """A thread that runs a callback until it is stopped."""

    def __init__(self, name: str, run: Callable[["Stop"], None]) -> None:
        self._stop = Stop()
        self._run = run
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread. Returns once it has ended, unless called from the thread itself."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _work(self) -> None:
        try:
            self._run(self._stop)
        finally:
            self._stop.close()


class Stop:
    """A flag that ends a poll when it is set."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._lock = threading.Lock()
        self._raised = self._closed = False

    def __bool__(self) -> bool:
        return self._raised

    def fileno(self) -> int:
        """The descriptor that becomes readable when the flag is set."""
        return self._reader

    def set(self) -> None:
        """Set the flag; it cannot be cleared."""
        with self._lock:
            was_raised, self._raised = (
                self._raised,
                True,
            )  # before the byte, which starts the thread that reads the flag
            if not was_raised and not self._closed:
                os.write(self._writer, b".")

    def close(self) -> None:
        """Close the descriptors."""
        with self._lock:
            self._closed = True
            os.close(self._reader)
            os.close(self._writer)


def watch_arrays(changed: Callable[[tuple[Array, ...]], None]) -> Watcher:
    """Call ``changed`` with all arrays, in its own thread: at once, on every md event, and every one to three
    seconds during a sync."""
    return Watcher("watch-arrays", lambda stop: follow_arrays(HERE, ArrayReader(), changed, stop))


def watch_disks(changed: Callable[[], None]) -> Watcher:
    """Call ``changed``, in its own thread, when a block device or a mount appears, disappears or changes."""
    follow = _follow_udev if udev_runs() else _follow_partitions
    return Watcher("watch-disks", lambda stop: follow(HERE, changed, stop))


def follow_arrays(
    tree: Tree, reader: ArrayReader, changed: Callable[[tuple[Array, ...]], None], stop: Stop
) -> None:
    """The thread of `watch_arrays`."""
    with _Polled(stop) as polled:
        arrays: tuple[Array, ...] = ()
        readings = 0
        while not stop:
            if readings % _WHOLE_EVERY == 0:
                # Listen before reading, so that no change in between is missed.
                polled.listen(_paths(tree))
                arrays = reader.read()
            else:
                arrays = reader.read_progress(arrays)
            changed(arrays)
            readings += 1
            if fired := polled.wait(_patience(tree, arrays)):
                polled.gather(fired)
                readings = 0


def _patience(tree: Tree, arrays: tuple[Array, ...]) -> float | None:
    syncs = [array.sync for array in arrays if array.sync is not None]
    if syncs:
        return min(_pace(sync) for sync in syncs)
    if any(loses_all_with_one(array.level) for array in arrays) or not tree.exists("/proc/mdstat"):
        return _BLIND_SECONDS  # no event when these levels lose a member, or when md's module is not loaded
    return None


def _pace(sync: Sync) -> float:
    """How long a sync takes to advance one visible step: a sync of days need not be read every second."""
    if sync.waiting or not sync.bytes_per_second:
        return SYNC_SECONDS
    return min(_SYNC_MOST_SECONDS, max(SYNC_SECONDS, sync.total_bytes / sync.bytes_per_second / _STEPS))


def _paths(tree: Tree) -> Iterator[str]:
    yield tree.path("/proc/mdstat")
    yield tree.path("/proc/self/mountinfo")
    for name in (name for name in tree.names("/sys/block") if name.startswith("md")):
        md = f"/sys/block/{name}/md"
        inside = tree.names(md)
        yield from (tree.path(f"{md}/{attribute}") for attribute in _ATTRIBUTES if attribute in inside)
        yield from (tree.path(f"{md}/{entry}/state") for entry in inside if entry.startswith("dev-"))


class _Polled:
    """Kernel files that end a poll; each is kept open and read once, as the kernel requires."""

    def __init__(self, stop: Stop) -> None:
        self._poll = select.poll()
        self._poll.register(stop.fileno(), select.POLLIN)
        self._files: dict[str, int] = {}

    def __enter__(self) -> "_Polled":
        return self

    def __exit__(self, *_: object) -> None:
        for path in list(self._files):
            self._drop(path)

    def listen(self, paths: Iterator[str]) -> None:
        """Listen to exactly those ``paths`` that exist."""
        wanted = set(paths)
        for path in self._files.keys() - wanted:
            self._drop(path)
        for path in wanted - self._files.keys():
            with contextlib.suppress(OSError):
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                self._files[path] = fd
                self._poll.register(fd, _EVENTS)
                self._read(path)

    def wait(self, seconds: float | None) -> set[str]:
        """Wait up to ``seconds`` for events; return the files that had one, with an empty name for the stop."""
        events = self._poll.poll(None if seconds is None else seconds * 1000)
        by_fd = {fd: path for path, fd in self._files.items()}
        fired = {by_fd.get(fd, "") for fd, _ in events}
        for path in fired - {""}:
            self._read(path)
        return fired

    def gather(self, fired: set[str]) -> None:
        """Wait for the rest of a burst of events.

        An array in use changes between clean and active several times a second; if nothing else happens, wait
        longer.
        """
        deadline = time.monotonic() + SYNC_SECONDS
        while fired and all(path.endswith("/array_state") for path in fired):
            fired = self.wait(max(0.0, deadline - time.monotonic()))
        for _ in range(_BURST):
            if not fired or "" in fired:
                break
            fired = self.wait(_GATHER_SECONDS)

    def _read(self, path: str) -> None:
        # Reading arms the poll. If the device is gone, the read fails with ENODEV and the event never clears.
        fd = self._files[path]
        try:
            os.lseek(fd, 0, os.SEEK_SET)
            while len(os.read(fd, 65536)) == 65536:
                pass
        except OSError:
            self._drop(path)

    def _drop(self, path: str) -> None:
        fd = self._files.pop(path)
        self._poll.unregister(fd)
        os.close(fd)


def _follow_udev(tree: Tree, changed: Callable[[], None], stop: Stop) -> None:
    import pyudev

    monitor = pyudev.Monitor.from_netlink(pyudev.Context())
    monitor.filter_by("block")
    monitor.start()
    poll = select.poll()
    poll.register(stop.fileno(), select.POLLIN)
    poll.register(monitor.fileno(), select.POLLIN)
    with contextlib.ExitStack() as stack:
        for path in ("/proc/self/mountinfo", "/proc/swaps"):
            with contextlib.suppress(OSError):
                file = stack.enter_context(open(tree.path(path), "rb"))
                poll.register(file, _EVENTS)
        while not stop:
            poll.poll()
            for _ in range(_BURST):
                while monitor.poll(timeout=0) is not None:
                    pass
                if stop or not poll.poll(_SETTLE_SECONDS * 1000):
                    break
            if not stop:
                changed()


def _follow_partitions(tree: Tree, changed: Callable[[], None], stop: Stop) -> None:
    before = tree.text("/proc/partitions")
    poll = select.poll()
    poll.register(stop.fileno(), select.POLLIN)
    while not poll.poll(_BLIND_SECONDS * 1000):
        now = tree.text("/proc/partitions")
        if now != before:
            before = now
            changed()
