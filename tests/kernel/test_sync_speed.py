"""Pausing a sync, hurrying it, and putting md's limits back as they were."""

from raidtui.lab.guest import Guest
from tests.kernel.driving import python

MD = "/sys/block/md127/md"


def call(guest: Guest, statement: str) -> tuple[int, str]:
    """Run one statement against `raidtui.jobs.speed` in the guest; exit code and what it said."""
    script = f"""
import sys
from raidtui.jobs import speed
from raidtui.model.errors import RaidtuiError
try:
    {statement}
except RaidtuiError as error:
    sys.exit(str(error))
"""
    done = python(guest, script)
    return done.returncode, done.stderr


def syncing_array(guest: Guest) -> None:
    guest.shell(
        """
        echo 500 >/proc/sys/dev/raid/speed_limit_min; echo 4000 >/proc/sys/dev/raid/speed_limit_max
        mdadm --create /dev/md127 --run --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb
        until grep -q 'resync *=' /proc/mdstat; do sleep 0.1; done
        """
    )


def read(guest: Guest, name: str) -> str:
    return guest.shell(f"cat {MD}/{name}").stdout.strip()


def test_a_paused_sync_stands_still_and_goes_on_where_it_was(guest: Guest) -> None:
    syncing_array(guest)
    assert call(guest, "speed.pause_sync('/dev/md127')") == (0, "")
    assert read(guest, "sync_action") == "frozen"
    assert call(guest, "speed.pause_sync('/dev/md127')") == (0, "")
    assert call(guest, "speed.continue_sync('/dev/md127')") == (0, "")
    guest.shell("until grep -q 'resync *=' /proc/mdstat; do sleep 0.1; done", timeout=20)
    assert read(guest, "sync_action") == "resync"


def test_limits_are_set_and_put_back_as_they_were(guest: Guest) -> None:
    syncing_array(guest)
    assert read(guest, "sync_speed_max") == "4000 (system)"
    assert call(guest, "speed.set_sync_speed('/dev/md127', None, 50 * 1024**2)") == (0, "")
    assert call(guest, "speed.set_sync_speed('/dev/md127', 2 * 1024**2, 100 * 1024**2)") == (0, "")
    assert read(guest, "sync_speed_min") == "2048 (local)"
    assert read(guest, "sync_speed_max") == "102400 (local)"
    assert call(guest, "speed.restore_sync_speed('/dev/md127')") == (0, "")
    assert read(guest, "sync_speed_min") == "500 (system)"
    assert read(guest, "sync_speed_max") == "4000 (system)"
    assert call(guest, "speed.restore_sync_speed('/dev/md127')") == (0, "")


def test_limits_that_somebody_set_by_hand_are_put_back_too(guest: Guest) -> None:
    syncing_array(guest)
    guest.shell(f"echo 3000 >{MD}/sync_speed_max")
    assert call(guest, "speed.set_sync_speed('/dev/md127', None, 50 * 1024**2)") == (0, "")
    assert call(guest, "speed.restore_sync_speed('/dev/md127')") == (0, "")
    assert read(guest, "sync_speed_max") == "3000 (local)"


def test_restoring_goes_on_with_what_is_paused(guest: Guest) -> None:
    syncing_array(guest)
    call(guest, "speed.pause_sync('/dev/md127')")
    call(guest, "speed.restore_sync_speed('/dev/md127')")
    assert read(guest, "sync_action") != "frozen"


def test_what_another_array_on_that_node_had_is_not_put_on_this_one(guest: Guest) -> None:
    syncing_array(guest)
    call(guest, "speed.set_sync_speed('/dev/md127', None, 50 * 1024**2)")
    guest.shell("mdadm --stop /dev/md127; mdadm --zero-superblock /dev/ubda /dev/ubdb")
    syncing_array(guest)
    guest.shell(f"echo 3000 >{MD}/sync_speed_max")
    assert call(guest, "speed.restore_sync_speed('/dev/md127')") == (0, "")
    assert read(guest, "sync_speed_max") == "3000 (local)"


def test_what_does_not_sync_cannot_be_paused(guest: Guest) -> None:
    guest.shell(
        "mdadm --create /dev/md127 --run --level=1 --assume-clean --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb"
    )
    code, said = call(guest, "speed.pause_sync('/dev/md127')")
    assert code == 1
    assert said.strip() == "/dev/md127 does not sync, so there is nothing to pause"
    guest.shell(
        "mdadm --stop /dev/md127; mdadm --create /dev/md127 --run --level=0 --raid-devices=2 /dev/ubda /dev/ubdb"
    )
    code, said = call(guest, "speed.set_sync_speed('/dev/md127', None, 10**7)")
    assert said.strip() == "/dev/md127 has no redundancy and never syncs"
    code, said = call(guest, "speed.pause_sync('/dev/ubda')")
    assert "is not an md array that runs" in said
