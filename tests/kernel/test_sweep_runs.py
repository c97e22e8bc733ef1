"""A sweep on a real kernel: killed in the middle, its power cut, and every combination measured exactly once."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import array, journal, raidtui, serials, signatures

DISKS = serials(3)
QUICK = Path(__file__).with_name("quick.toml")  # the guest has the same folders
FILE = f"""
name = "small"
disks = {json.dumps(DISKS)}
slice = "200MiB"
passes = 1

[matrix]
level = ["raid0", "raid5"]
chunk = ["64KiB", "512KiB"]
filesystem = ["ext4"]

[measure]
profile = [{json.dumps(str(QUICK))}]
size = "16MiB"
runs = 1
"""


def until(guest: Guest, command: list[str], count: int, words: str) -> None:
    """Run a command until it has said ``words`` as often as that."""
    running = guest.start(command)
    deadline = time.monotonic() + 240
    while running.stderr.count(words.encode()) < count:
        assert time.monotonic() < deadline, running.stderr
        assert running.returncode is None, running.stderr
        guest.pump(0.05)


def the_sweep(guest: Guest) -> dict[str, Any]:
    """The state of the one sweep that there is."""
    jobs = json.loads(guest.run(["raidtui", "jobs", "--json"], check=True).stdout)["jobs"]
    (found,) = [job for job in jobs if job["request"]["kind"] == "sweep"]
    return dict(found)


@pytest.mark.first(0)
def test_a_sweep_that_is_killed_and_loses_power_measures_everything_once(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest("3x256MiB")
    guest.run(["sh", "-c", "cat >/var/lib/raidtui/small.toml"], stdin=FILE)
    start = ["raidtui", "sweep", "/var/lib/raidtui/small.toml"]
    shown = guest.run(start, check=True).stdout
    assert "Nothing was changed" in shown
    assert shown.count("RAID5 of 3") == 2
    refused = raidtui(guest, *start[1:], "--erase", ",".join(DISKS[:2]))
    assert refused.code == 3
    assert "LAB-0003" in refused.stderr

    until(guest, [*start, "--erase", ",".join(DISKS)], 2, "    measuring ")
    job = the_sweep(guest)
    guest.shell(f"kill -9 {job['pid']}")
    resume = ["raidtui", "resume", job["request"]["id"]]
    until(guest, resume, 2, "    waiting until it is in sync")
    guest.power_cut()
    guest.power_on()
    assert the_sweep(guest)["outcome"] == "interrupted"
    finished = raidtui(guest, *resume[1:], timeout=400)
    assert finished.code == 0, finished.stderr

    entries = journal(guest, job["request"]["id"])
    assert [entry["text"] for entry in entries if entry["event"] == "step-failed"] == []
    told = [entry for entry in entries if entry["event"] == "result"]
    assert len(told) == len({entry["step"] for entry in told}) == 4
    stored = json.loads(guest.run(["raidtui", "results", "list", "--json"]).stdout)["results"]
    assert {one["id"] for one in stored} == {entry["text"] for entry in told}
    assert len({one["label"] for one in stored}) == 4
    assert signatures(guest, DISKS) == []
    assert array(guest) is None
    assert "sweep" not in guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf; ls /srv").stdout
