"""The options: every answer is kept at once, and a wrong one is refused with a sentence."""

from textual.pilot import Pilot

from raidtui.ui.draft import Draft
from tests.ui import machines
from tests.ui.pictures import LOOKS, SnapCompare, answers, in_app, open_app, picture, press, shown

SERIALS = [machines.disk(number).serial for number in range(1, 5)]


def raid5() -> Draft:
    return answers(*SERIALS, level="raid5")


@LOOKS
def test_every_option_has_a_default(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "options", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look)


@LOOKS
def test_whole_disks_and_no_filesystem(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "options", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, ["down", "right", "down", "down", "down", "left"])


@LOOKS
def test_a_name_that_cannot_be(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(machines.four_disks(), "options", console=look == "console", draft=raid5())
    assert picture(snap_compare, app, look, ["slash", "m", "y", "space", "enter"])


def test_label_and_mount_point_follow_the_name_until_they_are_changed() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "2")
        assert app.draft.spec.filesystem.label == "data2"
        assert app.draft.spec.filesystem.mountpoint == "/srv/data2"
        await press(pilot, *["down"] * 6, "x", *["up"] * 6, "3")
        assert app.draft.spec.name == "data23"
        assert app.draft.spec.filesystem.label == "data2x"
        assert app.draft.spec.filesystem.mountpoint == "/srv/data23"

    in_app(app, walk)


def test_arrows_change_a_choice() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "right", "down", "down", "right", "down", "right", "right")
        assert app.draft.spec.partition is False
        assert app.draft.spec.consistency == "resync"
        assert app.draft.spec.filesystem.type == "btrfs"

    in_app(app, walk)


def test_the_bare_array_has_no_label_and_no_mount_point() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *["down"] * 5, "left")
        assert app.draft.spec.filesystem.type == "none"
        assert (app.draft.spec.filesystem.label, app.draft.spec.filesystem.mountpoint) == ("", "")
        await press(pilot, "right")
        assert app.draft.spec.filesystem.mountpoint == "/srv/data"

    in_app(app, walk)


def test_a_size_without_a_unit_is_refused() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "down", "ctrl+u", "5", "enter")
        assert app.place.name == "options"
        assert "'5' has no unit" in shown(app)

    in_app(app, walk)


def test_a_name_in_use_is_refused() -> None:
    machine = machines.machine(
        machines.four_disks().disks, [machines.running_array(name="data", path="/dev/md/data")]
    )
    app = open_app(machine, "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "options"
        assert "/dev/md127" in shown(app)

    in_app(app, walk)


def test_answers_are_still_there_after_going_on_and_back() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "9", "down", "right", "enter")
        assert app.place.name == "review"
        await press(pilot, "escape")
        assert app.place.name == "options"
        assert app.draft.spec.name == "data9"
        assert "[whole disk]" in shown(app)

    in_app(app, walk)
