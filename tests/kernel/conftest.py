"""A guest that is booted once for all tests that need no power cut, and a way to boot one's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from raidtui.lab.guest import Guest, Setup

DISKS = "8x160MiB"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "kernel" in Path(item.fspath).parts:
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def kept_guest() -> Iterator[Guest]:
    with Guest(Setup(disks=DISKS)) as guest:
        yield guest


CLEAN_UP = r"""
mount | awk '$3 ~ "^/(srv|mnt|media)/" {print $3}' | sort -r | xargs -r -n1 umount
swapoff -a
command -v vgchange >/dev/null && vgchange -an >/dev/null 2>&1
for array in /sys/block/md*; do
    [ -e "$array" ] || continue
    node=/dev/${array##*/}
    wipefs -aq "$node" 2>/dev/null || true
    mdadm --stop "$node" 2>/dev/null || true
done
for loop in /sys/block/loop*/loop; do
    [ -e "$loop" ] || continue
    node=${loop%/loop}; losetup -d "/dev/${node##*/}"
done
for disk in /dev/ubd?; do
    case $(udevadm info --query=property --name="$disk") in *RAIDTUI_LAB_INTERNAL*) continue ;; esac
    for node in "$disk"[0-9]* "$disk"; do
        [ -b "$node" ] || continue
        mdadm --zero-superblock "$node" 2>/dev/null || true
        flock "$disk" wipefs -aqf "$node"
    done
    blockdev --rereadpt "$disk" 2>/dev/null || true
done
udevadm settle --timeout=10
for array in /sys/block/md*; do
    [ -e "$array" ] && mdadm --stop "/dev/${array##*/}" 2>/dev/null
done
: >/etc/fstab
printf 'HOMEHOST <system>\n' >/etc/mdadm/mdadm.conf
rm -rf /var/lib/raidtui
echo 1000 >/proc/sys/dev/raid/speed_limit_min
echo 200000 >/proc/sys/dev/raid/speed_limit_max
true
"""


@pytest.fixture
def guest(kept_guest: Guest) -> Iterator[Guest]:
    """The shared guest with blank disks, no array, and no state of ours."""
    kept_guest.run(["sh", "-c", CLEAN_UP])
    yield kept_guest
    kept_guest.run(["sh", "-c", CLEAN_UP])


@pytest.fixture
def own_guest(tmp_path: Path) -> Iterator[Callable[[str], Guest]]:
    """A guest of one's own, whose disks survive a power cut: ``own_guest("4x160MiB")`` is booted already."""
    guests: list[Guest] = []

    def boot(disks: str) -> Guest:
        guest = Guest(Setup(disks=disks, disk_dir=tmp_path / "disks"))
        guests.append(guest)
        guest.power_on()
        return guest

    yield boot
    for guest in guests:
        guest.power_cut()
