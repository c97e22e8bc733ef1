"""The sweep screen: the matrix as it fills up, an array that failed, and nothing at all."""

from datetime import timedelta

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.model.journal import Entry, Event, JobKind, JobRequest, JobState, Outcome
from raidtui.model.machine import Machine
from raidtui.model.result import Result
from raidtui.model.smart import Smart
from raidtui.model.sweep import Sweep
from raidtui.model.text import spelled
from raidtui.model.units import GIB, KIB
from raidtui.sweep.matrix import Turn, turns_of
from raidtui.ui.care.job_progress import progress_of
from raidtui.ui.shell.app import RaidtuiApp
from tests.ui import machines
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import BEGIN, SERIALS, nas, open_at
from tests.ui.made_results import BENCH, bench_job, result
from tests.ui.pictures import LOOKS, WITH_WIDE, SnapCompare, in_app, picture, press, settle, shown
from tests.ui.recorded import recorded

SWEEP = "20261121-040000-sweep-levels"
LEVELS = Sweep(
    name="levels",
    disks=SERIALS,
    slice=32 * GIB,
    levels=("single", "raid0", "raid1", "raid5", "raid6", "raid10"),
    chunks=(64 * KIB, 512 * KIB),
    filesystems=("none", "ext4"),
)


def job(outcome: Outcome, sentence: str = "") -> JobState:
    """The sweep's job in that state."""
    request = JobRequest(
        id=SWEEP, kind=JobKind.SWEEP, title="Sweep levels", created=BEGIN.isoformat(), sweep=LEVELS
    )
    return JobState(
        request=request, outcome=outcome, sentence=sentence, folder=f"/var/lib/raidtui/jobs/{SWEEP}"
    )


def history(done: int, *, failed: int = -1) -> tuple[tuple[Entry, ...], list[Result]]:
    """A journal in which ``done`` turns are measured and the next is under way; ``failed`` one could not be built."""
    entries: list[Entry] = []
    results: list[Result] = []

    def say(event: Event, step: str = "", text: str = "", data: bytes = b"null") -> None:
        at = (BEGIN + timedelta(seconds=70 * len(entries))).isoformat()
        entries.append(
            Entry(seq=len(entries), at=at, event=event, step=step, text=text, data=msgspec.Raw(data))
        )

    say(Event.STARTED)
    turns = turns_of(LEVELS)
    for number, turn in enumerate(turns[: done + 1]):
        say(Event.STEP, turn.id, turn.combination.title)
        if number == failed:
            say(
                Event.STEP_FAILED,
                turn.id,
                "Build raid6 sweep: step 4 of 11 (Create the RAID6 array sweep from 4 members) failed: mdadm ended with exit code 1",
            )
        elif number < done:
            results.append(_result(turn, number))
            say(Event.RESULT, turn.cell("cdm"), results[-1].id)
            say(Event.STEP_DONE, turn.id)
        else:
            text = f"measuring {turn.combination.title} with cdm"
            say(Event.NOTE, turn.id, text, b'{"job":"%s"}' % BENCH.encode())
    return tuple(entries), results


def _result(turn: Turn, number: int) -> Result:
    label = f"levels: {turn.combination.title}, pass {turn.number}"
    return result(number + 1, label, factor=0.5 + number % 7 * 0.3)


def at_sweep(
    done: int, outcome: Outcome, look: str = "80x24", *, failed: int = -1, sentence: str = ""
) -> RaidtuiApp:
    """The app on a sweep that came so far."""
    entries, results = history(done, failed=failed)
    world = BusyWorld(
        nas(), jobs=[job(outcome, sentence), bench_job(outcome)], journals={SWEEP: entries}, results=results
    )
    return open_at(world, "sweep", console=look == "console", job=SWEEP)


@WITH_WIDE
def test_the_matrix_fills_up(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_sweep(24, Outcome.RUNNING, look, failed=5), look, ["down", "down"])


@LOOKS
def test_no_sweep_yet(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(nas()), "sweep", console=look == "console")
    assert picture(snap_compare, app, look)


@LOOKS
def test_what_a_study_would_do(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(nas()), "sweep", console=look == "console", study="levels")
    app.draft = app.draft.with_spec(members=SERIALS[:3])
    assert picture(snap_compare, app, look, ["down"])


@LOOKS
def test_what_a_quick_study_would_do(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(nas()), "sweep", console=look == "console", study="levels")
    app.draft = app.draft.with_spec(members=SERIALS[:3])
    assert picture(snap_compare, app, look, ["space"])


def test_a_quick_study_stays_quick_on_confirm_and_on_the_way_back() -> None:
    world = BusyWorld(nas())
    app = open_at(world, "sweep", study="levels")
    app.draft = app.draft.with_spec(members=SERIALS)

    async def walk(pilot: Pilot[int]) -> None:
        assert "2 passes" in shown(app)
        await press(pilot, "space")
        assert "One pass" in shown(app)
        assert "Quick: each array" in shown(app)
        await press(pilot, "enter")
        assert "to confirm" in shown(app).lower()
        await press(pilot, "escape")
        assert "One pass" in shown(app)
        await press(pilot, "space")
        assert "2 passes" in shown(app)

    in_app(app, walk)


def test_a_study_is_chosen_looked_at_confirmed_by_serial_number_and_followed() -> None:
    world = BusyWorld(nas())
    app = open_at(world, "sweep")
    app.draft = app.draft.with_spec(members=SERIALS)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "n")
        assert "Which disks? The sweep will erase them" in shown(app)
        assert "4 chosen" in shown(app)
        await press(pilot, "enter")
        assert "Which study?" in shown(app)
        await press(pilot, "down", "down", "enter")
        assert app.place.about == {"study": "levels"}
        assert "Nothing has happened yet" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "confirm"
        for serial in SERIALS:
            await press(pilot, *serial[-4:], "enter")
        assert world.orders == []
        await press(pilot, "enter")
        assert app.place.name == "sweep"

    in_app(app, walk)
    (order,) = world.orders
    assert order[0] == "sweep"
    assert isinstance(order[1], JobRequest)
    assert order[1].sweep is not None
    assert order[1].sweep.disks == SERIALS
    assert order[1].erase == SERIALS


def sick_nas() -> Machine:
    """A disk with pending sectors among healthy ones."""
    sick = machines.disk(3, smart=Smart(passed=True, pending_sectors=3))
    return machines.machine([machines.system_disk(0), machines.disk(1), machines.disk(2), sick])


def test_a_hazard_marked_high_is_acknowledged_before_the_disks_are_named() -> None:
    machine = sick_nas()
    app = open_at(BusyWorld(machine), "sweep", study="levels")
    app.draft = app.draft.with_spec(members=tuple(disk.serial for disk in machine.disks[1:]))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert "HIGH: " in shown(app)
        await press(pilot, "escape")
        assert app.place.name == "sweep", "to go back is no acknowledgement"
        for _ in range(10):
            if app.place.name == "confirm":
                break
            await press(pilot, "enter", "right", "enter")
        assert app.place.name == "confirm"
        assert app.draft.accepted

    in_app(app, walk)


@LOOKS
def test_a_hazard_of_a_sweep(snap_compare: SnapCompare, look: str) -> None:
    machine = sick_nas()
    app = open_at(BusyWorld(machine), "sweep", console=look == "console", study="levels")
    app.draft = app.draft.with_spec(members=tuple(disk.serial for disk in machine.disks[1:]))
    assert picture(snap_compare, app, look, ["enter"])


@pytest.mark.parametrize("key", ["enter", "n"])
def test_the_disks_of_a_sweep_are_chosen_here(key: str) -> None:
    app = open_at(BusyWorld(nas()), "sweep")

    async def walk(pilot: Pilot[int]) -> None:
        assert shown(app).splitlines()[-1].startswith("Enter New F1"), "one key for one thing"
        await press(pilot, key, "enter")
        assert "Choose at least one disk with Space" in shown(app)
        await press(pilot, "space", "space", "space", "up", "space", "enter")
        assert "Which study?" in shown(app)
        assert app.draft.spec.members == (SERIALS[0], SERIALS[1])
        await press(pilot, "escape", "n", "a", "escape")
        assert app.draft.spec.members == (SERIALS[0], SERIALS[1]), "canceled"

    in_app(app, walk)


def test_the_disks_that_a_study_does_not_need_have_a_line_of_their_own() -> None:
    app = open_at(BusyWorld(nas()), "sweep", study="stripe")
    app.draft = app.draft.with_spec(members=SERIALS)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot)
        assert "?" not in shown(app)
        lines = [line.strip() for line in shown(app).splitlines()]
        assert f"Not needed, left alone: {', '.join(SERIALS[2:])}" in lines

    in_app(app, walk)


@WITH_WIDE
def test_choosing_the_disks_of_a_sweep(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(BusyWorld(nas()), "sweep", console=look == "console")
    assert picture(snap_compare, app, look, ["n", "space", "space"])


def test_a_study_that_is_refused_says_why_and_offers_another() -> None:
    world = BusyWorld(nas())
    app = open_at(world, "sweep")
    app.draft = app.draft.with_spec(members=SERIALS[:1])

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "n", "enter", "enter")
        assert "Looking for the sweep" not in shown(app)
        assert "Nothing has happened" in shown(app)
        assert "! " in shown(app)
        assert "Press Enter to choose the disks" in shown(app)
        await press(pilot, "n")
        dialog = app.screen.query_one(".dialog").region
        assert dialog.x == app.size.width - dialog.right, "in the middle, as every dialog"

    in_app(app, walk)


def test_a_study_that_was_refused_is_shown_once_the_disks_are_there() -> None:
    whole = nas()
    world = BusyWorld(machines.machine(whole.disks[:-1]))
    app = open_at(world, "sweep", study="levels")
    app.draft = app.draft.with_spec(members=SERIALS)

    async def walk(pilot: Pilot[int]) -> None:
        assert "not with these disks" in shown(app)
        world.become(whole)
        await settle(pilot)
        await settle(pilot)
        assert "what it would do on 4 disks" in shown(app)
        assert "! " not in shown(app)

    in_app(app, walk)


def test_an_array_that_failed_says_why_and_the_others_go_on() -> None:
    app = at_sweep(24, Outcome.RUNNING, failed=5)
    bad = turns_of(LEVELS)[5].combination

    async def walk(pilot: Pilot[int]) -> None:
        rows = app.screen.query_one("#matrix")
        for _ in range(20):
            if f"{spelled(bad.title)}\n" in str(app.screen.query_one("#text").render()):
                break
            await press(pilot, "down")
        assert rows.has_focus_within
        assert "FAILED: Build raid6 sweep" in shown(app)
        assert "1 of them FAILED" in shown(app)

    in_app(app, walk)


def test_enter_follows_the_part_that_runs_and_c_compares_with_what_others_published() -> None:
    app = at_sweep(3, Outcome.RUNNING)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert app.place.name == "benchmark"
        assert app.place.about == {"job": BENCH}
        await press(pilot, "escape", "c")
        assert app.place.name == "compare"
        assert "Compare 2 groups by level" in shown(app)
        assert "RAID5, published" in shown(app)

    in_app(app, walk)


def test_the_passes_over_an_array_are_compared_as_one() -> None:
    app = at_sweep(24, Outcome.DONE)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "c")
        assert "Compare 2 groups by level" in shown(app)
        assert "24 results" in shown(app)

    in_app(app, walk)


def test_the_overview_leads_to_the_sweep_and_not_to_its_parts() -> None:
    entries, results = history(3)
    part = bench_job(Outcome.RUNNING)
    part = msgspec.structs.replace(part, request=msgspec.structs.replace(part.request, part_of=SWEEP))
    world = BusyWorld(nas(), jobs=[part, job(Outcome.RUNNING)], journals={SWEEP: entries}, results=results)
    app = open_at(world, "overview")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "watch 'Sweep levels', which is running" in shown(app)
        assert "Benchmark /srv/data" not in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "sweep"

    in_app(app, walk)


def test_an_interrupted_sweep_goes_on_with_r_and_is_cleared_up_with_u() -> None:
    app = at_sweep(2, Outcome.INTERRUPTED)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "interrupted" in shown(app)
        assert "r resumes, u rolls back" in shown(app)
        await press(pilot, "u")
        assert "Removes everything that the sweep left" in shown(app)

    in_app(app, walk)


def test_an_array_for_which_there_are_too_few_disks_is_no_measurement_that_failed() -> None:
    small = msgspec.structs.replace(LEVELS, disks=SERIALS[:3], levels=("raid0 of 2", "raid6 of 4"), passes=1)
    state = job(Outcome.RUNNING)
    state = msgspec.structs.replace(state, request=msgspec.structs.replace(state.request, sweep=small))
    app = open_at(BusyWorld(nas(), jobs=[state], journals={SWEEP: history(0)[0][:1]}), "sweep", job=SWEEP)

    async def walk(pilot: Pilot[int]) -> None:
        assert "0 of 4 arrays done" in shown(app)
        assert any(
            line.split("RAID6 of 4, 64KiB, ext4")[-1].strip() == "needs 4 disks"
            for line in shown(app).splitlines()
        )

    in_app(app, walk)


def test_the_overview_shows_how_far_a_sweep_is() -> None:
    entries, results = history(24)
    world = BusyWorld(nas(), jobs=[job(Outcome.RUNNING)], journals={SWEEP: entries}, results=results)
    far = progress_of([job(Outcome.RUNNING)], world)[SWEEP]
    assert far.share == 24 / len(turns_of(LEVELS))
    assert far.words.startswith(f"24 of {len(turns_of(LEVELS))} arrays done, about ")


def test_a_wide_terminal_has_the_details_beside_the_matrix_and_a_bar_for_each_array() -> None:
    app = at_sweep(24, Outcome.RUNNING)

    async def walk(_: Pilot[int]) -> None:
        matrix, about = (app.screen.query_one(f"#{name}").region for name in ("matrix", "about"))
        assert about.x >= matrix.right
        assert about.y == matrix.y
        assert "Read, mean of the passes" in shown(app)
        assert "60 %" in shown(app).splitlines()[2]

    in_app(app, walk, size=(200, 50))


def test_where_all_disks_are_in_use_the_list_says_where_to_free_them() -> None:
    machine = recorded("raid5-clean")
    taken = msgspec.structs.replace(machine, disks=tuple(one for one in machine.disks if not one.free))
    app = open_at(BusyWorld(taken), "sweep")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        for key in ("n", "enter"):  # Enter does not say that one of none is to be chosen
            await press(pilot, key)
            assert "all are in use. d on the Overview shows by what" in " ".join(shown(app).split())

    in_app(app, walk)
