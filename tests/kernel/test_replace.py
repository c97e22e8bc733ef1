"""A disk is replaced in every array that it is or was in: redundancy is proven, and the data is the same."""

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    array,
    checksums,
    cut_power_at,
    inspect,
    kill_everywhere,
    killed,
    nodes,
    only_job,
    prepare,
    raidtui,
    serials,
    spec_text,
)

A, B, C, NEW = FOUR = serials(4)
READ_ALL = "echo 3 >/proc/sys/vm/drop_caches; sha256sum /srv/tank/data"


def build(guest: Guest, level: str = "raid5", **options: Any) -> str:
    """A mounted array called tank on the first three disks, in sync, with a file; return the file's checksum."""
    done = apply(guest, spec_text(level, [A, B, C], **options), [A, B, C], "--wait-sync")
    assert done.code == 0, done.stderr
    guest.shell("dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 status=none; sync")
    return guest.shell(READ_ALL).stdout


def replace(guest: Guest, old: str, new: str = NEW, *more: str) -> subprocess.CompletedProcess[str]:
    return guest.run(["raidtui", "replace", old, new, "--erase", new, *more], timeout=300)


def members(guest: Guest, name: str = "tank") -> dict[str, tuple[str, ...]]:
    """The state of each member, by its disk."""
    found = array(guest, name)
    assert found is not None
    return {one["disk"]: tuple(one["state"]) for one in found["members"]}


def is_whole(guest: Guest, disks: list[str], name: str = "tank") -> bool:
    return members(guest, name) == dict.fromkeys(disks, ("in_sync",))


def test_a_disk_that_works_is_copied_while_redundancy_stays_whole(guest: Guest) -> None:
    data = build(guest)
    guest.shell(
        "echo 20000 >/proc/sys/dev/raid/speed_limit_max; (while [ ! -e /run/stop ]; do cat /sys/block/md127/md/degraded; "
        "sleep 0.05; done) >/run/degraded 2>/dev/null & echo $! >/run/watcher"
    )
    done = replace(guest, B)
    guest.shell("touch /run/stop; sleep 0.2; rm /run/stop")
    assert done.returncode == 0, done.stderr
    assert "tank: rebuild" in done.stderr  # how far the copy is
    assert f"{B} is in no array any more and may leave the computer" in done.stdout
    assert "To read and compare all its data: raidtui care tank --do check" in done.stdout
    assert "Left to do, see 'raidtui alerts': no alerts are set" in done.stdout
    assert "Left to do, see 'raidtui care'" not in done.stdout  # the build wrote its ARRAY line
    assert set(guest.shell("cat /run/degraded").stdout.split()) == {"0"}
    assert is_whole(guest, [A, NEW, C])
    assert guest.shell(READ_ALL).stdout == data
    assert guest.shell("cat /sys/block/md127/md/mismatch_cnt").stdout == "0\n"
    old = next(one for one in inspect(guest)["disks"] if one["serial"] == B)
    assert not [s for part in old["partitions"] for s in part["signatures"]]
    assert not raidtui(guest, "status", "--json").report["findings"], "the start of its data is erased too"


@pytest.mark.first(0)
def test_a_disk_that_failed_is_replaced_by_a_rebuild(guest: Guest) -> None:
    data = build(guest)
    (second,) = nodes(guest, [B])
    guest.shell(f"mdadm -q /dev/md/tank --fail {second}1")
    done = replace(guest, B)
    assert done.returncode == 0, done.stderr
    assert is_whole(guest, [A, NEW, C])
    assert B not in guest.run(["raidtui", "status"]).stdout  # it is replaced, not lost
    assert guest.shell(READ_ALL).stdout == data


def test_a_disk_that_is_gone_is_named_by_its_serial_number_or_by_its_array(guest: Guest) -> None:
    data = build(guest)
    (second,) = nodes(guest, [B])
    guest.shell(
        f"raidtui status >/dev/null; mdadm -q /dev/md/tank --fail {second}1; sleep 0.5; mdadm -q /dev/md/tank --remove {second}1; "
        f"dd if=/dev/zero of={second} bs=1M status=none || :; blockdev --rereadpt {second}; udevadm settle"
    )
    refused = replace(guest, "LAB-0007")
    assert refused.returncode == 2
    assert "is in no array" in refused.stderr
    done = replace(guest, "tank")
    assert done.returncode == 0, done.stderr
    assert is_whole(guest, [A, NEW, C])
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.parametrize(
    ("script", "old", "new", "code", "words"),
    [
        ("", B, B, 2, "cannot replace itself"),
        ("", B, A, 3, "is in use"),
        ("mkswap -q /dev/ubdd; swapon /dev/ubdd", B, NEW, 3, "is in use"),
        ("mdadm -q /dev/md/tank --fail /dev/ubda1; sleep 0.5", B, NEW, 3, "already lacks a member"),
        ("echo check >/sys/block/md127/md/sync_action; echo 100 >/proc/sys/dev/raid/speed_limit_max", B, NEW, 3, "busy: check"),
        ("", B, "LAB-0099", 2, "no disk of this machine is called"),
    ],
)  # fmt: skip
@pytest.mark.first(0)
def test_what_cannot_be_replaced_is_refused_and_nothing_changes(
    guest: Guest, script: str, old: str, new: str, code: int, words: str
) -> None:
    build(guest)
    if script:
        guest.shell(script)
    before = members(guest)
    done = replace(guest, old, new)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    assert members(guest) == before


def test_a_replacement_that_is_killed_at_every_step_is_finished(guest: Guest) -> None:
    data = build(guest)
    guest.shell(f"rm -r {JOBS}/*")
    kill_everywhere(guest, prepare(guest, "replace", B, NEW, "--erase", NEW))
    assert is_whole(guest, [A, NEW, C])
    assert guest.shell(READ_ALL).stdout == data


def test_an_old_member_that_a_boot_took_back_as_a_spare_is_removed_again(guest: Guest) -> None:
    """As a power cut leaves it between the removal of the old member and the end of its superblock."""
    data = build(guest)
    (second,) = nodes(guest, [B])
    guest.shell(f"rm -r {JOBS}/*")
    job = prepare(guest, "replace", B, NEW, "--erase", NEW)
    assert killed(guest, "step", "forget", "job", "run", job["folder"])
    guest.shell(f"mdadm -q /dev/md/tank --add-spare {second}1; udevadm settle")
    assert members(guest)[B] == ("spare",)
    done = raidtui(guest, "resume", job["request"]["id"])
    assert done.code == 0, done.stderr
    assert is_whole(guest, [A, NEW, C])
    assert guest.shell(READ_ALL).stdout == data
    old = next(one for one in inspect(guest)["disks"] if one["serial"] == B)
    assert not [s for part in old["partitions"] for s in part["signatures"]]


@pytest.mark.first(0)
def test_a_replacement_is_rolled_back_until_the_new_member_is_in(guest: Guest) -> None:
    build(guest)
    guest.shell(f"rm -r {JOBS}/*; mkfs.ext4 -q -L films /dev/ubdd; udevadm settle")
    before = checksums(guest, [NEW])
    job = prepare(guest, "replace", B, NEW, "--erase", NEW)
    assert killed(guest, "step-done", "settle-partitions", "job", "run", job["folder"])
    assert checksums(guest, [NEW]) != before
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert checksums(guest, [NEW]) == before
    assert is_whole(guest, [A, B, C])

    guest.shell(f"rm -r {JOBS}/*")
    job = prepare(guest, "replace", B, NEW, "--erase", NEW)
    assert killed(guest, "step-done", "add", "job", "run", job["folder"])
    refused = raidtui(guest, "rollback", job["request"]["id"])
    assert refused.code == 3
    assert "resume" in refused.stderr
    finished = raidtui(guest, "resume", job["request"]["id"])
    assert finished.code == 0, finished.stderr
    assert is_whole(guest, [A, NEW, C])


@pytest.mark.first(1)
@pytest.mark.parametrize("hot", [True, False], ids=["copied", "rebuilt"])
def test_a_replacement_survives_a_power_cut(own_guest: Callable[[str], Guest], hot: bool) -> None:
    guest = own_guest("4x160MiB")
    data = build(guest)
    if not hot:
        guest.shell("mdadm -q /dev/md/tank --fail /dev/ubdb1; sleep 0.5")
    guest.shell("echo 5000 >/proc/sys/dev/raid/speed_limit_max")
    cut_power_at(guest, ["raidtui", "replace", B, NEW, "--erase", NEW], "tank: rebuild")
    guest.shell("mdadm --assemble --scan -q || :; udevadm settle; mount /srv/tank || :")
    done = raidtui(guest, "resume", raidtui(guest, "jobs", "--json").report["jobs"][0]["request"]["id"])
    assert done.code == 0, done.stderr
    assert is_whole(guest, [A, NEW, C])
    guest.shell("mountpoint -q /srv/tank || mount /srv/tank")
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_an_old_disk_that_dies_while_it_is_copied_is_replaced_all_the_same(guest: Guest) -> None:
    data = build(guest)
    guest.shell("echo 5000 >/proc/sys/dev/raid/speed_limit_max")
    running = guest.start(["raidtui", "replace", B, NEW, "--erase", NEW])
    while b"tank: rebuild" not in running.stderr:
        assert running.returncode is None, running.stderr
        guest.pump(0.05)
    guest.shell("mdadm -q /dev/md/tank --fail /dev/ubdb1; echo 200000 >/proc/sys/dev/raid/speed_limit_max")
    assert running.wait(120) == 0, running.stderr
    assert is_whole(guest, [A, NEW, C])
    assert guest.shell(READ_ALL).stdout == data


THREE_ARRAYS = """
for disk in a b c; do
    printf 'label: gpt\n,40MiB,R\n,40MiB,R\n,40MiB,R\n' | sfdisk -q /dev/ubd$disk
done
udevadm settle
mdadm -q --create /dev/md/one --run --metadata=1.2 --level=1 --bitmap=internal -n3 /dev/ubda1 /dev/ubdb1 /dev/ubdc1
mdadm -q --create /dev/md/two --run --metadata=1.2 --level=5 --bitmap=internal -n3 /dev/ubda2 /dev/ubdb2 /dev/ubdc2
mdadm -q --create /dev/md/three --run --metadata=1.2 --level=10 --layout=n2 -n3 /dev/ubda3 /dev/ubdb3 /dev/ubdc3
for md in one two three; do mdadm --wait /dev/md/$md || :; dd if=/dev/urandom of=/dev/md/$md bs=1M count=20 status=none; done
sync; udevadm settle
"""
SUMS = (
    "echo 3 >/proc/sys/vm/drop_caches; for md in one two three; do head -c 20M /dev/md/$md | sha256sum; done"
)


@pytest.mark.first(1)
@pytest.mark.parametrize("alive", [True, False])
def test_a_disk_with_members_of_three_arrays_is_replaced_in_one_plan(guest: Guest, alive: bool) -> None:
    guest.shell(THREE_ARRAYS)
    data = guest.shell(SUMS).stdout
    guest.shell("raidtui status >/dev/null")
    if not alive:
        guest.shell(
            "for n in 1 2 3; do md=$(echo one two three | cut -d' ' -f$n); mdadm -q /dev/md/$md --fail /dev/ubdb$n; sleep 0.5; "
            "mdadm -q /dev/md/$md --remove /dev/ubdb$n; done; wipefs -qa /dev/ubdb1 /dev/ubdb2 /dev/ubdb3 /dev/ubdb; "
            "blockdev --rereadpt /dev/ubdb; udevadm settle"
        )
    done = replace(guest, B)
    assert done.returncode == 0, done.stderr
    for number, name in enumerate(("one", "two", "three"), 1):
        assert is_whole(guest, [A, NEW, C], name)
        found = array(guest, name)
        assert found is not None
        assert {one["path"][-1] for one in found["members"]} == {str(number)}
    assert guest.shell(SUMS).stdout == data


BTRFS = """
for disk in a b c; do printf 'label: gpt\n,{size}MiB\n' | sfdisk -q /dev/ubd$disk; done
udevadm settle
mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda1 /dev/ubdb1 /dev/ubdc1 >/dev/null; udevadm settle
mkdir -p /srv/tank; mount /dev/ubda1 /srv/tank
dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 status=none; sync
raidtui status >/dev/null
"""
GONE = """
umount /srv/tank; wipefs -qa /dev/ubdb1 /dev/ubdb; blockdev --rereadpt /dev/ubdb; btrfs device scan -u; btrfs device scan >/dev/null
udevadm settle; mount -o degraded /dev/ubda1 /srv/tank; dd if=/dev/urandom of=/srv/tank/more bs=1M count=5 status=none; sync
"""


@pytest.mark.first(0)
@pytest.mark.parametrize("alive", [False, True], ids=["rebuilt", "copied"])
def test_a_device_of_a_btrfs_is_replaced_and_every_chunk_has_a_copy(large_guest: Guest, alive: bool) -> None:
    guest = large_guest
    guest.shell(BTRFS.format(size=500))
    data = guest.shell(READ_ALL).stdout
    if not alive:
        guest.shell(GONE)
    done = replace(guest, B if alive else "tank")
    assert done.returncode == 0, done.stderr
    profiles = guest.shell(
        "ls -d /sys/fs/btrfs/*-*/allocation/*/*/ | xargs -n1 basename | sort | uniq -c"
    ).stdout
    assert profiles.split() == ["3", "raid1"]
    shown = guest.shell("btrfs filesystem show /srv/tank").stdout
    assert "missing" not in shown.lower()
    assert "/dev/ubdd1" in shown
    assert "/dev/ubdb1" not in shown
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank; wipefs -qa /dev/ubda1; btrfs device scan -u; btrfs device scan >/dev/null")
    guest.shell("mount -o degraded,ro /dev/ubdd1 /srv/tank")  # the new one and the other are enough
    assert guest.shell(READ_ALL).stdout == data
    guest.shell("umount /srv/tank")


LVM = """
for disk in a b c; do printf 'label: gpt\n,140MiB,V\n' | sfdisk -q /dev/ubd$disk; done
udevadm settle
pvcreate -qq /dev/ubda1 /dev/ubdb1 /dev/ubdc1; vgcreate -qq tank /dev/ubda1 /dev/ubdb1 /dev/ubdc1
lvcreate -qq -y --type raid5 -i 2 -n data -l 90%FREE tank; mkfs.ext4 -q /dev/tank/data
mkdir -p /srv/tank; mount /dev/tank/data /srv/tank; dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none; sync
until [ "$(lvs --noheadings -o copy_percent,raid_sync_action tank/data | xargs)" = "100.00 idle" ]; do sleep 0.5; done
raidtui status >/dev/null
"""
PULLED = """
umount /srv/tank; vgchange -qq -an tank; wipefs -qa /dev/ubdb1 /dev/ubdb; blockdev --rereadpt /dev/ubdb; udevadm settle
vgchange -qq -ay --activationmode degraded tank; mount /dev/tank/data /srv/tank
"""


@pytest.mark.first(0)
@pytest.mark.parametrize("alive", [True, False], ids=["copied", "rebuilt"])
def test_a_disk_of_a_volume_group_is_replaced(guest: Guest, alive: bool) -> None:
    """The old disk is not taken for one whose superblock was lost."""
    guest.shell(LVM)
    data = guest.shell(READ_ALL).stdout
    if not alive:
        guest.shell(PULLED)
    done = replace(guest, B if alive else "tank")
    assert done.returncode == 0, done.stderr
    devices = guest.shell("pvs --noheadings -o pv_name,vg_name,pv_missing").stdout.split()
    assert devices == ["/dev/ubda1", "tank", "/dev/ubdc1", "tank", "/dev/ubdd1", "tank"]
    assert guest.shell("lvs --noheadings -o copy_percent,lv_health_status tank/data").stdout.split() == [
        "100.00"
    ]
    assert guest.shell(READ_ALL).stdout == data
    assert not raidtui(guest, "status", "--json").report["findings"]


@pytest.mark.first(0)
def test_a_replacement_in_a_volume_group_that_is_killed_at_every_step_is_finished(guest: Guest) -> None:
    guest.shell(LVM)
    data = guest.shell(READ_ALL).stdout
    kill_everywhere(guest, prepare(guest, "replace", B, NEW, "--erase", NEW))
    devices = guest.shell("pvs --noheadings -o pv_name,vg_name,pv_missing").stdout.split()
    assert devices == ["/dev/ubda1", "tank", "/dev/ubdc1", "tank", "/dev/ubdd1", "tank"]
    assert guest.shell(READ_ALL).stdout == data


# A power cut in vgextend: the new device is marked as used, and the metadata that names it was written nowhere.
HALF_ADDED = """#!/bin/bash
[ "${0##*/}" = vgextend ] && [ ! -e /run/half ] || exec -a "${0##*/}" /run/lvm "$@"
for one in /dev/ubd[abc]1; do head -c 1M $one >/run/${one##*/}; done; head -c 1M "$2" >/run/half
(exec -a vgextend /run/lvm "$@")
for one in /dev/ubd[abc]1; do dd if=/run/${one##*/} of=$one conv=notrunc status=none; done
dd if=/run/half of="$2" bs=4096 skip=1 seek=1 conv=notrunc status=none
sync; kill -9 $PPID; exit 1
"""


@pytest.mark.first(0)
def test_a_physical_volume_that_is_used_by_a_group_without_its_metadata_is_made_anew(guest: Guest) -> None:
    """As after a power cut. Neither vgextend nor pvremove takes it."""
    guest.shell(LVM)
    data = guest.shell(READ_ALL).stdout
    guest.run(
        ["sh", "-c", "cp /usr/sbin/lvm /run/lvm; cat >/run/half-added; chmod +x /run/half-added"],
        stdin=HALF_ADDED,
    )
    guest.shell("mount --bind /run/half-added /usr/sbin/lvm")
    assert replace(guest, B).returncode == 4
    assert "[unknown]" in guest.shell("pvs").stdout
    resumed = raidtui(guest, "resume", only_job(guest)["request"]["id"])
    guest.shell("umount /usr/sbin/lvm")
    assert resumed.code == 0, resumed.stderr
    devices = guest.shell("pvs --noheadings -o pv_name,vg_name,pv_missing").stdout.split()
    assert devices == ["/dev/ubda1", "tank", "/dev/ubdc1", "tank", "/dev/ubdd1", "tank"]
    assert guest.shell(READ_ALL).stdout == data


MIXED = """
for disk in a b; do printf 'label: gpt\n,130MiB,R\n,300MiB,L\n,100MiB,V\n' | sfdisk -q /dev/ubd$disk; done
udevadm settle
mdadm -q --create /dev/md/one --run --metadata=1.2 --level=1 --bitmap=internal -n2 /dev/ubda1 /dev/ubdb1
mkfs.btrfs -q -f -L two -d raid1 -m raid1 /dev/ubda2 /dev/ubdb2 >/dev/null
pvcreate -qq /dev/ubda3 /dev/ubdb3; vgcreate -qq three /dev/ubda3 /dev/ubdb3
lvcreate -qq -y --type raid1 -n data -l 80%VG three
mdadm --wait /dev/md/one || :; udevadm settle; mkdir -p /srv/two; mount /dev/ubda2 /srv/two
dd if=/dev/urandom of=/dev/md/one bs=1M count=20 status=none; dd if=/dev/urandom of=/srv/two/data bs=1M count=20 status=none
dd if=/dev/urandom of=/dev/three/data bs=1M count=20 status=none; sync
until [ "$(lvs --noheadings -o copy_percent,raid_sync_action three/data | xargs)" = "100.00 idle" ]; do sleep 0.5; done
"""
ALL_SUMS = (
    "echo 3 >/proc/sys/vm/drop_caches; for one in /dev/md/one /srv/two/data /dev/three/data; do head -c 20M $one | sha256sum; "
    "done"
)


@pytest.mark.first(0)
def test_a_disk_with_md_btrfs_and_lvm_is_replaced_in_one_plan(large_guest: Guest) -> None:
    guest = large_guest
    guest.shell(MIXED)
    data = guest.shell(ALL_SUMS).stdout
    done = replace(guest, B, "LAB-0003")
    assert done.returncode == 0, done.stderr
    for proof in ("2 of 2 members in sync", "2 devices, data raid1", "three: AA, 0 missing, idle"):
        assert proof in done.stdout
    assert guest.shell(ALL_SUMS).stdout == data
    old = next(one for one in inspect(guest)["disks"] if one["serial"] == B)
    assert not [s for part in old["partitions"] for s in part["signatures"]]
    assert not [one for one in old["taken_by"] if one["weight"] != "data"]
