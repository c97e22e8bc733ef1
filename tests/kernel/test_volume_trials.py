"""A volume group or Btrfs that lost more disks than it survives: nothing is written, and it is whole with them again."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import serials
from tests.kernel.test_care import findings
from tests.kernel.test_care_trials import written

DATA = "for n in 1 2 3 4 5; do dd if=/dev/urandom of=/srv/tank/$n bs=1M count=30 oflag=direct status=none; done; sync"
SUMS = "sha256sum /srv/tank/[1-5]"
MAKE = {
    "lvm": (
        """vgcreate -q -y tank /dev/ubda /dev/ubdb /dev/ubdc; lvcreate -q -y --type raid5 -i 2 -l 90%FREE -n data tank
        until [ "$(lvs --noheadings -o copy_percent tank/data | tr -d ' ')" = 100.00 ]; do sleep 0.2; done
        mkfs.ext4 -q /dev/tank/data; mkdir -p /srv/tank; mount /dev/tank/data /srv/tank""",
        "umount /srv/tank; vgchange -q -an tank",
        "mount /dev/tank/data /srv/tank",
    ),
    "btrfs raid1": (
        """mkfs.btrfs -q -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb /dev/ubdc
        mkdir -p /srv/tank; mount /dev/ubda /srv/tank""",
        "umount /srv/tank",
        "mount /dev/ubda /srv/tank",
    ),
    "btrfs single": (
        """mkfs.btrfs -q -L tank -d single -m raid1 /dev/ubda /dev/ubdb /dev/ubdc
        mkdir -p /srv/tank; mount /dev/ubda /srv/tank""",
        "umount /srv/tank",
        "mount /dev/ubda /srv/tank",
    ),
}
LOOKS = (
    ["status"],
    ["care"],
    ["care", "tank"],
    ["care", "tank", "--do", "start-degraded"],
    ["care", "tank", "--do", "repair"],
    ["replace", "LAB-0003", "LAB-0006", "--erase", "LAB-0006"],
    ["replace", "tank", "LAB-0006", "--erase", "LAB-0006"],
)


@pytest.mark.first(0)
@pytest.mark.parametrize("kind", MAKE)
def test_a_unit_that_lost_too_many_disks_is_not_written_and_whole_with_them_again(
    large_guest: Guest, kind: str
) -> None:
    guest = large_guest
    make, stop, start = MAKE[kind]
    guest.shell(f"{make} >/dev/null 2>&1; {DATA}; raidtui status >/dev/null")
    data = guest.shell(SUMS).stdout
    guest.shell(stop)
    gone = serials(3)[1:]
    for serial in gone:
        guest.shell(f"lab pull {serial}")
    before = written(guest)
    for words in LOOKS:
        done = guest.run(["raidtui", *words])
        assert "Traceback" not in done.stderr, (words, done.stderr)
        if words not in (["status"], ["care"]):
            assert done.returncode in {2, 3}, (words, done.stdout, done.stderr)
    assert written(guest) == before

    (finding,) = findings(guest)
    assert "2 disks missing" in finding["what"] or "2 of 3 disks missing" in finding["what"]
    assert {one["disk"] for one in finding["disks"]} == set(gone)
    assert "create it again" in finding["never"]
    assert not [one for one in finding["remedies"] if one.get("procedure")]
    assert finding["remedies"][0]["text"].startswith("connect the missing disks")

    guest.shell("lab plug; udevadm settle")
    if kind == "lvm":
        assert guest.run(["raidtui", "care", "tank"], check=True).returncode == 0
    guest.shell(start)
    assert guest.shell(SUMS).stdout == data
    assert findings(guest) == []
