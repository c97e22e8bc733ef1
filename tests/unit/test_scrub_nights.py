"""A scrub in hours of the night: it continues in the next one, is recorded once, and leaves nothing behind."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from raidtui.advice.scrub_words import calendar_words
from raidtui.backends.btrfs.controls import NIGHTS as BTRFS
from raidtui.backends.control import Control, Order, PutBack, Write
from raidtui.backends.md.controls import NIGHTS as MD
from raidtui.backends.md.units import unit_of
from raidtui.backends.registry import FOLDERS, builder
from raidtui.backends.units import units_of
from raidtui.backends.zfs.controls import NIGHTS as ZFS
from raidtui.jobs import nights
from raidtui.jobs.nights import scrub_in_hours
from raidtui.jobs.scrub_records import record_scrubs
from raidtui.machine.history import HistoryFile
from raidtui.machine.scrub import read_schedules
from raidtui.model.errors import BadInput, Refused
from raidtui.model.history import ScrubPart, ScrubResult
from raidtui.model.hours import Hours, read_hours
from raidtui.model.machine import Machine, Sync
from raidtui.model.plan import Run
from raidtui.model.procedure import ScheduleScrub
from raidtui.model.spec import Backend
from raidtui.model.system import ScrubSchedule
from raidtui.model.unit import Limits, Unit
from raidtui.model.units import KIB, MIB
from raidtui.plan.care import make_care, title_of
from raidtui.plan.teardown import make_teardown
from tests.unit import plan_machines
from tests.unit.btrfs_machines import btrfs_machine
from tests.unit.lvm_machines import lvm_machine
from tests.unit.machine_trees import MadeTree
from tests.unit.test_scrub_schedules import CRON, MDCHECK, commands, nas, with_system
from tests.unit.zfs_machines import zfs_machine

NIGHT = read_hours("22:00-06:00", what="hours")
TEN = datetime(2026, 11, 26, 22, 0, tzinfo=UTC)


def array(**changes: Any) -> Unit:
    return unit_of(msgspec.structs.replace(plan_machines.array(), **changes))


def checking(done: int, mismatches: int = 0) -> Unit:
    sync = Sync(
        action="check", done_bytes=done, total_bytes=100 * MIB, bytes_per_second=MIB, finish_seconds=60
    )
    return array(sync=sync, sync_action="check", mismatch_sectors=mismatches)


def ended(mismatches: int = 0, **changes: Any) -> Unit:
    return array(**({"checked": True, "mismatch_sectors": mismatches} | changes))


class Kernel:
    """An array whose readings come in this order; the last one stays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.readings: list[Unit] = []
        self.orders: list[tuple[Control, Order]] = []
        monkeypatch.setattr(
            nights, "carry_out", lambda order, control, unit: self.orders.append((control, order))
        )
        monkeypatch.setattr(nights, "_again", lambda unit: self.readings.pop(0))

    def run(self, unit: Unit, *readings: Unit, hours_left: int = 1) -> str:
        """Run in a night that ends after so many looks."""
        self.readings = list(readings)
        moments: Iterator[datetime] = iter([TEN] * (hours_left + 1))
        return scrub_in_hours(
            unit, NIGHT, now=lambda: next(moments, TEN + timedelta(hours=9)), look_seconds=0
        )

    def written(self) -> list[tuple[str, str]]:
        actions = [action for _, order in self.orders for action in order.actions]
        return [(one.path.rpartition("/")[2], one.text) for one in actions if isinstance(one, Write)]


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Kernel:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    return Kernel(monkeypatch)


def parts() -> tuple[ScrubPart, ...]:
    return HistoryFile().of(ScrubPart)


def results() -> tuple[ScrubResult, ...]:
    return HistoryFile().of(ScrubResult)


def test_two_nights_are_one_scrub(kernel: Kernel) -> None:
    said = kernel.run(array(), checking(10 * MIB), checking(40 * MIB, 8))
    assert said == "tank continues in the next night, from 40 %"
    assert kernel.written() == [
        ("sync_max", "max"),
        ("sync_min", "0"),
        ("sync_action", "check"),
        ("sync_action", "idle"),
        ("sync_min", "0"),
        ("sync_max", "max"),
    ]
    assert any(isinstance(one, PutBack) for one in kernel.orders[-1][1].actions)
    (part,) = parts()
    assert (part.place, part.found, part.running, results()) == (40 * MIB, 8, False, ())

    kernel.orders.clear()
    said = kernel.run(ended(8, checked=False), checking(60 * MIB, 0), ended(16), hours_left=9)
    assert said == "tank is scrubbed, in 2 nights"
    assert kernel.written()[1] == ("sync_min", str(40 * MIB // 512))
    assert parts() == ()
    (result,) = results()
    assert (result.found, result.words, result.begun) == (24, "mismatches in 24 sectors", part.at)
    assert "parity" in result.means
    # What looks regularly does not take the array's own result, of the last night, for another scrub.
    record_scrubs(nas(), [ended(16)])
    assert results() == (result,)
    assert kernel.run(ended(16)) == "tank was scrubbed less than 27 days ago"


def test_a_part_is_no_result(kernel: Kernel) -> None:
    kernel.run(array(), checking(40 * MIB, 8), hours_left=0)
    record_scrubs(nas(), [ended(8)])
    assert results() == ()


def test_after_kill_a_scrub_that_runs_is_followed_and_one_that_ended_is_recorded(kernel: Kernel) -> None:
    file, part = (
        HistoryFile(),
        ScrubPart(subject=array().uuid, at="2026-11-20T22:00:00.000+00:00", nights=1, running=True),
    )
    file.add([part])
    assert kernel.run(checking(20 * MIB), ended(0), hours_left=9) == "tank is scrubbed, in 1 night"
    assert kernel.orders == []
    (result,) = results()
    assert result.found == 0
    file.add([part])
    file.remove([result])
    assert kernel.run(ended(8)) == "tank is scrubbed, in 1 night"
    assert kernel.orders == []


def test_after_a_power_cut_it_continues_from_the_place_that_was_noted(kernel: Kernel) -> None:
    HistoryFile().add(
        [
            ScrubPart(
                subject=array().uuid,
                at="2026-11-20T22:00:00.000+00:00",
                place=30 * MIB,
                found=8,
                running=True,
            )
        ]
    )
    kernel.run(array(), checking(50 * MIB, 8), hours_left=0)
    assert kernel.written()[1] == ("sync_min", str(30 * MIB // 512))
    assert parts()[0].found == 16


@pytest.mark.parametrize(
    "unit",
    [
        array(degraded=1),
        checking(5 * MIB),  # somebody else's
        array(
            sync=Sync(action="recover", done_bytes=0, total_bytes=9, bytes_per_second=1),
            sync_action="recover",
        ),
    ],
)
def test_it_is_left_out_while_degraded_or_busy(kernel: Kernel, unit: Unit) -> None:
    with pytest.raises(Refused, match="not scrubbed now"):
        kernel.run(unit)
    assert kernel.orders == []
    assert parts() == ()


def test_one_that_was_stopped_by_another_continues_from_its_last_place(kernel: Kernel) -> None:
    with pytest.raises(Refused, match="was stopped"):
        kernel.run(array(), checking(10 * MIB), array(degraded=1), hours_left=9)
    assert (parts()[0].place, parts()[0].running) == (10 * MIB, False)


def test_by_day_nothing_is_started(kernel: Kernel) -> None:
    with pytest.raises(Refused, match="22:00-06:00 only"):
        scrub_in_hours(array(), NIGHT, now=lambda: TEN - timedelta(hours=1))


def test_what_cannot_continue_is_refused(kernel: Kernel) -> None:
    (volume,) = units_of(lvm_machine())
    with pytest.raises(Refused, match="begins anew"):
        scrub_in_hours(volume, NIGHT)
    assert {name for name in FOLDERS if builder(name).nights is not None} == {
        Backend.MDADM,
        Backend.BTRFS,
        Backend.ZFS,
    }


def test_md_is_gentle_only_where_it_was_not() -> None:
    fast = msgspec.structs.replace(array(), limits=Limits(least=50_000 * KIB, most=200_000 * KIB))
    assert [one.path for one in MD.begin(fast, 0).actions if isinstance(one, Write) and one.keep]
    slow = msgspec.structs.replace(array(), limits=Limits(least=500 * KIB, most=800 * KIB))
    assert not [one.path for one in MD.begin(slow, 0).actions if isinstance(one, Write) and one.keep]


def test_btrfs_and_zfs_keep_their_own_place() -> None:
    (files,) = units_of(btrfs_machine())
    resumed = msgspec.structs.replace(files, resumable="scrub")
    said = [
        one.argv[:3]
        for order in (BTRFS.begin(files, 0), BTRFS.begin(resumed, 0), BTRFS.end(files))
        for one in order.actions
        if isinstance(one, Run)
    ]
    assert said == [("btrfs", "scrub", "start"), ("btrfs", "scrub", "resume"), ("btrfs", "scrub", "cancel")]
    (pool,) = units_of(zfs_machine())
    said = [
        one.argv
        for order in (ZFS.begin(pool, 0), ZFS.end(pool))
        for one in order.actions
        if isinstance(one, Run)
    ]
    assert said == [("zpool", "scrub", pool.name), ("zpool", "scrub", "-p", pool.name)]


# The schedule.


def scheduled(machine: Machine, hours: str = "01:00-06:00", how: Any = "monthly") -> Any:
    unit = units_of(machine)[-1]
    return make_care(ScheduleScrub(unit=unit.uuid, how=how, hours=hours), machine, seed=plan_machines.SEED)


def test_a_schedule_with_hours_is_a_timer_and_a_service_of_the_unit(tmp_path: Any) -> None:
    plan = scheduled(nas(could_scrub="mdcheck_start.timer"))
    uuid = units_of(nas())[0].uuid
    texts = {
        one.argv[1]: one.input
        for one in plan.steps[0].actions
        if isinstance(one, Run) and one.argv[0] == "tee"
    }
    folder = "/etc/systemd/system/raidtui-scrub@"
    assert "OnCalendar=*-*-* 01:00:00" in texts[f"{folder}{uuid}.timer"]
    service = texts[f"{folder}{uuid}.service"]
    assert f"ExecStart=/usr/bin/python3 -P -m raidtui scrub {uuid} --run --hours 01:00-06:00" in service
    assert commands(plan)[-1] == ("systemctl", "enable", "--now", f"raidtui-scrub@{uuid}.timer")

    made = MadeTree(tmp_path)
    for path, text in texts.items():
        made.write(path, text)
    made.write("/run/systemd/system/x", "")
    made.link(f"/etc/systemd/system/timers.target.wants/raidtui-scrub@{uuid}.timer", f"{folder}{uuid}.timer")
    schedules = read_schedules(made.tree)
    assert schedules is not None
    (found,) = (one for one in schedules if one.by.startswith("raidtui"))
    assert found.hours == Hours(begin=60, end=360)

    off = scheduled(with_system(nas(), scrub_schedules=(found,)), "", "off")
    assert [step.id for step in off.steps] == ["schedule", "hours"]
    assert commands(off)[1][:2] == ("rm", "-f")
    again = {
        one.argv[1]: one.input for one in off.steps[1].undo if isinstance(one, Run) and one.argv[0] == "tee"
    }
    assert again == texts


def test_hours_that_cannot_be_kept_are_refused() -> None:
    with pytest.raises(Refused, match="begins anew"):
        scheduled(with_system(lvm_machine()))
    with pytest.raises(BadInput, match="two times of the day"):
        scheduled(nas(), "1-6")
    with pytest.raises(Refused, match="set AUTOCHECK=false in /etc/default/mdadm"):
        scheduled(nas(scrub_schedules=(CRON,)))
    with pytest.raises(Refused, match=r"scrubbed twice, by mdcheck_start\.timer and /etc/cron.d/mdadm"):
        scheduled(nas(scrub_schedules=(MDCHECK, CRON)))


def night(unit: Unit, begin: int = 60, end: int = 360) -> ScrubSchedule:
    by = f"raidtui-scrub@{unit.uuid}.timer"
    return ScrubSchedule(by=by, backend=None, target=unit.uuid, hours=Hours(begin=begin, end=end))


def test_hours_that_are_set_are_changed_by_one_step_which_can_be_undone() -> None:
    (tank,) = units_of(nas())
    plan = scheduled(nas(scrub_schedules=(night(tank),)), "22:30-04:00")
    (step,) = plan.steps
    assert step.title.startswith("Scrub tank in the hours 22:30-04:00 instead of 01:00-06:00")
    timer = f"raidtui-scrub@{tank.uuid}.timer"
    for actions, begin, hours in (
        (step.actions, "22:30", "22:30-04:00"),
        (step.undo, "01:00", "01:00-06:00"),
    ):
        runs = [one for one in actions if isinstance(one, Run)]
        assert [one.argv[0] for one in runs] == ["tee", "tee", "systemctl", "systemctl"]
        assert runs[-1].argv == ("systemctl", "restart", timer)
        assert f"OnCalendar=*-*-* {begin}:00" in runs[0].input
        assert f"--run --hours {hours}" in runs[1].input
    assert title_of(ScheduleScrub(unit=tank.uuid, hours="22:30-04:00"), plan) == (
        "Scrub tank every month, in the hours 22:30-04:00"
    )


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("Sun *-*-1..7 1:00:00", "the first Sunday of each month, 01:00"),
        ("Sun *-*-8..14 01:00:00", "the second Sunday of each month, 01:00"),
        ("Sat *-*-22..28 23:30", "the fourth Saturday of each month, 23:30"),
        ("Sun *-*-1..9 1:00:00", "Sun *-*-1..9 1:00:00"),
        ("monthly", "monthly"),
        ("57 0 * * 0", "57 0 * * 0"),
        ("", ""),
    ],
)
def test_a_calendar_of_systemd_is_said_as_people_say_it(when: str, words: str) -> None:
    assert calendar_words(when) == words


def test_the_same_again_is_refused() -> None:
    (tank,) = units_of(nas())
    where = nas(scrub_schedules=(night(tank),))
    for hours in ("01:00-06:00", ""):
        with pytest.raises(Refused, match="scrubbed already in the hours 01:00-06:00, by raidtui-scrub@"):
            scheduled(where, hours)
    with pytest.raises(Refused, match=r"scrubbed already, by mdcheck_start\.timer"):
        scheduled(nas(scrub_schedules=(MDCHECK,)), "none")


def enabled(plan: Any) -> dict[str, bool]:
    """The timers that the plan leaves enabled, and those that it disables."""
    return {
        timer: argv[1] == "enable"
        for argv in commands(plan)
        if argv[:1] == ("systemctl",) and argv[1] in {"enable", "disable"}
        for timer in argv[3:]
    }


def test_none_removes_the_hours_and_the_unit_keeps_one_schedule() -> None:
    (tank,) = units_of(nas())
    own = f"raidtui-scrub@{tank.uuid}.timer"
    theirs = scheduled(nas(scrub_schedules=(night(tank),), could_scrub="mdcheck_start.timer"), "none")
    assert enabled(theirs) == {own: False, "mdcheck_start.timer": True, "mdcheck_continue.timer": True}
    ours = scheduled(nas(scrub_schedules=(night(tank),)), "none")
    assert enabled(ours) == {own: True}
    assert [step.id for step in ours.steps] == ["old-schedule", "old-hours", "timer", "schedule"]
    assert title_of(ScheduleScrub(unit=tank.uuid, hours="none"), ours) == "Scrub tank every month"


def test_our_own_monthly_timer_becomes_one_in_hours() -> None:
    (tank,) = units_of(nas())
    own = f"raidtui-scrub@{tank.uuid}.timer"
    plan = scheduled(nas(scrub_schedules=(ScrubSchedule(by=own, backend=None, target=tank.uuid),)))
    assert enabled(plan) == {own: True}
    assert [step.id for step in plan.steps] == ["old-schedule", "old-timer", "timer", "schedule"]


def two_arrays(**system: Any) -> Machine:
    """Two arrays, tank and vault."""
    tank = plan_machines.array()
    vault = msgspec.structs.replace(
        tank,
        name="vault",
        uuid="7f1d9b0e-3d5a-4c2b-9a58-0d7c1e2f3a4b",
        node="/dev/md126",
        path="/dev/md/vault",
        mountpoints=(),
        members=tuple(
            msgspec.structs.replace(one, path=f"/dev/sd{letter}1", disk=f"S-000{number}")
            for one, letter, number in zip(tank.members, "def", (4, 5, 6), strict=True)
        ),
    )
    disks = [plan_machines.member_disk(number) for number in (1, 2, 3)]
    return with_system(plan_machines.machine(*disks, arrays=(tank, vault)), **system)


def test_a_timer_that_scrubs_every_array_leaves_none_without_a_schedule() -> None:
    where = two_arrays(scrub_schedules=(MDCHECK,))
    tank, vault = units_of(where)
    plan = make_care(ScheduleScrub(unit=tank.uuid, hours="01:00-06:00"), where, seed=plan_machines.SEED)
    assert enabled(plan) == {
        "mdcheck_start.timer": False,
        "mdcheck_continue.timer": False,
        f"raidtui-scrub@{tank.uuid}.timer": True,
        f"raidtui-scrub@{vault.uuid}.timer": True,
    }
    assert plan.steps[-1].title.startswith("Scrub vault once a month: enable")
    assert "mdcheck_start.timer scrubbed it too" in plan.steps[-1].reason


def test_a_teardown_gives_the_computer_its_own_timer_back(tmp_path: Any) -> None:
    plan = scheduled(nas(scrub_schedules=(MDCHECK,)))
    (tank,) = units_of(nas())
    written = next(one for step in plan.steps for one in step.actions if isinstance(one, Run) and one.input)
    assert written.input.startswith("# instead of mdcheck_start.timer\n[Unit]")
    made = MadeTree(tmp_path)
    made.write(written.argv[1], written.input)
    made.write("/run/systemd/system/x", "")
    own = f"raidtui-scrub@{tank.uuid}.timer"
    made.link(f"/etc/systemd/system/timers.target.wants/{own}", f"/etc/systemd/system/{own}")
    (found,) = read_schedules(made.tree) or ()
    assert found.instead == "mdcheck_start.timer"
    kept = msgspec.structs.replace(found, hours=Hours(begin=60, end=360))
    other_hours = scheduled(nas(scrub_schedules=(kept,)), "22:00-23:00")
    assert "# instead of mdcheck_start.timer" in str(other_hours.steps[0].actions)

    def gone(*schedules: ScrubSchedule) -> dict[str, bool]:
        return enabled(make_teardown("tank", nas(scrub_schedules=schedules), seed=plan_machines.SEED))

    theirs = {"mdcheck_start.timer": True, "mdcheck_continue.timer": True}
    assert gone(kept) == {own: False} | theirs
    assert gone(night(tank)) == {own: False}
    another = ScrubSchedule(by="raidtui-scrub@x.timer", backend=None, target="x")
    assert gone(kept, another) == {own: False}, "it would be the second one of x"


def test_the_timer_of_every_array_is_no_second_one_for_an_array_that_has_its_own() -> None:
    tank, vault = units_of(two_arrays())
    where = two_arrays(scrub_schedules=(night(tank),), could_scrub="mdcheck_start.timer")
    plan = make_care(ScheduleScrub(unit=vault.uuid), where, seed=plan_machines.SEED)
    assert enabled(plan) == {f"raidtui-scrub@{vault.uuid}.timer": True}
    assert "every other" not in plan.steps[-1].title
