"""The capsule knows where every command writes that runs before the first irreversible step."""

import msgspec
import pytest

from raidtui.jobs.capsule import regions_to_save
from raidtui.jobs.write_extents import find_writes
from raidtui.model.errors import StepFailed
from raidtui.model.machine import Disk, Machine, Partition, Signature
from raidtui.model.plan import Extent, Plan, Role, Run, Step, Undo
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.units import GIB, MIB
from raidtui.plan.build import make_plan

SEED = "6a5d5b3e-8f5a-4a7b-9d10-0f6c1b2a3c4d"


def a_disk(letter: str, number: int) -> Disk:
    path = f"/dev/sd{letter}"
    old = Partition(
        name=f"sd{letter}1",
        path=f"{path}1",
        number=1,
        start_bytes=MIB,
        size_bytes=GIB,
        signatures=(Signature(device=f"{path}1", offset=1080, type="ext4", uuid="a"),),
    )
    return Disk(
        name=f"sd{letter}",
        path=path,
        device_number=f"8:{16 * number}",
        size_bytes=8 * GIB,
        serial=f"SER-{number}",
        by_id=(f"ata-LAB_SER-{number}",),
        partitions=(old,),
        signatures=(Signature(device=path, offset=512, type="gpt"),),
    )


MACHINE = Machine(
    system=System(hostname="here", kernel="6.1"),
    tools={
        "mdadm": "4.2",
        "wipefs": "2.38",
        "sfdisk": "2.38",
        "mkfs.ext4": "1.47",
        "udevadm": "252",
        "mount": "2.38",
        "blockdev": "2.38",
    },
    disks=tuple(a_disk(letter, number) for number, letter in enumerate("abc")),
)


def a_plan(*, partition: bool, metadata: str = "1.2") -> Plan:
    spec = Spec(
        name="tank",
        level="raid5",
        members=("SER-0", "SER-1", "SER-2"),
        partition=partition,
        metadata=metadata,
    )
    return make_plan(spec, MACHINE, seed=SEED)


@pytest.mark.parametrize("metadata", ["1.2", "1.0"])
@pytest.mark.parametrize("partition", [True, False])
def test_every_zeroed_stretch_of_a_real_plan_is_saved_whole(partition: bool, metadata: str) -> None:
    plan = a_plan(partition=partition, metadata=metadata)
    for planned, disk in zip(plan.disks, MACHINE.disks, strict=True):
        writes = find_writes(plan, planned)
        zeroed = [
            action
            for step in plan.steps
            if step.id == "wipe"
            for action in step.actions
            if isinstance(action, Run) and action.argv[0] == "dd" and f"of={planned.path}" in action.argv
        ]
        assert len(zeroed) >= 2
        saved = regions_to_save(disk, writes)
        for action in zeroed:
            words = dict(word.split("=", 1) for word in action.argv if "=" in word)
            begin = int(words["seek"])
            end = begin + int(words["bs"]) * int(words["count"])
            assert any(one.offset <= begin and end <= one.end for one in saved), (begin, end, saved)


def test_the_ends_of_a_partition_to_come_are_saved_and_its_middle_is_not() -> None:
    plan = a_plan(partition=True)
    (partition,) = [one for one in find_writes(plan, plan.disks[0]) if one.length > GIB]
    saved = regions_to_save(MACHINE.disks[0], [partition])
    assert sum(one.length for one in saved) < 16 * MIB


def test_a_program_that_writes_nobody_knows_where_stops_the_job_before_it_writes() -> None:
    plan = a_plan(partition=True)
    strange = Step(
        id="odd",
        role=Role.PREPARE,
        title="",
        reason="",
        actions=(Run(argv=("shred", plan.disks[0].path)),),
        undoable=Undo.CAPSULE,
    )
    with pytest.raises(StepFailed, match="not known where 'shred"):
        find_writes(msgspec.structs.replace(plan, steps=(strange, *plan.steps)), plan.disks[0])


def test_what_comes_after_the_first_irreversible_step_needs_no_capsule() -> None:
    plan = a_plan(partition=True)
    late = Step(
        id="late", role=Role.PREPARE, title="", reason="", actions=(Run(argv=("mkfs.ext4", "/dev/md/tank")),)
    )
    end = Step(id="create", role=Role.PREPARE, title="", reason="", actions=(), undoable=Undo.IMPOSSIBLE)
    assert find_writes(msgspec.structs.replace(plan, steps=(end, late)), plan.disks[0]) == ()


def test_an_extent_knows_its_end() -> None:
    assert Extent(offset=512, length=1024).end == 1536
