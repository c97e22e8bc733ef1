"""Where the members of an array differ: as the kernel names it, or between which looks the count rose."""

from pathlib import Path

import msgspec
import pytest

from raidtui.advice.mismatch_places import MOST, joined, places_of, spans, where_words, with_count
from raidtui.machine.kernel_log import read_checks
from raidtui.model.history import ScrubResult
from raidtui.model.units import MIB
from tests.unit.machine_trees import MadeTree

GB = 1000**3
RESULT = ScrubResult(subject="u", at="2026-11-20T04:00:00+00:00", level="raid5", found=16)


def test_of_equal_counts_the_first_and_the_last_place_stay() -> None:
    counts: tuple[tuple[int, int], ...] = ()
    for place, found in ((1, 0), (2, 0), (3, 0), (4, 8), (5, 8), (6, 8), (7, 8), (8, 24)):
        counts = with_count(counts, place * GB, found)
    assert [(place // GB, found) for place, found in counts] == [(1, 0), (3, 0), (4, 8), (7, 8), (8, 24)]
    for number in range(200):
        counts = with_count(counts, number * GB, number)
    assert len(counts) == MOST


def test_the_count_rose_between_two_looks_and_after_the_last() -> None:
    counts = ((3 * GB, 0), (4 * GB, 8), (7 * GB, 8))
    assert spans(counts, 9 * GB, 8) == ((3 * GB, 4 * GB + 16 * MIB),)
    assert spans(counts, 9 * GB, 16) == ((3 * GB, 4 * GB + 16 * MIB), (7 * GB, 9 * GB))
    assert spans((), 9 * GB, 16) == ((0, 9 * GB),)
    assert spans((), 0, 16) == ()


def test_places_near_each_other_are_one() -> None:
    assert joined([(9 * MIB, 10 * MIB), (0, MIB), (2 * MIB, 3 * MIB)]) == ((0, 3 * MIB), (9 * MIB, 10 * MIB))
    assert len(joined([(number * GB, number * GB + 1) for number in range(1000)])) == MOST


@pytest.mark.parametrize(
    ("logged", "sampled", "words"),
    [
        (
            [(2_000_000, 2_000_008), (4_000_000, 4_000_008)],
            [(0, 5 * GB)],
            "at 1.02 GB and at 2.05 GB of each member's data",
        ),
        (
            [],
            [(3 * GB, 4 * GB)],
            "between 3.00 GB and 4.00 GB of each member's data",
        ),
        (
            [(2_000_000, 2_000_008)],
            [(GB, 2 * GB), (3 * GB, 4 * GB)],
            "at 1.02 GB and between 3.00 GB and 4.00 GB of each member's data; the kernel does not name every place",
        ),
        ([], [], ""),
    ],
)
def test_what_the_kernel_names_goes_before_what_was_sampled(
    logged: list[tuple[int, int]], sampled: list[tuple[int, int]], words: str
) -> None:
    where, whole = places_of(logged, sampled, 16)
    assert where_words(msgspec.structs.replace(RESULT, where=where, where_all=whole)) == words


def test_of_many_places_three_are_named() -> None:
    where = tuple((number * GB, number * GB + 4096) for number in range(1, 9))
    words = where_words(msgspec.structs.replace(RESULT, where=where, where_all=True, level="raid10"))
    assert words == "at 1.00 GB, at 2.00 GB, at 3.00 GB and 5 more places of the array's data"


def test_the_log_names_the_places_of_the_last_check(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    lines = (
        "4,1,1,-;md127: mismatch sector in range 8-16",
        "6,2,2,-;md: data-check of RAID array md127",
        "4,3,3,-;md127: mismatch sector in range 118784-118792",
        "4,4,4,-;md/raid:md127: mismatch sector in range 118792-118800",
        "4,5,5,-;md126: mismatch sector in range x-16",
        "6,6,6,-;md: md127: data-check done.",
        "garbage",
    )
    made.write("/dev/kmsg", "\n".join(lines))
    (name,), (found,) = zip(*read_checks(made.tree).items(), strict=True)
    assert (name, found.differs, found.interrupted) == ("md127", ((118784, 118792), (118792, 118800)), False)
