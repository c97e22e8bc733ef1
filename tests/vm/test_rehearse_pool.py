"""A pool is rehearsed on QEMU, on copies of disks that have a former pool and a partition on them."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import serials, spec_text
from tests.kernel.test_rehearse import read_off, rehearsed

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
