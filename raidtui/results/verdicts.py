"""Whether two results differ: a moderated t-test on the logarithms of their runs, corrected for the cells of the grid.

Three runs say little about their own spread, so the variance of a cell is moderated towards the median of its grid,
as limma does with genes (Smyth 2004). The test assumes that the runs of a cell scatter around one value, by about the
same share in both results, and that nothing but the target changed between the two measurements.
"""

import statistics
from collections.abc import Sequence
from enum import StrEnum
from math import exp, log, sqrt
from typing import Final

from raidtui.model.struct import Record
from raidtui.results.student import critical, upper_tail

MARGIN: Final = 0.03  # smaller differences do not matter
CONFIDENCE: Final = 0.95
FEWEST_RUNS: Final = 2  # of each result: with fewer a cell has no spread
_LEAST: Final = 0.01**2  # least variance of logarithms: runs of a disk spread by at least 1 %
_PRIOR: Final = 2  # degrees of freedom of the grid's median
_USUAL_SPREAD: Final = 0.03


class Verdict(StrEnum):
    """Verdict of a comparison with the baseline, corrected for all cells of the grid."""

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


class Finding(Record, frozen=True, kw_only=True):
    """What the runs of one cell show, corrected for the number of cells."""

    verdict: Verdict
    low: float  # confidence interval of the true ratio, at this cell's corrected level
    high: float


class _Test(Record, frozen=True, kw_only=True):
    """One cell: the difference of the mean logarithms, its standard error, and its p-value."""

    difference: float
    error: float
    degrees: int
    chance: float  # p-value, two-sided, against a true difference of at most the margin


def findings(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]] | None],
    *,
    confidence: float = CONFIDENCE,
    margin: float = MARGIN,
) -> tuple[Finding | None, ...]:
    """What the runs of each cell of a grid show.

    Args:
        pairs: for each cell the runs of the result and of the baseline; None if they cannot be compared.
        confidence: that no verdict in the whole grid is false.
        margin: how far from 1 the ratio must be to differ, and may be to be equal.

    Returns:
        The findings in the same order; None if a side has fewer than two runs, or a rate is not above zero.
    """
    known = {at: pair for at, pair in enumerate(pairs) if pair is not None and _is_known(*pair)}
    tests = dict(zip(known, _tests(list(known.values()), margin=margin), strict=True))
    found: list[Finding | None] = [None] * len(pairs)
    level, stopped = 0.0, False
    for place, at in enumerate(sorted(tests, key=lambda at: tests[at].chance)):
        # Holm 1979: the smallest p-value must be below (1 - confidence) / n, the next below … / (n - 1). The first
        # that is not ends the sequence; all later ones get its level.
        if not stopped:
            level = (1 - confidence) / (len(tests) - place)
            stopped = tests[at].chance > level
        found[at] = _finding(tests[at], level, margin=margin, differs=not stopped)
    return tuple(found)


def _is_known(runs: Sequence[float], others: Sequence[float]) -> bool:
    return min(len(runs), len(others)) >= FEWEST_RUNS and min(*runs, *others) > 0


def _tests(pairs: Sequence[tuple[Sequence[float], Sequence[float]]], *, margin: float) -> list[_Test]:
    logs = [tuple([log(value) for value in runs] for runs in pair) for pair in pairs]
    own = [_pooled_variance(*pair) for pair in logs]
    usual = statistics.median(max(variance, _LEAST) for variance in own) if own else _LEAST
    made = []
    for (runs, others), variance in zip(logs, own, strict=True):
        degrees = len(runs) + len(others) - 2
        drawn = (_PRIOR * usual + degrees * max(variance, _LEAST)) / (_PRIOR + degrees)
        error = sqrt(max(variance, drawn) * (1 / len(runs) + 1 / len(others)))
        difference = statistics.fmean(runs) - statistics.fmean(others)
        beyond = max(difference - log(1 + margin), log(1 - margin) - difference)
        made.append(
            _Test(
                difference=difference,
                error=error,
                degrees=degrees + _PRIOR,
                chance=min(1.0, 2 * upper_tail(beyond / error, degrees + _PRIOR)),
            )
        )
    return made


def _pooled_variance(runs: Sequence[float], others: Sequence[float]) -> float:
    """The pooled variance of both, each around its own mean."""
    squares = 0.0
    for some in (runs, others):
        mean = statistics.fmean(some)
        squares += sum((value - mean) ** 2 for value in some)
    return squares / (len(runs) + len(others) - 2)


def _finding(test: _Test, level: float, *, margin: float, differs: bool) -> Finding:
    reach = critical(level / 2, test.degrees) * test.error
    low, high = exp(test.difference - reach), exp(test.difference + reach)
    if differs:
        verdict = Verdict.FASTER if test.difference > 0 else Verdict.SLOWER
    else:
        verdict = Verdict.EQUAL if 1 - margin <= low and high <= 1 + margin else Verdict.UNDECIDED
    return Finding(verdict=verdict, low=low, high=high)


def smallest_factor(runs: int, cells: int, *, spread: float = _USUAL_SPREAD) -> float | None:
    """The smallest factor that two results of ``runs`` runs show in each of ``cells`` cells, with a power of 80 %.

    Args:
        runs: of each cell, in each of the two results.
        cells: of the grid; with more of them each needs stronger evidence.
        spread: coefficient of variation of the runs of a cell.

    Returns:
        1.2 if a result 1.2 times as fast is called faster; None for fewer than two runs, which decide nothing.
    """
    if runs < FEWEST_RUNS:
        return None
    error = sqrt(max(spread**2, _LEAST) * 2 / runs)
    degrees = 2 * runs - 2 + _PRIOR
    reach = critical((1 - CONFIDENCE) / (2 * cells), degrees) + critical(0.2, degrees)
    return (1 + MARGIN) * exp(reach * error)
