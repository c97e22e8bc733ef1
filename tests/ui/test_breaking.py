"""In the lab, a key on Overview breaks a disk."""

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.model.errors import StepFailed
from raidtui.model.machine import Disk
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.widgets.rows import Rows
from tests.ui.pictures import LOOKS, SnapCompare, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld


class Lab(PretendWorld):
    """The lab."""

    @property
    def in_lab(self) -> bool:
        return True

    def break_disk(self, fault: str, serial: str) -> str:
        self.orders.append((fault, serial))
        if fault == "power":
            raise StepFailed("the disks would be lost with the power")
        return f"{serial} is pulled."

    def is_there(self, disk: Disk) -> bool:
        return ("pull", disk.serial) not in self.orders


def listed(app: RaidtuiApp) -> list[str]:
    """What the dialog in front lists."""
    return [row.key for row in app.screen.query_one(Rows).rows]


@LOOKS
@pytest.mark.parametrize("keys", [("x",), ("x", "enter")], ids=["what", "which"])
def test_what_happens_and_to_which_disk(snap_compare: SnapCompare, look: str, keys: tuple[str, ...]) -> None:
    app = open_app(Lab(recorded("raid5-clean")), "overview", console=look == "console")
    assert picture(snap_compare, app, look, keys)


def test_the_disks_in_use_come_first_and_what_uses_each_is_said() -> None:
    world = Lab(recorded("raid5-clean"))
    machine = world.machine()
    turned = replace(machine, disks=tuple(reversed(machine.disks)))
    app = open_app(Lab(turned), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "x", "enter")
        assert 'array "tank"' in shown(app)
        await press(pilot, "end")
        assert ", free" in shown(app)

    in_app(app, walk)


def test_a_disk_is_pulled_and_what_was_done_is_said() -> None:
    world = Lab(recorded("raid5-clean"))
    app = open_app(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "x", "enter", "down", "enter")
        assert world.orders == [("pull", "LAB-0002")]
        assert "LAB-0002 is pulled." in shown(app)
        await press(pilot, "x", "escape", "x", "enter")
        assert "LAB-0001" in listed(app)
        assert "LAB-0002" not in listed(app)
        await press(pilot, "escape")
        assert len(world.orders) == 1
        await press(pilot, "x", "down", "enter")  # plug: every disk
        assert world.orders[1:] == [("plug", "")]
        await press(pilot, "x", "end", "enter")
        assert "would be lost with the power" in shown(app)

    in_app(app, walk)


def test_outside_the_lab_no_disk_can_be_broken() -> None:
    world = PretendWorld(recorded("raid5-clean"))
    app = open_app(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "x")
        await settle(pilot)
        assert "Break it" not in shown(app)
        assert world.orders == []

    in_app(app, walk)
