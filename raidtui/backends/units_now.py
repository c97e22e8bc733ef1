"""Units as they are this moment: asked again and again where nobody reports a change, or waited for where the kernel does."""

from collections.abc import Callable, Iterable
from typing import Final

from raidtui.backends.registry import REPORTED, readers, reporters
from raidtui.backends.registry import reader as reader_of
from raidtui.machine.watch import Watcher
from raidtui.model.unit import Unit

_IDLE_TIMES: Final = 15
"""As long until the next look where nothing runs: long enough to be cheap, short enough to see a disk fail."""


def polled_units() -> tuple[Unit, ...]:
    """The units whose changes nobody reports, as they are this moment."""
    return tuple(unit for name, one in readers().items() if name not in REPORTED for unit in one.now())


def reported_units() -> tuple[Unit, ...]:
    """The units whose changes the kernel reports, as they are this moment."""
    return tuple(unit for one in reporters().values() for unit in one.now())


def every_unit_now() -> tuple[Unit, ...]:
    """The units of every backend as they are this moment."""
    return tuple(unit for reader in readers().values() for unit in reader.now())


def watch_units(changed: Callable[[tuple[Unit, ...]], None]) -> Watcher:
    """Call ``changed`` with these from a thread: at once, on every event, and every few seconds of a sync."""
    (one,) = reporters().values()  # there is no other kernel interface to wait for
    return one.watch(changed)


def seconds_to_wait(units: Iterable[Unit]) -> float | None:
    """How long until ``units`` are looked at again; None: the kernel reports whatever happens to them."""
    waits = [
        interval * (1 if unit.activity is not None else _IDLE_TIMES)
        for unit in units
        if (interval := reader_of(unit.backend).interval)
    ]
    return min(waits, default=None)
