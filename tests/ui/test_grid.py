"""The grid in text: figures as large as they fit, a scale that the bars keep to, and the speed beside the median."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.ui.bench.bench_grid import CellView, grid_lines
from raidtui.ui.bench.digits import Size, large

NAMES = ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"]
DIRECTIONS = ["read", "write"]
FIRST = ("SEQ1M Q8T1", "read")


def lines(cell: CellView, *, width: int = 78, height: int = 17) -> list[str]:
    found = grid_lines(NAMES, DIRECTIONS, {FIRST: cell}, cursor=FIRST, width=width, height=height)
    assert len(found) <= height
    assert all(line.cell_length <= width for line in found)
    return [line.plain.rstrip() for line in found]


@pytest.mark.parametrize(("width", "height", "size"), [(78, 17, Size.SMALL), (118, 33, Size.BIG)])
def test_every_figure_is_as_large_as_it_fits_with_glyphs_of_every_console(
    width: int, height: int, size: Size
) -> None:
    shown = "\n".join(lines(CellView(bytes_per_second=512.3e6), width=width, height=height))
    for line in large("512.3", size):
        assert line.rstrip() in shown
    assert not set(shown) & set("▀▄")


@pytest.mark.parametrize(("rate", "mark"), [(1e6, "1"), (10e6, "10"), (100e6, "100"), (1e9, "1k")])
def test_a_bar_ends_below_the_mark_of_its_rate(rate: float, mark: str) -> None:
    header, *rest = lines(CellView(bytes_per_second=rate))
    bar = next(line for line in rest if "■" in line)
    end = bar.index("■") + bar.count("■")
    assert header[:end].endswith(f" {mark}")


def test_while_it_is_measured_again_the_median_stays_and_the_speed_stands_beside_it() -> None:
    again = CellView(bytes_per_second=512.3e6, iops=489, live=True, runs="run 2 of 6", now=7e6, iops_now=6.7)
    shown = "\n".join(lines(again))
    for line in large("512.3", Size.SMALL):
        assert line.rstrip() in shown
    assert "now 7.000" in shown
    assert "489 IOPS" in shown


def test_a_median_is_never_replaced_by_nothing() -> None:
    warming_up = CellView(bytes_per_second=512.3e6, live=True, runs="warm-up", now=0.0)
    shown = "\n".join(lines(warming_up))
    assert "now" not in shown
    assert all(line.rstrip() in shown for line in large("512.3", Size.SMALL))
    first = CellView(bytes_per_second=0.0, is_measured=False, live=True, runs="warm-up")
    assert "0.000" not in "\n".join(lines(first))
    assert not set("\n".join(lines(first))) & set("█╔╚")


@given(
    st.floats(0, 2e10),
    st.floats(0, 1e7),
    st.booleans(),
    st.integers(78, 220),
    st.integers(6, 60),
)
def test_whatever_is_measured_the_grid_fits(
    rate: float, iops: float, is_measured: bool, width: int, height: int
) -> None:
    cell = CellView(
        bytes_per_second=rate,
        iops=iops,
        is_measured=is_measured,
        live=True,
        runs="run 1 of 6",
        now=rate,
        flags="RV",
    )
    lines(cell, width=width, height=height)


@given(st.floats(1, 5e7), st.integers(78, 220), st.integers(10, 60))
def test_no_text_beside_a_figure_touches_the_edge_of_the_next_cell(
    iops: float, width: int, height: int
) -> None:
    cell = CellView(bytes_per_second=512.3e6, iops=iops, latency_mean_seconds=0.0123, runs="run 1 of 6")
    cells = {(name, direction): cell for name in NAMES for direction in DIRECTIONS}
    found = grid_lines(NAMES, DIRECTIONS, cells, cursor=FIRST, width=width, height=height)
    assert not [line.plain for line in found if re.search(r"\w[│║]", line.plain)]


@pytest.mark.parametrize(
    ("iops", "narrow", "wide"),
    [
        (999, "999 IOPS", "999 IOPS"),
        (3581, "3,581 IOPS", "3.6k IOPS"),
        (26277, "26.3k IOPS", "26k IOPS"),
        (480_000, "480k IOPS", "480k IOPS"),
        (999_600, "1.00M IOPS", "1.0M IOPS"),
    ],
)
def test_operations_a_second_are_as_exact_as_fits_beside_figures_of_each_size(
    iops: float, narrow: str, wide: str
) -> None:
    cell = CellView(bytes_per_second=512.3e6, iops=iops)
    assert f" {narrow}" in "\n".join(lines(cell))
    assert f" {wide}" in "\n".join(lines(cell, width=118, height=33))


def test_bars_beside_a_note_are_as_long_as_those_without() -> None:
    cells = {
        FIRST: CellView(bytes_per_second=100e6, flags="V"),
        (NAMES[1], "read"): CellView(bytes_per_second=100e6),
        (NAMES[2], "write"): CellView(bytes_per_second=100e6, runs="2 of 6"),
    }
    found = grid_lines(NAMES, DIRECTIONS, cells, cursor=FIRST, width=78, height=7)
    bars = [(line.plain.count("■"), line.plain.count("─")) for line in found if "■" in line.plain]
    assert len(bars) == len(cells)
    assert len(set(bars)) == 1
