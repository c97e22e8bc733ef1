"""The power fails between the superblocks that end a reshape: md then reads some members where their data was before it."""

from pathlib import Path

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, killed, prepare, raidtui
from tests.kernel.test_grow import NEW, READ_ALL, build, check_whole
from tests.kernel.test_recover import recover

MISS = Path(__file__).parents[1] / "machines" / "states" / "missed_end.py"
DEVICES = ("/dev/ubda1", "/dev/ubdb1", "/dev/ubdc1", "/dev/ubdd1")
SUMS = f"sync; sha256sum {' '.join(DEVICES)}"
BEGINS = "for one in a b c d; do mdadm --examine /dev/ubd${one}1 | grep 'Data Offset'; done"


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("count", "written"),
    [(2, False), (1, False), (3, False), (2, True)],
    ids=["two", "one", "three", "written"],
)
def test_a_growth_of_which_not_every_member_has_the_end(guest: Guest, count: int, written: bool) -> None:
    data = build(guest)
    guest.shell(f"rm -r {JOBS}/*")
    job = prepare(guest, "grow", "tank", "--add", NEW, "--erase", NEW)
    assert killed(guest, "step-done", "grow", "job", "run", job["folder"])
    # The kernel goes on with the reshape by itself.
    guest.shell(
        "echo max >/sys/block/md127/md/sync_max; mdadm --wait /dev/md127; umount /srv/tank; mdadm -q --stop /dev/md127"
    )
    right = guest.shell(BEGINS).stdout
    guest.shell(
        f"udevadm settle; mdadm -q --stop --scan || :; python3 {MISS} 512 {' '.join(DEVICES[:count])}; udevadm settle"
    )
    guest.shell(
        "mdadm -q --stop --scan || :; mdadm --assemble --scan; udevadm settle; mount -a || :; udevadm settle"
    )
    if written:  # md has forgotten the place then
        guest.shell("mdadm --readwrite /dev/md127; mdadm --stop /dev/md127; udevadm settle")
        guest.shell("mdadm -q --stop --scan || :; mdadm --assemble --scan; udevadm settle")
    else:
        said = raidtui(guest, "resume", job["request"]["id"])
        assert (said.code, "where the data began before the reshape" in said.stderr) == (4, True), said.stderr
        found = raidtui(guest, "care", "--json").report["findings"]
        assert [one["kind"] for one in found if one["name"] == "tank"] == ["misplaced"]
    tried = recover(guest, "tank", "--stop")["tried"]
    assert (tried[0]["clean"], len(tried[0]["candidate"]["moved"])) == (True, count), tried[0]
    words, before = ("recover", "tank", "--for-real", "1"), guest.shell(SUMS).stdout
    refused = raidtui(guest, *words)
    assert (refused.code, "begin-written" in refused.stderr) == (3, True), refused.stderr
    done = raidtui(guest, *words, "--accept", "begin-written")
    assert done.code == 0, done.stderr
    assert guest.shell(BEGINS).stdout == right
    if count == 1:
        (folder,) = guest.shell("ls -d /var/lib/raidtui/recovery/superblocks-*").stdout.split()
        back = raidtui(guest, "recover", "--put-back", folder)
        assert (back.code, guest.shell(SUMS).stdout) == (0, before), back.stderr
        recover(guest, "tank", "--stop")
        assert raidtui(guest, *words, "--accept", "begin-written").code == 0
    guest.shell("mount /srv/tank")
    assert guest.shell(READ_ALL).stdout == data
    resumed = raidtui(guest, "resume", job["request"]["id"])
    assert resumed.code == 0, resumed.stderr
    size = int(guest.shell("echo $(($(cat /sys/block/md127/size) * 512))").stdout)
    check_whole(guest, "raid5", 4, size)
    assert guest.shell(READ_ALL).stdout == data
