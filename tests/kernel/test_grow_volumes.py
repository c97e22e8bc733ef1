"""A volume of LVM grows while its filesystem is in use: by disks, by a copy, and into larger disks."""

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    finish_growth,
    grow,
    keep_writing,
    kill_everywhere,
    prepare,
    promised,
    read_something,
    serials,
    spec_text,
    unit,
    write_something,
)

SLOW = "echo 4000 >/proc/sys/dev/raid/speed_limit_max; echo 1000 >/proc/sys/dev/raid/speed_limit_min"
FAST = "echo 200000 >/proc/sys/dev/raid/speed_limit_max; echo 200000 >/proc/sys/dev/raid/speed_limit_min"
IN_SYNC = 'until [ "$(lvs --noheadings -o copy_percent,raid_sync_action tank | xargs)" = "100.00 idle" ]; do sleep 0.2; done'


def build(guest: Guest, level: str, disks: list[str], **options: Any) -> str:
    """A mounted volume called tank, in sync, with a file; return the file's checksum."""
    done = apply(guest, spec_text(level, disks, backend="lvm", **options), disks)
    assert done.code == 0, done.stderr
    if level.startswith("raid") and level != "raid0":
        guest.shell(f"{FAST}; {IN_SYNC}", timeout=60)
    return write_something(guest)


def files_bytes(guest: Guest) -> int:
    return int(guest.shell("stat -f -c '%b %S' /srv/tank | awk '{ print $1 * $2 }'").stdout)


def check_grown(guest: Guest, level: str, shape: dict[str, Any], data: str) -> None:
    """Check that the volume is what was promised, is well, and has its files; then its filesystem."""
    found = unit(guest)
    assert found is not None
    assert (found["level"], found["size_bytes"], found["health"]) == (level, shape["unit_bytes"], "ok")
    guest.shell("echo 3 >/proc/sys/vm/drop_caches")
    assert read_something(guest) == data
    guest.shell("umount /srv/tank; e2fsck -fn /dev/tank/data")


CASES = [("linear", 2, 1), ("linear", 2, 2), ("striped", 2, 2), ("raid0", 2, 2), ("raid1", 2, 1), ("raid1", 2, 2),
         ("raid5", 3, 3), ("raid10", 4, 4)]  # fmt: skip


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "disks", "more"), CASES)
def test_every_type_that_is_offered_grows_to_the_promised_size(
    guest: Guest, level: str, disks: int, more: int
) -> None:
    every = serials(8)
    data = build(guest, level, every[:disks])
    shape = promised(guest, f"+{more} disk{'s' if more > 1 else ''}")
    assert shape["refused"] == ""
    before = files_bytes(guest)
    done = grow(guest, *every[disks : disks + more])
    assert done.returncode == 0, done.stderr
    assert (files_bytes(guest) > before * 1.3) is not (level == "raid1" and more == 1)
    check_grown(guest, level, shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "disks", "more"), [("linear", 2, 1), ("raid1", 2, 1), ("raid5", 3, 3)])
def test_a_growth_that_is_killed_at_every_step_is_finished(
    guest: Guest, level: str, disks: int, more: int
) -> None:
    every = serials(8)
    data = build(guest, level, every[:disks])
    shape = promised(guest, f"+{more} disk{'s' if more > 1 else ''}")
    guest.shell(f"rm -r {JOBS}/*")
    new = ",".join(every[disks : disks + more])
    kill_everywhere(guest, prepare(guest, "grow", "tank", "--add", new, "--erase", new))
    check_grown(guest, level, shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize("level", ["raid1", "raid5"])
def test_a_volume_takes_the_space_of_larger_disks_and_then_a_disk_is_replaced(
    own_guest: Callable[[str], Guest], level: str
) -> None:
    count = 3 if level == "raid5" else 2
    guest = own_guest(f"{count}x160MiB,{count + 1}x300MiB")
    every = serials(2 * count + 1)
    data = build(guest, level, every[:count])
    early = guest.run(["raidtui", "grow", "tank", "--size", "max"])
    assert early.returncode == 3, early.stderr
    for old, new in zip(every[:count], every[count:], strict=False):
        done = guest.run(["raidtui", "replace", old, new, "--erase", new], timeout=300)
        assert done.returncode == 0, done.stderr
    shape, before = promised(guest, "larger members"), files_bytes(guest)
    done = guest.run(["raidtui", "grow", "tank", "--size", "max"], timeout=300)
    assert done.returncode == 0, done.stderr
    assert files_bytes(guest) > before * 1.7
    old, new = every[count], every[-1]
    done = guest.run(["raidtui", "replace", old, new, "--erase", new], timeout=300)
    assert done.returncode == 0, done.stderr
    check_grown(guest, level, shape, data)


@pytest.mark.first(0)
def test_an_image_on_two_disks_moves_to_one_as_large_as_both(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("4x160MiB,1x300MiB,1x400MiB")
    every = serials(6)
    data = build(guest, "raid1", every[:2])
    shape = promised(guest, "+2 disks")
    done = grow(guest, *every[2:4])
    assert done.returncode == 0, done.stderr
    small = guest.run(["raidtui", "replace", every[2], every[4], "--erase", every[4]])
    assert (small.returncode, "too small" in small.stderr) == (3, True), small.stderr
    done = guest.run(["raidtui", "replace", every[2], every[5], "--erase", every[5]], timeout=300)
    assert done.returncode == 0, done.stderr
    found = unit(guest)
    assert found is not None
    assert sorted(one["state"] for one in found["members"] if one["slot"] is not None) == ["in sync"] * 3
    check_grown(guest, "raid1", shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("level", "disks", "more"), [("linear", 2, 1), ("raid1", 2, 1), ("raid5", 3, 3)])
def test_a_growth_survives_power_cuts_at_random_moments(
    own_guest: Callable[[str], Guest], level: str, disks: int, more: int, seed: int
) -> None:
    chance = random.Random(f"{level} {seed}")
    every = serials(disks + more)
    guest = own_guest(f"{disks + more}x160MiB")
    data = build(guest, level, every[:disks])
    shape = promised(guest, f"+{more} disk{'s' if more > 1 else ''}")
    new = ",".join(every[disks:])
    guest.shell(SLOW)
    running = guest.start(["raidtui", "grow", "tank", "--add", new, "--erase", new])
    keep_writing(guest)
    while b"volume group" not in running.stderr:  # the first disk joins
        assert running.returncode is None, running.stderr
        guest.pump(0.05)
    until = time.monotonic() + chance.uniform(0, 12)
    while time.monotonic() < until:
        guest.pump(0.05)
    guest.power_cut()
    guest.power_on()
    guest.shell(f"vgchange -ay tank; udevadm settle; {FAST}; mountpoint -q /srv/tank || mount /srv/tank")
    assert read_something(guest) == data
    finish_growth(guest)
    check_grown(guest, level, shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 100 >/proc/sys/dev/raid/speed_limit_min; echo 100 >/proc/sys/dev/raid/speed_limit_max; lvchange --syncaction check tank/data", "is busy: check"),
        ("umount /srv/tank", "is not mounted"),
        ("lvreduce -y -l -2 tank/data >/dev/null; lvcreate -y -l 1 -n more tank", "it has 2 volumes"),
    ],
)  # fmt: skip
def test_what_cannot_grow_is_refused_and_nothing_changes(guest: Guest, script: str, words: str) -> None:
    every = serials(6)
    build(guest, "raid5", every[:3])
    guest.shell(script, check=False)
    before = guest.shell(
        "pvs --noheadings -o pv_name,vg_name,pv_used; lvs --noheadings -o lv_name,lv_size"
    ).stdout
    done = grow(guest, *every[3:6])
    assert (done.returncode, words in done.stderr) == (3, True), done.stderr
    after = guest.shell(
        "pvs --noheadings -o pv_name,vg_name,pv_used; lvs --noheadings -o lv_name,lv_size"
    ).stdout
    assert before == after
