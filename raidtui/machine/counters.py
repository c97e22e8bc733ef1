"""Read the I/O counters of each block device."""

import psutil

from raidtui.model.struct import Record


class Counters(Record, frozen=True, kw_only=True):
    """Totals since the device appeared; the difference of two readings is its activity between them."""

    read_bytes: int
    write_bytes: int
    reads: int
    writes: int
    busy_seconds: float  # with at least one request in flight
    read_seconds: float = 0.0  # that reads took, added up over all of them


def read_counters() -> dict[str, Counters]:
    """The counters of every block device, partitions included, by kernel name (``sda1``)."""
    # nowrap=False: the kernel's numbers, without psutil's correction for counters that wrapped.
    found = psutil.disk_io_counters(perdisk=True, nowrap=False) or {}
    return {
        name: Counters(
            read_bytes=one.read_bytes,
            write_bytes=one.write_bytes,
            reads=one.read_count,
            writes=one.write_count,
            busy_seconds=one.busy_time / 1000,
            read_seconds=one.read_time / 1000,
        )
        for name, one in found.items()
    }
