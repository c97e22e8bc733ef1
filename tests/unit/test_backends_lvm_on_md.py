"""Volume groups on arrays: what is planned and refused, what stands on what, and how both are removed."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.backends.lvm_on_md.conditions import DATA_START, HINTS
from raidtui.backends.lvm_on_md.reader import READER
from raidtui.backends.md.conditions import ARRAY_GONE
from raidtui.backends.registry import backend
from raidtui.backends.unit_words import unit_lines, within
from raidtui.backends.units import find_unit, unit_on, units_of
from raidtui.commands.inspect import describe
from raidtui.model.answer import Truth
from raidtui.model.device_graph import disks_of
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.machine import Machine, Mount, Sync
from raidtui.model.plan import Plan, Role, Run
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from raidtui.plan.teardown import make_teardown
from tests.unit.lvm_machines import GROUP_UUID, MARK, group, lvm_machine, pv_uuid
from tests.unit.lvm_machines import reading as on_disks
from tests.unit.lvm_on_md_machines import OTHER_UUID, below, group_machine, on_arrays, second
from tests.unit.plan_machines import (
    ARRAY_UUID,
    SEED,
    TANK,
    array,
    commands,
    disk,
    machine,
    member_disk,
    plan,
    step,
)

SPEC = msgspec.structs.replace(TANK, backend=Backend.LVM_ON_MD)


def planned(**changes: Any) -> Plan:
    return plan(SPEC, **changes)


def the_group(where: Machine | None = None) -> Unit:
    """The only volume group of a machine."""
    (found,) = [one for one in units_of(where or group_machine()) if one.backend is Backend.LVM_ON_MD]
    return found


# Planned.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "shm"}, "/dev/shm is or may become a device"),
        ({"name": "tank+1"}, "cannot be the name of an array"),
        ({"name": "md5"}, "looks like a device number"),
        ({"metadata": "0.90"}, "metadata 0.90 cannot store the array name"),
        ({"level": "raid6"}, "at least 4"),
        ({"level": "raid1", "chunk": 65536}, "RAID1 has no chunk"),
        ({"consistency": "none"}, "always kept consistent"),
    ],
)
def test_what_md_or_lvm_does_not_take_is_refused_in_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        planned(**changes)


@pytest.mark.parametrize("tool", ["mdadm", "lvm"])
def test_both_tools_are_needed(tool: str) -> None:
    here = machine()
    del here.tools[tool]
    with pytest.raises(ToolMissing, match=tool):
        plan(SPEC, here)


def test_a_name_is_in_the_way_of_an_array_and_of_a_group() -> None:
    three = tuple(f"S-000{n}" for n in (4, 5, 6))
    for here in (machine(disk(1), arrays=(array(),)), lvm_machine(mounted=False)):
        with pytest.raises(BadInput, match="the name tank is used by"):
            plan(msgspec.structs.replace(SPEC, members=three), here)


@pytest.mark.parametrize("level", ["raid0", "raid1", "raid5", "raid10"])
def test_completing_twice_changes_nothing_and_fills_in_what_md_does(level: str) -> None:
    its = backend(Backend.LVM_ON_MD)
    spec = msgspec.structs.replace(SPEC, level=level)
    once = its.defaults(spec)
    assert its.defaults(once) == once
    alone = backend(Backend.MDADM).defaults(msgspec.structs.replace(spec, backend=Backend.MDADM))
    assert once == msgspec.structs.replace(alone, backend=Backend.LVM_ON_MD)


def test_the_steps_are_mds_then_lvms_and_never_touch_a_member_with_lvm() -> None:
    made = planned(members=("S-0001", "S-0002", "S-0003", "S-0004"), spares=("S-0005",))
    order = [one.id for one in made.steps]
    wanted = ["create", "clear-array", "physical-volumes", "group", "volume", "clear", "mkfs", "conf", "fstab", "mount"]  # fmt: skip
    assert [name for name in order if name in wanted] == wanted
    for name in ("physical-volumes", "group", "volume"):
        (words,) = commands(step(made, name))
        assert words[-1] == "/dev/md/tank"
        assert not any("by-id" in word for word in words)
        assert not {"-f", "--force", "-ff"} & set(words)
    assert ("--type=linear" in commands(step(made, "volume"))[0]) is True
    alone = plan(members=made.spec.members, spares=made.spec.spares)
    assert commands(step(made, "create")) == commands(step(alone, "create"))
    assert made.array_bytes < alone.array_bytes < made.array_bytes + 8 * 2**20


def test_the_array_is_not_for_use_before_the_group_is_on_it() -> None:
    made = planned()
    roles = {one.id: one.role for one in made.steps}
    assert {roles[name] for name in ("create", "settle-array", "clear-array", "group")} == {Role.PREPARE}
    assert (roles["volume"], roles["clear"]) == (Role.CREATE, Role.CLEAN)


@pytest.mark.parametrize(
    ("level", "count", "start", "hints"),
    [
        ("raid5", 4, 3 * 2**19, "524288 1572864"),
        ("raid5", 3, 2**20, "524288 1048576"),
        ("raid1", 2, 2**20, ""),
    ],
)
def test_data_begins_with_a_full_stripe_and_the_volume_says_so(
    level: str, count: int, start: int, hints: str
) -> None:
    made = planned(level=level, members=tuple(f"S-000{n}" for n in range(1, count + 1)))
    assert DATA_START.of("/dev/md/tank", str(start)) in step(made, "physical-volumes").after
    said = [check.expect for check in step(made, "settle-volume").after if check.kind == HINTS.kind]
    assert said == ([hints] if hints else [])
    reading = on_arrays("/dev/md127").known
    device = msgspec.structs.replace(
        reading.devices[0], path="/dev/null"
    )  # a device that is there, and no array
    known = msgspec.structs.replace(reading, devices=(device,))
    check = DATA_START.of("/dev/null", str(3 * 2**20))
    assert not DATA_START.judge(check, known).holds
    assert not HINTS.ask(HINTS.of("/dev/md/nothing-here", "1 2"), held=lambda _: True).holds


@pytest.mark.parametrize(
    ("least", "best", "truth"),
    [("524288", "1048576", Truth.YES), ("4096", "0", Truth.NO), ("", "rubbish", Truth.UNKNOWN)],
)
def test_what_a_volume_says_of_its_chunk(
    least: str, best: str, truth: Truth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raidtui.backends.lvm_on_md.conditions.device_number", lambda path: "253:0")
    monkeypatch.setattr("raidtui.backends.lvm_on_md.conditions.Path", lambda path: tmp_path)
    queue = tmp_path / "253:0" / "queue"
    queue.mkdir(parents=True)
    (queue / "minimum_io_size").write_text(f"{least}\n")
    (queue / "optimal_io_size").write_text(f"{best}\n")
    said = HINTS.ask(HINTS.of("/dev/tank/data", "524288 1048576"), held=lambda _: True)
    assert said.truth is truth


def test_every_uuid_is_its_own_and_named_by_the_plan() -> None:
    made = planned()
    (pvcreate,) = commands(step(made, "physical-volumes"))
    uuid = next(w.partition("=")[2] for w in commands(step(made, "create"))[-1] if w.startswith("--uuid="))
    assert made.uuids[0].replace("-", "") == uuid.replace(":", "")
    assert pvcreate[pvcreate.index("--uuid") + 1] == made.uuids[1]
    assert len({*made.marks}) == 4
    assert len(made.release) == 1


# What stands on what.


def test_the_array_is_the_member_of_its_group_and_each_says_so() -> None:
    here = group_machine()
    units = units_of(here)
    found = the_group(here)
    (under,) = [one for one in units if one.backend is Backend.MDADM]
    assert (found.level, found.below, found.health) == ("raid5", (ARRAY_UUID,), Health.OK)
    assert [(one.path, one.called, one.state) for one in found.members] == [
        ("/dev/md127", "array tank", "in sync")
    ]
    assert found.mountpoints == ("/srv/tank",)
    assert unit_on(under, units) == found
    assert within(under, units) == "in the volume group tank"
    assert within(found, units) == ""
    assert [disk.identity for disk in disks_of(found, here)] == ["S-0001", "S-0002", "S-0003"]
    assert any("array tank" in line for line in unit_lines(found))
    said = "\n".join(describe(here))
    assert said.count("in the volume group tank") == 1
    assert not [one for one in units if one.backend is Backend.LVM]


@pytest.mark.parametrize("word", ["tank", ARRAY_UUID, "/dev/md127", GROUP_UUID])
def test_a_word_that_means_the_array_means_what_is_on_it(word: str) -> None:
    found = find_unit(word, group_machine())
    assert found is not None
    assert found.backend is Backend.LVM_ON_MD


def test_a_group_on_disks_or_on_both_is_lvms() -> None:
    assert [one.backend for one in units_of(lvm_machine())] == [Backend.LVM]
    both = group_machine(on_arrays("/dev/md127", "/dev/sde1"))
    assert [one.backend for one in units_of(both)] == [Backend.MDADM, Backend.LVM]


@pytest.mark.parametrize(
    ("changes", "health", "member"),
    [
        ({"degraded": 1, "members": array().members[:2]}, Health.DEGRADED, "degraded"),
        (
            {"sync": Sync(action="resync", done_bytes=1, total_bytes=4, bytes_per_second=7), "sync_action": "resync"},
            Health.SYNCING,
            "syncing",
        ),
        ({"degraded": 2}, Health.FAILED, "failed"),
        (
            {"members": tuple(msgspec.structs.replace(one, errors=8) for one in array().members)},
            Health.ERRORS,
            "errors",
        ),
    ],
)  # fmt: skip
def test_the_health_and_the_sync_of_the_array_are_those_of_the_group(
    changes: dict[str, Any], health: Health, member: str
) -> None:
    found = the_group(group_machine(None, below(**changes)))
    assert (found.health, found.members[0].state) == (health, member)
    assert (found.activity is not None) is (health is Health.SYNCING)
    if found.activity is not None:
        assert (found.activity.fraction, found.activity.bytes_per_second) == (0.25, 7)


def test_a_group_that_is_not_active_is_not_ok_whatever_its_array_is() -> None:
    found = on_arrays("/dev/md127")
    down = msgspec.structs.replace(found.known.volumes[0], attr="-wi-------", device_number="")
    here = group_machine(
        msgspec.structs.replace(found, known=msgspec.structs.replace(found.known, volumes=(down,)))
    )
    assert (the_group(here).health, the_group(here).state) == (Health.INACTIVE, "inactive")


def test_of_several_arrays_the_worst_is_told_by_name_and_one_that_is_missing_fails_the_group() -> None:
    hurt = second(degraded=1)
    found = the_group(group_machine(on_arrays("/dev/md127", "/dev/md126"), below(), hurt))
    assert found.health is Health.DEGRADED
    assert found.state.startswith("array more: ")
    assert found.below == (ARRAY_UUID, OTHER_UUID)
    well = the_group(group_machine(on_arrays("/dev/md127", "/dev/md126"), below(), second()))
    assert (well.health, well.state) == (Health.OK, "in sync")
    gone = the_group(group_machine(on_arrays("/dev/md127", ""), below()))
    assert gone.health is Health.FAILED
    assert [one.state for one in gone.members] == ["in sync", "missing"]


def test_two_syncs_are_one_activity() -> None:
    one, other = (
        Sync(action="resync", done_bytes=done, total_bytes=100, bytes_per_second=5, finish_seconds=left)
        for done, left in ((10, 20), (50, 10))
    )
    found = the_group(
        group_machine(
            on_arrays("/dev/md127", "/dev/md126"),
            below(sync=one, sync_action="resync"),
            second(sync=other, sync_action="resync"),
        )
    )
    assert found.activity is not None
    assert (found.activity.fraction, found.activity.bytes_per_second, found.activity.seconds_left) == (
        0.3,
        10,
        20,
    )


def test_what_is_measured_is_the_array_under_the_name_of_the_group() -> None:
    here = group_machine()
    kept = READER.measured(the_group(here), here)
    assert (kept.backend, kept.level, kept.raid_disks, kept.name) == (Backend.LVM_ON_MD, "raid5", 3, "tank")
    assert kept.size_bytes == the_group(here).size_bytes


# Removed.


def removal(word: str = "tank", where: Machine | None = None) -> Plan:
    return make_teardown(word, where or group_machine(), seed=SEED)


@pytest.mark.parametrize("word", ["tank", GROUP_UUID, MARK, ARRAY_UUID, "/dev/md127", "/dev/tank/data"])
def test_it_is_removed_from_the_top_down(word: str) -> None:
    here = group_machine(
        fstab=("UUID=aaaa-bbbb /srv/tank ext4 defaults 0 2",),
        mdadm_conf_arrays=(f"ARRAY /dev/md/tank metadata=1.2 UUID={ARRAY_UUID}",),
    )
    made = removal(word, here)
    wanted = "unmount fstab clear volumes group physical-volumes stop zero table settle mountpoint conf"
    assert [one.id for one in made.steps] == wanted.split()
    assert (made.array_uuid, made.uuids) == (MARK, (pv_uuid(0), ARRAY_UUID))
    assert [one.identity for one in made.disks] == ["S-0001", "S-0002", "S-0003"]
    assert {run[-1] for run in commands(step(made, "physical-volumes"))} == {
        "/dev/disk/by-id/md-uuid-6f1d9b0e:3d5a4c2b:9a580d7c:1e2f3a4b"
    }
    assert step(made, "stop").after == (ARRAY_GONE.of(ARRAY_UUID),)
    assert len(made.release) == 1


def test_several_arrays_go_one_after_the_other_with_steps_of_their_own() -> None:
    pair = [member_disk(number, OTHER_UUID) for number in (4, 5)]
    more = second(
        level="raid1",
        raid_disks=2,
        members=tuple(
            msgspec.structs.replace(one, path=f"/dev/sd{letter}1", disk=f"S-000{number}")
            for one, letter, number in zip(array().members[:2], "de", (4, 5), strict=True)
        ),
    )
    here = group_machine(on_arrays("/dev/md127", "/dev/md126"), below(), more)
    here = msgspec.structs.replace(
        here, disks=tuple({one.path: one for one in (*here.disks, *pair)}.values())
    )
    made = removal(where=here)
    ids = [one.id for one in made.steps]
    assert len(set(ids)) == len(ids)
    assert [name for name in ids if name.startswith(("stop", "zero"))] == ["stop", "zero", "stop-2", "zero-2"]
    assert len(made.disks) == 5
    assert len(made.release) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"system_id": "nas-2"}, "of another system"), ({"lock_type": "dlm"}, "shared by a cluster")],
)
def test_a_group_of_others_is_left_alone_with_its_array(changes: dict[str, Any], words: str) -> None:
    for word in ("tank", ARRAY_UUID):
        with pytest.raises(Refused, match=words):
            removal(word, group_machine(on_arrays("/dev/md127", **changes)))


def test_what_is_not_a_whole_array_or_not_there_is_refused() -> None:
    with pytest.raises(
        Refused, match="/dev/md127p1, a physical volume of tank, is neither a disk nor a partition"
    ):
        removal(GROUP_UUID, group_machine(on_arrays("/dev/md127p1")))
    with pytest.raises(Refused, match="an LVM volume group is on tank and may be on other disks too"):
        removal(ARRAY_UUID, group_machine(on_arrays("/dev/md127", "/dev/sde1")))


def test_a_group_on_an_array_and_on_a_disk_goes_with_both() -> None:
    here = group_machine(on_arrays("/dev/md127", "/dev/sdd1"))
    pv = member_disk(4)
    here = msgspec.structs.replace(here, disks=tuple({one.path: one for one in (*here.disks, pv)}.values()))
    made = removal(GROUP_UUID, here)
    assert [one.identity for one in made.disks] == ["S-0004", "S-0001", "S-0002", "S-0003"]
    wanted = "unmount clear volumes group physical-volumes stop zero table settle mountpoint"
    assert [one.id for one in made.steps] == wanted.split()
    erased = {run[-1] for run in commands(step(made, "physical-volumes"))}
    assert len(erased) == 2
    assert any("md-uuid" in one for one in erased)
    assert "the array tank" in step(made, "physical-volumes").destroys[0]


def test_a_group_called_otherwise_than_its_array_is_found_by_either_name() -> None:
    here = group_machine(on_arrays("/dev/md127", name="vault"), mounted=False)
    for word in ("vault", "tank"):
        made = removal(word, here)
        assert (made.spec.name, made.spec.backend) == ("vault", Backend.LVM_ON_MD)
        assert any(
            isinstance(one, Run) and one.argv[0] == "vgremove" for s in made.steps for one in s.actions
        )


def test_mounts_are_of_the_volume_and_its_disks_are_known_from_the_array() -> None:
    here = group_machine()
    other = Mount(source="/dev/sdf1", target="/other", type="ext4", device_number="8:81")
    made = removal(where=msgspec.structs.replace(here, mounts=(*here.mounts, other)))
    assert [commands(one) for one in made.steps if one.id.startswith("unmount")] == [
        [("umount", "/srv/tank")]
    ]
    assert group().uuid in str(commands(step(made, "volumes")))
    assert on_disks().known.on_arrays(group()) is False
