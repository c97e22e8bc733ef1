"""Care of a pool on a real kernel: a replacement killed at every step, a second resilver, and more lost than it survives."""

import random
import time
from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, kill_everywhere, nodes, only_job, prepare, raidtui, unit
from tests.kernel.test_replace_power_cuts import CUTS, finish
from tests.vm.test_grow_pools import build

A, B, C, D, E = (f"LAB-{number:04}" for number in range(1, 6))
RAIDZ = "raidz1 $1 $2 $3"
LOSE_LABEL = (
    "zpool export tank; wipefs -aq {part}; zpool labelclear -f {part}; zpool import -d /dev/disk/by-id tank"
)
# While it makes no progress: what is written meanwhile is missing on the third disk, which comes back before the end.
SECOND = """
zpool offline tank "$(zpool status -P tank | awk '$1 ~ /^[/]/ {{ name = $1 }} END {{ print name }}')"
dd if=/dev/urandom of=/srv/tank/later bs=1M count=20 status=none
zpool sync tank
"""
STILL = "/sys/module/zfs/parameters/zfs_scan_suspend_progress"


def check_whole(guest: Guest, members: list[str], data: str) -> None:
    """Check that the pool has these members, every file, and that a scrub was the last to run."""
    found = unit(guest)
    assert found is not None
    assert (found["health"], [one["disk"] for one in found["members"]]) == ("ok", members)
    assert "with 0 errors" in guest.shell("zpool status tank | grep 'scan: scrub repaired'").stdout
    guest.shell("zpool export tank && zpool import -d /dev/disk/by-id tank")
    assert guest.shell("sha256sum /srv/tank/data /srv/tank/more").stdout == data


def written(guest: Guest, serial: str) -> str:
    """How many sectors of the disk have been written since the guest booted."""
    (node,) = nodes(guest, [serial])
    return guest.shell(f"awk '{{ print $7 }}' /sys/block/{node.removeprefix('/dev/')}/stat").stdout


def built(guest: Guest) -> str:
    build(guest, RAIDZ, A, B, C, mib=200)
    return guest.shell("sha256sum /srv/tank/data /srv/tank/more").stdout


@pytest.mark.first(0)
@pytest.mark.timeout(4000)
@pytest.mark.parametrize("gone", [False, True])
def test_a_replacement_that_is_killed_at_every_step_is_finished(vm: Guest, gone: bool) -> None:
    data = built(vm)
    old = B
    if gone:
        vm.shell(LOSE_LABEL.format(part=f"{nodes(vm, [B])[0]}1"))
        old = "tank"
    vm.shell(f"rm -rf {JOBS}/*")
    kill_everywhere(vm, prepare(vm, "replace", old, D, "--erase", D))
    check_whole(vm, [A, D, C], data)


@pytest.mark.first(0)
@pytest.mark.timeout(6000)  # ten boots of an emulated computer
@pytest.mark.parametrize("gone", [False, True], ids=["works", "gone"])
def test_a_replacement_that_is_cut_off_at_any_moment_is_finished(
    vm_of: Callable[[str], Guest], gone: bool
) -> None:
    guest = vm_of("4xscsi:512MiB")
    data, members = built(guest), [A, B, C]
    chance, took, old, new = random.Random(31), 0.0, B, D
    for number in range(CUTS + 1):
        if gone:
            guest.shell(LOSE_LABEL.format(part=f"{nodes(guest, [old])[0]}1"))
        lost, begin = "tank" if gone else old, time.monotonic()
        if number:
            guest.start(["raidtui", "replace", lost, new, "--erase", new])
            deadline = begin + chance.uniform(0.2, 1.0) * took
            while (left := deadline - time.monotonic()) > 0:
                guest.pump(left)
            guest.power_cut()
            guest.power_on()
            guest.shell("zpool list -H -o name tank || zpool import -d /dev/disk/by-id tank")
            finish(guest, lost, new)
        else:  # how long it takes here
            assert raidtui(guest, "replace", lost, new, "--erase", new, timeout=900).code == 0
            took = time.monotonic() - begin
        members[1] = new
        check_whole(guest, members, data)
        guest.shell(f"rm -rf {JOBS}/*")
        old, new = new, old


@pytest.mark.first(0)
def test_a_second_resilver_is_waited_for(vm: Guest) -> None:
    """A disk is taken offline while another is replaced, and comes back: it is resilvered too before the proof."""
    build(vm, "raidz2 $1 $2 $3 $4", A, B, C, D, mib=200)
    data = vm.shell("sha256sum /srv/tank/data /srv/tank/more").stdout
    vm.shell(f"rm -rf {JOBS}/*; echo 1 >{STILL}")
    running = vm.start(["raidtui", "replace", B, E, "--erase", E])
    while b"is resilvered" not in running.stderr:
        assert running.returncode is None, running.stderr
        vm.pump(0.2)
    vm.shell(SECOND.format())
    away = vm.shell("zpool status -P tank | awk '$2 == \"OFFLINE\" { print $1 }'").stdout.strip()
    vm.shell(f"zpool online tank {away}; echo 0 >{STILL}")
    while running.returncode is None:
        vm.pump(0.5)
    assert running.returncode == 0, running.stderr
    assert only_job(vm)["outcome"] == "done"
    check_whole(vm, [A, E, C, D], data)


@pytest.mark.first(0)
def test_nothing_is_written_to_a_pool_that_lost_more_than_it_survives(vm: Guest) -> None:
    """Not imported, two of three disks gone: only to connect them is advised; and they are all that it needs."""
    data = built(vm)
    vm.shell("zpool export tank")
    vm.pull(B)
    vm.pull(C)
    before = written(vm, A)
    (found,) = raidtui(vm, "status", "--json").report["findings"]
    assert found["kind"] == "inactive"
    assert [one["text"][:27] for one in found["remedies"]] == ["connect its missing disks: "]
    assert not any(one.get("procedure") or one.get("commands") for one in found["remedies"])
    for words in (
        ("care", "tank"),
        ("care", "tank", "--do", "start-degraded"),
        ("replace", "tank", D, "--erase", D),
    ):
        assert raidtui(vm, *words).code in {2, 3}, words
    assert written(vm, A) == before
    for serial in (B, C):
        vm.plug(serial)
        vm.shell(f"until lsblk -dno SERIAL | grep -q {serial}; do sleep 0.2; done")
    vm.shell("udevadm settle")
    done = raidtui(vm, "care", "tank")
    assert done.code == 0, done.stderr
    assert vm.shell("sha256sum /srv/tank/data /srv/tank/more").stdout == data
