"""Grow: from the page of an array to what it can become, the disk, the plan and the serial number."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.model.machine import Machine
from raidtui.model.units import GIB
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.place import Place
from raidtui.ui.widgets.rows import Rows
from tests.ui import machines
from tests.ui.pictures import WITH_WIDE, SnapCompare, answers, in_app, picture, press, shown
from tests.ui.worlds import PretendWorld
from tests.unit.btrfs_machines import UUID as BTRFS_UUID
from tests.unit.btrfs_machines import btrfs_disk, btrfs_machine, filesystem
from tests.unit.btrfs_machines import device as btrfs_device
from tests.unit.test_grow_plans import FREE, SECOND, larger, made, nas

RAID5 = nas(made("raid5", 3), FREE, SECOND)
MIRROR = nas(made("raid1", 2))
UUID = made("raid5", 3).uuid


def open_grow(machine: Machine, *, console: bool = False) -> RaidtuiApp:
    places = [Place("overview"), Place("unit", {"unit": UUID}), Place("grow", {"unit": UUID})]
    return RaidtuiApp(PretendWorld(machines.in_use(machine)), console, places=places, draft=answers())


@WITH_WIDE
def test_what_a_raid5_can_become(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_grow(RAID5, console=look == "console"), look)


@pytest.mark.parametrize("width", [80, 100, 120, 140])
def test_no_line_of_the_list_is_wrapped_into_the_next(width: int) -> None:
    app = open_grow(RAID5)

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.resize_terminal(width, 40)
        await press(pilot)
        rows = app.screen.query_one(Rows)
        first = [line.split()[0] for line in shown(app).splitlines()[3 : 3 + rows.lines]]
        assert first == ["today", "+1", "+2", "to", "larger", "another", "smaller", "fewer"]

    in_app(app, walk)


@WITH_WIDE
def test_a_mirror_without_a_free_disk(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_grow(MIRROR, console=look == "console"), look, ["end"])


@pytest.mark.parametrize(
    ("machine", "downs", "asked", "planned"),
    [
        (RAID5, 0, True, "Let tank grow by 1 disk"),
        (RAID5, 1, False, "Let tank grow by 2 disks"),
        (nas(made("raid5", 3), FREE), 0, False, "Let tank grow by 1 disk"),
        (larger(made("raid5", 3)), 0, False, "Let tank use all of its members"),
    ],
)
def test_from_the_page_of_an_array_to_the_plan(
    machine: Machine, downs: int, asked: bool, planned: str
) -> None:
    places = [Place("overview"), Place("unit", {"unit": UUID})]
    app = RaidtuiApp(PretendWorld(machine), False, places=places, draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "g")
        assert app.place.name == "grow"
        await press(pilot, *["down"] * downs, "enter")
        assert ("Which disk joins?" in shown(app)) is asked
        if asked:
            await press(pilot, "down", "enter")
        assert app.place.name == "procedure"
        assert planned in shown(app)
        assert (SECOND.identity in shown(app)) is (asked or "2 disks" in planned)

    in_app(app, walk)


def test_enter_does_nothing_on_today_and_on_what_is_never_done() -> None:
    app = open_grow(RAID5)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home", "enter")
        assert app.place.name == "grow"
        await press(pilot, "end", "enter")
        assert app.place.name == "grow"

    in_app(app, walk)


def test_a_unit_that_raidtui_does_not_grow_yet_offers_no_key() -> None:
    system = machines.machine([FREE], [])
    app = RaidtuiApp(
        PretendWorld(msgspec.structs.replace(system)),
        False,
        places=[Place("overview"), Place("grow", {"unit": "x"})],
        draft=answers(),
    )

    async def walk(pilot: Pilot[int]) -> None:
        assert "not there any more" in shown(app)

    in_app(app, walk)


_OWN = [btrfs_disk(n, free=False) for n in (1, 2, 3)]
BTRFS = msgspec.structs.replace(
    btrfs_machine(filesystem(*(btrfs_device(n, allocated_bytes=2 * GIB) for n in (1, 2, 3)))),
    disks=(*_OWN, SECOND),
)


@WITH_WIDE
def test_what_a_btrfs_can_become(snap_compare: SnapCompare, look: str) -> None:
    places = [Place("overview"), Place("unit", {"unit": BTRFS_UUID}), Place("grow", {"unit": BTRFS_UUID})]
    app = RaidtuiApp(PretendWorld(BTRFS), look == "console", places=places, draft=answers())
    assert picture(snap_compare, app, look, ["down"])


def test_another_profile_of_a_btrfs_has_a_plan() -> None:
    places = [Place("overview"), Place("unit", {"unit": BTRFS_UUID}), Place("grow", {"unit": BTRFS_UUID})]
    app = RaidtuiApp(PretendWorld(BTRFS), False, places=places, draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "down", "enter")
        assert app.place.name == "procedure"
        assert "Let tank become" in shown(app)
        assert "RAID1C3" in shown(app).upper()

    in_app(app, walk)
