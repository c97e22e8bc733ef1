"""A computer with a RAID card on the screens: the card and its hazards, its virtual drive, its drives in slots."""

import pytest
from textual.pilot import Pilot

from raidtui.model.machine import Machine
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import open_at
from tests.ui.pictures import LOOKS, SnapCompare, in_app, picture, press, shown
from tests.unit.card_machines import nine_two_seventy, recorded, with_card
from tests.unit.test_backends_megaraid_build import free


def with_bad_battery() -> Machine:
    """The 9270 with a capacitor that failed under a cache that writes back."""
    failed = recorded("9270-c0.json").replace('"State": "Optimal"', '"State": "Failed"')
    with pytest.MonkeyPatch.context() as patch:
        return with_card(patch, nine_two_seventy() | {"/c0 show all": failed})


@LOOKS
def test_a_card_and_what_is_wrong_with_it(snap_compare: SnapCompare, look: str) -> None:
    world = BusyWorld(with_bad_battery())
    assert picture(snap_compare, open_at(world, "overview", console=look == "console"), look)


@LOOKS
def test_drives_behind_a_card(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(with_bad_battery()), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["down", "down", "space"])


def test_every_drive_in_a_slot_has_a_row_of_its_own() -> None:
    app = open_at(BusyWorld(with_bad_battery()), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        text = shown(app)
        for slot in range(8):
            assert f"252:{slot}" in text
        await press(pilot, "end")
        assert "slot 252:7" in shown(app)
        assert "WD-WM00000008" in shown(app)

    in_app(app, walk, size=(100, 40))


def test_free_drives_behind_a_card_are_not_shown_what_md_would_make_of_them() -> None:
    with pytest.MonkeyPatch.context() as patch:
        there = free(patch)
    app = open_at(BusyWorld(there), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "end", "space", "up", "space", "enter")
        assert app.place.name == "disks"
        assert 'backend = "megaraid"' in " ".join(shown(app).split())

    in_app(app, walk, size=(100, 40))
