"""The jobs screen: every job with its outcome in words, and what can still be done about it."""

import msgspec
import pytest
from textual.pilot import Pilot

from raidtui.model.journal import BurnInRequest, JobKind, JobState, Outcome
from raidtui.model.procedure import Replace
from raidtui.ui.care import job_words
from raidtui.ui.shell.job_ended import ended_elsewhere
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.rows import Rows
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import JOB, job, journal, nas, open_at, raid5_plan, request
from tests.ui.made_results import BENCH, bench_job
from tests.ui.pictures import LOOKS, WITH_WIDE, SnapCompare, in_app, picture, press, settle, shown

PLAN = raid5_plan()
SENTENCE = "step 8 of 13 (Create the ext4 filesystem, label tank) failed: no space left on device. The old contents of the disks are lost. Done before it: steps 1 to 7"
EVERY = [
    bench_job(Outcome.RUNNING),
    job(Outcome.INTERRUPTED, step="create"),
    job(Outcome.FAILED, step="mkfs", sentence=SENTENCE, request=request(id="j6", title="Build raid6 six")),
    job(Outcome.REFUSED, sentence="sdb changed since", request=request(id="j5", title="Build raid1 mirror")),
    job(Outcome.CANCELLED, step="conf", request=request(id="j4", title="Build raid10 ten")),
    job(Outcome.ROLLED_BACK, step="mountpoint", request=request(id="j3", title="Build raid0 fast")),
    job(
        Outcome.DONE,
        steps_done=("umount", "stop"),
        request=request(id="j2", title="Remove tank", kind=JobKind.TEARDOWN, spec=None, array="tank"),
    ),
    job(Outcome.DONE, request=request(id="j1", title="Build RAID5 " + "very-long-name-" * 8)),
]


def busy(*, access: Access = Access.ROOT) -> BusyWorld:
    """A world with a job of every outcome."""
    return BusyWorld(
        nas(), access=access, jobs=EVERY, plans={JOB: PLAN}, journals={JOB: journal(PLAN, done=3)}
    )


@WITH_WIDE
def test_every_outcome_in_words(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(busy(), "jobs", console=look == "console")
    assert picture(snap_compare, app, look, ["down"])


@LOOKS
def test_no_job_yet(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, open_at(BusyWorld(nas()), "jobs", console=look == "console"), look)


def test_before_the_list_marks_a_job_none_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rows, "key", "")
    app = open_at(busy(), "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        assert "Reading the jobs..." in shown(app)
        assert "No jobs yet" not in shown(app)

    in_app(app, walk)


def test_a_job_that_cannot_be_read_is_not_none(monkeypatch: pytest.MonkeyPatch) -> None:
    world = BusyWorld(nas())
    monkeypatch.setattr(
        world, "damaged_jobs", lambda: ("/var/lib/raidtui/jobs cannot be read: Permission denied",)
    )
    app = open_at(world, "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "cannot be read: Permission denied" in shown(app)
        assert "No jobs yet" not in shown(app)

    in_app(app, walk)


@LOOKS
def test_a_journal(snap_compare: SnapCompare, look: str) -> None:
    app = open_at(busy(), "jobs", console=look == "console")
    assert picture(snap_compare, app, look, ["down", "l"])


@pytest.mark.parametrize(("row", "place", "about"), [(0, "benchmark", BENCH), (1, "build", JOB)])
def test_enter_follows_it_on_the_right_screen(row: int, place: str, about: str) -> None:
    app = open_at(busy(), "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, *["down"] * row, "enter")
        assert (app.place.name, app.place.about) == (place, {"job": about})
        await press(pilot, "escape")
        assert app.place.name == "jobs"

    in_app(app, walk)


def test_only_an_unfinished_build_can_be_resumed_or_undone() -> None:
    world = busy()
    app = open_at(world, "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "r", "u")  # a benchmark that runs
        await press(pilot, "end", "r", "u")  # a build that is done
        assert world.orders == []
        await press(pilot, "home", "down", "r")
        assert app.place.name == "build"

    in_app(app, walk)
    assert world.orders == [("resume", JOB)]


def test_undoing_asks_first_and_cancel_has_the_focus() -> None:
    world = busy()
    app = open_at(world, "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "u", "enter")
        assert world.orders == []
        await press(pilot, "u", "right", "enter")

    in_app(app, walk)
    assert world.orders == [("rollback", JOB)]


def test_x_stops_what_runs() -> None:
    world = busy()

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "x")

    in_app(open_at(world, "jobs"), walk)
    assert world.orders == [("cancel", BENCH)]


def test_a_benchmark_has_no_number_of_steps() -> None:
    world = BusyWorld(nas(), jobs=[bench_job(Outcome.RUNNING, step="run-3", steps_done=("fill", "run-1"))])
    app = open_at(world, "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        assert "running: run 3" in shown(app)
        assert "steps done" not in shown(app)

    in_app(app, walk)


@pytest.mark.slow
def test_the_list_follows_the_jobs_and_keeps_the_highlighted_one() -> None:
    world = BusyWorld(nas(), jobs=[job(Outcome.RUNNING, step="mkfs")], plans={JOB: PLAN})
    app = open_at(world, "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        assert "running at step 9" in shown(app)
        world.have_jobs(bench_job(Outcome.RUNNING), job(Outcome.DONE))
        await settle(pilot)
        assert "Benchmark /srv/data" in shown(app)
        await press(pilot, "enter")
        assert app.place.about == {"job": JOB}

    in_app(app, walk)


def test_without_root_it_asks_to_go_on_as_root() -> None:
    world = busy(access=Access.USER)
    app = open_at(world, "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "r")
        assert "This needs root" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def burn_in(outcome: Outcome, **changes: object) -> JobState:
    asked = request(kind=JobKind.BURN_IN, spec=None, burn_in=BurnInRequest(disks=("A",), patience_seconds=9))
    return msgspec.structs.replace(JobState(request=asked, outcome=outcome), **changes)


def test_a_burn_in_can_be_resumed_but_not_rolled_back() -> None:
    stopped = burn_in(Outcome.INTERRUPTED, step="read")
    assert job_words.can_resume(stopped)
    assert not job_words.can_undo(stopped)
    assert job_words.why(stopped).endswith("Nothing is lost: r resumes.")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (job(Outcome.CANCELLED, step="settle-array"), "canceled at step 7"),
        (job(Outcome.RUNNING, step="partition", steps_done=("mountpoint", "partition")), "running at step 2"),
        (job(Outcome.DONE, step="mount"), "done"),
        (bench_job(Outcome.RUNNING, step="warm-up"), "running: warm-up"),
        (bench_job(Outcome.RUNNING, step="run-3"), "running: run 3"),
        (bench_job(Outcome.CANCELLED, step="fill"), "canceled during test file"),
        (bench_job(Outcome.CANCELLED, step="run-1"), "canceled during run 1"),
        (job(Outcome.RUNNING, request=request(kind=JobKind.SWEEP)), "running"),
        (burn_in(Outcome.RUNNING, step="again"), "running: reading again what was slow"),
        (burn_in(Outcome.CANCELLED, step="verify"), "canceled during comparing"),
        (burn_in(Outcome.DONE, step="read", exit_code=0), "done"),
        (burn_in(Outcome.DONE, step="read", exit_code=4), "done: a disk is not well"),
    ],
)
def test_where_a_job_is_has_no_name_that_only_the_journal_knows(state: JobState, words: str) -> None:
    assert job_words.outcome(state)[0] == words


@pytest.mark.parametrize(
    ("erase", "words"), [(("LAB-0004",), "erases LAB-0004; job j1"), ((), "erases no disk; job j1")]
)
def test_a_procedure_is_not_the_removal_of_nothing(erase: tuple[str, ...], words: str) -> None:
    care = request(
        id="j1",
        kind=JobKind.CARE,
        spec=None,
        title="Replace LAB-0002 with LAB-0004",
        erase=erase,
        procedure=Replace(old="LAB-0002", new="LAB-0004"),
    )
    app = open_at(BusyWorld(nas(), jobs=[job(Outcome.DONE, request=care)]), "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert words in shown(app)

    in_app(app, walk)


def test_without_a_job_the_first_keys_are_offered_here() -> None:
    app = open_at(BusyWorld(nas()), "jobs")

    async def walk(pilot: Pilot[int]) -> None:
        assert "Press n to build an array" in shown(app)
        footer = shown(app).splitlines()[-1]
        assert footer.startswith(("n New b Benchmark", "nNew"))
        assert "Resume" not in footer
        await press(pilot, "n")
        assert app.place.name == "disks"

    in_app(app, walk)


@pytest.mark.parametrize(
    ("begun", "rings"), [("2026-11-21T04:03:12+00:00", True), ("2026-11-21T04:08:00+00:00", False)]
)
def test_a_long_job_that_ends_while_one_looks_elsewhere_rings_and_is_named(begun: str, rings: bool) -> None:
    asked = request(created=begun)
    world = BusyWorld(nas(), jobs=[job(Outcome.RUNNING, request=asked)])
    app = open_at(world, "disks")
    bells: list[str] = []
    app.bell = lambda: bells.append("bell")  # type: ignore[method-assign]

    async def walk(pilot: Pilot[int]) -> None:
        world.have_jobs(job(Outcome.DONE, request=asked))
        await settle(pilot)
        assert bool(bells) is rings
        assert ("Build RAID5 data: done. j on the overview shows it." in shown(app)) is rings

    in_app(app, walk)


def test_a_job_that_ends_on_its_own_screen_does_not_ring() -> None:
    running, done = job(Outcome.RUNNING), job(Outcome.DONE)
    assert ended_elsewhere([running], [done], shown=JOB) == ""
    assert ended_elsewhere([running], [done], shown="") != ""
    assert ended_elsewhere([], [done], shown="") == "", "it had ended before raidtui was opened"


def test_a_job_that_was_found_or_started_on_the_screen_in_front_does_not_ring() -> None:
    long_ago = "2026-11-21T04:03:12+00:00"
    asked = msgspec.structs.replace(bench_job(Outcome.RUNNING).request, created=long_ago)
    running, done = (bench_job(outcome, request=asked) for outcome in (Outcome.RUNNING, Outcome.DONE))
    world = BusyWorld(nas(), jobs=[running])
    app = open_at(world, "benchmark")
    bells: list[str] = []
    app.bell = lambda: bells.append("bell")  # type: ignore[method-assign]

    async def walk(pilot: Pilot[int]) -> None:
        world.have_jobs(done)
        await settle(pilot)
        assert not bells
        assert "on the overview shows it" not in shown(app)

    in_app(app, walk)
