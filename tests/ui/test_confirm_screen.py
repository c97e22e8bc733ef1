"""The confirmation: nothing starts before every disk was named by the end of its serial number."""

from textual.pilot import Pilot

from raidtui.model.plan import PlannedDisk
from raidtui.ui.draft import Draft
from raidtui.ui.screens.confirm import expected_endings, names
from raidtui.ui.widgets.push import Push
from raidtui.ui.world import RecordedWorld
from tests.ui import machines
from tests.ui.pictures import LOOKS, SnapCompare, answers, in_app, open_app, picture, press, settle, shown
from tests.ui.worlds import PretendWorld

SERIALS = [machines.disk(number).serial for number in range(1, 5)]
NAMING = [*"0012", "enter", *"0013", "enter", *"0014", "enter", *"0015", "enter"]


def raid5() -> Draft:
    return answers(*SERIALS, level="raid5")


@LOOKS
def test_cancel_has_the_focus(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "confirm", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look)


@LOOKS
def test_some_are_named_and_one_is_wrong(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "confirm", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, ["down", *"0012", "enter", *"9999", "enter"])


@LOOKS
def test_all_are_named_and_the_button_is_ready(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "confirm", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, ["down", *NAMING])


@LOOKS
def test_data_that_will_be_lost_and_long_names(snap_compare: SnapCompare, look: str) -> None:
    machine = machines.long_names()
    draft = answers(*(disk.serial for disk in machine.disks[1:]), level="raid5")
    app = open_app(machine, "confirm", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look)


@LOOKS
def test_24_disks_to_name(snap_compare: SnapCompare, look: str) -> None:
    machine = machines.many_disks()
    draft = answers(*(disk.serial for disk in machine.disks[1:]), level="raid6")
    app = open_app(machine, "confirm", console=look == "console", draft=draft)
    assert picture(snap_compare, app, look, ["down", *"0012", "enter"])


def test_enter_cancels_at_first() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "review"

    in_app(app, walk)
    assert world.orders == []


def test_left_and_right_lead_from_button_to_button_and_enter_is_in_the_footer() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
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
        await press(pilot, "down", *NAMING[:-2], "9", "enter", "enter")
        assert app.screen.query_one("#erase", Push).disabled
        assert "does not end like that" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_whoever_starts_to_type_names_the_first_disk() -> None:
    app = open_app(machines.four_disks(), "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *NAMING)
        assert "4 of 4 disks named" in shown(app)

    in_app(app, walk)


def test_the_word_yes_is_no_confirmation() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", *"yes", "enter", "down", *"/dev/sdb", "enter")
        assert "0 of 4 disks named" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_a_disk_that_changes_meanwhile_shuts_the_button() -> None:
    world = PretendWorld(machines.four_disks())
    app = open_app(world, "review", "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", *NAMING)
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
        await press(pilot, "down", *NAMING, "enter")
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
    assert names(" 0abc ", disk, "0ABC")
    assert names("wd-wcc7k0abc", disk, "0ABC")
    assert not names("abc", disk, "0ABC")
    assert not names("", disk, "0ABC")
