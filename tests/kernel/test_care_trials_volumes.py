"""Too many disks of a volume group or a Btrfs are gone: raidtui writes to none that is left, and says what is left."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import serials
from tests.kernel.test_care import findings
from tests.kernel.test_care_trials import written

LVM = """
export LVM_SUPPRESS_FD_WARNINGS=1
pvcreate -qq {devices}; vgcreate -qq tank {devices}
lvcreate -qq -y --type {data} -n data -l 80%FREE tank
until [ "$(lvs --noheadings -o copy_percent,raid_sync_action tank/data | xargs)" = "100.00 idle" ]; do sleep 0.5; done
dd if=/dev/urandom of=/dev/tank/data bs=1M count=20 oflag=direct status=none; raidtui status >/dev/null
"""
BTRFS = """
mkfs.btrfs -q -f -L tank -d {data} -m raid1 {devices}; udevadm settle
mkdir -p /srv/tank; mount /dev/ubda /srv/tank
for one in 1 2 3 4 5 6 7 8; do dd if=/dev/urandom of=/srv/tank/$one bs=1M count=20 status=none; done; sync
raidtui status >/dev/null
"""
SUM_LVM = "head -c 20M /dev/tank/data | sha256sum"
SUM_BTRFS = "cat /srv/tank/? | sha256sum"
LETTERS = "abcde"
STOP = {"lvm": "vgchange -qq -an tank", "btrfs": "umount /srv/tank; btrfs device scan --forget"}
START = {
    "lvm": "vgchange -qq -ay tank; udevadm settle",
    "btrfs": "btrfs device scan >/dev/null; mount /dev/ubda /srv/tank",
}


def looks(spare: str) -> tuple[list[str], ...]:
    return (
        ["status"],
        ["care"],
        ["care", "tank"],
        ["care", "tank", "--do", "re-add"],
        ["care", "tank", "--do", "start-degraded"],
        ["replace", "LAB-0002", spare, "--erase", spare],
        ["replace", "tank", spare, "--erase", spare],
        ["locate", "LAB-0001", "--seconds", "1"],
    )


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("backend", "data", "disks", "lost"),
    [
        ("lvm", "raid5 -i 2", 3, 2),
        ("lvm", "raid6 -i 3", 5, 3),
        ("btrfs", "raid1", 3, 2),
        ("btrfs", "single", 2, 1),
        ("btrfs", "raid5", 3, 2),
        ("btrfs", "raid6", 4, 3),
    ],
)
def test_too_many_disks_are_gone_and_nothing_is_written(
    request: pytest.FixtureRequest, backend: str, data: str, disks: int, lost: int
) -> None:
    """It is stopped first, as after a boot without them: user-mode Linux cannot pull a disk that is open."""
    guest: Guest = request.getfixturevalue("guest" if backend == "lvm" else "large_guest")
    devices = " ".join(f"/dev/ubd{letter}" for letter in LETTERS[:disks])
    guest.shell((LVM if backend == "lvm" else BTRFS).format(data=data, devices=devices))
    summed = guest.shell(
        "echo 3 >/proc/sys/vm/drop_caches;" + (SUM_LVM if backend == "lvm" else SUM_BTRFS)
    ).stdout
    guest.shell(STOP[backend])
    gone = serials(disks)[disks - lost :]
    for serial in gone:
        guest.shell(f"lab pull {serial}")
    guest.shell("pvscan --cache >/dev/null 2>&1; udevadm settle", check=False)

    before = written(guest)
    for words in looks("LAB-0006"):
        done = guest.run(["raidtui", *words])
        # care looks for files on overlays, where that may find some.
        if words[0] == "replace" or "--do" in words:
            assert done.returncode in {2, 3}, (words, done.stdout, done.stderr)
    assert written(guest) == before

    found = findings(guest)
    (finding,) = [one for one in found if one["name"] == "tank"]
    assert finding["kind"] in {"failed", "inactive"}, finding
    assert f"{lost} disk" in finding["what"] or f"{lost} of {disks}" in finding["what"], finding
    assert finding["never"]
    assert {one["procedure"]["type"] for one in finding["remedies"] if one["procedure"]} <= {"recover"}
    assert any("connect the missing disk" in one["text"] for one in finding["remedies"]), finding

    guest.shell("lab plug; udevadm settle")  # with all disks here again it is as it was
    guest.shell(START[backend])
    assert guest.shell(SUM_LVM if backend == "lvm" else SUM_BTRFS).stdout == summed
