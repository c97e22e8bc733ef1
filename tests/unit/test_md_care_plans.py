"""The plans of md's spares, groups, checks, repairs, held-up syncs, forced starts and configuration; what they refuse."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.pages import PAGES
from raidtui.backends.md.diagnosis.expected import expected
from raidtui.backends.md.diagnosis.lone_spare import lone_spares
from raidtui.backends.md.names import md_spelling
from raidtui.backends.md.procedures.care_conditions import (
    ARRAY_AT,
    ARRAY_CHECKED,
    ARRAY_PACED,
    ARRAY_SYNCED,
    ARRAY_UNHELD,
)
from raidtui.backends.md.states import health, state
from raidtui.backends.md.units import unit_of
from raidtui.model.answer import Truth
from raidtui.model.device import Device, DeviceKind
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Array, Disk, Machine, Member, Mount, Signature, Sync
from raidtui.model.plan import REPLACED, DropLine, EnsureLine, PlanKind, Run, Severity, Undo
from raidtui.model.procedure import (
    AddSpare,
    Configure,
    Grow,
    LetSync,
    Procedure,
    ReAdd,
    Recover,
    RemoveFailed,
    RemoveLine,
    RemoveSpare,
    Replace,
    Scrub,
    SpareGroup,
    Start,
    UseSpare,
)
from raidtui.model.spec import Backend
from raidtui.model.superblock import Superblock
from raidtui.model.system import ConfiguredArray, ScrubSchedule
from raidtui.model.unit import Health
from raidtui.model.units import KIB
from raidtui.plan.care import title_of
from raidtui.steps.initramfs import INITRAMFS_LACKS
from tests.ui import machines
from tests.ui.machines import disk, running_array, superblock, with_superblock
from tests.unit.test_diagnosis import LINE, expecting
from tests.unit.test_md_tend import BACK, inactive, lines, made
from tests.unit.test_plan_care import BY_ID, WHOLE, degraded, nas, part

UUID = running_array().uuid
RESHAPE = Sync(action="reshape", done_bytes=0, total_bytes=0, bytes_per_second=0)


def whole(array: Array | None = None) -> Machine:
    """Four members, all here, and a blank disk."""
    return nas(array or running_array(), part(disk(4)), disk(5))


def found(array: Array) -> tuple[Finding, ...]:
    machine = whole(array)
    return diagnose([unit_of(array)], machine)


# Hot spares.


def test_a_spare_is_checked_partitioned_and_added_as_a_replacement_is() -> None:
    order = AddSpare(unit=UUID, disk=disk(5).serial)
    plan = made(order, whole())
    assert [one.serial for one in plan.erased] == [disk(5).serial]
    assert [step.id for step in plan.steps] == ["capsule", "wipe", "partition", "settle-partitions", "add"]
    assert lines(plan)[-1].endswith(f"--add-spare /dev/disk/by-id/{disk(5).by_id[0]}-part1")
    part_of = part(disk(1)).partitions[0]
    (extent,) = [one.expect for step in plan.steps for one in step.after if one.kind == "partition"]
    assert extent == f"{part_of.start_bytes} {part_of.size_bytes}"
    assert title_of(order, plan) == f"Add the hot spare {disk(5).serial} to tank"
    assert plan.kind is PlanKind.CARE


@pytest.mark.parametrize(
    ("array", "new", "words"),
    [
        (running_array(), disk(5, size_bytes=10**12), "too small for tank"),
        (running_array(), disk(5, logical_sector_bytes=4096), "does not fit tank"),
        (running_array(level="raid0", degraded=None), disk(5), "has no redundancy"),
        (degraded(), disk(5), "already lacks a member"),
        (running_array(sync_action="resync"), disk(5), "is busy: resync"),
        (running_array(sync_action="reshape", sync=RESHAPE), disk(5), "is being reshaped"),
        (running_array(state="inactive"), disk(5), "is not started"),
    ],
)
def test_what_is_no_good_spare_is_refused(array: Array, new: Disk, words: str) -> None:
    with pytest.raises(Refused, match=words):
        made(AddSpare(unit=UUID, disk=new.serial), nas(array, part(disk(4)), new))


def test_hazards_of_a_spare_are_told() -> None:
    shingled = disk(5, zoned="host-aware")
    plan = made(AddSpare(unit=UUID, disk=shingled.serial), nas(running_array(), part(disk(4)), shingled))
    assert any("shingled" in one.meaning for one in plan.hazards)


SPARE = Member(path="/dev/sdf1", disk=disk(5).serial, slot=None, state=("spare",))
WITH_SPARE = running_array(members=(*running_array().members, SPARE))
SPARED = nas(WITH_SPARE, part(disk(4)), part(disk(5)))


def test_a_spare_leaves_and_is_forgotten() -> None:
    plan = made(RemoveSpare(unit=UUID, disk=disk(5).serial), SPARED)
    assert [step.id for step in plan.steps] == ["remove", "forget"]
    device = f"/dev/disk/by-id/{disk(5).by_id[0]}-part1"
    assert lines(plan)[0].endswith(f"--remove {device}")
    assert lines(plan)[1] == f"mdadm --zero-superblock {device}"
    assert plan.steps[1].before == plan.steps[0].after
    assert plan.erased == ()
    assert [one.role for one in plan.disks] == [REPLACED]


def test_mdadm_is_given_the_node_where_it_would_refuse_a_link_by_uuid() -> None:
    """Measured with mdadm 4.4: the name of an array to manage or grow has at most 32 letters."""
    array = f"/dev/disk/by-id/md-uuid-{md_spelling(UUID)}"
    for order, machine in (
        (AddSpare(unit=UUID, disk=disk(5).serial), whole()),
        (RemoveSpare(unit=UUID, disk=disk(5).serial), SPARED),
        (Replace(old=disk(1).identity, new=disk(5).identity), whole()),
        (Grow(unit=UUID, add=(disk(5).serial,)), whole()),
        (Grow(unit=UUID, add=(disk(5).serial,), level="raid6"), whole()),
        (ReAdd(unit=UUID, disk=disk(4).serial), BACK),
    ):
        runs = [one for step in made(order, machine).steps for one in step.actions if isinstance(one, Run)]
        asked = [one for one in runs if one.argv[0] == "mdadm" and one.argv[1] in {array, "--grow"}]
        assert asked
        for run in asked:
            assert array in run.argv[1:3]
            assert run.follows(array)


def test_only_a_spare_leaves() -> None:
    with pytest.raises(Refused, match=f"which has {disk(5).serial}"):
        made(RemoveSpare(unit=UUID, disk=disk(1).serial), SPARED)
    reshaped = msgspec.structs.replace(WITH_SPARE, sync_action="reshape", sync=RESHAPE)
    with pytest.raises(Refused, match="is being reshaped"):
        made(
            RemoveSpare(unit=UUID, disk=disk(5).serial),
            msgspec.structs.replace(SPARED, arrays=(reshaped,)),
        )


LONE = running_array(
    level="raid1", raid_disks=1, members=(running_array().members[0], SPARE), chunk_bytes=None, layout=""
)


def lone_spare(*more: Member) -> Machine:
    array = msgspec.structs.replace(LONE, members=(*LONE.members, *more))
    return nas(array, part(disk(4)), part(disk(5)))


def test_the_spare_of_a_mirror_of_one_leaves_before_the_mirror_has_a_slot_for_it() -> None:
    machine = lone_spare()
    (finding,) = [one for one in lone_spares(machine) if "waits in vain" in one.what]
    (remedy,) = finding.remedies
    order = UseSpare(unit=UUID, disk=disk(5).serial)
    assert (remedy.procedure, remedy.commands) == (order, ())
    assert finding.order(remedy) == "raidtui care tank"
    plan = made(order, machine)
    assert [step.id for step in plan.steps] == ["remove", "forget", "grow", "add", "wait", "check", "prove"]
    device = f"/dev/disk/by-id/{disk(5).by_id[0]}-part1"
    runs = [one for step in plan.steps[2:4] for one in step.actions if isinstance(one, Run)]
    assert runs[-2].argv[-2:] == ("--raid-devices=2", "--force")
    assert runs[-1].argv[-1] == device
    assert plan.erased == ()
    assert title_of(order, plan) == f"Make the hot spare {disk(5).serial} a member of tank"


def test_of_two_spares_of_a_mirror_of_one_one_leaves_first() -> None:
    machine = lone_spare(Member(path="/dev/sde1", disk=disk(4).serial, slot=None, state=("spare",)))
    (finding,) = [one for one in lone_spares(machine) if "waits in vain" in one.what]
    (remedy,) = finding.remedies
    assert isinstance(remedy.procedure, RemoveSpare)
    with pytest.raises(Refused, match="md might take its hot spare"):
        made(UseSpare(unit=UUID, disk=disk(5).serial), machine)


def test_where_a_spare_takes_over_by_itself_it_gets_no_slot() -> None:
    with pytest.raises(Refused, match="take over by itself"):
        made(UseSpare(unit=UUID, disk=disk(5).serial), SPARED)


# Spare groups.


def configured(text: str, *, mail: str = "root", systemd: bool = True) -> Machine:
    machine = whole()
    entry = ConfiguredArray(text=text, file="/etc/mdadm.conf", lines=(text,))
    system = msgspec.structs.replace(
        machine.system, mdadm_conf_entries=(entry,), mail_address=mail, systemd=systemd
    )
    return msgspec.structs.replace(machine, system=system)


ENTRY = f"ARRAY /dev/md/tank metadata=1.2 UUID={UUID}"


def test_an_array_joins_a_spare_group_in_its_line_and_the_monitor_reads_it() -> None:
    plan = made(SpareGroup(unit=UUID, group="nas"), configured(ENTRY))
    assert plan.steps[0].actions == (
        EnsureLine(path="/etc/mdadm.conf", line=f"{ENTRY} spare-group=nas"),
        DropLine(path="/etc/mdadm.conf", line=ENTRY),
    )
    assert lines(plan) == ["systemctl restart mdmonitor.service"]
    silent = made(SpareGroup(unit=UUID, group="nas"), configured(ENTRY, mail="", systemd=False))
    assert [step.id for step in silent.steps] == ["group", "fix-mail"]  # it does not run without an address


def test_an_array_changes_and_leaves_its_group() -> None:
    grouped = configured(f"{ENTRY} spare-group=old")
    (line, *_) = made(SpareGroup(unit=UUID, group="new"), grouped).steps[0].actions
    assert line == EnsureLine(path="/etc/mdadm.conf", line=f"{ENTRY} spare-group=new")
    (line, *_) = made(SpareGroup(unit=UUID, group=""), grouped).steps[0].actions
    assert line == EnsureLine(path="/etc/mdadm.conf", line=ENTRY)
    with pytest.raises(Refused, match="in the spare group old already"):
        made(SpareGroup(unit=UUID, group="old"), grouped)
    with pytest.raises(Refused, match="in no spare group"):
        made(SpareGroup(unit=UUID, group=""), configured(ENTRY))
    with pytest.raises(Refused, match="letters, digits"):
        made(SpareGroup(unit=UUID, group="a b"), configured(ENTRY))


# Checks and repairs.


def test_a_check_reads_everything_from_the_start() -> None:
    plan = made(Scrub(unit=UUID), whole())
    assert [step.id for step in plan.steps] == ["check"]
    assert plan.hazards == ()
    stopped = made(Scrub(unit=UUID), whole(running_array(sync_part=(65536, None))))
    assert [step.id for step in stopped.steps] == ["unhold", "check"]
    assert lines(stopped)[0] == "tee /sys/block/md127/md/sync_min"


def test_a_repair_must_be_accepted_and_is_checked() -> None:
    plan = made(Scrub(unit=UUID, repair=True), whole())
    assert [step.id for step in plan.steps] == ["repair", "check"]
    assert [(one.id, one.severity) for one in plan.hazards] == [("repair-overwrites", Severity.HIGH)]
    assert plan.steps[0].undoable is Undo.IMPOSSIBLE
    assert "parity" in plan.steps[0].reason
    copies = made(Scrub(unit=UUID, repair=True), whole(running_array(level="raid1")))
    assert "first member" in copies.steps[0].reason


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (running_array(level="raid0", degraded=None), "nothing to compare"),
        (degraded(), "lacks a member"),
        (running_array(state="readonly"), "is set read-only"),
        (running_array(sync_action="recover"), "is busy: rebuild"),
        (running_array(sync_action="recover", initial_build=True), "is busy: initial sync"),
        (running_array(sync_action="reshape", sync=RESHAPE), "is being reshaped"),
    ],
)
def test_what_cannot_be_checked_is_refused(array: Array, words: str) -> None:
    with pytest.raises(Refused, match=words):
        made(Scrub(unit=UUID), whole(array))


def mismatched(level: str, *signatures: str) -> Array:
    made = tuple(Signature(device="/dev/md127", offset=0, type=one) for one in signatures)
    return running_array(level=level, checked=True, mismatch_sectors=128, signatures=made)


def test_a_mismatch_means_something_else_where_there_are_copies() -> None:
    (parity,) = found(mismatched("raid5"))
    assert parity.kind is Kind.ERRORS
    assert "parity was never computed" in parity.remedies[1].text
    (copies,) = found(mismatched("raid1"))
    assert copies.kind is Kind.MISMATCHES
    assert "does no harm" in copies.remedies[1].text
    for one in (parity, copies):
        assert one.first is not None
        assert one.first.procedure == Scrub(unit=UUID)
        assert one.order(one.remedies[1]) == "raidtui care tank --do repair"
    assert found(mismatched("raid1", "swap")) == ()
    assert health(mismatched("raid1")) is Health.OK


def test_recorded_bad_blocks_are_errors() -> None:
    members = running_array().members
    one = running_array(members=(msgspec.structs.replace(members[0], bad_sectors=8), *members[1:]))
    assert health(one) is Health.ERRORS
    assert state(one) == "bad blocks are recorded on sdb1: 8 sectors; all members in sync"
    assert "the others still have" in found(one)[0].remedies[0].text
    two = running_array(members=tuple(msgspec.structs.replace(m, bad_sectors=8) for m in members[:2]))
    assert "no good copy" in found(two)[0].remedies[0].text


# What holds a sync up.

FROZEN = running_array(sync_action="frozen")
LIMITED = running_array(sync_part=(0, 1024))


@pytest.mark.parametrize(
    ("array", "runs"),
    [
        (FROZEN, ["mdadm --action=idle"]),
        (LIMITED, ["tee /sys/block/md127/md/sync_max"]),
        (
            running_array(sync_action="frozen", sync_part=(512, 1024)),
            [
                "mdadm --action=idle",
                "tee /sys/block/md127/md/sync_max",
                "tee /sys/block/md127/md/sync_min",
            ],
        ),
    ],
)
def test_what_a_crash_left_behind_is_a_finding_and_put_right(array: Array, runs: list[str]) -> None:
    (finding,) = found(array)
    assert finding.kind is Kind.HELD
    assert finding.first is not None
    assert finding.first.procedure == LetSync(unit=UUID)
    plan = made(LetSync(unit=UUID), whole(array))
    assert [line.partition(" /dev/")[0] for line in lines(plan)] == runs
    (step,) = plan.steps
    assert step.before == (ARRAY_AT.of(UUID, "/dev/md127"),)
    assert step.after == (ARRAY_UNHELD.of(UUID),)


@pytest.mark.parametrize("array", [FROZEN, LIMITED])
def test_the_next_job_on_the_array_puts_it_right_first(array: Array) -> None:
    procedures: list[tuple[Procedure, Machine]] = [
        (Scrub(unit=UUID), whole(array)),
        (Replace(old=disk(1).serial, new=disk(5).serial), whole(array)),
        (AddSpare(unit=UUID, disk=disk(5).serial), whole(array)),
    ]
    lost = degraded(sync_action=array.sync_action, sync_part=array.sync_part)
    back = msgspec.structs.replace(BACK, arrays=(lost,))
    procedures.append((ReAdd(unit=UUID, disk=disk(4).serial), back))
    for procedure, machine in procedures:
        steps = [step.id for step in made(procedure, machine).steps if step.role.value in {"member", "wait"}]
        assert steps[0] == "unhold", procedure


def test_a_paused_rebuild_ends_before_anything_else() -> None:
    members = running_array().members
    rebuilt = msgspec.structs.replace(members[3], state=("spare",))
    array = running_array(degraded=1, members=(*members[:3], rebuilt), sync_action="frozen")
    with pytest.raises(Refused, match="rebuild of tank is paused"):
        made(Replace(old=disk(1).serial, new=disk(5).serial), whole(array))


@pytest.mark.parametrize("waiting", ["", "pending"])
def test_an_interrupted_reshape_is_not_set_going(waiting: str) -> None:
    sync = msgspec.structs.replace(RESHAPE, waiting=waiting)
    array = running_array(sync_action="reshape", sync=sync, state="read-auto")
    assert [one.remedies[0].procedure for one in found(array)] == ([None] if waiting else [])
    with pytest.raises(Refused, match="interrupted reshape"):
        made(LetSync(unit=UUID), whole(array))
    with pytest.raises(Refused, match="is being reshaped"):
        made(RemoveFailed(unit=UUID), whole(array))


def test_a_reshape_that_a_job_left_held_continues_in_steps() -> None:
    """At once to the end, it would overwrite its first stripes unrecorded."""
    array = running_array(sync_action="reshape", sync=RESHAPE, sync_part=(0, 2048))
    known = tuple(superblock(slot, reshaping=True, adds_members=True) for slot in range(4))
    step = made(LetSync(unit=UUID), msgspec.structs.replace(whole(array), superblocks=known)).steps[0]
    assert step.id == "unhold"
    ready, steps = [action.argv for action in step.actions if isinstance(action, Run)]
    assert ready[:2] == ("mdadm", "--readwrite")
    chunk = array.chunk_bytes // 512
    assert steps[5:] == tuple(str(place) for place in range(chunk, 32 * chunk, chunk))


@pytest.mark.parametrize(
    ("changes", "word", "first"),
    [
        ({"sync": msgspec.structs.replace(RESHAPE, waiting="pending"), "state": "read-auto"}, "interrupted", "readwrite"),
        ({"sync_action": "frozen"}, "paused", "unhold"),
    ],
)  # fmt: skip
def test_a_growth_that_is_parked_has_one_next_step(changes: dict[str, Any], word: str, first: str) -> None:
    array = running_array(**({"sync_action": "reshape"} | changes))
    known = tuple(superblock(slot, reshaping=True, adds_members=True) for slot in range(4))
    machine = msgspec.structs.replace(whole(array), superblocks=known)
    (finding,) = diagnose([unit_of(array)], machine)
    (remedy,) = finding.remedies
    assert word in remedy.text
    assert remedy.procedure == LetSync(unit=UUID)
    assert made(LetSync(unit=UUID), machine).steps[0].id == first
    copies = msgspec.structs.replace(array, level="raid10")
    mirrored = msgspec.structs.replace(machine, arrays=(copies,))
    (finding,) = diagnose([unit_of(copies)], mirrored)
    assert "do not mount it" in finding.remedies[0].text
    (step, *_) = made(LetSync(unit=UUID), mirrored).steps
    assert word == "paused" or [one.kind for one in step.before] == ["not-mounted"]
    one_differs = (*known[:3], superblock(3, reshaping=True))
    machine = msgspec.structs.replace(machine, superblocks=one_differs)
    (finding,) = diagnose([unit_of(array)], machine)
    assert word == "paused" or finding.remedies[0].procedure == Recover(unit=UUID, stop=True)


def test_where_nothing_is_held_up_there_is_nothing_to_do() -> None:
    with pytest.raises(Refused, match="no sync of tank is held up"):
        made(LetSync(unit=UUID), whole())


def limited(least: int, most: int, *, usual: tuple[int, int] = (1000, 200_000), **changes: Any) -> Machine:
    """Limits of the array and of the computer, in KiB/s."""
    array = running_array(sync_speed_min=least * KIB, sync_speed_max=most * KIB, **changes)
    machine = whole(array)
    system = msgspec.structs.replace(
        machine.system, raid_speed_min=usual[0] * KIB, raid_speed_max=usual[1] * KIB
    )
    return msgspec.structs.replace(machine, system=system)


OWN = "tee /sys/block/md127/md/sync_speed_"
OF_ALL = "tee /proc/sys/dev/raid/speed_limit_"


@pytest.mark.parametrize(
    ("machine", "runs"),
    [
        (limited(1, 10), [f"{OWN}max", f"{OWN}min"]),
        (limited(999, 999, usual=(999, 200_000)), [f"{OWN}max", f"{OWN}min"]),
        (limited(10, 10, usual=(10, 10)), [f"{OWN}max", f"{OWN}min", f"{OF_ALL}min", f"{OF_ALL}max"]),
        (limited(10, 20, usual=(10, 30)), [f"{OWN}max", f"{OWN}min", f"{OF_ALL}min", f"{OF_ALL}max"]),
    ],
)
def test_a_speed_limit_that_lets_no_rebuild_end_is_taken_back(machine: Machine, runs: list[str]) -> None:
    (array,) = machine.arrays
    (finding,) = diagnose([unit_of(array)], machine)
    assert (finding.kind, finding.first and finding.first.procedure) == (Kind.SLOWED, LetSync(unit=UUID))
    plan = made(LetSync(unit=UUID), machine)
    assert lines(plan) == runs
    (step,) = plan.steps
    assert step.after == (ARRAY_PACED.of(UUID, "1000"),)
    assert {run.input for run in step.actions if isinstance(run, Run)} <= {"system\n", "1000\n", "200000\n"}


@pytest.mark.parametrize(
    ("least", "most"),
    [(1000, 10), (1, 1000), (1000, 200_000), (0, 1000)],
    ids=["min", "max", "usual", "no min"],
)
def test_md_runs_as_fast_as_the_larger_of_two_limits(least: int, most: int) -> None:
    machine = limited(least, most)
    assert diagnose([unit_of(machine.arrays[0])], machine) == ()


def test_a_limit_that_md_does_not_say_is_unknown() -> None:
    array = running_array(sync_speed_min=None, sync_speed_max=10 * KIB)
    assert found(array) == ()
    assert ARRAY_PACED.judge(ARRAY_PACED.of(UUID, "1000"), array).truth is Truth.UNKNOWN
    assert ARRAY_PACED.judge(ARRAY_PACED.of(UUID, "1000"), limited(1, 10).arrays[0]).truth is Truth.NO


def test_a_rebuild_that_hardly_moves_is_let_go_before_anything_else() -> None:
    members = running_array().members
    rebuilt = msgspec.structs.replace(members[3], state=("spare",))
    sync = Sync(action="recover", done_bytes=1, total_bytes=10**12, bytes_per_second=10_000)
    machine = limited(1, 10, degraded=1, members=(*members[:3], rebuilt), sync_action="recover", sync=sync)
    (finding,) = diagnose([unit_of(machine.arrays[0])], machine)
    assert (finding.kind, finding.first and finding.first.procedure) == (
        Kind.NO_REDUNDANCY,
        LetSync(unit=UUID),
    )
    assert lines(made(LetSync(unit=UUID), machine)) == [f"{OWN}max", f"{OWN}min"]


STOPPED_CHECK = running_array(sync_part=(65_536, None))


def test_a_check_that_was_stopped_is_made_again_from_the_start() -> None:
    (finding,) = found(STOPPED_CHECK)
    assert (finding.kind, finding.first and finding.first.procedure) == (Kind.CHECK_STOPPED, Scrub(unit=UUID))
    plan = made(Scrub(unit=UUID), whole(STOPPED_CHECK))
    assert lines(plan)[0] == "tee /sys/block/md127/md/sync_min"


def test_the_place_that_mdcheck_goes_on_from_is_no_finding() -> None:
    machine = whole(STOPPED_CHECK)
    timer = ScrubSchedule(by="mdcheck_continue.timer", backend=Backend.MDADM)
    system = msgspec.structs.replace(machine.system, scrub_schedules=(timer,))
    machine = msgspec.structs.replace(machine, system=system)
    assert diagnose([unit_of(STOPPED_CHECK)], machine) == ()
    running = Sync(action="check", done_bytes=1, total_bytes=10**12, bytes_per_second=10**8)
    for array in (
        running_array(sync_part=(65_536, None), sync_action="check", sync=running),
        running_array(level="raid0", degraded=None, sync_part=(65_536, None)),
    ):
        assert found(array) == ()


def test_of_two_arrays_of_one_name_each_is_named_by_its_uuid() -> None:
    other = msgspec.structs.replace(
        running_array(), uuid="11111111-2222-3333-4444-555555555555", node="/dev/md126", path="", members=()
    )
    machine = msgspec.structs.replace(whole(), arrays=(running_array(), other))
    bare = msgspec.structs.replace(machine.system, mdadm_conf_entries=(), mdadm_conf_arrays=())
    machine = msgspec.structs.replace(machine, system=bare)
    assert {one.name for one in expected(machine)} <= {UUID, other.uuid}
    assert len(list(expected(machine))) == 2


# A start by force.


def test_a_forced_start_names_the_members_that_left_last_and_must_be_accepted() -> None:
    known = (*WHOLE[:2], superblock(2, events=26), superblock(3, events=11))
    plan = made(Start(unit=UUID, forced=True), inactive((0, 1, 2, 3), *known))
    assert [step.id for step in plan.steps] == ["stop", "start"]
    assert lines(plan)[-1] == f"mdadm --assemble --force /dev/md/tank --uuid={UUID} {' '.join(BY_ID[:3])}"
    assert [(one.id, one.severity) for one in plan.hazards] == [("forced-start", Severity.HIGH)]
    assert plan.steps[1].before[0].kind == "array-gone"
    stopped = made(Start(unit=UUID, forced=True), inactive((), *known, stopped=True))
    assert [step.id for step in stopped.steps] == ["start"]


@pytest.mark.parametrize(
    "known",
    [
        WHOLE,  # it starts without force
        (*WHOLE[:2], superblock(2, events=26, reshaping=True), superblock(3, events=11)),
        (*WHOLE[:2], superblock(2, events=26), superblock(3, events=26, device="2")),
        WHOLE[:2],
    ],
)
def test_nothing_is_forced_that_is_not_certain(known: tuple[Superblock, ...]) -> None:
    with pytest.raises(Refused, match="must not be forced"):
        made(Start(unit=UUID, forced=True), inactive((0, 1, 2, 3), *known))


def test_a_failed_array_is_unmounted_and_stopped_first() -> None:
    array = degraded(state="broken", degraded=2, mountpoints=("/srv/tank",))
    array = msgspec.structs.replace(array, members=array.members[:2])
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    known = (
        *(superblock(slot, active=(0, 1)) for slot in (0, 1)),
        superblock(2, events=26),
        superblock(3, events=11),
    )
    machine = msgspec.structs.replace(machines.machine(there, [array]), superblocks=known)
    plan = made(Start(unit=UUID, forced=True), machine)
    assert lines(plan)[0] == "umount /srv/tank"
    assert lines(plan)[1] == "mdadm --stop /dev/md127"
    assert not any("--re-add" in line for line in lines(plan))


@pytest.mark.parametrize("kind", [DeviceKind.VOLUME, DeviceKind.CRYPT])
def test_a_failed_array_is_stopped_after_its_volumes_and_not_with_anything_else_on_it(
    kind: DeviceKind,
) -> None:
    known = (*WHOLE[:2], superblock(2, events=26), superblock(3, events=11))
    array = degraded(state="broken", degraded=2)
    array = msgspec.structs.replace(array, members=array.members[:2])
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    machine = msgspec.structs.replace(
        machines.machine(there, [array]),
        superblocks=known,
        devices=(
            Device(name="md127", number="9:127", kind=DeviceKind.ARRAY, holders=("dm-1",)),
            Device(name="dm-1", number="253:1", kind=kind, dm_name="tank-data_corig", holders=("dm-0",)),
            Device(name="dm-0", number="253:0", kind=kind, dm_name="tank-data"),
        ),
        mounts=(
            Mount(source="a", target="/srv/tank", type="ext4", device="/dev/dm-0", device_number="253:0"),
        ),
    )
    if kind is DeviceKind.CRYPT:
        with pytest.raises(Refused, match="tank-data is on tank: unmount /srv/tank, then stop it"):
            made(Start(unit=UUID, forced=True), machine)
        return
    plan = made(Start(unit=UUID, forced=True), machine)
    assert lines(plan)[:4] == [
        "umount /srv/tank",
        "dmsetup remove tank-data",
        "dmsetup remove tank-data_corig",
        "mdadm --stop /dev/md127",
    ]


# Configuration.


def test_an_array_without_a_line_is_a_finding_and_gets_one() -> None:
    machine = whole()
    bare = msgspec.structs.replace(machine.system, mdadm_conf_entries=(), mail_address="")
    machine = msgspec.structs.replace(machine, system=bare)
    (finding,) = diagnose([unit_of(running_array())], machine)
    assert finding.kind is Kind.NOT_CONFIGURED
    assert (
        finding.what
        == "array tank: no ARRAY line in /etc/mdadm/mdadm.conf and no mail address for mdadm's monitor"
    )
    of_a_sweep = msgspec.structs.replace(unit_of(running_array()), job="20261121-040312-sweep")
    assert diagnose([of_a_sweep], machine) == ()  # it is removed again
    lost = msgspec.structs.replace(machine, arrays=(degraded(),))
    assert [one.kind for one in diagnose([unit_of(degraded())], lost)] == [Kind.NO_REDUNDANCY]
    plan = made(Configure(unit=UUID), machine)
    ids = [step.id for step in plan.steps]
    assert ids[0] == "conf"
    assert "fix-mail" in ids
    with pytest.raises(Refused, match="nothing to add here"):
        made(Configure(unit=UUID), configured(ENTRY))


def mounted(*places: str, fstab: tuple[str, ...] = ()) -> Machine:
    """An array without an ARRAY line, with XFS mounted at ``places``."""
    on_it = Signature(device="/dev/md127", offset=0, type="xfs", uuid="0f5a")
    machine = whole(running_array(signatures=(on_it,)))
    mounts = tuple(Mount(source="/dev/md127", target=one, type="xfs", device="/dev/md127") for one in places)
    system = msgspec.structs.replace(machine.system, mdadm_conf_entries=(), fstab=fstab)
    return msgspec.structs.replace(machine, system=system, mounts=mounts)


def test_what_is_mounted_of_it_and_not_in_fstab_gets_a_line() -> None:
    machine = mounted("/srv/my films")
    (finding,) = diagnose([unit_of(machine.arrays[0])], machine)
    assert "mdadm.conf, no line of fstab for /srv/my films and no mail" in finding.what
    actions = [action for step in made(Configure(unit=UUID), machine).steps for action in step.actions]
    line = "UUID=0f5a /srv/my\\040films xfs defaults,nofail,x-systemd.device-timeout=120s 0 0"
    assert EnsureLine(path="/etc/fstab", line=line) in actions


def test_only_what_is_mounted_gets_a_line_where_the_kernel_also_sees_partitions() -> None:
    """A log or the data of a virtual machine may look like a partition table."""
    machine = mounted("/srv/tank")
    whole_of_it = machine.arrays[0].signatures[0]
    seen = (whole_of_it, msgspec.structs.replace(whole_of_it, device="/dev/md127p1"))
    array = msgspec.structs.replace(machine.arrays[0], signatures=seen)
    steps = made(Configure(unit=UUID), msgspec.structs.replace(machine, arrays=(array,))).steps
    assert [step.id for step in steps].count("fstab") == 1


@pytest.mark.parametrize(
    "machine",
    [
        mounted(),
        mounted("/srv/a", "/srv/b"),  # which of them at boot is not known
        mounted("/srv/a", fstab=("UUID=0f5a /srv/a xfs noauto 0 0",)),  # a person's choice
        mounted("/srv/a", fstab=("/dev/md/tank /elsewhere xfs defaults 0 0",)),
    ],
)
def test_no_line_is_added_where_there_is_one_or_none_is_wanted(machine: Machine) -> None:
    steps = made(Configure(unit=UUID), machine).steps
    assert "fstab" not in [step.id for step in steps]


def test_a_line_that_expects_what_is_gone_is_removed_if_a_person_says_so() -> None:
    entry = ConfiguredArray(
        text=LINE, file="/etc/mdadm/mdadm.conf.d/x", lines=("ARRAY /dev/md/tank \\\\", "  UUID=aa")
    )
    machine = expecting(LINE)
    machine = msgspec.structs.replace(
        machine, system=msgspec.structs.replace(machine.system, mdadm_conf_entries=(entry,))
    )
    (finding,) = diagnose([], machine)
    assert finding.first is None
    order = finding.remedies[1].procedure
    assert isinstance(order, RemoveLine)
    plan = made(order, machine)
    assert plan.steps[0].actions == tuple(DropLine(path=entry.file, line=one) for one in entry.lines)
    assert plan.steps[0].undo == tuple(EnsureLine(path=entry.file, line=one) for one in entry.lines)
    _, rebuilt = plan.steps
    (kernel,) = machine.system.boot_kernels or (machine.system.kernel,)
    assert rebuilt.after == tuple(INITRAMFS_LACKS.of(kernel, one) for one in entry.lines)
    assert rebuilt.undo[:-1] == plan.steps[0].undo
    assert rebuilt.undo[-1:] == rebuilt.actions
    without = msgspec.structs.replace(machine.system, initramfs="")
    assert len(made(order, msgspec.structs.replace(machine, system=without)).steps) == 1


def test_every_kind_has_a_page() -> None:
    assert set(PAGES) == set(Kind)


# Conditions.


def test_a_check_proves_nothing_before_it_ran() -> None:
    """It may have been clean last month."""
    assert ARRAY_CHECKED.may_be_older
    assert ARRAY_SYNCED.may_be_older


def test_an_array_is_found_by_its_node() -> None:
    assert ARRAY_AT.judge(ARRAY_AT.of(UUID, "/dev/md127"), running_array()).holds
    assert not ARRAY_AT.judge(ARRAY_AT.of(UUID, "/dev/md126"), running_array()).holds
