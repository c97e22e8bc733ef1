"""On a large terminal pages use their room: what would be asked next stands beside or below a short list."""

from typing import Final

import pytest
from textual.pilot import Pilot

from raidtui.model.errors import Refused
from raidtui.model.journal import Outcome
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui import machines
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import JOB, built_array, job, journal, nas, open_at, raid5_plan
from tests.ui.pictures import answers, in_app, open_app, press, settle, shown
from tests.ui.scenes import Scene, every_scene
from tests.ui.test_alerts_screen import machine
from tests.ui.test_burnin_screen import open_burn_in, tried
from tests.ui.test_care_screen import at_care, sick
from tests.ui.test_grow_screen import RAID5, open_grow
from tests.ui.test_health_screen import computer
from tests.ui.test_options_screen import raid5

PLAN = raid5_plan()
SIZES = pytest.mark.parametrize("size", [(120, 40), (200, 50)])


def filled(app: RaidtuiApp) -> float:
    """The share of lines with text between title and footer."""
    lines = shown(app).splitlines()[2:-1]
    return sum(bool(line.replace("│", "").strip()) for line in lines) / len(lines)


LEAST: Final = 0.39  # of the lines have text, or there is a reason
SPARSE: Final = {
    "test_health_screen.test_disks_that_say_nothing[0]": "nothing is known of five disks",
    "test_compare_screen.test_some_are_picked[0]": "six results, each a line; Enter fills the page",
    "test_sweep_screen.test_choosing_the_disks_of_a_sweep[0]": "a dialog",
    "test_level_screen.test_what_if_there_were_one_disk_more[0]": "a dialog",
    "test_burnin_screen.test_disks_to_try[0]": "nothing has been read yet",
    "test_grow_screen.test_a_mirror_without_a_free_disk[0]": "two disks, and a line that is never done",
    "test_build_screen.test_steps_while_they_run[0]": "the first steps have just ended",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene",
    [one for one in every_scene("200x50") if one.arguments.get("look") == "200x50"],
    ids=lambda one: one.name,
)
def test_no_picture_leaves_most_of_a_large_terminal_empty(scene: Scene) -> None:
    app, way = scene.open()

    async def walk(pilot: Pilot[int]) -> None:
        await way(pilot)
        assert (filled(app) > LEAST) is (scene.name not in SPARSE)

    in_app(app, walk, size=(200, 50))


@SIZES
def test_disks_say_what_they_would_give(size: tuple[int, int]) -> None:
    app = open_app(machines.four_disks(), "disks", draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        assert "What the 4 free disks of 4.00 TB would give" in shown(app)
        assert "RAID5 is recommended: where its data would lie" in shown(app)
        assert filled(app) > 0.6
        await press(pilot, "space", "space")
        assert "What these 2 disks would give" in shown(app)

    in_app(app, walk, size=size)


def test_on_a_small_terminal_disks_are_alone() -> None:
    app = open_app(machines.four_disks(), "disks", draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        assert "would give" not in shown(app)

    in_app(app, walk)


def test_many_disks_leave_no_room_for_anything_else() -> None:
    app = open_app(machines.machine([machines.disk(n) for n in range(1, 40)]), "disks", draft=answers())

    async def walk(pilot: Pilot[int]) -> None:
        assert "would give" not in shown(app)

    in_app(app, walk, size=(120, 40))


@SIZES
def test_an_overview_without_arrays_shows_the_disks_and_what_they_would_give(size: tuple[int, int]) -> None:
    app = open_app(machines.four_disks(), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        assert "WD-WCC7K0012" in shown(app)
        assert "What the 4 free disks of 4.00 TB would give" in shown(app)
        assert "RAID10" in shown(app)
        assert filled(app) > 0.6

    in_app(app, walk, size=size)


def test_an_overview_with_one_array_shows_its_disks_as_well() -> None:
    app = open_at(BusyWorld(nas(built_array(PLAN))), "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "the running system" in shown(app)

    in_app(app, walk, size=(120, 40))


@SIZES
def test_jobs_show_the_journal_beside_the_list(size: tuple[int, int]) -> None:
    world = BusyWorld(
        nas(),
        jobs=[job(Outcome.INTERRUPTED, step="create")],
        plans={JOB: PLAN},
        journals={JOB: journal(PLAN, done=3)},
    )
    app = open_at(world, "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "$ wipefs --all" in shown(app)
        assert filled(app) > 0.6

    in_app(app, walk, size=size)


def test_health_shows_what_is_recorded_below_the_list() -> None:
    app = open_app(computer(), "health")

    async def walk(pilot: Pilot[int]) -> None:
        assert "2026-11-28" in shown(app), "the latest day"
        assert "reallocated" in shown(app)
        assert filled(app) > 0.6

    in_app(app, walk, size=(120, 40))


@SIZES
def test_care_shows_the_members_the_plan_and_the_disks_below_the_list(size: tuple[int, int]) -> None:
    app = at_care(sick(1))

    async def walk(pilot: Pilot[int]) -> None:
        assert "slot member" in shown(app)
        assert "1 Save a recovery capsule of 1 disk" in shown(app), "the plan that Enter shows"
        assert size == (120, 40) or "the running system" in shown(app), "all disks"

    in_app(app, walk, size=size)


def test_care_without_a_plan_shows_none() -> None:
    app = at_care(sick(2))

    async def walk(pilot: Pilot[int]) -> None:
        assert "by hand" in shown(app)
        assert "slot member" in shown(app)
        assert "The plan" not in shown(app)

    in_app(app, walk, size=(200, 50))


def test_a_plan_that_cannot_be_made_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Refused("sdb is in use")

    monkeypatch.setattr("raidtui.plan.care.make_care", refuse)
    app = at_care(sick(1))

    async def walk(pilot: Pilot[int]) -> None:
        assert "It cannot be done now: sdb is in use." in shown(app)

    in_app(app, walk, size=(200, 50))


@SIZES
def test_grow_shows_the_members_and_the_plan_of_the_highlighted_line(size: tuple[int, int]) -> None:
    app = open_grow(RAID5)

    async def walk(pilot: Pilot[int]) -> None:
        assert "slot member" in shown(app)
        if size == (200, 50):
            assert "Let tank grow by 1 disk to 4 members" in shown(app)
            await press(pilot, "down")
            assert "Let tank grow by 2 disks to 5 members" in shown(app)

    in_app(app, walk, size=size)


@SIZES
def test_a_burn_in_shows_the_speeds_of_all_disks_below_each_other(size: tuple[int, int]) -> None:
    app = open_burn_in(tried())

    async def walk(pilot: Pilot[int]) -> None:
        assert "Speed from the first sector to the last" in shown(app)
        assert "sdd WD-WCC7K0014: 182 MB/s at most, 91 at least" in shown(app)

    in_app(app, walk, size=size)


@SIZES
def test_alerts_show_what_they_would_say(size: tuple[int, int]) -> None:
    app = open_app(machine(None), "overview", "alerts")

    async def walk(pilot: Pilot[int]) -> None:
        assert "DANGER  ONE MORE FAILURE LOSES NAME" in shown(app)
        assert "WARNING NAME IS DEGRADED; ITS DATA IS THERE" in shown(app)
        assert "NOBODY HEARS OF A DISK THAT FAILS" not in shown(app), "that is never sent"

    in_app(app, walk, size=size)


def test_options_show_where_the_data_would_lie() -> None:
    app = open_app(machines.four_disks(), "options", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        assert "Where its data would lie" in shown(app)
        assert "P is the parity of its row" in shown(app)

    in_app(app, walk, size=(200, 50))


@SIZES
def test_confirm_names_the_disks_that_stay(size: tuple[int, int]) -> None:
    app = open_app(machines.four_disks(), "confirm", draft=raid5())

    async def walk(pilot: Pilot[int]) -> None:
        below = shown(app).partition("Nothing is erased on")[2]
        assert "S5Y1NJ0R412345K" in below
        assert "WD-WCC7K0012" not in below

    in_app(app, walk, size=size)
