"""What a volume over bands can become with the free space of its disks; what is refused, and the plan that takes it there."""

from typing import Any

import msgspec
import pytest

from raidtui.advice.growths import table_of
from raidtui.backends.care import Place
from raidtui.backends.growing import Shape, Way
from raidtui.backends.hybrid.adding import WiderBand, reached
from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.lvm.report import PhysicalVolume
from raidtui.backends.lvm_on_md.units import BANDS
from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.plan import KEPT, Plan
from raidtui.model.procedure import Grow, RemoveFailed, Scrub
from raidtui.model.spec import Backend
from raidtui.model.unit import Unit
from raidtui.model.units import GIB, MIB
from raidtui.plan import grow
from raidtui.plan.care import make_care
from raidtui.plan.teardown import make_teardown
from raidtui.steps.enlarge import Content
from tests.unit.lvm_machines import GROUP_UUID, group
from tests.unit.lvm_on_md_machines import MEMBER, below, group_machine, on_arrays, second
from tests.unit.plan_machines import ARRAY_UUID, SEED, array, commands, disk, member_disk, step

SMALL, LARGE = 10_000_000_000, 30_000_000_000
HELD = SMALL // MIB * MIB - 200 * MIB
COMPONENT = HELD - 6 * MIB
EXTENT = 4 * MIB


def on(number: int, size: int) -> Disk:
    """A disk with one partition, a member of tank-1."""
    (part,) = (found := member_disk(number, size_bytes=size)).partitions
    return msgspec.structs.replace(found, partitions=(msgspec.structs.replace(part, size_bytes=HELD),))


def over(*sizes: int, array_changes: dict[str, Any] | None = None, **changes: Any) -> Machine:
    """A hybrid volume on one band over disks of these sizes."""
    well: dict[str, Any] = {
        "name": "tank-1",
        "path": "/dev/md/tank-1",
        "signatures": (MEMBER,),
        "mountpoints": (),
        "chunk_bytes": 512 * 1024,
        "consistency": "bitmap",
        "degraded": 0,
        "component_bytes": COMPONENT,
        "size_bytes": 2 * COMPONENT,
    }
    under: Array = array(**(well | (array_changes or {})))
    found: LvmReading = on_arrays(
        "/dev/md127", tags=(*group().tags, BANDS), **{"extent_bytes": EXTENT} | changes
    )
    found = msgspec.structs.replace(found, signatures={})  # nothing that would grow after it
    (volume,) = found.known.devices
    held = msgspec.structs.replace(
        volume, size_bytes=(under.size_bytes - volume.data_start_bytes) // EXTENT * EXTENT
    )
    found = msgspec.structs.replace(found, known=msgspec.structs.replace(found.known, devices=(held,)))
    machine = group_machine(
        found, under, mdadm_conf_arrays=(f"ARRAY /dev/md/tank-1 metadata=1.2 UUID={ARRAY_UUID}",)
    )
    disks = {one.path: one for one in (*machine.disks, *(on(n, size) for n, size in enumerate(sizes, 1)))}
    return msgspec.structs.replace(machine, disks=tuple(disks.values()))


def the_unit(machine: Machine) -> Unit:
    (found,) = [one for one in units_of(machine) if one.backend is Backend.HYBRID]
    return found


def rows(machine: Machine) -> tuple[Shape, ...]:
    return tuple(one.shape for one in table_of(the_unit(machine), machine).rows)


def grown(machine: Machine) -> Plan:
    return make_care(Grow(unit=GROUP_UUID, to_largest=True), machine, seed=SEED)


def test_a_group_with_the_tag_is_one_unit_and_no_other_backends() -> None:
    machine = over(SMALL, SMALL, SMALL)
    found = the_unit(machine)
    assert (found.level, found.raid_disks, found.below) == ("hybrid1", 3, (ARRAY_UUID,))
    assert [one.backend for one in units_of(machine)] == [Backend.MDADM, Backend.HYBRID]
    for word in ("tank", "tank-1", GROUP_UUID):
        assert make_teardown(word, machine, seed=SEED).spec.kind == "hybrid1"


def test_what_is_lacking_for_a_new_band_is_told_with_what_it_would_give() -> None:
    full = rows(over(SMALL, SMALL, SMALL))[2]
    assert (full.procedure, full.unit_bytes) == (None, rows(over(SMALL, SMALL, SMALL))[0].unit_bytes)
    assert full.needs.startswith("larger disks: replace 2 more disks")
    one = rows(over(SMALL, SMALL, LARGE))[2]
    assert one.procedure is None
    assert "no new space yet: one more disk of 30.0 GB in place of S-000" in one.needs
    assert "gives 20.1 GB" in one.needs


def test_two_larger_disks_give_a_mirror_and_three_a_raid5() -> None:
    today, _, pair = rows(over(SMALL, LARGE, LARGE))
    assert (pair.way, pair.procedure) == (Way.SYNC, Grow(unit=GROUP_UUID, to_largest=True))
    assert 19 * GIB > pair.unit_bytes - today.unit_bytes > 18 * GIB
    three = rows(over(LARGE, LARGE, LARGE))[2]
    assert 38 * GIB > three.unit_bytes - today.unit_bytes > 36 * GIB


def test_the_plan_makes_the_array_beside_the_volume_first_and_erases_no_disk() -> None:
    made = grown(over(SMALL, LARGE, LARGE))
    order = (
        "partition partition-2 settle-partitions create settle-array clear-array conf physical-volumes "
        "extend-group extend-volume sync prove"
    )
    assert [one.id for one in made.steps] == order.split()
    assert made.erased == ()
    assert {(one.identity, one.role, one.shares) for one in made.disks} == {
        ("S-0002", KEPT, (1,)),
        ("S-0003", KEPT, (1,)),
    }
    create = commands(step(made, "create"))[-1]
    assert create[2] == "/dev/md/tank-2"
    assert [word[-5:] for word in create[-2:]] == ["part2", "part2"]
    assert (
        commands(step(made, "extend-volume"))[0][1:]
        == ("lvextend", "--extents", "+100%FREE", "tank/data")[1:]
    )
    start = 1 + HELD // MIB
    append = next(run for run in step(made, "partition").actions if getattr(run, "input", ""))
    assert getattr(append, "input", "").startswith(f"start={start * 2048}, ")
    assert made == grown(over(SMALL, LARGE, LARGE))
    uuid = next(word.partition("=")[2] for word in create if word.startswith("--uuid="))
    assert uuid.replace(":", "") in {
        one.replace("-", "") for one in made.marks
    }  # a resumed job knows its own array


def test_space_of_the_group_that_no_volume_has_is_taken_without_a_new_band() -> None:
    machine = over(SMALL, SMALL, SMALL, free_bytes=4 * GIB)
    today, _, more = rows(machine)
    assert more.unit_bytes - today.unit_bytes == 4 * GIB
    assert [one.id for one in grown(machine).steps] == ["extend-volume", "prove"]


@pytest.mark.parametrize(
    ("array_changes", "changes", "words"),
    [
        ({"degraded": 1, "members": array().members[:2]}, {}, "lacks 1 member"),
        ({"state": "readonly"}, {}, "read-only"),
        ({}, {"system_id": "nas-2"}, "of another system"),
    ],
)
def test_it_does_not_grow_while_something_is_wrong(
    array_changes: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    machine = over(SMALL, LARGE, LARGE, array_changes=array_changes, **changes)
    assert all(words in row.refused for row in rows(machine)[1:])
    with pytest.raises(Refused, match=words):
        grown(machine)


def blank(number: int, size: int) -> Disk:
    return disk(number, size_bytes=size)


def added(machine: Machine, *disks: str) -> Plan:
    return make_care(Grow(unit=GROUP_UUID, add=disks), machine, seed=SEED)


def with_more(machine: Machine, *disks: Disk) -> Machine:
    """The members are in use, and the only other disks are these."""
    (under,) = machine.arrays
    claim = Claim(
        what=ClaimKind.ARRAY, weight=Weight.BUSY, device="/dev/sda1", detail="a member", how_to_free=""
    )
    inside = {one.disk for one in under.members}
    members = [one for one in machine.disks if one.identity in inside]
    return msgspec.structs.replace(
        machine,
        disks=(*(msgspec.structs.replace(one, free=False, taken_by=(claim,)) for one in members), *disks),
    )


def test_a_further_disk_joins_the_array_which_is_checked_before_lvm_takes_its_space() -> None:
    machine = with_more(over(SMALL, SMALL, SMALL), blank(4, SMALL))
    today, more, _ = rows(machine)
    assert (more.members, more.add, more.way) == (4, ("S-0004",), Way.MOVE)
    # LVM's data begins at 3 MiB: whole extents behind it.
    pv = [(count * COMPONENT - 3 * MIB) // EXTENT * EXTENT for count in (2, 3)]
    assert more.unit_bytes - today.unit_bytes == pv[1] - pv[0]
    made = added(machine, "S-0004")
    assert [one.id for one in made.steps] == [
        "capsule", "wipe", "partition", "settle-partitions",
        "add", "grow", "wait", "check", "resize", "extend-volume", "prove",
    ]  # fmt: skip
    assert [one.identity for one in made.erased] == ["S-0004"]
    assert made.array_bytes == more.unit_bytes
    assert ARRAY_UUID in made.marks  # a resumed job knows the array that has its disk
    assert any("--raid-devices=4" in argv for argv in commands(step(made, "grow")))


def test_the_filesystem_of_the_volume_is_enlarged_in_a_step_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = Content(kind="ext4", uuid="aaaa", place="/srv/tank")
    monkeypatch.setattr(grow, "content_of", lambda unit, machine: files)
    ids = [one.id for one in added(with_more(over(SMALL, SMALL, SMALL), blank(4, SMALL)), "S-0004").steps]
    assert ids.index("resize") < ids.index("extend-volume") < ids.index("enlarge")
    assert len(set(ids)) == len(ids)


def test_a_mirror_of_two_becomes_a_raid5_and_one_of_three_never_a_raid6() -> None:
    two = {"level": "raid1", "raid_disks": 2, "members": array().members[:2], "chunk_bytes": 0}
    pair = over(SMALL, SMALL, array_changes=two | {"size_bytes": COMPONENT})
    made = added(with_more(pair, blank(4, SMALL)), "S-0004")
    assert [one.id for one in made.steps][4:8] == ["add", "level", "grow", "wait"]
    assert "--level=raid5" in commands(step(made, "level"))[-1]
    three = {"level": "raid1", "raid_disks": 3, "chunk_bytes": 0, "size_bytes": COMPONENT}
    machine = with_more(over(SMALL, SMALL, SMALL, array_changes=three), blank(4, SMALL))
    assert the_unit(machine).level == "hybrid2"
    assert "would have to become RAID6" in rows(machine)[1].refused


def test_which_further_disks_fit_is_told_by_the_first_band() -> None:
    machine = with_more(over(SMALL, SMALL, SMALL))
    assert rows(machine)[1].needs.startswith("a free disk of 9.79 GB or more")
    small, fits, large = blank(4, SMALL // 2), blank(5, SMALL), blank(6, LARGE)
    more = rows(with_more(machine, small, fits, large))[1]
    assert (more.fits, more.add) == (("S-0005", "S-0006"), ("S-0005",))
    with pytest.raises(Refused, match=r"S-0004 is too small for tank, which needs a free disk of 9.79 GB"):
        added(with_more(machine, small), "S-0004")
    with pytest.raises(Refused, match="by one disk at a time"):
        added(with_more(machine, fits, large), "S-0005", "S-0006")
    with pytest.raises(Refused, match="not of 4 MiB"):
        added(with_more(over(SMALL, SMALL, SMALL, extent_bytes=MIB), fits), "S-0005")
    with pytest.raises(Refused, match="larger disks"):
        grown(machine)


def test_a_disk_joins_the_bands_that_it_reaches() -> None:
    place = Place(on(1, SMALL), on(1, SMALL).partitions[0])
    above = msgspec.structs.replace(
        place.disk.partitions[0], number=2, start_bytes=SMALL // MIB * MIB, size_bytes=HELD
    )
    volume = PhysicalVolume(uuid="pv", path="/dev/md127", group=GROUP_UUID)
    bands = (
        WiderBand(array(), "raid5", place, volume),
        WiderBand(array(), "raid5", Place(place.disk, above), volume),
    )
    assert reached(bands, blank(4, SMALL // 2)) == ()
    assert reached(bands, blank(4, SMALL)) == bands[:1]
    assert reached(bands, blank(4, LARGE)) == bands


def test_a_check_of_the_volume_is_one_of_every_array_and_a_repair_is_warned_of() -> None:
    machine = over(SMALL, SMALL, SMALL)
    made = make_care(Scrub(unit=GROUP_UUID), machine, seed=SEED)
    assert [one.id for one in made.steps] == ["check"]
    assert made.steps[0].after[0].subject == ARRAY_UUID
    two = group_machine(on_arrays("/dev/md127", "/dev/md126"), below(degraded=0), second(degraded=0))
    assert [one.id for one in make_care(Scrub(unit=GROUP_UUID), two, seed=SEED).steps] == ["check", "check-2"]
    repaired = make_care(Scrub(unit=GROUP_UUID, repair=True), machine, seed=SEED)
    assert [one.id for one in repaired.hazards] == ["repair-overwrites"]
    with pytest.raises(Refused, match="has no procedure"):
        make_care(RemoveFailed(unit=GROUP_UUID), machine, seed=SEED)
    gone = group_machine(on_arrays("/dev/md127", "/dev/md126"), below(degraded=0))
    with pytest.raises(Refused, match="not every array of tank is here"):
        make_care(Scrub(unit=GROUP_UUID), gone, seed=SEED)
