"""One volume over several arrays: how disks are dealt out, what is planned and refused, what it gives and survives."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import msgspec
import pytest

from raidtui.advice.report import Question, one_report
from raidtui.backends.arithmetic.survival import all_survive, survival_of, surviving_sets
from raidtui.backends.data_map import Arrangement, DataMap
from raidtui.backends.facts import Facts, Options
from raidtui.backends.lvm_on_md.conditions import HINTS
from raidtui.backends.lvm_on_md.levels import LEVELS, dealing_of, level_over, piece_of
from raidtui.backends.lvm_on_md.placement import data_map
from raidtui.backends.lvm_on_md.reader import READER
from raidtui.backends.lvm_on_md.space import on_md
from raidtui.backends.md.geometry import md_geometry
from raidtui.backends.registry import backend
from raidtui.backends.units import units_of
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Role
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from raidtui.model.units import GIB, KIB, MIB
from tests.unit.lvm_machines import reading, status
from tests.unit.lvm_on_md_machines import below, group_machine, on_arrays, second
from tests.unit.plan_machines import TANK, array, commands, disk, machine, plan, step

SIX = tuple(f"S-000{n}" for n in range(1, 7))
SPEC = msgspec.structs.replace(TANK, backend=Backend.LVM_ON_MD, level="raid50", members=SIX)


def planned(**changes: Any) -> Plan:
    return plan(SPEC, **changes)


def facts(level: str, sizes: list[int], arrays: str = "", **options: Any) -> Facts:
    own = (("arrays", arrays),) if arrays else ()
    return backend(Backend.LVM_ON_MD).facts(level, sizes, Options(own=own, **options))


# Dealt out.


@pytest.mark.parametrize(
    ("level", "disks", "asked", "below", "arrays", "volume"),
    [
        ("raid5", 6, "", "raid5", 1, "linear"),
        ("raid5", 6, "2", "raid5", 2, "linear"),
        ("raid50", 6, "", "raid5", 2, "striped"),
        ("raid50", 9, "", "raid5", 3, "striped"),
        ("raid50", 12, "", "raid5", 2, "striped"),
        ("raid50", 12, "4", "raid5", 4, "striped"),
        ("raid60", 8, "", "raid6", 2, "striped"),
        ("raid60", 15, "", "raid6", 3, "striped"),
    ],
)
def test_disks_are_dealt_to_as_many_arrays_as_asked_else_to_the_fewest_that_come_out_even(
    level: str, disks: int, asked: str, below: str, arrays: int, volume: str
) -> None:
    assert dealing_of(level, disks, {"arrays": asked} if asked else {}) == (below, arrays, volume)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"members": SIX[:4]}, "RAID50 takes at least 6 disks, not 4"),
        ({"level": "raid60"}, "RAID60 takes at least 8 disks, not 6"),
        ({"options": {"arrays": "4"}}, "6 disks cannot be divided evenly among 4 arrays"),
        ({"options": {"arrays": "1"}}, "RAID50 is striped over two arrays or more; with one take RAID5"),
        ({"members": SIX[:5], "level": "raid5", "options": {"arrays": "2"}}, "5 disks cannot be divided evenly"),
        ({"level": "raid6", "options": {"arrays": "2"}}, "RAID6 takes at least 4 disks, not 3"),
        ({"members": SIX[:4], "spares": SIX[4:5], "level": "raid1", "options": {"arrays": "2"}}, "1 spare cannot be divided evenly among 2 arrays"),
        ({"name": "a" * 26}, "28 characters long"),
    ],
)  # fmt: skip
def test_what_cannot_be_dealt_out_or_named_is_refused_in_a_sentence(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        planned(**changes)


@pytest.mark.parametrize("name", ["tank", "tank-1", "tank-2"])
def test_the_name_of_each_array_must_be_free(name: str) -> None:
    other = msgspec.structs.replace(array(), name=name, path=f"/dev/md/{name}", members=())
    with pytest.raises(BadInput, match=f"the name {name} is used by the array"):
        plan(SPEC, machine(arrays=(other,)))


# Planned.


def test_arrays_are_made_one_by_one_and_the_volume_is_striped_over_all() -> None:
    made = planned()
    ids = [one.id for one in made.steps]
    assert len(set(ids)) == len(ids)
    order = "capsule wipe partition create create-2 physical-volumes group volume clear mkfs conf fstab mount"
    assert [name for name in ids if name in order.split()] == order.split()
    for name, path, members in (("create", "tank-1", SIX[:3]), ("create-2", "tank-2", SIX[3:])):
        words = commands(step(made, name))[-1]
        assert words[2] == f"/dev/md/{path}"
        assert [word[-7] for word in words if word.startswith("/dev/disk")] == [one[-1] for one in members]
        assert step(made, name).role is Role.PREPARE
    assert [words[-1] for words in commands(step(made, "physical-volumes"))] == [
        "/dev/md/tank-1",
        "/dev/md/tank-2",
    ]
    (lvcreate,) = commands(step(made, "volume"))
    assert {"--type=striped", "--stripes=2", "--stripesize=1024k"} <= set(lvcreate)
    assert HINTS.of("/dev/tank/data", f"{MIB} {2 * MIB}") in step(made, "settle-volume").after
    assert len(step(made, "conf").after) == 2


def test_the_filesystem_is_given_the_full_stripe_of_all_arrays() -> None:
    (mkfs,) = commands(step(planned(), "mkfs"))
    assert any(word.endswith("stride=128,stripe_width=512") for word in mkfs)  # 512 KiB, 2 MiB


def test_one_after_the_other_they_are_linear_and_the_device_states_one_stripe() -> None:
    made = planned(level="raid5", options={"arrays": "2"})
    (lvcreate,) = commands(step(made, "volume"))
    assert "--type=linear" in lvcreate
    assert HINTS.of("/dev/tank/data", f"{512 * KIB} {MIB}") in step(made, "settle-volume").after


def test_spares_are_dealt_out_too() -> None:
    made = planned(level="raid1", members=SIX[:4], spares=SIX[4:], options={"arrays": "2"})
    for name, spare in (("create", "5"), ("create-2", "6")):
        words = commands(step(made, name))[-1]
        assert "--spare-devices=1" in words
        assert words[-1].endswith(f"{spare}-part1")


def test_every_uuid_is_its_own_and_each_array_is_released() -> None:
    made = planned()
    assert len(made.uuids) == 5  # two arrays, two physical volumes, the filesystem
    assert len({*made.marks}) == 6
    assert len({run.argv[-1] for run in made.release}) == 2


def test_resolving_the_completed_spec_again_changes_nothing() -> None:
    made = planned()
    assert plan(made.spec).fingerprint == made.fingerprint
    assert (made.spec.level, made.spec.chunk, made.spec.layout) == ("raid50", 512 * KIB, "left-symmetric")


# What it gives and survives.


@pytest.mark.parametrize(("level", "arrays", "each"), [("raid50", 3, "raid5"), ("raid60", 2, "raid6")])
def test_the_space_is_that_of_all_arrays_and_whole_stripes_of_them(
    level: str, arrays: int, each: str
) -> None:
    width = 12 // arrays
    one = md_geometry(each, [100 * GIB] * width)
    found = facts(level, [100 * GIB] * 12, arrays=str(arrays))
    assert found.array_bytes == arrays * on_md(one)
    assert (found.groups, found.stripe_width_bytes) == (arrays, arrays * one.stripe_width_bytes)
    assert one.stripe_width_bytes % found.piece_bytes == 0


def test_unequal_arrays_are_used_whole_one_after_the_other_and_as_far_as_the_smallest_if_striped() -> None:
    sizes = [100 * GIB] * 3 + [300 * GIB] * 3
    small, large = (on_md(md_geometry("raid5", sizes[at : at + 3])) for at in (0, 3))
    assert facts("raid5", sizes, arrays="2").array_bytes == small + large
    striped = facts("raid50", sizes)
    assert striped.array_bytes == 2 * small
    assert all(use.used_bytes + use.wasted_bytes == use.size_bytes for use in striped.members)
    assert "the smallest array cannot match" in striped.members[-1].why
    assert abs(striped.members[-1].used_bytes - striped.members[0].used_bytes) < 16 * MIB


@pytest.mark.parametrize(("chunk", "data", "piece"), [(512, 2, 1024), (512, 3, 512), (64, 4, 256), (4096, 2, 4096)])  # fmt: skip
def test_a_piece_is_a_power_of_two_that_divides_a_full_stripe(chunk: int, data: int, piece: int) -> None:
    assert piece_of(chunk * data * KIB) == piece * KIB


def _survivors(level: str, width: int, groups: int) -> Iterator[tuple[int, ...]]:
    """Every set of failed disks that is survived, found by trying."""
    alone = {"raid5": 1, "raid6": 2, "raid1": width - 1}[level]
    for failed in range(width * groups + 1):
        for these in combinations(range(width * groups), failed):
            if all(sum(one // width == group for one in these) <= alone for group in range(groups)):
                yield these


@pytest.mark.parametrize(("level", "width", "groups"), product(("raid5", "raid6", "raid1"), (4,), (2, 3)))
def test_each_array_must_survive(level: str, width: int, groups: int) -> None:
    sets = all_survive(surviving_sets(level, width), groups)
    found = [len(these) for these in _survivors(level, width, groups)]
    assert list(sets) == [found.count(failed) for failed in range(len(sets))]
    lives, sure = survival_of(sets, width * groups), {"raid5": 1, "raid6": 2, "raid1": 3}[level]
    assert lives.guaranteed == sure
    fatal = 1 - sets[sure + 1] / len(list(combinations(range(width * groups), sure + 1)))
    assert lives.next_failure_fatal_probability == pytest.approx(fatal)


def test_each_vdev_of_a_pool_must_survive_too() -> None:
    pool = backend(Backend.ZFS).facts("raidz1", [100 * GIB] * 6, Options(own=(("vdevs", "2"),)))
    assert pool.sets == facts("raid50", [100 * GIB] * 6).sets == (1, 6, 9)
    assert (pool.survival.guaranteed, pool.groups) == (1, 2)


def test_how_the_disks_are_dealt_out_is_said() -> None:
    assert facts("raid50", [100 * GIB] * 6).grouped == "2 arrays of 3 disks, striped by 1MiB"
    assert facts("raid1", [100 * GIB] * 4, arrays="2").grouped == "2 arrays of 2 disks, one after the other"
    assert facts("raid5", [100 * GIB] * 6).grouped == ""


def test_two_short_arrays_are_safer_than_a_long_one_and_name_their_pairs() -> None:
    question = Question(sizes=(4000 * GIB,) * 6)
    two = one_report(Backend.LVM_ON_MD, "raid50", question)
    long = one_report(Backend.LVM_ON_MD, "raid5", question)
    assert two.fatal_pairs == ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5))
    assert two.risk is not None
    assert long.risk is not None
    assert two.risk.loss_probability_5y["3"] < long.risk.loss_probability_5y["3"]
    assert two.ideal is not None
    assert (two.ideal.seq_read, two.ideal.seq_write, two.ideal.rand_read) == (4, 4, 6)


@pytest.mark.parametrize(
    ("level", "arrays", "seen", "not_seen"),
    [
        ("raid50", "", {"one-array-lost", "write-hole", "raid5-large"}, {"off-stripe"}),
        ("raid5", "2", {"one-array-lost", "off-stripe"}, set()),
        ("raid5", "", set(), {"one-array-lost", "off-stripe"}),
        ("raid0", "2", {"one-array-lost", "no-redundancy"}, {"off-stripe"}),
    ],
)
def test_what_one_lost_array_means_is_said(
    level: str, arrays: str, seen: set[str], not_seen: set[str]
) -> None:
    own = Options(own=(("arrays", arrays),) if arrays else ())
    found = one_report(Backend.LVM_ON_MD, level, Question(sizes=(12000 * GIB,) * 8, options=own)).hazards
    ids = {hazard.id for hazard in found}
    assert seen <= ids
    assert not ids & not_seen
    for hazard in found:
        if hazard.id == "one-array-lost":
            fewest = "one failed disk is" if level == "raid0" else "2 failed disks of one array are"
            assert f"One array lost loses the whole volume: {fewest} enough." == hazard.meaning


def test_the_width_of_one_array_counts_and_not_all_disks() -> None:
    twelve = Question(sizes=(1000 * GIB,) * 12, options=Options(own=(("arrays", "4"),)))
    assert "wide" not in {one.id for one in one_report(Backend.LVM_ON_MD, "raid50", twelve).hazards}
    wide = Question(sizes=(1000 * GIB,) * 12)
    assert "wide" in {one.id for one in one_report(Backend.LVM_ON_MD, "raid5", wide).hazards}


# Where the data lies.


def _map(level: str, disks: int, *, rows: int, piece: int) -> DataMap:
    names = tuple(map(str, range(disks)))
    return data_map(Arrangement(level=level, names=names, groups=2, piece=piece), rows)


def _chunks(row: tuple[Any, ...]) -> list[str]:
    return [str(cell.chunk) if cell.kind == "data" else cell.kind for cell in row]


def test_the_map_stripes_over_the_arrays_piece_by_piece() -> None:
    striped = _map("raid50", 6, rows=2, piece=2)
    assert [_chunks(row) for row in striped.zones[0].rows] == [
        ["0", "1", "P", "2", "3", "P"],
        ["5", "P", "4", "7", "P", "6"],
    ]
    assert "disks 1 to 3, 4 to 6: striped" in striped.words
    joined = _map("raid5", 6, rows=2, piece=0)
    assert _chunks(joined.zones[0].rows[0]) == ["0", "1", "P", "4", "5", "P"]


def test_with_three_data_disks_a_full_stripe_takes_three_turns() -> None:
    found = _map("raid50", 8, rows=1, piece=1)
    assert _chunks(found.zones[0].rows[0]) == ["0", "2", "4", "P", "1", "3", "5", "P"]


# What is found.


@pytest.mark.parametrize(
    ("volume", "arrays", "level"),
    [
        ("striped", ("raid5", "raid5"), "raid50"),
        ("striped", ("raid6", "raid6"), "raid60"),
        ("striped", ("raid1", "raid1"), "striped"),
        ("linear", ("raid1", "raid1"), "raid1"),
        ("linear", ("raid1", "raid5"), "linear"),
        ("striped+linear", ("raid5", "raid5"), "striped+linear"),
        ("linear", ("raid5",), "raid5"),
    ],
)
def test_a_unit_is_called_by_its_volume_and_its_arrays(
    volume: str, arrays: tuple[str, ...], level: str
) -> None:
    assert level_over(volume, arrays) == level


def _two(where: Machine) -> Unit:
    (found,) = [one for one in units_of(where) if one.backend is Backend.LVM_ON_MD]
    return found


def test_what_is_measured_has_the_disks_of_all_arrays() -> None:
    three = array().members
    here = group_machine(on_arrays("/dev/md127", "/dev/md126"), below(), second(members=three))
    found = _two(here)
    kept = READER.measured(found, here)
    assert (found.level, kept.level, kept.raid_disks) == ("raid5", "raid5", 6)


def test_arrays_are_listed_in_the_order_of_the_stripes() -> None:
    """LVM lists physical volumes by their nodes, and the kernel gives these as it likes."""
    turned = on_arrays("/dev/md126", "/dev/md127")
    volume = msgspec.structs.replace(turned.known.volumes[0], segments=turned.known.volumes[0].segments[::-1])
    known = msgspec.structs.replace(turned.known, volumes=(volume,))
    found = _two(group_machine(msgspec.structs.replace(turned, known=known), below(), second()))
    assert [one.path for one in found.members] == ["/dev/md127", "/dev/md126"]
    assert [one.slot for one in found.members] == [0, 1]


def test_levels_over_several_arrays_are_compared_where_there_are_disks_enough() -> None:
    its = backend(Backend.LVM_ON_MD)
    assert "raid50" not in dict(its.compared(Options(), 5, True))
    assert {"raid50", "raid60"} <= set(dict(its.compared(Options(), 6, True)))
    for level in ("raid50", "raid60"):
        known = LEVELS[level]
        assert len(known.suits) <= 36
        assert all(len(line) <= 44 for line in (*known.pros, *known.cons))


def test_disks_are_looked_at_in_the_order_of_the_spec() -> None:
    turned = planned(members=SIX[::-1])
    words = commands(step(turned, "create"))[-1]
    assert [word[-7] for word in words if word.startswith("/dev/disk")] == ["6", "5", "4"]
    assert turned.disks[0].identity == disk(6).identity


@pytest.mark.parametrize(
    ("letters", "broken", "health", "state"),
    [
        ("AA", False, Health.OK, "in sync"),
        ("AD", True, Health.DEGRADED, "degraded, not redundant: 1 of 2 disks missing or faulty"),
    ],
)
def test_a_mirror_of_two_stripes_has_its_own_redundancy(
    letters: str, broken: bool, health: Health, state: str
) -> None:
    stripes = (
        below(level="raid0", layout=""),
        second(level="raid0", layout="", state="broken" if broken else "clean"),
    )
    mirror = msgspec.structs.replace(
        reading(paths=("/dev/md127", "/dev/md126")), statuses={"tank-data": status(letters)}
    )
    (found,) = [one for one in units_of(group_machine(mirror, *stripes)) if one.name == "tank" and one.below]
    assert (found.health, found.state) == (health, state)
