"""Failure rates: counted, by model and age, and as a person types them."""

import pytest

from raidtui.advice.afr import counted_rate, parse_rate, posterior_limit, posterior_mean, rate_of
from raidtui.model.errors import BadInput


@pytest.mark.parametrize(
    ("failures", "drive_days", "rate"),
    # Backblaze: all drives 2025, and two models over their lifetime
    [(4317, 115638676, 0.013626), (50, 3555491, 0.005133), (85, 1221499, 0.02540)],
)
def test_the_usual_rate(failures: int, drive_days: int, rate: float) -> None:
    assert counted_rate(failures, drive_days) == pytest.approx(rate, rel=1e-3)


@pytest.mark.parametrize(
    ("failures", "drive_days", "mean", "limit"),
    # columns "expected" and "95 %" of tlatorre.com's analysis of the same data
    [(50, 3_555_491, 0.0052, 0.0065), (21, 1_416_127, 0.0057, 0.0078)],
)
def test_what_few_failures_allow_to_say(failures: int, drive_days: int, mean: float, limit: float) -> None:
    assert posterior_mean(failures, drive_days) == pytest.approx(mean, abs=6e-5)
    assert posterior_limit(failures, drive_days) == pytest.approx(limit, abs=6e-5)


def test_no_failure_so_far_is_not_a_rate_of_zero() -> None:
    assert posterior_mean(0, 365 * 10) == pytest.approx(0.1)
    assert posterior_limit(0, 365 * 10) == pytest.approx(0.2996, abs=1e-3)  # the rule of three


def test_a_model_and_its_age() -> None:
    assert rate_of().afr == 0.015
    assert rate_of(rotational=False).afr == 0.01
    assert rate_of("ST16000NM001G-2KK103").afr == pytest.approx(0.0068, abs=1e-4)
    assert "ST12000NM0007" in rate_of("ST12000NM0007").source
    assert rate_of(power_on_hours=50_000).afr == pytest.approx(0.0225)
    assert rate_of(power_on_hours=80_000).afr == pytest.approx(0.045)
    assert "9 years" in rate_of(power_on_hours=80_000).source


@pytest.mark.parametrize(("text", "rate"), [("1.5%", 0.015), ("0.015", 0.015), (" 3 % ", 0.03)])
def test_a_rate_as_typed(text: str, rate: float) -> None:
    assert parse_rate(text) == pytest.approx(rate)


@pytest.mark.parametrize("text", ["150%", "0", "0%", "1.5", "-1%", "often", ""])
def test_an_impossible_rate_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"1\.5%"):
        parse_rate(text)
