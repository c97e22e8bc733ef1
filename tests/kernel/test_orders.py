"""Orders to units on a real kernel: pausing a sync, hurrying it, putting limits back as they were, and scrubs."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import python

MD = "/sys/block/md127/md"
VOLUME = """
pvcreate --quiet /dev/ubda /dev/ubdb && vgcreate --quiet tank /dev/ubda /dev/ubdb
lvcreate --quiet --yes --type raid1 --mirrors 1 --size 120M --name data tank
until dmsetup status tank-data | grep -q 'AA .* idle'; do sleep 0.2; done
"""
FILESYSTEM = """
mkfs.btrfs --quiet --label tank --data raid1 --metadata raid1 /dev/ubda /dev/ubdb
btrfs device scan && mkdir -p /mnt/tank && mount /dev/ubda /mnt/tank
dd if=/dev/urandom of=/mnt/tank/file bs=1M count=100 status=none && sync
"""


def call(guest: Guest, *orders: str, unit: str = "md127") -> tuple[int, str]:
    """Order these of a unit, as it was before the first of them; exit code and what it said."""
    script = f"""
import sys
from raidtui.backends.control import Control
from raidtui.backends.units_now import every_unit_now
from raidtui.jobs.orders import give
from raidtui.model.errors import RaidtuiError
unit = next(one for one in every_unit_now().units if one.is_called({unit!r}))
try:
    for order in {orders!r}:
        print(give(unit, Control(order)))
except RaidtuiError as error:
    sys.exit(str(error))
"""
    done = python(guest, script)
    return done.returncode, (done.stderr if done.returncode else done.stdout).strip()


def told(guest: Guest, what: str, unit: str) -> str:
    """An attribute of a unit as it is now."""
    script = f"""
from raidtui.backends.units_now import every_unit_now
unit = next(one for one in every_unit_now().units if one.is_called({unit!r}))
print({what})
"""
    done = python(guest, script)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def syncing_array(guest: Guest) -> None:
    guest.shell(
        """
        echo 500 >/proc/sys/dev/raid/speed_limit_min; echo 5000 >/proc/sys/dev/raid/speed_limit_max
        mdadm --create /dev/md127 --run --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb
        until grep -q 'resync *=' /proc/mdstat; do sleep 0.1; done
        """
    )


def read(guest: Guest, name: str) -> str:
    return guest.shell(f"cat {MD}/{name}").stdout.strip()


def test_a_paused_sync_stands_still_and_goes_on_where_it_was(guest: Guest) -> None:
    syncing_array(guest)
    assert call(guest, "pause") == (0, "Resync paused. p resumes it.")
    assert read(guest, "sync_action") == "frozen"
    code, said = call(guest, "pause")
    assert (code, said) == (1, "pause is not possible for 127 now: resync paused, usable now")
    assert call(guest, "resume")[0] == 0
    guest.shell("until grep -q 'resync *=' /proc/mdstat; do sleep 0.1; done", timeout=20)
    assert read(guest, "sync_action") == "resync"


def test_limits_are_set_and_put_back_as_they_were(guest: Guest) -> None:
    syncing_array(guest)
    assert read(guest, "sync_speed_max") == "5000 (system)"
    # The other gentle steps would be faster than what the system allows.
    assert call(guest, "slower") == (0, "Speed limits: gentle, at most 5 MB/s.")
    assert read(guest, "sync_speed_min") == "1000 (local)"
    assert read(guest, "sync_speed_max") == "4882 (local)"
    assert call(guest, "faster") == (0, "Speed limits: system default.")
    assert read(guest, "sync_speed_min") == "500 (system)"
    assert read(guest, "sync_speed_max") == "5000 (system)"


def test_limits_that_somebody_set_by_hand_are_put_back_too(guest: Guest) -> None:
    syncing_array(guest)
    guest.shell(f"echo 6000 >{MD}/sync_speed_max")
    slow = call(guest, "slower", "faster")
    assert slow[1].endswith("Speed limits: system default.")
    assert read(guest, "sync_speed_max") == "6000 (local)"


def test_what_another_array_on_that_node_had_is_not_put_on_this_one(guest: Guest) -> None:
    syncing_array(guest)
    call(guest, "faster")
    guest.shell("mdadm --stop /dev/md127; mdadm --zero-superblock /dev/ubda /dev/ubdb")
    syncing_array(guest)
    guest.shell(f"echo 90000 >{MD}/sync_speed_max; mdadm --wait /dev/md127 || :")
    assert call(guest, "restore") == (0, "")
    assert read(guest, "sync_speed_max") == "90000 (local)"


def test_an_array_is_checked_and_the_check_stopped(guest: Guest) -> None:
    guest.shell(
        "mdadm --create /dev/md127 --run --level=1 --assume-clean --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb"
    )
    assert call(guest, "pause") == (1, "pause is not possible for 127 now: in sync")
    assert call(guest, "scrub") == (0, "Scrub started.")
    code, said = call(guest, "stop")
    assert (code, said) in {
        (0, "Scrub stopped."),
        (1, "stop is not possible for 127 now: in sync"),  # 64 MiB are soon read
    }
    guest.shell(
        "mdadm --stop /dev/md127; mdadm --create /dev/md127 --run --level=0 --raid-devices=2 /dev/ubda /dev/ubdb"
    )
    assert call(guest, "scrub")[0] == 1


@pytest.mark.first(0)
def test_a_volume_is_checked_at_the_speed_that_is_ordered_and_the_limit_goes_with_the_check(
    guest: Guest,
) -> None:
    guest.shell(VOLUME, timeout=60)
    guest.shell("lvchange --maxrecoveryrate 5000k tank/data")
    assert call(guest, "scrub", "slower", unit="tank") == (
        0,
        "Scrub started.\nSpeed limits: gentle, at most 5 MB/s.",
    )
    log = guest.shell("tail -n 1 /var/lib/raidtui/orders.jsonl").stdout
    assert '"argv":["lvchange","--minrecoveryrate","1000k","--maxrecoveryrate","4882k","tank/data"]' in log
    assert '"returncode":0' in log
    limits = "lvs --noheadings -o raid_min_recovery_rate,raid_max_recovery_rate tank/data"
    assert guest.shell(limits).stdout.split() == ["1000", "4882"]
    guest.shell("until dmsetup status tank-data | grep -q 'AA .* idle'; do sleep 0.2; done", timeout=60)
    assert call(guest, "restore", unit="tank")[0] == 0
    assert guest.shell(limits).stdout.split() == []
    guest.shell("umount /mnt/tank || :; vgremove --quiet --force --yes tank", check=False)


@pytest.mark.first(0)
def test_a_scrub_of_btrfs_is_stopped_resumed_and_told(large_guest: Guest) -> None:
    large_guest.shell(FILESYSTEM)
    uuid = large_guest.shell("findmnt --noheadings --output UUID /mnt/tank").stdout.strip()
    large_guest.shell(f"for f in /sys/fs/btrfs/{uuid}/devinfo/*/scrub_speed_max; do echo 2000000 >$f; done")
    assert call(large_guest, "scrub", unit="tank") == (0, "Scrub started.")
    large_guest.shell("sleep 2")
    assert told(large_guest, "unit.activity.what", "tank") == "scrub"
    assert call(large_guest, "stop", unit="tank") == (0, "Scrub stopped. It can be resumed from there.")
    large_guest.shell("sleep 1")
    assert told(large_guest, "unit.scrubbed", "tank").startswith("last scrub: stopped after ")
    large_guest.shell(f"for f in /sys/fs/btrfs/{uuid}/devinfo/*/scrub_speed_max; do echo 0 >$f; done")
    assert call(large_guest, "resume", unit="tank") == (0, "Scrub resumed.")
    large_guest.shell(
        f"until grep -q 'canceled:0|finished:1' /var/lib/btrfs/scrub.status.{uuid}; do sleep 0.5; done"
    )
    assert told(large_guest, "unit.scrubbed + unit.resumable", "tank") == "last scrub: no errors"
    large_guest.shell("umount /mnt/tank")
