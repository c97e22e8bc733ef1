"""The kernel's I/O counters during a run, and how long a device has completed nothing."""

import os
import time
from pathlib import Path
from typing import Final

import psutil

from raidtui.bench.device_stack import Below
from raidtui.machine.counters import Counters, read_counters
from raidtui.model.errors import StepFailed
from raidtui.model.struct import Record
from raidtui.model.units import duration

_VMSTAT: Final = Path("/proc/vmstat")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
# Seconds. A disk that retries a bad sector, and then the kernel, give up within a few minutes.
LONGEST_SILENCE: Final = 600.0


class Moment(Record, frozen=True, kw_only=True):
    """The counters at one moment."""

    at: float  # monotonic seconds
    top: Counters | None  # sum over the devices that the filesystem is on; None if there are none
    disks: Counters | None
    dirtied_bytes: int | None = None


class Moved(Record, frozen=True, kw_only=True):
    """Bytes between two moments; None if nothing counts them."""

    read: int | None
    written: int | None
    dirtied: int | None


def look(below: Below, *, pages: bool = True) -> Moment:
    """Read the counters. ``pages``: also those of the page cache."""
    counters = read_counters()
    return Moment(
        at=time.monotonic(),
        top=_sum(counters, below.top),
        disks=_sum(counters, below.disks),
        dirtied_bytes=_dirtied() if pages else None,
    )


def moved(before: Moment, after: Moment) -> Moved:
    """The bytes read, written and dirtied between two moments."""
    dirtied = None
    if before.dirtied_bytes is not None and after.dirtied_bytes is not None:
        dirtied = after.dirtied_bytes - before.dirtied_bytes
    top, disks = _difference(before.top, after.top), _difference(before.disks, after.disks)
    if top is None or (top == (0, 0) and disks not in {None, (0, 0)}):
        # On some kernels, some md levels count I/O for the members only, not for the array.
        return Moved(read=None, written=None, dirtied=dirtied)
    return Moved(read=top[0], written=top[1], dirtied=dirtied)


def did_io(before: Moment, after: Moment) -> bool:
    """Whether the device completed any I/O between the two."""
    if before.top is None or after.top is None:
        return False
    return (before.top.reads, before.top.writes) != (after.top.reads, after.top.writes)


class Silence:
    """How long a device has completed nothing."""

    def __init__(self, device: str, at: float) -> None:
        self._device = device
        self._since = at

    def seconds(self, at: float, *, active: bool) -> float:
        """Seconds of silence until ``at``.

        Args:
            at: monotonic seconds.
            active: the device or fio has done something since the last call.

        Raises:
            StepFailed: the silence is longer than `LONGEST_SILENCE`.
        """
        if active:
            self._since = at
        if (lasts := at - self._since) > LONGEST_SILENCE:
            raise StepFailed(
                f"no I/O completed on {self._device} for {duration(lasts)}: a disk does not answer; the kernel log "
                "shows which"
            )
        return lasts


def is_running(name: str) -> bool:
    """Whether a process or kernel thread is called ``name``."""
    return any(process.info["name"] == name for process in psutil.process_iter(["name"]))


def _sum(counters: dict[str, Counters], names: tuple[str, ...]) -> Counters | None:
    found = [counters[name] for name in names if name in counters]
    if not found or len(found) < len(names):
        return None
    return Counters(
        read_bytes=sum(one.read_bytes for one in found),
        write_bytes=sum(one.write_bytes for one in found),
        reads=sum(one.reads for one in found),
        writes=sum(one.writes for one in found),
        busy_seconds=sum(one.busy_seconds for one in found),
    )


def _difference(before: Counters | None, after: Counters | None) -> tuple[int, int] | None:
    if before is None or after is None:
        return None
    return after.read_bytes - before.read_bytes, after.write_bytes - before.write_bytes


def _dirtied() -> int | None:
    try:
        text = _VMSTAT.read_text()
    except OSError:
        return None
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if name == "nr_dirtied":
            return int(value) * _PAGE
    return None
