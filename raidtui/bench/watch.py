"""What one fio does while it runs: how fast it is at this moment, and what its disks moved for it. Pure."""

from bisect import bisect_left, bisect_right
from typing import Final

from raidtui.bench.device_stack import IN_PLACE
from raidtui.bench.fio_output import Eta
from raidtui.bench.observer import Moment, moved
from raidtui.bench.rows import MIX, READ, Planned
from raidtui.bench.target import Target
from raidtui.model.struct import Record

_LAST_IO_SECONDS: Final = 0.3  # at most between fio's last I/O and its end
_SHORTEST_SECONDS: Final = 0.4  # of a window whose rate means anything


class Speed(Record, frozen=True, kw_only=True):
    """What fio does now, a second; ``None`` where nobody reports it (yet)."""

    bytes_per_second: float | None = None
    iops: float | None = None


def speed_of(cell: Planned, target: Target, before: Moment, after: Moment, eta: Eta) -> Speed:
    """How fast ``cell`` is measured between two moments, counted as fio counts.

    The kernel's counters of the device are newer than fio's own report, which comes once a second. They give bytes
    only: a device counts the parts that its I/Os were split into (an array one for each chunk). And they are fio's
    bytes only where each I/O goes to that one device at once and to its own place.
    """
    if cell.row.beside.endswith(cell.direction):
        return Speed()  # both jobs do the same, and neither fio's report nor the device tells them apart
    size = _device_rate(cell, before, after) if _is_exact(cell, target) else None
    if size is not None:
        return Speed(bytes_per_second=size, iops=size / cell.row.block_bytes)
    return Speed(
        bytes_per_second=eta.bytes_per_second(cell.direction) if cell.row.touches_blocks else None,
        iops=eta.iops(cell.direction),
    )


def _is_exact(cell: Planned, target: Target) -> bool:
    """Whether the device under the target moves each byte that fio moves, once."""
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
        """Note the counters at a moment later than the last one."""
        self._moments.append(moment)

    def amplification(self, *, fio_bytes: int, seconds: float, ramp_seconds: float) -> float | None:
        """Bytes that all disks moved for each byte that fio moved; ``None`` where that is unknown.

        Unknown on Btrfs and ZFS: data goes out at once, but the trees at the next commit, up to 30 s later. In the
        lab a Btrfs raid1 moved 2.00 bytes for each byte of a random 4 KiB write while fio ran, and 0.15 to 0.56 more
        when it was synced afterwards. Without the sync that share is counted in a later run, which then had 2.41.

        Args:
            fio_bytes: what fio moved in the time that it measured.
            seconds: that time.
            ramp_seconds: how long it ran before, whose bytes it does not report.
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
        return self._in_the_middle(fio_bytes / seconds, seconds)

    def _in_the_middle(self, fio_rate: float, seconds: float) -> float | None:
        """The disks' rate by fio's, in a window that lies wholly within the time that fio measured."""
        times = [moment.at for moment in self._moments]
        end = bisect_right(times, times[-1] - _LAST_IO_SECONDS) - 1
        begin = bisect_left(times, times[-1] - seconds)
        if end <= begin or times[end] - times[begin] < _SHORTEST_SECONDS:
            return None
        disks = _disk_bytes(self._moments[begin], self._moments[end])
        return disks / (times[end] - times[begin]) / fio_rate if disks is not None else None


def _disk_bytes(before: Moment, after: Moment) -> int | None:
    """What all disks at the bottom moved."""
    if before.disks is None or after.disks is None:
        return None
    old, new = before.disks, after.disks
    return new.read_bytes - old.read_bytes + new.write_bytes - old.write_bytes
