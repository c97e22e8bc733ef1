"""Curves over time: whatever is drawn, it is never more than there is, and never nothing for something."""

from hypothesis import given
from hypothesis import strategies as st

from raidtui.ui.bench.curves import curve


def test_a_cliff_is_seen() -> None:
    assert curve([4.0, 4.0, 4.0, 1.0, 1.0], width=10, height=2) == ["███", "███▒▒"]


def test_more_values_than_cells_are_averaged() -> None:
    assert curve([4.0] * 50 + [2.0] * 50, width=10, height=2) == ["█████", "██████████"]


def test_nothing_has_no_curve() -> None:
    assert curve([], width=10, height=2) == curve([0.0, 0.0], width=10, height=2) == []


@given(st.lists(st.floats(min_value=0, max_value=1e12), min_size=1), st.integers(1, 80), st.integers(1, 8))
def test_it_keeps_its_room(values: list[float], width: int, height: int) -> None:
    lines = curve(values, width=width, height=height)
    assert len(lines) in {0, height}
    assert all(len(line) <= width for line in lines)
