"""What a handful of runs says: their middle, their spread, their outliers and their trend.

Nothing here assumes a distribution: the runs of a benchmark are few, skewed and have outliers.
"""

import statistics
from collections.abc import Sequence
from typing import Final

_NORMAL: Final = (
    1.4826  # a normal distribution's standard deviation in units of its median absolute deviation
)
_OUTLIER: Final = 3.5  # in robust standard deviations


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
