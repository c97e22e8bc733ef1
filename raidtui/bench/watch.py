"""The current speed of a running fio, and the bytes that its disks transferred for it. Pure."""

from bisect import bisect_left, bisect_right
from typing import Final

from raidtui.bench.device_stack import IN_PLACE
from raidtui.bench.fio_output import Eta
from raidtui.bench.observer import Moment, moved
from raidtui.bench.rows import MIX, READ, Planned
from raidtui.bench.target import Target
from raidtui.model.struct import Record

_LAST_IO_SECONDS: Final = 0.3  # at most between fio's last I/O and its end
_SHORTEST_SECONDS: Final = 0.4  # of a window with a meaningful rate


class Speed(Record, frozen=True, kw_only=True):
    """The current speed of fio; ``None`` if nothing reports it (yet)."""

    bytes_per_second: float | None = None
    iops: float | None = None


def speed_of(cell: Planned, target: Target, before: Moment, after: Moment, eta: Eta) -> Speed:
    """The speed of ``cell`` between two moments, counted as fio counts.

    The kernel's counters of the device are more recent than fio's report, which comes once a second. They give bytes
    only: a device counts the parts into which its I/Os were split (an array one per chunk). And they equal fio's
    bytes only if each I/O goes directly to that one device and is written in place.
    """
    if cell.row.beside.endswith(cell.direction):
        return Speed()  # both jobs do the same; neither fio's report nor the device separates them
    size = _device_rate(cell, before, after) if _is_exact(cell, target) else None
    if size is not None:
        return Speed(bytes_per_second=size, iops=size / cell.row.block_bytes)
    return Speed(
        bytes_per_second=eta.bytes_per_second(cell.direction) if cell.row.touches_blocks else None,
        iops=eta.iops(cell.direction),
    )


def _is_exact(cell: Planned, target: Target) -> bool:
    """Whether the device under the target transfers each of fio's bytes exactly once."""
    return (
        cell.row.touches_blocks
        and cell.row.block_bytes > 0
        and not cell.row.cached
        and len(target.below.top) == 1
        and target.filesystem in IN_PLACE
    )


def _device_rate(cell: Planned, before: Moment, after: Moment) -> float | None:
    seen, seconds = moved(before, after), after.at - before.at
    if seen.read is None or seen.written is None or seconds <= 0:
        return None
    size = {READ: seen.read, MIX: seen.read + seen.written}.get(cell.direction, seen.written)
    return size / seconds


class Trace:
    """The counters of one run, from before fio began until after it ended, four times a second."""

    def __init__(self, cell: Planned, target: Target) -> None:
        self._cell, self._target = cell, target
        self._moments: list[Moment] = []

    def add(self, moment: Moment) -> None:
        """Add the counters of a moment later than the last one."""
        self._moments.append(moment)

    def amplification(self, *, fio_bytes: int, seconds: float, ramp_seconds: float) -> float | None:
        """Bytes that all disks transferred per byte that fio transferred; ``None`` if that is unknown.

        Unknown on Btrfs and ZFS: data is written at once, but the trees at the next commit, up to 30 s later. In the
        lab a Btrfs raid1 moved 2.00 bytes per byte of a random 4 KiB write while fio ran, and 0.15 to 0.56 more when
        it was synced afterwards. Without the sync that share counts in a later run, which then had 2.41.

        Args:
            fio_bytes: bytes that fio transferred in the measured time.
            seconds: the measured time.
            ramp_seconds: how long fio ran before; it does not report the bytes of that time.
        """
        if self._cell.row.beside or not fio_bytes or len(self._moments) < 2:
            return None
        if self._target.filesystem not in IN_PLACE:
            return None
        first, last = self._moments[0], self._moments[-1]
        disks = _disk_bytes(first, last)
        if disks is None:
            return None
        if not ramp_seconds:
            return disks / fio_bytes
        seen = moved(first, last)
        if _is_exact(self._cell, self._target) and seen.read is not None and seen.written is not None:
            whole = seen.read + seen.written
            return disks / whole if whole else None
        return self._within_measured(fio_bytes / seconds, seconds)

    def _within_measured(self, fio_rate: float, seconds: float) -> float | None:
        """The disks' rate divided by fio's, in a window entirely within the measured time."""
        times = [moment.at for moment in self._moments]
        end = bisect_right(times, times[-1] - _LAST_IO_SECONDS) - 1
        begin = bisect_left(times, times[-1] - seconds)
        if end <= begin or times[end] - times[begin] < _SHORTEST_SECONDS:
            return None
        disks = _disk_bytes(self._moments[begin], self._moments[end])
        return disks / (times[end] - times[begin]) / fio_rate if disks is not None else None


def _disk_bytes(before: Moment, after: Moment) -> int | None:
    """Bytes that the disks at the bottom transferred."""
    if before.disks is None or after.disks is None:
        return None
    old, new = before.disks, after.disks
    return new.read_bytes - old.read_bytes + new.write_bytes - old.write_bytes
