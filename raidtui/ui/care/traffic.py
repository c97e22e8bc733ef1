"""The current I/O of each device: the difference between two readings of its counters."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from raidtui.model.struct import Record

if TYPE_CHECKING:
    from raidtui.machine.counters import Counters


class Traffic(Record, frozen=True, kw_only=True):
    """The I/O of a device. Rates are bytes a second."""

    read: float
    write: float
    busy_percent: float


class Meter:
    """Keeps the last reading."""

    def __init__(self) -> None:
        self._before: Mapping[str, Counters] = {}
        self._at = 0.0

    def measure(self, counters: Mapping[str, "Counters"], at: float) -> dict[str, Traffic]:
        """The I/O of each device since the last reading, by kernel name; empty the first time.

        Args:
            at: the time of this reading, in seconds of a monotonic clock.
        """
        before, seconds = self._before, at - self._at
        self._before, self._at = counters, at
        if not before or seconds <= 0:
            return {}
        return {
            name: Traffic(
                read=(now.read_bytes - old.read_bytes) / seconds,
                write=(now.write_bytes - old.write_bytes) / seconds,
                busy_percent=min(100.0, 100 * (now.busy_seconds - old.busy_seconds) / seconds),
            )
            for name, now in counters.items()
            if (old := before.get(name)) is not None
        }
