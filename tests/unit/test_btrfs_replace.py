"""The plan that replaces a device of a Btrfs: the balance and the scrub belong to it."""

import msgspec
import pytest

from raidtui.backends.btrfs.kernel import Running
from raidtui.backends.btrfs.reading import Filesystem
from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Replace
from raidtui.plan.replace import find_order, make_replace
from tests.unit.btrfs_machines import UUID, btrfs_disk, btrfs_machine, device, filesystem, missing
from tests.unit.plan_machines import disk

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
NEW = disk(3)


def nas(found: Filesystem | None = None, **changes: object) -> Machine:
    machine = btrfs_machine(found, btrfs_disk(1), btrfs_disk(2), NEW)
    return msgspec.structs.replace(machine, **changes)


def plan(machine: Machine, old: str, *missing_from: str) -> Plan:
    return make_replace(Replace(old=old, new=NEW.identity, missing_from=missing_from), machine, seed=SEED)


def btrfs(made: Plan) -> list[str]:
    """The commands of btrfs-progs, without the new device's name."""
    runs = [
        a.argv for step in made.steps for a in step.actions if isinstance(a, Run) and a.argv[0] == "btrfs"
    ]
    return [" ".join(word for word in words[1:] if not word.startswith("/dev/")) for words in runs]


def test_a_device_that_works_is_replaced_by_its_devid_then_balanced_and_scrubbed() -> None:
    made = plan(nas(), btrfs_disk(2).identity)
    assert btrfs(made) == [
        "replace start 2 /srv/tank",
        "replace status /srv/tank",
        "balance start -dconvert=raid1,soft -mconvert=raid1,soft /srv/tank",
        "scrub start -B /srv/tank",
    ]
    assert [step.id for step in made.steps][-2:] == ["prove", "forget"]
    assert made.array_uuid == UUID


def test_a_missing_device_is_replaced_by_the_word_for_its_filesystem() -> None:
    found = filesystem(device(1), missing(2), system=("single",))
    machine = btrfs_machine(found, btrfs_disk(1), NEW)
    order = find_order("tank", NEW.identity, machine, units_of(machine))
    made = make_replace(order, machine, seed=SEED)
    assert btrfs(made)[0] == "replace start 2 /srv/tank"
    assert btrfs(made)[2] == "balance start -dconvert=raid1,soft -mconvert=raid1,soft /srv/tank"
    assert "forget" not in {step.id for step in made.steps}


def test_the_new_partition_is_as_large_as_the_missing_device() -> None:
    found = filesystem(device(1), msgspec.structs.replace(missing(2), size_bytes=9_895_000_064))
    machine = btrfs_machine(found, btrfs_disk(1), NEW)
    made = plan(machine, "", UUID)
    (table,) = [
        a for step in made.steps for a in step.actions if isinstance(a, Run) and a.argv[0] == "sfdisk"
    ]
    (size,) = [int(word[5:-1]) for word in table.input.split() if word.startswith("size=")]
    assert 0 <= size * 512 - 9_895_000_064 < 4096


FULL = {"allocated_bytes": device(1).size_bytes - 2**20}


def test_without_unallocated_space_the_kernel_would_cancel_it_so_the_reason_comes_first() -> None:
    full = filesystem(device(1, **FULL), device(2, **FULL))
    with pytest.raises(Refused, match="sda1 and sdb1 of tank have no unallocated space"):
        plan(nas(full), btrfs_disk(2).identity)
    with pytest.raises(Refused, match="sda1 of tank has no unallocated space"):
        plan(nas(filesystem(device(1, **FULL), device(2))), btrfs_disk(2).identity)


def test_where_a_chunk_still_finds_its_disks_or_one_is_missing_it_begins() -> None:
    three = filesystem(device(1, **FULL), device(2), device(3))
    machine = btrfs_machine(three, btrfs_disk(1), btrfs_disk(2), btrfs_disk(3), disk(4))
    make_replace(Replace(old=btrfs_disk(2).identity, new=disk(4).identity), machine, seed=SEED)
    alone = btrfs_machine(filesystem(device(1, **FULL), missing(2)), btrfs_disk(1), NEW)
    assert plan(alone, "", UUID).steps


def test_without_redundancy_a_device_is_replaced_while_it_works_and_nothing_is_converted() -> None:
    made = plan(nas(filesystem(data=("single",), metadata=("raid1",))), btrfs_disk(2).identity)
    assert btrfs(made) == [
        "replace start 2 /srv/tank",
        "replace status /srv/tank",
        "scrub start -B /srv/tank",
    ]
    assert [step.id for step in made.steps][-2:] == ["complete", "forget"]
    assert [one.id for one in made.hazards] == ["no-copy"]
    gone = btrfs_machine(
        filesystem(device(1), missing(2), data=("single",), metadata=("raid1",)), btrfs_disk(1), NEW
    )
    with pytest.raises(Refused, match="only on the missing disks: connect them"):
        plan(gone, "", UUID)


BUSY = Running(what="balance", fraction=0.5)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (filesystem(mounted=False), "is not mounted"),
        (filesystem(running=BUSY), "is busy: balance"),
        (filesystem(device(1), device(2, alike=("/dev/sdc1",))), "the same superblock"),
        (
            filesystem(device(1), device(2), missing(3), data=("raid1c3",), metadata=("raid1c3",)),
            "already lacks",
        ),
        (filesystem(device(2), missing(1), missing(3)), "only on the missing disks"),
    ],
)
def test_what_cannot_be_done_is_refused(found: Filesystem, words: str) -> None:
    with pytest.raises(Refused, match=words):
        plan(nas(found), btrfs_disk(2).identity, *((UUID,) if "only" in words else ()))
