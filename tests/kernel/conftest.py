"""A guest booted once for all tests without a power cut, and a fixture to boot another one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from raidtui.lab.boot import MDADM_CONF
from raidtui.lab.guest import Guest, Setup
from tests.kernel.taking_down import TAKE_DOWN

DISKS = "8x160MiB"
LARGE_DISKS = "6x600MiB"


# Run first, so that none of them runs alone at the end while the other process is idle.
LONGEST = ("test_studies.py", "test_sweep_runs.py", "test_resume.py", "test_replace.py", "test_card.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "kernel" in Path(item.fspath).parts:
            item.add_marker(pytest.mark.kernel)
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(Path(item.fspath).name, len(order)))


@pytest.fixture(scope="session")
def kept_guest() -> Iterator[Guest]:
    """The guest of the whole session, as the last test left it."""
    with Guest(Setup(disks=DISKS)) as guest:
        yield guest


# Blank every disk that was written to, completely. Clean disks cost no process, as there are hundreds of tests.
CLEAN_UP = rf"""
{TAKE_DOWN}
for disk in /sys/block/ubd?; do
    name=${{disk##*/}}
    # Requests written (5th number) and discarded (12th) so far.
    read -r _ _ _ _ written _ _ _ _ _ _ discarded _ <"$disk/stat"
    read -r before <"/run/lab/$name.clean" || before=never
    [ "$before" = "$written $discarded" ] && continue
    blkdiscard --force "/dev/$name"
    blockdev --rereadpt "/dev/$name"
    read -r _ _ _ _ written _ _ _ _ _ _ discarded _ <"$disk/stat"
    echo "$written $discarded" >"/run/lab/$name.clean"
    settle=yes
done
: >/etc/fstab
echo '{MDADM_CONF}' >/etc/mdadm/mdadm.conf
rm -rf /var/lib/raidtui/* /srv/*
set -- /run/udev/rules.d/60-raidtui-*
if [ -e "$1" ]; then
    rm "$@"
    udevadm control --reload
    udevadm trigger --subsystem-match=block --action=change
    settle=yes
fi
echo 1000 >/proc/sys/dev/raid/speed_limit_min
echo 200000 >/proc/sys/dev/raid/speed_limit_max
[ -z "$settle" ] || udevadm settle --timeout=10
echo /sys/block/ubd?
"""


def clean(guest: Guest) -> Guest:
    """The guest without what the last test built and broke."""
    here = guest.shell(CLEAN_UP, check=False).stdout.split()
    letters = "abcdefghijklmnop"[: len(guest.disks)]
    gone = [
        disk
        for letter, disk in zip(letters, guest.disks, strict=True)
        if f"/sys/block/ubd{letter}" not in here
    ]
    for disk in gone:
        guest.plug(disk.serial)
    if gone:
        guest.shell(CLEAN_UP, check=False)
    return guest


@pytest.fixture
def guest(kept_guest: Guest) -> Guest:
    """The shared guest with eight blank disks, LAB-0001 (/dev/ubda) to LAB-0008, no array and no state."""
    return clean(kept_guest)


@pytest.fixture(scope="session")
def kept_large_guest() -> Iterator[Guest]:
    """The other guest of the session, booted by the first test that needs larger disks."""
    with Guest(Setup(disks=LARGE_DISKS)) as guest:
        yield guest


@pytest.fixture
def large_guest(kept_large_guest: Guest) -> Guest:
    """A shared guest with six blank disks large enough for Btrfs, LAB-0001 to LAB-0006, no array and no state."""
    return clean(kept_large_guest)


@pytest.fixture
def own_guest(tmp_path: Path) -> Iterator[Callable[[str], Guest]]:
    """A function that boots a separate guest, whose disks survive a power cut.

    ``own_guest("4x160MiB")`` is already on; use ``power_cut()`` and ``power_on()``.
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
