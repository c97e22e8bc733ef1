"""A member fails while its array grows: the files are there, also after a power cut, and redundancy comes back."""

from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    advised,
    array,
    growing,
    keep_writing,
    raidtui,
    serials,
)
from tests.kernel.test_grow import FAST, SLOW, build

A, B, C, NEW, FREE = serials(5)
FAILS = {A: "mdadm -q /dev/md/tank --fail /dev/ubda1", NEW: "mdadm -q /dev/md/tank --fail /dev/ubdd1"}
READ = "echo 3 >/proc/sys/vm/drop_caches; sha256sum </srv/tank/data"


def wait(guest: Guest) -> None:
    """Until no sync runs, and none waits for another one."""
    guest.shell(f"{FAST}; for _ in 1 2 3; do mdadm --wait /dev/md/tank || :; sleep 0.5; done")


@pytest.mark.first(0)
@pytest.mark.parametrize("lost", [A, NEW])
def test_after_a_power_cut_it_is_started_as_it_was_tried_and_is_whole_again(
    own_guest: Callable[[str], Guest], lost: str
) -> None:
    guest = own_guest("5x160MiB")
    build(guest)
    data = guest.shell(READ).stdout
    guest.shell(SLOW)
    running = guest.start(["raidtui", *growing(NEW)])
    while b"tank: reshape" not in running.stderr:
        assert running.returncode is None, running.stderr
        guest.pump(0.05)
    keep_writing(guest)
    guest.shell(f"sleep 2; {FAILS[lost]}; sleep 2")
    guest.power_cut()
    guest.power_on()

    # md: cannot start dirty degraded array.
    assert "raidtui recover tank" in guest.run(["raidtui", "status"]).stdout
    tried = guest.run(["raidtui", "recover", "tank"])
    assert (tried.returncode, "--for-real 1" in tried.stdout) == (0, True), tried.stdout
    done = raidtui(guest, "recover", "tank", "--for-real", "1", "--accept", "forced-start")
    assert done.code == 0, done.stderr
    guest.shell("mount /srv/tank")
    assert guest.shell(READ).stdout == data
    wait(guest)
    done = raidtui(guest, "replace", lost, FREE, "--erase", FREE)
    assert done.code == 0, done.stderr
    found = array(guest)
    assert found is not None
    assert (found["raid_disks"], found["degraded"]) == (4, 0)
    assert guest.shell(READ).stdout == data
    guest.shell("umount /srv/tank; e2fsck -fn /dev/md/tank")


@pytest.mark.first(0)
def test_a_member_that_left_during_the_reshape_is_not_re_added_after_it(guest: Guest) -> None:
    """md takes it for current, because its bitmap records no reshape: re-added, nearly every stripe was wrong."""
    guest.shell(
        "mdadm -q --create /dev/md/tank --run --level=5 -n 3 --bitmap=internal --bitmap-chunk=1M /dev/ubd[abc]; "
        "mdadm --wait /dev/md/tank || :; mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank; "
        f"head -c 150M /dev/urandom >/srv/tank/data; sync; {SLOW}; "
        "mdadm -q /dev/md/tank --add /dev/ubdd; mdadm -q --grow /dev/md/tank --raid-devices=4; sleep 2; "
        "mdadm -q /dev/md/tank --fail /dev/ubda; sleep 2"
    )
    data = guest.shell(READ).stdout
    guest.shell(
        "umount /srv/tank; mdadm -q --stop /dev/md/tank; udevadm settle; mdadm -q --stop --scan; udevadm settle"
    )
    finding, _ = advised(guest)
    assert "degraded without LAB-0001" in finding.remedies[0].text
    started = raidtui(guest, "care", finding.name, "--do", "start-degraded")
    assert started.code == 0, started.stderr
    guest.shell("mount /dev/md/tank /srv/tank")
    assert guest.shell(READ).stdout == data
    wait(guest)
    finding, (order, *_) = advised(guest)
    assert order == f"raidtui care tank --erase {FREE}"
    done = guest.run(order.split())
    assert done.returncode == 0, done.stderr
    assert guest.shell(READ).stdout == data
    guest.shell("mdadm -q --action=check /dev/md/tank; mdadm --wait /dev/md/tank || :")
    assert guest.shell("cat /sys/block/md127/md/mismatch_cnt").stdout == "0\n"
