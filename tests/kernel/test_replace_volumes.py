"""Replacements in a group with several volumes, and in a Btrfs: one plan, killed at every step, the data is the same."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import kill_everywhere, prepare
from tests.kernel.test_care import findings
from tests.kernel.test_replace import BTRFS, GONE, NEW, READ_ALL, A, B, replace

# data on a, b and c; home on a and b; more on c and d alone, without a leg on b.
SEVERAL = """
pvcreate -qq /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd; vgcreate -qq tank /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd
lvcreate -qq -y --type raid5 -i 2 -L 64M -n data tank /dev/ubda /dev/ubdb /dev/ubdc
lvcreate -qq -y --type raid1 -m 1 -L 24M -n home tank /dev/ubda /dev/ubdb
lvcreate -qq -y --type raid1 -m 1 -L 24M -n more tank /dev/ubdc /dev/ubdd
until [ "$(dmsetup status --target raid | grep -c ' idle ')" = 3 ]; do sleep 0.3; done
for one in data home more; do dd if=/dev/urandom of=/dev/tank/$one bs=1M count=20 oflag=direct status=none; done
raidtui status >/dev/null
"""
SUMS = "echo 3 >/proc/sys/vm/drop_caches; for one in data home more; do head -c 20M /dev/tank/$one | sha256sum; done"
STATUS = "dmsetup status --target raid | sort"
FIFTH = "LAB-0005"


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("old", "also"), [("ubdb", "data and home"), ("ubdd", "more alone")], ids=["two-volumes", "one-volume"]
)
def test_a_disk_that_is_gone_is_replaced_for_each_volume_of_its_group_in_one_plan(
    guest: Guest, old: str, also: str
) -> None:
    guest.shell(SEVERAL)
    data = guest.shell(SUMS).stdout
    guest.shell(
        f"vgchange -qq -an tank; wipefs -qa /dev/{old}; blkdiscard -f /dev/{old}; udevadm settle; "
        "vgchange -qq -ay --activationmode degraded tank"
    )
    (finding,) = [one for one in findings(guest) if one["name"] == "tank"]
    assert finding["kind"] == "no-redundancy", also
    first = finding["remedies"][0]["procedure"]
    assert (first["type"], first["new"]) == ("replace", FIFTH), (
        "a blank one, not the one that lost its contents"
    )
    done = guest.run(["raidtui", "care", "tank", "--erase", FIFTH], timeout=300)
    assert done.returncode == 0, done.stderr
    assert guest.shell(SUMS).stdout == data
    shown = guest.shell(STATUS).stdout
    assert shown.count(" idle 0 ") == 3, shown
    assert " AAA " in shown
    assert shown.count(" AA ") == 2, shown
    assert old not in guest.shell("pvs --noheadings -o pv_name,pv_missing").stdout
    assert [one for one in findings(guest) if one["name"] == "tank"] == []


# A cache and a thin pool on mirrors, whose spare for the metadata is on the disk that leaves.
INSIDE = """
export LVM_SUPPRESS_FD_WARNINGS=1
pvcreate -qq /dev/ubda /dev/ubdb /dev/ubdc; vgcreate -qq tank /dev/ubda /dev/ubdb /dev/ubdc
for one in data:40M pool:24M meta:4M; do lvcreate -qq -y --type raid1 -m1 -L ${one#*:} -n ${one%:*} tank /dev/ubda /dev/ubdb; done
until [ "$(dmsetup status --target raid | grep -c ' idle ')" = 3 ]; do sleep 0.3; done
lvcreate -qq -y -L 16M -n fast tank /dev/ubdc
# Debian forky's build of LVM 2.03.31 activates nothing with a cache volume ("Missing cache's data uuid").
lvconvert -qq -y --type cache --cachevol fast tank/data || lvconvert -qq -y --type cache --cachepool fast tank/data
lvconvert -qq -y --type thin-pool --poolmetadata meta tank/pool /dev/ubdb; lvcreate -qq -y -V 50M -T tank/pool -n thin
for one in data thin; do dd if=/dev/urandom of=/dev/tank/$one bs=1M count=15 oflag=direct status=none; done
raidtui status >/dev/null
"""
INSIDE_SUMS = (
    "echo 3 >/proc/sys/vm/drop_caches; for one in data thin; do head -c 15M /dev/tank/$one | sha256sum; done"
)


@pytest.mark.parametrize("alive", [True, False], ids=["copied", "rebuilt"])
def test_mirrors_inside_a_cache_and_a_thin_pool_are_replaced_too(guest: Guest, alive: bool) -> None:
    guest.shell(INSIDE)
    data = guest.shell(INSIDE_SUMS).stdout
    if not alive:
        guest.shell("dd if=/dev/zero of=/dev/ubdb bs=1M status=none || :; udevadm settle; pvscan -qq --cache")
        first = next(one for one in findings(guest) if one["name"] == "tank")["remedies"][0]["procedure"]
        assert first["type"] == "replace"
    done = guest.run(["raidtui", "replace", B, FIFTH, "--erase", FIFTH], timeout=300)
    assert done.returncode == 0, done.stderr
    assert guest.shell(INSIDE_SUMS).stdout == data
    assert guest.shell(STATUS).stdout.count(" AA ") == 3
    assert (
        "ubdb"
        not in guest.shell(
            "lvs -a --noheadings -o devices; pvs --noheadings -o pv_name,vg_name | grep tank"
        ).stdout
    )


# Everything that LVM makes without redundancy, and a mirror, on the disk that leaves.
ALONE = """
pvcreate -qq /dev/ubda /dev/ubdb; vgcreate -qq tank /dev/ubda /dev/ubdb
lvcreate -qq -y -l 5 -n linear tank /dev/ubdb; lvcreate -qq -y -l 6 -i 2 -n striped tank
lvcreate -qq -y --type thin-pool -L 24M -n pool tank /dev/ubdb; lvcreate -qq -y -V 50M -T tank/pool -n thin
lvcreate -qq -y --type raid1 -m1 -l 4 -n mirror tank
until [ "$(lvs --noheadings -o copy_percent,raid_sync_action tank/mirror | xargs)" = "100.00 idle" ]; do sleep 0.5; done
for one in linear striped thin mirror; do dd if=/dev/urandom of=/dev/tank/$one bs=1M count=15 oflag=direct status=none; done
raidtui status >/dev/null
"""
ALONE_SUMS = "echo 3 >/proc/sys/vm/drop_caches; for one in linear striped thin mirror; do head -c 15M /dev/tank/$one | sha256sum; done"


@pytest.mark.parametrize(
    "killed", [False, pytest.param(True, marks=pytest.mark.first(0))], ids=["moved", "killed"]
)
def test_volumes_without_redundancy_are_moved_to_the_new_disk(guest: Guest, killed: bool) -> None:
    guest.shell(ALONE)
    data = guest.shell(ALONE_SUMS).stdout
    if killed:
        kill_everywhere(guest, prepare(guest, "replace", B, NEW, "--erase", NEW))
    else:
        done = replace(guest, B)
        assert done.returncode == 0, done.stderr
        assert "WARN no-copy" in done.stderr
        assert "Complete, but not all of it is redundant: tank: mirror: AA, idle; 0 missing" in done.stdout
    assert guest.shell("pvs --noheadings -o pv_name,vg_name").stdout.split() == [
        "/dev/ubda",
        "tank",
        "/dev/ubdd",
        "tank",
    ]
    assert "pvmove" not in guest.shell("lvs -a --noheadings -o lv_name").stdout
    assert guest.shell(ALONE_SUMS).stdout == data
    assert [one for one in findings(guest) if one["name"] in {"tank", B}] == []


@pytest.mark.first(0)
@pytest.mark.parametrize("alive", [True, False], ids=["copied", "rebuilt"])
def test_a_replacement_in_a_btrfs_that_is_killed_at_every_step_is_finished(
    large_guest: Guest, alive: bool
) -> None:
    guest = large_guest
    guest.shell(BTRFS.format(size=300))
    data = guest.shell(READ_ALL).stdout
    if not alive:
        guest.shell(GONE)
    kill_everywhere(guest, prepare(guest, "replace", B if alive else "tank", NEW, "--erase", NEW))
    profiles = guest.shell(
        "ls -d /sys/fs/btrfs/*-*/allocation/*/*/ | xargs -n1 basename | sort | uniq -c"
    ).stdout
    assert profiles.split() == ["3", "raid1"]
    assert "missing" not in guest.shell("btrfs filesystem show /srv/tank").stdout.lower()
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank; wipefs -qa /dev/ubda1; btrfs device scan -u; btrfs device scan >/dev/null")
    guest.shell("mount -o degraded,ro /dev/ubdd1 /srv/tank")
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank")


@pytest.mark.first(0)
def test_a_full_btrfs_says_why_it_cannot_be_replaced_before_anything_is_erased(large_guest: Guest) -> None:
    """The kernel would cancel it, with exit code 0."""
    guest = large_guest
    guest.shell(
        """mkfs.btrfs -q -f -b 300M -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb >/dev/null
        udevadm settle; mkdir -p /srv/tank; mount /dev/ubda /srv/tank
        dd if=/dev/urandom of=/srv/tank/data bs=1M status=none 2>/dev/null || :; sync"""
    )
    data = guest.shell(READ_ALL).stdout
    done = replace(guest, A)
    assert done.returncode == 3, done.stderr
    assert "no unallocated space" in done.stderr
    assert (
        guest.shell("wipefs --noheadings /dev/ubdd; btrfs replace status -1 /srv/tank").stdout
        == "Never started\n"
    )
    assert guest.shell(READ_ALL).stdout == data
