"""What a Btrfs can become: exact sizes, what is refused and why; and the plan that takes it there."""

from typing import Any

import pytest

from raidtui.advice.growths import size_words, survives_words
from raidtui.backends.btrfs.grow_conditions import room_for
from raidtui.backends.btrfs.kernel import Running
from raidtui.backends.btrfs.reading import Filesystem
from raidtui.backends.btrfs.shapes import shapes_of
from raidtui.backends.btrfs.space import btrfs_space
from raidtui.backends.growing import Shape
from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Grow
from raidtui.model.units import GIB, MIB
from raidtui.plan.care import make_care
from tests.unit.btrfs_machines import SIZE, UUID, btrfs_disk, btrfs_machine, device, filesystem, missing
from tests.unit.plan_machines import disk

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"


def nas(found: Filesystem | None = None, *free: Disk) -> Machine:
    one = found or filesystem()
    count = len([a for a in one.devices if not a.missing])
    return btrfs_machine(one, *(btrfs_disk(n, free=False) for n in range(1, count + 1)), *free)


def three() -> Filesystem:
    return filesystem(*(device(n) for n in (1, 2, 3)))


def rows(machine: Machine) -> dict[str, Shape]:
    (unit,) = units_of(machine)
    return {one.change: one for one in shapes_of(unit, machine)}


def grow(machine: Machine, **order: Any) -> Plan:
    return make_care(Grow(unit=UUID, **order), machine, seed=SEED)


def commands(made: Plan) -> list[str]:
    """Those of btrfs-progs, without the paths of devices."""
    runs = [a.argv for s in made.steps for a in s.actions if isinstance(a, Run) and a.argv[0] == "btrfs"]
    return [" ".join(word for word in words[1:] if not word.startswith("/dev/")) for words in runs]


def test_a_disk_more_is_added_then_all_is_balanced_checked_and_scrubbed() -> None:
    machine = nas(None, disk(3), disk(4))
    shape = rows(machine)["+1 disk"]
    assert shape.unit_bytes == btrfs_space("raid1", [SIZE] * 3).data_bytes
    assert (shape.members, shape.survives, shape.needs) == (3, 1, "")
    assert shape.add == (disk(3).identity,)
    made = grow(machine, add=shape.add)
    assert commands(made) == [
        "device add /srv/tank",
        "balance start --full-balance /srv/tank",
        "scrub start -B /srv/tank",
    ]
    (prove,) = [step for step in made.steps if step.id == "prove"]
    assert [(one.kind, one.expect) for one in prove.after] == [
        ("btrfs-fits", f"{UUID} 2 {shape.unit_bytes}"),
        ("btrfs-state", "clean"),
    ]
    assert made.array_bytes == shape.unit_bytes


def test_a_single_profile_is_not_balanced_for_a_disk_more() -> None:
    machine = nas(filesystem(data=("single",)), disk(4))
    assert commands(grow(machine, add=rows(machine)["+1 disk"].add)) == [
        "device add /srv/tank",
        "scrub start -B /srv/tank",
    ]


@pytest.mark.parametrize(
    ("profile", "unallocated", "fewest"),
    [
        ("raid1", (MIB, MIB), 2),
        ("raid1", (MIB, 3 * GIB), 1),
        ("raid1", (3 * GIB, 3 * GIB), 1),
        ("raid1c3", (MIB, MIB, MIB), 3),
        ("raid1c3", (MIB, 3 * GIB, MIB), 2),
        ("single", (MIB, MIB), 1),  # nothing is balanced
    ],
)
def test_each_copy_of_a_chunk_needs_room_on_a_device_of_its_own(
    profile: str, unallocated: tuple[int, ...], fewest: int
) -> None:
    """Else the balance of a full filesystem ends read-only, though the new disk is empty."""
    full = (device(number, allocated_bytes=SIZE - room) for number, room in enumerate(unallocated, 1))
    kept = "raid1" if profile == "single" else profile
    machine = nas(
        filesystem(*full, data=(profile,), metadata=(kept,)), *(disk(number) for number in range(5, 9))
    )
    found = rows(machine)
    for count in range(1, 4):
        shape = found[f"+{count} disk{'s' if count > 1 else ''}"]
        assert bool(shape.refused) is (count < fewest), count
    if fewest > 1:
        assert f"Add {fewest} disks at once" in found["+1 disk"].refused
        with pytest.raises(Refused, match="does not take 1 further disk: its devices are full"):
            grow(machine, add=(found[f"+{fewest} disks"].add[0],))


def test_another_profile_converts_only_what_is_not_so_yet() -> None:
    machine = nas(three())
    shape = rows(machine)["to raid1c3"]
    assert (shape.survives, shape.refused) == (2, "")
    assert shape.unit_bytes == btrfs_space("raid1c3", [SIZE] * 3).data_bytes
    made = grow(machine, level="raid1c3")
    assert commands(made) == [
        "balance start -dconvert=raid1c3,soft -mconvert=raid1c3,soft /srv/tank",
        "scrub start -B /srv/tank",
    ]
    (balance,) = [step for step in made.steps if step.id == "balance"]
    assert balance.after[0].expect == "raid1c3 raid1c3"


def test_larger_members_are_resized_by_devid() -> None:
    small = filesystem(device(1, size_bytes=SIZE // 2), device(2, size_bytes=SIZE // 2))
    machine = nas(small)
    assert commands(grow(machine, to_largest=True)) == [
        "filesystem resize 1:max /srv/tank",
        "filesystem resize 2:max /srv/tank",
        "scrub start -B /srv/tank",
    ]


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (filesystem(device(1), missing(2)), "it lacks 1 device"),
        (filesystem(mounted=False), "mount it first"),
        (filesystem(running=Running(what="balance", paused=True)), "balance paused: resume it first"),
        (filesystem(running=Running(what="balance")), "Wait until that ends"),
        (filesystem(unread=True), "could not be read"),
        (filesystem(device(1), device(2, errors={"write": 1})), "scrub it first"),
        (filesystem(data=("raid1", "single")), "several profiles: convert them to one first"),
        (filesystem(device(1), device(2, alike=("/dev/sdx",))), "disconnect that first"),
        (filesystem(data=("raid5",)), "write hole"),
    ],
)
def test_what_cannot_grow_now_is_refused_with_the_reason(found: Filesystem, why: str) -> None:
    machine = nas(found, disk(4))
    with pytest.raises(Refused, match=why):
        grow(machine, add=(disk(4).identity,))
    assert all(why in one.refused for name, one in rows(machine).items() if name.startswith("more"))


@pytest.mark.parametrize(
    ("found", "size", "survives"),
    [
        (filesystem(data=("raid1", "raid10")), "not known", "any 1"),
        (filesystem(data=("raid1",), metadata=("dup",)), "", "nothing"),
        (filesystem(data=(), metadata=(), mounted=False), "not known", "not known"),
    ],
)
def test_what_is_not_known_of_today_is_not_called_nothing(
    found: Filesystem, size: str, survives: str
) -> None:
    today = rows(nas(found))["today"]
    assert survives_words(today) == survives
    assert not size or size_words(today) == size


def test_a_profile_that_survives_less_has_parity_or_does_not_fit_is_refused() -> None:
    with pytest.raises(Refused, match="fewer failures"):
        grow(nas(three()), level="raid0")
    with pytest.raises(Refused, match="write hole"):
        grow(nas(three()), level="raid5")
    with pytest.raises(Refused, match="at least 3 devices"):
        grow(nas(), level="raid1c3")
    with pytest.raises(Refused, match="at least 4 devices"):
        grow(nas(three()), level="raid10")
    with pytest.raises(Refused, match="not another profile"):
        grow(nas(), level="raid1")
    with pytest.raises(Refused, match="not measured"):
        grow(nas(filesystem(*(device(n) for n in (1, 2, 3, 4)))), level="raid1c4")
    with pytest.raises(Refused, match="not measured"):
        grow(nas(filesystem(data=("raid0",)), disk(4)), add=(disk(4).identity,))
    full = filesystem(*(device(n, allocated_bytes=SIZE - GIB) for n in (1, 2, 3)))
    with pytest.raises(Refused, match="would fit"):
        grow(nas(full), level="raid1c3")
    with pytest.raises(Refused, match="uses all"):
        grow(nas(), to_largest=True)


def test_it_is_not_said_that_more_fits_while_one_device_has_all_of_the_free_space() -> None:
    assert room_for([600 * MIB] * 3, 2) == 900 * MIB
    assert room_for([4 * GIB, GIB, GIB], 2) == 2 * GIB
    assert room_for([4 * GIB, 0, 0], 2) == 0
    assert room_for([9 * GIB, 5 * GIB, GIB, GIB], 3) == 2 * GIB
    assert room_for([3 * GIB, GIB], 1) == 4 * GIB
    assert room_for([GIB], 2) == 0
