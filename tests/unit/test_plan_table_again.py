"""The plan that writes a lost partition table again: nothing but the table, and only where it is certain how it was."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.reading import recorded_machine
from raidtui.jobs.disk_contents import own_signatures
from raidtui.jobs.failures import failure
from raidtui.jobs.progress import StepState
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Partition, Signature, Weight
from raidtui.model.plan import Plan, Run, SaveCapsule, Undo
from raidtui.model.procedure import RestoreTable
from raidtui.model.table_before import PartBefore, TableBefore
from raidtui.plan.care import make_care, title_of
from raidtui.steps.seeds import derive, partition_uuid
from tests.unit.plan_machines import SEED

STATES = Path(__file__).parents[1] / "machines" / "states"
ORDER = RestoreTable(disk="LAB-0001")
DISK = "/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0001"


def state(name: str = "md-partition-table-gone") -> Machine:
    return recorded_machine(str(STATES / f"{name}.json"))


def plan_of(machine: Machine) -> Plan:
    return make_care(ORDER, machine, seed=SEED)


def with_disk(machine: Machine, change: Callable[[Disk], Disk]) -> Machine:
    first, *rest = machine.disks
    return replace(machine, disks=(change(first), *rest))


def with_table(machine: Machine, change: Callable[[TableBefore], TableBefore | None]) -> Machine:
    def changed(disk: Disk) -> Disk:
        claims = [
            replace(one, table=change(one.table)) if one.table is not None else one for one in disk.taken_by
        ]
        return replace(disk, taken_by=tuple(claims))

    return with_disk(machine, changed)


def test_the_table_alone_is_written_after_both_ends_were_saved() -> None:
    plan = plan_of(state())
    save, table, seen = plan.steps
    assert save.actions == (SaveCapsule(disks=("LAB-0001",)),)
    write, reread = (one for one in table.actions if isinstance(one, Run))
    assert write.argv == (
        "sfdisk", "--no-reread", "--no-tell-kernel", "--wipe=never", "--wipe-partitions=never", DISK
    )  # fmt: skip
    label, own = derive(SEED, "table", "LAB-0001"), partition_uuid(SEED, "LAB-0001")
    assert write.input.splitlines() == [
        "label: gpt",
        f"label-id: {label}",
        "first-lba: 2048",
        f"1 : start=2048, size=307200, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid={own}",
    ]
    assert reread.argv == ("blockdev", "--rereadpt", DISK)
    assert [(one.offset, one.length) for one in write.writes or ()] == [(0, 1048576), (166723584, 1048576)]
    assert (table.undoable, table.holds, table.destroys) == (Undo.CAPSULE, (DISK,), ())
    part = f"{DISK}-part1"
    assert [(one.kind, one.subject) for one in table.before] == [("unclaimed", DISK), ("same-bytes", DISK)]
    assert [(one.kind, one.subject) for one in table.after] == [("partition", part), ("same-bytes", part)]
    assert [(one.kind, one.expect.partition(" ")[0]) for one in seen.after] == [
        ("present", ""), ("filesystem", "linux_raid_member"),
    ]  # fmt: skip
    assert not plan.erased
    assert [one.id for one in plan.hazards] == ["new-partuuid"]
    assert title_of(ORDER, plan) == "Write the partition table of LAB-0001 again"
    assert plan.spec.name == "tank"


def test_of_a_copy_everything_is_written_as_it_was() -> None:
    part = PartBefore(
        number=3, start_bytes=1 << 20, size_bytes=1 << 26, type="t", uuid="u", name="my data", attributes=(2, 60),
        kind="LVM2_member", holds="pv",
    )  # fmt: skip
    before = TableBefore(copied=True, uuid="disk", first=34, last=327646, entries=128, parts=(part,))
    plan = plan_of(with_table(state(), lambda _: before))
    (write,) = (
        one for step in plan.steps for one in step.actions if isinstance(one, Run) and one.argv[0] == "sfdisk"
    )
    assert write.input.splitlines() == [
        "label: gpt", "label-id: disk", "first-lba: 34", "last-lba: 327646", "table-length: 128",
        '3 : start=2048, size=131072, type=t, uuid=u, name="my data", attrs="LegacyBIOSBootable GUID:60"',
    ]  # fmt: skip
    assert not plan.hazards


def test_an_mbr_gets_no_copy_and_its_own_types() -> None:
    plan = plan_of(with_table(state(), lambda table: replace(table, label="dos")))
    write = next(one for one in plan.steps[1].actions if isinstance(one, Run))
    assert write.input.splitlines()[0] == "label: dos"
    assert write.input.splitlines()[1].startswith("label-id: 0x")
    assert write.input.splitlines()[2:] == ["1 : start=2048, size=307200, type=fd"]


@pytest.mark.parametrize("name", ["lvm-partition-table-gone", "md-two-partition-tables-gone-1.0", "btrfs-partition-table-gone", "lvm-partition-table-only-at-its-end", "public-partition-tables-damaged"])  # fmt: skip
def test_what_is_in_the_partition_is_waited_for(name: str) -> None:
    plan = plan_of(state(name))
    (claim,) = [one for one in state(name).disks[0].taken_by if one.table is not None]
    assert claim.table is not None
    (part,) = claim.table.parts
    assert f"{part.kind} {part.holds}" in {one.expect for one in plan.steps[-1].after}
    assert part.holds


BUSY = Claim(
    what=ClaimKind.PROCESS, weight=Weight.BUSY, device="/dev/ubda", detail="open", how_to_free="stop it"
)
EXT4 = Signature(device="/dev/ubda", offset=1080, type="ext4", uuid="u")
GPT = Signature(device="/dev/ubda", offset=512, type="gpt")
PART = Partition(name="ubda1", path="/dev/ubda1", number=1, start_bytes=1 << 20, size_bytes=1 << 20)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda m: with_table(m, lambda t: replace(t, unsure="it is odd")), "it is odd"),
        (lambda m: with_table(m, lambda t: TableBefore(unsure="it is odd")), "it is odd"),
        (lambda m: with_table(m, lambda t: None), "how it was is not known"),
        (lambda m: with_disk(m, lambda d: replace(d, taken_by=(*d.taken_by, BUSY))), "in use"),
        (lambda m: with_disk(m, lambda d: replace(d, signatures=(EXT4,))), "shows something else"),
        (lambda m: with_disk(m, lambda d: replace(d, signatures=(GPT,))), "table of another kind"),
        (lambda m: with_disk(m, lambda d: replace(d, partitions=(PART,))), "shows something else"),
        (
            lambda m: replace(m, disks=(*m.disks[:2], replace(m.disks[2], taken_by=m.disks[0].taken_by))),
            "on another disk",
        ),
        (lambda m: replace(m, complete=False), "without root"),
        (
            lambda m: replace(m, disks=(*m.disks[:2], replace(m.disks[2], serial="LAB-0001"))),
            "LAB-0001",
        ),
    ],
)
def test_where_it_is_not_certain_or_something_else_is_there_no_table_is_written(
    change: Callable[[Machine], Machine], why: str
) -> None:
    with pytest.raises(RaidtuiError, match=why):
        plan_of(change(state()))


def test_a_disk_that_lost_no_table_gets_none() -> None:
    with pytest.raises(BadInput, match="lost no partition table"):
        make_care(RestoreTable(disk="LAB-0002"), state(), seed=SEED)


def test_when_the_step_fails_it_says_that_the_disk_can_be_as_it_was() -> None:
    plan = plan_of(state())
    states = {"capsule": StepState.DONE, "table": StepState.BEGUN}
    said = failure(plan, states, plan.steps[1], "sfdisk ended with exit code 1", job="job")
    assert "The old contents of LAB-0001 can still be restored" in said
    assert "'raidtui rollback job'" in said
    assert "Nothing was written" in failure(
        plan, {"capsule": StepState.BEGUN}, plan.steps[0], "no room", job="job"
    )


def test_what_the_partitions_show_was_there_before_and_what_the_disk_shows_was_not() -> None:
    """An array with metadata 1.0 has its filesystem where the partition begins."""
    plan = plan_of(state())
    within = replace(PART, signatures=(replace(EXT4, device="/dev/ubda1", uuid="inner"),))
    disk = replace(state().disks[0], partitions=(within,), signatures=(GPT, EXT4))
    assert own_signatures(plan, disk) == {"gpt", "ext4 inner"}
    assert own_signatures(plan, replace(disk, serial="LAB-0002")) == {"gpt"}


def test_a_refusal_is_also_in_the_advice() -> None:
    from raidtui.advice.diagnosis import diagnose
    from raidtui.backends.units import units_of

    machine = with_table(state(), lambda table: replace(table, unsure="it is odd"))
    (remedy,) = [
        one
        for finding in diagnose(units_of(machine), machine)
        for one in finding.remedies
        if "partition table again as it was" in one.text
    ]
    assert remedy.procedure is None
    assert remedy.text.endswith("raidtui does not: it is odd")
    with pytest.raises(Refused, match="it is odd"):
        plan_of(machine)
