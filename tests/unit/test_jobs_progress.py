"""What a journal says of a job that was interrupted."""

from collections.abc import Iterable

import msgspec
import pytest

from raidtui.backends.md.conditions import ARRAY_GONE, ARRAY_RUNS, MEMBER_IS
from raidtui.jobs.failures import failure, undo_failure
from raidtui.jobs.progress import (
    StepState,
    boot_of,
    can_be_lost,
    has_destroyed,
    is_irreversible,
    may_be_done,
    runs_unit,
    step_states,
)
from raidtui.model.journal import Entry, Event
from raidtui.model.plan import Check, Plan, PlanKind, Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.steps.devices import BLANK
from raidtui.steps.filesystems import FILESYSTEM, MOUNTED


def entries(*told: tuple[Event, str] | tuple[Event, str, dict[str, object]]) -> list[Entry]:
    return [
        Entry(
            seq=number,
            at="",
            event=one[0],
            step=one[1],
            data=msgspec.Raw(msgspec.json.encode(one[2] if len(one) > 2 else None)),
        )
        for number, one in enumerate(told)
    ]


def a_step(
    name: str,
    *,
    undoable: Undo = Undo.CAPSULE,
    destroys: tuple[str, ...] = (),
    kinds: Iterable[str] = (),
    role: Role = Role.PREPARE,
) -> Step:
    return Step(
        id=name,
        role=role,
        title=f"Do {name}",
        reason="",
        actions=(),
        undoable=undoable,
        destroys=destroys,
        after=tuple(Check(kind=kind) for kind in kinds),
    )


PLAN = Plan(
    kind=PlanKind.BUILD,
    spec=Spec(name="tank", level="raid1"),
    seed="",
    array_uuid="",
    array_path="",
    steps=(
        a_step("capsule", undoable=Undo.NOTHING),
        a_step("wipe", destroys=("everything",)),
        a_step("create", undoable=Undo.IMPOSSIBLE),
    ),
)


def test_a_step_is_begun_done_or_undone() -> None:
    told = entries(
        (Event.STARTED, ""),
        (Event.STEP, "capsule"),
        (Event.STEP_DONE, "capsule"),
        (Event.STEP, "wipe"),
        (Event.COMMAND, "wipe"),
        (Event.STEP_FAILED, "wipe"),
    )
    assert step_states(told) == {"capsule": StepState.DONE, "wipe": StepState.BEGUN}
    undone = [*told, *entries((Event.STEP, "wipe", {"undo": True}))]
    assert step_states(undone)["wipe"] is StepState.UNDOING
    assert step_states([*undone, *entries((Event.STEP_UNDONE, "wipe"))])["wipe"] is StepState.UNDONE


def test_a_step_that_failed_before_it_changed_anything_was_not_begun() -> None:
    told = entries(
        (Event.STEP, "wipe"),
        (Event.STEP_DONE, "wipe"),
        (Event.STEP, "create"),
        (Event.CHECK, "create"),
        (Event.STEP_FAILED, "create", {"untouched": True}),
    )
    assert step_states(told) == {"wipe": StepState.DONE}
    again = [*told, *entries((Event.STEP, "create"), (Event.STEP_FAILED, "create", {"untouched": False}))]
    assert step_states(again) == {"wipe": StepState.DONE, "create": StepState.BEGUN}


def test_the_last_start_says_in_which_boot_it_was() -> None:
    assert boot_of(()) == ""
    assert boot_of(entries((Event.STARTED, "", {"boot": "a"}), (Event.STARTED, "", {"boot": "b"}))) == "b"


@pytest.mark.parametrize(
    ("states", "destroyed", "irreversible"),
    [
        ({}, False, False),
        ({"capsule": StepState.DONE}, False, False),
        ({"capsule": StepState.DONE, "wipe": StepState.BEGUN}, True, False),
        ({"capsule": StepState.DONE, "wipe": StepState.UNDONE}, False, False),
        ({"wipe": StepState.DONE, "create": StepState.BEGUN}, True, True),
        ({"wipe": StepState.DONE, "create": StepState.UNDONE}, True, True),
    ],
)
def test_what_is_lost_depends_on_what_was_begun(
    states: dict[str, StepState], destroyed: bool, irreversible: bool
) -> None:
    assert has_destroyed(PLAN, states) is destroyed
    assert is_irreversible(PLAN, states) is irreversible


def test_a_reboot_takes_mounts_away_but_not_the_array() -> None:
    mount = a_step("mount", kinds=[MOUNTED.kind, FILESYSTEM.kind])
    create = a_step("create", kinds=[ARRAY_RUNS.kind])
    assert [check.kind for check in can_be_lost(mount)] == [MOUNTED.kind]
    assert can_be_lost(create) == ()
    assert [check.kind for check in runs_unit(create)] == [ARRAY_RUNS.kind]


def test_a_superblock_proves_a_filesystem_only_within_one_boot() -> None:
    mkfs = a_step("mkfs", kinds=[FILESYSTEM.kind])
    assert may_be_done(mkfs, begun=True, rebooted=False)
    assert not may_be_done(mkfs, begun=True, rebooted=True)
    create = a_step("create", kinds=[ARRAY_RUNS.kind], role=Role.CREATE)
    assert may_be_done(create, begun=True, rebooted=True)
    again = msgspec.structs.replace(create, repair=(Run(argv=("mdadm", "--stop", "x")),))
    assert may_be_done(again, begun=True, rebooted=False)
    assert not may_be_done(again, begun=True, rebooted=True)
    assert not may_be_done(a_step("settle"), begun=True, rebooted=False)


def test_a_blank_disk_does_not_prove_that_it_was_wiped() -> None:
    assert not may_be_done(a_step("wipe", kinds=[BLANK.kind]), begun=True, rebooted=False)
    assert may_be_done(a_step("zero", kinds=[BLANK.kind, ARRAY_GONE.kind]), begun=True, rebooted=False)


@pytest.mark.parametrize(
    ("states", "step", "left"),
    [
        ({}, 0, "Nothing was written to the disks. Done before it: nothing"),
        (
            {"capsule": StepState.DONE},
            1,
            "The old contents of the disks can still be restored. Done before it: step 1",
        ),
        (
            {"capsule": StepState.DONE, "wipe": StepState.DONE},
            2,
            "The old contents of the disks are lost. Done before it: steps 1 to 2",
        ),
    ],
)
def test_a_failure_says_which_step_why_what_is_left_and_what_to_do(
    states: dict[str, StepState], step: int, left: str
) -> None:
    name = PLAN.steps[step].id
    begun = {**states, name: StepState.BEGUN}
    text = failure(PLAN, begun, PLAN.steps[step], "mdadm said no.", job="j1")
    assert text.startswith(f"step {step + 1} of 3 (Do {name}) failed: mdadm said no. {left}.")
    assert text.endswith("'raidtui resume j1' tries this step again, 'raidtui rollback j1' undoes everything")


def test_what_a_step_did_not_begin_to_do_is_not_told_as_lost() -> None:
    done = {"capsule": StepState.DONE, "wipe": StepState.DONE}
    said = failure(PLAN, done, PLAN.steps[2], "it is in use", job="j")
    assert "The old contents of the disks can still be restored. Done before it: steps 1 to 2" in said
    nothing = failure(PLAN, {}, PLAN.steps[2], "it is in use", job="j")
    assert "Nothing was written to the disks" in nothing


def test_what_could_not_be_undone_is_told_with_what_is_left_to_undo() -> None:
    states = {"capsule": StepState.DONE, "wipe": StepState.BEGUN}
    said = undo_failure(PLAN, states, PLAN.steps[1], "the disk is gone.", job="j")
    assert said == (
        "undoing step 2 of 3 (Do wipe) failed: the disk is gone. Not undone yet: steps 1 to 2. "
        "'raidtui rollback j' continues"
    )


def test_a_step_that_md_may_do_by_itself_is_looked_for_before_it_is_done() -> None:
    """md takes a spare when a member fails, whether or not the step had begun."""
    wait = a_step("wait", kinds=[MEMBER_IS.kind], role=Role.WAIT)
    assert may_be_done(wait, begun=False, rebooted=False)
    assert not may_be_done(a_step("create", kinds=[ARRAY_RUNS.kind]), begun=False, rebooted=False)
