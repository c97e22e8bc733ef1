"""The plans of md's other procedures: re-add, start, remove what failed; and what they refuse."""

import msgspec
import pytest

from raidtui.backends.md.procedures import care_conditions
from raidtui.backends.md.procedures.care_conditions import (
    ARRAY_CHECKED,
    ARRAY_LACKS,
    ARRAY_STARTED,
    VOLUMES_STARTED,
)
from raidtui.jobs.failures import failure
from raidtui.jobs.progress import StepState
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.machine import Array, Machine, Member
from raidtui.model.plan import Plan, PlanKind, Run
from raidtui.model.procedure import Procedure, ReAdd, RemoveFailed, Start
from raidtui.model.superblock import Superblock
from raidtui.plan.care import make_care, title_of
from tests.ui import machines
from tests.ui.machines import disk, running_array, superblock, with_superblock
from tests.ui.recorded import recorded
from tests.unit.test_plan_care import BY_ID, WHOLE, degraded, nas, with_former

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
BACK = with_former(degraded(), events=25)


def made(procedure: Procedure, machine: Machine) -> Plan:
    return make_care(procedure, machine, seed=SEED)


def lines(plan: Plan) -> list[str]:
    return [" ".join(a.argv) for step in plan.steps for a in step.actions if isinstance(a, Run)]


def re_add(machine: Machine) -> Plan:
    return made(ReAdd(unit=running_array().uuid, disk=disk(4).serial), machine)


def test_a_member_is_re_added_waited_for_checked_and_proven() -> None:
    plan = re_add(BACK)
    assert plan.kind is PlanKind.CARE
    assert plan.erased == ()
    assert [step.id for step in plan.steps] == ["re-add", "wait", "check", "prove"]
    words = lines(plan)
    assert words[0].split()[-2:] == ["--re-add", BY_ID[3]]
    assert [line.split()[1] for line in words[1:]] == ["--readwrite", "--wait", "--action=check", "--wait"]
    assert title_of(ReAdd(unit="u", disk="d"), plan) == "Re-add d to tank"
    assert ARRAY_LACKS.of(running_array().uuid) in plan.steps[0].before


def test_an_array_that_lacks_another_member_is_not_proven() -> None:
    array = degraded(level="raid6", degraded=2, members=running_array().members[:2])
    machine = with_former(array, events=25, level="raid6")
    known = tuple(msgspec.structs.replace(one, level="raid6") for one in machine.superblocks)
    machine = msgspec.structs.replace(machine, superblocks=known)
    assert [step.id for step in re_add(machine).steps] == ["re-add", "wait", "check"]


@pytest.mark.parametrize(
    ("array", "own", "words"),
    [
        (degraded(state="broken", degraded=2), {"events": 25}, "a spare of this one for good"),
        (degraded(), {"events": 19}, "than its bitmap has recorded"),
        (degraded(), {"events": 25, "device": "0"}, "another device has the same superblock"),
        (degraded(sync_action="recover"), {"events": 25}, "is busy: rebuild"),
        (running_array(members=degraded().members), {"events": 25}, "lacks no member"),
    ],
)
def test_what_would_do_harm_is_not_re_added(array: Array, own: dict[str, object], words: str) -> None:
    with pytest.raises(Refused, match=words):
        re_add(with_former(array, **own))


def test_a_disk_that_is_no_former_member_or_unknown_is_refused() -> None:
    with pytest.raises(Refused, match="no former member of it"):
        made(ReAdd(unit=running_array().uuid, disk=disk(5).serial), nas(degraded(), disk(5)))
    with pytest.raises(BadInput, match="0 units"):
        made(ReAdd(unit="1" * 32, disk="x"), BACK)
    with pytest.raises(Refused, match="is a member of it already"):
        made(ReAdd(unit=running_array().uuid, disk=disk(1).serial), BACK)
    with pytest.raises(Refused, match="as root"):
        re_add(msgspec.structs.replace(BACK, complete=False))


def inactive(present: tuple[int, ...], *known: Superblock, stopped: bool = False) -> Machine:
    array = running_array(state="inactive", degraded=None, mountpoints=())
    members = tuple(msgspec.structs.replace(array.members[slot], state=()) for slot in present)
    array = msgspec.structs.replace(array, members=members)
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    machine = machines.machine(there, [] if stopped else [array])
    return msgspec.structs.replace(machine, superblocks=known)


def start(machine: Machine, *, degraded: bool = False) -> Plan:
    return made(Start(unit=running_array().uuid, degraded=degraded), machine)


def test_every_member_that_is_here_is_added_and_the_last_one_starts_it() -> None:
    plan = start(inactive((0, 1), *WHOLE))
    assert lines(plan) == [f"mdadm --incremental {path}" for path in BY_ID[2:]]
    assert plan.steps[-1].after[-1].expect == "raid5 4"
    stopped = start(inactive((), *WHOLE, stopped=True))
    assert lines(stopped) == [f"mdadm --incremental {path}" for path in BY_ID]


def test_one_with_all_its_members_is_run() -> None:
    assert lines(start(inactive((0, 1, 2, 3), *WHOLE))) == ["mdadm --run /dev/md127"]


def test_it_is_started_degraded_only_if_that_was_chosen() -> None:
    machine = inactive((0, 1), *WHOLE[:3])
    with pytest.raises(Refused, match="lacks 1 member"):
        start(machine)
    plan = start(machine, degraded=True)
    assert lines(plan) == [f"mdadm --incremental {BY_ID[2]}", "mdadm --run /dev/md127"]
    assert plan.steps[-1].after == (ARRAY_STARTED.of(running_array().uuid),)
    stopped = start(inactive((), *WHOLE[:3], stopped=True), degraded=True)
    assert lines(stopped) == [
        f"mdadm --assemble --run /dev/md/tank --uuid={running_array().uuid} {' '.join(BY_ID[:3])}"
    ]


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ((*WHOLE[:3], superblock(3, device="0")), "have the same superblock"),
        ((*WHOLE[:3], superblock(3, reshaping=True)), "reshape was interrupted"),
        (WHOLE[:2], "cannot be started safely"),
        (tuple(superblock(slot, clean=False) for slot in (0, 1, 2)), "cannot be started safely"),
    ],
)
def test_what_is_not_certain_is_not_started(known: tuple[Superblock, ...], words: str) -> None:
    with pytest.raises(RaidtuiError, match=words):
        start(inactive((0, 1), *known), degraded=True)


def test_one_that_runs_is_not_started() -> None:
    with pytest.raises(Refused, match="is started already"):
        start(nas(running_array()))


def test_failed_members_leave() -> None:
    failed = Member(path="/dev/sde1", disk=disk(4).serial, slot=None, state=("faulty",))
    array = degraded(members=(*degraded().members, failed))
    plan = made(RemoveFailed(unit=array.uuid), nas(array))
    assert lines(plan)[0].endswith("--remove failed")
    assert [check.kind for check in plan.steps[0].after] == ["member-gone"]
    with pytest.raises(Refused, match="no failed member"):
        made(RemoveFailed(unit=array.uuid), nas(degraded()))


def test_a_step_that_fails_says_that_no_disk_was_erased() -> None:
    plan = re_add(BACK)
    text = failure(plan, {"re-add": StepState.BEGUN}, plan.steps[0], "no", job="j")
    assert "No disk was erased" in text


# Its conditions.


@pytest.mark.parametrize(
    ("array", "holds"),
    [
        (degraded(), True),
        (running_array(), False),
        (degraded(state="broken"), False),
        (degraded(state="write-pending", degraded=2), False),
        (degraded(state="inactive"), False),
    ],
)
def test_a_member_may_be_re_added_only_where_one_is_missing_and_no_more(array: Array, holds: bool) -> None:
    assert ARRAY_LACKS.judge(ARRAY_LACKS.of(array.uuid), array).holds is holds


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({"checked": True, "mismatch_sectors": 0}, True),
        ({"checked": True, "mismatch_sectors": 8}, False),
        ({"checked": True, "mismatch_sectors": None}, False),
        ({"checked": False, "mismatch_sectors": 0}, False),
        ({"checked": True, "mismatch_sectors": 0, "sync_action": "check"}, False),
    ],
)
def test_only_a_check_that_ran_to_its_end_without_a_mismatch_proves(
    changes: dict[str, object], holds: bool
) -> None:
    assert ARRAY_CHECKED.judge(ARRAY_CHECKED.of(""), running_array(**changes)).holds is holds


def test_started_is_what_can_be_read_from() -> None:
    assert ARRAY_STARTED.judge(ARRAY_STARTED.of(""), running_array(state="read-auto")).holds
    assert not ARRAY_STARTED.judge(ARRAY_STARTED.of(""), running_array(state="inactive")).holds


@pytest.mark.parametrize("name", ["imsm", "ddf"])
def test_a_firmware_raid_that_is_stopped_is_assembled_from_its_disks(name: str) -> None:
    plan = made(Start(unit=name), recorded(f"states/{name}-stopped"))
    disks = [f"/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-000{number}" for number in (1, 2)]
    assert lines(plan) == [f"mdadm --incremental {disk}" for disk in disks]
    assert plan.uuids == ()
    (step,) = plan.steps
    assert step.after == tuple(VOLUMES_STARTED.of(disk) for disk in disks)


CONTAINER = Array(
    name="imsm",
    node="/dev/md127",
    metadata="external:imsm",
    state="inactive",
    level="container",
    members=(Member(path="/dev/sdb", disk="S-0001", slot=None, state=("spare",)),),
)


def test_the_volumes_of_a_firmware_raid_that_is_assembled_are_started() -> None:
    assert lines(made(Start(unit="/dev/md127"), machines.machine([disk(1)], [CONTAINER]))) == [
        "mdadm --incremental /dev/md127"
    ]


def volume(state: str) -> Array:
    return running_array(name="vol0", node="/dev/md126", metadata="external:/md127/0", state=state)


@pytest.mark.parametrize(
    ("arrays", "holds"),
    [
        ((), False),
        ((CONTAINER,), False),
        ((msgspec.structs.replace(CONTAINER, volumes=("/dev/md126",)), volume("inactive")), False),
        ((msgspec.structs.replace(CONTAINER, volumes=("/dev/md126",)), volume("")), False),
        ((msgspec.structs.replace(CONTAINER, volumes=("/dev/md126",)), volume("read-auto")), True),
        ((volume("clean"),), False),
    ],
)
def test_a_firmware_raid_is_started_if_each_of_its_volumes_is(
    monkeypatch: pytest.MonkeyPatch, arrays: tuple[Array, ...], holds: bool
) -> None:
    monkeypatch.setattr(care_conditions, "read_arrays", lambda: arrays)
    assert VOLUMES_STARTED.ask(VOLUMES_STARTED.of("/dev/sdb"), lambda _: False).holds is holds
