"""The plan that replaces a device of a pool: by GUID, then the resilver, then a scrub."""

from typing import Final

import msgspec
import pytest

from raidtui.backends.conditions import condition
from raidtui.backends.units import units_of
from raidtui.backends.zfs import conditions
from raidtui.backends.zfs.care_conditions import BESIDE_HERE, DEVICE_IN, DEVICE_OUT, POOL_WHOLE
from raidtui.backends.zfs.report import PoolReport, Status
from raidtui.model.answer import Truth
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Check, Plan, Run
from raidtui.model.procedure import Replace
from raidtui.plan.replace import find_order, make_replace
from raidtui.steps.partitions import ZFS_MEMBER, ZFS_RESERVED
from tests.unit.plan_machines import disk
from tests.unit.zfs_machines import (
    GUID,
    HEALTHY,
    pool,
    recorded,
    report,
    status,
    unlabelled,
    zfs_disk,
    zfs_machine,
)

SEED = "5f8ad0b2-7f0e-4b58-9a26-2b8c4e1a2f10"
NEW = disk(5)
RAIDZ = HEALTHY[: HEALTHY.index("\tspares")] + "\nerrors: No known data errors\n"
MISSING = RAIDZ.replace(" state: ONLINE", " state: DEGRADED").replace(
    "    /dev/sdc1  ONLINE       0     0     0", "    1147  UNAVAIL  0  0  0  was /dev/sdc1"
)
SCRUBBED = RAIDZ.replace("config:", "  scan: scrub repaired 0B in 00:00:01 with 0 errors on Sun\nconfig:", 1)


def with_guids(text: str) -> Status:
    """A status whose devices have the GUIDs 1000, 1001 and so on."""
    found = status(text)
    vdevs = tuple(
        msgspec.structs.replace(one, guid=str(1000 + number)) for number, one in enumerate(found.vdevs)
    )
    return msgspec.structs.replace(found, vdevs=vdevs)


def reported(text: str, **changes: object) -> PoolReport:
    return report(msgspec.structs.replace(pool(), status=with_guids(text), **changes))


def nas(text: str = RAIDZ, *, disks: int = 3, **changes: object) -> Machine:
    return zfs_machine(reported(text, **changes), *(zfs_disk(n) for n in range(1, disks + 1)), NEW)


def plan(machine: Machine, old: str, *missing_from: str) -> Plan:
    return make_replace(Replace(old=old, new=NEW.identity, missing_from=missing_from), machine, seed=SEED)


def zpool(made: Plan) -> list[str]:
    """The commands of zpool, without the new device's name."""
    runs = [
        a.argv for step in made.steps for a in step.actions if isinstance(a, Run) and a.argv[0] == "zpool"
    ]
    return [" ".join(word for word in words[1:] if not word.startswith("/dev/")) for words in runs]


def test_a_device_that_works_is_replaced_by_its_guid_then_resilvered_and_scrubbed() -> None:
    made = plan(nas(), zfs_disk(2).identity)
    assert zpool(made) == [
        "replace -o ashift=12 tank 1002",
        "labelclear",
    ]
    assert [step.id for step in made.steps][-3:] == ["scrub", "prove", "forget"]
    (start,) = (step for step in made.steps if step.id == "start")
    assert unlabelled(start) == [f"{NEW.stable_path}-part1"]
    assert made.steps[-1].before == (DEVICE_OUT.of(zfs_disk(2).stable_path + "-part1", GUID),)
    assert made.array_uuid == GUID


def test_a_missing_device_is_replaced_by_the_word_for_its_pool() -> None:
    machine = nas(MISSING, disks=2)
    order = find_order("tank", NEW.identity, machine, units_of(machine))
    made = make_replace(order, machine, seed=SEED)
    assert zpool(made)[0] == "replace -o ashift=12 tank 1003"
    assert "forget" not in {step.id for step in made.steps}


def test_a_disk_with_a_former_label_is_erased_at_the_end() -> None:
    made = plan(nas(MISSING), zfs_disk(3).identity)
    assert zpool(made)[0] == "replace -o ashift=12 tank 1003"
    assert made.steps[-1].id == "forget"


def test_an_old_disk_whose_label_was_erased_has_nothing_to_be_copied() -> None:
    machine = nas(MISSING)
    erased = tuple(
        msgspec.structs.replace(
            one,
            signatures=(),
            partitions=tuple(msgspec.structs.replace(part, signatures=()) for part in one.partitions),
        )
        if one.identity == zfs_disk(3).identity
        else one
        for one in machine.disks
    )
    made = plan(msgspec.structs.replace(machine, disks=erased), zfs_disk(3).identity, GUID)
    assert "not-copied" not in {one.id for one in made.hazards}
    assert "forget" not in {step.id for step in made.steps}


@pytest.mark.parametrize("ashift", [0, 13])
def test_the_ashift_of_the_pool_is_kept_where_it_has_one(ashift: int) -> None:
    option = f"-o ashift={ashift} " if ashift else ""
    assert zpool(plan(nas(ashift=ashift), zfs_disk(1).identity))[0] == f"replace {option}tank 1001"


@pytest.mark.parametrize(
    ("text", "old", "words"),
    [
        (recorded("replacing.status"), 1, "is resilvering"),
        (MISSING, 1, "already lacks a disk"),
        (RAIDZ.replace(" state: ONLINE", " state: SUSPENDED"), 1, "too many disks"),
        (RAIDZ.replace("/dev/sdb1", "/dev/sda2"), 1, "has 2 devices on this disk"),
    ],
)
def test_what_cannot_be_done_is_refused(text: str, old: int, words: str) -> None:
    machine = nas(text, disks=4)
    first = machine.disks[0]
    second = msgspec.structs.replace(first.partitions[0], name="sda2", path="/dev/sda2", number=2)
    if "2 devices" in words:
        changed = msgspec.structs.replace(first, partitions=(*first.partitions, second))
        machine = msgspec.structs.replace(machine, disks=(changed, *machine.disks[1:]))
    with pytest.raises(Refused, match=words):
        plan(machine, zfs_disk(old).identity)


LOGGED: Final = RAIDZ.replace(
    "\nerrors", "\tlogs\n\t  /dev/sdd1  ONLINE  0  0  0\n\tcache\n\t  /dev/sdd2  ONLINE  0  0  0\n\nerrors"
)


def with_a_cache(machine: Machine) -> Machine:
    """The fourth disk has a second partition behind its first."""
    (part,) = machine.disks[3].partitions
    second = msgspec.structs.replace(
        part, name="sdd2", path="/dev/sdd2", number=2, start_bytes=part.start_bytes + part.size_bytes
    )
    disks = [*machine.disks]
    disks[3] = msgspec.structs.replace(
        disks[3], partitions=(part, second), size_bytes=disks[3].size_bytes * 2
    )
    disks[4] = msgspec.structs.replace(disks[4], size_bytes=disks[3].size_bytes)
    return msgspec.structs.replace(machine, disks=tuple(disks))


def test_a_hot_spare_is_added_before_the_old_one_is_removed() -> None:
    made = plan(nas(HEALTHY, disks=4), zfs_disk(4).identity)
    assert zpool(made) == ["add -n tank spare", "add tank spare", "remove tank 1004", "labelclear"]
    assert [step.id for step in made.steps][-4:] == ["add", "remove", "prove", "forget"]
    assert unlabelled(made.steps[-4]) == [f"{NEW.stable_path}-part1"]


def test_a_log_and_a_cache_on_one_disk_move_in_one_plan() -> None:
    made = plan(with_a_cache(nas(LOGGED, disks=4)), zfs_disk(4).identity)
    assert zpool(made) == [
        "replace -o ashift=12 tank 1004",
        "add -n tank cache",
        "add tank cache",
        "remove tank 1005",
        "labelclear",
        "labelclear",
    ]
    assert made.also == ()
    (prove,) = (step for step in made.steps if step.id == "prove")
    assert prove.title == "Check that tank has full redundancy"
    assert len(prove.after) == 1


def test_a_disk_with_only_a_log_was_not_the_missing_disk_with_data() -> None:
    text = LOGGED.replace(
        "    /dev/sdc1  ONLINE       0     0     0", "    1147  UNAVAIL  0  0  0  was /dev/sdc1"
    ).replace(" state: ONLINE", " state: DEGRADED")
    made = plan(with_a_cache(nas(text, disks=4)), zfs_disk(4).identity)
    assert zpool(made)[0] == "replace -o ashift=12 tank 1004"
    assert not any("1003" in line for line in zpool(made))


def test_a_device_without_a_guid_is_refused() -> None:
    machine = zfs_machine(report(pool(RAIDZ)), *(zfs_disk(n) for n in (1, 2, 3)), disk(4), NEW)
    with pytest.raises(Refused, match="GUID"):
        plan(machine, zfs_disk(1).identity)


def answer(check: Check, known: PoolReport | None, monkeypatch: pytest.MonkeyPatch) -> Truth:
    monkeypatch.setattr(conditions, "imported", lambda ask: known)
    monkeypatch.setattr("os.path.realpath", lambda path: path)
    return condition(check).ask(check, lambda path: False).truth


YES, NO, UNKNOWN = Truth.YES, Truth.NO, Truth.UNKNOWN
REPLACING = recorded("replacing.status")


def beside(section: str) -> str:
    """The scrubbed pool with a missing device that is not among those of its data."""
    found = SCRUBBED.replace(" state: ONLINE", " state: DEGRADED").replace(
        "tank           ONLINE", "tank  DEGRADED"
    )
    return found.replace("\nerrors", f"\t{section}\n\t  /dev/sdd1  REMOVED  0  0  0\n\nerrors")


@pytest.mark.parametrize(
    ("check", "text", "truth"),
    [
        (DEVICE_IN.of("/dev/sdd1", f"{GUID} replacing"), REPLACING, YES),
        (DEVICE_IN.of("/dev/sdd1", f"{GUID} member"), REPLACING, NO),
        (DEVICE_IN.of("/dev/sdc1", f"{GUID} member"), RAIDZ, YES),
        (DEVICE_IN.of("/dev/sdd1", f"{GUID} replacing"), RAIDZ, NO),
        (DEVICE_IN.of("/dev/sdc1", "1 member"), RAIDZ, NO),
        (DEVICE_OUT.of("/dev/sdc1", GUID), REPLACING, NO),
        (DEVICE_OUT.of("/dev/sdd1", GUID), RAIDZ, YES),
        (DEVICE_OUT.of("/dev/sdd1", "1"), RAIDZ, NO),
        (BESIDE_HERE.of(GUID), SCRUBBED, YES),
        (BESIDE_HERE.of(GUID), beside("logs"), NO),
        (BESIDE_HERE.of(GUID), beside("special"), YES),
        (POOL_WHOLE.of(GUID), SCRUBBED, YES),
        (POOL_WHOLE.of(GUID), RAIDZ, NO),
        (POOL_WHOLE.of(GUID), REPLACING, NO),
        (POOL_WHOLE.of(GUID), MISSING, NO),
        (POOL_WHOLE.of(GUID), SCRUBBED.replace("0 errors", "2 errors"), NO),
        (POOL_WHOLE.of(GUID), SCRUBBED.replace("repaired 0B in 00:00:01 with 0 errors", "canceled"), NO),
        (POOL_WHOLE.of(GUID), SCRUBBED.replace("No known data errors", "1 data errors"), NO),
        (POOL_WHOLE.of(GUID), beside("logs"), YES),
        (POOL_WHOLE.of(GUID), beside("cache"), YES),
        (POOL_WHOLE.of(GUID), beside("special"), NO),
    ],
)
def test_what_the_conditions_say(
    check: Check, text: str, truth: Truth, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(check, report(pool(text)), monkeypatch) is truth
    assert answer(check, None, monkeypatch) is UNKNOWN


def test_a_pool_whose_devices_are_not_listed_is_not_known_to_be_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare = msgspec.structs.replace(pool(SCRUBBED), status=Status(name="tank", state="ONLINE"))
    assert answer(POOL_WHOLE.of(GUID), report(bare), monkeypatch) is UNKNOWN


RAIDZ2 = RAIDZ.replace("raidz1-0", "raidz2-0").replace(" state: ONLINE", " state: DEGRADED")


def as_failed(text: str, number: int, state: str) -> str:
    """The status with the device on the disk ``number`` faulted, or missing."""
    here = f"    /dev/sd{'abc'[number - 1]}1  ONLINE       0     0     0"
    assert here in text
    name = f"/dev/disk/by-id/{disk(number).by_id[0]}-part1"
    return text.replace(
        here, here.replace("ONLINE", state) if state == "FAULTED" else f"    {name}  {state}  0  0  0"
    )


@pytest.mark.parametrize("states", [("FAULTED", "REMOVED"), ("REMOVED", "REMOVED"), ("FAULTED", "FAULTED")])
def test_of_two_failed_devices_each_is_replaced_and_the_old_disk_erased_only_with_the_last(
    states: tuple[str, str],
) -> None:
    text = as_failed(as_failed(RAIDZ2, 2, states[0]), 3, states[1])
    there = [zfs_disk(n) for n, state in ((1, ""), (2, states[0]), (3, states[1])) if state != "REMOVED"]
    machine = zfs_machine(reported(text), *there, NEW)
    made = plan(machine, zfs_disk(2).identity if states[0] == "FAULTED" else "", GUID)
    assert zpool(made) == ["replace -o ashift=12 tank 1002"]
    assert not {step.id for step in made.steps} & {"scrub", "prove", "forget"}
    with pytest.raises(Refused, match="already lacks a disk"):
        plan(machine, zfs_disk(1).identity)


def test_the_device_of_the_disk_that_is_named_is_replaced_where_several_are_missing() -> None:
    text = as_failed(as_failed(RAIDZ2, 2, "UNAVAIL"), 3, "UNAVAIL")
    machine = zfs_machine(reported(text), *(zfs_disk(n) for n in (1, 3)), NEW)
    assert zpool(plan(machine, zfs_disk(3).identity, GUID))[0] == "replace -o ashift=12 tank 1003"
    assert zpool(plan(machine, "", GUID))[0] == "replace -o ashift=12 tank 1002"


def test_a_device_whose_spare_is_missing_too_is_one_that_the_pool_lacks() -> None:
    group = "    spare-1  UNAVAIL 0 0 0\n\t      1146  REMOVED  0  0  0\n\t      1147  REMOVED  0  0  0"
    text = RAIDZ.replace(" state: ONLINE", " state: DEGRADED")
    text = text.replace("    /dev/sdb1  ONLINE       0     0     0", group)
    made = plan(zfs_machine(reported(text), zfs_disk(1), zfs_disk(3), NEW), "", GUID)
    assert zpool(made) == ["replace -o ashift=12 tank 1003"]
    assert [step.id for step in made.steps][-2:] == ["scrub", "prove"]


def test_what_zfs_itself_reserves_on_a_disk_is_not_to_be_copied() -> None:
    first = zfs_disk(1)
    ninth = msgspec.structs.replace(
        first.partitions[0], name="sda9", path="/dev/sda9", number=9, type=ZFS_RESERVED, signatures=()
    )
    whole = msgspec.structs.replace(first, partitions=(*first.partitions, ninth))
    machine = nas()
    made = plan(msgspec.structs.replace(machine, disks=(whole, *machine.disks[1:])), first.identity)
    assert "not-copied" not in {one.id for one in made.hazards}
    other = msgspec.structs.replace(ninth, type=ZFS_MEMBER)
    mixed = msgspec.structs.replace(first, partitions=(*first.partitions, other))
    made = plan(msgspec.structs.replace(machine, disks=(mixed, *machine.disks[1:])), first.identity)
    assert "not-copied" in {one.id for one in made.hazards}
