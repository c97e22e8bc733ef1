"""Units in plain words: how each is, its members, and what happened between two readings."""

import msgspec
import pytest

from raidtui.backends.md.units import unit_of
from raidtui.backends.units import units_of
from raidtui.model.lost import LostMember
from raidtui.model.machine import Array
from raidtui.model.unit import Activity, Health
from raidtui.ui.care.build_words import as_before
from raidtui.ui.care.traffic import Meter, Traffic
from raidtui.ui.care.unit_events import events
from raidtui.ui.care.unit_panel import member_lines, state_lines, unit_detail
from tests.ui import machines
from tests.ui.made_jobs import built_array, first_build, member, raid5_plan, syncing
from tests.ui.recorded import recorded

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
            "not redundant yet: a disk failure now loses data (sync 43.2 %)",
        ),
        (
            changed(first_build(PLAN, 0.5), sync=None, sync_action="frozen"),
            "not redundant yet: a disk failure now loses data (sync paused)",
        ),
        (changed(sync_action="resync", sync=syncing(0.5)), "resync 50.0 %, usable now"),
        (
            changed(sync_action="resync", sync=syncing(0, waiting="delayed")),
            "resync delayed by another array on these disks, usable now",
        ),
        (
            changed(state="read-auto", sync_action="resync", sync=syncing(0, waiting="pending")),
            "resync pending: starts with the first write, usable now",
        ),
        (
            changed(
                first_build(PLAN, 0), state="read-auto", sync=syncing(0, action="recover", waiting="pending")
            ),
            "not redundant yet: a disk failure now loses data (sync pending: starts with the first write)",
        ),
        (changed(degraded=1, members=WHOLE.members[:3]), "degraded, not redundant: 1 of 4 members missing"),
        (
            changed(
                degraded=1,
                members=(*WHOLE.members[:3], member(5, 3, "spare")),
                sync_action="recover",
                sync=syncing(0.1, action="recover"),
            ),
            "degraded, not redundant: sdf1 rebuilding 10.0 %",
        ),
        (
            changed(degraded=2, members=WHOLE.members[:2]),
            "FAILED: 2 of 4 members missing, more than RAID5 survives",
        ),
        (
            changed(level="raid6", degraded=2, members=WHOLE.members[:2]),
            "degraded, not redundant: 2 of 4 members missing",
        ),
        (
            changed(level="raid6", degraded=1, members=WHOLE.members[:3]),
            "degraded, redundancy reduced: 1 of 4 members missing",
        ),
        (
            changed(level="raid10", state="broken", degraded=2),
            "FAILED: 2 of 4 members missing, more than RAID10 survives",
        ),
        (
            changed(level="raid0", degraded=None, state="broken"),
            "FAILED: a member is missing, and RAID0 has no redundancy",
        ),
        (changed(level="raid0", degraded=None), "running, no redundancy"),
        (changed(state="inactive", degraded=None), "inactive, not started"),
        (
            changed(state="inactive", degraded=None, members=WHOLE.members[:1]),
            "inactive, not started: it has 1 of its 4 members",
        ),
        (changed(sync_action="frozen"), "sync paused, usable now"),
        (changed(sync_action="frozen", sync=syncing(0, waiting="pending")), "resync paused, usable now"),
        (
            changed(sync_action="check", sync=syncing(0.25, action="check")),
            "check 25.0 %, usable now",
        ),
    ],
)
def test_how_an_array_is(array: Array, words: str) -> None:
    assert unit_of(array).state == words


def test_a_resync_is_called_the_first_only_when_that_is_known() -> None:
    array = changed(level="raid10", sync_action="resync", sync=syncing(0.5))
    lines = state_lines(unit_of(array), (), None, width=78, first=True)
    assert lines[0].plain == "Initial resync 50.0 %, usable now"


def happened(before: Array, after: Array | None) -> list[str]:
    return [text for text, _ in events(unit_of(before), unit_of(after) if after is not None else None)]


def test_a_failed_member_is_reported_before_the_spare_that_takes_its_place() -> None:
    before = changed(members=(*WHOLE.members, member(5, None, "spare")))
    members = (*WHOLE.members[:3], member(5, 3, "spare"), member(4, None, "faulty"))
    after = changed(degraded=1, members=members, sync_action="recover", sync=syncing(0, action="recover"))
    assert happened(before, after) == [
        "sde1 (WD-WCC7K0015) FAILED",
        "spare sdf1 (WD-WCC7K0016) takes over slot 3",
        "rebuild started",
    ]


def test_the_last_member_of_a_new_array_takes_nobodys_place() -> None:
    before = changed(degraded=1, members=(*WHOLE.members[:3], member(4, None, "spare")))
    members = (*WHOLE.members[:3], member(4, 3, "spare"))
    build = syncing(0, action="recover")
    after = changed(degraded=1, members=members, sync_action="recover", sync=build, initial_build=True)
    assert happened(before, after) == ["sde1 (WD-WCC7K0015) is built from the others", "initial sync started"]


def test_a_member_that_failed_is_later_removed() -> None:
    before = changed(degraded=1, members=(*WHOLE.members[:3], member(4, None, "faulty")))
    assert happened(before, changed(degraded=1, members=WHOLE.members[:3])) == [
        "sde1 (WD-WCC7K0015) was removed"
    ]


def test_a_member_that_vanishes_is_gone() -> None:
    assert happened(WHOLE, changed(degraded=1, members=WHOLE.members[:3])) == ["sde1 (WD-WCC7K0015) is GONE"]


def test_a_sync_starts_pauses_resumes_and_finishes() -> None:
    runs = changed(sync_action="resync", sync=syncing(0.1))
    frozen = changed(sync_action="frozen")
    assert happened(WHOLE, runs) == ["resync started"]
    assert happened(runs, frozen) == ["sync paused"]
    assert happened(frozen, runs) == ["resync resumed"]
    pending = changed(sync_action="frozen", sync=syncing(0, waiting="pending"))
    assert happened(runs, pending) == ["sync paused"]
    assert happened(pending, runs) == ["resync resumed"]
    assert happened(runs, WHOLE) == ["resync finished: all members are in sync"]


def test_of_a_check_that_ends_it_is_told_what_it_found_and_never_that_members_are_in_sync() -> None:
    runs = changed(sync_action="check", sync=syncing(0.1, action="check"))
    assert happened(WHOLE, runs) == ["check started"]
    assert happened(runs, changed(checked=True)) == ["check ended: no mismatches found"]
    assert happened(runs, changed(mismatch_sectors=8)) == ["check ended: mismatches in 8 sectors"]
    assert happened(runs, WHOLE) == ["check ended"]  # somebody stopped it


def test_a_rebuild_that_leaves_the_array_degraded_says_so() -> None:
    runs = changed(level="raid6", degraded=1, members=WHOLE.members[:3], sync=syncing(0.9, action="recover"))
    after = changed(level="raid6", degraded=1, members=WHOLE.members[:3])
    assert happened(runs, after) == ["rebuild ended; now degraded, redundancy reduced"]


def test_the_initial_sync_of_a_raid5_is_not_called_a_rebuild() -> None:
    assert happened(WHOLE, first_build(PLAN, 0.1))[-1] == "initial sync started"


def test_progress_alone_is_no_event() -> None:
    assert happened(first_build(PLAN, 0.1), first_build(PLAN, 0.2)) == []


def test_an_array_that_is_stopped() -> None:
    assert happened(WHOLE, None) == ["data was stopped"]


def test_names_from_the_disks_are_harmless() -> None:
    nasty = changed(name="\x1b[2Jx", members=(msgspec.structs.replace(member(1, 0), disk="\x1b]0;"),))
    assert "\x1b" not in "".join(happened(nasty, changed(nasty, members=())) + happened(nasty, None))


def test_activity_is_the_difference_of_two_readings_by_their_time() -> None:
    from raidtui.machine.counters import Counters

    meter = Meter()
    first = Counters(read_bytes=10**6, write_bytes=0, reads=1, writes=0, busy_seconds=1.0)
    assert meter.measure({"sda": first}, 10.0) == {}
    second = msgspec.structs.replace(first, read_bytes=9 * 10**6, busy_seconds=2.0)
    found = meter.measure({"sda": second, "sdb": first}, 12.0)
    assert set(found) == {"sda"}
    assert (found["sda"].read, found["sda"].busy_percent) == (4e6, 50.0)


def test_the_row_of_a_missing_member_has_the_serial_of_the_lost_one() -> None:
    gone = LostMember(path="/dev/sde1", disk="WD-WCC7K0015", slot=3)
    array = changed(degraded=1, members=WHOLE.members[:3], lost=(gone,))
    lines = [line.plain for line in member_lines(unit_of(array), {}, width=78, most=10)]
    assert lines[-1].split() == ["3", "-", "WD-WCC7K0015", "MISSING"]
    unknown = [line.plain for line in member_lines(unit_of(changed(array, lost=())), {}, width=78, most=10)]
    assert unknown[-1].split() == ["3", "-", "MISSING"]


POOL = machines.volume_group(raid_disks=4)


def test_of_any_unit_a_sync_that_begins_and_ends_and_a_disk_that_fails_is_told() -> None:
    runs = msgspec.structs.replace(POOL, health=Health.SYNCING, activity=Activity(what="resync"))
    faulty = msgspec.structs.replace(POOL.members[3], state="faulty")
    bad = msgspec.structs.replace(POOL, health=Health.DEGRADED, members=(*POOL.members[:3], faulty))
    assert [text for text, _ in events(POOL, runs)] == ["resync started"]
    assert [text for text, _ in events(runs, POOL)] == ["resync finished: all members are in sync"]
    assert [text for text, _ in events(POOL, bad)] == ["sde1 (WD-WCC7K0015) FAILED"]


def test_members_of_any_unit_show_their_traffic_and_a_state_that_is_cut_is_said_in_full_below() -> None:
    long = "3 write, 12 corruption errors of a disk that does not answer any more"
    unit = msgspec.structs.replace(
        POOL, members=(msgspec.structs.replace(POOL.members[0], state=long), *POOL.members[1:])
    )
    does = {"sdc1": Traffic(read=182_300_000.0, write=0.0, busy_percent=97.0)}
    lines = [line.plain for line in member_lines(unit, does, width=78, most=10)]
    assert lines[0].split() == ["slot", "member", "disk", "state", "now", "busy"]
    assert lines[2].strip() == long
    assert lines[3].split() == [
        "1",
        "sdc1",
        "WD-WCC7K0013",
        "in",
        "sync",
        "reads",
        "182.3",
        "MB/s",
        "97",
        "%",
    ]
    assert "now" not in member_lines(unit, None, width=78, most=10)[0].plain


def test_how_far_it_was_stays_while_it_is_paused_and_the_kernel_does_not_say() -> None:
    running = unit_of(changed(first_build(PLAN, 0.432)))
    paused = unit_of(changed(first_build(PLAN, 0.5), sync=None, sync_action="frozen"))
    shown = as_before(paused, running)
    assert shown.activity is not None
    assert shown.activity.paused
    assert shown.activity.fraction == pytest.approx(0.432)
    assert [one.filled for one in shown.members] == [one.filled for one in running.members]
    lines = [line.plain for line in state_lines(shown, (), None, width=78, resumes="p")]
    assert " 43 % " in lines[1]
    assert lines[2].endswith("of each member, paused: p resumes")
    assert as_before(running, running) == running


@pytest.mark.parametrize("name", ["zfs-stripe", "lvm-raid5", "raid5-stopped"])
def test_a_unit_without_a_device_of_its_own_is_not_said_to_have_no_disk_here(name: str) -> None:
    machine = recorded(name)
    (unit, *_) = units_of(machine)
    assert unit.node is None or not unit.node
    where = unit_detail(unit, (unit,), machine, width=80)[1].plain
    assert "no disk" not in where
    assert "mounted" in where or " at /" in where
