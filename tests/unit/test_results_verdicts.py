"""Verdicts: the distribution by published tables, the rule by hand, its false rates and its power by simulation."""

from collections.abc import Callable
from itertools import product
from math import exp, log, sqrt
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.results.student import critical, upper_tail
from raidtui.results.verdicts import FEWEST_RUNS, Verdict, findings, smallest_factor

CELLS = 8
DECIDED = {Verdict.FASTER, Verdict.SLOWER}
Runs = list[float]
Scatter = Callable[
    [Random, int, int], Runs
]  # logarithms of the runs of one cell, by its number and their count


@pytest.mark.parametrize(
    ("tail", "degrees", "t"),  # a printed table
    [
        (0.025, 1, 12.706),
        (0.025, 2, 4.303),
        (0.05, 4, 2.132),
        (0.025, 6, 2.447),
        (0.005, 6, 3.707),
        (0.0005, 10, 4.587),
        (0.025, 30, 2.042),
    ],
)
def test_students_t_is_as_in_the_tables(tail: float, degrees: int, t: float) -> None:
    assert critical(tail, degrees) == pytest.approx(t, abs=5e-4)
    assert upper_tail(t, degrees) == pytest.approx(tail, rel=2e-3)


@pytest.mark.parametrize("t", [-3.0, -0.5, 0.0, 0.1, 1.0, 2.5, 8.0, 40.0])
def test_its_tail_is_as_the_closed_forms_for_two_and_four_degrees_say(t: float) -> None:
    assert upper_tail(t, 2) == pytest.approx(0.5 - t / (2 * sqrt(2 + t * t)), rel=1e-9)
    x = t / sqrt(4 + t * t)
    assert upper_tail(t, 4) == pytest.approx(0.5 - x * (3 - x * x) / 4, rel=1e-7)
    assert upper_tail(t, 1e7) == pytest.approx(1 - NormalDist().cdf(t), abs=1e-6)


def test_the_rule_by_hand() -> None:
    """Two cells of three runs: own variances of 0.0004 and 0, so s0 is (0.0004 + 0.0001) / 2."""
    noisy = ([exp(x) for x in (0.98, 1.0, 1.02)], [exp(x) for x in (-0.02, 0.0, 0.02)])
    quiet = ([exp(0.1)] * 3, [1.0] * 3)
    one, two = (found for found in findings([noisy, quiet]) if found is not None)
    usual = (0.0004 + 0.0001) / 2
    drawn = max(0.0004, (2 * usual + 4 * 0.0004) / 6)
    reach = critical(0.05 / 2 / 2, 6) * sqrt(drawn * 2 / 3)  # the rarest of two is held to half of 5 %
    assert one.verdict is Verdict.FASTER
    assert (log(one.low), log(one.high)) == pytest.approx((1 - reach, 1 + reach))
    reach = critical(0.05 / 2, 6) * sqrt((2 * usual + 4 * 0.0001) / 6 * 2 / 3)
    assert log(two.low) == pytest.approx(0.1 - reach)


def test_the_level_of_each_cell_follows_holm() -> None:
    """Of four cells that differ less and less, each is held to 5 % by those that are left."""
    runs = [-0.01, 0.0, 0.01]
    pairs = [([exp(shift + x) for x in runs], [exp(x) for x in runs]) for shift in (0.5, 0.4, 0.3, 0.0)]
    error = sqrt(0.0001 * 2 / 3)
    for at, found in enumerate(findings(pairs)):
        assert found is not None
        assert log(found.high) - log(found.low) == pytest.approx(2 * critical(0.05 / (4 - at) / 2, 6) * error)
        assert found.verdict is (Verdict.FASTER if at < 3 else Verdict.EQUAL)


@pytest.mark.parametrize("pair", [([100.0], [200.0] * 9), ([1.0] * 3, [1.0]), ([0.0, 1.0], [1.0, 1.0]), None])
def test_what_has_no_spread_of_its_own_has_no_verdict(pair: tuple[Runs, Runs] | None) -> None:
    sound = ([2.0, 2.0], [1.0, 1.0])
    nothing, something = findings([pair, sound])
    assert nothing is None
    assert something is not None
    assert something == findings([sound])[0], "and counts for nothing in the correction"


@given(
    st.lists(
        st.tuples(
            st.lists(st.floats(1.0, 1e10), min_size=FEWEST_RUNS, max_size=6),
            st.lists(st.floats(1.0, 1e10), min_size=FEWEST_RUNS, max_size=6),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_turning_the_comparison_round_turns_the_interval_round(pairs: list[tuple[Runs, Runs]]) -> None:
    for there, again in zip(
        findings(pairs, margin=0.0), findings([(b, a) for a, b in pairs], margin=0.0), strict=True
    ):
        assert there is not None
        assert again is not None
        assert there.low <= there.high
        assert (there.verdict is Verdict.FASTER) == (again.verdict is Verdict.SLOWER)
        assert log(again.low) == pytest.approx(-log(there.high), abs=1e-6)


# The simulation: many grids of eight cells, as results of real disks scatter.


def independent(random: Random, cell: int, runs: int) -> Runs:
    return [random.gauss(0.0, 0.03) for _ in range(runs)]


def drifting(random: Random, cell: int, runs: int) -> Runs:
    """Each cell begins where it belongs and slopes off by up to 5 % until its last run."""
    slope = random.uniform(-0.05, 0.05)
    return [random.gauss(0.0, 0.02) + slope * number / max(1, runs - 1) for number in range(runs)]


def with_outliers(random: Random, cell: int, runs: int) -> Runs:
    """One run of twelve is much slower than the others."""
    return [
        random.gauss(0.0, 0.02) - (abs(random.gauss(0.0, 0.3)) if random.random() < 1 / 12 else 0.0)
        for _ in range(runs)
    ]


def unequal(random: Random, cell: int, runs: int) -> Runs:
    """Sequential cells that hardly vary beside random ones that vary a lot."""
    spreads = (0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.10, 0.12)
    return [random.gauss(0.0, spreads[cell]) for _ in range(runs)]


def verdicts(random: Random, scatter: Scatter, runs: int, factor: float = 1.0) -> list[Verdict]:
    pairs = [
        (
            [factor * exp(value) for value in scatter(random, cell, runs)],
            [exp(value) for value in scatter(random, cell, runs)],
        )
        for cell in range(CELLS)
    ]
    return [found.verdict for found in findings(pairs) if found is not None]


@pytest.mark.slow
@pytest.mark.parametrize("scatter", [independent, drifting, with_outliers, unequal])
@pytest.mark.parametrize("runs", [3, 5])
def test_at_most_three_of_a_hundred_grids_of_equals_have_a_false_verdict(scatter: Scatter, runs: int) -> None:
    random, trials = Random(20261121), 400
    wrong = sum(bool(DECIDED & set(verdicts(random, scatter, runs))) for _ in range(trials))
    assert wrong / trials <= 0.03


def test_a_difference_of_five_percent_is_seldom_called_equal() -> None:
    random, trials = Random(20261121), 300
    wrong = sum(Verdict.EQUAL in verdicts(random, independent, 5, 1.05) for _ in range(trials))
    assert wrong / trials <= 0.03


@pytest.mark.parametrize(
    ("factor", "spread", "least"),
    [(2.76, 0.015, 1.0), (2.76, 0.05, 1.0), (1 / 2.76, 0.05, 1.0), (1.5, 0.05, 0.95), (1.2, 0.03, 0.85)],
)
def test_three_runs_decide_what_a_person_would_see(factor: float, spread: float, least: float) -> None:
    random, trials = Random(20261121), 100

    def scatter(random: Random, cell: int, runs: int) -> Runs:
        return [random.gauss(0.0, spread) for _ in range(runs)]

    word = Verdict.FASTER if factor > 1 else Verdict.SLOWER
    found = sum(verdicts(random, scatter, 3, factor).count(word) for _ in range(trials))
    assert found / (trials * CELLS) >= least


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("cells", "runs"),
    [(1, 3), (CELLS, 6), *[(cells, runs) for cells in (1, 2, 4, 8, 20) for runs in (2, 3, 4, 5, 6, 8)]],
)
def test_the_factor_that_so_many_runs_show_is_found_four_times_of_five(cells: int, runs: int) -> None:
    """One cell differs; its neighbors do not, so the correction is at its full strength."""
    factor = smallest_factor(runs, cells)
    assert factor is not None
    random, trials = Random(20261121), 4000 // max(cells, 4)
    found = 0
    for _ in range(trials):
        pairs = [
            (
                [(factor if cell == 0 else 1.0) * exp(x) for x in independent(random, cell, runs)],
                [exp(x) for x in independent(random, cell, runs)],
            )
            for cell in range(cells)
        ]
        finding = findings(pairs)[0]
        found += finding is not None and finding.verdict is Verdict.FASTER
    tolerance = 2 * sqrt(0.8 * 0.2 / trials)
    assert 0.8 - tolerance <= found / trials <= 0.88 + tolerance


def test_more_runs_and_fewer_cells_decide_smaller_factors() -> None:
    assert smallest_factor(1, 8) is None
    factors = [smallest_factor(runs, 8) or 0.0 for runs in range(2, 12)]
    assert factors == sorted(factors, reverse=True)
    assert smallest_factor(3, 8) == pytest.approx(1.18, abs=0.01)
    assert (smallest_factor(3, 1) or 9.0) < factors[1]


# Many results side by side: a column of eight cells for each, against one baseline.

COLUMNS = 10


def side_by_side(
    random: Random, scatter: Scatter, runs: int, columns: int, factor: float = 1.0
) -> list[tuple[Runs, Runs]]:
    """All comparisons of some results with one baseline; the first cell of the first differs by ``factor``."""
    base = [[exp(x) for x in scatter(random, cell, runs)] for cell in range(CELLS)]
    return [
        (
            [(factor if column == cell == 0 else 1.0) * exp(x) for x in scatter(random, cell, runs)],
            base[cell],
        )
        for column in range(columns)
        for cell in range(CELLS)
    ]


EQUALS = [unequal, with_outliers, independent, drifting]


@pytest.mark.slow
@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("scatter", "runs", "trials"),
    [(unequal, 3, 60), (unequal, 2, 60), (with_outliers, 6, 60), *product(EQUALS, (2, 3, 4, 5, 6), (1000,))],
)
def test_no_verdict_of_many_columns_is_false_in_nineteen_of_twenty(
    scatter: Scatter, runs: int, trials: int
) -> None:
    random = Random(20261125)
    wrong = sum(
        any(
            found is not None and found.verdict in DECIDED
            for found in findings(side_by_side(random, scatter, runs, COLUMNS))
        )
        for _ in range(trials)
    )
    assert wrong / trials <= 0.05 + 2 * sqrt(0.05 * 0.95 / trials) * (trials < 100)


@pytest.mark.first(1)
@pytest.mark.parametrize("trials", [120, 2000])
def test_more_runs_with_outliers_decide_more(trials: int) -> None:
    """One run of twelve is far off: six runs must not decide less than three because one more of them is."""
    random = Random(20261125)

    def decided(runs: int) -> float:
        found = (findings(side_by_side(random, with_outliers, runs, 1, 1.2))[0] for _ in range(trials))
        return sum(one is not None and one.verdict is Verdict.FASTER for one in found) / trials

    three, six, ten = map(decided, (3, 6, 10))
    assert three + 0.1 < six <= ten
    assert six > 0.85
