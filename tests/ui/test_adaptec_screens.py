"""A computer with an Adaptec card on the screens: the card and its hazards, a virtual drive that is built, its drives."""

import pytest
from textual.pilot import Pilot

from raidtui.model.journal import Outcome
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.plan.build import make_plan
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import JOB, job, journal, open_at, request
from tests.ui.pictures import LOOKS, SEED, SnapCompare, answers, in_app, open_app, picture, press, shown
from tests.unit.adaptec_machines import SERIALS, a_volume, all_ready, with_adaptec, with_volume
from tests.unit.card_machines import recorded


def without_battery(status: str = "Impacted ( Build/Verify : 37 % )") -> Machine:
    """A card without a battery that writes back, with a virtual drive that it still builds, and a spare."""
    told = with_volume(a_volume(status=status))
    told["GETCONFIG 1 AD"] = recorded("arcconf-8kl-al.txt")
    told["GETCONFIG 1 PD"] = told["GETCONFIG 1 PD"].replace(": Ready", ": Global Hot-Spare")
    with pytest.MonkeyPatch.context() as patch:
        return with_adaptec(patch, told)


@LOOKS
def test_a_card_and_what_is_wrong_with_it(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(without_battery("Degraded")), "overview", console=look == "console")
    assert picture(snap_compare, app, look)


def test_a_virtual_drive_in_detail() -> None:
    app = open_at(BusyWorld(without_battery("Degraded")), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "v")
        text = shown(app)
        assert "write policy: write-back" in text
        assert "cache protection: no battery or capacitor" in text
        assert "firmware 5.2-0 (11835)" in text
        assert all(serial in text for serial in SERIALS[:3])
        await press(pilot, "escape")

    in_app(app, walk, size=(100, 40))


@LOOKS
def test_drives_behind_a_card(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(without_battery()), "disks", console=look == "console")
    assert picture(snap_compare, app, look, ["down"])


def all_free() -> Machine:
    """A card with free drives only."""
    with pytest.MonkeyPatch.context() as patch:
        return with_adaptec(patch, all_ready(), disks=())


@LOOKS
def test_options_of_a_virtual_drive(snap_compare: SnapCompare, look: str) -> None:
    draft = answers(*SERIALS[:3], backend=Backend.ADAPTEC, level="raid5")
    app = open_app(all_free(), "options", console=look == "console", draft=draft)
    to_initialize = [*["tab"] * 4, "space", *["tab"] * 5]
    assert picture(snap_compare, app, look, to_initialize)


def test_a_virtual_drive_that_the_card_builds_says_how_far_it_is() -> None:
    app = open_at(BusyWorld(without_battery()), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        text = shown(app)
        assert "tank-123456" in text
        assert "37" in text
        await press(pilot, "f1")

    in_app(app, walk, size=(100, 40))


def test_every_drive_in_a_slot_has_a_row_of_its_own() -> None:
    app = open_at(BusyWorld(without_battery()), "disks")

    async def walk(pilot: Pilot[int]) -> None:
        text = shown(app)
        assert all(f"0:{slot}" in text for slot in range(4))
        await press(pilot, "end")
        assert SERIALS[-1] in shown(app)

    in_app(app, walk, size=(100, 40))


def test_a_full_initialization_shows_its_percentage_before_the_kernel_has_the_disk() -> None:
    with pytest.MonkeyPatch.context() as patch:
        there = with_adaptec(patch, all_ready(), disks=())
    draft = answers(*SERIALS[:3], backend=Backend.ADAPTEC, level="raid5", options={"initialization": "full"})
    plan = make_plan(draft.spec, there, seed=SEED)
    volume = a_volume(plan.array_uuid, status="Impacted ( Clear : 37 % )")
    with pytest.MonkeyPatch.context() as patch:
        clearing = with_adaptec(patch, with_volume(volume), disks=())
    at = [step.id for step in plan.steps].index("initialize")
    running = job(Outcome.RUNNING, request=request(spec=plan.spec, title="Build adaptec raid5 data"))
    world = BusyWorld(clearing, jobs=[running], plans={JOB: plan}, journals={JOB: journal(plan, done=at)})
    app = open_at(world, "build", job=JOB)

    async def walk(pilot: Pilot[int]) -> None:
        assert "initialization 37.0 %" in " ".join(shown(app).split())

    in_app(app, walk)
