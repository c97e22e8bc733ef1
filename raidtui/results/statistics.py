"""Statistics of a handful of runs: median, spread, outliers and trend.

Nothing here assumes a distribution: the runs of a benchmark are few and skewed, and have outliers.
"""

import statistics
from collections.abc import Sequence
from typing import Final

_NORMAL: Final = (
    1.4826  # standard deviation of a normal distribution, in units of its median absolute deviation
)
_OUTLIER: Final = 3.5  # in robust standard deviations


def median(values: Sequence[float]) -> float:
    """The median; 0 if there are no values."""
    return statistics.median(values) if values else 0.0


def spread(values: Sequence[float]) -> float:
    """Coefficient of variation: standard deviation (of a sample) divided by the mean; 0 below two values."""
    mean = statistics.fmean(values) if values else 0.0
    return statistics.stdev(values) / mean if len(values) > 1 and mean > 0 else 0.0


def robust_spread(values: Sequence[float]) -> float:
    """Like `spread`, but from medians: one outlier among six does not change it."""
    middle = median(values)
    return _NORMAL * median([abs(value - middle) for value in values]) / middle if middle > 0 else 0.0


def outliers(values: Sequence[float], *, limit: float = _OUTLIER) -> tuple[int, ...]:
    """Indexes of the values further from the median than ``limit`` robust standard deviations; marked, never dropped."""
    middle = median(values)
    far = limit * _NORMAL * median([abs(value - middle) for value in values])
    return tuple(index for index, value in enumerate(values) if far and abs(value - middle) > far)


def slope(series: Sequence[float]) -> float:
    """The rise of a series from end to end along the best-fit line, as a share of its mean."""
    mean = statistics.fmean(series) if series else 0.0
    if len(series) < 3 or mean <= 0:
        return 0.0
    line = statistics.linear_regression(range(len(series)), series)
    return line.slope * (len(series) - 1) / mean
