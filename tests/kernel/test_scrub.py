"""'raidtui scrub' on a real kernel: what a check found is recorded, also one that others started, and shown."""

import json
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import raidtui
from tests.kernel.test_care import build

MD = "/sys/block/md127/md"
RUNS = f"for n in $(seq 200); do [ $(cat {MD}/sync_action) = check ] && break; sleep 0.1; done"
ENDS = f"for n in $(seq 600); do [ $(cat {MD}/sync_action) = idle ] && break; sleep 0.1; done"


def scrubs(guest: Guest) -> dict[str, Any]:
    (unit,) = json.loads(guest.run(["raidtui", "scrub", "--json"], check=True).stdout)["units"]
    found: dict[str, Any] = unit
    return found


@pytest.mark.first(0)
def test_mismatches_that_a_check_found_are_recorded_with_what_they_mean(guest: Guest) -> None:
    build(guest)
    assert scrubs(guest)["history"] == []
    guest.shell(
        "dd if=/dev/urandom of=/dev/ubdc bs=64K count=1 seek=2000 oflag=direct conv=notrunc status=none"
    )
    done = raidtui(guest, "scrub", "tank", "--now")
    assert done.code == 4, done.stderr  # the job ends with a proof, and there are mismatches
    (result,) = scrubs(guest)["history"]
    assert (result["found"], result["level"]) == (128, "raid5")
    assert result["begun"] < result["at"]
    shown = guest.run(["raidtui", "scrub"], check=True).stdout
    assert "mismatches in 128 sectors" in shown
    assert "One place where parity does not fit the data counts 8 sectors" in shown.replace(
        "\n          ", " "
    )

    # Stopped halfway: the next one reads everything again.
    guest.shell(f"echo 1000 >{MD}/sync_speed_max")
    started = raidtui(guest, "scrub", "tank", "--run")
    assert started.code == 0, started.stderr
    guest.shell(RUNS)
    assert scrubs(guest)["running"]["what"] == "check"
    guest.shell("raidtui status --alert || :")
    again = raidtui(guest, "scrub", "tank", "--run")
    assert (again.code, "is not scrubbed now" in again.stderr) == (3, True)
    stopped = raidtui(guest, "scrub", "tank", "--stop")
    assert stopped.code == 0, stopped.stderr
    assert guest.shell(f"raidtui status --alert || :; cat {MD}/sync_action").stdout.endswith("idle\n")
    assert scrubs(guest)["history"] == [result], "a scrub that was stopped has found nothing"

    # One that others start: the regular reading sees it, and its result when it has ended.
    guest.shell(
        f"echo 0 >{MD}/sync_min; echo 15000 >{MD}/sync_speed_max; echo check >{MD}/sync_action; {RUNS}; "
        f"raidtui status --alert || :; {ENDS}; raidtui status --alert || :"
    )
    first, second = scrubs(guest)["history"]
    assert first == result
    assert (second["found"], bool(second["begun"])) == (128, True)
