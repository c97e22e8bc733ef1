"""The confirmation: nothing starts before every disk was named by the end of its serial number."""

import re
import threading
from typing import Any

import pytest
from textual.pilot import Pilot

from raidtui.model.journal import JobKind, JobRequest
from raidtui.model.machine import Machine
from raidtui.model.plan import PlannedDisk
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.starting import start_job
from raidtui.ui.widgets.dialog import Push
from raidtui.ui.widgets.field import Field
from raidtui.ui.wizard.draft import Draft
from raidtui.ui.wizard.naming import expected_endings, names, no_match
from tests.ui import machines
from tests.ui.pictures import (
    LOOKS,
    WITH_WIDE,
    SnapCompare,
    answers,
    drain,
    in_app,
    open_app,
    picture,
    press,
    settle,
    shown,
)
from tests.ui.worlds import PretendWorld

SERIALS = [machines.disk(number).serial for number in range(1, 5)]
NAMING = [*"0012", "enter", *"0013", "enter", *"0014", "enter", *"0015", "enter"]


def raid5() -> Draft:
    return answers(*SERIALS, level="raid5")


@LOOKS
def test_the_first_serial_number_has_the_focus(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "review", "confirm", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look)


@WITH_WIDE
def test_some_are_named_and_one_is_wrong(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "review", "confirm", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, [*"0012", "enter", *"9999", "enter"])


@LOOKS
def test_all_are_named_and_the_button_is_ready(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "review", "confirm", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, [*NAMING])


@LOOKS
def test_data_that_will_be_lost_and_long_names(snap_compare: SnapCompare, look: str) -> None:
    machine = machines.long_names()
    draft = answers(*(disk.serial for disk in machine.disks[1:]), level="raid5")
    app = open_app(machine, "review", "confirm", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look)


@LOOKS
def test_24_disks_to_name(snap_compare: SnapCompare, look: str) -> None:
    machine = machines.many_disks()
    draft = answers(*(disk.serial for disk in machine.disks[1:]), level="raid6")
    app = open_app(machine, "review", "confirm", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look, [*"k0012", "enter"])


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_field_and_the_button_are_in_sight_however_many_disks_there_are(size: tuple[int, int]) -> None:
    machine = machines.many_disks()
    draft = answers(*(disk.serial for disk in machine.disks[1:]), level="raid6")
    app = open_app(machine, "review", "confirm", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.resize_terminal(*size)
        await press(pilot)
        assert "[ Erase and build ]    0 of 24 disks named" in shown(app)
        field = app.screen.query(Field).last().focus()
        await settle(pilot)
        assert field.region.bottom <= app.screen.query_one("#cancel").region.y < size[1] - 1

    in_app(app, walk)


def test_what_is_not_erased_and_has_no_room_is_counted() -> None:
    machine = machines.many_disks()
    draft = answers(*(disk.serial for disk in machine.disks[1:5]), level="raid6")
    app = open_app(machine, "review", "confirm", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.resize_terminal(120, 40)
        await press(pilot)
        text = shown(app).partition("Nothing is erased on")[2]
        (left,) = re.findall(r"and (\d+) more", text)
        assert len(re.findall(r"^ sd", text, re.MULTILINE)) + int(left) == len(machine.disks) - 4

    in_app(app, walk)


def test_enter_in_an_empty_field_does_nothing_and_on_cancel_it_leads_back() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter", "enter")
        assert app.place.name == "confirm"
        await press(pilot, "up", "enter")
        assert app.place.name == "review"

    in_app(app, walk)
    assert world.orders == []


def test_left_and_right_lead_from_button_to_button_and_enter_is_in_the_footer() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "up")
        assert "Enter Press" in shown(app)
        await press(pilot, "right")
        assert "> Cancel <" in shown(app), "the other one cannot be pressed yet"
        await press(pilot, "down", *NAMING)
        assert "> Erase and build <" in shown(app)
        await press(pilot, "left")
        assert "> Cancel <" in shown(app)
        await press(pilot, "right")
        assert "> Erase and build <" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_one_wrong_serial_number_keeps_the_button_shut() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *NAMING[:-2], "9", "enter", "enter")
        assert app.screen.query_one("#erase", Push).disabled
        assert "Doesn't match disk 4 (…0015)" in shown(app)
        assert "3 of 4 disks named" in shown(app)
        await press(pilot, "backspace", "5")
        assert "Doesn't match" not in shown(app)
        assert not app.screen.query_one("#erase", Push).disabled

    in_app(app, walk)
    assert world.orders == []


def test_a_right_number_leads_to_the_next_one_that_is_missing() -> None:
    app = open_app(machines.four_disks(), "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", *"0013", *"0014", *"0015")
        assert app.focused is app.screen.query_one("#serial-0")
        await press(pilot, *"0012")
        assert "4 of 4 disks named" in shown(app)
        assert app.focused is app.screen.query_one("#serial-0"), "an Enter more does not erase anything yet"

    in_app(app, walk)


def test_the_whole_serial_number_may_be_typed_and_counts_as_wrong_only_when_it_cannot_be_right() -> None:
    app = open_app(machines.four_disks(), "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *SERIALS[0][:-1])
        assert "Doesn't match" not in shown(app)
        await press(pilot, SERIALS[0][-1])
        assert "1 of 4 disks named" in shown(app)
        await press(pilot, *"12")
        assert "Doesn't match" not in shown(app)
        await press(pilot, "up")
        assert "Doesn't match disk 2 (…0013)" in shown(app), "it was left as it is"

    in_app(app, walk)


class Slow(PretendWorld):
    """Takes its time to start a job."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.may_start = threading.Event()

    def start(self, *what: Any, **named: Any) -> JobRequest:
        assert self.may_start.wait(10)
        return super().start(*what, **named)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["enter", "escape", "left"])
def test_once_started_no_key_leads_back(key: str) -> None:
    world = Slow(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *NAMING)
        for pressed in ("enter", key, "enter", "enter", "escape"):
            await pilot.press(pressed)
            await drain(pilot)
        assert app.place.name == "confirm"
        assert "Starting the job" in shown(app)
        world.may_start.set()
        await settle(pilot)
        assert app.place.name == "build"

    in_app(app, walk)
    assert [order for order, _ in world.orders] == ["build"]
    assert app.draft.seed != raid5().seed, "a seed is for one job"
    assert app.draft.spec.members == ()
    assert app.draft.spec.name == "tank", "data is being built"


def test_the_draft_is_new_also_when_the_screen_was_left_while_the_job_started() -> None:
    world = Slow(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *NAMING)
        await pilot.press("enter")
        await drain(pilot)
        app.go("jobs")
        await drain(pilot)
        world.may_start.set()
        await settle(pilot)
        assert app.place.name == "jobs"

    in_app(app, walk)
    assert app.draft.seed != raid5().seed


def test_a_teardown_uses_up_the_seed_and_keeps_the_answers() -> None:
    app = open_app(machines.four_disks(), "disks", draft=raid5())
    request = JobRequest(id="1", kind=JobKind.TEARDOWN, title="Remove data", created="2026-11-21T04:03:12Z")

    async def walk(pilot: Pilot[int]) -> None:
        start_job(app, lambda: request, lambda: None, keeps_answers=True)
        await settle(pilot)

    in_app(app, walk)
    assert app.draft.spec == raid5().spec
    assert app.draft.seed != raid5().seed


def test_the_word_yes_is_no_confirmation() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *"yes", "enter", "down", *"/dev/sdb", "enter")
        assert "0 of 4 disks named" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_a_disk_that_changes_meanwhile_shuts_the_button() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *NAMING)
        smaller = machines.disk(4, size_bytes=machines.DISK_2TB)
        world.become(machines.machine([*machines.four_disks().disks[:-1], smaller]))
        await settle(pilot)
        await settle(pilot)
        assert app.screen.query_one("#erase", Push).disabled
        assert "changed" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_a_recorded_machine_refuses_the_order() -> None:
    app = open_app(RecordedWorld(machines.four_disks()), "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        assert shown(app).startswith(" nas · recording")
        assert "A recording: nothing can be erased or started here." in shown(app), (
            "not only at the last Enter"
        )
        await press(pilot, *NAMING, "enter")
        assert app.place.name == "confirm"
        assert "recorded machine cannot be changed" in shown(app)

    in_app(app, walk)


def planned(serial: str, wwn: str = "") -> PlannedDisk:
    return PlannedDisk(identity=serial or wwn, path="/dev/x", serial=serial, wwn=wwn)


def test_serial_numbers_that_end_alike_take_more_characters() -> None:
    disks = [planned("AAAA1234"), planned("BBBB1234"), planned("CCCC9876")]
    machine = machines.machine()
    assert expected_endings(disks, machine) == ["A1234", "B1234", "9876"]


def test_a_disk_elsewhere_in_the_machine_counts_as_well() -> None:
    machine = machines.machine([machines.disk(1, serial="ZZZZ1234")])
    assert expected_endings([planned("AAAA1234")], machine) == ["A1234"]


def test_a_serial_number_that_is_too_short_gives_way_to_the_wwn() -> None:
    assert expected_endings([planned("12", wwn="0x50014ee2b0000001")], machines.machine()) == ["0001"]


def test_letter_case_and_blanks_do_not_matter_but_length_does() -> None:
    disk = planned("WD-WCC7K0ABC")
    every = [disk, planned("Z1D20ABC")]
    assert names(" k0abc ", disk, every)
    assert names("wd-wcc7k0abc", disk, every)
    assert not names("0abc", disk, every)
    assert not names("abc", disk, [disk])
    assert not names("", disk, [disk])


def test_a_disk_has_the_same_names_as_on_the_command_line() -> None:
    """Its WWN, with or without 0x, and the end of that; one that ends as another's serial number names neither."""
    disk = planned("WD-WCC7K0ABC", wwn="0x50014ee2b0001234")
    every = [disk, planned("AAAA1234")]
    assert names("50014EE2B0001234", disk, every)
    assert names("01234", disk, every)
    assert not names("1234", disk, every)
    assert expected_endings(every, machines.machine()) == ["0ABC", "A1234"]
    assert no_match(" 1234", 2, "A1234") == "Too short: type the last 5"
    assert no_match("B1234", 2, "A1234") == "Doesn't match disk 2 (…A1234)"


def test_a_serial_number_with_brackets_is_shown_as_it_is() -> None:
    machine = machines.machine([machines.disk(number, serial=f"A[b]{number}") for number in (1, 2)])
    app = open_app(machine, "confirm", draft=answers("A[b]1", "A[b]2", level="raid1"))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *"xxxx", "enter")
        assert "Doesn't match disk 1 (…[b]1)" in shown(app)

    in_app(app, walk)
