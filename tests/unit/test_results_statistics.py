"""Verdicts rest on exact intervals: compared here with every possible arrangement, counted one by one."""

from itertools import combinations
from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.results.statistics import (
    Ratio,
    Verdict,
    chance_of_verdict,
    hl_ratio,
    holm,
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


@pytest.mark.parametrize(
    ("n", "chance"), [(3, 2 / 20), (4, 2 / 70), (5, 2 / 252), (6, 2 / 924), (8, 2 / 12870)]
)
def test_the_smallest_chance_that_so_many_runs_can_show_is_the_published_one(n: int, chance: float) -> None:
    low, high = [float(i) for i in range(1, n + 1)], [float(i) for i in range(100, 100 + n)]
    assert chance_of_verdict(high, low) == pytest.approx(chance)
    assert chance_of_verdict(low, high) == pytest.approx(chance)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (5, 3), (6, 6), (7, 9), (8, 14), (9, 18), (10, 24)])
def test_the_interval_leaves_out_as_many_ratios_as_the_tables_say(n: int, k: int) -> None:
    a, b = [100.0 + 3 * i for i in range(n)], [50.0 + 1.7 * i for i in range(n)]
    ordered = sorted(x / y for x in a for y in b)
    assert (hl_ratio(a, b).low, hl_ratio(a, b).high) == (ordered[k - 1], ordered[-k])


@given(
    st.lists(st.floats(1.0, 100.0), min_size=4, max_size=8),
    st.lists(st.floats(1.0, 100.0), min_size=4, max_size=8),
)
def test_the_chance_is_small_just_where_the_interval_gives_a_verdict(a: list[float], b: list[float]) -> None:
    decided = verdict(hl_ratio(a, b)) in {Verdict.FASTER, Verdict.SLOWER}
    assert (chance_of_verdict(a, b) <= 0.05) == decided


def test_holm_lets_the_rarest_through_first_and_stops_at_the_first_that_is_not_rare_enough() -> None:
    # Holm 1979 by hand: 0.05 / 4 = 0.0125, 0.05 / 3 = 0.0167, 0.05 / 2 = 0.025, 0.05
    assert holm([0.01, 0.04, 0.03, 0.005]) == (True, False, False, True)
    assert holm([0.012, 0.016, 0.024, 0.049]) == (True, True, True, True)
    assert holm([]) == ()


def test_luck_alone_is_called_a_difference_in_under_five_of_a_hundred_comparisons() -> None:
    """With the published rule, best of five against best of five, it would be every fourth to second."""
    random = Random(20261121)
    wrong = whole_grids = by_best = 0
    trials = 300
    for _ in range(trials):
        grid = [[[random.gauss(100.0, 3.0) for _ in range(6)] for _ in "ab"] for _ in range(8)]
        told = [verdict(hl_ratio(a, b)) in {Verdict.FASTER, Verdict.SLOWER} for a, b in grid]
        wrong += told[0]
        held = holm([chance_of_verdict(a, b) for a, b in grid])
        whole_grids += any(x and y for x, y in zip(told, held, strict=True))
        a, b = grid[0]
        by_best += max(a) > 1.02 * max(b) or max(b) > 1.02 * max(a)
    assert wrong / trials < 0.05
    assert whole_grids / trials < 0.05, "over a grid of eight cells, corrected"
    assert by_best / trials > 0.2


def test_a_real_difference_of_eight_percent_is_found() -> None:
    random = Random(20261121)
    found = sum(
        verdict(
            hl_ratio(
                [random.gauss(108.0, 3.0) for _ in range(6)], [random.gauss(100.0, 3.0) for _ in range(6)]
            ),
            margin=0.0,
        )
        is Verdict.FASTER
        for _ in range(200)
    )
    assert found / 200 > 0.9
