"""Scrubs: what the last one of each unit found, what starts the next one, and the history."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.model.history import History, ScrubResult, SyncRun
from raidtui.model.hours import read_hours
from raidtui.model.machine import Array, Machine
from raidtui.model.spec import Backend
from raidtui.model.system import ScrubSchedule
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from tests.ui import machines
from tests.ui.made_jobs import open_at, syncing
from tests.ui.pictures import LOOKS, WITH_WIDE, SnapCompare, answers, in_app, picture, press, settle, shown
from tests.ui.worlds import PretendWorld

TIMER = ScrubSchedule(by="mdcheck_start.timer", backend=Backend.MDADM, when="Sun *-*-1..7 1:00:00")
CRON = ScrubSchedule(by="/etc/cron.d/mdadm", backend=Backend.MDADM, when="57 0 * * 0")
MEANS = (
    "One place where parity does not fit the data counts 8 sectors. After a power cut the parity may be old; "
    "otherwise data or parity is damaged. The kernel does not say which side is right."
)


def result(month: int, array: Array, found: int) -> ScrubResult:
    words = f"mismatches in {found} sectors" if found else "no mismatches found"
    return ScrubResult(
        subject=array.uuid,
        at=f"2026-{month:02}-01T09:30:00.000+00:00",
        begun=f"2026-{month:02}-01T01:10:00.000+00:00",
        level=array.level,
        found=found,
        words=f"last check: {words}",
        means=MEANS if found else "",
        where=((1_204_000_000_000, 1_204_000_004_096),) if found else (),
        where_all=True,
    )


def nas(
    schedules: tuple[ScrubSchedule, ...] | None = (TIMER,), *, running: bool = False, recorded: bool = True
) -> Machine:
    tank = machines.running_array()
    if running:
        tank = msgspec.structs.replace(tank, sync=syncing(0.42, action="check"), sync_action="check")
    made = machines.machine([machines.disk(number) for number in (1, 2, 3, 4)], [tank])
    run = SyncRun(
        subject=tank.uuid,
        at="2026-11-01T01:10:00+00:00",
        what="check",
        scrub=True,
        seen="2026-11-01T09:25:00+00:00",
        ended="2026-11-01T09:30:00+00:00",
        points=tuple((place * 10, 260_000_000 - place * 1_300_000) for place in range(100)),
    )
    history = History(scrubs=(result(10, tank, 0), result(11, tank, 8)), syncs=(run,))
    system = msgspec.structs.replace(
        made.system, systemd=True, scrub_schedules=schedules, program=("/usr/bin/raidtui",)
    )
    return msgspec.structs.replace(made, system=system, history=history if recorded else None)


def open_scrubs(machine: Machine, look: str = "80x24") -> RaidtuiApp:
    return open_at(PretendWorld(machine), "scrubs", console=look == "console")


@WITH_WIDE
def test_scrubs(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_scrubs(nas(), look), look)


@LOOKS
def test_one_runs_and_nothing_schedules_the_next(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_scrubs(nas((), running=True), look), look)


@LOOKS
def test_the_hours_of_the_night_are_asked_for(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_scrubs(nas(()), look), look, ["n"])


@LOOKS
def test_the_history(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_scrubs(nas(), look), look, ["enter"])


@pytest.mark.parametrize(
    ("schedules", "mark", "offered"),
    [
        ((), "NOT SCHEDULED", True),
        ((TIMER,), "scheduled", False),
        ((TIMER, CRON), "TWICE", True),
        (None, "UNKNOWN", False),
    ],
)
def test_what_schedules_it_is_marked_and_m_plans_what_is_lacking(
    schedules: tuple[ScrubSchedule, ...] | None, mark: str, offered: bool
) -> None:
    app = open_scrubs(nas(schedules))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert mark in shown(app)
        assert ("Schedule" in shown(app).splitlines()[-1]) is offered
        await press(pilot, "m")
        assert app.place.name == ("procedure" if offered else "scrubs")

    in_app(app, walk)


def in_hours(text: str = "22:30-05:00") -> ScrubSchedule:
    tank = machines.running_array()
    by = f"raidtui-scrub@{tank.uuid}.timer"
    return ScrubSchedule(by=by, backend=None, target=tank.uuid, hours=read_hours(text, what="hours"))


@LOOKS
def test_the_hours_that_are_set_are_asked_for(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_scrubs(nas((in_hours(),)), look), look, ["n"])


@LOOKS
def test_the_plan_of_other_hours(snap_compare: SnapCompare, look: str) -> None:
    keys = ["n", *["backspace"] * 11, *"01:00-06:00", "enter"]
    assert picture(snap_compare, open_scrubs(nas((in_hours(),)), look), look, keys)


@pytest.mark.parametrize("hours", ["01:00-06:00", "none"])
def test_n_changes_the_hours_or_removes_them(hours: str) -> None:
    app = open_scrubs(nas((in_hours(),)))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "n")
        assert "22:30-05:00" in shown(app)
        await press(pilot, *["backspace"] * 11, *hours, "enter")
        assert app.place.name == "procedure"
        assert f'"{hours}"' in dict(app.place.about).get("order", "")

    in_app(app, walk)


@pytest.mark.parametrize(
    ("schedules", "offered"),
    [((), True), ((TIMER,), True), ((CRON,), False), ((TIMER, CRON), False), (None, False)],
)
def test_n_plans_a_scrub_in_hours_unless_a_file_of_cron_starts_one(
    schedules: tuple[ScrubSchedule, ...] | None, offered: bool
) -> None:
    app = open_scrubs(nas(schedules))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert ("Nights" in shown(app).splitlines()[-1]) is offered
        await press(pilot, "n", *(["enter"] if offered else []))
        assert app.place.name == ("procedure" if offered else "scrubs")
        assert ("01:00-06:00" in dict(app.place.about).get("order", "")) is offered

    in_app(app, walk)


def test_hours_that_are_none_are_refused_in_words() -> None:
    app = open_scrubs(nas(()))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await press(pilot, "n", "x", "enter")
        assert app.place.name == "scrubs"
        assert "two times of the day" in " ".join(shown(app).split())
        await press(pilot, "n", "escape")
        assert app.place.name == "scrubs"

    in_app(app, walk)


def test_records_that_cannot_be_read_are_not_none() -> None:
    app = open_scrubs(nas(recorded=False))

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "not known, its records cannot be read" in shown(app)
        await press(pilot, "enter")
        assert "The records cannot be read" in shown(app)

    in_app(app, walk)


def test_it_opens_from_the_overview_by_one_key() -> None:
    app = RaidtuiApp(PretendWorld(nas()), False, places=[Place("overview")], draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "k")
        assert app.place.name == "scrubs"
        await press(pilot, "u")
        assert app.place.name == "unit"

    in_app(app, walk)


def test_without_systemd_no_schedule_is_offered_and_the_key_says_why() -> None:
    machine = nas(())
    bare = msgspec.structs.replace(machine, system=msgspec.structs.replace(machine.system, systemd=False))
    app = open_scrubs(bare)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "Schedule" not in shown(app).splitlines()[-1]
        assert "m plans one" not in shown(app)
        assert "Next: nothing starts one; this computer does not run systemd" in shown(app)
        await press(pilot, "m")
        assert app.place.name == "scrubs"
        assert "does not run systemd" in shown(app)
        assert "raidtui scrub tank --now" in " ".join(shown(app).split())

    in_app(app, walk)
