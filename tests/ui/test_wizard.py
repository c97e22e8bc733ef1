"""From four blank disks to the order to build them, with the keyboard alone, on a machine recorded in the lab."""

import pytest
from textual.pilot import Pilot

from raidtui.jobs.confirm import check_erase, check_hazards
from raidtui.model.journal import JobRequest
from raidtui.plan.build import make_plan
from tests.ui.pictures import SEED, in_app, open_app, press, settle, shown
from tests.ui.recorded import recorded
from tests.ui.worlds import PretendWorld


def test_the_whole_way_from_blank_disks_to_a_job() -> None:
    machine = recorded("blank-4")
    world = PretendWorld(machine)
    app = open_app(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "n")
        assert app.place.name == "disks"
        await press(pilot, "space", "space", "space", "s", "enter")
        assert app.place.name == "level"
        assert "RAID5" in shown(app)
        await press(pilot, "left", "enter")
        assert app.place.name == "options"
        await press(pilot, "backspace", "backspace", "backspace", "backspace", *"tank", "enter")
        assert app.place.name == "review"
        assert "Review: RAID5 tank" in shown(app)
        assert "ERASES 4 disks" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "confirm"
        for serial in ("0001", "0002", "0003", "0004"):
            await press(pilot, *serial, "enter")
        assert world.orders == []
        await press(pilot, "enter")
        await settle(pilot)
        assert app.place.name == "build"
        assert app.place.about == {"job": "20261121-040312-data"}

    in_app(app, walk)
    ((kind, request),) = world.orders
    assert kind == "build"
    assert isinstance(request, JobRequest)
    spec = request.spec
    assert spec is not None
    assert (spec.name, spec.level, spec.chunk) == ("tank", "raid5", 256 * 1024)
    assert spec.members == ("LAB-0001", "LAB-0002", "LAB-0003")
    assert spec.spares == ("LAB-0004",)
    assert (spec.filesystem.label, spec.filesystem.mountpoint) == ("tank", "/srv/tank")
    # What the wizard sends is what a job asks for before it starts.
    plan = make_plan(spec, machine, seed=request.seed)
    assert plan.fingerprint == request.fingerprint
    check_erase(plan, request.erase, machine)
    check_hazards(plan, request.accepted)


@pytest.mark.slow
def test_after_the_order_escape_leads_to_the_overview_and_the_answers_are_fresh() -> None:
    world = PretendWorld(recorded("blank-4"))
    app = open_app(world, "overview", "disks")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "a", "enter", "enter", "enter", "enter")
        for serial in ("0001", "0002", "0003", "0004"):
            await press(pilot, *serial, "enter")
        await press(pilot, "enter")
        await settle(pilot)
        assert app.place.name == "build", shown(app)
        await press(pilot, "escape")
        assert app.place.name == "overview"
        assert app.draft.spec.members == ()
        assert app.draft.seed != SEED

    in_app(app, walk)
