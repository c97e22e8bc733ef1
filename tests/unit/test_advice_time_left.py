"""How long a sync still takes: nothing while the kernel's rate is that of a few requests."""

import pytest

from raidtui.advice.time_left import left_range, time_left
from raidtui.model.machine import Sync
from raidtui.model.unit import Activity

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
