"""What a crash, or a person, may leave behind: each is a finding, 'raidtui care' puts it right, and then it is gone."""

from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import raidtui
from tests.kernel.test_care import findings

STATUS = "dmsetup status --target raid | sort"


def only(guest: Guest) -> dict[str, Any]:
    (finding,) = findings(guest)
    return finding


@pytest.mark.first(0)
def test_a_volume_whose_syncs_were_left_paused_syncs_again(guest: Guest) -> None:
    """It is one of two in the group."""
    guest.shell(
        """pvcreate -q /dev/ubda /dev/ubdb /dev/ubdc; vgcreate -q tank /dev/ubda /dev/ubdb /dev/ubdc
        lvcreate -q -y --type raid5 --stripes 2 --size 48M --name data tank
        lvcreate -q -y --type raid1 --mirrors 1 --size 16M --name home tank
        until [ "$(dmsetup status --target raid | grep -c idle)" = 2 ]; do sleep 0.2; done
        mkfs.ext4 -q /dev/tank/data; mkdir -p /srv/tank; mount /dev/tank/data /srv/tank
        dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none; sync; udevadm settle"""
    )
    data = guest.shell("sha256sum /srv/tank/data").stdout
    guest.shell("dmsetup message tank-home 0 frozen")
    finding = only(guest)
    assert (finding["kind"], finding["remedies"][0]["procedure"]["type"]) == ("held", "let-sync")
    assert "tank/home" in finding["remedies"][0]["text"]
    refused = raidtui(guest, "care", "tank", "--do", "check")
    assert (refused.code, "let it run first" in refused.stderr) == (3, True), refused.stderr
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert "frozen" not in guest.shell(STATUS).stdout
    assert findings(guest) == []
    guest.shell("lvchange -q --syncaction check tank/home")  # which LVM refused before
    assert guest.shell("echo 3 >/proc/sys/vm/drop_caches; sha256sum /srv/tank/data").stdout == data
