"""The time left for a sync, as a range and in words, if it can be estimated."""

import math
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from raidtui.advice.time import Advancing, finish_range
from raidtui.model.unit import Activity, Unit
from raidtui.model.units import duration_range

# The kernel measures a sync's rate in steps of three seconds from its start (SYNC_MARK_STEP in drivers/md/md.c).
# At first the rate is that of a few requests: an estimate of days for a sync of an hour has been seen.
_FIRST_SECONDS: Final = 5
_SHARE: Final = 4  # rates are means over this part of the time left: shorter changes even out until the end
_BACK: Final = 2  # times the time left: a rotating disk was faster before
_LEAST_BACK: Final = 600.0  # seconds
_MOST_POINTS: Final = 240


class Courses:
    """What was seen of the activity of each unit: under other I/O that comes and goes its rate is not one number."""

    def __init__(self) -> None:
        self._points: dict[tuple[str, str], list[tuple[float, int]]] = {}

    def look(self, units: Iterable[Unit], now: float) -> tuple[Unit, ...]:
        """The same units, their activities with the rates seen so far; ``now``: seconds of any clock that never steps."""
        found, known = [], self._points
        self._points = {}
        for unit in units:
            doing = unit.activity
            if doing is None or not doing.total_bytes or doing.paused or doing.waiting:
                found.append(unit)
                continue
            key = (unit.uuid or unit.path, doing.what)
            points = known.get(key, [])
            if points and points[-1][1] > doing.done_bytes:
                points = []  # it began anew
            self._points[key] = points = _thinned([*points, (now, doing.done_bytes)])
            seen = _seen(points, doing)
            found.append(replace(unit, activity=replace(doing, seen=seen)) if seen else unit)
        return tuple(found)


def _thinned(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Every other point, if there are too many; the last stays."""
    return points if len(points) <= _MOST_POINTS else points[:-1:2] + points[-1:]


def _seen(points: list[tuple[float, int]], doing: Activity) -> tuple[int, int] | None:
    """The slowest and the fastest mean rate, each over a part of the time left; None if it is not known yet."""
    end, done = points[-1]
    if not doing.bytes_per_second:
        return None
    left = (doing.total_bytes - done) / doing.bytes_per_second
    begin = max(points[0][0], end - max(_BACK * left, _LEAST_BACK))
    window = max(min(left, end - begin) / _SHARE, _FIRST_SECONDS)
    times = [moment for moment, _ in points]
    rates = []
    for (moment, bytes_then), back in zip(
        points, (bisect_left(times, t - window) for t in times), strict=True
    ):
        before, bytes_before = points[back]
        if before >= begin and moment - before >= window / 2 and bytes_then > bytes_before:
            rates.append((bytes_then - bytes_before) / (moment - before))
    return (round(min(rates)), round(max(rates))) if rates else None


def left_range(sync: Advancing, *, rotational: bool) -> tuple[float, float] | None:
    """Shortest and longest time left in seconds; None for a sync that is waiting, stalled, or has just started."""
    if sync.waiting or not sync.bytes_per_second:
        return None
    if sync.done_bytes < _FIRST_SECONDS * sync.bytes_per_second and sync.done_bytes < sync.total_bytes / 2:
        return None
    seen = sync.seen if isinstance(sync, Activity) else None
    least, most = finish_range(sync, rotational=rotational, seen=seen)
    return None if math.isinf(most) else (least, most)


def time_left(sync: Advancing, *, rotational: bool) -> str:
    """The time left: "3 to 5 h left", "estimating time left", "stalled"; empty if the rate is not known."""
    if sync.bytes_per_second is None:
        return ""
    found = left_range(sync, rotational=rotational)
    if found is None:
        stalled = sync.bytes_per_second <= 0 < sync.done_bytes
        return "stalled" if stalled else "estimating time left"
    return f"{duration_range(*found)} left"
