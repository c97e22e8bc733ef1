"""Every way through a job without a kernel: carried out, killed at each action, resumed, rolled back, refused."""

import errno
import os
import signal
import time
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui import __version__
from raidtui.backends.btrfs.conditions import DEVICE_IN
from raidtui.backends.md.conditions import ARRAY_RUNS
from raidtui.jobs import lock
from raidtui.jobs.commands import Done
from raidtui.jobs.journal import Journal, read_journal
from raidtui.jobs.progress import StepState, step_states
from raidtui.jobs.runner import run_job
from raidtui.jobs.steps import Worker
from raidtui.jobs.store import CAPSULE, read_request, state_of, write_job
from raidtui.model.errors import StepFailed
from raidtui.model.journal import Entry, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Array, Disk, Machine, Signature, Weight
from raidtui.model.plan import Action, Plan, PlanKind, Run, Step, Undo, member_step
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.struct import to_json
from raidtui.plan.teardown import make_teardown
from tests.unit.fake_computer import FakeComputer, Killed
from tests.unit.plan_machines import SEED, TANK, array, disk, machine, member_disk, plan, taken

MACHINE = machine(initramfs="update-initramfs")
PLAN = plan(TANK, MACHINE)
SINGLE = plan(
    Spec(
        name="lone",
        backend=Backend.DISK,
        level="single",
        members=("S-0001",),
        filesystem=FilesystemSpec(type="xfs"),
    ),
    MACHINE,
)
GROUP = plan(msgspec.structs.replace(TANK, backend=Backend.LVM), MACHINE)
BTRFS = plan(
    msgspec.structs.replace(TANK, backend=Backend.BTRFS, level="raid1", filesystem=FilesystemSpec()), MACHINE
)
ON_ARRAY = plan(msgspec.structs.replace(TANK, backend=Backend.LVM_ON_MD), MACHINE)
POOL = plan(
    msgspec.structs.replace(TANK, backend=Backend.ZFS, level="raidz1", filesystem=FilesystemSpec()), MACHINE
)
BARE = plan(msgspec.structs.replace(TANK, filesystem=FilesystemSpec()), MACHINE)


def actions_of(made: Plan) -> int:
    """How many things a job does: a capsule saves disk by disk."""
    return sum(len(step.actions) for step in made.steps) + len(made.disks) - 1


ACTIONS = actions_of(PLAN)
EVERY_ACTION = [
    pytest.param(made, number, id=f"{name}-{number}")
    for name, made in (
        ("array", PLAN),
        ("group", GROUP),
        ("btrfs", BTRFS),
        ("on-array", ON_ARRAY),
        ("pool", POOL),
    )
    for number in range(actions_of(made))
]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    return tmp_path


def a_job(made: Plan = PLAN, where: Machine = MACHINE, **changes: object) -> Path:
    """The folder of a job that was confirmed and has not begun."""
    request = JobRequest(
        id="20261122-050000-tank",
        kind=JobKind.BUILD if made.kind is PlanKind.BUILD else JobKind.TEARDOWN,
        title="a job",
        created="",
        spec=made.spec if made.kind is PlanKind.BUILD else None,
        array="" if made.kind is PlanKind.BUILD else made.array_uuid,
        seed=SEED,
        fingerprint=made.fingerprint,
        erase=tuple(one.serial for one in made.disks),
    )
    return write_job(msgspec.structs.replace(request, **changes), machine=where, plan=made)


def run(folder: Path, on: FakeComputer, *, rollback: bool = False) -> tuple[int, Entry]:
    """The exit code and the last line of the journal."""
    code = run_job(folder, rollback=rollback, on=on)
    return code, read_journal(folder)[-1]


def kill_at(number: int, folder: Path, on: FakeComputer, *, rollback: bool = False) -> None:
    """Run the job until it has done so many actions."""
    on.kill_after = number
    with pytest.raises(Killed):
        run_job(folder, rollback=rollback, on=on)
    on.kill_after = None


def test_every_action_is_done_once_in_its_order() -> None:
    computer = FakeComputer(PLAN, MACHINE)
    code, end = run(a_job(), computer)
    assert (code, end.outcome, end.text) == (0, Outcome.DONE, f"{len(PLAN.steps)} steps done")
    wanted = [action for step in PLAN.steps for action in step.actions]
    assert [action for action in computer.done if action in wanted] == wanted
    assert computer.in_effect == {step.id for step in PLAN.steps if step.actions}


@pytest.mark.parametrize(("made", "number"), EVERY_ACTION)
@pytest.mark.parametrize("rebooted", [False, True])
def test_killed_at_any_action_it_resumes_and_all_is_in_effect_in_the_end(
    made: Plan, number: int, rebooted: bool
) -> None:
    folder, computer = a_job(made), FakeComputer(made, MACHINE)
    kill_at(number, folder, computer)
    before = set(computer.in_effect)
    if rebooted:
        computer.reboot()
    begun = len(computer.done)
    code, end = run(folder, computer)
    assert (code, end.outcome) == (0, Outcome.DONE), end.text
    for step in made.steps:
        assert all(answer.holds for answer in computer.ask(step.after, held=lambda _: True)), step.id
    assert computer.running
    # A group of LVM that was half made takes its physical volumes along, which hold nothing yet.
    repairs = {action for step in made.steps for action in step.repair}
    again = set(computer.done[begun:]) - repairs
    for step in made.steps:
        if step.undoable is Undo.IMPOSSIBLE and step.id in before:
            assert not again & set(step.actions), "what is done and cannot be undone is not done twice"


def not_started(folder: Path, number: int) -> tuple[FakeComputer, int, Step]:
    """Killed before action ``number``, and md does not start the array after the reboot; actions done, and what creates it."""
    computer = FakeComputer(PLAN, MACHINE)
    kill_at(number, folder, computer)
    computer.reboot()
    (create,) = (step for step in PLAN.steps if step.id == "create")

    def refuse(action: Action) -> None:
        if action in create.activate:
            raise StepFailed("not enough to start the array while not clean")

    computer.before_action = refuse
    return computer, len(computer.done), create


BEFORE_MKFS: Final = sum(
    len(step.actions) for step in PLAN.steps[: [step.id for step in PLAN.steps].index("mkfs")]
)


def test_a_dirty_array_is_started_by_force_while_it_is_empty() -> None:
    folder = a_job()
    computer, begun, create = not_started(folder, BEFORE_MKFS)
    code, end = run(folder, computer)
    assert (code, end.outcome) == (0, Outcome.DONE), end.text
    again = computer.done[begun:]
    assert set(create.activate_empty) <= set(again)
    assert not set(create.actions) & set(again)


def test_udev_does_not_see_the_disks_between_the_two_ways_to_start_an_array() -> None:
    folder = a_job()
    computer, _, create = not_started(folder, BEFORE_MKFS)
    locks: list[int] = []
    refuse = computer.before_action

    def look(action: Action) -> None:
        if action in (*create.activate, *create.activate_empty):
            locks.append(computer.holding.locked)
        refuse(action)

    computer.before_action = look
    run(folder, computer)
    assert len(locks) == len((*create.activate, *create.activate_empty))
    assert len(set(locks)) == 1


def test_a_dirty_array_that_may_hold_files_is_never_started_by_force() -> None:
    folder = a_job()
    computer, begun, create = not_started(folder, actions_of(PLAN) - 1)
    code, end = run(folder, computer)
    assert (code, end.outcome) == (4, Outcome.FAILED)
    assert "not enough to start the array" in end.text
    assert not {*create.actions, *create.activate_empty} & set(computer.done[begun:])


def test_an_array_that_nobody_can_see_start_is_not_started_by_force() -> None:
    folder = a_job()
    computer, begun, create = not_started(folder, BEFORE_MKFS)

    def start(action: Action) -> None:
        if action in create.activate:
            computer.silent = {ARRAY_RUNS.kind}

    computer.before_action = start
    code, end = run(folder, computer)
    assert (code, end.outcome) == (4, Outcome.FAILED)
    assert not {*create.actions, *create.activate_empty} & set(computer.done[begun:])


@pytest.mark.parametrize(("made", "number"), EVERY_ACTION)
def test_killed_at_any_action_it_rolls_back_and_nothing_is_left(made: Plan, number: int) -> None:
    folder, computer = a_job(made), FakeComputer(made, MACHINE)
    kill_at(number, folder, computer)
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (0, Outcome.ROLLED_BACK), end.text
    gone = "lost" in end.text  # what the array has overwritten is not restored from the capsule
    left = {step.id for step in made.steps if step.id in computer.in_effect and step.undo}
    assert left <= {step.id for step in made.steps if gone and step.undoable is Undo.CAPSULE} | {"initramfs"}
    states = step_states(read_journal(folder))
    assert set(states.values()) <= {StepState.UNDONE}
    assert "lost" in end.text or "as they were" in end.text or "nothing to roll back" in end.text


@pytest.mark.parametrize("number", range(2, 8))  # the first two look for files
def test_a_rollback_that_is_killed_is_rolled_back_and_not_resumed(number: int) -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)
    kill_at(ACTIONS - 1, folder, computer)
    kill_at(number, folder, computer, rollback=True)
    code, end = run(folder, computer)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "raidtui rollback" in end.text
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (0, Outcome.ROLLED_BACK), end.text


def test_a_command_that_fails_fails_its_step_and_the_job_resumes() -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)
    computer.fails["mdadm"] = Done(
        argv=(), returncode=1, stdout="", stderr="mdadm: super0.90 cannot open\n", seconds=0.1
    )
    code, end = run(folder, computer)
    assert (code, end.outcome) == (4, Outcome.FAILED)
    assert "super0.90 cannot open" in end.text
    assert "The old contents of the disks are lost" in end.text
    computer.fails.clear()
    assert run(folder, computer)[1].outcome is Outcome.DONE


def test_an_error_of_the_system_outside_a_step_ends_the_job_with_its_reason() -> None:
    folder, on = a_job(), FakeComputer(PLAN, MACHINE)

    def fail(known_tools: object) -> Machine:
        raise OSError(errno.EIO, os.strerror(errno.EIO), "/proc/mdstat")

    on.read = fail  # type: ignore[method-assign]
    code, end = run(folder, on)
    assert (code, end.outcome, end.text) == (4, Outcome.FAILED, "/proc/mdstat: Input/output error")


def test_a_journal_that_fails_during_a_step_stops_the_job_and_the_reason_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, on = a_job(), FakeComputer(PLAN, MACHINE)
    really = os.write

    def write(fd: int, data: bytes) -> int:
        if len(on.done) == 2 and "journal" in os.readlink(f"/proc/self/fd/{fd}"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return really(fd, data)

    with monkeypatch.context() as read_only:
        read_only.setattr(os, "write", write)
        assert run_job(folder, on=on) == 4
    assert len(on.done) == 2  # nothing is done that is not on record
    state = state_of(folder)
    assert (state.outcome, state.exit_code) == (Outcome.FAILED, 4)
    assert "journal.jsonl cannot be written: Read-only file system" in state.sentence
    assert "raidtui resume" in state.sentence
    assert run(folder, on)[0] == 0


def test_a_job_that_is_asked_to_stop_stops_between_two_steps() -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)

    def ask(action: Action) -> None:
        if isinstance(action, Run) and action.argv[0] == "sfdisk":
            os.kill(os.getpid(), signal.SIGTERM)

    computer.before_action = ask
    code, end = run(folder, computer)
    assert (code, end.outcome) == (4, Outcome.CANCELLED)
    assert "partition" in computer.in_effect, "the step that it was at has ended"
    assert "create" not in computer.in_effect
    computer.before_action = lambda action: None
    assert run(folder, computer)[1].outcome is Outcome.DONE


# Refusals before the first write.


def test_a_cancel_ends_a_command_only_in_a_step_that_is_repeated_from_the_beginning() -> None:
    on = FakeComputer(PLAN, MACHINE)
    assert run(a_job(), on)[0] == 0
    assert on.may_end["mkfs.ext4"]
    assert on.may_end["sfdisk"]
    assert not on.may_end["mdadm"]
    assert not on.may_end["update-initramfs"]


def test_a_step_whose_command_was_ended_by_a_cancel_is_done_again_on_resume() -> None:
    folder, on = a_job(), FakeComputer(PLAN, MACHINE)
    on.fails["mkfs.ext4"] = Done(argv=(), returncode=-15, stdout="", stderr="", seconds=1, cancelled=True)
    code, end = run(folder, on)
    assert (code, end.outcome) == (4, Outcome.CANCELLED)
    assert step_states(read_journal(folder))["mkfs"] is StepState.BEGUN
    on.fails.clear()
    assert run(folder, on)[0] == 0
    assert "mkfs" in on.in_effect


def test_a_cancel_is_heeded_while_a_command_of_the_killed_process_still_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, on = a_job(), FakeComputer(PLAN, MACHINE)
    kill_at(3, folder, on)
    really = time.sleep

    def cancel(seconds: float) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        really(seconds)

    with lock.held(folder / "commands", patience_seconds=1, refusal=""):
        monkeypatch.setattr(time, "sleep", cancel)
        code, end = run(folder, on)
    assert (code, end.outcome) == (4, Outcome.CANCELLED)
    notes = [one.text for one in read_journal(folder) if one.event is Event.NOTE]
    assert any("of the killed process of this job still runs; waiting for it" in one for one in notes)


def another(number: int, **changes: object) -> Machine:
    """The machine with one disk changed."""
    return machine(disk(number, **changes), initramfs="update-initramfs")


@pytest.mark.parametrize(
    ("live", "why"),
    [
        (another(2, serial="S-9999"), "S-0002 was confirmed"),
        (another(2, size_bytes=9_000_000_000), "bytes"),
        (another(2, model="Another"), "model"),
        (another(2, wwn="0x5000c500ffffffff"), "WWN"),
        (
            another(2, signatures=(Signature(device="/dev/sdb", offset=1080, type="ext4", uuid="1-2"),)),
            "changed after it was confirmed",
        ),
    ],
)
def test_a_disk_that_changed_since_it_was_confirmed_stops_the_job(live: Machine, why: str) -> None:
    computer = FakeComputer(PLAN, live)
    code, end = run(a_job(), computer)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert why in end.text
    assert not computer.done


def test_a_disk_that_came_into_use_stops_the_job() -> None:
    from raidtui.model.machine import ClaimKind

    used = taken(2, Weight.BUSY, ClaimKind.MOUNT, "mounted at /srv/photos", "umount /srv/photos")
    computer = FakeComputer(PLAN, machine(used, initramfs="update-initramfs"))
    code, end = run(a_job(), computer)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "mounted at /srv/photos" in end.text
    assert not computer.done


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"fingerprint": "0" * 64}, "different commands from those that were confirmed"),
        ({"erase": ("S-0001", "S-0002")}, "S-0003"),
        ({"erase": ("S-0001", "S-0002", "S-0004")}, "S-0004"),
    ],
)
def test_what_was_not_confirmed_is_not_done(changes: dict[str, object], why: str) -> None:
    computer = FakeComputer(PLAN, MACHINE)
    code, end = run(a_job(PLAN, MACHINE, **changes), computer)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert why in end.text
    assert not computer.done


@pytest.mark.parametrize("rollback", [False, True])
def test_a_version_that_would_run_other_commands_names_the_one_that_began_the_job(rollback: bool) -> None:
    computer = FakeComputer(PLAN, MACHINE)
    folder = a_job()
    kill_at(4, folder, computer)
    (folder / CAPSULE).mkdir(exist_ok=True)
    done = list(computer.done)
    request = read_request(folder)
    changed = msgspec.structs.replace(request, fingerprint="0" * 64)
    (folder / "request.json").write_text(to_json(changed), encoding="utf-8")
    code, end = run(folder, computer, rollback=rollback)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert f"Install raidtui {__version__}, which began this job, to resume it or roll it back" in end.text
    assert end.text.endswith(f"what the job overwrote is kept in {folder / CAPSULE}")
    assert computer.done == done


def test_signatures_that_cannot_be_read_at_the_last_moment_stop_the_job() -> None:
    computer = FakeComputer(PLAN, MACHINE)
    computer.signatures_fail = "wipefs did not end within 120 s"
    code, end = run(a_job(), computer)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert not computer.done


# Refusals of a resume and of a rollback.


def test_a_resume_refuses_a_disk_on_which_something_foreign_has_appeared() -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)
    kill_at(ACTIONS // 2, folder, computer)
    found = Signature(device="/dev/sdb", offset=0, type="crypto_LUKS", uuid="9-9")
    computer.machine = another(2, signatures=(found,))
    done = len(computer.done)
    code, end = run(folder, computer)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "crypto_LUKS" in end.text
    assert len(computer.done) == done


def finished(made: Plan, folder: Path) -> FakeComputer:
    """A build of which all is done."""
    computer = FakeComputer(made, MACHINE)
    assert run(folder, computer)[1].outcome is Outcome.DONE
    return computer


@pytest.mark.parametrize("made", [PLAN, SINGLE, GROUP, BTRFS], ids=["array", "single disk", "group", "btrfs"])
@pytest.mark.parametrize("mounted", [False, True])
def test_a_rollback_refuses_to_erase_files(made: Plan, mounted: bool) -> None:
    folder = a_job(made)
    computer = finished(made, folder)
    if mounted:
        computer.mounted = {"/srv/tank": ["lost+found", "photos"]}
    else:
        computer.inside = ["lost+found", "photos"]
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "photos" in end.text
    assert {"create", "volume"} & computer.in_effect or made in (SINGLE, BTRFS)
    assert "mkfs" in computer.in_effect


def test_a_rollback_asks_a_backend_without_a_device_whether_it_is_empty() -> None:
    folder = a_job(POOL)
    computer = finished(POOL, folder)
    computer.denied = {"pool-empty"}
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "may hold data" in end.text
    assert "pool" in computer.in_effect
    computer.denied = set()
    assert run(folder, computer, rollback=True)[1].outcome is Outcome.ROLLED_BACK
    assert "pool" not in computer.in_effect


@pytest.mark.parametrize("kind", ["mounted", "line-in", "volume-runs"])
def test_an_undo_of_which_nobody_can_say_whether_it_worked_has_not_worked(kind: str) -> None:
    folder = a_job(GROUP)
    computer = finished(GROUP, folder)
    computer.silent = {kind}
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (4, Outcome.FAILED)
    assert "whether it is undone is not known: no answer" in end.text
    computer.silent = set()
    assert run(folder, computer, rollback=True)[1].outcome is Outcome.ROLLED_BACK


@pytest.mark.parametrize("kind", ["line-in", "volume-runs"])
def test_a_step_that_is_done_is_not_repeated_because_nobody_can_say_whether_it_still_holds(kind: str) -> None:
    folder, computer = a_job(GROUP), FakeComputer(GROUP, MACHINE)
    kill_at(actions_of(GROUP) - 1, folder, computer)
    begun = len(computer.done)
    computer.silent = {kind}
    code, end = run(folder, computer)
    assert (code, end.outcome) == (4, Outcome.FAILED)
    assert "a check gave no answer: no answer" in end.text
    assert computer.done[begun:] == [], "its repair would remove what it made"


@pytest.mark.parametrize("helps", [True, False])
def test_a_unit_that_was_there_before_is_started_again_where_nobody_can_say_how_it_is(
    helps: bool, tmp_path: Path
) -> None:
    start = Run(argv=("mount", "it", "again"))
    check = DEVICE_IN.of("/dev/sdd1", "5a4d7c3e-0000-4000-8000-000000000001 replacing")
    step = member_step(
        id="start", title="Start it", reason="", actions=(Run(argv=("btrfs", "replace")),), after=(check,), activate=(start,)
    )  # fmt: skip
    computer = FakeComputer(PLAN, MACHINE)
    computer.silent = {check.kind}
    computer.holding.held = True
    if helps:
        computer.before_action = lambda action: computer.silent.clear()
    with Journal(tmp_path) as journal:
        worker = Worker(
            PLAN, {}, capsule=tmp_path, journal=journal, commands=computer, holding=computer.holding, on=computer
        )  # fmt: skip
        if helps:
            assert worker.has_lost(step)
        else:
            with pytest.raises(StepFailed, match="gave no answer"):
                worker.has_lost(step)
    assert computer.done == [*PLAN.release, start]


def test_a_rollback_where_nobody_can_look_is_refused() -> None:
    folder = a_job()
    computer = finished(PLAN, folder)
    computer.running = False
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "mdadm --assemble" in end.text
    computer.running = True
    computer.fails["mount"] = Done(argv=(), returncode=32, stdout="", stderr="bad superblock", seconds=0.1)
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "bad superblock" in end.text
    assert "create" in computer.in_effect


def test_without_a_probe_for_data_what_was_ready_to_use_is_not_undone() -> None:
    assert BARE.probe is None
    folder = a_job(BARE)
    computer = finished(BARE, folder)
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "raidtui teardown tank" in end.text
    assert "create" in computer.in_effect


def test_an_empty_build_is_undone_and_says_that_the_old_contents_are_lost() -> None:
    folder = a_job()
    computer = finished(PLAN, folder)
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (0, Outcome.ROLLED_BACK)
    assert "old contents of the disks are lost" in end.text


def test_a_teardown_that_has_erased_something_is_finished_and_not_undone() -> None:
    members = [member_disk(number) for number in (1, 2, 3)]
    where = machine(*members, arrays=(array(mountpoints=()),))
    made = make_teardown("tank", where, seed=SEED)
    folder, computer = a_job(made, where), FakeComputer(made, where)
    first = next(n for n, step in enumerate(made.steps) if step.undoable is Undo.IMPOSSIBLE)
    kill_at(sum(len(step.actions) for step in made.steps[: first + 1]), folder, computer)
    code, end = run(folder, computer, rollback=True)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert "cannot be restored" in end.text


def test_the_journal_has_each_step_before_its_commands(state: Path) -> None:
    folder = a_job()
    run(folder, FakeComputer(PLAN, MACHINE))
    events = [(e.event, e.step) for e in read_journal(folder) if e.event in {Event.STEP, Event.STEP_DONE}]
    wanted = [(event, step.id) for step in PLAN.steps for event in (Event.STEP, Event.STEP_DONE)]
    assert events == wanted


def test_disks_of_the_fake_are_those_of_the_plan() -> None:
    """The fake would hide a wrong disk if it answered for any path."""
    computer = FakeComputer(PLAN, MACHINE)
    found: list[Disk] = [
        one for one in MACHINE.disks if computer.number_of(PLAN.disks[0].path) == one.device_number
    ]
    assert [one.identity for one in found] == [PLAN.disks[0].identity]


def without_a_disk(number: int, *disks: Disk, arrays: tuple[Array, ...] = ()) -> Machine:
    """The machine on which one disk died."""
    there = machine(*disks, arrays=arrays, initramfs="update-initramfs")
    return msgspec.structs.replace(
        there, disks=tuple(one for one in there.disks if one.serial != f"S-000{number}")
    )


@pytest.mark.parametrize("rollback", [True, False])
def test_with_a_dead_disk_nothing_is_changed_and_the_sentence_says_what_is_left_and_how_to_clear_it(
    rollback: bool,
) -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)
    kill_at(ACTIONS - 1, folder, computer)
    done = list(computer.done)
    ours = [member_disk(number, PLAN.array_uuid) for number in (1, 2)]
    degraded = array(uuid=PLAN.array_uuid, members=array().members[:2], degraded=1)
    computer.machine = without_a_disk(3, *ours, arrays=(degraded,))
    code, end = run(folder, computer, rollback=rollback)
    assert (code, end.outcome) == (3, Outcome.REFUSED)
    assert computer.done == done
    assert "no disk of this machine is called 'S-0003'" in end.text
    assert f"steps 1 to 14 of {len(PLAN.steps)} stay as they are. Connect the disk" in end.text
    assert "'raidtui teardown tank' removes it from the other disks" in end.text
    assert end.text.endswith(f"what this job overwrote is kept in {folder / 'capsule'}")


def test_with_a_dead_disk_and_no_array_only_disks_with_nothing_foreign_are_named_to_be_cleared() -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)
    kill_at(ACTIONS - 1, folder, computer)
    stranger = member_disk(2, "11111111-2222-3333-4444-555555555555")
    computer.machine = without_a_disk(3, member_disk(1, PLAN.array_uuid), stranger)
    _, end = run(folder, computer, rollback=True)
    assert "choose S-0001 for something new, which erases what is on them" in end.text
    assert "Delete the lines of tank in /etc/fstab and /etc/mdadm/mdadm.conf" in end.text
    assert "raidtui teardown" not in end.text


def test_with_a_dead_disk_before_anything_was_written_it_says_so() -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)
    kill_at(1, folder, computer)
    computer.machine = without_a_disk(3)
    _, end = run(folder, computer, rollback=True)
    assert "Nothing was written to the disks" in end.text
    assert "wipefs" not in end.text
    assert "kept in" not in end.text


def test_with_a_dead_disk_and_the_others_blank_nothing_is_to_be_cleared() -> None:
    folder, computer = a_job(), FakeComputer(PLAN, MACHINE)
    at = [step.id for step in PLAN.steps].index("partition")
    kill_at(sum(len(step.actions) for step in PLAN.steps[:at]) + 2, folder, computer)
    computer.machine = without_a_disk(3)
    _, end = run(folder, computer, rollback=True)
    assert "Nothing of this job is left on the other disks; what this job overwrote is kept in" in end.text
