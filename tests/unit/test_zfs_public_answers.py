"""Answers of zpool in the shapes of many versions: a pool is never well where what decides that is not told."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.backends.zfs.report import Status
from raidtui.backends.zfs.status_json import parse_json
from raidtui.backends.zfs.units import units_in
from raidtui.model.unit import Health, Unit
from tests.unit.zfs_machines import pool, recorded, report, status

MIRROR = """\
	tank           ONLINE       0     0     0
	  mirror-0     ONLINE       0     0     0
	    /dev/sda1  ONLINE       0     0     0
	    /dev/sdb1  ONLINE       0     0     0
"""  # noqa: E101
LAST = "/dev/sdb1  ONLINE       0     0     0"
NONE = "\nerrors: No known data errors\n"


def unit_of(found: Status) -> Unit:
    (unit,) = units_in(report(pool(status=found)))
    return unit


def said(
    config: str = MIRROR, *, state: str = "ONLINE", about: str = "  scan: none requested\n", end: str = NONE
) -> Unit:
    """The pool of which zpool status says this."""
    heading = "\n\tNAME           STATE     READ WRITE CKSUM\n"  # fmt: skip
    return unit_of(status(f"  pool: tank\n state: {state}\n{about}config:\n{heading}{config}{end}"))


def test_a_pool_that_is_well() -> None:
    assert (said().health, said().state) == (Health.OK, "online")


def test_an_older_version_calls_a_pool_online_that_has_stopped() -> None:
    unit = said(about="status: One or more devices are faulted in response to IO failures.\n")
    assert (unit.health, unit.state) == (Health.FAILED, "FAILED, SUSPENDED")


RUNS = """\
  scan: resilver (mirror-0) in progress since Wed Jun 25 09:04:26 2025
	1.57T scanned at 65M/s, 1T issued at 60M/s, 2T total
	199G resilvered, 50.00% done, 01:00:00 to go
"""
ENDED = "  scan: resilvered (mirror-1) 1.2G in 00:00:12 with 0 errors on Sun Jun  1 00:00:12 2025\n"


@pytest.mark.parametrize("about", [RUNS + ENDED, ENDED + RUNS])
def test_of_several_rebuilds_the_one_that_runs_counts(about: str) -> None:
    unit = said(MIRROR.replace(LAST, f"{LAST}  (resilvering)"), about=about)
    assert unit.health is Health.DEGRADED
    assert unit.activity is not None
    assert (unit.activity.what, unit.activity.fraction, unit.activity.total_bytes) == ("resilver", 0.5, 2**41)


@pytest.mark.parametrize("note", ["(resilvering)", "(awaiting resilver)"])
def test_a_disk_that_awaits_its_resilver_is_no_copy_yet(note: str) -> None:
    unit = said(MIRROR.replace(LAST, f"{LAST}  {note}"))
    assert unit.health is Health.DEGRADED
    assert unit.state == "degraded, not redundant: a disk awaits its resilver"


def test_the_progress_of_a_scan_before_0_8_is_read() -> None:
    unit = said(
        about="  scan: scrub in progress since Tue Aug  1 23:20:24 2017\n"
        "    9.50T scanned out of 10.0T at 100M/s, 1h27m to go\n    0 repaired, 95.00% done\n"
    )
    assert unit.health is Health.SYNCING
    done = unit.activity
    assert done is not None
    assert (done.fraction, done.total_bytes, done.bytes_per_second, done.seconds_left) == (
        0.95,
        10 * 2**40,
        100 * 2**20,
        5220,
    )


def test_a_vdev_that_is_being_removed_keeps_the_pool_busy() -> None:
    unit = said(
        about="remove: Evacuation of mirror-1 in progress since Sun Jan  5 00:00:00 2025\n"
        "\t1.00G copied out of 4.00G at 100M/s, 25.00% done, 0h0m to go\n"
    )
    assert (unit.health, unit.state) == (Health.SYNCING, "removal of a vdev 25.0 %, usable now")
    assert (
        said(about="remove: Removal of vdev 1 copied 4.00G in 0h1m, completed on Sun Jan\n").activity is None
    )


@pytest.mark.parametrize(
    ("unit", "health", "words"),
    [
        (lambda: said(end="\n"), Health.ERRORS, "online, its data errors are not listed"),
        (lambda: said(end="\nerrors: \n"), Health.ERRORS, "online, its data errors are not listed"),
        (lambda: said(MIRROR.replace(LAST, "/dev/sdb1  ONLINE  0  x  0")), Health.ERRORS, "errors of its disks are not counted"),
        (lambda: said(MIRROR.replace("mirror-0 ", "odd-0    ")), Health.ERRORS, "online, but what odd survives is not known: redundancy unknown"),
        (lambda: said(MIRROR + "\tlogs\n\t  /dev/sdc1  SPLIT       0     0     0\n"), Health.ERRORS, "online, but /dev/sdc1 (logs) split"),
        (lambda: said(MIRROR.replace(LAST, "/dev/sdb1")), Health.DEGRADED, "1 disk of unknown state"),
        (lambda: said(MIRROR.replace(LAST, "/dev/sdb1  ONLINE")), Health.ERRORS, "errors of its disks are not counted"),
        (lambda: said(state=""), Health.ERRORS, "its state is not known: redundancy unknown"),
        (
            lambda: said(MIRROR.replace("mirror-0     ONLINE       0     0     0", "mirror-0     ONLINE       0     0     6")),
            Health.ERRORS,
            "online, 6 errors of its vdevs counted",
        ),
    ],
)  # fmt: skip
def test_what_is_not_told_is_not_well(unit: Callable[[], Unit], health: Health, words: str) -> None:
    found = unit()
    assert found.health is health
    assert words in found.state


def changed(change: Callable[[dict[str, Any]], object]) -> Unit:
    """The raidz of a recorded document with one thing changed."""
    document = copy.deepcopy(json.loads(recorded("raidz-2.3.json")))
    change(document["pools"]["tank"])
    found = parse_json(json.dumps(document), now=2_000_000_000, resolve=str)
    assert found is not None
    return unit_of(found[0])


def top(of: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = of["vdevs"]["tank"]["vdevs"]["raidz1-0"]
    return found


def leaf(of: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(iter(top(of)["vdevs"].values()))
    return found


@pytest.mark.parametrize(
    ("change", "health", "words"),
    [
        (lambda it: it.pop("error_count"), Health.ERRORS, "its data errors are not listed"),
        (lambda it: it.update(error_count=None), Health.ERRORS, "its data errors are not listed"),
        (lambda it: it.update(error_count="many"), Health.ERRORS, "many data errors"),
        (lambda it: leaf(it).pop("state"), Health.DEGRADED, "1 disk of unknown state"),
        (lambda it: leaf(it).pop("read_errors"), Health.ERRORS, "the errors of its disks are not counted"),
        (lambda it: leaf(it).update(checksum_errors="lots"), Health.ERRORS, "are not counted"),
        (lambda it: leaf(it).update(checksum_errors=-1), Health.ERRORS, "are not counted"),
        (lambda it: top(it).update(checksum_errors=6), Health.ERRORS, "6 errors of its vdevs counted"),
        (lambda it: top(it).pop("vdevs"), Health.DEGRADED, "1 disk of unknown state"),
        (lambda it: it.pop("vdevs"), Health.ERRORS, "its disks are not listed: redundancy unknown"),
    ],
)
def test_json_without_what_decides_is_not_well(
    change: Callable[[dict[str, Any]], object], health: Health, words: str
) -> None:
    unit = changed(change)
    assert unit.health is health
    assert words in unit.state


def test_json_of_a_draid_has_no_state_of_it_and_one_of_each_disk() -> None:
    """OpenZFS 2.3 does not find a draid by its name (openzfs/zfs issue 18431)."""
    assert changed(lambda it: [top(it).pop(key) for key in ("state", "vdev_type")]).health is Health.OK


def test_a_sequential_resilver_is_beside_the_scan_of_the_pool() -> None:
    rebuild = {"state": "ACTIVE", "start_time": 1_999_999_000, "scanned": 1 << 30, "to_scan": 4 << 30}
    scan = {"function": "SCRUB", "state": "FINISHED", "errors": 0, "rebuild_stats": {"raidz1-0": rebuild}}
    unit = changed(lambda it: it.update(scan_stats=scan))
    assert unit.health is Health.DEGRADED
    assert unit.activity is not None
    assert (unit.activity.what, unit.activity.fraction) == ("resilver", 0.25)
    ended = {**scan, "rebuild_stats": {"raidz1-0": {**rebuild, "state": "COMPLETE"}}}
    assert changed(lambda it: it.update(scan_stats=ended)).health is Health.OK


def test_json_tells_of_a_vdev_that_is_removed_and_of_what_it_leaves() -> None:
    removal = {"state": "SCANNING", "start_time": 1_999_999_000, "copied": 1 << 30, "to_copy": 4 << 30}
    unit = changed(lambda it: it.update(removal_stats=removal))
    assert unit.state == "removal of a vdev 25.0 %, usable now"
    gone = {"name": "indirect-1", "vdev_type": "indirect", "state": "ONLINE"}
    unit = changed(lambda it: it["vdevs"]["tank"]["vdevs"].update({"indirect-1": gone}))
    assert (unit.health, unit.level, unit.raid_disks) == (Health.OK, "raidz1", 3)
