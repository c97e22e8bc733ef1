"""What a burn-in calls slow: what is, and nothing in sets of good disks, however much the readings scatter."""

import random
from collections.abc import Callable, Sequence

import pytest

from raidtui.advice.burnin import TRIES, Reading, doubtful, grown, slow_parts, verdict
from raidtui.model.history import BurnIn, SelfTest, SlowPart
from raidtui.model.smart import Smart

ZONES = 256
ZONE_BYTES = 40 * 10**9
SIZE = ZONES * ZONE_BYTES
Speed = Callable[[int], float]


def outer_is_faster(zone: int) -> float:
    """A disk of rotating platters: 260 MB/s at its begin, half of that at its end."""
    return 260e6 * (1 - zone / ZONES / 2)


def burn_in(
    disks: Sequence[Speed], scatter: float, stray: float, seed: int, like: str = "ST20"
) -> list[Reading]:
    """Read the disks as a burn-in does; ``stray`` is the share of readings that something else disturbs."""
    chance = random.Random(seed)

    def read(speed: Speed, zone: int) -> int:
        disturbed = chance.uniform(0.1, 0.6) if chance.random() < stray else 1.0
        return int(speed(zone) * chance.lognormvariate(0, scatter) * disturbed)

    readings = [Reading(like=like, rates=tuple(read(speed, z) for z in range(ZONES))) for speed in disks]
    tries: list[dict[int, int]] = [{} for _ in disks]
    while True:
        wanted = [
            [zone for zone in zones if tries[place].get(zone, 0) < TRIES]
            for place, zones in enumerate(doubtful(readings))
        ]
        if not any(wanted):
            return readings
        for place, zones in enumerate(wanted):
            rates = list(readings[place].rates)
            for zone in zones:
                tries[place][zone] = tries[place].get(zone, 0) + 1
                rates[zone] = max(rates[zone], read(disks[place], zone))
            again = tuple(sorted(tries[place]))
            readings[place] = Reading(like=like, rates=tuple(rates), again=again)


def parts(readings: list[Reading]) -> list[tuple[SlowPart, ...]]:
    return [slow_parts(readings, ZONE_BYTES, SIZE, place) for place in range(len(readings))]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("scatter", "stray"), [(0.005, 0.0), (0.05, 0.02), (0.2, 0.05), (0.4, 0.1)])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_no_good_set_is_called_slow(seed: int, scatter: float, stray: float, count: int) -> None:
    assert parts(burn_in([outer_is_faster] * count, scatter, stray, seed)) == [()] * count


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_a_disk_that_is_slow_everywhere(count: int, seed: int) -> None:
    slow = [lambda zone: 0.5 * outer_is_faster(zone), *[outer_is_faster] * (count - 1)]
    first, *others = parts(burn_in(slow, 0.05, 0.02, seed))
    assert [(part.begin_bytes, part.end_bytes) for part in first] == [(0, SIZE)]
    assert first[0].share == pytest.approx(0.5, abs=0.05)
    assert others == [()] * (count - 1)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(("begin", "end"), [(100, 101), (200, 208), (252, 256)])
def test_a_slow_zone_is_found_where_it_is(count: int, begin: int, end: int) -> None:
    def worn(zone: int) -> float:
        return (0.4 if begin <= zone < end else 1.0) * outer_is_faster(zone)

    first, *others = parts(burn_in([worn, *[outer_is_faster] * (count - 1)], 0.05, 0.02, seed=1))
    assert [(part.begin_bytes, part.end_bytes) for part in first] == [(begin * ZONE_BYTES, end * ZONE_BYTES)]
    assert first[0].share == pytest.approx(0.4, abs=0.05)
    assert others == [()] * (count - 1)


def test_a_long_slow_part_of_a_disk_with_sisters() -> None:
    def worn(zone: int) -> float:
        return (0.5 if 80 <= zone < 180 else 1.0) * outer_is_faster(zone)

    first, *_ = parts(burn_in([worn, outer_is_faster, outer_is_faster], 0.05, 0.02, seed=2))
    assert [(part.begin_bytes, part.end_bytes) for part in first] == [(80 * ZONE_BYTES, 180 * ZONE_BYTES)]


def test_a_little_slower_is_not_slow() -> None:
    slow = [lambda zone: 0.8 * outer_is_faster(zone), outer_is_faster, outer_is_faster]
    assert parts(burn_in(slow, 0.01, 0.0, seed=3)) == [(), (), ()]


def test_what_was_slow_only_once_is_not_slow() -> None:
    """Something else kept the computer busy while the first disk was read."""
    slow = Reading(like="ST20", rates=tuple(int(0.4 * outer_is_faster(zone)) for zone in range(ZONES)))
    good = Reading(like="ST20", rates=tuple(int(outer_is_faster(zone)) for zone in range(ZONES)))
    (first, *_) = doubtful([slow, good, good])
    assert len(first) == 16
    rates = [good.rates[zone] if zone in first else rate for zone, rate in enumerate(slow.rates)]
    again = Reading(like="ST20", rates=tuple(rates), again=first)
    assert parts([again, good, good]) == [(), (), ()]
    assert parts([slow, good, good])[0] == (), "nor what was not read again"


def test_disks_of_another_model_are_no_sisters() -> None:
    fast = Reading(like="NVMe", rates=(3_000_000_000,) * ZONES)
    slow = Reading(like="ST20", rates=tuple(int(outer_is_faster(zone)) for zone in range(ZONES)))
    assert doubtful([fast, slow]) == ((), ())


@pytest.mark.parametrize("rates", [(), (0,) * ZONES, (5,), (100, 1, 100)])
def test_too_little_to_compare(rates: tuple[int, ...]) -> None:
    readings = [Reading(like="", rates=rates), Reading(like="", rates=rates)]
    assert doubtful(readings) == ((), ())
    assert parts(readings) == [(), ()]


def a_burn_in(**changes: object) -> BurnIn:
    made = {"subject": "A", "at": "", "begun": "", "size_bytes": SIZE, "zone_bytes": ZONE_BYTES, "sisters": 3}
    return BurnIn(**(made | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "as fast as the others"),
        ({"sisters": 0}, "no errors, and no part slower than the rest"),
        ({"bad": ((80, 80),)}, "cannot be read: 1 sector, 80"),
        ({"bad": ((80, 87), (96, 96))}, "cannot be read: 9 sectors, 80-87 and 96"),
        (
            {"bad": tuple((n, n) for n in range(0, 12, 2))},
            "cannot be read: 6 sectors, 0, 2, 4, 6 and 2 more places",
        ),
        ({"unsteady": ((8, 15),)}, "read only when tried again: 8 sectors, 8-15"),
        (
            {"slow": (SlowPart(begin_bytes=0, end_bytes=SIZE, share=0.5),)},
            "slow: 50 % of the others' speed everywhere",
        ),
        (
            {"slow": (SlowPart(begin_bytes=0, end_bytes=ZONE_BYTES, share=0.25),), "sisters": 0},
            "slow: 25 % of its neighbors' speed from 0 B to 40.0 GB",
        ),
        ({"grown": ("pending sectors 0 → 8",)}, "counted meanwhile: pending sectors 0 → 8"),
        ({"unwritable": ((8, 15),)}, "cannot be written: 8 sectors, 8-15"),
        (
            {"differing": ((8, 8), (4096, 4096))},
            "gives back other data than was written: 2 MiB, first sector 8",
        ),
        ({"gave_up": "no answer for 15 min"}, "gave up: no answer for 15 min"),
        (
            {"self_tests": (SelfTest(kind="long", passed=False, words="Completed: read failure"),)},
            "long self-test failed: Completed: read failure",
        ),
        (
            {
                "self_tests": (
                    SelfTest(kind="short", passed=True),
                    SelfTest(kind="long", words="Aborted by host"),
                )
            },
            "as fast as the others; long self-test not done: Aborted by host",
        ),
    ],
)
def test_the_verdict_in_words(changes: dict[str, object], words: str) -> None:
    one = a_burn_in(**changes)
    assert verdict(one) == words
    assert one.is_well == words.startswith(
        ("as fast as the others", "no errors, and no part slower than the rest")
    )


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (None, Smart(pending_sectors=8), ()),
        (Smart(pending_sectors=8), None, ()),
        (Smart(), Smart(pending_sectors=8), ()),
        (Smart(pending_sectors=8), Smart(), ()),
        (
            Smart(pending_sectors=8, reallocated_sectors=4),
            Smart(pending_sectors=0, reallocated_sectors=4),
            (),
        ),
        (
            Smart(pending_sectors=0, reallocated_sectors=0, media_errors=1),
            Smart(pending_sectors=8, reallocated_sectors=1_200, media_errors=2),
            ("reallocated sectors 0 → 1,200", "pending sectors 0 → 8", "media errors 1 → 2"),
        ),
    ],
)
def test_counts_of_errors_that_grow_during_the_burn_in(
    before: Smart | None, after: Smart | None, found: tuple[str, ...]
) -> None:
    """What was not reported before or after is not known to have grown."""
    assert grown(before, after) == found
