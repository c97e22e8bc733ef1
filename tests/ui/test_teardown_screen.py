"""Taking an array away: from a taken disk over the plan and the serial numbers to the job."""

from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.backends.units import units_of
from raidtui.machine.reader import load_machine
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.unit import UnitMember
from raidtui.ui.wizard.disk_owner import what_it_belongs_to
from tests.ui import machines
from tests.ui.pictures import LOOKS, SnapCompare, answers, in_app, open_app, picture, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld

CLEAN = load_machine(str(Path(__file__).parents[1] / "machines" / "raid5-clean.json"))
MEMBERS = [disk for disk in CLEAN.disks if what_it_belongs_to(disk, units_of(CLEAN), CLEAN)]


@LOOKS
def test_what_taking_an_array_away_does(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(CLEAN, "overview", "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home", "t"])


@LOOKS
def test_what_removing_a_btrfs_does(snap_compare: SnapCompare, look: str) -> None:
    app = open_app(recorded("btrfs-raid1"), "overview", "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["home", "t"])


def test_everything_that_is_lost_is_said_to_its_end() -> None:
    app = open_app(recorded("raid5-one-outside"), "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home", "t")
        said = " ".join(shown(app).split()).split("step 1")[0]
        assert "which is not started, 512 MiB, UUID f9cce98b-ebe2-300c-8718-9fa3bcafab90" in said

    in_app(app, walk)


def test_from_a_taken_disk_to_the_job() -> None:
    world = PretendWorld(CLEAN)
    draft = answers("ANOTHER-DISK")
    app = open_app(world, "overview", "disks", draft=draft)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home")
        assert "Or press t" in shown(app)
        await press(pilot, "t")
        assert "everything on it is lost" in shown(app)
        assert "Remove array tank on lab" in shown(app).splitlines()[1]
        assert "[Remove] → Confirm → Run → Done" in shown(app).splitlines()[0]
        said = " ".join(shown(app).split())
        assert f"ERASES {len(MEMBERS)} disks and array {CLEAN.arrays[0].name} with ext4" in said
        assert "mounted at" in said
        assert "partition table with" not in said.split("step 1")[0], "it is part of the array"
        assert not [word for word in ("Save spec", "Fix") if word in shown(app).splitlines()[-1]]
        await press(pilot, "enter")
        assert app.place.name == "confirm"
        assert "Remove → [Confirm] → Run → Done" in shown(app).splitlines()[0]
        assert shown(app).splitlines()[1].startswith(" On lab: ERASES")
        assert "its part of" in shown(app)
        assert "no data was found" not in shown(app)
        for disk in MEMBERS:
            await press(pilot, *disk.serial[-4:], "enter")
        await press(pilot, "enter")
        assert app.place.name == "build"

    in_app(app, walk)
    ((what, request),) = world.orders
    assert what == "teardown"
    assert isinstance(request, JobRequest)
    assert CLEAN.array(request.array) == CLEAN.arrays[0]
    assert sorted(request.erase) == sorted(disk.serial for disk in MEMBERS)
    assert app.draft.spec == draft.spec  # what was being answered about another array is still there
    assert app.draft.seed != draft.seed, "a seed is for one job"


def without_array(machine: Machine) -> Machine:
    return msgspec.structs.replace(machine, arrays=())


@pytest.mark.parametrize("machine", [machines.four_disks(), without_array(CLEAN)])
def test_a_disk_of_no_array_offers_none(machine: Machine) -> None:
    assert not any(what_it_belongs_to(disk, units_of(machine), machine) for disk in machine.disks)
    app = open_app(machine, "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "t")
        assert app.place.name == "disks"
        assert "t Remove" not in shown(app)

    in_app(app, walk)


def test_an_array_that_is_gone_meanwhile_is_told() -> None:
    world = PretendWorld(CLEAN)
    app = open_app(world, "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "home", "t")
        world.become(machines.four_disks())
        await settle(pilot)
        assert "Cannot remove it: " in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_a_disk_in_use_belongs_to_the_unit_of_any_backend_that_it_is_a_member_of() -> None:
    machine, pool = machines.taken_disks(), machines.volume_group()
    disk = machine.disks[1]
    assert what_it_belongs_to(disk, (pool,), machine) == pool.uuid
    assert what_it_belongs_to(disk, (), machine) == ""
    assert what_it_belongs_to(msgspec.structs.replace(disk, free=True), (pool,), machine) == ""
    lacks = msgspec.structs.replace(pool, members=(UnitMember(path="", state="missing"),))
    nameless = msgspec.structs.replace(disk, serial="", wwn="", by_id=())
    assert what_it_belongs_to(nameless, (lacks,), machine) == ""
