"""A pool grows on a real kernel: by a copy, by a vdev, into larger disks; killed, and after power cuts."""

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    kill_everywhere,
    killed,
    nodes,
    only_job,
    prepare,
    raidtui,
    read_something,
    unit,
    write_something,
)
from tests.kernel.driving import promised as promised_of

A, B, C, D, E = (f"LAB-{number:04}" for number in range(1, 6))
MAKE = """
for node in {nodes}; do
    printf 'label: gpt\\nstart=2048,size={mib}MiB,type=6A898CC3-1DD2-11B2-99A6-080020736631\\n' |
        sfdisk --quiet --wipe always $node
done
udevadm settle
set -- $(for node in {nodes}; do echo "/dev/disk/by-partuuid/$(lsblk -nro PARTUUID $node | grep .)"; done)
zpool create -o ashift=12 -m /srv/tank tank {vdevs}
"""


def build(guest: Guest, vdevs: str, *disks: str, mib: int = 450) -> str:
    """A pool called tank with a file; return the file's checksum. Small partitions leave room to grow into."""
    guest.shell(MAKE.format(nodes=" ".join(nodes(guest, disks)), vdevs=vdevs, mib=mib))
    guest.shell("dd if=/dev/urandom of=/srv/tank/more bs=1M count=40 status=none")
    return write_something(guest) + guest.shell("sha256sum /srv/tank/more").stdout


def grow(guest: Guest, change: str, *words: str) -> dict[str, Any]:
    """Let it grow, and return the row of the table that promised what it becomes."""
    shape = promised(guest, change)
    done = guest.run(["raidtui", "grow", "tank", *words], timeout=900)
    assert done.returncode == 0, done.stderr
    return shape


def promised(guest: Guest, change: str) -> dict[str, Any]:
    shape = promised_of(guest, change)
    assert (shape["refused"], shape["needs"]) == ("", "")
    return shape


def check_grown(guest: Guest, level: str, shape: dict[str, Any], data: str, *, scrub: bool = True) -> None:
    """Check that the pool is what was promised, is well, and has its files."""
    found = unit(guest)
    assert found is not None
    assert (found["level"], found["health"], found["raid_disks"]) == (level, "ok", shape["members"])
    assert found["size_bytes"] == shape["unit_bytes"]
    guest.shell("zpool export tank && zpool import -d /dev/disk/by-id tank")  # nothing is read from memory
    assert read_something(guest) + guest.shell("sha256sum /srv/tank/more").stdout == data
    if scrub:
        guest.shell("zpool scrub -w tank; zpool status tank | grep 'scrub repaired 0B .* with 0 errors'")


@pytest.mark.first(0)
def test_a_single_disk_becomes_a_mirror_and_gets_a_second_mirror(vm: Guest) -> None:
    """The job of the first is killed before and after its disk is attached."""
    data = build(vm, "$1", A)
    shape = promised(vm, "+1 disk")
    job = prepare(vm, "grow", "tank", "--add", B, "--erase", B)
    for event, step in (("step", "attach"), ("step-done", "attach")):
        assert killed(vm, event, step, "job", "run", job["folder"])
    done = raidtui(vm, "resume", job["request"]["id"], timeout=600)
    assert done.code == 0, done.stderr
    check_grown(vm, "mirror", shape, data, scrub=False)
    shape = grow(vm, "+2 disks", "--add", f"{C},{D}", "--erase", f"{C},{D}")
    check_grown(vm, "mirror", shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("vdevs", "disks", "change", "add", "then"),
    [
        ("mirror $1 $2", [A, B], "+1 disk", [C], "mirror"),
        ("$1 $2", [A, B], "+1 disk", [C], "stripe"),
        ("$1 $2", [A, B], "+2 disks", [C, D], "mirror"),
        ("raidz1 $1 $2 $3", [A, B, C], "+3 disks", [D, E, "LAB-0008"], "raidz1"),
    ],
)
def test_every_change_that_is_offered_gives_what_was_promised(
    vm: Guest, vdevs: str, disks: list[str], change: str, add: list[str], then: str
) -> None:
    data = build(vm, vdevs, *disks)
    shape = grow(vm, change, "--add", ",".join(add), "--erase", ",".join(add))
    check_grown(vm, then, shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize(("vdevs", "disks"), [("mirror $1 $2", [A, B]), ("raidz1 $1 $2 $3", [A, B, C])])
def test_a_pool_takes_the_space_of_its_larger_devices(vm: Guest, vdevs: str, disks: list[str]) -> None:
    data = build(vm, vdevs, *disks, mib=200)
    level = vdevs.split()[0]
    shape = grow(vm, "larger members", "--size", "max")
    check_grown(vm, level, shape, data)
    refused = vm.run(["raidtui", "grow", "tank", "--size", "max"])
    assert (refused.returncode, "already uses all" in refused.stderr) == (3, True), refused.stderr


@pytest.mark.first(0)
@pytest.mark.timeout(4000)
@pytest.mark.parametrize(
    ("vdevs", "disks", "change", "words", "then"),
    [
        ("mirror $1 $2", [A, B], "+1 disk", ("--add", C, "--erase", C), "mirror"),
        ("mirror $1 $2", [A, B], "+2 disks", ("--add", f"{C},{D}", "--erase", f"{C},{D}"), "mirror"),
        ("mirror $1 $2", [A, B], "larger members", ("--size", "max"), "mirror"),
    ],
)
def test_a_growth_that_is_killed_at_every_step_is_finished(
    vm: Guest, vdevs: str, disks: list[str], change: str, words: tuple[str, ...], then: str
) -> None:
    data = build(vm, vdevs, *disks, mib=200)
    shape = promised(vm, change)
    vm.shell(f"rm -rf {JOBS}/*")
    kill_everywhere(vm, prepare(vm, "grow", "tank", *words))
    check_grown(vm, then, shape, data)


@pytest.mark.first(0)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("vdevs", "disks", "change", "words", "then"),
    [
        ("$1", [A], "+1 disk", ("--add", B, "--erase", B), "mirror"),
        ("mirror $1 $2", [A, B], "+2 disks", ("--add", f"{C},{D}", "--erase", f"{C},{D}"), "mirror"),
        ("mirror $1 $2", [A, B], "larger members", ("--size", "max"), "mirror"),
    ],
)
def test_a_growth_survives_power_cuts_at_random_moments(
    vm_of: Callable[[str], Guest],
    vdevs: str,
    disks: list[str],
    change: str,
    words: tuple[str, ...],
    then: str,
    seed: int,
) -> None:
    """While something writes to the pool; what was on it before is as it was, and the job is carried on."""
    chance = random.Random(f"{change} {seed}")
    guest = vm_of("4xscsi:512MiB")
    data = build(guest, vdevs, *disks, mib=200)
    shape = promised(guest, change)
    running = guest.start(["raidtui", "grow", "tank", *words])
    guest.start(
        [
            "sh",
            "-c",
            "while :; do dd if=/dev/urandom of=/srv/tank/busy bs=64k count=20 conv=fsync status=none; done",
        ]
    )
    wanted = (b"zpool attach", b"zpool add -o", b"zpool online", b"Attach", b"Add a vdev", b"Let tank use")
    while running.returncode is None and not any(word in running.stderr for word in wanted):
        guest.pump(0.05)
    until = time.monotonic() + chance.uniform(0, 8)
    while time.monotonic() < until:
        guest.pump(0.05)
    guest.power_cut()
    guest.power_on()
    guest.shell("zpool list -H -o name tank || zpool import -d /dev/disk/by-id tank; rm -f /srv/tank/busy")
    job = only_job(guest)
    if job["outcome"] != "done":
        done = raidtui(guest, "resume", job["request"]["id"], timeout=900)
        assert done.code == 0, done.stderr
    check_grown(guest, then, shape, data)
