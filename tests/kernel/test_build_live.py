"""The build screen on a real kernel: failing members, a spare, the speed of the sync, and an array that stops."""

import json
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import apply, python, serials, spec_text

SOON = 2.0
DISKS = serials(3)
SCENES = r"""
import json, subprocess, time
from tests.kernel.terminal import Terminal

def run(*words):
    subprocess.run(words, check=True, capture_output=True)

def md(name):
    with open(f"/sys/block/md127/md/{name}") as file:
        return file.read().strip()

def limit(most):
    with open("/proc/sys/dev/raid/speed_limit_max", "w") as file:
        file.write(str(most))

told = {}
with Terminal() as screen:
    screen.until("Enter opens it")
    screen.press("j")
    screen.until("done", "Enter Open")
    screen.press("enter")
    screen.until("[Build]", "%", "MB/s", "rebuilding" if md("sync_action") == "recover" else "in sync")
    told["sync"] = screen.text

    screen.press("-")
    screen.until("This is the slowest setting.")
    limit(6000)
    screen.until("to 6.1 MB/s")
    screen.press("-")
    screen.until("Speed limits: gentle, at most 5 MB/s.")
    told["gentle"] = md("sync_speed_max")
    limit(500)

    screen.press("p")
    screen.until("p resumes")
    told["paused"] = md("sync_action")
    screen.press("p")
    screen.until("MB/s", "left")
    told["continued"] = md("sync_action")

    run("mdadm", "--quiet", "/dev/md127", "--fail", "/dev/ubdb1")
    told["failed"] = screen.until("(LAB-0002) FAILED")
    told["taken over"] = screen.until("spare ubdc1 (LAB-0003) takes over slot 1")
    told["degraded"] = screen.text

    # No step is between it and the system's own limit, which is lower than the others.
    screen.press("+")
    screen.until("Speed limits: system default.")  # the answer, not the line above it
    told["normal"] = md("sync_speed_max")

    run("umount", "/srv/tank")
    run("mdadm", "--quiet", "--stop", "/dev/md127")
    told["stopped"] = screen.until("has been stopped")

    screen.press("escape")
    screen.until("Started")  # the list of jobs, from where it came
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(kept_guest: Guest) -> dict[str, Any]:
    """What the screen showed, scene by scene, of a mirror with a spare whose first sync is slow."""
    from tests.kernel.conftest import CLEAN_UP

    kept_guest.shell(CLEAN_UP, check=False)
    kept_guest.shell(
        "echo 500 >/proc/sys/dev/raid/speed_limit_max; echo 100 >/proc/sys/dev/raid/speed_limit_min"
    )
    spec = spec_text("raid1", DISKS[:2], spares=DISKS[2:])
    outcome = apply(kept_guest, spec, DISKS)
    assert outcome.code == 0, outcome.stderr
    done = python(kept_guest, SCENES)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_first_sync_is_shown_in_words_with_its_members(told: dict[str, Any]) -> None:
    assert "Initial resync" in told["sync"]
    assert "usable now" in told["sync"]
    assert "LAB-0001" in told["sync"]


def test_a_member_that_fails_and_a_spare_that_takes_over_are_shown_within_two_seconds(
    told: dict[str, Any],
) -> None:
    assert told["failed"] < SOON
    assert told["taken over"] < SOON
    assert "Degraded, not redundant: ubdc1 rebuilding" in told["degraded"]


@pytest.mark.first(0)
def test_an_array_that_stops_is_shown_within_two_seconds(told: dict[str, Any]) -> None:
    assert told["stopped"] < SOON


def test_the_keys_change_the_speed_in_the_kernel(told: dict[str, Any]) -> None:
    assert told["gentle"].endswith("(local)")
    assert told["normal"] == "500 (system)"
    assert told["paused"] == "frozen"
    assert told["continued"] == "resync"
