"""Arrays in plain words: how each is, and what happened between two readings."""

import msgspec
import pytest

from raidtui.model.machine import Array
from raidtui.ui import array_words, pace
from raidtui.ui.activity import Meter
from tests.ui.made_jobs import built_array, first_build, member, nas, raid5_plan, syncing

PLAN = raid5_plan()
WHOLE = built_array(PLAN)


def changed(array: Array = WHOLE, **changes: object) -> Array:
    return msgspec.structs.replace(array, **changes)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (WHOLE, "in sync"),
        (changed(state="readonly"), "in sync, read-only"),
        (
            first_build(PLAN, 0.432),
            "building for the first time 43.2 %: usable now, but no disk may fail yet",
        ),
        (
            changed(first_build(PLAN, 0.5), sync=None, sync_action="frozen"),
            "building for the first time (paused): usable now, but no disk may fail yet",
        ),
        (changed(sync_action="resync", sync=syncing(0.5)), "resync 50.0 %: usable now"),
        (
            changed(sync_action="resync", sync=syncing(0, waiting="delayed")),
            "resync waits for its turn: another array uses the same disks",
        ),
        (
            changed(state="read-auto", sync_action="resync", sync=syncing(0, waiting="pending")),
            "resync begins with the first write",
        ),
        (
            changed(
                first_build(PLAN, 0), state="read-auto", sync=syncing(0, action="recover", waiting="pending")
            ),
            "building for the first time (begins with the first write): usable now, but no disk may fail yet",
        ),
        (changed(degraded=1, members=WHOLE.members[:3]), "degraded: 1 of 4 members missing"),
        (
            changed(
                degraded=1,
                members=(*WHOLE.members[:3], member(5, 3, "spare")),
                sync_action="recover",
                sync=syncing(0.1, action="recover"),
            ),
            "degraded: 1 of 4 members not in sync, sdf1 is being rebuilt 10.0 %",
        ),
        (
            changed(degraded=2, members=WHOLE.members[:2]),
            "FAILED: 2 of 4 members are gone, more than it survives",
        ),
        (changed(level="raid6", degraded=2, members=WHOLE.members[:2]), "degraded: 2 of 4 members missing"),
        (
            changed(level="raid10", state="broken", degraded=2),
            "FAILED: 2 of 4 members are gone, more than it survives",
        ),
        (
            changed(level="raid0", degraded=None, state="broken"),
            "FAILED: a member is gone, and raid0 survives none",
        ),
        (changed(level="raid0", degraded=None), "running; survives no failed disk"),
        (changed(state="inactive"), "not running: members are missing, or it was not started"),
        (changed(sync_action="frozen"), "sync paused: usable now"),
        (changed(sync_action="frozen", sync=syncing(0, waiting="pending")), "sync paused: usable now"),
        (
            changed(sync_action="check", sync=syncing(0.25, action="check")),
            "check of all members 25.0 %: usable meanwhile",
        ),
    ],
)
def test_how_an_array_is(array: Array, words: str) -> None:
    assert array_words.state(array)[0] == words


def test_a_resync_is_called_the_first_only_when_that_is_known() -> None:
    array = changed(level="raid10", sync_action="resync", sync=syncing(0.5))
    assert array_words.state(array, first=True)[0] == "building for the first time 50.0 %: usable now"


def told(before: Array, after: Array | None) -> list[str]:
    return [text for text, _ in array_words.events(before, after)]


def test_a_failed_member_is_told_before_the_spare_that_takes_its_place() -> None:
    before = changed(members=(*WHOLE.members, member(5, None, "spare")))
    members = (*WHOLE.members[:3], member(5, 3, "spare"), member(4, None, "faulty"))
    after = changed(degraded=1, members=members, sync_action="recover", sync=syncing(0, action="recover"))
    assert told(before, after) == [
        "sde1 (WD-WCC7K0015) FAILED",
        "the spare sdf1 (WD-WCC7K0016) takes over slot 3",
        "the recovery began",
    ]


def test_a_member_that_failed_is_later_taken_out() -> None:
    before = changed(degraded=1, members=(*WHOLE.members[:3], member(4, None, "faulty")))
    assert told(before, changed(degraded=1, members=WHOLE.members[:3])) == [
        "sde1 (WD-WCC7K0015) was taken out"
    ]


def test_a_member_that_vanishes_is_gone() -> None:
    assert told(WHOLE, changed(degraded=1, members=WHOLE.members[:3])) == ["sde1 (WD-WCC7K0015) is GONE"]


def test_a_sync_begins_pauses_goes_on_and_ends() -> None:
    runs = changed(sync_action="resync", sync=syncing(0.1))
    frozen = changed(sync_action="frozen")
    assert told(WHOLE, runs) == ["the resync began"]
    assert told(runs, frozen) == ["the sync is paused"]
    assert told(frozen, runs) == ["the resync goes on"]
    pending = changed(sync_action="frozen", sync=syncing(0, waiting="pending"))
    assert told(runs, pending) == ["the sync is paused"]
    assert told(pending, runs) == ["the resync goes on"]
    assert told(runs, WHOLE) == ["the resync ended: all members are in sync"]


def test_the_first_sync_of_a_raid5_is_called_that_and_not_a_recovery() -> None:
    assert told(WHOLE, first_build(PLAN, 0.1))[-1] == "the first sync began"


def test_progress_alone_is_no_event() -> None:
    assert told(first_build(PLAN, 0.1), first_build(PLAN, 0.2)) == []


def test_an_array_that_is_stopped() -> None:
    assert told(WHOLE, None) == ["data was stopped: it is no running array any more"]


def test_names_from_the_disks_are_harmless() -> None:
    nasty = changed(name="\x1b[2Jx", members=(msgspec.structs.replace(member(1, 0), disk="\x1b]0;"),))
    assert "\x1b" not in "".join(told(nasty, changed(nasty, members=())) + told(nasty, None))


@pytest.mark.parametrize(("step", "words"), [(1, "at least 50 MB/s"), (-1, "at most 50 MB/s")])
def test_from_the_systems_limits_one_step_leads_up_and_one_down(step: int, words: str) -> None:
    wanted = pace.next_pace(pace.pace_of(WHOLE, nas().system), step)
    assert wanted is not None
    assert words in pace.PACES[wanted].words


def test_every_pace_is_recognised_from_what_the_kernel_reports_and_the_ladder_has_two_ends() -> None:
    system = nas().system
    for number, one in enumerate(pace.PACES):
        if number == pace.NORMAL:
            continue
        array = changed(sync_speed_min=one.minimum, sync_speed_max=one.maximum)
        assert pace.pace_of(array, system) == number
        assert pace.next_pace(number, 1) == (None if number == len(pace.PACES) - 1 else number + 1)
        assert pace.next_pace(number, -1) == (None if number == 0 else number - 1)


def test_limits_of_somebody_elses_choice_are_shown_as_they_are() -> None:
    array = changed(sync_speed_min=7_000_000, sync_speed_max=9_000_000)
    assert pace.limits(array, nas().system) == "Limits 7.0 MB/s to 9.0 MB/s"


def test_activity_is_the_difference_of_two_readings_by_their_time() -> None:
    from raidtui.machine.counters import Counters

    meter = Meter()
    first = Counters(read_bytes=10**6, write_bytes=0, reads=1, writes=0, busy_seconds=1.0)
    assert meter.measure({"sda": first}, 10.0) == {}
    second = msgspec.structs.replace(first, read_bytes=9 * 10**6, busy_seconds=2.0)
    found = meter.measure({"sda": second, "sdb": first}, 12.0)
    assert set(found) == {"sda"}
    assert (found["sda"].read, found["sda"].busy_percent) == (4e6, 50.0)
