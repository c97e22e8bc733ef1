"""How long a sync takes, against data sheets and measurements."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.time import finish_range, reshape_range, sync_range, zoned_seconds
from raidtui.model.machine import Sync

HOUR = 3600


@pytest.mark.parametrize(
    ("size", "outer", "inner", "limit", "hours"),
    [
        (4e12, 180e6, 85e6, 204.8e6, 8.8),
        (8e12, 210e6, 100e6, math.inf, 15.0),
        (8e12, 210e6, 100e6, 204.8e6, 15.0),
        (12e12, 250e6, 115e6, 204.8e6, 19.7),
        (16e12, 260e6, 125e6, 204.8e6, 25.1),
        (20e12, 285e6, 135e6, math.inf, 27.7),
        (20e12, 285e6, 135e6, 204.8e6, 29.9),
        (24e12, 285e6, 135e6, 204.8e6, 35.9),
    ],
)
def test_a_pass_over_a_disk_that_slows_towards_the_inside(
    size: float, outer: float, inner: float, limit: float, hours: float
) -> None:
    assert zoned_seconds(size, outer, inner, limit) / HOUR == pytest.approx(hours, abs=0.06)


def test_a_limit_below_every_track_is_the_speed() -> None:
    assert zoned_seconds(1e12, 200e6, 100e6, 50e6) == pytest.approx(1e12 / 50e6)


@pytest.mark.parametrize(
    ("component", "measured_rate"),
    [
        (8001563222016, 153e6),  # recovery of RAID5 on 4 disks of 8 TB
        (8001563222016, 160e6),
        (4000787030016, 158e6),  # resync of RAID6 on 6 disks of 4 TB
        (3 * 2**40, 75 * 2**20),  # rebuild of RAID6 on 8 disks of 3 TiB: 11.7 h
    ],
)
def test_measured_syncs_lie_in_the_range(component: int, measured_rate: float) -> None:
    low, high = sync_range(component, rotational=True, bytes_per_second=None, limit=None)

    assert low <= component / measured_rate <= high


def test_a_rebuild_that_computes_parity_may_be_slower_than_its_disks() -> None:
    """Disks that read at 150 MB/s, rebuilt at 75 MiB/s at most."""
    took, size = 3 * 2**40 / (75 * 2**20), 3 * 2**40
    low, high = sync_range(size, rotational=True, bytes_per_second=150e6, limit=None, disks=8, parity=True)
    assert low < took < high
    copied = sync_range(size, rotational=True, bytes_per_second=150e6, limit=None, disks=2)
    assert copied[0] == low
    assert copied[1] < took


@given(
    size=st.integers(2**30, 40 * 10**12),
    rate=st.none() | st.floats(20e6, 7e9),
    limit=st.none() | st.integers(10**6, 10**10),
    rotational=st.booleans(),
    parity=st.booleans(),
)
def test_a_range_is_one_and_grows_with_the_size(
    size: int, rate: float | None, limit: int | None, rotational: bool, parity: bool
) -> None:
    def found(size: int) -> tuple[float, float]:
        return sync_range(size, rotational=rotational, bytes_per_second=rate, limit=limit, parity=parity)

    low, high = found(size)
    assert 0 < low <= high < 10 * low * (1 if rotational else 10)
    bound = limit or 200_000 * 1024
    assert low >= size / bound * 0.999, "md never goes beyond its limit"
    if rate is not None:
        assert found(2 * size)[0] == pytest.approx(2 * low)


def test_flash_meets_the_kernels_limit() -> None:
    low, high = sync_range(10**12, rotational=False, bytes_per_second=3e9, limit=None)

    assert low == pytest.approx(1e12 / 204.8e6)
    assert high < 1.2 * low
    assert sync_range(10**12, rotational=False, bytes_per_second=3e9, limit=10**10)[0] < low


def test_a_measured_disk_narrows_the_range() -> None:
    low, high = sync_range(8 * 10**12, rotational=True, bytes_per_second=210e6, limit=10**9)

    assert low < 15.0 * HOUR < high < 1.25 * low


def sync(done: int, total: int, speed: int) -> Sync:
    return Sync(action="recover", done_bytes=done, total_bytes=total, bytes_per_second=speed)


@pytest.mark.parametrize(
    ("done", "total", "speed", "minutes"),
    [
        (2963739448, 7813894144, 159773, 505.9),  # lines of /proc/mdstat
        (27384308, 2929609216, 27468, 1760.9),
        (359153708, 7813894144, 153346, 810.2),
    ],
)
def test_the_least_is_a_little_less_than_the_kernels_own_estimate(
    done: int, total: int, speed: int, minutes: float
) -> None:
    low, high = finish_range(sync(done * 1024, total * 1024, speed * 1024), rotational=True)

    assert 0.85 * minutes < low / 60 < 0.9 * minutes
    assert high / 60 > 1.15 * minutes


def test_at_the_start_of_a_rotating_disk_the_kernels_estimate_is_a_third_too_short() -> None:
    low, high = finish_range(sync(0, 8 * 10**12, 210 * 10**6), rotational=True)

    kernels = 8e12 / 210e6
    assert low < kernels < 1.42 * kernels < high


def noisy_rates(draw: random.Random, *, rotational: bool, steps: int = 400) -> list[float]:
    """Rates over equal parts of a disk: zones of recording, an inner share of its own, noise that lasts a while."""
    inner = draw.uniform(0.42, 0.58) if rotational else 1.0
    zones, level = draw.randrange(12, 25), draw.gauss(0, 0.06)
    rates = []
    for step in range(steps):
        zone = int(step / steps * zones) / (zones - 1)
        level = 0.9 * level + draw.gauss(0, 0.06 * math.sqrt(1 - 0.9**2))
        rates.append(200e6 * (1 - (1 - inner) * zone) * math.exp(level))
    return rates


@pytest.mark.parametrize("rotational", [True, False])
def test_a_sync_ends_within_its_range_nine_times_in_ten(rotational: bool) -> None:
    draw, part = random.Random(7), 10**10
    held = tried = 0
    for _ in range(60):
        rates = noisy_rates(draw, rotational=rotational)
        for at in range(4, len(rates) - 4, 16):
            left = sum(part / rate for rate in rates[at:])
            seen = int(rates[at - 1])  # the kernel's mean of the half minute before
            low, high = finish_range(sync(at * part, len(rates) * part, seen), rotational=rotational)
            held += low <= left <= high
            tried += 1

    assert held / tried >= 0.9


def test_the_range_of_a_sync_says_something() -> None:
    low, high = finish_range(sync(5 * 10**12, 8 * 10**12, 160 * 10**6), rotational=True)

    assert high < 1.8 * low


def test_the_range_narrows_towards_the_end() -> None:
    start_low, start_high = finish_range(sync(0, 100, 1), rotational=True)
    late_low, late_high = finish_range(sync(90, 100, 1), rotational=True)

    assert late_high / late_low < start_high / start_low


def test_a_sync_that_stands_still_has_no_end_and_a_finished_one_no_time() -> None:
    assert finish_range(sync(5, 10, 0), rotational=False) == (math.inf, math.inf)
    assert finish_range(sync(10, 10, 5), rotational=True) == (0.0, 0.0)


def test_disks_that_share_a_cable_share_its_speed() -> None:
    low, _ = sync_range(10**12, rotational=False, bytes_per_second=5e8, limit=10**10, disks=4, bus=430e6)

    assert low == pytest.approx(1e12 / (430e6 / 4))


def test_shingled_disks_may_take_days() -> None:
    low, high = sync_range(4 * 10**12, rotational=True, bytes_per_second=None, limit=None, shingled=True)

    assert low < 16 * HOUR
    assert high > 5 * 24 * HOUR


@pytest.mark.parametrize(
    ("component", "hours"),
    [(3 * 10**12, 3e12 / 27e6 / HOUR), (4 * 10**12, 20.0)],  # 27 MB/s on a small board; RAID6 of 11 disks
)
def test_measured_reshapes_lie_in_the_range(component: int, hours: float) -> None:
    low, high = reshape_range(component, rotational=True, bytes_per_second=None, limit=None)

    assert low * 0.9 <= hours * HOUR <= high
