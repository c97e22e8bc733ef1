"""How long a sync still takes: nothing while the kernel's rate is that of a few requests."""

import math
import random
from itertools import product

import msgspec
import pytest

from raidtui.advice.time import INNER_SHARE
from raidtui.advice.time_left import Courses, left_range, time_left
from raidtui.model.machine import Sync
from raidtui.model.spec import Backend
from raidtui.model.unit import Activity, Health, Unit

SIZE = 64 * 10**9


def sync(done: int, rate: int, *, total: int = SIZE, waiting: str = "") -> Sync:
    return Sync(action="recover", done_bytes=done, total_bytes=total, bytes_per_second=rate, waiting=waiting)


def test_the_first_second_of_a_rebuild_gives_no_estimate() -> None:
    """128 KiB in the first second of a disk of 64 GB would be 5 d 18 h."""
    assert time_left(sync(128 * 1024, 128 * 1024), rotational=True) == "estimating time left"
    assert time_left(sync(0, 0), rotational=True) == "estimating time left"
    assert left_range(sync(128 * 1024, 128 * 1024), rotational=True) is None


def test_after_a_few_samples_of_the_kernel_the_range_is_given() -> None:
    assert time_left(sync(6 * 10**8, 10**8), rotational=True).endswith(" left")
    found = left_range(sync(6 * 10**8, 10**8), rotational=False)
    assert found is not None
    assert 500 < found[0] < 640 < found[1] < 800


def test_a_short_sync_that_is_nearly_done_is_estimated_before_five_seconds_are_over() -> None:
    assert time_left(sync(3 * 10**8, 10**8, total=4 * 10**8), rotational=False) == "1 s left"


@pytest.mark.parametrize("waiting", ["delayed", "pending", "remote"])
def test_a_sync_that_waits_has_no_end_yet(waiting: str) -> None:
    assert left_range(sync(0, 0, waiting=waiting), rotational=True) is None


def test_a_sync_that_does_not_move_any_more_is_stalled() -> None:
    assert time_left(sync(10**9, 0), rotational=True) == "stalled"


def test_nothing_is_said_of_the_end_where_the_rate_is_not_known() -> None:
    replaced = Activity(what="replace", fraction=0.5, done_bytes=10**9, total_bytes=2 * 10**9)
    assert time_left(replaced, rotational=True) == ""
    assert left_range(replaced, rotational=True) is None


def rebuilding(done: int, rate: int, *, total: int = SIZE, what: str = "rebuild") -> Unit:
    doing = Activity(what=what, done_bytes=done, total_bytes=total, bytes_per_second=rate)
    return Unit(
        backend=Backend.MDADM,
        name="tank",
        uuid="1",
        marks=(),
        level="raid5",
        size_bytes=total,
        path="/dev/md/tank",
        node="/dev/md127",
        health=Health.SYNCING,
        state="rebuilding",
        activity=doing,
    )


def loaded(draw: random.Random, *, rotational: bool, period: float, deep: float) -> list[float]:
    """Rates over half minutes of a rebuild of 8 hours; other I/O comes and goes, and leaves it a ``deep`` part."""
    rates, done, moment = list[float](), 0.0, 0.0
    busy, until = draw.random() < 0.5, draw.expovariate(1 / period)
    while done < 1:
        while moment >= until:
            busy, until = not busy, until + draw.expovariate(1 / period)
        zone = 1 - (1 - INNER_SHARE) * done if rotational else 1.0
        rates.append(2e8 * zone * (deep if busy else 1.0) * math.exp(draw.gauss(0, 0.03)))
        done += rates[-1] * 30 / (2e8 * 8 * 3600)
        moment += 30
    return rates


LOADS = [(120.0, 0.2), (600.0, 0.5), (600.0, 0.2), (1800.0, 0.5), (1800.0, 0.2)]  # seconds, and what is left


@pytest.mark.slow
@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("load", "rotational", "trials"),
    [(LOADS[1], True, 3), (LOADS[4], False, 3), *product(LOADS, (True, False), (40,))],
)
def test_a_rebuild_under_load_that_comes_and_goes_ends_within_its_range(
    load: tuple[float, float], rotational: bool, trials: int
) -> None:
    """Held in a fifth or less of these without what was seen."""
    draw = random.Random(20261125)
    held = tried = alone = 0
    period, deep = load
    for _ in range(trials):
        rates = loaded(draw, rotational=rotational, period=period, deep=deep)
        total = round(sum(rates) * 30)
        courses, done = Courses(), 0.0
        for number, rate in enumerate(rates[:-4], 1):
            done += rate * 30
            (unit,) = courses.look((rebuilding(round(done), round(rate), total=total),), number * 30.0)
            if number < 4 or number % 16:
                continue
            assert unit.activity is not None
            truth = (len(rates) - number) * 30
            for doing in (unit.activity, msgspec.structs.replace(unit.activity, seen=None)):
                found = left_range(doing, rotational=rotational)
                assert found is not None
                inside = found[0] <= truth <= found[1]
                if doing.seen is None:
                    alone += inside
                else:
                    held += inside
                    tried += 1
    assert held / tried >= 0.85
    assert alone / tried < 0.5


def test_a_rebuild_left_alone_keeps_its_narrow_range() -> None:
    courses, rate = Courses(), 10**8
    for second in range(1, 400):
        (unit,) = courses.look((rebuilding(second * rate, rate),), float(second))
    assert unit.activity is not None
    assert unit.activity.seen == pytest.approx((rate, rate), rel=0.01)
    plain = left_range(msgspec.structs.replace(unit.activity, seen=None), rotational=False)
    assert left_range(unit.activity, rotational=False) == pytest.approx(plain, rel=0.01)


def test_what_was_seen_is_of_one_activity() -> None:
    courses = Courses()
    for second in range(1, 60):
        courses.look((rebuilding(second * 10**6, 10**6),), float(second))
    (again,) = courses.look((rebuilding(10**6, 10**8),), 60.0)
    (other,) = courses.look((rebuilding(10**9, 10**8, what="check"),), 61.0)
    (gone,) = courses.look((msgspec.structs.replace(again, activity=None),), 62.0)
    assert again.activity is not None
    assert other.activity is not None
    assert again.activity.seen is other.activity.seen is None
    assert gone.activity is None


@pytest.mark.parametrize("paused", [{"paused": True}, {"waiting": "delayed"}])
def test_a_pause_is_no_slow_rate(paused: dict[str, object]) -> None:
    courses = Courses()
    for second in range(1, 1000):
        unit = rebuilding(min(second, 300) * 10**8 + max(0, second - 900) * 10**8, 10**8)
        if 300 < second <= 900:
            assert unit.activity is not None
            unit = msgspec.structs.replace(unit, activity=msgspec.structs.replace(unit.activity, **paused))
        (unit,) = courses.look((unit,), float(second))
    assert unit.activity is not None
    assert unit.activity.seen == pytest.approx((10**8, 10**8), rel=0.01)
