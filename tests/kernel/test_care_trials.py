"""Too many failures, kills and power cuts: nothing that a member holds is lost, and what was begun is finished."""

import json
import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import kill_everywhere, prepare, raidtui, serials
from tests.kernel.test_care import PULL, findings, more_data
from tests.kernel.test_replace import READ_ALL, A, B, C, build, is_whole

LETTERS = "abcdefgh"
WRITTEN = (
    "for disk in /sys/block/ubd?; do awk '{print $7 + $14}' $disk/stat; done"  # sectors, also discarded ones
)
CUTS = 10


def lose(guest: Guest, level: str, disks: int, lost: int) -> str:
    """An array of whole disks with random data, which then loses members one after the other; return its checksum."""
    names = " ".join(f"/dev/ubd{letter}" for letter in LETTERS[:disks])
    data = guest.shell(
        f"""mdadm -q --create /dev/md/tank --run --level={level} --raid-devices={disks} --bitmap=internal --metadata=1.2 {names}
        mdadm -q --wait /dev/md/tank || :; udevadm settle; raidtui status >/dev/null
        dd if=/dev/urandom of=/dev/md/tank bs=1M count=20 oflag=direct status=none; head -c 20M /dev/md/tank | sha256sum"""
    ).stdout
    for serial in serials(lost + 1)[1:]:
        guest.shell(f"lab pull {serial}")
    return data


def written(guest: Guest) -> list[int]:
    """The sectors written to each disk so far."""
    return [int(one) for one in guest.shell(f"sync; udevadm settle; {WRITTEN}").stdout.split()]


LOOKS = (
    ["status"],
    ["care"],
    ["care", "tank"],
    ["care", "tank", "--do", "re-add"],
    ["care", "tank", "--do", "start-degraded"],
    ["replace", "LAB-0002", "LAB-0008", "--erase", "LAB-0008"],
    ["replace", "tank", "LAB-0008", "--erase", "LAB-0008"],
    ["locate", "LAB-0001", "--seconds", "1"],
)


@pytest.mark.first(1)
@pytest.mark.parametrize("back", [True, False], ids=["plugged-again", "gone"])
@pytest.mark.parametrize(("level", "disks", "lost"), [("5", 3, 2), ("6", 4, 3)], ids=["raid5", "raid6"])
def test_an_array_that_lost_too_many_is_not_written_and_what_is_left_is_said(
    guest: Guest, level: str, disks: int, lost: int, back: bool
) -> None:
    data = lose(guest, level, disks, lost)
    if back:
        guest.shell("lab plug")
    here = [one for one in serials(8) if back or one not in serials(lost + 1)[1:]]
    before = written(guest)
    for words in LOOKS:
        done = guest.run(["raidtui", *words])
        if words[0] == "replace" or "--do" in words or words == ["care", "tank"]:
            assert done.returncode in {2, 3}, (words, done.stdout, done.stderr)
    after = written(guest)
    # md itself writes the superblock of those that stayed, one sector, when a failed array is read; nothing else.
    more = {disk: new - old for disk, old, new in zip(here, before, after, strict=True) if new != old}
    assert set(more) <= {A, *serials(disks)[lost + 1 :]}, more
    assert max(more.values(), default=0) <= 4, more

    (finding,) = findings(guest)
    gone = serials(lost + 1)[1:]
    assert "FAILED" in finding["what"]
    assert {one["disk"] for one in finding["disks"]} == set(gone)
    assert "re-add" in finding["never"]
    remedies = finding["remedies"]
    assert {one["procedure"]["type"] for one in remedies if one.get("procedure")} <= {"recover", "start"}
    said = "; ".join(one["text"] for one in remedies)
    if not back:
        assert "connect the missing disks" in said
        return
    # The one that left last is up to date with those that stayed; the others are not.
    assert f"with {gone[-1]} " in said
    for old in gone[:-1]:
        assert old in said.partition("without")[2]
    members = " ".join(f"/dev/ubd{LETTERS[number]}" for number in (0, *range(lost, disks)))
    guest.shell(
        f"mdadm -q --stop /dev/md/tank; mdadm -q --assemble --force /dev/md/tank {members}; udevadm settle"
    )
    assert guest.shell("head -c 20M /dev/md/tank | sha256sum").stdout == data


STOPPED = """umount /srv/tank; mdadm -q --stop /dev/md/tank; udevadm settle
mdadm -q --incremental /dev/ubda1; udevadm settle"""


@pytest.mark.first(0)
def test_a_start_that_is_killed_at_every_step_is_finished(guest: Guest) -> None:
    data = build(guest)
    guest.shell(f"rm -r /var/lib/raidtui/jobs/*; {STOPPED}")
    kill_everywhere(guest, prepare(guest, "care", "tank"))
    assert is_whole(guest, [A, B, C])
    guest.shell("mount /srv/tank")
    assert guest.shell(READ_ALL).stdout == data


def cut_at(guest: Guest, seconds: float) -> None:
    """Begin what care advises, and cut the power after this time; then boot."""
    guest.start(["raidtui", "care", "tank"])
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        guest.pump(left)
    guest.power_cut()
    guest.power_on()
    guest.shell(
        "mdadm -q --assemble --scan || :; udevadm settle; mountpoint -q /srv/tank || mount /srv/tank",
        check=False,
    )


def finish(guest: Guest) -> None:
    """Resume what was interrupted, as a person would, and do what is still advised."""
    jobs: list[dict[str, Any]] = raidtui(guest, "jobs", "--json").report["jobs"]
    for job in jobs:
        if job["outcome"] == "interrupted":
            done = raidtui(guest, "resume", job["request"]["id"])
            if done.code == 4:  # the boot did not start the array: start it first, as advised
                assert raidtui(guest, "care", "tank").code == 0, done.stderr
                done = raidtui(guest, "resume", job["request"]["id"])
            # If nothing was done yet, the boot may have: it starts arrays, and takes members back by the bitmap.
            assert done.code == 0 or "already" in done.stderr, done.stderr
    if any(one["name"] == "tank" and one["remedies"] for one in findings(guest)):
        done = raidtui(guest, "care", "tank")
        assert done.code == 0, done.stderr


@pytest.mark.first(0)
@pytest.mark.timeout(1800)  # ten boots, on a busy machine
@pytest.mark.parametrize("what", ["re-add", "start"])
def test_a_power_cut_at_any_moment_loses_nothing(own_guest: Callable[[str], Guest], what: str) -> None:
    guest = own_guest("4x160MiB")
    data = build(guest)
    chance = random.Random(31)
    took = 6.0
    for number in range(CUTS):
        if what == "re-add":
            guest.shell(PULL.replace("/dev/ubdb", "/dev/ubdb1"))
            data = more_data(guest)
            assert json.dumps("re-add") in json.dumps(findings(guest))
        else:
            guest.shell(STOPPED)
        begin = time.monotonic()
        if number:
            cut_at(guest, chance.uniform(0.3, 1.0) * took)
        else:  # how long it takes here
            assert raidtui(guest, "care", "tank").code == 0
            took = time.monotonic() - begin
            guest.shell("mountpoint -q /srv/tank || mount /srv/tank")
        finish(guest)
        guest.shell("mdadm -q --wait /dev/md/tank || :")
        assert is_whole(guest, [A, B, C]), number
        assert guest.shell(READ_ALL).stdout == data, number
        guest.shell("rm -rf /var/lib/raidtui/jobs/*")
    assert guest.shell("cat /sys/block/md12?/md/mismatch_cnt").stdout == "0\n"
