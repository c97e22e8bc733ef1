"""Waiting for a sync ends well, or says what failed. Needs no array: readings are made up."""

import pytest

from raidtui.backends.md.units import unit_of
from raidtui.jobs.waiting import wait_until_in_sync
from raidtui.model.errors import StepFailed
from raidtui.model.machine import Array, Member, Sync
from raidtui.model.unit import Health, Unit

UUID = "01234567-89ab-cdef-0123-456789abcdef"
SYNC = Sync(action="recover", done_bytes=1, total_bytes=2, bytes_per_second=1)


def reading(
    *, degraded: int | None = 0, sync: Sync | None = None, state: str = "clean", failed: bool = False
) -> Array:
    members = (Member(path="/dev/sda", slot=0, state=("faulty",) if failed else ("in_sync",)),)
    return Array(
        name="tank",
        node="/dev/md127",
        uuid=UUID,
        state=state,
        raid_disks=3,
        degraded=degraded,
        sync=sync,
        sync_action=sync.action if sync else "idle",
        members=members,
    )


def wait(*readings: Array | None) -> tuple[Unit, int]:
    """What the waiting makes of these readings, and how many of them it told."""
    left = list(readings)
    told: list[Unit] = []
    end = wait_until_in_sync(
        UUID,
        told.append,
        read=lambda: tuple(unit_of(array) for array in [left.pop(0)] if array is not None),
        sleep=lambda seconds: None,
    )
    assert not left, "it should have gone on reading"
    return end, len(told)


def test_it_ends_when_nothing_syncs_and_nothing_is_missing() -> None:
    assert wait(reading(degraded=1, sync=SYNC), reading(degraded=1, sync=SYNC), reading())[1] == 3


def test_a_level_without_redundancy_is_in_sync_at_once() -> None:
    assert wait(reading(degraded=None))[0].health is Health.OK


def seconds_until(*readings: Array, every: float) -> int:
    """How many seconds the waiting lasts where a unit is read anew each ``every`` seconds, and each second looked at."""
    seconds = [0]

    def read() -> tuple[Unit, ...]:
        return (unit_of(readings[min(int(seconds[0] // every), len(readings) - 1)]),)

    def sleep(pause: float) -> None:
        seconds[0] += int(pause)

    wait_until_in_sync(
        UUID, lambda unit: None, read=read, every=every, sleep=sleep, clock=lambda: float(seconds[0])
    )
    return seconds[0]


def test_where_changes_are_not_reported_two_readings_say_that_it_is_in_sync() -> None:
    assert seconds_until(reading(), reading(), every=10) == 10
    # Between the end of one operation and the beginning of the next it looks as if it were done.
    assert seconds_until(reading(), reading(sync=SYNC), reading(), every=10) == 30
    lost = reading(degraded=1, failed=True)
    assert seconds_until(lost, lost, reading(degraded=1, sync=SYNC), reading(), every=10) == 40
    with pytest.raises(StepFailed, match="cannot rebuild without a spare"):
        seconds_until(lost, every=10)


def test_a_spare_that_takes_over_is_waited_for() -> None:
    failing = reading(degraded=1, failed=True)
    rebuilding = reading(degraded=1, sync=SYNC, failed=True)
    assert wait(failing, failing, rebuilding, rebuilding, reading(failed=True))[1] == 5


def test_an_array_that_stays_degraded_failed() -> None:
    failing = reading(degraded=1, failed=True)
    with pytest.raises(
        StepFailed,
        match=r"tank \(/dev/md127\) cannot rebuild without a spare: degraded, not redundant: 1 of 3 members missing \(sda faulty\)",
    ):
        wait(reading(sync=SYNC), failing, failing, failing)


@pytest.mark.parametrize("state", ["broken", "inactive"])
def test_an_array_that_broke_failed(state: str) -> None:
    with pytest.raises(StepFailed, match="no longer works: "):
        wait(reading(sync=SYNC), reading(state=state))


def test_an_array_that_is_gone_failed() -> None:
    with pytest.raises(StepFailed, match="no longer exists"):
        wait(reading(sync=SYNC), None)
