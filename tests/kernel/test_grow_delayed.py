"""An array grows while another one on the same disks syncs: md delays the reshape, and nothing is lost meanwhile."""

import time
from collections.abc import Callable, Iterator

import pytest

from raidtui.lab.command import Command
from raidtui.lab.guest import Guest
from tests.kernel.driving import advised, array, growing, promised, raidtui, serials
from tests.kernel.test_grow import READ_ALL, SLOW, build, check_whole

NEW = serials(4)[-1]
OTHER = "$(realpath /dev/md/photos | sed s:/dev:/sys/block:)/md"
# Two arrays on the same three disks; only the first has a filesystem.
BUILD = """
for letter in a b c; do printf 'label: gpt\\nsize=70MiB\\nsize=70MiB\\n' | sfdisk -q /dev/ubd$letter; done
udevadm settle
for part in 1 2; do
    name=$([ $part = 1 ] && echo tank || echo photos)
    mdadm -q --create /dev/md/$name --run --level=5 --raid-devices=3 /dev/ubda$part /dev/ubdb$part /dev/ubdc$part
    mdadm --wait /dev/md/$name || :
done
mdadm --detail --scan >>/etc/mdadm/mdadm.conf
mkfs.ext4 -q /dev/md/tank
mkdir -p /srv/tank
echo '/dev/md/tank /srv/tank ext4 nofail 0 2' >>/etc/fstab
mount /srv/tank
head -c 20000000 /dev/urandom >/srv/tank/data
sync
"""
SLOW_CHECK = (
    f"echo 1000 >{OTHER}/sync_speed_max; echo 500 >{OTHER}/sync_speed_min; echo check >{OTHER}/sync_action"
)
END_CHECK = f"echo idle >{OTHER}/sync_action; echo 0 >{OTHER}/sync_min"


@pytest.fixture
def two_arrays(guest: Guest) -> Iterator[Guest]:
    """A mounted array called tank, and another one on the same disks whose check takes a minute."""
    guest.shell(BUILD, check=True)
    yield guest
    guest.shell(f"echo system >{OTHER}/sync_speed_max; echo system >{OTHER}/sync_speed_min", check=False)


def say_until(guest: Guest, words: bytes, command: list[str], seconds: float = 60) -> Command:
    """Start a command and wait until it has said ``words``."""
    running = guest.start(command)
    deadline = time.monotonic() + seconds
    while words not in running.stderr:
        assert running.returncode is None, running.stderr
        assert time.monotonic() < deadline, running.stderr
        guest.pump(0.05)
    return running


def is_delayed(guest: Guest) -> bool:
    return "DELAYED" in guest.shell("cat /proc/mdstat").stdout


@pytest.mark.first(0)
def test_a_delayed_reshape_names_what_it_waits_for_and_ends_by_itself(two_arrays: Guest) -> None:
    guest = two_arrays
    data, shape = guest.shell(READ_ALL).stdout, promised(guest, "+1 disk")
    guest.shell(SLOW_CHECK, check=True)
    running = say_until(guest, b"tank: reshape delayed by photos on these disks", ["raidtui", *growing(NEW)])
    assert is_delayed(guest)
    assert "delayed by photos" in guest.run(["raidtui", "status"]).stdout
    assert guest.shell(READ_ALL).stdout == data, "it can be used meanwhile"
    guest.shell("head -c 3000000 /dev/urandom >/srv/tank/during; sync", check=True)
    during = guest.shell("sha256sum /srv/tank/during").stdout
    guest.shell(END_CHECK, check=True)
    assert running.wait(120) == 0, running.stderr
    check_whole(guest, "raid5", 4, shape["unit_bytes"])
    assert guest.shell(READ_ALL).stdout == data
    assert guest.shell("sha256sum /srv/tank/during").stdout == during
    guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank", check=True)


@pytest.mark.first(0)
def test_a_power_cut_before_a_delayed_reshape_has_moved_anything_and_a_check_by_somebody_else(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest("4x160MiB")
    guest.shell(BUILD, check=True)
    data, shape = guest.shell(READ_ALL).stdout, promised(guest, "+1 disk")
    guest.shell(SLOW_CHECK, check=True)
    say_until(guest, b"tank: reshape delayed", ["raidtui", *growing(NEW)])
    assert is_delayed(guest)
    guest.power_cut()
    guest.power_on()
    # It was mounted, so the reshape continues; and a timer checks the array before anybody resumes.
    guest.shell("while mdadm --wait /dev/md/tank; do :; done", check=False)
    guest.shell(SLOW_CHECK.replace("photos", "tank"), check=True)
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    running = say_until(guest, b"Check tank: read every", ["raidtui", "resume", job["request"]["id"]])
    assert "check =" in guest.shell("cat /proc/mdstat").stdout
    guest.shell(f"echo system >{OTHER}/sync_speed_max".replace("photos", "tank"), check=True)
    assert running.wait(120) == 0, running.stderr
    check_whole(guest, "raid5", 4, shape["unit_bytes"])
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank", check=True)


@pytest.mark.first(0)
@pytest.mark.parametrize("busy", [False, True])
def test_a_reshape_that_a_power_cut_parked_is_a_finding_and_continues_when_told(
    own_guest: Callable[[str], Guest], busy: bool
) -> None:
    guest = own_guest("4x160MiB")
    data = build(guest)
    guest.shell(SLOW)
    say_until(guest, b"tank: reshape", ["raidtui", *growing(NEW)])
    if busy:  # the array is not clean then
        guest.start(
            ["sh", "-c", "while dd if=/dev/zero of=/srv/tank/busy bs=64k count=40 conv=fsync; do :; done"]
        )
    guest.shell("sed -i /tank/d /etc/fstab; sync; sleep 5")
    guest.power_cut()
    guest.power_on()
    parked = array(guest)
    assert parked is not None
    assert parked["state"] == "read-auto"
    assert (parked["sync"]["action"], parked["sync"]["waiting"]) == ("reshape", "pending")
    finding, _ = advised(guest)
    told = raidtui(guest, "care", finding.name, "--do", "let-sync")
    assert told.code == 0, told.stderr
    guest.shell("while mdadm --wait /dev/md/tank; do :; done", check=False)
    grown = array(guest)
    assert grown is not None
    assert (grown["raid_disks"], grown["state"], grown["sync"]) == (4, "clean", None)
    guest.shell("mkdir -p /srv/tank; mount /dev/md/tank /srv/tank")
    assert guest.shell(READ_ALL).stdout == data
