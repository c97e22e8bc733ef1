"""The guard: what must still be so at the first write, and what stops a job."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.jobs.computer import not_held
from raidtui.jobs.disk_contents import describe_contents, looks_as_before
from raidtui.jobs.guard import (
    check_array_is_ours,
    check_array_names,
    check_holds_no_files,
    check_paths,
    check_same_signatures,
    check_still_ours,
    check_unchanged,
    find_disks,
)
from raidtui.machine.contents.signatures import Probed
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Machine, Member, Partition, Signature, Weight
from raidtui.model.plan import KEPT, Plan, PlanKind, PlannedDisk, Role, Run, Step
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.uuids import same_uuid

UUID = "01234567-89ab-cdef-0123-456789abcdef"
EXT4 = Signature(device="/dev/sda1", offset=1080, type="ext4", uuid="aaaa-bbbb")


def a_disk(number: int, **changes: Any) -> Disk:
    disk = Disk(
        name=f"sd{'abc'[number]}",
        path=f"/dev/sd{'abc'[number]}",
        device_number=f"8:{16 * number}",
        size_bytes=10**9,
        serial=f"LAB-000{number}",
        model="LAB",
    )
    return msgspec.structs.replace(disk, **changes)


def a_machine(*disks: Disk, arrays: tuple[Array, ...] = ()) -> Machine:
    return Machine(system=System(hostname="here", kernel="6.1"), disks=disks, arrays=arrays)


PLAN = Plan(
    kind=PlanKind.BUILD,
    spec=Spec(name="tank", level="raid1", members=("LAB-0000", "LAB-0001")),
    seed="s",
    array_uuid=UUID,
    uuids=(UUID,),
    array_path="/dev/md/tank",
    disks=tuple(
        PlannedDisk(
            identity=f"LAB-000{n}",
            serial=f"LAB-000{n}",
            path=f"/dev/disk/by-id/lab-{n}",
            model="LAB",
            size_bytes=10**9,
        )
        for n in range(2)
    ),
    steps=(Step(id="wipe", role=Role.PREPARE, title="Wipe", reason="", actions=()),),
)
CONFIRMED = a_machine(a_disk(0), a_disk(1))


def same(machine: Machine) -> Plan:
    return PLAN


def claim(what: ClaimKind, weight: Weight) -> tuple[Claim, ...]:
    return (
        Claim(
            what=what,
            weight=weight,
            device="/dev/sda1",
            detail="ext4 mounted at /srv",
            how_to_free="umount /srv",
        ),
    )


def test_an_unchanged_machine_passes_though_its_names_moved() -> None:
    moved = a_machine(a_disk(1, path="/dev/sda"), a_disk(0, path="/dev/sdb"))
    check_unchanged(PLAN, CONFIRMED, moved, same)
    assert find_disks(PLAN, moved)["LAB-0000"].path == "/dev/sdb"


@pytest.mark.parametrize(
    ("live", "reason"),
    [
        (
            a_machine(a_disk(0)),
            "LAB-0001 was confirmed, but now no disk of this machine is called 'LAB-0001'",
        ),
        (a_machine(a_disk(0), a_disk(1), a_disk(2, serial="LAB-0001")), "means several disks"),
        (
            a_machine(a_disk(0), a_disk(1, size_bytes=10**9 - 512)),
            "had 1,000,000,000 bytes .* and has 999,999,488",
        ),
        (
            a_machine(a_disk(0), a_disk(1, model="OTHER")),
            "its model was LAB when it was confirmed and is OTHER now",
        ),
        (
            a_machine(a_disk(0), a_disk(1, wwn="0x5")),
            "its WWN was not there when it was confirmed and is 0x5 now",
        ),
        (
            a_machine(a_disk(0, taken_by=claim(ClaimKind.MOUNT, Weight.BUSY)), a_disk(1)),
            r"LAB-0000 \(/dev/sda\) is in use now: ext4 mounted at /srv \(/dev/sda1\); to free it: umount /srv",
        ),
        (
            a_machine(a_disk(0, signatures=(EXT4,)), a_disk(1)),
            "changed after it was confirmed: ext4 aaaa-bbbb at byte 1,080 is new",
        ),
    ],
)
def test_a_machine_that_moved_is_refused(live: Machine, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        check_unchanged(PLAN, CONFIRMED, live, same)


def test_what_is_gone_is_a_change_too() -> None:
    part = Partition(
        name="sda1", path="/dev/sda1", number=1, start_bytes=2**20, size_bytes=2**20, signatures=(EXT4,)
    )
    confirmed = a_machine(a_disk(0, partitions=(part,)), a_disk(1))
    with pytest.raises(Refused, match="partition 1 of 1,048,576 bytes at byte 1,048,576 is gone"):
        check_unchanged(PLAN, confirmed, CONFIRMED, same)


def test_a_plan_that_would_be_another_one_today_is_refused() -> None:
    other = msgspec.structs.replace(
        PLAN, steps=(Step(id="wipe", role=Role.PREPARE, title="Wipe more", reason="", actions=()),)
    )
    with pytest.raises(Refused, match=r"the step 'Wipe' would be different now"):
        check_unchanged(PLAN, CONFIRMED, CONFIRMED, lambda machine: other)


def test_a_plan_that_is_not_possible_any_more_is_refused() -> None:
    def impossible(machine: Machine) -> Plan:
        raise Refused("the name tank is taken")

    with pytest.raises(Refused, match="no longer possible: the name tank is taken"):
        check_unchanged(PLAN, CONFIRMED, CONFIRMED, impossible)


def numbers(answers: dict[str, str]) -> Callable[[str], str]:
    return lambda path: answers.get(path, "")


def test_a_path_that_leads_to_another_disk_is_refused() -> None:
    disks = find_disks(PLAN, CONFIRMED)
    check_paths(PLAN, disks, numbers({"/dev/disk/by-id/lab-0": "8:0", "/dev/disk/by-id/lab-1": "8:16"}))
    with pytest.raises(
        Refused, match=r"lab-1, which the commands would write to, leads to the device 8:0, and"
    ):
        check_paths(PLAN, disks, numbers({"/dev/disk/by-id/lab-0": "8:0", "/dev/disk/by-id/lab-1": "8:0"}))
    with pytest.raises(Refused, match=r"lab-0, .* does not exist"):
        check_paths(PLAN, disks, numbers({}))


def an_array(uuid: str) -> tuple[Array, ...]:
    members = tuple(Member(path=f"/dev/sd{'ab'[n]}", disk=f"LAB-000{n}") for n in range(2))
    return (Array(name="tank", node="/dev/md127", uuid=uuid, members=members),)


def test_an_interrupted_job_may_find_its_own_array_on_the_disks() -> None:
    raid = Signature(device="/dev/sda", offset=4096, type="linux_raid_member", uuid=UUID)
    busy = claim(ClaimKind.ARRAY, Weight.BUSY)
    disks = [a_disk(n, signatures=(raid,), taken_by=busy) for n in range(2)]
    check_still_ours(PLAN, CONFIRMED, a_machine(*disks, arrays=an_array(UUID)), written=True)
    with pytest.raises(Refused, match="is in use now"):
        check_still_ours(PLAN, CONFIRMED, a_machine(*disks, arrays=an_array("f" * 32)), written=True)


def test_the_whole_way_to_free_a_disk_is_said_not_only_that_of_what_is_found_first() -> None:
    array, mount = (claim(kind, Weight.BUSY)[0] for kind in (ClaimKind.ARRAY, ClaimKind.MOUNT))
    array = msgspec.structs.replace(array, how_to_free="umount /srv && raidtui teardown tank")
    disks = [a_disk(n, taken_by=(mount, array)) for n in range(2)]
    with pytest.raises(Refused, match=r"to free it: umount /srv && raidtui teardown tank$"):
        check_still_ours(PLAN, CONFIRMED, a_machine(*disks, arrays=an_array("f" * 32)), written=True)


def test_what_is_no_part_of_its_own_unit_uses_a_disk_all_the_same() -> None:
    """An array makes no physical volumes of its members, so this one is not the job's own."""
    busy = claim(ClaimKind.LVM, Weight.BUSY)
    disks = [a_disk(n, taken_by=busy) for n in range(2)]
    with pytest.raises(Refused, match="is in use now"):
        check_still_ours(PLAN, CONFIRMED, a_machine(*disks, arrays=an_array(UUID)), written=True)


def test_what_uses_another_partition_of_a_shared_disk_does_not_stop_an_interrupted_removal() -> None:
    parts = tuple(
        Partition(name=f"sda{n}", path=f"/dev/sda{n}", number=n, start_bytes=n * 2**20, size_bytes=2**20)
        for n in (1, 2)
    )
    shared = replace(PLAN.disks[0], shares=(1,))
    removal = replace(PLAN, kind=PlanKind.TEARDOWN, disks=(shared, PLAN.disks[1]))
    busy = claim(ClaimKind.MOUNT, Weight.BUSY)
    live = a_machine(a_disk(0, partitions=parts, taken_by=busy), a_disk(1))
    check_still_ours(removal, live, live, written=True)
    other = replace(removal, disks=(replace(shared, shares=(2,)), PLAN.disks[1]))
    with pytest.raises(Refused, match="is in use now"):
        check_still_ours(other, live, live, written=True)
    assert not_held(removal, live.disks) == {"8:0"}, "the job does not claim all of it"


def test_an_interrupted_job_stops_at_what_somebody_else_put_there() -> None:
    live = a_machine(a_disk(0, signatures=(EXT4,)), a_disk(1))
    with pytest.raises(Refused, match="ext4 aaaa-bbbb on it, which was not there when it was confirmed"):
        check_still_ours(PLAN, CONFIRMED, live, written=True)


def test_before_the_first_write_an_interrupted_job_wants_the_disks_as_they_were() -> None:
    confirmed = a_machine(a_disk(0, signatures=(EXT4,)), a_disk(1))
    with pytest.raises(Refused, match="changed after it was confirmed"):
        check_still_ours(PLAN, confirmed, CONFIRMED, written=False)
    check_still_ours(PLAN, confirmed, CONFIRMED, written=True)


def test_a_job_may_have_enlarged_the_partition_of_a_member_that_stays_and_nothing_else() -> None:
    def with_part(size: int, *signatures: Signature) -> Machine:
        part = Partition(
            name="sda1", path="/dev/sda1", number=1, start_bytes=512, size_bytes=size, signatures=signatures
        )
        return a_machine(a_disk(0, partitions=(part,)), a_disk(1))

    kept = replace(PLAN, kind=PlanKind.CARE, disks=(replace(PLAN.disks[0], role=KEPT), *PLAN.disks[1:]))
    check_still_ours(kept, with_part(512), with_part(1024), written=False)
    with pytest.raises(Refused, match="ext4"):
        check_still_ours(kept, with_part(512), with_part(1024, EXT4), written=False)
    with pytest.raises(Refused, match="changed after it was confirmed"):
        check_still_ours(replace(PLAN, kind=PlanKind.CARE), with_part(512), with_part(1024), written=False)


def test_what_changed_between_the_reading_and_the_handles_is_found() -> None:
    part = Partition(
        name="sda1", path="/dev/sda1", number=1, start_bytes=512, size_bytes=512, signatures=(EXT4,)
    )
    disks = [a_disk(0, partitions=(part,)), a_disk(1)]
    same_now = {"/dev/sda": (), "/dev/sda1": (EXT4,), "/dev/sdb": ()}
    check_same_signatures(
        disks, lambda paths: Probed(found={path: same_now[path] for path in paths}, failed={})
    )
    with pytest.raises(Refused, match=r"LAB-0001 \(/dev/sdb\) changed just now: it has ext4"):
        check_same_signatures(disks, lambda paths: Probed(found={**same_now, "/dev/sdb": (EXT4,)}, failed={}))


def test_a_disk_that_does_not_answer_at_the_last_question_is_refused() -> None:
    late = Probed(found={"/dev/sda": ()}, failed={"/dev/sdb": "wipefs did not end within 120 s"})
    with pytest.raises(Refused, match="cannot read what is on /dev/sdb: wipefs did not end within 120 s"):
        check_same_signatures([a_disk(0), a_disk(1)], lambda paths: late)


def test_an_array_that_cannot_be_read_may_hold_anything() -> None:
    live = a_machine(
        a_disk(0), arrays=tuple(msgspec.structs.replace(a, unread="late") for a in an_array(UUID))
    )
    with pytest.raises(Refused, match=r"cannot read what is on tank \(/dev/md127\): late"):
        check_array_is_ours(PLAN, live, before=())


def test_a_name_that_means_another_array_now_is_refused() -> None:
    confirmed = a_machine(a_disk(0), arrays=an_array(UUID))
    wipe = msgspec.structs.replace(PLAN.steps[0], actions=(Run(argv=("wipefs", "--all", "/dev/md127")),))
    plan = msgspec.structs.replace(PLAN, steps=(wipe,))
    check_array_names(plan, confirmed, confirmed)
    with pytest.raises(Refused, match="/dev/md127, which the commands would write to, is now tank"):
        check_array_names(plan, confirmed, a_machine(a_disk(0), arrays=an_array("f" * 32)))


def test_a_node_that_no_command_names_may_be_another_unit_after_a_reboot() -> None:
    """LVM's commands go by path and UUID, and the kernel deals its numbers anew at each boot."""
    confirmed = a_machine(a_disk(0), arrays=an_array(UUID))
    plan = msgspec.structs.replace(PLAN, array_path="/dev/tank/data")
    check_array_names(plan, confirmed, a_machine(a_disk(0), arrays=an_array("f" * 32)))


def test_contents_do_not_depend_on_names() -> None:
    part = Partition(
        name="sda1", path="/dev/sda1", number=1, start_bytes=512, size_bytes=512, signatures=(EXT4,)
    )
    one = a_disk(0, partitions=(part,))
    other = a_disk(
        1,
        partitions=(
            msgspec.structs.replace(
                part,
                name="sdb1",
                path="/dev/sdb1",
                signatures=(msgspec.structs.replace(EXT4, device="/dev/sdb1"),),
            ),
        ),
    )
    assert describe_contents(one) == describe_contents(other)


def test_a_uuid_is_the_same_in_the_spelling_of_blkid_and_of_md() -> None:
    assert same_uuid(UUID, "01234567:89abcdef:01234567:89ABCDEF")
    assert not same_uuid("", "")


def test_an_unfinished_array_that_somebody_else_uses_stops_the_job() -> None:
    ours = msgspec.structs.replace(PLAN, filesystem_uuid="aaaa-bbbb")
    (found,) = an_array(UUID)
    files = msgspec.structs.replace(EXT4, device=found.node)
    built = a_machine(arrays=(msgspec.structs.replace(found, signatures=(files,)),))
    check_array_is_ours(ours, built, before=())
    teardown = msgspec.structs.replace(ours, kind=PlanKind.TEARDOWN)
    check_array_is_ours(teardown, built, before={f"ext4 {EXT4.uuid}"})
    with pytest.raises(Refused, match="has ext4 aaaa-bbbb on it"):
        check_array_is_ours(teardown, built, before=())
    # An array that was started by the job, or by a boot, has its own files.
    for kind in (PlanKind.CARE, PlanKind.REPLACE):
        check_array_is_ours(msgspec.structs.replace(ours, kind=kind), built, before=())
    volume = Signature(device=found.node, offset=536, type="LVM2_member", uuid="dddd")
    taken = a_machine(arrays=(msgspec.structs.replace(found, signatures=(volume,)),))
    with pytest.raises(Refused, match="has LVM2_member dddd on it, which this job did not put there"):
        check_array_is_ours(ours, taken, before=())
    check_array_is_ours(ours, taken, before={"LVM2_member dddd"})
    (other,) = an_array("f" * 32)
    elsewhere = a_machine(arrays=(msgspec.structs.replace(other, signatures=(volume,)),))
    check_array_is_ours(ours, elsewhere, before=())


def test_a_build_whose_filesystem_holds_files_is_not_undone() -> None:
    check_holds_no_files(PLAN, {})
    check_holds_no_files(PLAN, {"/srv/tank": ["lost+found"], "/mnt": []})
    with pytest.raises(
        Refused, match=r"/srv/tank holds a, b, c …; a rollback would erase that.*teardown tank"
    ):
        check_holds_no_files(PLAN, {"/srv/tank": ["a", "b", "c", "d", "lost+found"]})


def test_a_table_that_the_kernel_did_not_show_before_is_no_change() -> None:
    table = Signature(device="/dev/sda", offset=512, type="gpt", uuid="t")
    files = Signature(device="/dev/sda1", offset=1080, type="ext4", uuid="f")
    inside = Partition(
        name="sda1", path="/dev/sda1", number=1, start_bytes=2**20, size_bytes=2**30, signatures=(files,)
    )
    shown = a_disk(0, signatures=(table,), partition_table="gpt", partitions=(inside,))
    hidden = a_disk(0, signatures=(table,), partition_table="gpt")
    blank = a_disk(0)
    assert looks_as_before(shown, shown)
    assert looks_as_before(hidden, shown)  # after partx -d the job has the table read again
    assert not looks_as_before(shown, hidden)
    assert not looks_as_before(blank, shown)
    assert not looks_as_before(hidden, blank)
