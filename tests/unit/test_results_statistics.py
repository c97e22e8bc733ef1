"""Verdicts rest on exact intervals: compared here with every possible arrangement, counted one by one."""

from itertools import combinations
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.results.statistics import (
    Ratio,
    Verdict,
    hl_ratio,
    outliers,
    robust_spread,
    slope,
    spread,
    verdict,
)

rates = st.lists(st.floats(1.0, 1e10), min_size=1, max_size=7)


def left_out_by_counting(n: int, m: int, confidence: float) -> int:
    """How many ratios at each end the interval may leave out, from all (n + m choose n) rank orders."""
    wrong = [
        sum(place - rank for rank, place in enumerate(places)) for places in combinations(range(n + m), n)
    ]
    count = 0
    while 2 * sum(u <= count for u in wrong) / len(wrong) <= 1 - confidence:
        count += 1
    return count


@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 5), (6, 6), (7, 7), (4, 6), (3, 8), (10, 5)])
def test_the_interval_is_the_one_that_counting_every_arrangement_gives(n: int, m: int) -> None:
    a = [100.0 + 3 * i for i in range(n)]
    b = [50.0 + 1.7 * i for i in range(m)]
    ordered = sorted(x / y for x in a for y in b)
    k = left_out_by_counting(n, m, 0.95)
    assert k > 0
    assert hl_ratio(a, b) == Ratio(middle=median(ordered), low=ordered[k - 1], high=ordered[-k])


def test_three_runs_against_three_are_too_few_for_an_interval() -> None:
    ratio = hl_ratio([200.0, 201.0, 202.0], [100.0, 101.0, 102.0])
    assert (ratio.low, ratio.high) == (None, None)
    assert verdict(ratio) is Verdict.UNDECIDED


@given(rates, rates)
def test_turning_the_comparison_round_turns_the_ratio_round(a: list[float], b: list[float]) -> None:
    there, back = hl_ratio(a, b), hl_ratio(b, a)
    assert (there.low is None) == (back.low is None)
    if there.low is not None and there.high is not None and back.low is not None:
        assert there.low <= there.middle <= there.high
        assert back.low == pytest.approx(1 / there.high)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (1.04, 1.20, "faster"),
        (0.80, 0.96, "slower"),
        (0.98, 1.02, "equal"),
        (0.98, 1.20, "undecided"),
        (1.01, 1.20, "undecided"),
        (0.50, 2.00, "undecided"),
    ],
)
def test_a_verdict_needs_the_whole_interval(low: float, high: float, word: str) -> None:
    assert verdict(Ratio(middle=(low + high) / 2, low=low, high=high)) == word


def test_nothing_to_divide_by_gives_no_interval() -> None:
    assert hl_ratio([1.0] * 6, [0.0] * 6).low is None
    assert hl_ratio([], [1.0]).middle == 0.0


def test_one_wild_run_among_six_moves_the_plain_spread_only() -> None:
    runs = [100.0, 101.0, 99.0, 100.5, 99.5, 20.0]
    assert spread(runs) > 0.3
    assert robust_spread(runs) < 0.02
    assert outliers(runs) == (5,)
    assert outliers([100.0] * 6) == ()


def test_a_slope_is_the_rise_from_end_to_end_over_the_mean() -> None:
    assert slope([90.0, 100.0, 110.0]) == pytest.approx(0.2)
    assert slope([100.0, 100.0, 100.0]) == 0.0
    assert slope([1.0, 2.0]) == 0.0, "two points are no trend"
