"""A guest that is booted once for all tests that need no power cut, and a way to boot one's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from raidtui.lab.boot import MDADM_CONF
from raidtui.lab.guest import Guest, Setup

DISKS = "8x160MiB"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "kernel" in Path(item.fspath).parts:
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def kept_guest() -> Iterator[Guest]:
    """The guest of the whole session, in whatever state the last test left it."""
    with Guest(Setup(disks=DISKS)) as guest:
        yield guest


# Whatever a test built, in whatever order it was stacked, goes; then every disk is blank to the last byte.
CLEAN_UP = rf"""
exec 2>/dev/null
swapoff --all
for layer in 1 2 3; do
    findmnt --raw --noheadings --output TARGET --types ext2,ext3,ext4,xfs,btrfs | tac | while read -r point; do
        umount "$(printf '%b' "$point")"
    done
    vgchange --activate n
    dmsetup remove_all --force
    losetup --detach-all
    for array in /sys/block/md*; do
        [ -e "$array" ] && mdadm --stop "/dev/${{array##*/}}"
    done
    ls -d /sys/block/md* /sys/block/dm-* /sys/block/loop*/loop || break
done
for disk in /dev/ubd?; do
    blkdiscard --force "$disk"
    blockdev --rereadpt "$disk"
done
: >/etc/fstab
printf '%s' '{MDADM_CONF}' >/etc/mdadm/mdadm.conf
find /var/lib/raidtui -mindepth 1 -delete
rm -rf /srv/*
echo 1000 >/proc/sys/dev/raid/speed_limit_min
echo 200000 >/proc/sys/dev/raid/speed_limit_max
udevadm settle --timeout=10
"""


@pytest.fixture
def guest(kept_guest: Guest) -> Iterator[Guest]:
    """The shared guest with eight blank disks, LAB-0001 (/dev/ubda) to LAB-0008, no array and no state."""
    kept_guest.shell(CLEAN_UP, check=False)
    yield kept_guest
    kept_guest.shell(CLEAN_UP, check=False)


@pytest.fixture
def own_guest(tmp_path: Path) -> Iterator[Callable[[str], Guest]]:
    """A guest of one's own, whose disks survive a power cut.

    ``own_guest("4x160MiB")`` is on already; ``power_cut()`` and ``power_on()`` at will.
    """
    guests: list[Guest] = []

    def power_on(disks: str) -> Guest:
        guest = Guest(Setup(disks=disks, disk_dir=tmp_path / "disks"))
        guests.append(guest)
        guest.power_on()
        return guest

    yield power_on
    for guest in guests:
        guest.power_cut()
