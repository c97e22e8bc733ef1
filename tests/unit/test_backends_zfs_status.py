"""What OpenZFS prints about its pools, read back: text of 2.1 and 2.2, and JSON since 2.3."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from raidtui.backends.zfs.reading import read_pools
from raidtui.backends.zfs.report import Scan, Status
from raidtui.backends.zfs.status_json import parse_json
from raidtui.backends.zfs.status_text import parse_scan, parse_status
from raidtui.machine.ask import ToolAnswer
from tests.unit.zfs_machines import HEALTHY, recorded, status


def leaves(found: Status) -> list[tuple[str, str, int | None]]:
    return [(vdev.path, vdev.state, slot) for vdev, slot in found.slots()]


def test_a_healthy_pool() -> None:
    found = status()
    assert (found.name, found.state, found.level, found.errors, found.scan) == (
        "tank",
        "ONLINE",
        "raidz1",
        "",
        None,
    )
    assert leaves(found) == [
        ("/dev/sda1", "ONLINE", 0),
        ("/dev/sdb1", "ONLINE", 1),
        ("/dev/sdc1", "ONLINE", 2),
        ("/dev/sdd1", "AVAIL", None),
    ]


@pytest.mark.parametrize("dataset", ["state", "config", "scan", "pool"])
def test_a_damaged_file_of_a_dataset_is_no_line_of_the_status(dataset: str) -> None:
    text = f"Permanent errors have been detected in the following files:\n\n        {dataset}:<0x1>"
    found = status(HEALTHY.replace("No known data errors", text))
    assert (found.state, len(found.vdevs), found.scan) == ("ONLINE", len(status().vdevs), None)
    assert f"{dataset}:<0x1>" in found.errors


def test_a_scrub_that_runs() -> None:
    scan = status(recorded("scrub.status")).scan
    assert scan is not None
    assert (scan.what, scan.running, scan.paused, scan.fraction) == ("scrub", True, False, 0.6147)
    assert scan.total_bytes == 377 * 2**20
    assert scan.done_bytes == 232 * 2**20
    assert scan.bytes_per_second == int(77.3 * 2**20)
    assert scan.seconds_left == 1


def test_a_spare_in_use_is_one_device_in_the_place_of_the_one_it_stands_in_for() -> None:
    found = status(recorded("spare-resilver.status"))
    assert leaves(found) == [
        ("/dev/sda1", "ONLINE", 0),
        ("/dev/sdb1", "OFFLINE", 1),
        ("/dev/sdd1", "ONLINE", 1),
        ("/dev/sdc1", "ONLINE", 2),
    ]
    assert found.level == "raidz1"
    assert [one.path for one in found.leaves].count("/dev/sdd1") == 1
    assert found.scan is not None
    assert found.scan.seconds_left is None
    assert found.scan.bytes_per_second == int(1.16 * 2**20)


def test_a_removed_device_has_no_path_and_keeps_its_name() -> None:
    found = status(recorded("missing.status"))
    gone = next(one for one in found.vdevs if one.state == "REMOVED")
    assert gone.path == ""
    assert gone.name == "/dev/disk/by-id/wwn-0x3000000000000003-part1"
    assert found.errors == "1 data errors, use '-v' for a list"
    assert [one.checksum_errors for one in found.leaves] == [4, 4, 0, 0]


def test_a_spare_that_zed_took_by_itself() -> None:
    found = status(recorded("hotspare.status"))
    assert leaves(found)[2:] == [("", "REMOVED", 2), ("/dev/sdd1", "ONLINE", 2)]
    assert [one.note for one in found.leaves if one.note] == ["(resilvering)", "(resilvering)"]


def test_several_pools_are_told_apart_and_a_stripe_has_no_group() -> None:
    text = HEALTHY + HEALTHY.replace("pool: tank", "pool: vault").replace("	  raidz1-0     ONLINE       0     0     0\n", "").replace("	    /dev", "	  /dev")  # fmt: skip
    first, second = parse_status(text)
    assert (first.name, second.name) == ("tank", "vault")
    assert second.level == "stripe"
    assert [slot for _, slot in second.slots()] == [0, 1, 2, None]


@pytest.mark.parametrize(
    ("lines", "scan"),
    [
        (["none requested"], None),
        ([], None),
        (
            ["scrub repaired 0B in 00:00:04 with 0 errors on Sun Nov 22 16:02:07 2026"],
            Scan(
                what="scrub",
                words="scrub repaired 0B in 00:00:04 with 0 errors on Sun Nov 22 16:02:07 2026",
            ),
        ),
        (
            ["resilvered 201M in 00:00:20 with 0 errors on Sun Nov 22 16:02:46 2026"],
            Scan(
                what="resilver", words="resilvered 201M in 00:00:20 with 0 errors on Sun Nov 22 16:02:46 2026"
            ),
        ),
        (
            # zpool_main.c of 2.2: what is done and what there is stand side by side
            [
                "resilver in progress since Tue Mar  5 10:00:00 2024",
                "	1.50T / 3.00T scanned at 1.00G/s, 1.00T / 3.00T issued at 512M/s",
                "	341G resilvered, 33.33% done, 1 days 02:03:04 to go",
            ],
            Scan(
                what="resilver",
                running=True,
                fraction=0.3333,
                done_bytes=2**40,
                total_bytes=3 * 2**40,
                bytes_per_second=512 * 2**20,
                seconds_left=93784,
            ),
        ),
        (
            [
                "scrub paused since Tue Mar  5 10:00:00 2024",
                "	scrub started on Tue Mar  5 09:00:00 2024",
                "	2.00G scanned, 1.00G issued, 4.00G total",
                "	0B repaired, 25.00% done",
            ],
            Scan(
                what="scrub",
                running=True,
                paused=True,
                fraction=0.25,
                done_bytes=2**30,
                total_bytes=4 * 2**30,
            ),
        ),
    ],
)
def test_what_stands_behind_scan(lines: list[str], scan: Scan | None) -> None:
    assert parse_scan(lines) == scan


def vdev(name: str, kind: str, **changes: Any) -> dict[str, Any]:
    path = {"path": f"/dev/{name}"} if kind == "disk" else {}
    counts = {"read_errors": 0, "write_errors": 0, "checksum_errors": 0}
    return {"name": name, "vdev_type": kind, "state": "ONLINE", **counts, **path} | changes


def document(**changes: Any) -> str:
    mirror = vdev("mirror-0", "mirror", vdevs={n: vdev(n, "disk") for n in ("sda1", "sdb1")})
    pool = {
        "name": "tank",
        "state": "ONLINE",
        "pool_guid": 7,
        "vdevs": {"tank": vdev("tank", "root", vdevs={"mirror-0": mirror})},
        "spares": {"sdc1": vdev("sdc1", "disk", state="AVAIL")},
        "error_count": 0,
    }
    return json.dumps({"output_version": {"command": "zpool status"}, "pools": {"tank": pool | changes}})


def test_json_says_the_same() -> None:
    (found,) = parse_json(document(), now=0, resolve=str) or ()
    assert (found.name, found.guid, found.level, found.errors) == ("tank", "7", "mirror", "")
    assert leaves(found) == [
        ("/dev/sda1", "ONLINE", 0),
        ("/dev/sdb1", "ONLINE", 1),
        ("/dev/sdc1", "AVAIL", None),
    ]


DEVICES = {
    "0x30f0dac769c52240": "/dev/sda1",
    "0x3165ee04361a006b": "/dev/sdb1",
    "0x3ab703d3003d8abc": "/dev/sdc1",
    "0x3ab77f62ac04dc74": "/dev/sdd1",
    "0x3374aca88418bbd1": "/dev/sdf1",
}


def from_2_3(name: str) -> Status:
    """A document of OpenZFS 2.3.9, recorded on Debian 13."""
    (found,) = (
        parse_json(
            recorded(f"{name}-2.3.json"),
            now=0,
            resolve=lambda link: DEVICES[link.removesuffix("-part1").rpartition("wwn-")[2]],
        )
        or ()
    )
    return found


def test_a_pool_of_2_3_has_a_state_for_each_device() -> None:
    found = from_2_3("raidz")
    assert (found.state, found.level, found.status, found.scan) == ("ONLINE", "raidz1", "", None)
    assert leaves(found) == [
        ("/dev/sda1", "ONLINE", 0),
        ("/dev/sdb1", "ONLINE", 1),
        ("/dev/sdf1", "ONLINE", 2),
        ("/dev/sdd1", "ONLINE", None),
        ("/dev/sdc1", "AVAIL", None),
    ]
    assert [one.section for one in found.leaves] == ["", "", "", "logs", "spares"]


def test_a_device_that_is_offline_and_the_spare_in_its_place_in_2_3() -> None:
    offline = from_2_3("offline")
    assert offline.state == "DEGRADED"
    assert offline.status.startswith("One or more devices has been taken offline")
    assert ("/dev/sdb1", "OFFLINE", 1) in leaves(offline)
    replaced = from_2_3("spare-in-use")
    assert leaves(replaced)[:4] == [
        ("/dev/sda1", "ONLINE", 0),
        ("/dev/sdb1", "OFFLINE", 1),
        ("/dev/sdc1", "ONLINE", 1),
        ("/dev/sdf1", "ONLINE", 2),
    ]
    assert [one.path for one in replaced.leaves].count("/dev/sdc1") == 1
    assert replaced.scan is not None
    assert replaced.scan.words == "resilver finished with 0 errors"


def test_json_of_a_scrub_leaves_out_what_is_skipped() -> None:
    stats = {
        "function": "SCRUB",
        "state": "SCANNING",
        "to_examine": 1100,
        "skipped": 100,
        "issued": 500,
        "pass_start": 1000,
        "issued_bytes_per_scan": 400,
        "scrub_pause": "-",
    }
    (found,) = parse_json(document(scan_stats=stats, error_count="3"), now=1040, resolve=str) or ()
    assert found.scan == Scan(
        what="scrub",
        running=True,
        fraction=0.5,
        done_bytes=500,
        total_bytes=1000,
        bytes_per_second=10,
        seconds_left=50,
    )
    assert found.errors == "3 data errors"


def test_what_is_not_json_is_not_understood() -> None:
    assert parse_json("invalid option 'j'", now=0, resolve=str) is None


@pytest.mark.parametrize(("version", "links"), [("2.3.9-0+deb13u1", False), ("2.1.11-1+deb12u1", True)])
def test_names_are_resolved_by_zpool_only_where_that_costs_no_states(version: str, links: bool) -> None:
    """With -L, the JSON of 2.3 has neither state nor path of a device."""
    asked: list[Sequence[str]] = []

    def ask(argv: Sequence[str]) -> ToolAnswer:
        asked.append(argv)
        if argv[1] == "list":
            return ToolAnswer(returncode=0, stdout="tank\t7342640636751342100\t9\t1\t8\t0\t1\t12\t-\n")
        return ToolAnswer(returncode=0, stdout=recorded("raidz-2.3.json") if "-j" in argv else HEALTHY)

    (pool,) = read_pools(ask, version)
    assert [one.state for one in pool.status.leaves].count("ONLINE") >= 3
    (question,) = [argv for argv in asked if argv[1] == "status"]
    assert ("-L" in question, "-j" in question) == (links, not links)


def test_a_missing_device_of_2_3_is_not_here_though_it_has_a_path() -> None:
    """JSON has the kernel's name of the state, and the text that of zpool: UNAVAIL."""
    text = recorded("offline-2.3.json").replace('"OFFLINE"', '"CANT_OPEN"')
    found = parse_json(text, now=0, resolve=lambda path: path)
    assert found is not None
    (gone,) = [one for one in found[0].leaves if one.state not in {"ONLINE", "AVAIL", "INUSE"}]
    assert (gone.state, gone.path) == ("UNAVAIL", "")


def test_what_resilvers_and_what_waits_for_it_is_marked_in_json_as_in_the_text() -> None:
    document = json.loads(recorded("offline-2.3.json"))
    tank = document["pools"]["tank"]
    tank["scan_stats"] = {"function": "RESILVER", "state": "SCANNING", "start_time": 1, "pass_start": 1}
    (top,) = next(iter(tank["vdevs"].values()))["vdevs"].values()
    first, second, *_ = top["vdevs"].values()
    first["scan_processed"], second["resilver_deferred"] = 4096, "true"
    found = parse_json(json.dumps(document), now=2, resolve=lambda path: path)
    assert found is not None
    assert [one.note for one in found[0].leaves][:3] == ["(resilvering)", "(awaiting resilver)", ""]
