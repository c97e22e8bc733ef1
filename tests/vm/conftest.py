"""A QEMU guest booted once for all tests, with disks on real buses, which survive a reboot."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from raidtui.lab.guest import Guest, Setup
from raidtui.lab.qemu.image import find_image

DISKS = "4xscsi:512MiB,1xnvme:512MiB,2xscsi4kn:512MiB,1xsata:512MiB,1xusb:512MiB,1xmegaraid:512MiB"

# Remove whatever a test built, and blank every disk.
CLEAN_UP = r"""
exec 2>/dev/null
udevadm settle --timeout=60 # a disk that was plugged again may still become a member of what it was in
umount --all-targets --recursive /srv/*
zpool list -H -o name | xargs --no-run-if-empty --max-args=1 zpool destroy -f
vgchange --quiet --activate n
for array in /sys/block/md*; do
    mdadm --quiet --stop "/dev/${array##*/}"
done
for node in $(lsblk -dnro NAME,SERIAL | sed -n 's/ LAB-[0-9]*$//p'); do
    blkdiscard --force "/dev/$node"
    blockdev --rereadpt "/dev/$node"
done
: >/etc/fstab
printf 'HOMEHOST <system>\nMAILADDR root\n' >/etc/mdadm/mdadm.conf
rm -rf /var/lib/raidtui/* /srv/*
echo 200000 >/proc/sys/dev/raid/speed_limit_max
udevadm settle --timeout=60
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "vm" in Path(item.fspath).parts:
            item.add_marker(pytest.mark.vm)
            item.add_marker(pytest.mark.timeout(1500))  # emulated, and beside the other tests


def pytest_collection_finish(session: pytest.Session) -> None:
    """Make the image before the first test: on a busy machine it takes longer than the timeout of a test."""
    if any(item.get_closest_marker("vm") for item in session.items) and not session.config.option.collectonly:
        find_image()


@pytest.fixture(scope="session")
def kept_vm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """The guest of the whole session, as the last test left it."""
    folder = tmp_path_factory.mktemp("vm") / "disks"
    guest = Guest(Setup(disks=DISKS, disk_dir=folder, engine="qemu"))
    guest.power_on()
    yield guest
    guest.power_cut()


@pytest.fixture
def vm_of(tmp_path: Path) -> Iterator[Callable[[str], Guest]]:
    """Boots a guest of its own with the disks that are named; it is for tests that cut its power."""
    with contextlib.ExitStack() as stack:

        def boot(disks: str) -> Guest:
            guest = Guest(Setup(disks=disks, disk_dir=tmp_path / "disks", engine="qemu"))
            guest.power_on()
            stack.callback(guest.power_cut)
            return guest

        yield boot


@pytest.fixture
def vm(kept_vm: Guest) -> Guest:
    """The shared guest with blank disks, LAB-0001 to LAB-0010, no array and no state."""
    present = kept_vm.shell("lsblk -dno SERIAL").stdout.split()
    for disk in kept_vm.disks:
        if disk.serial not in present:  # the last test pulled it
            kept_vm.plug(disk.serial)
            kept_vm.shell(f"until lsblk -dno SERIAL | grep -q {disk.serial}; do sleep 0.2; done")
    kept_vm.shell(CLEAN_UP, check=False, timeout=300)
    return kept_vm
