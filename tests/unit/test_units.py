"""Sizes are read and shown without ever mixing powers of 1000 and of 1024."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.model.errors import BadInput
from raidtui.model.units import (
    MIB,
    about,
    both,
    decimal,
    duration,
    duration_range,
    fitting_count,
    parse_size,
    parse_time,
    rate,
    spell_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4TB", 4_000_000_000_000),
        ("512KiB", 524_288),
        ("512 kib", 524_288),
        ("7811891200s", 7_811_891_200 * 512),
        ("1.5TB", 1_500_000_000_000),
        ("0.5KiB", 512),
        ("0B", 0),
    ],
)
def test_a_size_is_read_to_the_byte(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("512", "has no unit"),
        ("4 XB", "unknown unit 'XB'"),
        ("-4TB", "is not a size"),
        ("", "is not a size"),
        ("1e3GB", "is not a size"),
        ("0.3B", "not a whole number of bytes"),
        ("4TB; rm", "is not a size"),
        ("\uff14TB", "is not a size"),  # a digit, but of another script
    ],
)
def test_what_is_not_a_size_is_refused_with_the_reason(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        parse_size(text)


@given(st.integers(min_value=0, max_value=2**63))
def test_a_spelled_size_reads_back_exactly(size: int) -> None:
    assert parse_size(spell_size(size)) == size


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (999_998_947_328, "1.00 TB (931 GiB)"),
        (999_499_999, "999 MB (953 MiB)"),
        (99_950_000_000, "100 GB (93.1 GiB)"),
        (2**40 - 1, "1.10 TB (1.00 TiB)"),
        (1023 * MIB, "1.07 GB (1,023 MiB)"),
    ],
)
def test_a_size_that_rounds_to_the_next_unit_is_shown_in_it(size: int, shown: str) -> None:
    assert both(size) == shown


def test_a_capacity_shows_both_units() -> None:
    assert both(4_000_787_030_016) == "4.00 TB (3.64 TiB)"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (3599.7, "1 h"),
        (7300, "2 h 2 min"),
        (200_000, "2 d 8 h"),
    ],
)
def test_a_duration_has_at_most_two_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3, "about 10 s"), (47, "about 50 s"), (356, "about 6 min"), (7790, "about 2 h 10 min")],
)
def test_an_estimate_is_rounded(seconds: float, text: str) -> None:
    assert about(seconds) == text


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [
        (2, 5, "2 to 5 s"),
        (107, 125, "2 min"),
        (31, 125, "31 to 125 s"),
        (10, 1800, "1 to 30 min"),
        (45 * 60, 3 * 3600 + 600, "45 to 190 min"),
        (13.6 * 3600, 29.2 * 3600, "14 to 29 h"),
        (23.9 * 3600, 73 * 3600, "24 to 73 h"),
        (23.9 * 3600, 20 * 86400, "1 to 20 d"),
        (60, 5 * 3600, "1 to 5 h"),
        (0, 0.2, "0 s"),
        (0.6, 1.4, "1 s"),
    ],
)
def test_a_range_of_durations_has_one_unit_and_is_one_duration_if_both_ends_read_alike(
    least: float, most: float, text: str
) -> None:
    assert duration_range(least, most) == text


@given(st.floats(min_value=0, max_value=1e9), st.floats(min_value=0, max_value=1e9))
def test_every_range_of_durations_has_one_unit_and_its_ends_in_order(one: float, other: float) -> None:
    found = re.fullmatch(r"(?:(\d+) to )?(\d+) (?:s|min|h|d)", duration_range(*sorted((one, other))))
    assert found is not None
    assert found[1] is None or int(found[1]) < int(found[2])


@given(st.floats(min_value=0, max_value=1e21))
def test_a_shown_size_is_within_half_a_percent(size: float) -> None:
    number, unit = decimal(size).split()
    factor = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}[unit]
    assert float(number.replace(",", "")) * factor == pytest.approx(size, rel=0.0051, abs=0.5)


@pytest.mark.parametrize(
    ("count", "texts"),
    [
        (999, ["999", "999"]),
        (3581, ["3,581", "3.6k"]),
        (26_277, ["26.3k", "26k"]),
        (999_600, ["1.00M", "1.0M"]),
        (12_345_678, ["12.3M", "12M"]),
    ],
)
def test_a_count_is_as_exact_as_fits(count: float, texts: list[str]) -> None:
    assert [fitting_count(count, room) for room in (5, 4)] == texts
    assert fitting_count(count, 1) == f"{count:,}", "too long, but not wrong"


def test_a_rate_is_in_millions_of_bytes() -> None:
    assert rate(521_140_000) == "521.1 MB/s"


@pytest.mark.parametrize("parse", [parse_size, parse_time])
def test_a_document_in_the_place_of_a_value_is_not_repeated_whole(parse: Callable[[str], object]) -> None:
    with pytest.raises(BadInput) as refused:
        parse('"a": "b",\n' * 300)
    assert len(str(refused.value)) < 250
