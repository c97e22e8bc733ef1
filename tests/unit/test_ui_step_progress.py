"""How far a job is by the time of its steps: expected seconds, the share of the bar, and what is left."""

from datetime import timedelta

import msgspec
import pytest

from raidtui.model.journal import Entry, Event, Outcome
from raidtui.model.plan import Role, Run, SaveCapsule, Step
from raidtui.plan.durations import expected_seconds
from raidtui.ui.care.build_words import running
from raidtui.ui.care.step_progress import progress, seconds_of
from raidtui.ui.care.step_words import step_views
from raidtui.ui.shell import clock
from tests.ui.made_jobs import BEGIN, journal, raid5_plan

PLAN = raid5_plan()


@pytest.fixture
def just_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step of any journal began a second ago."""
    monkeypatch.setattr(clock, "since", lambda moment: 1.0)


@pytest.mark.usefixtures("just_begun")
def test_the_share_never_goes_back_and_ends_at_all_of_it() -> None:
    shares = [
        progress(PLAN, journal(PLAN, done=done), Outcome.RUNNING).share for done in range(len(PLAN.steps))
    ]
    assert shares == sorted(shares)
    assert 0 <= shares[0] < 0.1
    assert progress(PLAN, journal(PLAN, done=14, ended=Outcome.DONE), Outcome.DONE).share == 1.0


@pytest.mark.usefixtures("just_begun")
def test_what_is_left_is_what_the_steps_left_took_before() -> None:
    known = {step.id: 10.0 for step in PLAN.steps}
    far = progress(PLAN, journal(PLAN, done=4), Outcome.RUNNING, known)
    assert (far.number, far.count, far.left_steps) == (5, 14, 10)
    assert far.left_seconds == pytest.approx(99)
    assert far.words == "about 100 s left"
    assert far.share == pytest.approx(41 / 140)


def test_a_step_that_takes_longer_than_expected_promises_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "since", lambda moment: 3600.0)
    far = progress(PLAN, journal(PLAN, done=4), Outcome.RUNNING)
    assert far.left_seconds is None
    assert far.words == "this step takes longer than usual"
    assert far.share < 1


@pytest.mark.parametrize(("done", "which"), [(2, "step 5"), (4, "this step")])
def test_a_step_that_writes_a_whole_disk_is_never_late(
    monkeypatch: pytest.MonkeyPatch, done: int, which: str
) -> None:
    monkeypatch.setattr(clock, "since", lambda moment: 36_000.0 if done == 4 else 1.0)
    steps = list(PLAN.steps)
    steps[4] = msgspec.structs.replace(steps[4], as_long_as="writing the whole virtual drive")
    plan = msgspec.structs.replace(PLAN, steps=tuple(steps))
    far = progress(plan, journal(plan, done=done), Outcome.RUNNING, {steps[4].id: 60.0})
    assert far.left_seconds is None
    assert far.words == f"{which} takes as long as writing the whole virtual drive"
    assert progress(plan, journal(plan, done=5), Outcome.RUNNING).as_long_as == ""


def test_a_step_that_writes_a_whole_disk_is_nearly_all_of_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "since", lambda moment: 36_000.0)
    steps = list(PLAN.steps)
    steps[4] = msgspec.structs.replace(steps[4], as_long_as="writing the whole virtual drive")
    plan = msgspec.structs.replace(PLAN, steps=tuple(steps))

    def share(done: int, lasting: float = 0.0) -> float:
        return progress(plan, journal(plan, done=done), Outcome.RUNNING, None, lasting).share

    assert share(3) < 0.01
    assert [round(share(4, lasting), 2) for lasting in (0.0, 0.3, 0.65, 0.99)] == [0.0, 0.3, 0.65, 0.98]
    assert share(5) > 0.99


@pytest.mark.usefixtures("just_begun")
def test_undoing_counts_backwards_over_the_steps_that_were_begun() -> None:
    undone = [PLAN.steps[3].id, PLAN.steps[2].id]
    entries = journal(PLAN, done=3, undone=undone)
    far = progress(PLAN, entries, Outcome.RUNNING)
    assert far.undoing
    assert far.left_steps == 2
    assert far.number == 3
    assert 0 < far.share < 1


def test_before_the_first_step_nothing_is_done() -> None:
    far = progress(PLAN, (), Outcome.RUNNING)
    assert (far.number, far.share) == (0, 0.0)


def test_rebuilding_an_initramfs_is_expected_to_take_long_and_a_capsule_by_its_disks() -> None:
    def step(*actions: Run | SaveCapsule) -> Step:
        return Step(id="x", role=Role.PREPARE, title="x", reason="x", actions=actions)

    quick = expected_seconds(step(Run(argv=("wipefs", "--all", "/dev/x"))))
    assert expected_seconds(step(Run(argv=("update-initramfs", "-u")))) > 20 * quick
    two, four = (expected_seconds(step(SaveCapsule(disks=("A",) * count))) for count in (2, 4))
    assert four > two


def test_only_steps_that_were_really_done_say_how_long_they_took() -> None:
    def done(step: str, seconds: float, text: str = "") -> Entry:
        at = (BEGIN + timedelta(seconds=1)).isoformat()
        return Entry(seq=0, at=at, event=Event.STEP_DONE, step=step, seconds=seconds, text=text)

    found = seconds_of([done("wipe", 4.0), done("create", 0.01, "it was finished before the interruption")])
    assert found == {"wipe": 4.0}
    assert seconds_of([msgspec.structs.replace(done("wipe", 4.0), seconds=None)]) == {}


@pytest.mark.parametrize(("mode", "undoing"), [("run", False), ("rollback", True)])
def test_a_step_that_was_cut_off_is_not_done_now_while_a_new_process_starts(
    monkeypatch: pytest.MonkeyPatch, mode: str, undoing: bool
) -> None:
    """The minutes since it was begun are not those that it takes, and what is rolled back is not done."""
    monkeypatch.setattr(clock, "since", lambda moment: 3600.0)
    entries = journal(PLAN, done=4)
    data = msgspec.Raw(msgspec.json.encode({"mode": mode}))
    entries += (Entry(seq=len(entries), at=entries[-1].at, event=Event.STARTED, data=data),)
    far = progress(PLAN, entries, Outcome.RUNNING)
    assert (far.undoing, far.left_steps) == (undoing, 5 if undoing else 10)
    assert far.left_seconds is not None
    said = [line.plain for line in running(PLAN, entries, {}, None, width=78)]
    assert not any(line.startswith(("Now: ", "Undoing: ")) for line in said)
    assert [view.sign for view in step_views(PLAN, entries, Outcome.RUNNING)][3:5] == ["done", "cut off"]
