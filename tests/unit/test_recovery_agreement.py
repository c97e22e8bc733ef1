"""Members agree with the shape that they have, and with no other: copies are equal, parity makes a row zero."""

import random
from functools import reduce
from operator import xor

import pytest

from raidtui.backends.md.placement import q_slot
from raidtui.backends.md.recovery.agreement import WEIGHT, Row, agreement

NAMES = ("A", "B", "C", "D")
CHUNK = 1 << 16
SHAPES = [("raid5", "left-symmetric"), ("raid6", "left-symmetric"), ("raid10", "n2"), ("raid0", "")]


def rows_of(level: str, layout: str) -> list[Row]:
    """Rows of an array of four members in this order; Q is any number, as nothing is asked of it."""
    chance, rows = random.Random(7), []
    for number in range(32):
        values = [chance.getrandbits(64) | 1 for _ in NAMES]
        if level == "raid5":
            values[number % 4] = reduce(xor, (one for slot, one in enumerate(values) if slot != number % 4))
        if level == "raid6":
            q = q_slot(layout, number, 4)
            p = (q - 1) % 4
            values[p] = reduce(xor, (one for slot, one in enumerate(values) if slot not in {p, q}))
        if level == "raid10":
            values[1::2] = values[::2]
        rows.append(Row(number * CHUNK, dict(zip(NAMES, values, strict=True)), reduce(xor, values)))
    return rows


@pytest.mark.parametrize("made", SHAPES, ids=lambda one: one[0])
@pytest.mark.parametrize("asked", SHAPES, ids=lambda one: one[0])
def test_members_agree_with_the_level_that_they_have(made: tuple[str, str], asked: tuple[str, str]) -> None:
    told = agreement(*asked, CHUNK, NAMES, rows_of(*made))
    if made == asked:
        assert told == (0 if made[0] == "raid0" else WEIGHT)  # nothing in a row of raid0 can be checked
    elif asked[0] == "raid0" and made[0] == "raid6":
        assert told == 0  # random data: no row of raid6 is one of raid5 or of copies
    else:
        assert told < 0


@pytest.mark.parametrize("order", ["BACD", "ADCB", "DCBA", "BCDA"])
def test_the_rows_of_raid6_tell_its_order(order: str) -> None:
    rows = rows_of("raid6", "left-symmetric")
    assert agreement("raid6", "left-symmetric", CHUNK, tuple(order), rows) < WEIGHT


@pytest.mark.parametrize("order", ["BADC", "CDAB"])
def test_copies_may_change_places_with_each_other(order: str) -> None:
    assert agreement("raid10", "n2", CHUNK, tuple(order), rows_of("raid10", "n2")) == WEIGHT


def test_copies_are_no_pair_with_a_stranger() -> None:
    assert agreement("raid10", "n2", CHUNK, ("A", "C", "B", "D"), rows_of("raid10", "n2")) == -WEIGHT


def test_what_cannot_be_told_speaks_neither_for_nor_against() -> None:
    rows = rows_of("raid5", "left-symmetric")
    assert agreement("raid5", "left-symmetric", CHUNK, ("A", "B", "C", ""), rows) == 0
    assert agreement("raid5", "left-symmetric", CHUNK, NAMES, rows[:3]) == 0
    assert agreement("raid10", "f2", CHUNK, NAMES, rows) == 0
