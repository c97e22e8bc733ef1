"""Middle, spread, outliers and trend of a handful of runs."""

import pytest

from raidtui.results.statistics import outliers, robust_spread, slope, spread


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
