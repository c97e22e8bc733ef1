"""On a large terminal pages use their room: what would be asked next stands beside or below a short list."""

import pytest
from textual.pilot import Pilot

from raidtui.model.journal import Outcome
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui import machines
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import JOB, built_array, job, journal, nas, open_at, raid5_plan
from tests.ui.pictures import answers, in_app, open_app, press, settle, shown
from tests.ui.test_health_screen import computer

PLAN = raid5_plan()
SIZES = pytest.mark.parametrize("size", [(120, 40), (200, 50)])


def filled(app: RaidtuiApp) -> float:
    """The share of lines with text between title and footer."""
    lines = shown(app).splitlines()[2:-1]
    return sum(bool(line.replace("│", "").strip()) for line in lines) / len(lines)


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
