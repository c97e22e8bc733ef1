"""Which failures a layout survives."""

import random
from math import comb

import pytest

from raidtui.backends.arithmetic.copies import copy_groups
from raidtui.backends.arithmetic.survival import MOST_COUNTED, fatal_pairs, survival, surviving_sets


@pytest.mark.parametrize(
    ("level", "disks", "layout", "guaranteed", "second_fatal"),
    [
        ("raid0", 4, "", 0, 1.0),
        ("linear", 2, "", 0, 1.0),
        ("raid1", 2, "", 1, 1.0),
        ("raid1", 3, "", 2, 0.0),
        ("raid4", 3, "", 1, 1.0),
        ("raid5", 4, "left-symmetric", 1, 1.0),
        ("raid6", 4, "left-symmetric", 2, 0.0),
        ("raid10", 4, "n2", 1, 1 / 3),
        ("raid10", 6, "n2", 1, 1 / 5),
        ("raid10", 5, "n2", 1, 2 / 4),  # odd: every disk has two partners
        ("raid10", 4, "f2", 1, 2 / 3),
        ("raid10", 6, "o2", 1, 2 / 5),
        ("raid10", 2, "n2", 1, 1.0),
        ("raid10", 3, "n2", 1, 1.0),
        ("raid10", 6, "n3", 2, 0.0),
    ],
)
def test_guaranteed_and_lucky_failures(
    level: str, disks: int, layout: str, guaranteed: int, second_fatal: float
) -> None:
    found = survival(level, disks, layout)

    assert found.guaranteed == guaranteed
    assert found.second_failure_fatal_probability == pytest.approx(second_fatal)


def test_the_words_say_what_is_sure_and_what_is_luck() -> None:
    assert survival("raid10", 4, "n2").words == "any 1 disk, and 2 random disks in 67 % of cases"
    assert survival("raid6", 6, "").words == "any 2 disks"
    assert survival("raid0", 2, "").words == "no redundancy: the first failed disk loses all data"


def test_three_copies_are_lost_by_their_own_triple_only() -> None:
    assert survival("raid10", 6, "n3").next_failure_fatal_probability == pytest.approx(2 / 20)


def test_the_fatal_pairs_of_mirrors_are_the_mirrors() -> None:
    assert fatal_pairs("raid10", 6, "n2") == ((0, 1), (2, 3), (4, 5))
    assert fatal_pairs("raid10", 4, "f2") == ((0, 1), (0, 3), (1, 2), (2, 3))
    assert fatal_pairs("raid6", 6) == ()
    assert len(fatal_pairs("raid5", 4)) == 6


@pytest.mark.parametrize("layout", ["n2", "f2", "o2", "n3", "f3", "o3", "n4"])
@pytest.mark.parametrize("disks", [4, 5, 6, 7, 9, 12])
def test_the_groups_are_those_of_a_long_array_laid_out_chunk_by_chunk(layout: str, disks: int) -> None:
    copies = int(layout[1:])
    laid_out = set()
    for chunk in range(50 * disks):
        if layout[0] == "n":
            slots = {(chunk * copies + copy) % disks for copy in range(copies)}
        else:
            slots = {(chunk % disks + copy) % disks for copy in range(copies)}
        laid_out.add(frozenset(slots))

    assert copy_groups(layout, disks) == laid_out


def test_drawing_pairs_at_random_gives_the_stated_probability() -> None:
    stated = survival("raid10", 7, "n2").second_failure_fatal_probability
    draw = random.Random(7)
    groups = copy_groups("n2", 7)

    fatal = sum(set(draw.sample(range(7), 2)) in groups for _ in range(20_000))

    assert fatal / 20_000 == pytest.approx(stated, abs=0.02)


@pytest.mark.parametrize("layout", ["n2", "f2", "o2", "n3", "f3", "n4", "n6"])
@pytest.mark.parametrize("disks", [2, 3, 4, 5, 6, 8, 9, 12, 15])
def test_closed_forms_of_fatal_failures_are_what_counting_the_groups_gives(layout: str, disks: int) -> None:
    copies = int(layout[1:])
    if copies > disks:
        return
    groups = copy_groups(layout, disks)

    found = survival("raid10", disks, layout)

    assert found.next_failure_fatal_probability == len(groups) / comb(disks, copies)
    pairs = len(fatal_pairs("raid10", disks, layout))
    assert found.second_failure_fatal_probability == (pairs / comb(disks, 2) if copies == 2 else 0)


def test_of_a_thousand_disks_no_more_failures_are_counted_than_the_risk_looks_at() -> None:
    mirrors = surviving_sets("raid10", 1000, "n2")

    # Each of the failed disks is of another of the 500 mirrors, and is one of its two.
    assert mirrors == tuple(comb(500, failed) * 2**failed for failed in range(MOST_COUNTED + 1))
    assert surviving_sets("raid1", 1000) == tuple(comb(1000, failed) for failed in range(MOST_COUNTED + 1))
    assert survival("raid1", 1000, "").guaranteed == 999
    assert survival("raid10", 1000, "n2").second_failure_fatal_probability == 1 / 999
