"""Which disks, and which parts of them, a burn-in found to be slow. Pure.

A zone is compared with the same zone of its sisters, disks of the same model and size that were read at the same time,
and with the other zones of its own disk; a disk without sisters with its neighboring zones. Slow is what is both far
below that and far outside the disk's own scatter. One slow reading proves nothing, since other work on the computer
disturbs it: a doubtful zone is read again, and its best reading counts.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log, sqrt
from statistics import median
from typing import Final

from raidtui.advice.smart_trends import GROWING
from raidtui.model.chance import in_percent
from raidtui.model.history import BurnIn, Sectors, SlowPart
from raidtui.model.smart import Smart
from raidtui.model.struct import Record
from raidtui.model.text import count_of, listed
from raidtui.model.units import decimal

TRIES: Final = 5  # how often doubtful zones are read again
_SLOW: Final = 0.7  # of the expected speed
_SURELY: Final = 0.85  # what a disk that is slow altogether stays below with its whole scatter
_SURE: Final = 4.0  # deviations, of the median of a whole disk
_DEVIATIONS: Final = 2.5  # of a zone, in each of its readings
_LEAST_SCATTER: Final = 0.02  # of the logarithm of the speed: an even disk is not measured better than that
_FEWEST: Final = 4  # zones from which a scatter can be computed
_NEIGHBORS: Final = 16  # on either side
_AROUND: Final = 8  # zones on either side of a slow part that it is compared with
_SAMPLE: Final = 16  # zones that are read again of a disk that is slow altogether
_MOST_AGAIN: Final = 32  # zones of a disk that are read again
_SHOWN: Final = 4  # parts and sectors in a sentence


class Reading(Record, frozen=True, kw_only=True):
    """How fast a disk was read."""

    like: str  # its model and size: disks of which these are equal are sisters
    rates: tuple[int, ...]  # of each zone, the best reading in bytes a second; 0: not known
    again: tuple[int, ...] = ()  # the zones that were read again, in order


class _Compared(Record, frozen=True, kw_only=True):
    """The zones of a disk compared with what is to be expected of them."""

    ratios: dict[int, float]  # of the zones that can be compared, to their sisters or neighbors
    usual: float  # their median
    scatter: float  # of their logarithms, as a standard deviation


def sisters_of(readings: Sequence[Reading], place: int) -> tuple[Reading, ...]:
    """The sisters of the disk at ``place``."""
    own = readings[place]
    return tuple(
        one
        for other, one in enumerate(readings)
        if other != place and one.like == own.like and len(one.rates) == len(own.rates)
    )


def doubtful(readings: Sequence[Reading]) -> tuple[tuple[int, ...], ...]:
    """Of each disk, the zones to read again before they are called slow."""
    return tuple(
        _to_read_again(readings[place], sisters_of(readings, place)) for place in range(len(readings))
    )


def _to_read_again(own: Reading, sisters: Sequence[Reading]) -> tuple[int, ...]:
    found = _compare(own, sisters)
    if found is None:
        return ()
    known = sorted(found.ratios)
    sample = _spread(known, _SAMPLE) if _is_slow_altogether(own, found) else ()
    # Once is enough of a sample: its median does not depend on single readings.
    return tuple(sorted({*sample} - {*own.again} | {*_spread(_low(found), _MOST_AGAIN)}))


def slow_parts(
    readings: Sequence[Reading], zone_bytes: int, size_bytes: int, place: int
) -> tuple[SlowPart, ...]:
    """The slow parts of the disk at ``place``, in order; of a disk that is slow altogether, all of it and then those.

    Args:
        zone_bytes: of that disk.
        size_bytes: of that disk.
    """
    own, sisters = readings[place], sisters_of(readings, place)
    found = _compare(own, sisters)
    if found is None:
        return ()
    parts = []
    if own.again and _is_slow_altogether(own, found):
        parts.append(SlowPart(begin_bytes=0, end_bytes=size_bytes, share=round(found.usual, 3)))
    slow = _confirmed(own, found)
    for run in _runs(slow):
        if not _stands_out(run, own, slow):
            continue
        parts.append(
            SlowPart(
                begin_bytes=run[0] * zone_bytes,
                end_bytes=min(size_bytes, (run[-1] + 1) * zone_bytes),
                share=round(median(found.ratios[zone] for zone in run), 3),
            )
        )
    return tuple(parts)


def grown(before: Smart | None, after: Smart | None) -> tuple[str, ...]:
    """Which of the disk's own counts of errors have grown from one reading to the next, in words."""
    found = []
    for field, name in GROWING.items() if before is not None and after is not None else ():
        then, now = getattr(before, field), getattr(after, field)
        if then is not None and now is not None and now > then:
            found.append(f"{name} {then:,} → {now:,}")
    return tuple(found)


def verdict(one: BurnIn) -> str:
    """What a burn-in says of its disk, the gravest first."""
    failed = [
        f"{test.kind} self-test failed: {test.words}" for test in one.self_tests if test.passed is False
    ]
    unknown = [
        f"{test.kind} self-test not done: {test.words}" for test in one.self_tests if test.passed is None
    ]
    found = [
        *failed,
        f"gave up: {one.gave_up}" if one.gave_up else "",
        f"gives back other data than was written: {len(one.differing):,} MiB, first sector {one.differing[0][0]}"
        if one.differing
        else "",
        f"counted meanwhile: {listed(one.grown)}" if one.grown else "",
        f"cannot be written: {_sectors(one.unwritable)}" if one.unwritable else "",
        f"cannot be read: {_sectors(one.bad)}" if one.bad else "",
        f"read only when tried again: {_sectors(one.unsteady)}" if one.unsteady else "",
        f"slow: {_parts(one)}" if one.slow else "",
    ]
    well = "as fast as the others" if one.sisters else "no errors, and no part slower than the rest"
    return "; ".join(filter(None, [*([well] if one.is_well else found), *unknown]))


def _sectors(found: Sequence[Sectors]) -> str:
    count = sum(last - first + 1 for first, last in found)
    ranges = [f"{first}" if first == last else f"{first}-{last}" for first, last in found[:_SHOWN]]
    more = f" and {len(found) - _SHOWN} more places" if len(found) > _SHOWN else ""
    return f"{count_of(count, 'sector')}, {listed(ranges) if not more else ', '.join(ranges)}{more}"


def _parts(one: BurnIn) -> str:
    words = []
    for part in one.slow[:_SHOWN]:
        whole = (part.begin_bytes, part.end_bytes) == (0, one.size_bytes)
        where = "everywhere" if whole else f"from {decimal(part.begin_bytes)} to {decimal(part.end_bytes)}"
        of = "the others'" if one.sisters else "its neighbors'"
        words.append(f"{in_percent(part.share)} of {of} speed {where}")
    more = f" and {len(one.slow) - _SHOWN} more parts" if len(one.slow) > _SHOWN else ""
    return f"{', '.join(words)}{more}"


def _compare(own: Reading, sisters: Sequence[Reading]) -> _Compared | None:
    """None if there is too little to compare."""
    ratios: dict[int, float] = {}
    for zone, rate in enumerate(own.rates):
        if sisters:
            others = [one.rates[zone] for one in sisters if one.rates[zone]]
        else:
            around = range(max(0, zone - _NEIGHBORS), min(len(own.rates), zone + _NEIGHBORS + 1))
            others = [own.rates[one] for one in around if one != zone and own.rates[one]]
        if rate and others:
            ratios[zone] = rate / median(others)
    if len(ratios) < _FEWEST:
        return None
    logs = [log(one) for one in ratios.values()]
    # From one zone to the next: a long slow part would look like scatter around the median.
    scatter = 1.4826 / sqrt(2) * median(abs(after - before) for before, after in pairwise(logs))
    return _Compared(ratios=ratios, usual=exp(median(logs)), scatter=max(scatter, _LEAST_SCATTER))


def _is_slow_altogether(own: Reading, found: _Compared) -> bool:
    """Whether the disk is slow, also in the zones that were read again."""
    again = [found.ratios[zone] for zone in own.again if zone in found.ratios]
    usual = min(1.0, max(found.usual, median(again) if again else 0.0))
    surely = log(usual) + _SURE * found.scatter / sqrt(len(found.ratios))
    return usual < _SLOW and surely < log(_SURELY)


def _low(found: _Compared) -> list[int]:
    """The zones that are slow compared with the rest of the disk."""
    most = min(log(_SLOW), -_DEVIATIONS * found.scatter)
    return [zone for zone, ratio in sorted(found.ratios.items()) if log(ratio / found.usual) < most]


def _confirmed(own: Reading, found: _Compared) -> list[int]:
    """The slow zones that were read again, and those between them that were too many to be read again."""
    again, slow = set(own.again), []
    still = again & set(low := _low(found))
    for zone in low:
        if zone not in again:
            below = max((one for one in again if one < zone), default=None)
            above = min((one for one in again if one > zone), default=None)
            if not again or not {below, above} - {None} <= still:
                continue
        slow.append(zone)
    return slow


def _stands_out(run: Sequence[int], own: Reading, slow: Sequence[int]) -> bool:
    """Whether these zones are slower than those around them too: not only their sisters were faster there."""
    good = [zone for zone, rate in enumerate(own.rates) if rate and zone not in slow]
    around = [
        own.rates[zone]
        for zone in (
            *[zone for zone in good if zone < run[0]][-_AROUND:],
            *[zone for zone in good if zone > run[-1]][:_AROUND],
        )
    ]
    return not around or median(own.rates[zone] for zone in run) < _SLOW * median(around)


def _spread(zones: Sequence[int], most: int) -> tuple[int, ...]:
    """Some of ``zones``, evenly: ``most`` of them if there are more."""
    if len(zones) <= most:
        return tuple(zones)
    return tuple(zones[round(place * (len(zones) - 1) / (most - 1))] for place in range(most))


def _runs(zones: Sequence[int]) -> list[list[int]]:
    """Zones that follow each other, with at most one between them."""
    runs: list[list[int]] = [[zones[0]]] if zones else []
    for before, zone in pairwise(zones):
        if zone - before <= 2:
            runs[-1].append(zone)
        else:
            runs.append([zone])
    return runs
