"""A pool is rehearsed on QEMU: its build on copies of used disks; its care on a pool that is made anew."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from raidtui.backends.units import find_unit
from raidtui.jobs.rehearsed import order_of
from raidtui.lab.guest import Guest
from raidtui.model.journal import JobRequest
from raidtui.model.machine import Machine
from raidtui.model.procedure import Grow, Replace
from raidtui.model.unit import Unit
from raidtui.steps.seeds import new_seed
from tests.kernel.driving import serials, spec_text
from tests.kernel.test_rehearse import read_off, rehearsed
from tests.kernel.test_rehearse_care import rehearsed as passed

FOUR: Final = tuple(serials(4))

FORMER = """
set -- /dev/disk/by-id/scsi-*
zpool create -f old mirror "$1" "$2"; zpool export old
echo start=2048 | sfdisk -q "$3"; udevadm settle; mkfs.ext4 -q "$3-part1"; udevadm settle
"""


@pytest.mark.first(0)
def test_a_pool_is_rehearsed_on_copies_and_no_disk_is_written_to(
    vm_of: Callable[[str], Guest], tmp_path: Path
) -> None:
    guest = vm_of("2xscsi:512MiB,1xscsi4kn:512MiB")
    guest.shell(FORMER, timeout=300)
    machine = read_off(guest, tmp_path)
    images = [Path(one.path) for one in machine.disks]
    before = [hashlib.sha256(image.read_bytes()).hexdigest() for image in images]
    shown, _ = rehearsed(machine, spec_text("raidz1", serials(3), filesystem="zfs", backend="zfs"))
    assert (shown.sentence, shown.passed) == ("", True)
    assert shown.done == len(shown.steps) > 5
    assert (shown.left_out, shown.instead) == ((), ()), "to the letter"
    assert shown.usable_bytes == shown.calculated_bytes
    assert shown.after_reboot is True
    assert any("Debian" in one for one in shown.limits)
    assert [hashlib.sha256(image.read_bytes()).hexdigest() for image in images] == before


def replacement(_: Machine) -> JobRequest:
    return order_of(procedure=Replace(old=FOUR[0], new=FOUR[3]), seed=new_seed())


def replacement_of_a_lost_disk(machine: Machine) -> JobRequest:
    order = Replace(old=FOUR[1], new=FOUR[3], missing_from=(pool_in(machine).uuid,))
    return order_of(procedure=order, seed=new_seed())


def further_copies(machine: Machine) -> JobRequest:
    return order_of(procedure=Grow(unit=pool_in(machine).uuid, add=FOUR[2:]), seed=new_seed())


def removal(machine: Machine) -> JobRequest:
    return order_of(array=pool_in(machine).uuid, seed=new_seed())


def pool_in(machine: Machine) -> Unit:
    found = find_unit("tank", machine)
    assert found is not None
    return found


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("order", "level", "count", "before"),
    [
        (replacement, "raidz1", 3, "zfs create -o mountpoint=/srv/photos tank/photos"),
        (replacement_of_a_lost_disk, "mirror", 2, ""),
        (further_copies, "mirror", 2, ""),
        (
            removal,
            "raidz1",
            3,
            "zfs create -o mountpoint=legacy tank/old; mkdir /srv/old; mount -t zfs tank/old /srv/old",
        ),
    ],
)
def test_the_same_commands_run_on_a_pool_that_is_made_anew(
    vm_of: Callable[[str], Guest],
    tmp_path: Path,
    order: Callable[[Machine], JobRequest],
    level: str,
    count: int,
    before: str,
) -> None:
    guest = vm_of("4xscsi:512MiB")
    words = ["raidtui", "apply", "-", f"--erase={','.join(FOUR[:count])}"]
    spec = spec_text(level, FOUR[:count], filesystem="zfs", backend="zfs")
    guest.run(words, stdin=spec, check=True, timeout=600)
    guest.shell(before or ":", check=True)
    if order is replacement_of_a_lost_disk:
        guest.pull(FOUR[1])
        guest.shell(
            "until zpool status -x tank | grep -q DEGRADED; do touch /srv/tank/file; sync; sleep 1; done",
            timeout=120,
        )
    machine = read_off(guest, tmp_path)
    images = [Path(one.path) for one in machine.disks]
    sums = [hashlib.sha256(image.read_bytes()).hexdigest() for image in images]
    shown = passed(order(machine), machine)
    assert not any(one.startswith("the size of") for one in shown.limits)
    assert [hashlib.sha256(image.read_bytes()).hexdigest() for image in images] == sums
