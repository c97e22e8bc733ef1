"""Bars of text: a percentage stands inside its bar."""

import pytest

from raidtui.ui.widgets.bars import percent_bar


@pytest.mark.parametrize(
    ("share", "drawn"),
    [
        (0.0, "░░░░░ 0 % ░░░░░"),
        (0.5, "████ 50 % ░░░░░"),
        (0.999, "████ 99 % ████░"),
        (1.0, "████ 100 % ████"),
    ],
)
def test_the_percentage_stands_in_the_bar_and_is_100_only_at_the_end(share: float, drawn: str) -> None:
    assert percent_bar(share, 15) == drawn


def test_a_bar_too_short_for_a_percentage_is_a_plain_bar() -> None:
    assert percent_bar(0.5, 4) == "██░░"
