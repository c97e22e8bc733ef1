"""A pool as a unit: its health in words, its disks, what it does; how it is known again, and how ZFS is asked."""

import re

import msgspec
import pytest

from raidtui.advice.redundancy import Redundancy, redundancy
from raidtui.backends.registry import reader
from raidtui.backends.unit_words import unit_lines
from raidtui.backends.zfs.reading import read, read_arc, read_datasets
from raidtui.backends.zfs.report import Status, Vdev
from raidtui.backends.zfs.units import half_made, left_in, stored, units_of
from raidtui.bench.device_stack import Below, nearest, unit_mounted_at
from raidtui.model.errors import BadInput, StepFailed
from raidtui.model.machine import Machine
from raidtui.model.md_levels import Left
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from raidtui.model.units import MIB
from tests.unit.plan_machines import machine
from tests.unit.zfs_machines import (
    GUID,
    HEALTHY,
    MARK,
    answers,
    dataset,
    others,
    pool,
    recorded,
    report,
    zfs_disk,
    zfs_machine,
)


def unit(where: Machine) -> Unit:
    (found,) = units_of(where)
    return found


def test_a_healthy_pool_is_a_unit_with_its_disks_and_what_files_may_take() -> None:
    found = unit(zfs_machine())
    assert (found.name, found.level, found.path, found.node) == ("tank", "raidz1", "tank", "")
    assert (found.health, found.state, found.activity) == (Health.OK, "online", None)
    assert found.size_bytes == 1_653_604_352
    assert found.mountpoints == ("/srv/tank",)
    assert [(one.disk, one.slot, one.state) for one in found.members] == [
        ("S-0001", 0, "online"),
        ("S-0002", 1, "online"),
        ("S-0003", 2, "online"),
        ("S-0004", None, "spare"),
    ]
    assert next(unit_lines(found)).startswith("tank: pool, raidz1, 1.65 GB")


@pytest.mark.parametrize("word", ["tank", GUID])
def test_it_is_called_by_name_and_guid_and_known_by_the_mark_of_its_build(word: str) -> None:
    found = unit(zfs_machine())
    assert found.is_called(word)
    assert found.has_mark(MARK)
    assert not found.has_mark("11111111-2222-4333-8444-555555555555")


@pytest.mark.parametrize(
    ("name", "health", "words"),
    [
        ("scrub", Health.SYNCING, "scrub 61.5 %, usable now"),
        ("scrub-paused", Health.SYNCING, "scrub paused, usable now"),
        ("replacing", Health.SYNCING, "a disk is being replaced: resilver 0 %, usable now"),
        ("offline", Health.DEGRADED, "degraded, not redundant: 1 disk offline"),
        ("spare-resilver", Health.DEGRADED, "not redundant: 1 disk offline, resilver 0.4 %"),
        ("missing", Health.DEGRADED, "1 data errors"),
        ("hotspare", Health.DEGRADED, "365 data errors"),
    ],
)
def test_the_health_of_recorded_pools(name: str, health: Health, words: str) -> None:
    found = unit(zfs_machine(report(pool(recorded(f"{name}.status")))))
    assert found.health is health
    assert words in found.state


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sdc1": "DEGRADED", "sdb1": "DEGRADED"}, "not redundant: 2 disks with too many errors"),
        ({"sdc1": "FAULTED", "sdb1": "REMOVED"}, "1 disk missing, 1 disk faulted"),
        ({"sdc1": "UNAVAIL"}, "degraded, not redundant: 1 disk missing"),
        ({"sde1": "UNAVAIL"}, "degraded: 1 disk of logs missing"),
    ],
)
def test_what_is_not_online_is_said_by_what_is_wrong_with_it(changes: dict[str, str], words: str) -> None:
    text = HEALTHY.replace(" state: ONLINE", " state: DEGRADED").replace(
        "\tspares", "\tlogs\n\t  /dev/sde1    ONLINE       0     0     0\n\tspares"
    )
    for name, state in changes.items():
        text = re.sub(rf"({name} +)ONLINE", rf"\1{state}", text)
    assert words in unit(zfs_machine(report(pool(text)))).state


def test_a_device_and_its_replacement_that_are_both_gone_are_one_disk() -> None:
    text = recorded("replacing.status").replace(" state: ONLINE", " state: DEGRADED")
    text = re.sub(r"(/dev/sd[cd]1 +)ONLINE", r"\1UNAVAIL", text)
    assert "1 disk missing" in unit(zfs_machine(report(pool(text)))).state


@pytest.mark.parametrize(
    ("tops", "words"),
    [
        ({"mirror-0": "DO"}, Left.NOTHING),
        ({"mirror-0": "DOO"}, Left.SOME),
        ({"raidz2-0": "DOOO"}, Left.SOME),
        ({"raidz2-0": "DDOO"}, Left.NOTHING),
        ({"mirror-0": "DO", "mirror-1": "OO"}, Left.CHANCE),
        ({"mirror-0": "DO", "mirror-1": "OD"}, Left.NOTHING),
    ],
)
def test_what_one_more_failure_does_is_said_of_the_worst_vdev(tops: dict[str, str], words: Left) -> None:
    """A two-way mirror with one disk left has no redundancy that could be reduced."""
    vdevs = [
        vdev
        for name, disks in tops.items()
        for vdev in (
            Vdev(name=name, depth=0, leaf=False),
            *(
                Vdev(name=f"/dev/{name}{n}", depth=1, state="ONLINE" if one == "O" else "UNAVAIL")
                for n, one in enumerate(disks)
            ),
        )
    ]
    assert left_in(Status(name="tank", state="DEGRADED", vdevs=tuple(vdevs))) is words


@pytest.mark.parametrize(
    "which", ["/dev/sdb1    ONLINE       0     0     0", "/dev/sdc1  ONLINE       0     0     0"]
)
def test_a_resilver_of_any_other_disk_means_that_redundancy_is_reduced(which: str) -> None:
    text = recorded("replacing.status").replace(which, f"{which}  (resilvering)")
    text = text.replace(
        "/dev/sdd1  ONLINE       0     0     0", "/dev/sdd1  ONLINE       0     0     0  (resilvering)"
    )
    found = unit(zfs_machine(report(pool(text))))
    assert (found.health, found.state) == (Health.DEGRADED, "degraded: resilver 0 %")


DAMAGED = "3 data errors, use '-v' for a list"
SPECIAL = """\
	special
	  mirror-1     ONLINE       0     0     0
	    /dev/sde1  ONLINE       0     0     0
	    /dev/sdf1  ONLINE       0     0     0
	spares"""  # noqa: E101


@pytest.mark.parametrize(
    ("text", "health", "words"),
    [
        (HEALTHY.replace("No known data errors", DAMAGED), Health.ERRORS, f"online, {DAMAGED}"),
        (
            recorded("scrub.status").replace("No known data errors", DAMAGED),
            Health.ERRORS,
            f"scrub 61.5 %, usable now, {DAMAGED}",
        ),
        (
            HEALTHY.replace("sdc1  ONLINE", "sdc1  SPLIT "),  # a word that is not known is not well
            Health.DEGRADED,
            "degraded, not redundant: 1 disk split",
        ),
        (HEALTHY.replace("AVAIL", "UNAVAIL"), Health.ERRORS, "online, but /dev/sdd1 (spares) missing"),
    ],
)
def test_a_pool_with_errors_is_not_well_whatever_it_does(text: str, health: Health, words: str) -> None:
    found = unit(zfs_machine(report(pool(text))))
    assert (found.health, found.state) == (health, words)


def test_a_pool_has_the_redundancy_of_its_weakest_vdev_those_of_metadata_too() -> None:
    whole = HEALTHY.replace("\tspares", SPECIAL)
    torn = whole.replace(" state: ONLINE", " state: DEGRADED").replace("sdf1  ONLINE", "sdf1  UNAVAIL")
    single = whole.replace("\t  mirror-1     ONLINE       0     0     0\n", "").replace(
        "\t    /dev/sde1", "\t  /dev/sde1"
    )
    single = single.replace("\t    /dev/sdf1  ONLINE       0     0     0\n", "")
    assert unit(zfs_machine(report(pool(whole)))).state == "online"
    hurt, weak = (unit(zfs_machine(report(pool(text)))) for text in (torn, single))
    assert hurt.state == f"{Left.CHANCE}: 1 disk of special missing"
    assert weak.state == f"{Left.CHANCE}: /dev/sde1 is without a copy"
    assert redundancy(weak) is Redundancy.NONE


@pytest.mark.parametrize("state", ["FAULTED", "UNAVAIL", "SUSPENDED"])
def test_a_pool_that_cannot_be_used_failed(state: str) -> None:
    found = unit(zfs_machine(report(pool(HEALTHY.replace("state: ONLINE", f"state: {state}")))))
    assert found.health is Health.FAILED


def test_a_scrub_is_an_activity_with_its_rate_and_its_end() -> None:
    activity = unit(zfs_machine(report(pool(recorded("scrub.status"))))).activity
    assert activity is not None
    assert (activity.what, activity.seconds_left) == ("scrub", 1)
    assert activity.fraction == pytest.approx(0.6147)
    assert activity.bytes_per_second == int(77.3 * 2**20)


def test_errors_of_a_device_are_counted_beside_it() -> None:
    found = unit(zfs_machine(report(pool(recorded("missing.status")))))
    assert [one.state for one in found.members] == [
        "online, errors: 4 checksum",
        "online, resilvering, errors: 4 checksum",
        "missing, removed, was /dev/disk/by-id/wwn-0x3000000000000003-part1",
        "spare",
    ]


def test_a_pool_of_nobody_on_our_partition_is_known_by_it_until_it_holds_something() -> None:
    bare = report(datasets=[dataset(plan="", mountpoint="/tank")])
    assert half_made(bare.pools[0], bare)
    assert unit(zfs_machine(bare)).has_mark(MARK)
    for used in (
        report(pool(allocated_bytes=2**30), datasets=bare.datasets),
        report(datasets=[*bare.datasets, dataset("tank/photos", plan="")]),
        report(datasets=bare.datasets, snapshots={"tank": 1}),
    ):
        assert not half_made(used.pools[0], used)
        assert not unit(zfs_machine(used)).has_mark(MARK)


def test_what_is_stored_beside_the_first_filesystem_is_counted() -> None:
    found = report(
        datasets=[dataset(), dataset("tank/a"), dataset("tank/b")], snapshots={"tank": 2, "other": 9}
    )
    assert stored(found.pools[0], found) == "2 datasets, 2 snapshots"
    assert stored(pool(), report()) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "not imported, exported by attic, ONLINE"),
        ({"exported": False}, "not imported and never exported, last used by attic, ONLINE"),
        ({"destroyed": True}, "destroyed; its labels are still on these disks, ONLINE"),
    ],
)
def test_a_pool_that_is_not_imported_is_shown_with_its_host_and_state(
    changes: dict[str, bool], words: str
) -> None:
    found = unit(
        zfs_machine(others(**changes), zfs_disk(1, used=False), zfs_disk(2, used=False), mounted=False)
    )
    assert (found.name, found.health, found.state) == ("tank", Health.INACTIVE, words)
    assert [one.disk for one in found.members] == ["S-0001", "S-0002"]
    assert found.has_mark(MARK)


# How ZFS is asked.

LIST = {
    "zpool list": recorded("scrub.list"),
    "zpool status -p -P -L": recorded("scrub.status"),
    "zfs list -Hp -t filesystem,volume": recorded("scrub.datasets"),
    "zfs list -H -t snapshot": "tank@one\ntank/photos@one\n",
}


def test_a_reading_has_pools_datasets_and_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.backends.zfs.reading._text", lambda path: "2.1.11")
    found = read(machine(), answers(LIST))
    assert found is not None
    (one,) = found.pools
    assert (one.name, one.guid, one.ashift, one.cachefile) == ("tank", GUID, 12, "")
    assert one.status.scan is not None
    assert [d.name for d in found.of(one)] == ["tank", "tank/photos", "tank/volume"]
    assert found.snapshots == {"tank": 2}
    assert found.marked(MARK) == one
    root = found.root(one)
    assert root is not None
    assert root.properties["recordsize"] == "131072"


def test_without_the_module_it_is_asked_whether_the_kernel_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.backends.zfs.reading._text", lambda path: "")
    has, lacks = read(machine(), answers({"modinfo": "2.1.11"})), read(machine(), answers({}))
    assert has is not None
    assert lacks is not None
    assert (has.module, lacks.module) == (True, False)


def test_a_pool_that_is_not_imported_is_read_from_a_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.backends.zfs.reading._text", lambda path: "2.1.11")
    label = "    name: 'tank'\n    state: 1\n    hostid: 1\n    hostname: 'attic'\n    vdev_tree:\n        type: 'disk'\n"
    listed = HEALTHY.replace(" state:", f"     id: {GUID}\n  state:").replace("pool: tank", "pool: tank")
    where = machine(zfs_disk(1, used=False), zfs_disk(2, used=False))
    found = read(where, answers({"zpool list": "", "zdb -l /dev/sda1": label, "zpool import": listed}))
    assert found is not None
    (other,) = found.others
    assert (other.name, other.guid, other.host, other.exported, other.destroyed) == (
        "tank",
        GUID,
        "attic",
        True,
        False,
    )
    assert other.state == "ONLINE"
    assert other.devices == ("/dev/sda1", "/dev/sdb1")


def test_a_pool_that_zpool_does_not_come_to_by_itself_is_asked_for_by_its_devices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("raidtui.backends.zfs.reading._text", lambda path: "2.1.11")
    listed = HEALTHY.replace(" state:", f"     id: {GUID}\n  state:")
    where = machine(zfs_disk(1, used=False), zfs_disk(2, used=False))
    asked = {
        "zpool list": "",
        "zpool import -d /dev/sda1 -d /dev/sdb1": listed,
        "zpool import": "",
        "zdb -l /dev/sda1": "    state: 1\n",
    }
    found = read(where, answers(asked))
    assert found is not None
    (other,) = found.others
    assert (other.state, other.searched) == ("ONLINE", True)
    found = read(where, answers(asked | {"zdb -l /dev/sda1": "    state: 2\n"}))
    assert found is not None
    assert found.others[0].state == ""


@pytest.mark.parametrize("said", [None, "tank\t123", f"{LIST['zpool list']}zpool: something else\n"])
def test_a_pool_that_zpool_does_not_list_is_not_taken_for_one_that_is_not_imported(
    monkeypatch: pytest.MonkeyPatch, said: str | None
) -> None:
    """A zpool that hangs on another, suspended pool: nobody may be told to import what is imported."""
    monkeypatch.setattr("raidtui.backends.zfs.reading._text", lambda path: "2.1.11")
    listed = {} if said is None else {"zpool list": said}
    with pytest.raises(StepFailed, match="so it is unknown which pools are imported"):
        read(machine(zfs_disk(1)), answers(listed))


def test_a_pool_whose_datasets_did_not_come_is_not_half_made() -> None:
    assert not half_made(pool(), report(datasets=()))


def test_where_zfs_is_not_installed_and_no_disk_has_any_there_is_no_reading() -> None:
    where = msgspec.structs.replace(machine(), tools={})
    assert read(where, answers({})) is None


def test_a_damaged_reading_is_said() -> None:
    broken = msgspec.structs.replace(machine(), readings={"zfs": {"pools": 7}})
    with pytest.raises(BadInput, match="says of ZFS cannot be understood"):
        reader(Backend.ZFS).units(broken)


def test_what_a_result_keeps() -> None:
    where = zfs_machine()
    kept = reader(Backend.ZFS).measured(unit(where), where)
    assert (kept.level, kept.raid_disks, kept.uuid) == ("raidz1", 3, GUID)
    assert kept.properties == {
        "version": "2.1.11",
        "ashift": "12",
        "recordsize": "131072",
        "compression": "lz4",
    }


def test_a_result_keeps_the_cache_in_memory_and_from_2_3_on_whether_direct_io_bypasses_it() -> None:
    known = zfs_machine().readings["zfs"] | {"arc_bytes": 64 * MIB, "arc_most_bytes": 512 * MIB}
    where = msgspec.structs.replace(zfs_machine(), readings={"zfs": known})
    kept = reader(Backend.ZFS).measured(unit(where), where).properties
    assert (kept["arc"], kept["arc_max"]) == ("64MiB", "512MiB")
    assert read_arc("hits 4 5\nc_max                           4    536870912\nsize   4    67108864\n") == {
        "c_max": 512 * MIB,
        "size": 64 * MIB,
    }
    row = "tank filesystem 1 2 3 /srv/tank yes on off none 131072 lz4 1.00 off all standard {} PLAN".replace(
        " ", "\t"
    )
    with_direct = answers({"zfs list -Hp": row.format("standard") + "\n"})
    without = answers({"zfs list -Hp": row.replace("\t{}", "") + "\n"})
    (new,) = read_datasets(with_direct, "2.3.2")
    (old,) = read_datasets(without, "2.2.7")
    assert (new.properties["direct"], new.properties["primarycache"], new.plan) == ("standard", "all", "PLAN")
    assert "direct" not in old.properties
    assert old.plan == "PLAN"


def test_a_pool_that_is_mounted_names_the_disks_of_a_benchmark() -> None:
    where = zfs_machine()
    mounted = unit_mounted_at("/srv/tank", where)
    near = nearest(Below(), where, mounted=mounted)
    assert near is not None
    assert near.unit.name == "tank"
    assert near.made.kind == "zfs raidz1"
    assert unit_mounted_at("/srv", where) is None
