"""What a handful of runs says: their middle, their spread, and whether two sets of runs differ.

Nothing here assumes a distribution: the runs of a benchmark are few, skewed and have outliers.
"""

import statistics
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from math import comb
from typing import Final

from raidtui.model.struct import Record

MARGIN: Final = 0.03  # differences smaller than this make no difference to anybody
CONFIDENCE: Final = 0.95
_NORMAL: Final = (
    1.4826  # a normal distribution's standard deviation in units of its median absolute deviation
)
_OUTLIER: Final = 3.5  # in robust standard deviations


class Verdict(StrEnum):
    """What a comparison with the baseline came to."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUAL = "equal"
    UNDECIDED = "undecided"  # more runs would tell


class Ratio(Record, frozen=True, kw_only=True):
    """How many times B an A is: a point, and the interval that holds the true ratio."""

    middle: float
    low: float | None = None  # None: too few runs for an interval of that confidence
    high: float | None = None


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle; 0 of nothing."""
    return statistics.median(values) if values else 0.0


def spread(values: Sequence[float]) -> float:
    """Coefficient of variation: standard deviation (of a sample) by mean; 0 below two values."""
    mean = statistics.fmean(values) if values else 0.0
    return statistics.stdev(values) / mean if len(values) > 1 and mean > 0 else 0.0


def robust_spread(values: Sequence[float]) -> float:
    """As `spread`, from medians: one outlier among six does not move it."""
    middle = median(values)
    return _NORMAL * median([abs(value - middle) for value in values]) / middle if middle > 0 else 0.0


def outliers(values: Sequence[float]) -> tuple[int, ...]:
    """Indexes of the values further from the median than 3.5 robust standard deviations; marked, never dropped."""
    middle = median(values)
    limit = _OUTLIER * _NORMAL * median([abs(value - middle) for value in values])
    return tuple(index for index, value in enumerate(values) if limit and abs(value - middle) > limit)


def slope(series: Sequence[float]) -> float:
    """By how much of its mean a series rises from end to end, along the straight line that fits best."""
    mean = statistics.fmean(series) if series else 0.0
    if len(series) < 3 or mean <= 0:
        return 0.0
    line = statistics.linear_regression(range(len(series)), series)
    return line.slope * (len(series) - 1) / mean


@lru_cache(maxsize=64)
def _tail(n: int, m: int) -> tuple[int, ...]:
    """Of all ways to mix n and m values, how many have at most u pairs in the wrong order, for u = 0, 1, 2 …

    That number of pairs is the statistic of Mann and Whitney. Its counts are the coefficients of the Gaussian
    binomial: the product of (1 - x^(m+i)) / (1 - x^i) for i = 1 … n.
    """
    size = n * m + 1
    counts = [1] + [0] * (size - 1)
    for i in range(1, n + 1):
        for power in range(size - 1, m + i - 1, -1):  # times 1 - x^(m+i)
            counts[power] -= counts[power - m - i]
        for power in range(i, size):  # divided by 1 - x^i
            counts[power] += counts[power - i]
    return tuple(accumulate(counts))


def hl_ratio(a: Sequence[float], b: Sequence[float], *, confidence: float = CONFIDENCE) -> Ratio:
    """How many times ``b`` is ``a``: the median of all ratios of one of each (Hodges and Lehmann).

    The interval is exact whatever the distribution, as long as the two differ by a factor only: it leaves out
    as many of the smallest and the largest ratios as chance alone explains at that confidence. Three runs
    against three can never give an interval of 95 %; four against four can.
    """
    ratios = sorted(x / y for x in a for y in b if y > 0)
    if not ratios or len(ratios) < len(a) * len(b):
        return Ratio(middle=median(ratios))
    ways = comb(len(a) + len(b), len(a))
    left_out = sum(2 * count / ways <= 1 - confidence for count in _tail(len(a), len(b)))
    if not left_out:
        return Ratio(middle=median(ratios))
    return Ratio(middle=median(ratios), low=ratios[left_out - 1], high=ratios[-left_out])


def verdict(ratio: Ratio, *, margin: float = MARGIN) -> Verdict:
    """The interval in a word: wholly above 1 + margin, wholly below 1 - margin, wholly between, or neither."""
    if ratio.low is None or ratio.high is None:
        return Verdict.UNDECIDED
    if ratio.low > 1 + margin:
        return Verdict.FASTER
    if ratio.high < 1 - margin:
        return Verdict.SLOWER
    if ratio.low >= 1 - margin and ratio.high <= 1 + margin:
        return Verdict.EQUAL
    return Verdict.UNDECIDED


def chance_of_verdict(a: Sequence[float], b: Sequence[float], *, margin: float = MARGIN) -> float:
    """How often luck alone would show ``a`` this far above or below ``b`` times 1 ± margin: a two-sided p.

    Exact, from the same counts as `hl_ratio`: at most 1 - confidence just where that interval gives a verdict of
    faster or slower. A tie counts against the difference.
    """
    if not a or not b:
        return 1.0
    ways, tail = comb(len(a) + len(b), len(a)), _tail(len(a), len(b))
    not_above = sum(x <= y * (1 + margin) for x in a for y in b)
    not_below = sum(x >= y * (1 - margin) for x in a for y in b)
    return min(1.0, 2 * tail[min(not_above, not_below)] / ways)


def holm(chances: Sequence[float], *, confidence: float = CONFIDENCE) -> tuple[bool, ...]:
    """Which of many findings still hold when one false one among all of them is to be as rare as 1 - confidence.

    The rarest must be below (1 - confidence) / n, the next below (1 - confidence) / (n - 1), and so on; the first
    that is not ends it (Holm 1979).
    """
    held = [False] * len(chances)
    for place, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[index] > (1 - confidence) / (len(chances) - place):
            break
        held[index] = True
    return tuple(held)
