"""What was tried on overlays is done to the members as a plan, and undone to the byte as long as nothing was written."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import build, files_are_right, recover, stop, sums

KEPT = "ls -d /var/lib/raidtui/recovery/superblocks-*"
DO = ["raidtui", "recover", "tank", "--for-real", "1"]


def lose_two(guest: Guest) -> str:
    """A RAID5 that lost two members one after the other; return the checksums of its members."""
    build(guest, "5", "abc")
    guest.shell(
        "lab pull LAB-0002; echo 1 >/srv/tank/after-first; sync; lab pull LAB-0003; sync; sleep 1; lab plug",
        check=False,
    )
    stop(guest)
    return sums(guest, "abc")


@pytest.mark.first(0)
def test_it_is_refused_until_the_files_were_looked_at_and_undone_to_the_byte(guest: Guest) -> None:
    before = lose_two(guest)
    refused = guest.run(DO)
    assert (refused.returncode, "were not looked at" in refused.stderr) == (3, True), refused.stderr
    assert recover(guest, "tank")["tried"][0]["clean"] is True
    second = guest.run([*DO[:-1], "2"])
    assert second.returncode == 3, second.stderr
    refused = guest.run(DO)
    assert (refused.returncode, "--accept forced-start" in refused.stderr) == (3, True), refused.stderr
    assert sums(guest, "abc") == before

    done = guest.run([*DO, "--accept", "forced-start"], timeout=300)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "[U_U]" in guest.shell("cat /proc/mdstat").stdout
    assert sums(guest, "abc") != before
    kept = guest.shell(KEPT).stdout.strip()
    back = guest.run(["raidtui", "recover", "--put-back", kept])
    assert back.returncode == 0, back.stderr
    guest.shell("mdadm -q --stop --scan || :; udevadm settle")
    assert sums(guest, "abc") == before

    # Again, and now something is written: the old superblocks would not fit.
    assert recover(guest, "tank")["tried"][0]["clean"] is True
    done = guest.run([*DO, "--accept", "forced-start"], timeout=300)
    assert done.returncode == 0, (done.stdout, done.stderr)
    guest.shell(
        "mkdir -p /run/raidtui-recovery; mount /dev/md/tank /run/raidtui-recovery; echo x >/run/raidtui-recovery/x; sync"
    )
    assert files_are_right(guest)
    kept = guest.shell(f"{KEPT} | tail -n 1").stdout.strip()
    written = sums(guest, "abc")
    back = guest.run(["raidtui", "recover", "--put-back", kept])
    assert (back.returncode, "written to since" in back.stderr) == (3, True), back.stderr
    guest.shell("umount /run/raidtui-recovery")
    back = guest.run(["raidtui", "recover", "--put-back", kept])
    assert back.returncode == 3, back.stderr
    guest.shell("mdadm -q --stop /dev/md/tank; udevadm settle")
    back = guest.run(["raidtui", "recover", "--put-back", kept])
    assert (back.returncode, "written to since" in back.stderr) == (3, True), back.stderr
    assert written != before


@pytest.mark.first(0)
def test_a_job_that_is_killed_after_the_start_is_rolled_back_to_the_byte(guest: Guest) -> None:
    before = lose_two(guest)
    recover(guest, "tank")
    # mdadm starts the array and then does not return: the job is killed in that step.
    guest.shell(
        """mv /usr/sbin/mdadm /usr/sbin/mdadm.real
printf '#!/bin/sh\n/usr/sbin/mdadm.real "$@"; code=$?\ncase "$*" in *--assemble*--force*) sleep 600;; esac; exit $code\n' >/usr/sbin/mdadm
chmod +x /usr/sbin/mdadm"""
    )
    running = guest.start([*DO, "--accept", "forced-start"])
    guest.shell("until grep -q 'U_U' /proc/mdstat; do sleep 0.2; done; sleep 1")
    job = guest.shell("ls /var/lib/raidtui/jobs | tail -n 1").stdout.strip()
    guest.shell(
        "pkill -9 -f '[r]aidtui job'; pkill -9 -f '[s]leep 600'; mv /usr/sbin/mdadm.real /usr/sbin/mdadm"
    )
    running.wait(60)
    assert sums(guest, "abc") != before
    done = guest.run(["raidtui", "rollback", job], timeout=300)
    assert done.returncode == 0, (done.stdout, done.stderr)
    guest.shell("mdadm -q --stop --scan || :; udevadm settle")
    assert sums(guest, "abc") == before
