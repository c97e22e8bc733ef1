"""What takes a disk on a real kernel, and that the way to free it which inspect prints does free it."""

import json
import re
import signal
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.procedure import Recover
from tests.kernel.driving import advised, array, inspect, python, raidtui

MDADM = "mdadm --quiet --create /dev/md/tank --run --homehost=lab --metadata=1.2"
SLOW = "echo 2000 >/sys/block/md127/md/sync_speed_max"


def disk(guest: Guest, letter: str) -> dict[str, Any]:
    """One disk as inspect sees it now."""
    found: dict[str, Any] = next(d for d in inspect(guest)["disks"] if d["path"] == f"/dev/ubd{letter}")
    return found


def claims(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Its claims of one kind."""
    return [claim for claim in found["taken_by"] if claim["what"] == kind]


def heaviest(found: dict[str, Any]) -> str:
    """The weight of what takes it; nothing if it is free."""
    return str(found["taken_by"][0]["weight"]) if found["taken_by"] else ""


def free(guest: Guest, command: str) -> None:
    """Do what was printed; a teardown refuses until the disks are named that its refusal asks for."""
    *first, last = command.split(" && ")
    if first:
        guest.shell(" && ".join(first))
    if last.startswith("raidtui teardown"):
        refused = guest.run(last.split())
        assert refused.returncode == 3
        last += f" --erase {refused.stderr.rpartition('--erase ')[2].strip()}"
    guest.shell(last)


# letter of the disk to look at, kind of its claim, and how it is taken
USES = {
    "mounted partition": (
        "a",
        "mount",
        "printf ',64M\\n' | sfdisk -q /dev/ubda; udevadm settle; mkfs.ext4 -q /dev/ubda1; mkdir -p '/srv/a b'; "
        "mount /dev/ubda1 '/srv/a b'",
    ),
    "mounted twice, one inside the other": (
        "a",
        "mount",
        "mkfs.ext4 -q /dev/ubda; mkdir -p /srv/a; mount /dev/ubda /srv/a; mkdir /srv/a/b; "
        "mount --bind /srv/a /srv/a/b",
    ),
    "swap": ("a", "swap", "mkswap -q /dev/ubda; swapon /dev/ubda"),
    "running array with a filesystem": (
        "b",
        "array",
        f"{MDADM} --level=1 --bitmap=none -n2 /dev/ubda /dev/ubdb; mkfs.ext4 -q /dev/md127; mkdir -p /srv/t; "
        "mount /dev/md127 /srv/t",
    ),
    "partitioned array": (
        "b",
        "array",
        f"{MDADM} --level=0 -n2 /dev/ubda /dev/ubdb; printf ',64M\\n' | sfdisk -q /dev/md127; udevadm settle; "
        "mkfs.ext4 -q /dev/md127p1; mkdir -p /srv/t; mount /dev/md127p1 /srv/t",
    ),
    "array inside an array": (
        "a",
        "array",
        f"{MDADM} --level=0 -n2 /dev/ubda /dev/ubdb; udevadm settle; mdadm --quiet --create /dev/md/outer --run "
        "--homehost=lab --metadata=1.2 --level=0 -n2 /dev/md127 /dev/ubdc",
    ),
    "spare": ("c", "array", f"{MDADM} --level=1 --bitmap=none -n2 /dev/ubda /dev/ubdb -x1 /dev/ubdc"),
    "faulty member": (
        "a",
        "array",
        f"{MDADM} --level=1 --bitmap=none -n2 /dev/ubda /dev/ubdb; mdadm --wait /dev/md127 || :; "
        "mdadm --quiet /dev/md127 --fail /dev/ubda; sleep 0.5",
    ),
    "member of an array that lacks others": (
        "a",
        "array",
        f"{MDADM} --level=0 -n2 /dev/ubda /dev/ubdb; mdadm --quiet --stop /dev/md127; "
        "mdadm --quiet --incremental /dev/ubda",
    ),
    "mounted LVM volume, its names with dashes": (
        "a",
        "lvm",
        "vgcreate -qq my-vg /dev/ubda; lvcreate -qq -y -n my-lv -L 32M my-vg; mkfs.ext4 -q /dev/my-vg/my-lv; "
        "mkdir -p /srv/l; mount /dev/my-vg/my-lv /srv/l",
    ),
    "LVM on LUKS on an array": (
        "a",
        "array",
        f"{MDADM} --level=1 --bitmap=none -n2 /dev/ubda /dev/ubdb; "
        "printf x | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/md127 -; "
        "printf x | cryptsetup open /dev/md127 vault -; vgcreate -qq vg /dev/mapper/vault; "
        "lvcreate -qq -y -n lv -L 32M vg; mkfs.ext4 -q /dev/vg/lv; mkdir -p /srv/l; mount /dev/vg/lv /srv/l",
    ),
    "second device of a Btrfs": (
        "b",
        "btrfs",
        "mkfs.btrfs -q -f /dev/ubda /dev/ubdb >/dev/null; mkdir -p /srv/b; mount /dev/ubda /srv/b",
    ),
    "first device of a Btrfs": (
        "a",
        "mount",
        "mkfs.btrfs -q -f /dev/ubda /dev/ubdb >/dev/null; mkdir -p /srv/b; mount /dev/ubdb /srv/b; "
        "umount /srv/b; mount /dev/ubda /srv/b",
    ),
    "device behind a mounted loop device": (
        "a",
        "loop",
        "modprobe loop; mkfs.ext4 -q /dev/ubda; losetup /dev/loop0 /dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0001; "
        "mkdir -p /srv/o; mount /dev/loop0 /srv/o",
    ),
    "device-mapper device": (
        "a",
        "device-mapper",
        "echo '0 1000 linear /dev/ubda 0' | dmsetup create 'my thing'",
    ),
}


@pytest.mark.first(3)
@pytest.mark.parametrize("use", USES)
def test_a_use_is_named_and_the_printed_way_frees_the_disk(guest: Guest, use: str) -> None:
    letter, kind, script = USES[use]
    guest.shell(script)
    taken = disk(guest, letter)
    assert heaviest(taken) == "busy"
    busy = [claim for claim in taken["taken_by"] if claim["weight"] == "busy"]
    assert claims(taken, kind) == busy  # that claim explains the use: no other is needed
    for _ in busy:  # the way of one claim may end others as well
        if heaviest(taken) == "busy":
            free(guest, taken["taken_by"][0]["how_to_free"])
        taken = disk(guest, letter)
    freed = disk(guest, letter)
    assert heaviest(freed) in {"data", ""}, freed["taken_by"]


def test_a_disk_that_only_another_mount_namespace_has_mounted_is_taken(guest: Guest) -> None:
    guest.shell("mkfs.ext4 -q /dev/ubda")
    hidden = guest.start(
        ["unshare", "--mount", "sh", "-c", "mount /dev/ubda /mnt && echo there && exec sleep 1000"]
    )
    try:
        guest.shell("until grep -qs ubda /proc/[0-9]*/mountinfo; do sleep 0.1; done")
        (claim,) = claims(disk(guest, "a"), "mount")
        assert "in another mount namespace" in claim["detail"]
        guest.shell(claim["how_to_free"])
        assert heaviest(disk(guest, "a")) == "data"
    finally:
        hidden.kill(signal.SIGKILL)
        hidden.wait(10)


@pytest.mark.parametrize(("way", "word"), [("<", "reading"), (">>", "writing")])
def test_a_process_that_has_the_disk_open_is_named(guest: Guest, way: str, word: str) -> None:
    holder = guest.start(["sh", "-c", f"exec sleep 1000 {way}/dev/ubda"])
    try:
        guest.shell("until ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q /dev/ubda; do sleep 0.1; done")
        (claim,) = disk(guest, "a")["taken_by"]
        assert (claim["what"], claim["weight"]) == ("process", "busy")
        assert f"open for {word} by process" in claim["detail"]
        assert "(sleep)" in claim["detail"]
        ended = re.fullmatch(r"end sleep \(process (\d+)\)", claim["how_to_free"])
        assert ended is not None, "an ordinary program is ended by its own means, not killed by a command"
        guest.shell(f"kill {ended[1]}")
        assert disk(guest, "a")["free"]
    finally:
        holder.kill(signal.SIGKILL)
        holder.wait(10)


def test_a_disk_is_known_under_whatever_name_a_container_was_given_it(guest: Guest) -> None:
    guest.shell(
        """
        modprobe loop
        for d in a b; do n=$(cat /sys/block/ubd$d/dev); mknod /tmp/given-$d b ${n%:*} ${n#*:}; done
        losetup /dev/loop0 /tmp/given-b
        """
    )
    holder = guest.start(["sh", "-c", "exec sleep 1000 3<>/tmp/given-a"])
    try:
        guest.shell("until ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q given-a; do sleep 0.1; done")
        (by_process,), (by_loop,) = disk(guest, "a")["taken_by"], disk(guest, "b")["taken_by"]
        assert "open for writing by process" in by_process["detail"]
        assert "the loop device /dev/loop0 uses it" in by_loop["detail"]
    finally:
        holder.kill(signal.SIGKILL)
        holder.wait(10)
        guest.shell("losetup --detach-all; rm /tmp/given-*")


def test_a_disk_that_another_program_holds_for_itself_is_busy_whatever_holds_it(guest: Guest) -> None:
    script = "import os, time; os.open('/dev/ubda', os.O_RDWR | os.O_EXCL); print('held', flush=True); time.sleep(1000)"
    holder = guest.start(["python3", "-c", script])
    try:
        guest.shell("until ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q /dev/ubda; do sleep 0.1; done")
        assert heaviest(disk(guest, "a")) == "busy"
    finally:
        holder.kill(signal.SIGKILL)
        holder.wait(10)


def test_a_path_of_a_multipath_device_cannot_be_used(guest: Guest) -> None:
    guest.shell(
        "modprobe -a dm-multipath dm-round-robin; sectors=$(blockdev --getsz /dev/ubda); "
        'echo "0 $sectors multipath 0 0 1 1 round-robin 0 1 1 /dev/ubda 1" | dmsetup create mpatha -u mpath-3600508b'
    )
    (claim,) = disk(guest, "a")["taken_by"]
    assert (claim["what"], claim["weight"]) == ("multipath", "unusable")


def test_a_read_only_disk_is_unusable_until_it_is_writable(guest: Guest) -> None:
    guest.shell("blockdev --setro /dev/ubda")
    try:
        (claim,) = disk(guest, "a")["taken_by"]
        assert (claim["what"], claim["weight"]) == ("read-only", "unusable")
    finally:
        guest.shell("blockdev --setrw /dev/ubda")
    assert disk(guest, "a")["free"]


def test_a_disk_that_gives_only_errors_is_not_taken_for_a_blank_one(guest: Guest) -> None:
    guest.shell(
        'echo \'KERNEL=="dm-*", ATTR{dm/name}=="sick", ENV{RAIDTUI_LAB_DISK}="1", '
        'ENV{ID_SERIAL_SHORT}="SICK"\' >/run/udev/rules.d/59-sick.rules; udevadm control --reload; '
        "printf '0 8 linear /dev/ubda 0\\n8 100000 error\\n' | dmsetup create sick; udevadm settle"
    )
    try:
        sick = next(d for d in inspect(guest)["disks"] if d["serial"] == "SICK")
        assert [(claim["what"], claim["weight"]) for claim in sick["taken_by"]] == [
            ("unreadable", "unusable")
        ]
    finally:
        guest.shell("rm /run/udev/rules.d/59-sick.rules; udevadm control --reload; dmsetup remove sick")


def test_a_physical_volume_of_a_group_is_busy_while_the_group_is_active_elsewhere(guest: Guest) -> None:
    guest.shell("vgcreate -qq vg /dev/ubda /dev/ubdb; lvcreate -qq -y -n lv -L 32M vg /dev/ubda")
    (claim,) = [c for c in disk(guest, "b")["taken_by"] if c["weight"] == "busy"]
    assert claim["what"] == "lvm"
    guest.shell("vgchange --quiet -an vg")
    (data,) = disk(guest, "b")["taken_by"]
    assert data["weight"] == "data"
    assert 'one of 2 in the volume group "vg", which is not active' in data["detail"]


@pytest.mark.first(0)
def test_a_volume_group_of_another_system_is_shown_as_its_and_the_printed_way_frees_the_disk(
    guest: Guest,
) -> None:
    guest.shell("vgcreate -qq far /dev/ubda /dev/ubdb; vgchange -qq -y --systemid nas-2 far")
    for letter in "ab":
        (claim,) = disk(guest, letter)["taken_by"]
        assert (claim["what"], claim["weight"]) == ("lvm", "busy")
        assert claim["detail"] == 'in the LVM volume group "far" of another system, "nas-2"'
        command = claim["how_to_free"].rpartition(": ")[2]
        guest.shell(f"{command} --erase={command.split()[-1]}")
        assert heaviest(disk(guest, letter)) == "data"  # of LVM's own notes: they are not erased


def test_a_physical_volume_outside_the_devices_file_is_seen(guest: Guest) -> None:
    guest.shell("vgcreate -qq here /dev/ubda; mkdir -p /etc/lvm/devices; vgcreate -qq away /dev/ubdb")
    try:
        guest.shell(
            "echo 'IDTYPE=devname IDNAME=/dev/ubda DEVNAME=/dev/ubda' >/etc/lvm/devices/system.devices; "
            "sed -i 's/^[[:space:]#]*use_devicesfile = .*/use_devicesfile = 1/' /etc/lvm/lvm.conf"
        )
        (claim,) = disk(guest, "b")["taken_by"]
        assert 'in the volume group "away", which is not active' in claim["detail"]
    finally:
        guest.shell(
            "rm -rf /etc/lvm/devices; sed -i 's/^[[:space:]]*use_devicesfile = 1/# use_devicesfile = 0/' /etc/lvm/lvm.conf"
        )


def test_an_exported_volume_group_and_one_that_lacks_a_disk_are_data_and_say_so(guest: Guest) -> None:
    guest.shell("vgcreate -qq packed /dev/ubda; vgexport -qq packed; vgcreate -qq torn /dev/ubdb /dev/ubdc")
    guest.shell("wipefs --quiet --all /dev/ubdc; udevadm settle")
    (exported,) = disk(guest, "a")["taken_by"]
    (partial,) = disk(guest, "b")["taken_by"]
    assert {exported["weight"], partial["weight"]} == {"data"}
    assert 'in the volume group "packed", which was exported' in exported["detail"]
    assert (
        'one of 2 in the volume group "torn", which is not active, 1 of its disks missing'
        in partial["detail"]
    )


CONTENTS = {
    "stopped array": (
        "md-member",
        f"{MDADM} --level=1 --bitmap=none -n2 /dev/ubda missing; mdadm -q --stop /dev/md127",
    ),
    "unmounted Btrfs": ("btrfs", "mkfs.btrfs -q -f /dev/ubda >/dev/null"),
    "closed LUKS": (
        "luks",
        "printf x | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/ubda -",
    ),
    "XFS": (
        "filesystem",
        "truncate -s 400M /dev/shm/x; mkfs.xfs -q /dev/shm/x; dd if=/dev/shm/x of=/dev/ubda bs=1M count=8 status=none; rm /dev/shm/x",
    ),
    "swap not in use": ("signature", "mkswap -q /dev/ubda"),
    "empty GPT": ("partition-table", "printf 'label: gpt\\n' | sfdisk -q /dev/ubda"),
    "MBR with a partition": ("partition-table", "printf 'label: dos\\n,32M\\n' | sfdisk -q /dev/ubda"),
    "only the backup of a GPT": (
        "partition-table",
        "printf 'label: gpt\\n' | sfdisk -q /dev/ubda; dd if=/dev/zero of=/dev/ubda bs=512 count=34 status=none",
    ),
    "a partition whose table is lost": (
        "overwritten",
        "printf 'label: gpt\\n,64M\\n' | sfdisk -q /dev/ubda; udevadm settle; mkfs.ext4 -q /dev/ubda1; "
        "wipefs -q --all --force /dev/ubda; blockdev --rereadpt /dev/ubda",
    ),
    "encrypted without a header": (
        "unknown-data",
        "printf x | cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --hash sha256 /dev/ubda vault -; "
        "dd if=/dev/zero of=/dev/mapper/vault bs=1M status=none 2>&1 || :; cryptsetup close vault",
    ),
}


@pytest.mark.first(5)
@pytest.mark.parametrize("content", CONTENTS)
def test_what_nothing_uses_is_data_that_can_be_erased(guest: Guest, content: str) -> None:
    kind, script = CONTENTS[content]
    guest.shell(script)
    found = disk(guest, "a")
    assert not found["free"]
    assert [(claim["what"], claim["weight"]) for claim in found["taken_by"]] == [(kind, "data")]


def test_a_filesystem_that_fstab_names_is_claimed_by_that_line_too(guest: Guest) -> None:
    guest.shell("mkfs.ext4 -q -L keep /dev/ubda; echo 'LABEL=keep /srv/keep ext4 noauto 0 0' >>/etc/fstab")
    (claim,) = claims(disk(guest, "a"), "configured")
    assert claim["how_to_free"] == "remove this line from /etc/fstab: LABEL=keep /srv/keep ext4 noauto 0 0"


def test_looking_wakes_nobody(guest: Guest) -> None:
    """A device that was open for writing is read anew by udev when it is closed: watchers would never rest."""
    guest.shell("mkfs.ext4 -q /dev/ubda; udevadm settle")
    monitor = guest.start(["udevadm", "monitor", "--udev", "--kernel", "--subsystem-match=block"])
    inspect(guest)
    inspect(guest)
    guest.shell("udevadm settle; sleep 0.5")
    monitor.kill(signal.SIGTERM)
    monitor.wait(10)
    assert b"change" not in bytes(monitor.stdout)


def test_looking_does_not_disturb_who_holds_a_lock(guest: Guest) -> None:
    """A job locks its disks while mdadm opens them for itself; for that moment nobody else may."""
    holder = guest.start(["flock", "--no-fork", "/dev/ubda", "sleep", "1000"])
    try:
        guest.shell("until grep -q FLOCK /proc/locks; do sleep 0.1; done")
        traced = guest.shell(
            "raidtui inspect --json >/dev/null; "
            "python3 -c \"import os; os.close(os.open('/dev/ubda', os.O_RDWR | os.O_EXCL))\""
        )
        assert traced.returncode == 0
        assert heaviest(disk(guest, "a")) == "busy"
    finally:
        holder.kill(signal.SIGKILL)
        holder.wait(10)


def test_without_root_what_may_be_read_is_read(guest: Guest) -> None:
    guest.shell("mkfs.ext4 -q -L films /dev/ubda; udevadm settle")
    # Root imports, since somebody else may not be allowed to read where this Python is installed.
    script = """
import concurrent.futures.thread, os
import pyudev
from raidtui.machine.reader import read_machine
from raidtui.model.struct import to_json
os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(to_json(read_machine()))
"""
    machine = json.loads(python(guest, script).stdout)
    assert machine["complete"] is False
    assert [d["serial"] for d in machine["disks"]][:2] == ["LAB-0001", "LAB-0002"]
    assert claims(machine["disks"][0], "filesystem")


def test_udev_is_read_as_pyudev_reads_it(guest: Guest) -> None:
    guest.shell("mkfs.ext4 -q -L 'all my films' /dev/ubda; udevadm settle")
    script = """
import json, pyudev
from raidtui.machine.udev import properties_of, read_properties
def plain(found):
    return {one: {**all, "DEVLINKS": sorted(all.get("DEVLINKS", "").split())} for one, all in found.items()}
theirs = [dict(one.properties) for one in pyudev.Context().list_devices(subsystem="block")]
theirs = plain({f"{one['MAJOR']}:{one['MINOR']}": one for one in theirs})
ours = plain(read_properties())
assert ours == theirs, (ours, theirs)
assert plain({one: properties_of(one) for one in ours}) == theirs
assert not properties_of("250:250") and not properties_of("") and not properties_of("9" * 20 + ":1")
print(json.dumps(ours))
"""
    found = json.loads(python(guest, script).stdout)
    (films,) = (one for one in found.values() if one["DEVNAME"] == "/dev/ubda")
    assert (films["ID_FS_TYPE"], films["ID_FS_LABEL"]) == ("ext4", "all_my_films")


def test_a_machine_reads_back_as_it_was_printed(guest: Guest) -> None:
    guest.shell(f"{MDADM} --level=5 --bitmap=internal -n3 /dev/ubda /dev/ubdb /dev/ubdc")
    guest.shell(
        "raidtui inspect --json >/tmp/one; raidtui --machine /tmp/one inspect --json >/tmp/two; cmp /tmp/one /tmp/two"
    )


def test_a_new_raid5_is_an_initial_build_also_after_it_was_stopped_and_started(guest: Guest) -> None:
    guest.shell(
        "echo 2000 >/proc/sys/dev/raid/speed_limit_max; "
        f"{MDADM} --level=5 --bitmap=internal -n3 /dev/ubda /dev/ubdb /dev/ubdc -x1 /dev/ubdd"
    )
    building = array(guest)
    assert building is not None
    assert (building["initial_build"], building["degraded"], building["sync_action"]) == (True, 1, "recover")
    guest.shell(
        "dd if=/dev/zero of=/dev/md127 bs=1M count=4 oflag=direct status=none; sleep 1; mdadm -q --stop /dev/md127"
    )
    guest.shell("mdadm -q --assemble /dev/md/tank /dev/ubd[a-d] || :; mdadm -q --readwrite /dev/md127 || :")
    again = array(guest)
    assert again is not None
    assert again["initial_build"] is True


@pytest.mark.first(1)
@pytest.mark.parametrize("bitmap", ["internal", "none"])
def test_a_replaced_last_member_is_no_initial_build_even_with_the_number_of_the_first(
    guest: Guest, bitmap: str
) -> None:
    guest.shell(
        f"{MDADM} --level=5 --bitmap={bitmap} -n3 /dev/ubda /dev/ubdb /dev/ubdc -x1 /dev/ubdd; "
        "mdadm --wait /dev/md127 || :; dd if=/dev/zero of=/dev/md127 bs=4k count=1 oflag=direct status=none; "
        "sleep 12; "
        f"{SLOW}; mdadm -q /dev/md127 --fail /dev/ubdc; sleep 0.5"
    )
    taking_over = array(guest)
    assert taking_over is not None
    assert (taking_over["initial_build"], taking_over["degraded"]) == (False, 1)
    assert [m["state"] for m in taking_over["members"] if m["slot"] == 2] == [["spare"]]
    guest.shell("mdadm -q /dev/md127 --remove /dev/ubdc; sleep 0.5")
    without_the_failed_one = array(guest)
    assert without_the_failed_one is not None
    assert without_the_failed_one["initial_build"] is False


@pytest.mark.first(0)
def test_levels_layouts_and_units_are_the_kernels(guest: Guest) -> None:
    wanted = {
        "raid0": ("-n2 /dev/ubda /dev/ubdb", ""),
        "raid1": ("-n2 /dev/ubda /dev/ubdb --bitmap=none", ""),
        "raid4": ("-n3 /dev/ubd[abc] --bitmap=none", ""),
        "raid5": ("-n3 /dev/ubd[abc] --layout=rs --bitmap=none", "right-symmetric"),
        "raid6": ("-n4 /dev/ubd[abcd] --bitmap=none", "left-symmetric"),
        "raid10": ("-n3 /dev/ubd[abc] --layout=o2 --bitmap=none", "o2"),
        "linear": ("-n2 /dev/ubda /dev/ubdb", ""),
    }
    if guest.shell("modprobe linear", check=False).returncode:
        del wanted["linear"]  # kernels 6.8 to 6.13 do not know it
    for level, (options, layout) in wanted.items():
        guest.shell(f"{MDADM} --level={level} {options}; udevadm settle")
        found = array(guest)
        assert found is not None
        assert (found["level"], found["layout"], found["path"]) == (level, layout, "/dev/md/tank")
        assert found["size_bytes"] == int(guest.shell("blockdev --getsize64 /dev/md127").stdout)
        assert all(m["offset_bytes"] % 512 == 0 and m["size_bytes"] > 150 * 10**6 for m in found["members"])
        guest.shell(
            "mdadm -q --stop /dev/md127; for d in /dev/ubd[abcd]; do wipefs -qa $d; done; udevadm settle"
        )


def test_an_array_that_cannot_start_still_has_its_name_and_uuid(guest: Guest) -> None:
    guest.shell(f"{MDADM} --level=raid0 -n2 /dev/ubda /dev/ubdb; udevadm settle")
    running = array(guest)
    guest.shell("mdadm -q --stop /dev/md127; mdadm -q --incremental /dev/ubda; udevadm settle")
    stuck = array(guest)
    assert running is not None
    assert stuck is not None
    assert (stuck["state"], stuck["uuid"], stuck["level"]) == ("inactive", running["uuid"], "raid0")


def test_doctor_is_content_with_the_lab(guest: Guest) -> None:
    done = raidtui(guest, "doctor")
    assert done.code == 0, done.stderr


def members(guest: Guest) -> dict[str, str]:
    """The members of the one array by path, with their state."""
    (found,) = inspect(guest)["arrays"]
    return {member["path"]: ",".join(member["state"]) for member in found["members"]}


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("bitmap", "meanwhile", "word"),
    [
        ("internal", "", "raidtui care"),
        ("none", "dd if=/dev/urandom of=/dev/md127 bs=1M count=2 status=none", "keep it as it is"),
    ],
)
def test_a_former_member_comes_back_by_the_printed_command(
    guest: Guest, bitmap: str, meanwhile: str, word: str
) -> None:
    """Unless it is stale, and the array has no redundancy: it may be the only other copy.

    The line of the running array in mdadm.conf is right, and nobody is told to remove it.
    """
    guest.shell(
        f"{MDADM} --level=5 --bitmap={bitmap} -n3 /dev/ubda /dev/ubdb /dev/ubdc; mdadm --wait /dev/md127 || :; "
        "mdadm --detail --brief /dev/md127 >>/etc/mdadm/mdadm.conf; "
        "mdadm -q /dev/md127 --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md127 --remove /dev/ubdb; "
        f"{meanwhile or ':'}; udevadm settle"
    )
    (claim,) = disk(guest, "b")["taken_by"]
    assert claim["what"] == "md-member"
    assert word in claim["how_to_free"]
    assert "mdadm.conf" not in claim["how_to_free"]
    if not word.startswith("raidtui"):
        assert "mdadm" not in claim["how_to_free"]
        return
    guest.shell(f"{claim['how_to_free']}; mdadm --wait /dev/md127 || :; udevadm settle")
    assert members(guest) == dict.fromkeys(("/dev/ubda", "/dev/ubdb", "/dev/ubdc"), "in_sync")


WRITE = "seq 200000 | dd of=/dev/md127 bs=64K iflag=fullblock oflag=direct conv=sync status=none; "
COMPARE = "seq 200000 | cmp -n $(seq 200000 | wc -c) - /dev/md127"


@pytest.mark.first(1)
@pytest.mark.parametrize("booted", [False, True])
def test_a_failed_array_runs_again_by_the_printed_command(guest: Guest, booted: bool) -> None:
    """Erasing its former members, as raidtui once advised, would lose the data.

    So would assembling it from all of them: mdadm forces the first one in that left while the array was being written
    to, and md reads its old data as current.
    """
    guest.shell(
        f"{MDADM} --level=5 --bitmap=internal -n3 /dev/ubda /dev/ubdb /dev/ubdc; mdadm --wait /dev/md127 || :; "
        "mdadm -q /dev/md127 --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md127 --remove /dev/ubdb; "
        + WRITE
        # mdadm 4.4 refuses to fail a member that the array cannot lose.
        + "echo faulty >/sys/block/md127/md/dev-ubdc/state || :; sleep 0.5; "
        "mdadm -q /dev/md127 --remove /dev/ubdc; udevadm settle"
    )
    if booted:
        guest.shell(
            "mdadm -q --stop /dev/md127; for name in a b c; do mdadm -q --incremental /dev/ubd$name || :; done; "
            "udevadm settle"
        )
    else:
        (claim,) = disk(guest, "c")["taken_by"]
        assert "which has failed without it" in claim["detail"]
    finding, lines = advised(guest)
    trial, copies, forced = finding.remedies
    assert isinstance(trial.procedure, Recover)
    assert "ddrescue" in copies.text
    assert "without LAB-0002 (ubdb), whose data is out of date" in forced.text
    assert booted or "raidtui status" in claim["how_to_free"]
    guest.shell(f"{lines[-1]} --accept forced-start; udevadm settle")
    assert members(guest) == dict.fromkeys(("/dev/ubda", "/dev/ubdc"), "in_sync")
    guest.shell(COMPARE)


@pytest.mark.first(0)
def test_a_former_member_of_an_array_that_is_whole_again_can_only_be_erased(guest: Guest) -> None:
    guest.shell(
        f"{MDADM} --level=1 --bitmap=internal -n2 /dev/ubda /dev/ubdb -x1 /dev/ubdc; mdadm --wait /dev/md127 || :; "
        "mdadm -q /dev/md127 --fail /dev/ubdb; mdadm --wait /dev/md127 || :; mdadm -q /dev/md127 --remove /dev/ubdb; "
        "udevadm settle"
    )
    (claim,) = disk(guest, "b")["taken_by"]
    assert claim["how_to_free"] == ""
    guest.shell("wipefs --all /dev/ubdb")
    assert disk(guest, "b")["free"]


@pytest.mark.first(0)
def test_a_stopped_array_with_metadata_0_90_is_judged_by_its_superblocks_and_started(guest: Guest) -> None:
    guest.shell(
        "mdadm -q --create /dev/md90 --run --metadata=0.90 --level=1 --bitmap=internal -n2 /dev/ubda /dev/ubdb; "
        "mdadm --wait /dev/md90 || :; mdadm -q --stop /dev/md90; udevadm settle"
    )
    (found,) = raidtui(guest, "status", "--json").report["units"]
    assert (found["name"], found["level"], found["raid_disks"]) == ("md90", "raid1", 2)
    finding, lines = advised(guest)
    assert [one.text for one in finding.remedies] == ["start it: both members are here and up to date"]
    guest.shell(f"{' && '.join(lines)}; udevadm settle")
    (found,) = raidtui(guest, "status", "--json").report["units"]
    assert found["health"] == "ok"
