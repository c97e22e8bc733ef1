"""The current state of units: polled, or watched where the kernel reports changes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from raidtui.backends.contract import Reader
from raidtui.backends.registry import REPORTED, readers, reporters
from raidtui.backends.registry import reader as reader_of
from raidtui.machine.cards import read_cards
from raidtui.machine.fence import Fence
from raidtui.machine.tree import HERE
from raidtui.machine.watch import Watcher
from raidtui.model.problem import Problem
from raidtui.model.spec import Backend
from raidtui.model.unit import Unit

_IDLE_TIMES: Final = 15
"""Poll an idle unit this many times less often: long enough to be cheap, short enough to notice a failed disk."""

_EVERY_SECONDS: Final = 60.0
"""Ask every backend this often at least: a unit may come without an event of udev, a mount or a job of ours."""


_EAGER_SECONDS: Final = 30.0
"""Poll every unit like a busy one for so long after disks have moved: the kernel may notice a loss at the next write."""

_EAGER_INTERVAL: Final = 1.0


class Now(NamedTuple):
    """Units as they are now, and a problem for each backend whose units could not be read."""

    units: tuple[Unit, ...]
    problems: tuple[Problem, ...] = ()


class Polling:
    """The units that have to be polled, each backend at its own interval.

    A backend without units is asked if a look is `fresh`, and once a minute: a new unit is nearly always a change of
    disks.
    """

    def __init__(self) -> None:
        self._found: dict[Backend, Now] = {}
        self._read_at: dict[Backend, float] = {}
        self._all_read_at = -_EVERY_SECONDS
        self._moved_at = -_EAGER_SECONDS
        self._readers: Mapping[Backend, Reader] = {}

    def look(self, now: float, *, fresh: bool) -> Now:
        """The units as they are; ``fresh``: disks or units may be new, so ask every backend.

        ``now``: seconds of any clock that never steps.
        """
        if fresh:
            self._moved_at = now
        fresh = fresh or now - self._all_read_at >= _EVERY_SECONDS
        if fresh:
            self._all_read_at = now
            self._readers = readers(read_cards(HERE))
        for name, one in self._readers.items():
            if name not in REPORTED and (fresh or name not in self._found or self._wait(name, now) == 0):
                self._found[name], self._read_at[name] = _now({name: one}), now
        found = self._found.values()
        return Now(
            tuple(unit for one in found for unit in one.units),
            tuple(problem for one in found for problem in one.problems),
        )

    def wait(self, now: float) -> float:
        """Seconds until a backend has to be polled again."""
        waits = [self._wait(name, now) for name in self._found]
        every = max(0.0, self._all_read_at + _EVERY_SECONDS - now)
        return min([every, *(one for one in waits if one is not None)])

    def _wait(self, name: Backend, now: float) -> float | None:
        units, problems = self._found[name]
        # What could not be read is asked for again like a unit that is idle.
        eager = is_eager(self._moved_at, now)
        wait = seconds_to_wait(units, eager=eager) or (
            reader_of(name).interval * _IDLE_TIMES if problems else None
        )
        return None if wait is None else max(0.0, self._read_at[name] + wait - now)


def reported_units() -> tuple[Unit, ...]:
    """The current state of the units whose changes the kernel reports."""
    return _now(reporters()).units


def every_unit_now() -> Now:
    """The current state of the units of every backend."""
    return _now(readers(read_cards(HERE)))


def _now(of: Mapping[Backend, Reader]) -> Now:
    fence = Fence()
    units = [
        unit for name, one in of.items() for unit in fence.read(name.value, f"what {name} built", one.now, ())
    ]
    return Now(tuple(units), tuple(fence.problems))


def watch_units(changed: Callable[[tuple[Unit, ...]], None]) -> Watcher:
    """Call ``changed`` with the reported units, from a thread: at once, on every event, every few seconds of a sync."""
    (one,) = reporters().values()  # only md has a kernel interface to wait on
    return one.watch(changed)


def is_eager(moved_at: float, now: float) -> bool:
    """Whether disks have moved so lately that the kernel may not have noticed yet what that means."""
    return now - moved_at < _EAGER_SECONDS


def seconds_to_next_look(units: Iterable[Unit], *, eager: bool = False) -> float:
    """Seconds until `Polling` has something to poll again, if it found ``units``."""
    return min(seconds_to_wait(units, eager=eager) or _EVERY_SECONDS, _EVERY_SECONDS)


def seconds_to_wait(units: Iterable[Unit], *, eager: bool = False) -> float | None:
    """Seconds until the next poll of ``units``; None if the kernel reports all their changes."""
    waits = [
        min(interval, _EAGER_INTERVAL)
        if eager
        else interval * (1 if unit.activity is not None else _IDLE_TIMES)
        for unit in units
        if (interval := reader_of(unit.backend).interval)
    ]
    return min(waits, default=None)
