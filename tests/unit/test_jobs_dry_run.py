"""A dry run goes through every step of a job, changes nothing, and finds what stands in the job's way."""

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import msgspec
import pytest

from raidtui.jobs import dry_run as module
from raidtui.jobs.dry_run import DryRun, dry_run
from raidtui.model.journal import Entry, Event, JobKind, JobRequest, Outcome
from raidtui.model.machine import Machine
from raidtui.model.paths import state_folder
from raidtui.model.plan import Action, Check, Plan, PlanKind, Run, SaveCapsule
from raidtui.model.procedure import Grow
from raidtui.model.spec import Backend, FilesystemSpec
from raidtui.plan.care import make_care
from raidtui.plan.teardown import make_teardown
from tests.unit.fake_computer import FakeComputer, FakeHolding
from tests.unit.plan_machines import SEED, TANK, array, machine, member_disk, plan
from tests.unit.recorded_plans import plans
from tests.unit.test_grow_plans import FREE, nas
from tests.unit.test_grow_plans import made as grown

MACHINE = machine(initramfs="update-initramfs")
PLANS = {
    "array": plan(TANK, MACHINE),
    "group": plan(msgspec.structs.replace(TANK, backend=Backend.LVM), MACHINE),
    "pool": plan(
        msgspec.structs.replace(TANK, backend=Backend.ZFS, level="raidz1", filesystem=FilesystemSpec()),
        MACHINE,
    ),
}


class Rehearsal(DryRun, FakeComputer):  # type: ignore[misc]  # both run commands, each as its own class
    """A dry run that reads a computer in memory, which notes whatever is done to it."""

    def __init__(self, made: Plan, where: Machine) -> None:
        DryRun.__init__(self, made)
        FakeComputer.__init__(self, made, where)

    def hold(self, made: Plan, disks: object) -> FakeHolding:  # type: ignore[override]
        return self.holding


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))


def rehearse(
    made: Plan, asked: JobRequest, patch: pytest.MonkeyPatch, *, confirmed: Machine = MACHINE, **now: Machine
) -> tuple[int, tuple[Entry, ...], list[Action]]:
    """The exit code, the journal, and what was done after all; ``now``: the machine, where it has changed."""
    computer = Rehearsal(made, now.get("now", confirmed))
    patch.setattr(module, "DryRun", lambda _: computer)
    code, entries = dry_run(asked, made, confirmed)
    return code, entries, computer.done


def request(made: Plan, **changes: object) -> JobRequest:
    asked = JobRequest(
        id="20261122-050000-tank",
        kind=JobKind.BUILD,
        title="Build raid5 tank",
        created="",
        spec=made.spec,
        seed=SEED,
        fingerprint=made.fingerprint,
        erase=tuple(one.serial for one in made.disks),
    )
    return msgspec.structs.replace(asked, **changes)


@pytest.mark.parametrize("name", PLANS)
def test_every_command_is_named_and_only_what_would_be_overwritten_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = PLANS[name]
    code, entries, done = rehearse(made, request(made), monkeypatch)
    assert (code, entries[-1].outcome) == (0, Outcome.DONE)
    named = [entry.argv for entry in entries if entry.event is Event.COMMAND]
    assert named == [a.argv for step in made.steps for a in step.actions if isinstance(a, Run)]
    assert [entry.step for entry in entries if entry.event is Event.STEP_DONE] == [s.id for s in made.steps]
    assert all(isinstance(action, SaveCapsule) for action in done)


def test_the_commands_of_a_member_that_joins_are_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    here = nas(grown("raid5", 3), FREE)
    order = Grow(unit=grown("raid5", 3).uuid, add=(FREE.identity,))
    made = make_care(order, here, seed=SEED)
    asked = request(made, kind=JobKind.CARE, spec=None, procedure=order, erase=(FREE.serial,))
    code, entries, done = rehearse(made, asked, monkeypatch, confirmed=here)
    assert (code, entries[-1].outcome) == (0, Outcome.DONE), entries[-1].text
    named = [entry.argv for entry in entries if entry.event is Event.COMMAND]
    assert named == [a.argv for step in made.steps for a in step.actions if isinstance(a, Run)]
    assert all(isinstance(action, SaveCapsule) for action in done)


def test_it_leaves_no_job_and_no_capsule(monkeypatch: pytest.MonkeyPatch) -> None:
    made = PLANS["array"]
    rehearse(made, request(made), monkeypatch)
    assert [path.name for path in state_folder().iterdir() if path.name.startswith(("dry-run", "jobs"))] == []


def test_a_condition_that_does_not_hold_is_named_without_a_job_to_resume(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = PLANS["array"]
    monkeypatch.setattr(FakeComputer, "_holds", lambda _, check: check.kind != "unclaimed")
    code, entries, _ = rehearse(made, request(made), monkeypatch)
    assert (code, entries[-1].outcome) == (4, Outcome.FAILED)
    assert entries[-1].text.startswith("a check would fail now: ")
    assert "resume" not in entries[-1].text
    assert not [entry for entry in entries if entry.event is Event.COMMAND]


def test_disks_that_changed_since_the_plan_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = PLANS["array"]
    gone = msgspec.structs.replace(MACHINE, disks=MACHINE.disks[1:])
    code, entries, _ = rehearse(made, request(made), monkeypatch, now=gone)
    assert (code, entries[-1].outcome) == (3, Outcome.REFUSED)


def test_a_teardown_runs_dry_too(monkeypatch: pytest.MonkeyPatch) -> None:
    here = machine(*(member_disk(number) for number in (1, 2, 3)), arrays=(array(mountpoints=()),))
    made = make_teardown("tank", here, seed=SEED)
    asked = request(made, kind=JobKind.TEARDOWN, spec=None, array="tank")
    code, entries, done = rehearse(made, asked, monkeypatch, confirmed=here)
    assert (code, entries[-1].outcome) == (0, Outcome.DONE), entries[-1].text
    assert done == []


def asked_before_a_command(made: Plan) -> Iterator[Check]:
    """The conditions that a job asks until its first command."""
    for step in takewhile(lambda step: not any(isinstance(a, Run) for a in step.actions), made.steps):
        yield from step.before


@pytest.mark.parametrize(("name", "made"), [(n, p) for n, p in plans() if p.kind is PlanKind.BUILD])
def test_what_no_step_brings_about_is_really_asked_before_a_command(name: str, made: Plan) -> None:
    brought = {check for step in made.steps for check in step.after}
    asked = set(asked_before_a_command(made))
    assert asked, name
    assert not asked & brought
