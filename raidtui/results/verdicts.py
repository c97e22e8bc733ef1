"""Whether results differ: a moderated t-test on the logarithms of their runs, corrected for all comparisons shown.

Three runs say little about their own spread, so the variance of a comparison is moderated towards the median of all, as
limma does with genes (Smyth 2004), the less so the more they differ. If a run is an outlier, a fifth at each end of
both results is left out (Yuen 1974). The test assumes that the runs of a cell scatter around one value, by about the
same share in both results, and that nothing but the target changed between the two measurements.
"""

import statistics
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from math import exp, lgamma, log, pi, sqrt
from typing import Final

from raidtui.model.struct import Record
from raidtui.results.statistics import outliers
from raidtui.results.student import critical, upper_tail

MARGIN: Final = 0.03  # smaller differences do not matter
CONFIDENCE: Final = 0.95
FEWEST_RUNS: Final = 2  # of each result: with fewer a cell has no spread
_LEAST: Final = 0.01**2  # least variance of logarithms: runs of a disk spread by at least 1 %
_ROUNDED: Final = 0.002**2  # runs that spread by less were rounded
_PRIOR: Final = 2.0  # most degrees of freedom of the median
_FEW: Final = 8  # comparisons: too few to tell how much their spreads differ
_FAR: Final = 5.0  # robust standard deviations: nearer ones are common among five runs
_TRIMMED: Final = 5  # one run in so many is left out at each end
_USUAL_SPREAD: Final = 0.03
_POWER: Final = 0.85  # of which some is lost to runs that only look like outliers


class Verdict(StrEnum):
    """Verdict of a comparison with the baseline, corrected for all comparisons that are shown with it."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUAL = "equal"
    UNDECIDED = "undecided"  # no significant difference, but not shown to be equal


# The sign of a verdict after a factor.
SIGNS: Final = {
    Verdict.FASTER.value: "+",
    Verdict.SLOWER.value: "-",
    Verdict.EQUAL.value: "=",
    Verdict.UNDECIDED.value: "?",
}


LEGEND: Final = "+ faster, - slower, = equal, ? not significant"


class Judgement(Record, frozen=True, kw_only=True):
    """What the runs of one cell show, corrected for the number of comparisons."""

    verdict: Verdict
    low: float  # confidence interval of the true ratio, at this cell's corrected level
    high: float


class _Test(Record, frozen=True, kw_only=True):
    """One comparison: the difference of the mean logarithms, its standard error, and its p-value."""

    difference: float
    error: float
    degrees: float
    chance: float  # p-value, two-sided, against a true difference of at most the margin


def findings(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]] | None],
    *,
    margin: float = MARGIN,
) -> tuple[Judgement | None, ...]:
    """What the runs of each comparison show; with `CONFIDENCE`, no verdict of all these is false.

    Args:
        pairs: for each comparison that is shown, of any cell and any two results, the runs of the result and of the
            baseline; None if they cannot be compared.
        margin: how far from 1 the ratio must be to differ, and may be to be equal.

    Returns:
        The findings in the same order; None if a side has fewer than two runs, or a rate is not above zero.
    """
    known = {at: _measured(*pair) for at, pair in enumerate(pairs) if pair is not None and _is_known(*pair)}
    usual = _usual(list(known.values()))
    tests = {at: _test(one, usual, margin=margin) for at, one in known.items()}
    found: list[Judgement | None] = [None] * len(pairs)
    level, stopped = 0.0, False
    for place, at in enumerate(sorted(tests, key=lambda at: tests[at].chance)):
        # Holm 1979: the smallest p-value must be below (1 - CONFIDENCE) / n, the next below … / (n - 1). The first
        # that is not ends the sequence; all later ones get its level.
        if not stopped:
            level = (1 - CONFIDENCE) / (len(tests) - place)
            stopped = tests[at].chance > level
        found[at] = _finding(tests[at], level, margin=margin, differs=not stopped)
    return tuple(found)


class Usual(Record, frozen=True, kw_only=True):
    """The variance of the logarithms in other comparisons, and how many degrees of freedom it is worth."""

    variance: float
    degrees: float


class _Measured(Record, frozen=True, kw_only=True):
    """The runs of both results: the difference of the mean logarithms, and their pooled variance."""

    difference: float
    variance: float
    degrees: int
    share: float  # of the variance, in the squared error of the difference


def usual_of(pairs: Sequence[tuple[Sequence[float], Sequence[float]] | None]) -> Usual:
    """What these comparisons say of the variance of another."""
    return _usual([_measured(*pair) for pair in pairs if pair is not None and _is_known(*pair)])


def are_different(
    runs: Sequence[float], others: Sequence[float], usual: Usual, comparisons: int
) -> bool | None:
    """Whether the runs differ, as one of this number of ``comparisons`` (Bonferroni); None if they are too few to say."""
    if not _is_known(runs, others):
        return None
    return _test(_measured(runs, others), usual, margin=MARGIN).chance <= (1 - CONFIDENCE) / comparisons


def _is_known(runs: Sequence[float], others: Sequence[float]) -> bool:
    return min(len(runs), len(others)) >= FEWEST_RUNS and min(*runs, *others) > 0


def _measured(runs: Sequence[float], others: Sequence[float]) -> _Measured:
    both = [sorted(map(log, values)) for values in (runs, others)]
    trim = any(outliers(logs, limit=_FAR) for logs in both)
    cuts = [len(logs) // _TRIMMED if trim else 0 for logs in both]
    kept = [logs[cut : len(logs) - cut] for logs, cut in zip(both, cuts, strict=True)]
    degrees = sum(map(len, kept)) - 2
    return _Measured(
        difference=statistics.fmean(kept[0]) - statistics.fmean(kept[1]),
        variance=sum(_squares(logs, cut) for logs, cut in zip(kept, cuts, strict=True)) / degrees,
        degrees=degrees,
        share=sum(1 / len(logs) for logs in kept),
    )


def _usual(measured: Sequence[_Measured]) -> Usual:
    if not measured:
        return Usual(variance=_LEAST, degrees=0)
    variances = [max(one.variance, _LEAST) for one in measured]
    degrees = _PRIOR
    if len(measured) >= _FEW:
        # The variance of their logarithms, beyond that of a sample's, is trigamma(prior / 2), which is nearly
        # 1 / (prior / 2)^2 + 0.645 up to a prior of 2 (limma, fitFDist).
        own = statistics.fmean(_trigamma_of_half(one.degrees) for one in measured)
        logs = [log(max(one.variance, _ROUNDED)) for one in measured]
        beyond = statistics.variance(logs) - own - 0.645
        degrees = min(_PRIOR, 2 / sqrt(beyond)) if beyond > 0 else _PRIOR
    return Usual(variance=statistics.median(variances), degrees=degrees)


def _trigamma_of_half(number: int) -> float:
    """The trigamma function at ``number / 2``: the variance of the logarithm of a variance of that many degrees."""
    start = pi**2 / 2 if number % 2 else pi**2 / 6
    return start - sum(4 / at**2 for at in range(2 - number % 2, number, 2))


def _test(one: _Measured, usual: Usual, *, margin: float) -> _Test:
    own = max(one.variance, _LEAST)
    degrees = one.degrees + usual.degrees
    drawn = (usual.degrees * usual.variance + one.degrees * own) / degrees
    error = sqrt(max(own, drawn) * one.share)
    beyond = max(one.difference - log(1 + margin), log(1 - margin) - one.difference)
    return _Test(
        difference=one.difference,
        error=error,
        degrees=degrees,
        chance=min(1.0, 2 * upper_tail(beyond / error, degrees)),
    )


def _squares(kept: Sequence[float], cut: int) -> float:
    """The sum of squares around the mean; ``cut`` values left out at each end count as the nearest that is kept."""
    values = [*[kept[0]] * cut, *kept, *[kept[-1]] * cut]
    mean = statistics.fmean(values)
    return sum((value - mean) ** 2 for value in values)


def _finding(test: _Test, level: float, *, margin: float, differs: bool) -> Judgement:
    reach = critical(level / 2, test.degrees) * test.error
    low, high = exp(test.difference - reach), exp(test.difference + reach)
    if differs:
        verdict = Verdict.FASTER if test.difference > 0 else Verdict.SLOWER
    else:
        verdict = Verdict.EQUAL if 1 - margin <= low and high <= 1 + margin else Verdict.UNDECIDED
    return Judgement(verdict=verdict, low=low, high=high)


def smallest_factor(runs: int, cells: int) -> float | None:
    """The smallest factor that two results of ``runs`` runs show, with a power of 80 %, if one cell differs by it.

    Args:
        runs: of each cell, in each of the two results.
        cells: of the grid; with more of them each needs stronger evidence.

    Returns:
        1.2 if a result 1.2 times as fast is called faster; None for fewer than two runs, which decide nothing.
    """
    if runs < FEWEST_RUNS:
        return None
    error = sqrt(max(_USUAL_SPREAD**2, _LEAST) * 2 / runs)
    degrees = 2 * runs - 2
    limit = critical((1 - CONFIDENCE) / (2 * cells), degrees + _PRIOR)
    return (1 + MARGIN) * exp(_shift(limit, degrees, alone=cells == 1) * error)


@lru_cache(maxsize=1024)
def _shift(limit: float, degrees: int, *, alone: bool) -> float:
    """The true difference, in standard errors, that the test finds with a chance of `_POWER`."""
    low, high = 0.0, 4 * limit + 10
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, limit, degrees, alone=alone) < _POWER else (low, middle)
    return high


def _power(shift: float, limit: float, degrees: int, *, alone: bool) -> float:
    """The chance that a true difference of ``shift`` standard errors is found as more than ``limit``.

    Integrates over the variance that the runs may have, which is chi-squared. ``alone``: there is no other cell to
    moderate it.
    """
    normal = statistics.NormalDist()
    scale = log(2) + degrees / 2 * log(degrees / 2) - lgamma(degrees / 2)
    usual = (1 - 2 / (9 * degrees)) ** 3  # the median (Wilson and Hilferty)
    total, step = 0.0, 0.02
    for number in range(1, 250):
        own = (number * step) ** 2  # in units of the true one
        density = exp(scale + (degrees - 1) * log(number * step) - degrees * own / 2)
        drawn = own if alone else (_PRIOR * usual + degrees * own) / (_PRIOR + degrees)
        total += density * normal.cdf(shift - limit * sqrt(max(own, drawn)))
    return total * step
