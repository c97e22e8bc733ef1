"""Whether two results differ: a moderated t-test on the logarithms of their runs, corrected for the cells of the grid.

Three runs say little about their own spread, so a cell's variance is drawn towards the median of its grid, as
limma does with genes (Smyth 2004). The assumption: the runs of a cell scatter around one value, by about the same
share in both results, and nothing but the target changed between the two sittings.
"""

import statistics
from collections.abc import Sequence
from enum import StrEnum
from math import exp, log, sqrt
from typing import Final

from raidtui.model.struct import Record
from raidtui.results.student import critical, upper_tail

MARGIN: Final = 0.03  # differences smaller than this make no difference to anybody
CONFIDENCE: Final = 0.95
FEWEST_RUNS: Final = 2  # of each result: below that a cell has no spread of its own
_LEAST: Final = 0.01**2  # variance of logarithms: no two runs of a disk are more alike than 1 %
_PRIOR: Final = 2  # degrees of freedom that the grid's median counts as
_USUAL_SPREAD: Final = 0.03


class Verdict(StrEnum):
    """What a comparison with the baseline came to, among all cells of the grid."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUAL = "equal"
    UNDECIDED = "undecided"  # no significant difference, and not shown to be equal either


# How a verdict is marked beside a factor.
SIGNS: Final = {
    Verdict.FASTER.value: "+",
    Verdict.SLOWER.value: "-",
    Verdict.EQUAL.value: "=",
    Verdict.UNDECIDED.value: "?",
}


LEGEND: Final = "+ faster, - slower, = equal, ? not significant"


class Finding(Record, frozen=True, kw_only=True):
    """What the runs of one cell prove, corrected for the number of cells."""

    verdict: Verdict
    low: float  # the interval of the true ratio, at the confidence that the correction leaves this cell
    high: float


class _Test(Record, frozen=True, kw_only=True):
    """One cell: the difference of the mean logarithms, its standard error, and how often luck alone shows it."""

    difference: float
    error: float
    degrees: int
    chance: float  # two-sided, against a true difference of at most the margin


def findings(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]] | None],
    *,
    confidence: float = CONFIDENCE,
    margin: float = MARGIN,
) -> tuple[Finding | None, ...]:
    """What each cell of a grid proves.

    Args:
        pairs: for each cell the runs of the result and those of the baseline; None where they cannot be compared.
        confidence: how sure it is that no verdict in the whole grid is false.
        margin: the ratio to 1 that a difference must exceed, and that equality must keep within.

    Returns:
        In the same order; None where there are fewer than two runs on a side, or a rate that is not above zero.
    """
    known = {at: pair for at, pair in enumerate(pairs) if pair is not None and _is_known(*pair)}
    tests = dict(zip(known, _tests(list(known.values()), margin=margin), strict=True))
    found: list[Finding | None] = [None] * len(pairs)
    level, stopped = 0.0, False
    for place, at in enumerate(sorted(tests, key=lambda at: tests[at].chance)):
        # Holm 1979: the rarest must be below (1 - confidence) / n, the next below … / (n - 1); the first that is
        # not ends it, and what comes after is held to its level.
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
    """Of both together, each around its own mean."""
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
    """The factor that two results of ``runs`` runs show in each of ``cells`` cells, four times of five.

    Args:
        runs: of each cell, in each of the two results.
        cells: of the grid; more of them need stronger evidence each.
        spread: coefficient of variation of the runs of a cell.

    Returns:
        1.2 where a result 1.2 times as fast is called faster; None for fewer than two runs, which decide nothing.
    """
    if runs < FEWEST_RUNS:
        return None
    error = sqrt(max(spread**2, _LEAST) * 2 / runs)
    degrees = 2 * runs - 2 + _PRIOR
    reach = critical((1 - CONFIDENCE) / (2 * cells), degrees) + critical(0.2, degrees)
    return (1 + MARGIN) * exp(reach * error)
