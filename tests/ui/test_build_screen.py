"""The build screen: steps and what they said, the first sync, what goes wrong with members, and its keys."""

import msgspec
import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.backends.control import Control
from raidtui.model.journal import Entry, Event, JobKind, Outcome
from raidtui.model.machine import Array
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.unit import Activity, Health, Limits, Unit
from raidtui.plan.build import make_plan
from raidtui.ui.care import build_words
from raidtui.ui.care.build import BuildScreen
from raidtui.ui.care.job_page import JobPage
from raidtui.ui.care.journal_text import entry_parts, output
from raidtui.ui.shell.app import RaidtuiApp
from raidtui.ui.shell.recorded_world import RecordedWorld
from raidtui.ui.shell.world import Access
from raidtui.ui.widgets.live import Live
from raidtui.ui.widgets.rows import Rows
from tests.ui import machines
from tests.ui.busy_worlds import BusyWorld
from tests.ui.made_jobs import (
    COMPONENT,
    JOB,
    SERIALS,
    built_array,
    first_build,
    job,
    journal,
    member,
    nas,
    open_at,
    raid5_plan,
    request,
    syncing,
)
from tests.ui.pictures import LOOKS, SEED, WITH_WIDE, SnapCompare, in_app, picture, press, settle, shown
from tests.ui.recorded import recorded

PLAN = raid5_plan()
SPARE_PLAN = raid5_plan(spare=True)
WHOLE = journal(PLAN, done=len(PLAN.steps), ended=Outcome.DONE)
SENTENCE = (
    "step 6 of 14 (Create the RAID5 array data from 4 members) failed: 'mdadm --create' ended with exit code 1: "
    "device or resource busy. The old contents of the disks can still be restored. Done before it: steps 1 to 5. "
    f"'raidtui resume {JOB}' tries this step again, 'raidtui rollback {JOB}' undoes everything"
)
CREATE = [step.id for step in PLAN.steps].index("create")


def built(*arrays: Array, access: Access = Access.ROOT, kind: type[BusyWorld] = BusyWorld) -> BusyWorld:
    """A world in which the build is done, and these are the arrays."""
    world = kind(
        nas(*arrays), access=access, jobs=[job(Outcome.DONE)], plans={JOB: PLAN}, journals={JOB: WHOLE}
    )
    world.rates = {
        f"sd{machines.letters(n)}1": (182_300_000.0 * (n < 4), 182_300_000.0 * (n == 4), 0.97)
        for n in range(1, 6)
    }
    return world


def at_build(world: BusyWorld, look: str = "80x24") -> RaidtuiApp:
    return open_at(world, "build", console=look == "console", job=JOB)


def spare_takes_over() -> tuple[Array, Array]:
    """A RAID5 of three with a spare: whole, and after its second member failed."""
    members = [member(n, n - 1) for n in (1, 2, 3)]
    before = built_array(SPARE_PLAN, members=(*members, member(4, None, "spare")))
    after = built_array(
        SPARE_PLAN,
        degraded=1,
        sync_action="recover",
        sync=syncing(0.02, action="recover"),
        members=(members[0], member(4, 1, "spare"), members[2], member(2, None, "faulty")),
    )
    return before, after


@WITH_WIDE
def test_steps_while_they_run(snap_compare: SnapCompare, look: str) -> None:
    entries = journal(PLAN, done=CREATE + 3)
    world = BusyWorld(nas(), jobs=[job(Outcome.RUNNING)], plans={JOB: PLAN}, journals={JOB: entries})
    assert picture(snap_compare, at_build(world, look), look)


@LOOKS
def test_a_step_that_failed(snap_compare: SnapCompare, look: str) -> None:
    entries = journal(PLAN, done=CREATE, failed=SENTENCE, ended=Outcome.FAILED)
    failed = job(Outcome.FAILED, sentence=SENTENCE, step="create")
    world = BusyWorld(nas(), jobs=[failed], plans={JOB: PLAN}, journals={JOB: entries})
    assert picture(snap_compare, at_build(world, look), look)


@LOOKS
def test_a_job_whose_process_is_gone(snap_compare: SnapCompare, look: str) -> None:
    entries = journal(PLAN, done=CREATE + 3)
    gone = job(Outcome.INTERRUPTED, step=PLAN.steps[CREATE + 3].id)
    world = BusyWorld(nas(), jobs=[gone], plans={JOB: PLAN}, journals={JOB: entries})
    assert picture(snap_compare, at_build(world, look), look)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.INTERRUPTED])
def test_whoever_watches_a_job_sees_why_it_ended(outcome: Outcome) -> None:
    """Its last lines were scrolled to, and why it ended stands before the first."""
    running = journal(PLAN, done=CREATE, failed=SENTENCE)
    many = tuple(
        Entry(seq=n, at=running[-1].at, event=Event.NOTE, step="create", text=f"line {n}") for n in range(30)
    )
    before = (*running[:-1], *many)
    world = BusyWorld(
        nas(), jobs=[job(Outcome.RUNNING, step="create")], plans={JOB: PLAN}, journals={JOB: before}
    )
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert "line 29" in shown(app)
        why = SENTENCE if outcome is Outcome.FAILED else ""
        ended = job(outcome, step="create", sentence=why)
        world.have_jobs(ended, journals={JOB: (*before, running[-1])} if why else None)
        assert isinstance(app.screen, BuildScreen)
        app.screen.follow(JOB)
        await settle(pilot)
        await settle(pilot)
        assert (why[1:60] or "r resumes, u rolls back") in " ".join(shown(app).split())

    in_app(app, walk)


def play(snap_compare: SnapCompare, look: str, *scenes: Array | None) -> bool:
    """Whether the screen looks as approved after the array went through these scenes; ``None``: it is gone."""
    world = built(*([scenes[0]] if scenes[0] else []))
    app = at_build(world, look)

    async def before(pilot: Pilot[int]) -> None:
        await settle(pilot)
        for scene in scenes[1:]:
            world.have_arrays(*([scene] if scene else []))
            await settle(pilot)

    width, _, height = look.partition("x") if look != "console" else ("80", "", "24")
    return snap_compare(app, terminal_size=(int(width), int(height)), run_before=before)


@WITH_WIDE
def test_the_first_sync(snap_compare: SnapCompare, look: str) -> None:
    assert play(snap_compare, look, first_build(PLAN, 0.43), first_build(PLAN, 0.432))


async def test_while_a_sync_only_gets_further_the_footer_is_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(BuildScreen, "refresh_bindings", lambda _: asked.append("keys"))
    world = built(first_build(PLAN, 0.43))
    async with at_build(world, "80x24").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        asked.clear()
        world.have_arrays(first_build(PLAN, 0.44))
        await settle(pilot)
        assert asked == []
        world.have_arrays(built_array(PLAN))
        await settle(pilot)
        assert asked, "a sync that has ended cannot be paused"


@LOOKS
def test_a_member_fails_and_the_spare_takes_over(snap_compare: SnapCompare, look: str) -> None:
    before, after = spare_takes_over()
    world = BusyWorld(
        nas(before),
        jobs=[job(Outcome.DONE, request=request(spec=SPARE_PLAN.spec))],
        plans={JOB: SPARE_PLAN},
        journals={JOB: journal(SPARE_PLAN, done=len(SPARE_PLAN.steps), ended=Outcome.DONE)},
    )
    app = at_build(world, look)

    async def scenes(pilot: Pilot[int]) -> None:
        await settle(pilot)
        world.have_arrays(after)
        await settle(pilot)

    width, _, height = look.partition("x") if look != "console" else ("80", "", "24")
    assert snap_compare(app, terminal_size=(int(width), int(height)), run_before=scenes)


@LOOKS
def test_the_array_is_stopped(snap_compare: SnapCompare, look: str) -> None:
    assert play(snap_compare, look, first_build(PLAN, 0.5), None)


@LOOKS
def test_it_lost_more_than_it_survives(snap_compare: SnapCompare, look: str) -> None:
    members = (member(1, 0), member(2, None, "faulty"), member(3, 2), member(4, None, "faulty"))
    assert play(snap_compare, look, first_build(PLAN, 0.5), built_array(PLAN, degraded=2, members=members))


@LOOKS
def test_the_sync_has_ended(snap_compare: SnapCompare, look: str) -> None:
    assert play(snap_compare, look, first_build(PLAN, 0.99), built_array(PLAN))


@LOOKS
def test_a_paused_sync_of_24_members(snap_compare: SnapCompare, look: str) -> None:
    members = tuple(member(n, n - 1) for n in range(1, 25))
    plan_array = built_array(
        PLAN, level="raid6", raid_disks=24, members=members, sync_action="resync", sync=syncing(0.3)
    )
    paused = msgspec.structs.replace(plan_array, sync=None, sync_action="frozen")
    assert play(snap_compare, look, plan_array, paused)


def test_escape_leaves_the_job_alone_and_the_overview_leads_back() -> None:
    world = built(first_build(PLAN, 0.5))
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "escape")
        assert app.place.name == "overview"
        await press(pilot, "enter")
        assert app.place.name == "build"
        assert "50.0 %" in shown(app)

    in_app(app, walk)
    assert world.orders == []


def test_without_a_job_it_finds_the_one_that_runs() -> None:
    other = job(Outcome.DONE, request=request(id="20261121-090000-new", title="Build raid1 new"))
    world = BusyWorld(
        nas(),
        jobs=[other, job(Outcome.RUNNING)],
        plans={JOB: PLAN},
        journals={JOB: journal(PLAN, done=2)},
    )
    app = open_at(world, "build")

    async def walk(pilot: Pilot[int]) -> None:
        assert "Step 3 of" in shown(app)

    in_app(app, walk)


def test_nothing_was_built_yet() -> None:
    app = open_at(BusyWorld(nas()), "build")

    async def walk(pilot: Pilot[int]) -> None:
        assert "No array has been built yet" in shown(app)
        await press(pilot, "p", "r", "u", "plus", "enter", "l")

    in_app(app, walk)


def test_p_pauses_and_goes_on() -> None:
    world = built(first_build(PLAN, 0.5))
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "p")
        assert world.orders == [("pause", "data")]
        world.have_arrays(msgspec.structs.replace(first_build(PLAN, 0.5), sync=None, sync_action="frozen"))
        await settle(pilot)
        assert "paused" in shown(app)
        assert "█ 50 % ░" in shown(app)  # how far it was is not forgotten
        await press(pilot, "plus")
        assert "p resumes it" in shown(app)
        await press(pilot, "p")

    in_app(app, walk)
    assert world.orders == [("pause", "data"), ("resume", "data")]


def test_plus_and_minus_walk_the_ladder_of_speeds_from_where_the_kernel_is() -> None:
    world = built(first_build(PLAN, 0.5))
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Speed limits: system default, 1.0 MB/s to 204.8 MB/s" in shown(app)
        await press(pilot, "minus")
        least, most = 1000 * 1024, 50 * 10**6 // 1024 * 1024
        assert world.orders == [("slower", "data")]
        gentle = msgspec.structs.replace(first_build(PLAN, 0.5), sync_speed_min=least, sync_speed_max=most)
        world.have_arrays(gentle)
        await settle(pilot)
        assert "gentle, at most 50 MB/s" in shown(app)
        await press(pilot, "plus")

    in_app(app, walk)
    assert world.orders[1:] == [("faster", "data")]


class Paced(BusyWorld):
    """Where an order changes the limits, which the kernel reports to nobody."""

    def control(self, unit: Unit, control: Control) -> str:
        said = super().control(unit, control)
        least, most = 1000 * 1024, 50 * 10**6 // 1024 * 1024
        gentle = msgspec.structs.replace(first_build(PLAN, 0.5), sync_speed_min=least, sync_speed_max=most)
        self._machine = msgspec.structs.replace(self._machine, arrays=(gentle,))
        return said


def test_new_limits_are_shown_at_once() -> None:
    app = at_build(built(first_build(PLAN, 0.5), kind=Paced))

    async def walk(pilot: Pilot[int]) -> None:
        assert "Speed limits: system default, 1.0 MB/s to 204.8 MB/s" in shown(app)
        await press(pilot, "minus")
        panel = app.screen.query_one("#sync", Live)
        assert "Speed limits: gentle, at most 50 MB/s" in panel.render().plain

    in_app(app, walk)


def test_the_limits_are_put_back_when_the_sync_ends() -> None:
    fast = msgspec.structs.replace(first_build(PLAN, 0.99), sync_speed_min=50 * 10**6)
    world = built(fast)

    async def walk(pilot: Pilot[int]) -> None:
        world.have_arrays(built_array(PLAN, sync_speed_min=50 * 10**6))
        await settle(pilot)

    in_app(at_build(world), walk)
    assert world.orders == [("restore", "data")]


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.INTERRUPTED, Outcome.CANCELLED, Outcome.REFUSED])
def test_an_unfinished_job_can_be_resumed_or_undone(outcome: Outcome) -> None:
    entries = journal(PLAN, done=CREATE, failed=SENTENCE)
    world = BusyWorld(
        nas(), jobs=[job(outcome, sentence=SENTENCE)], plans={JOB: PLAN}, journals={JOB: entries}
    )
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "r Resume u Roll back" in shown(app)
        await press(pilot, "r")
        await press(pilot, "u", "enter")  # Cancel has the focus
        assert world.orders == [("resume", JOB)]
        await press(pilot, "u", "right", "enter")

    in_app(app, walk)
    assert world.orders == [("resume", JOB), ("rollback", JOB)]


def test_without_root_an_order_asks_to_go_on_as_root() -> None:
    app = at_build(built(first_build(PLAN, 0.5), access=Access.USER))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "p")
        assert "This needs root" in shown(app)

    in_app(app, walk)


def test_x_asks_a_running_job_to_stop_and_does_nothing_to_one_that_ended() -> None:
    world = BusyWorld(
        nas(), jobs=[job(Outcome.RUNNING)], plans={JOB: PLAN}, journals={JOB: journal(PLAN, done=2)}
    )

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "x")

    in_app(at_build(world), walk)
    assert world.orders == [("cancel", JOB)]
    ended = built(built_array(PLAN))
    in_app(at_build(ended), walk)
    assert ended.orders == []


def test_enter_goes_on_to_the_benchmark_of_the_mount_point() -> None:
    app = at_build(built(built_array(PLAN)))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "enter")
        assert (app.place.name, app.place.about) == ("benchmark", {"target": "/srv/data"})

    in_app(app, walk)


def test_one_disk_alone_has_no_array_and_is_measured_too() -> None:
    spec = Spec(
        name="lone",
        backend=Backend.DISK,
        level="single",
        members=SERIALS[:1],
        filesystem=FilesystemSpec(type="xfs"),
    )
    plan = make_plan(spec, machines.four_disks(), seed=SEED)
    entries = journal(plan, done=len(plan.steps), ended=Outcome.DONE)
    done = job(Outcome.DONE, request=request(spec=plan.spec, title="Build single lone"))
    app = at_build(BusyWorld(nas(), jobs=[done], plans={JOB: plan}, journals={JOB: entries}))

    async def walk(pilot: Pilot[int]) -> None:
        assert "Done: lone, single disk, " in shown(app)
        assert "Next: Enter benchmarks /srv/lone" in shown(app)
        assert "has been stopped" not in shown(app)
        await press(pilot, "enter")
        assert (app.place.name, app.place.about) == ("benchmark", {"target": "/srv/lone"})

    in_app(app, walk)


def test_the_journal_shows_every_command_with_its_output() -> None:
    app = at_build(built(built_array(PLAN)))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "l")
        assert "$ wipefs" in shown(app)
        await press(pilot, "end")
        assert "done" in shown(app)
        await press(pilot, "f1")
        assert "PgUp, PgDn" in shown(app)
        assert "fields and buttons" not in shown(app)

    in_app(app, walk)


def test_what_a_command_indented_with_tabs_is_indented_with_spaces() -> None:
    assert output('{\n\t"Status" : "Success"\n}\n') == ["{", '    "Status" : "Success"', "}"]


def running(done: int, *arrays: Array) -> BusyWorld:
    """A world in which the build is at the step after ``done`` of them; before the first for none."""
    entries = journal(PLAN, done=done) if done else ()
    return BusyWorld(nas(*arrays), jobs=[job(Outcome.RUNNING)], plans={JOB: PLAN}, journals={JOB: entries})


def test_the_journal_of_a_running_job_opens_at_what_came_last() -> None:
    app = at_build(running(12))

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "l")
        assert PLAN.steps[0].title not in shown(app)
        assert PLAN.steps[12].title in shown(app)

    in_app(app, walk)


def test_before_the_first_step_it_says_that_it_starts() -> None:
    app = at_build(running(0))

    async def walk(pilot: Pilot[int]) -> None:
        assert f"Starting: {len(PLAN.steps)} steps" in shown(app)
        assert "Step 0" not in shown(app)

    in_app(app, walk)


def test_while_a_step_runs_it_is_not_all_done() -> None:
    lines = build_words.running(
        PLAN, journal(PLAN, done=len(PLAN.steps) - 1), {PLAN.steps[0].id: 1e9}, None, width=80
    )
    assert " 99 % " in lines[0].plain


def test_the_bar_does_not_go_back_when_a_sync_has_ended_and_its_step_has_not() -> None:
    waits = replace(PLAN.steps[-1], as_long_as="writing the whole new member")
    plan = replace(PLAN, steps=(*PLAN.steps[:-1], waits))
    entries = journal(plan, done=len(plan.steps) - 1)
    (bar, *_) = build_words.running(plan, entries, {}, None, width=80, lasted=0.918)
    assert " 92 % " in bar.plain


def test_a_command_that_may_end_so_is_told_without_alarm() -> None:
    entry = Entry(
        seq=0, at="2026-11-21T04:03:12Z", event=Event.COMMAND, argv=("mdadm", "--readwrite"), returncode=1
    )
    alarming, calm = (entry_parts(replace(entry, stderr="busy", accepted=one)) for one in (False, True))
    assert "$text-warning" in str(alarming)
    assert "$text-warning" not in str(calm)
    assert "exit code 1, not an error here" in str(calm)
    now = str(entry_parts(replace(entry, stderr="failed to set writable", accepted=True), most=4))
    assert "exit code 1, not an error here" in now
    assert "failed" not in now


def test_while_steps_run_no_scrub_is_offered() -> None:
    app = at_build(running(12, built_array(PLAN)))

    async def walk(pilot: Pilot[int]) -> None:
        assert "x Stop" in shown(app)
        assert "s Scrub" not in shown(app)

    in_app(app, walk)


def test_output_with_control_characters_is_harmless() -> None:
    nasty = Entry(
        seq=0,
        at="2026-11-21T04:03:12Z",
        event=Event.COMMAND,
        step="mountpoint",
        argv=("x",),
        stdout="\x1b[2J[red]",
    )
    begin = Entry(seq=0, at="2026-11-21T04:03:12Z", event=Event.STEP, step="mountpoint", text="\x1b]0;x\x07")
    world = BusyWorld(nas(), jobs=[job(Outcome.RUNNING)], plans={JOB: PLAN}, journals={JOB: (begin, nasty)})
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "?[2J[red]" in shown(app)
        await press(pilot, "l")
        assert "?]0;x?" in shown(app)
        assert "\x1b" not in shown(app)

    in_app(app, walk)


@pytest.mark.slow
@pytest.mark.parametrize("outcome", [Outcome.RUNNING, Outcome.INTERRUPTED])
def test_a_teardown_that_has_not_ended_stands_at_run(outcome: Outcome) -> None:
    asked = request(kind=JobKind.TEARDOWN, title="Remove data", spec=None, array="data")
    world = BusyWorld(nas(), jobs=[job(outcome, request=asked)], plans={JOB: PLAN}, journals={JOB: WHOLE})
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Remove → Confirm → [Run] → Done" in shown(app).splitlines()[0]

    in_app(app, walk)


def test_a_teardown_says_that_the_disks_are_free_and_not_overwritten() -> None:
    asked = request(kind=JobKind.TEARDOWN, title="Remove data", spec=None, array="data")
    world = BusyWorld(
        nas(), jobs=[job(Outcome.DONE, request=asked)], plans={JOB: PLAN}, journals={JOB: WHOLE}
    )
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Remove → Confirm → Run → [Done]" in shown(app).splitlines()[0]
        assert "its disks are free (not overwritten)" in shown(app)
        assert "has been stopped" not in shown(app)

    in_app(app, walk)


def test_a_level_without_redundancy_has_no_sync_and_no_limits() -> None:
    plain = built_array(
        PLAN,
        level="raid0",
        degraded=None,
        sync_speed_min=None,
        sync_speed_max=None,
        component_bytes=COMPONENT,
    )
    app = at_build(built(plain))

    async def walk(pilot: Pilot[int]) -> None:
        assert "Running, no redundancy" in shown(app)
        assert "Limits" not in shown(app)
        assert "p Pause" not in shown(app)

    in_app(app, walk)


def test_what_was_said_of_an_order_goes_when_the_sync_has_ended() -> None:
    syncs = first_build(PLAN, 0.5)
    world = built(msgspec.structs.replace(syncs, sync_action="frozen"))
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        world._machine = nas(syncs)
        await press(pilot, "p")
        assert "Initial sync resumed." in shown(app)
        world.have_arrays(built_array(PLAN))
        await settle(pilot)
        assert "In sync" in shown(app)
        assert "Initial sync resumed." not in shown(app)

    in_app(app, walk)


def test_when_the_job_has_ended_what_was_said_of_it_goes_and_the_disks_are_read_again() -> None:
    entries = journal(PLAN, done=2)
    world = BusyWorld(nas(), jobs=[job(Outcome.RUNNING)], plans={JOB: PLAN}, journals={JOB: entries})
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "x")
        assert "Stopping after this step" in shown(app)
        further = journal(PLAN, done=3)
        app.screen.post_message(JobPage.Followed(job(Outcome.RUNNING), further))
        await settle(pilot)
        assert app.screen.query_one(Rows).key == PLAN.steps[3].id
        assert "Stopping after this step" in shown(app), "the list moves by itself, the user has not"
        world.become_silently(machines.no_disks())
        ended = job(Outcome.CANCELLED, step=PLAN.steps[3].id)
        app.screen.post_message(JobPage.Followed(ended, further))
        await settle(pilot)
        await settle(pilot)
        assert "canceled at step 4" in shown(app)
        assert "Stopping after this step" not in shown(app)
        assert app.machine == machines.no_disks()

    in_app(app, walk)


def test_a_pause_that_was_just_asked_for_counts_before_md_tells_of_it() -> None:
    world = built(first_build(PLAN, 0.5))
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        await press(pilot, "p", "plus")
        assert "the initial sync is paused; p resumes it" in shown(app)

    in_app(app, walk)
    assert [what for what, _ in world.orders] == ["pause"]


def test_the_bar_counts_the_seconds_that_steps_took_in_an_earlier_job() -> None:
    earlier = request(id="20261120-090000-data")
    slow = tuple(
        msgspec.structs.replace(entry, seconds=600.0 if entry.step == "initramfs" else 1.0)
        if entry.event is Event.STEP_DONE
        else entry
        for entry in WHOLE
    )
    world = BusyWorld(
        nas(),
        jobs=[job(Outcome.RUNNING), job(Outcome.DONE, request=earlier)],
        plans={JOB: PLAN},
        journals={JOB: journal(PLAN, done=2), earlier.id: slow},
    )
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Step 3 of 14, this step takes longer" in shown(app)
        assert app.screen.query_one("#progress", Live).lines[0].plain.count(" 0 % ") == 1

    in_app(app, walk)


def test_while_it_is_rolled_back_the_steps_left_to_undo_are_counted() -> None:
    entries = journal(PLAN, done=4, undone=[PLAN.steps[3].id])
    entries = (
        *entries,
        msgspec.structs.replace(entries[-2], step=PLAN.steps[2].id, at="2026-11-21T04:08:10Z"),
    )
    world = BusyWorld(nas(), jobs=[job(Outcome.RUNNING)], plans={JOB: PLAN}, journals={JOB: entries})
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Rolling back: Build RAID5 data" in shown(app)
        assert f"Undoing: {PLAN.steps[2].title}, 2 s" in shown(app)
        assert "4 steps to undo" in shown(app)

    in_app(app, walk)


def test_with_room_all_steps_are_seen_at_once() -> None:
    world = BusyWorld(
        nas(), jobs=[job(Outcome.RUNNING)], plans={JOB: PLAN}, journals={JOB: journal(PLAN, done=12)}
    )
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        for step in PLAN.steps:
            assert step.title in shown(app)

    in_app(app, walk, size=(120, 40))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (80, 30), (110, 24), (80, 33), (80, 34), (120, 40)])
def test_when_it_is_built_the_last_steps_are_seen_at_every_size(size: tuple[int, int]) -> None:
    before, after = spare_takes_over()
    scenes = [(first_build(PLAN, 0.5),), (built_array(PLAN),), (before, after)]

    async def walk(pilot: Pilot[int]) -> None:
        await pilot.resize_terminal(*size)
        await settle(pilot)
        for array in arrays[1:]:
            world.have_arrays(array)
            await settle(pilot)
        lines = shown(app).splitlines()
        steps = [line for line in lines if " done " in line]
        assert len(steps) >= 2
        assert PLAN.steps[-1].title in steps[-1]
        assert any("Next: " in line for line in lines)
        assert sum("WD-WCC7K001" in line for line in lines) >= 3
        assert "q Quit" in lines[-1]

    for arrays in scenes:
        world = built(arrays[0])
        app = at_build(world)
        in_app(app, walk, size=(120, 40))


def test_the_keys_lead_to_the_first_steps_where_only_the_last_are_seen() -> None:
    app = at_build(built(first_build(PLAN, 0.5)))

    async def walk(pilot: Pilot[int]) -> None:
        assert PLAN.steps[0].title not in shown(app)
        await press(pilot, "home")
        assert PLAN.steps[0].title in shown(app)

    in_app(app, walk)


POOL_PLAN = msgspec.structs.replace(
    PLAN,
    spec=msgspec.structs.replace(PLAN.spec, backend=Backend.LVM, metadata=None, consistency=None),
    array_path="/dev/data/data",
)
FIRST_SYNC = Activity(
    what="resync",
    fraction=0.25,
    done_bytes=1_000_000_000_000,
    total_bytes=4_000_000_000_000,
    bytes_per_second=182_300_000,
)


def pool(**changes: object) -> Unit:
    """The volume group of `POOL_PLAN`, redundant when its first sync is done."""
    made = machines.volume_group(
        name="data",
        marks=(POOL_PLAN.array_uuid,),
        health=Health.BUILDING,
        state="not redundant yet: a disk failure now loses data (resync 25.0 %)",
        activity=FIRST_SYNC,
    )
    return msgspec.structs.replace(made, **changes)


def pool_world(unit: Unit) -> BusyWorld:
    """A world in which the build of a volume group is done."""
    done = job(Outcome.DONE, request=request(spec=POOL_PLAN.spec, title="Build RAID5 data"))
    world = BusyWorld(nas(), jobs=[done], plans={JOB: POOL_PLAN}, journals={JOB: WHOLE})
    world.groups = (unit,)
    return world


@LOOKS
def test_the_first_sync_of_a_volume_group(snap_compare: SnapCompare, look: str) -> None:
    assert picture(snap_compare, at_build(pool_world(pool()), look), look)


@pytest.mark.slow
def test_a_volume_group_is_followed_until_it_is_in_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.ui.care.build.UNIT_SECONDS", 0.05)
    world = pool_world(pool())
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "25.0 %" in shown(app)
        assert "the resync continues, also after a reboot" in " ".join(shown(app).split())
        world.groups = (pool(health=Health.OK, state="in sync", activity=None),)
        for _ in range(100):
            await pilot.pause(0.05)
            if "In sync" in shown(app):
                break
        assert "In sync" in shown(app)
        assert "Done: data, volume group, RAID5 of 4 disks" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "benchmark"
        assert app.place.about["target"] == POOL_PLAN.spec.filesystem.mountpoint

    in_app(app, walk)


def test_a_volume_group_that_failed_is_not_to_be_measured() -> None:
    app = at_build(
        pool_world(pool(health=Health.FAILED, state="FAILED: 2 of 4 disks missing", activity=None))
    )

    async def walk(pilot: Pilot[int]) -> None:
        assert "Do not write to its disks now" in shown(app)
        assert "Enter Care" in shown(app)
        await press(pilot, "enter")
        assert app.place.name == "care"

    in_app(app, walk)


def test_the_sync_of_a_volume_group_is_paced_and_not_paused_which_lvm_cannot() -> None:
    world = pool_world(pool(node="/dev/dm-3", limits=Limits()))
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "Speed limits: system default" in shown(app)
        assert "+- Speed" in shown(app)
        assert "p Pause" not in shown(app)
        await press(pilot, "p", "minus")
        assert "Speed limits: gentle, at most 50 MB/s." in shown(app)

    in_app(app, walk)
    assert world.orders == [("slower", "data")]


def test_a_group_on_an_array_is_paused_through_the_array() -> None:
    array = msgspec.structs.replace(first_build(PLAN, 0.5), name="base", uuid="aaaa:bbbb")
    group = pool(backend=Backend.LVM_ON_MD, below=("aaaa:bbbb",))
    world = pool_world(group)
    world.become_silently(nas(array))
    app = at_build(world)

    async def walk(pilot: Pilot[int]) -> None:
        assert "p Pause" in shown(app)
        await press(pilot, "p")

    in_app(app, walk)
    assert world.orders == [("pause", "data")]


WITH_BTRFS = msgspec.structs.replace(
    machines.four_disks(), tools={**machines.four_disks().tools, "btrfs": "6.2", "mkfs.btrfs": "6.2"}
)
BTRFS_PLAN = make_plan(
    Spec(
        name="data",
        backend=Backend.BTRFS,
        level="raid1",
        members=SERIALS[:3],
        filesystem=FilesystemSpec(mountpoint="/srv/data"),
    ),
    WITH_BTRFS,
    seed=SEED,
)


@LOOKS
def test_a_scrub_of_a_btrfs_that_was_built(snap_compare: SnapCompare, look: str) -> None:
    (found,) = RecordedWorld(recorded("btrfs-raid1")).polled()
    unit = msgspec.structs.replace(
        found,
        name="data",
        marks=(BTRFS_PLAN.array_uuid,),
        health=Health.SYNCING,
        state="scrub 25.0 %, usable now",
        activity=msgspec.structs.replace(FIRST_SYNC, what="scrub"),
        scrubbed="",
    )
    steps = journal(BTRFS_PLAN, done=len(BTRFS_PLAN.steps), ended=Outcome.DONE)
    done = job(Outcome.DONE, request=request(spec=BTRFS_PLAN.spec, title="Build btrfs raid1 data"))
    world = BusyWorld(nas(), jobs=[done], plans={JOB: BTRFS_PLAN}, journals={JOB: steps})
    world.groups = (unit,)
    assert picture(snap_compare, at_build(world, look), look)


@pytest.mark.parametrize(("size", "is_beside"), [((80, 40), False), ((120, 30), True), ((200, 50), True)])
def test_the_sync_comes_first_and_the_output_is_beside_the_steps_where_there_is_room(
    size: tuple[int, int], is_beside: bool
) -> None:
    app = at_build(built(first_build(PLAN, 0.5)))

    async def walk(_: Pilot[int]) -> None:
        sync, steps, text = (app.screen.query_one(f"#{name}").region for name in ("sync", "steps", "output"))
        assert sync.width == size[0] - 2
        assert sync.y <= 4  # not anchored at the bottom
        assert steps.y >= sync.bottom
        assert (text.y == steps.y) is is_beside
        assert (text.x >= steps.right) is is_beside

    in_app(app, walk, size=size)


def test_the_title_has_both_names_however_long_they_are() -> None:
    title = f"Replace usb-{'LAB_DISK_' * 5}-0:1 with usb-{'LAB_DISK_' * 5}-0:3"
    running = msgspec.structs.replace(job(Outcome.RUNNING, step="create"), request=request(title=title))
    world = BusyWorld(nas(), jobs=[running], plans={JOB: PLAN}, journals={JOB: journal(PLAN, done=CREATE)})
    app = at_build(world)

    async def look(pilot: Pilot[int]) -> None:
        await settle(pilot)
        assert shown(app).count("-0:3") == 1

    in_app(app, look)


def test_an_array_that_is_still_being_built_is_not_called_usable() -> None:
    app = at_build(running(7, built_array(PLAN, sync_action="resync", sync=syncing(0.11))))

    async def walk(_: Pilot[int]) -> None:
        assert "Resync" in shown(app)
        assert "usable now" not in shown(app)

    in_app(app, walk)
