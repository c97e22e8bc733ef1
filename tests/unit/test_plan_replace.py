"""The plan that replaces a disk: what it does in which order, and what it refuses."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from raidtui.advice.replacements import remedies_of
from raidtui.backends.md.procedures.spare_forgotten import FORGET, place_of
from raidtui.backends.md.units import unit_of
from raidtui.backends.units import units_of
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.lost import LostMember
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Machine, Partition, Signature, Sync, Weight
from raidtui.model.plan import REPLACED, Plan, PlanKind, Run, Severity, Undo
from raidtui.model.procedure import Replace
from raidtui.model.unit import Health
from raidtui.plan.replace import find_order, make_replace
from tests.ui import machines
from tests.ui.machines import disk, running_array

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
MIB = 1024**2
OLD, NEW = disk(2), disk(5)
EFI = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"


def part(made: Disk, number: int = 1, **changes: object) -> Disk:
    """``made`` with ``number`` partitions of members."""
    partitions = tuple(
        Partition(
            name=f"{made.name}{n}",
            path=f"{made.path}{n}",
            number=n,
            start_bytes=(1 + 1000 * (n - 1)) * MIB,
            size_bytes=1000 * MIB if number > 1 else made.size_bytes - 200 * MIB,
        )
        for n in range(1, number + 1)
    )
    return msgspec.structs.replace(made, partitions=partitions, free=False, **changes)


def whole(**changes: object) -> Array:
    return running_array(**changes)


def without_second(**changes: object) -> Array:
    """The array after its member on `OLD` was removed."""
    array = running_array()
    left = tuple(one for one in array.members if one.disk != OLD.identity)
    about: dict[str, object] = {"degraded": 1, "members": left} | changes
    return msgspec.structs.replace(array, **about)


def nas(array: Array, *more: Disk) -> Machine:
    return machines.machine([*(part(disk(n)) for n in (1, 2, 3, 4)), *more], [array])


def plan(machine: Machine, old: str = OLD.identity, new: Disk = NEW, missing: tuple[str, ...] = ()) -> Plan:
    return make_replace(Replace(old=old, new=new.identity, missing_from=missing), machine, seed=SEED)


def commands(made: Plan) -> list[str]:
    """mdadm's commands, with the links' long names left out."""
    runs = [a.argv for step in made.steps for a in step.actions if isinstance(a, Run)]
    return [" ".join(words[2:4]) for words in runs if words[0] == "mdadm" and words[1].startswith("/dev/")]


def added(made: Plan) -> list[str]:
    """The word, the place of the superblock and the device by which md gets a member that it rebuilds."""
    step = next(one for one in made.steps if one.id == "add")
    (run,) = (a for a in step.actions if isinstance(a, Run))
    word, _, place, device = run.argv[4:]
    return [word, place, device]


@pytest.mark.parametrize(
    ("metadata", "place"), [("1.2", "1"), ("1.1", "0"), ("1.0", ""), ("0.90", "-"), ("imsm", "-")]
)
def test_where_the_superblock_of_a_spare_is(metadata: str, place: str) -> None:
    assert place_of(metadata) == place


@pytest.mark.processes
@pytest.mark.parametrize(("place", "block"), [("1", 1), ("0", 0), ("", 62), ("-", None)])
def test_the_superblock_of_a_spare_is_erased_and_nothing_else(
    tmp_path: Path, place: str, block: int | None
) -> None:
    device = tmp_path / "device"
    device.write_bytes(b"x" * 64 * 4096)
    for name, says in (("mdadm", "MD_EVENTS=3"), ("blockdev", str(64 * 8))):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {says}\n")
        (tmp_path / name).chmod(0o755)
    script = FORGET.replace("oflag=direct ", "")  # not every filesystem has it
    environ = {"PATH": f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin"}
    argv = ["sh", "-c", f'{script}forget "$1" "$2"', "x", place, str(device)]
    subprocess.run(argv, env=environ, check=True)
    after = device.read_bytes()
    empty = [at for at in range(64) if not any(after[at * 4096 : (at + 1) * 4096])]
    assert (len(after), empty) == (64 * 4096, [] if block is None else [block])


def test_a_disk_that_works_is_copied_before_it_leaves() -> None:
    made = plan(nas(whole(), NEW))
    assert made.kind is PlanKind.REPLACE
    assert [step.id for step in made.steps] == [
        "capsule", "wipe", "partition", "settle-partitions", "add", "start", "wait", "remove", "prove", "forget",
    ]  # fmt: skip
    new, old = f"/dev/disk/by-id/{NEW.by_id[0]}-part1", f"/dev/disk/by-id/{OLD.by_id[0]}-part1"
    assert commands(made) == [f"--add-spare {new}", f"--replace {old}", f"--remove {old}"]
    assert [(one.identity, one.role) for one in made.disks] == [
        (NEW.identity, "member"),
        (OLD.identity, REPLACED),
    ]
    assert [one.identity for one in made.erased] == [NEW.identity]


def test_the_new_disk_is_written_to_for_good_only_once_it_is_in_the_array() -> None:
    made = plan(nas(whole(), NEW))
    kinds = {step.id: step.undoable for step in made.steps}
    assert kinds["partition"] is not Undo.IMPOSSIBLE
    assert kinds["add"] is Undo.IMPOSSIBLE


def test_the_superblock_of_the_old_disk_goes_last_after_the_proof() -> None:
    ids = [step.id for step in plan(nas(whole(), NEW)).steps]
    assert ids.index("wait") < ids.index("prove") < ids.index("forget")
    assert ids[-1] == "forget"


def test_the_superblock_of_the_old_disk_is_erased_only_when_it_has_left_the_array() -> None:
    forget = plan(nas(whole(), NEW)).steps[-1]
    assert forget.id == "forget"
    (out,) = forget.before
    assert OLD.stable_path in f"{out.subject} {out.expect}"


def test_a_member_that_is_gone_is_rebuilt() -> None:
    array = without_second()
    machine = nas(array, NEW)
    machine = msgspec.structs.replace(
        machine, disks=tuple(one for one in machine.disks if one.identity != OLD.identity)
    )
    made = plan(machine, missing=(array.uuid,))
    assert added(made) == ["--add", "1", f"/dev/disk/by-id/{NEW.by_id[0]}-part1"]
    assert [step.id for step in made.steps][-3:] == ["add", "wait", "prove"]
    assert [one.identity for one in made.disks] == [NEW.identity]


def test_the_same_order_gives_the_same_plan() -> None:
    assert plan(nas(whole(), NEW)).fingerprint == plan(nas(whole(), NEW)).fingerprint


def busy(made: Disk) -> Disk:
    claim = Claim(
        what=ClaimKind.MOUNT,
        detail="mounted at /srv/x",
        device=made.path,
        how_to_free="umount /srv/x",
        weight=Weight.BUSY,
    )
    return msgspec.structs.replace(made, free=False, taken_by=(claim,))


@pytest.mark.parametrize(
    ("machine", "new", "error", "words"),
    [
        (nas(whole(), disk(5, size_bytes=10**12)), disk(5), Refused, "is too small"),
        (nas(whole(), disk(5, logical_sector_bytes=4096)), disk(5), Refused, "sectors are larger"),
        (nas(whole(), busy(disk(5))), disk(5), Refused, "mounted at /srv/x"),
        (nas(whole(level="raid0", degraded=None), NEW), NEW, Refused, "no redundancy"),
        (nas(whole(degraded=1), NEW), NEW, Refused, "already lacks a member"),
        (nas(whole(sync_action="check"), NEW), NEW, Refused, "is busy: check"),
        (nas(whole(), NEW), OLD, BadInput, "cannot replace itself"),
        (nas(whole(state="inactive"), NEW), NEW, BadInput, "is in no array"),
        (machines.machine([part(disk(2)), NEW], []), NEW, BadInput, "is in no array"),
    ],
)
def test_what_cannot_be_done_is_refused(
    machine: Machine, new: Disk, error: type[RaidtuiError], words: str
) -> None:
    if "lacks" in words:  # a slot that no member has
        (array,) = machine.arrays
        left = msgspec.structs.replace(array, members=tuple(m for m in array.members if m.slot != 3))
        machine = msgspec.structs.replace(machine, arrays=(left,))
    with pytest.raises(error, match=words):
        plan(machine, new=new)


def test_an_array_that_has_failed_gets_no_new_disk_and_the_new_disk_is_not_erased() -> None:
    array = without_second(degraded=2, state="broken")
    left = tuple(one for one in array.members if one.disk != disk(3).identity)
    with pytest.raises(Refused, match="has lost more members than it survives"):
        plan(nas(msgspec.structs.replace(array, members=left), NEW), missing=(array.uuid,))


def test_two_members_on_the_old_disk_cannot_be_replaced() -> None:
    array = whole()
    members = [msgspec.structs.replace(m, disk=OLD.identity) for m in array.members[:2]]
    with pytest.raises(Refused, match="2 members on"):
        plan(nas(msgspec.structs.replace(array, members=(*members, *array.members[2:])), NEW))


def test_what_stays_on_the_old_disk_must_be_accepted() -> None:
    machine = nas(whole(), NEW)
    old = next(one for one in machine.disks if one.identity == OLD.identity)
    boot = Partition(
        name=f"{old.name}9", path=f"{old.path}9", number=9, start_bytes=old.size_bytes - 100 * MIB,
        size_bytes=50 * MIB, signatures=(Signature(device=f"{old.path}9", offset=54, type="vfat"),),
    )  # fmt: skip
    with_boot = msgspec.structs.replace(old, partitions=(*old.partitions, boot))
    machine = msgspec.structs.replace(
        machine, disks=tuple(with_boot if one is old else one for one in machine.disks)
    )
    made = plan(machine)
    hazard = next(one for one in made.hazards if one.id == "not-copied")
    assert hazard.severity is Severity.HIGH
    assert "partition 9 (vfat)" in hazard.seen
    assert made.disks[1].shares == (9,)


def several(*, lost: bool) -> tuple[Machine, list[Array]]:
    """Two arrays on two partitions of four disks; ``lost``: without the members on `OLD`, which is gone."""
    arrays = []
    for number, level in ((1, "raid1"), (2, "raid5")):
        members = tuple(
            msgspec.structs.replace(m, path=f"{m.path[:-1]}{number}")
            for m in running_array().members
            if not lost or m.disk != OLD.identity
        )
        arrays.append(
            msgspec.structs.replace(
                running_array(), name=f"a{number}", node=f"/dev/md{number}", path=f"/dev/md/a{number}",
                uuid=f"0000000{number}-0000-0000-0000-000000000000", level=level, members=members,
                degraded=1 if lost else 0,
            )
        )  # fmt: skip
    disks = [part(disk(n), 2) for n in (1, 2, 3, 4) if not lost or n != 2]
    return machines.machine([*disks, NEW], arrays), arrays


@pytest.mark.parametrize("lost", [False, True], ids=["there", "gone"])
def test_every_array_of_the_disk_gets_its_member_in_one_plan_the_most_urgent_first(lost: bool) -> None:
    machine, arrays = several(lost=lost)
    made = plan(machine, missing=tuple(one.uuid for one in arrays) if lost else ())
    tables = [
        a.input for step in made.steps if step.id == "partition" for a in step.actions if isinstance(a, Run)
    ]
    assert "\n1 : start=2048," in tables[0]
    assert "\n2 : start=2050048," in tables[0]
    adds = [step for step in made.steps if step.id.startswith("add")]
    # A RAID5 without a member loses all with the next one, a RAID1 of four does not.
    names = ["a2", "a1"] if lost else ["a1", "a2"]
    assert [step.title.split(" to ")[1].split()[0] for step in adds] == names
    assert [step.id for step in adds] == ["add", "add-2"]
    proofs = [check.subject for step in made.steps if step.id == "prove" for check in step.after]
    assert sorted(proofs) == sorted(one.uuid for one in arrays)
    assert len({step.id for step in made.steps}) == len(made.steps)


@pytest.mark.parametrize("lost", [False, True], ids=["there", "gone"])
def test_a_mirror_that_the_computer_boots_from_keeps_the_type_of_its_partition(lost: bool) -> None:
    machine, arrays = several(lost=lost)
    disks = [
        msgspec.structs.replace(
            one, partitions=(msgspec.structs.replace(one.partitions[0], type=EFI), *one.partitions[1:])
        )
        if one.partitions
        else one
        for one in machine.disks
    ]
    made = plan(
        msgspec.structs.replace(machine, disks=tuple(disks)),
        missing=tuple(one.uuid for one in arrays) if lost else (),
    )
    (first, second) = (
        line
        for step in made.steps
        if step.id == "partition"
        for run in step.actions
        if isinstance(run, Run)
        for line in run.input.splitlines()
        if "start=" in line
    )
    assert EFI in first.lower()
    assert EFI not in second.lower()
    assert not [one for one in made.hazards if one.id == "not-bootable"]


def test_places_that_no_disk_has_side_by_side_are_refused() -> None:
    machine, (one, two) = several(lost=True)
    first = msgspec.structs.replace(one, members=tuple(m for m in one.members if m.slot == 0))
    second = msgspec.structs.replace(
        two,
        members=tuple(msgspec.structs.replace(m, path=f"{m.path[:-1]}1") for m in two.members if m.slot == 3),
    )
    machine = msgspec.structs.replace(machine, arrays=(first, second))
    with pytest.raises(Refused, match="one at a time"):
        plan(machine, missing=(one.uuid, two.uuid))


def test_places_that_overlap_are_refused_though_their_numbers_differ() -> None:
    machine, (one, two) = several(lost=True)
    first = msgspec.structs.replace(one, members=tuple(m for m in one.members if m.slot == 0))
    second = msgspec.structs.replace(two, members=tuple(m for m in two.members if m.slot == 3))
    disks = tuple(
        msgspec.structs.replace(
            made,
            partitions=tuple(
                msgspec.structs.replace(p, start_bytes=500 * MIB) if p.number == 2 else p
                for p in made.partitions
            ),
        )
        for made in machine.disks
    )
    machine = msgspec.structs.replace(machine, arrays=(first, second), disks=disks)
    with pytest.raises(Refused, match="one at a time"):
        plan(machine, missing=(one.uuid, two.uuid))


def test_a_lost_disk_is_meant_by_its_serial_number_or_by_its_array() -> None:
    array = without_second()
    lost = LostMember(path=f"{OLD.path}1", disk=OLD.identity, slot=1)
    unit = msgspec.structs.replace(unit_of(array), lost=(lost,))
    machine = nas(array, NEW)
    machine = msgspec.structs.replace(
        machine, disks=tuple(one for one in machine.disks if one.identity != OLD.identity)
    )
    wanted = Replace(old=OLD.identity, new=NEW.identity, missing_from=(array.uuid,))
    assert find_order(OLD.identity, NEW.identity, machine, [unit]) == wanted
    assert find_order("tank", NEW.identity, machine, [unit]) == wanted
    unknown = find_order("tank", NEW.identity, machine, [unit_of(array)])
    assert unknown == Replace(old="", new=NEW.identity, missing_from=(array.uuid,))
    assert plan(machine, old="", missing=unknown.missing_from).steps


def test_an_array_that_lacks_nothing_does_not_mean_a_disk() -> None:
    machine = nas(whole(), NEW)
    with pytest.raises(BadInput, match="lacks no member"):
        find_order("tank", NEW.identity, machine, units_of(machine))
    with pytest.raises(BadInput, match="no disk of this machine is called"):
        find_order("nonsense", NEW.identity, machine, units_of(machine))


@pytest.mark.parametrize("health", [Health.FAILED, Health.INACTIVE])
def test_nothing_is_replaced_in_an_array_that_has_failed_or_is_not_running(health: Health) -> None:
    machine = nas(whole(), NEW)
    unit = msgspec.structs.replace(unit_of(whole()), health=health, state="FAILED: 2 of 3 members missing")
    with pytest.raises(Refused, match="nothing is replaced in tank now: FAILED: 2 of 3 members missing"):
        find_order("tank", NEW.identity, machine, [unit])


def test_a_sync_that_waits_is_a_sync() -> None:
    waits = Sync(action="recover", done_bytes=0, total_bytes=0, bytes_per_second=0, waiting="pending")
    with pytest.raises(Refused, match="is busy"):
        plan(nas(whole(sync=waits, sync_action="recover"), NEW))


def test_a_lost_disk_that_is_here_again_and_blank_takes_its_own_place() -> None:
    array = without_second()
    unit = msgspec.structs.replace(
        unit_of(array), lost=(LostMember(path=f"{OLD.path}1", disk=OLD.identity, slot=1),)
    )
    machine = machines.machine([*(part(disk(n)) for n in (1, 3, 4)), OLD], [array])
    for word in ("tank", OLD.identity):
        order = find_order(word, OLD.identity, machine, [unit])
        assert order == Replace(old="", new=OLD.identity, missing_from=(array.uuid,))
    assert added(make_replace(order, machine, seed=SEED))[-1] == f"/dev/disk/by-id/{OLD.by_id[0]}-part1"
    (care,) = remedies_of([unit], machine)[0]
    assert care.procedure == Replace(old="", new=OLD.identity, missing_from=(array.uuid,))


def test_what_to_do_names_the_lost_disk_and_the_free_one() -> None:
    array = without_second()
    unit = msgspec.structs.replace(
        unit_of(array), lost=(LostMember(path=f"{OLD.path}1", disk=OLD.identity, slot=1),)
    )
    machine = machines.machine([*(part(disk(n)) for n in (1, 3, 4)), NEW], [array])
    (care,) = remedies_of([unit], machine)[0]
    assert care.procedure == Replace(old=OLD.identity, new=NEW.identity, missing_from=(array.uuid,))


def test_an_array_that_lacks_another_member_still_is_rebuilt_and_not_called_whole() -> None:
    array = running_array(level="raid6", degraded=2, members=running_array().members[:2])
    machine = machines.machine([*(part(disk(n)) for n in (1, 2)), NEW], [array])
    made = make_replace(Replace(old="", new=NEW.identity, missing_from=(array.uuid,)), machine, seed=SEED)
    assert [step.id for step in made.steps][-2:] == ["add", "wait"]
    one = make_replace(
        Replace(old="", new=NEW.identity, missing_from=(without_second().uuid,)),
        machines.machine([*(part(disk(n)) for n in (1, 3, 4)), NEW], [without_second()]),
        seed=SEED,
    )
    assert one.steps[-1].id == "prove"


@pytest.mark.parametrize(
    ("table", "behind", "label"), [("gpt", 33, "gpt"), ("dos", 0, "dos"), ("dos", 33, "gpt")]
)
def test_a_disk_as_large_as_the_old_one_replaces_it_wherever_its_last_partition_ends(
    table: str, behind: int, label: str
) -> None:
    machine = nas(whole(), NEW)
    sector = NEW.logical_sector_bytes
    terabyte = 10**12  # MBR reaches no further than 2 TiB

    def ends(one: Disk) -> Disk:
        """Its partition up to the end of the disk, or up to the copy of the GPT."""
        one = msgspec.structs.replace(one, size_bytes=terabyte)
        if not one.partitions:
            return one
        (own,) = one.partitions
        size = one.size_bytes - behind * sector - own.start_bytes
        return msgspec.structs.replace(
            one, partition_table=table, partitions=(msgspec.structs.replace(own, size_bytes=size),)
        )

    disks = tuple(ends(one) for one in machine.disks)
    machine = msgspec.structs.replace(machine, disks=disks)
    made = plan(machine)
    (written,) = (
        a.input for step in made.steps for a in step.actions if isinstance(a, Run) and a.argv[0] == "sfdisk"
    )
    assert written.startswith(f"label: {label}\n")
    assert ("uuid=" in written) is (label == "gpt")
    assert ("type=fd" in written) is (label == "dos")
    small = msgspec.structs.replace(NEW, size_bytes=terabyte - sector)
    short = msgspec.structs.replace(machine, disks=(*disks[:-1], small))
    if behind and table == "dos":
        assert plan(short, new=small)
    else:
        with pytest.raises(Refused, match="512 bytes more"):
            plan(short, new=small)


def test_a_degraded_array_whose_partitions_end_where_the_disk_ends_is_offered_a_disk_of_that_size() -> None:
    full = [
        msgspec.structs.replace(
            one,
            partition_table="gpt",
            partitions=tuple(
                msgspec.structs.replace(
                    p, size_bytes=one.size_bytes - p.start_bytes - 33 * one.logical_sector_bytes
                )
                for p in one.partitions
            ),
        )
        for one in (part(disk(n)) for n in (1, 3, 4))
    ]
    machine = machines.machine([*full, NEW], [without_second()])
    units = units_of(machine)
    ((remedy,),) = remedies_of(units, machine)
    assert remedy.procedure == Replace(old="", new=NEW.identity, missing_from=(units[0].uuid,))
