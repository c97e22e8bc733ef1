"""The plan that replaces a disk of a volume group."""

from pathlib import Path

import msgspec
import pytest

from raidtui.backends.lvm.conditions import VOLUME_WHOLE
from raidtui.backends.lvm.reading import LvmReading, reading_in
from raidtui.backends.lvm.report import Segment
from raidtui.backends.lvm.units import unfinished
from raidtui.backends.lvm.volumes import lost_in
from raidtui.backends.reading import recorded_machine
from raidtui.backends.units import units_of
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Plan, Run
from raidtui.model.procedure import Replace
from raidtui.plan.replace import make_replace
from tests.unit.lvm_machines import GROUP_UUID, VOLUME, group, image, lvm_disk, lvm_machine, reading, status
from tests.unit.plan_machines import disk

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
NEW = disk(3)
STATES = Path(__file__).parents[1] / "machines" / "states"


def nas(found: LvmReading | None = None) -> Machine:
    return lvm_machine(found, lvm_disk(1), lvm_disk(2), NEW)


def plan(machine: Machine, old: str, *missing_from: str) -> Plan:
    return make_replace(Replace(old=old, new=NEW.identity, missing_from=missing_from), machine, seed=SEED)


FORMER = 'lvremove --yes --select lv_name=~"_r(image|meta)_[0-9]+_extracted$" tank'
"""What a power cut in the middle of lvconvert leaves of the old parts."""


MOVED = (
    "pvmove --config global/use_lvmpolld=0 --atomic --background --interval +86400",
    "pvmove --interval 5",
)


def lvm(made: Plan) -> list[str]:
    """LVM's commands, without the names of devices."""
    runs = [a.argv for step in made.steps for a in step.actions if isinstance(a, Run)]
    tools = {"pvcreate", "pvmove", "vgextend", "lvconvert", "lvremove", "vgreduce", "pvremove"}
    return [
        " ".join(word for word in words if not word.startswith("/dev/"))
        for words in runs
        if words[0] in tools
    ]


def test_a_disk_that_works_is_replaced_and_leaves_the_group_before_it_is_wiped() -> None:
    made = plan(nas(), lvm_disk(2).identity)
    assert lvm(made) == [
        f"pvcreate --norestorefile --uuid {made.uuids[-1]}",
        "vgextend tank",
        "lvconvert --yes --replace tank/data",
        FORMER,
        "vgreduce tank",
        "pvremove",
    ]
    ids = [step.id for step in made.steps]
    assert ids.index("remove") < ids.index("prove") < ids.index("forget")
    # The volume is in sync before as well, so only that the disk has left shows that it was removed.
    for name, when in (("remove", "after"), ("forget", "before")):
        step = next(step for step in made.steps if step.id == name)
        assert [check.kind for check in getattr(step, when)] == ["lvm-left"]


def test_a_missing_disk_is_repaired() -> None:
    found = reading(paths=("/dev/sda1", ""), kernel=status("A-"))
    made = plan(lvm_machine(found, lvm_disk(1), NEW), "", GROUP_UUID)
    assert lvm(made) == [
        f"pvcreate --norestorefile --uuid {made.uuids[-1]}",
        "vgextend tank",
        "lvconvert --yes --repair tank/data",
        FORMER,
        "vgreduce --removemissing tank",
    ]


def test_what_cannot_be_done_is_refused() -> None:
    busy = reading(kernel=status(action="check"))
    with pytest.raises(Refused, match="is busy"):
        plan(nas(busy), lvm_disk(2).identity)
    with pytest.raises(Refused, match="is not active"):
        plan(nas(msgspec.structs.replace(reading(), statuses={})), lvm_disk(2).identity)
    with pytest.raises(Refused, match="already lacks"):
        plan(nas(reading(its=group(missing=1))), lvm_disk(2).identity)


def several(kind: str = "raid1", *, paths: tuple[str, ...] = ("/dev/sda1", "/dev/sdb1")) -> LvmReading:
    """The group with two volumes: data, and home of this type, on the same disks."""
    found = reading(paths=paths, kernel=status("A-" if "" in paths else "AA"))
    legs = tuple(f"home_rimage_{n}" for n in range(len(paths)))
    copied = kind == "raid1"
    home = msgspec.structs.replace(
        VOLUME,
        uuid="home",
        name="home",
        segments=(Segment(type=kind, stripes=2, devices=legs if copied else paths[1:]),),
    )
    images = tuple(
        msgspec.structs.replace(image(n, path), uuid=f"h{n}", name=legs[n]) for n, path in enumerate(paths)
    )
    known = msgspec.structs.replace(
        found.known, volumes=(*found.known.volumes, home, *(images if copied else ()))
    )
    statuses = {**found.statuses, "tank-home": found.statuses["tank-data"]} if copied else found.statuses
    return msgspec.structs.replace(found, known=known, statuses=statuses)


@pytest.mark.parametrize("gone", [False, True])
def test_every_volume_of_a_group_gets_its_part_on_the_new_disk_one_after_the_other(gone: bool) -> None:
    found = several(paths=("/dev/sda1", "") if gone else ("/dev/sda1", "/dev/sdb1"))
    machine = lvm_machine(found, lvm_disk(1), *(() if gone else (lvm_disk(2),)), NEW)
    made = plan(machine, "" if gone else lvm_disk(2).identity, *([GROUP_UUID] if gone else []))
    how, out = ("--repair", "--removemissing ") if gone else ("--replace", "")
    assert lvm(made)[:6] == [
        f"pvcreate --norestorefile --uuid {made.uuids[-1]}",
        "vgextend tank",
        f"lvconvert --yes {how} tank/data",
        f"lvconvert --yes {how} tank/home",
        FORMER,
        f"vgreduce {out}tank",
    ]
    steps = {step.id: step for step in made.steps}
    order = [one for one in steps if one.startswith(("start", "wait"))]
    assert order == ["start-1", "wait-1", "start-2", "wait-2"]
    # Each step is about its own volume: that the first one uses the disk does not make the second one done.
    assert steps["start-2"].after[0].expect == f"{GROUP_UUID} volume home"
    assert steps["wait-2"].after[0].expect == f"{GROUP_UUID} home:2"
    assert steps["prove"].after[0].expect == "data:2 home:2"


def test_where_a_volume_without_a_copy_is_on_the_disk_too_everything_is_moved() -> None:
    """Also the parts of volumes with redundancy, which keep it meanwhile."""
    made = plan(nas(several("linear")), lvm_disk(2).identity)
    assert lvm(made) == [
        f"pvcreate --norestorefile --uuid {made.uuids[-1]}",
        "vgextend tank",
        *MOVED,
        "vgreduce tank",
        "pvremove",
    ]
    steps = {step.id: step for step in made.steps}
    assert [check.expect for check in steps["wait"].after] == ["copied"]
    *flush, move, _ = [run.argv[0] for run in steps["leave"].actions if isinstance(run, Run)]
    assert (flush, move) == (["sync"], "pvmove"), "the copy is flushed before the old disk is given up"
    assert [check.kind for check in steps["leave"].after] == ["lvm-empty"]
    assert steps["complete"].after == (VOLUME_WHOLE.of(GROUP_UUID, "data:2"),)
    assert [one.id for one in made.hazards] == ["no-copy"]


def test_a_disk_of_a_group_without_redundancy_is_replaced_while_it_works_and_not_when_it_is_gone() -> None:
    made = of_recorded(recorded("lvm-linear"), "LAB-0002")
    assert made == [*MOVED, "vgreduce tank", "pvremove"]
    gone = recorded("lvm-linear-pv-missing")
    (unit,) = units_of(gone)
    with pytest.raises(Refused, match="disk"):
        of_recorded(gone, "", unit.uuid)


def test_what_pvmove_refuses_is_refused_before_anything_is_erased() -> None:
    found = several("linear")
    cases = {
        "a writecache": ("cached", "writecache"),
        "a move of data in tank has not ended": ("pvmove0", "linear"),
        "a volume with integrity": ("home_rimage_0_imeta", "linear"),
    }
    for words, (name, kind) in cases.items():
        segments = (Segment(type=kind, devices=("/dev/sdb1",)),)
        one = msgspec.structs.replace(VOLUME, uuid="other", name=name, hidden=True, segments=segments)
        known = msgspec.structs.replace(found.known, volumes=(*found.known.volumes, one))
        with pytest.raises(Refused, match=words):
            plan(nas(msgspec.structs.replace(found, known=known)), lvm_disk(2).identity)


def test_the_empty_volume_that_a_power_cut_leaves_at_the_end_of_a_move_is_no_move() -> None:
    (lone,) = reading().known.groups
    left = msgspec.structs.replace(
        VOLUME, uuid="other", name="pvmove0", hidden=True, segments=(Segment(type="error", devices=("",)),)
    )
    known = msgspec.structs.replace(reading().known, volumes=(left,))
    assert unfinished(lone, known) == []
    moves = msgspec.structs.replace(
        left, segments=(Segment(type="mirror", devices=("/dev/sda1", "/dev/sdb1")),)
    )
    assert unfinished(lone, msgspec.structs.replace(known, volumes=(moves,))) == [moves]


def test_a_volume_without_a_copy_on_a_disk_that_is_gone_is_lost() -> None:
    gone = several("linear", paths=("/dev/sda1", ""))
    with pytest.raises(Refused, match="connect the missing disk: tank/home has no copy without it"):
        plan(lvm_machine(gone, lvm_disk(1), NEW), "", GROUP_UUID)


def recorded(name: str) -> Machine:
    return recorded_machine(str(STATES / f"{name}.json"))


def of_recorded(machine: Machine, old: str, *missing_from: str) -> list[str]:
    unused = next(one for one in machine.disks if one.serial == "LAB-0004")
    procedure = Replace(old=old, new=unused.identity, missing_from=missing_from)
    return lvm(make_replace(procedure, machine, seed=SEED))[2:]


def test_a_mirror_inside_a_cache_is_replaced_by_its_own_name() -> None:
    assert of_recorded(recorded("lvm-cached-mirror"), "LAB-0002") == [
        "lvconvert --yes --replace tank/data_corig",
        FORMER,
        "vgreduce tank",
        "pvremove",
    ]
    degraded = recorded("lvm-cached-mirror-degraded")
    (unit,) = units_of(degraded)
    assert of_recorded(degraded, "", unit.uuid) == [
        "lvconvert --yes --repair tank/data_corig",
        FORMER,
        "vgreduce --removemissing tank",
    ]
    moved = of_recorded(recorded("lvm-cached-mirror"), "LAB-0003")
    assert moved == [*MOVED, "vgreduce tank", "pvremove"]


def test_the_spare_for_the_metadata_of_pools_leaves_with_its_disk() -> None:
    machine = recorded("lvm-thin-pool-on-a-mirror-degraded")
    text = msgspec.json.encode(machine).decode()
    # As if the spare had been on the missing disk.
    spare = text.index('"name":"lvol0_pmspare"')
    place = text.index('"/dev/ubda"', spare)
    gone = msgspec.json.decode(text[:place] + '""' + text[place + len('"/dev/ubda"') :], type=Machine)
    (unit,) = units_of(gone)
    assert of_recorded(gone, "", unit.uuid) == [
        "lvconvert --yes --repair tank/pool_tdata",
        "lvremove --yes tank/lvol0_pmspare",
        FORMER,
        "vgreduce --removemissing tank",
    ]


def test_a_thin_pool_whose_metadata_is_on_the_missing_disk_is_lost_without_it() -> None:
    """Also beside a mirror whose name begins like its own."""
    machine = recorded("lvm-thin-pool-on-a-mirror-degraded")
    found = reading_in(machine)
    assert found is not None
    known, group = found.known, found.known.groups[0]
    assert lost_in(group, known) == ()
    nowhere = (Segment(type="linear", devices=("",)),)
    volumes = tuple(
        msgspec.structs.replace(one, segments=nowhere) if one.name == "pool_tmeta" else one
        for one in known.volumes
    )
    lost = lost_in(group, msgspec.structs.replace(known, volumes=volumes))
    assert [one.name for one in lost] == ["data", "pool"]


@pytest.mark.parametrize(
    ("volume", "letters", "holds"),
    [("data", "AA", True), ("home", "AA", True), ("home", "A-", False), ("other", "AA", False)],
)
def test_a_group_is_whole_only_with_every_volume_in_sync(volume: str, letters: str, holds: bool) -> None:
    found = several()
    home = msgspec.structs.replace(found.statuses["tank-home"], letters=letters)
    check = VOLUME_WHOLE.of(GROUP_UUID, f"data:2 {volume}:2")
    judged = VOLUME_WHOLE.judge(check, found.known, {**found.statuses, "tank-home": home})
    assert judged.holds is holds
