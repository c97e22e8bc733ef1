"""Kernel tests share one guest: booting takes seconds, running a command in it takes milliseconds."""

from collections.abc import Iterator

import pytest

from raidtui.lab import Guest

DISKS = "6x256MiB"


@pytest.fixture(scope="session")
def shared_guest() -> Iterator[Guest]:
    """The one guest of the session. Use `lab`, which cleans up after the test before."""
    with Guest(DISKS) as guest:
        yield guest


_CLEAN_UP = r"""
umount --all --types ext2,ext3,ext4,xfs,btrfs --read-only 2>/dev/null
mdadm --stop --scan 2>/dev/null
for disk in /dev/ubd?; do wipefs --all --force --quiet "$disk"?* "$disk" 2>/dev/null; blkdiscard --force "$disk" 2>/dev/null; done
for disk in /dev/ubd?; do blockdev --rereadpt "$disk" 2>/dev/null; done
: >/etc/fstab
rm -rf /var/lib/raidtui/* /etc/mdadm/mdadm.conf.*
printf 'HOMEHOST <system>\nMAILADDR root\n' >/etc/mdadm/mdadm.conf
udevadm trigger --subsystem-match=block --action=change
udevadm settle
"""


@pytest.fixture
def lab(shared_guest: Guest) -> Guest:
    """A running guest with six blank disks of 256 MiB, LAB-0001 (/dev/ubda) to LAB-0006 (/dev/ubdf)."""
    shared_guest.run(["sh", "-c", _CLEAN_UP])
    return shared_guest
