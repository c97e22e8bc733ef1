"""Btrfs over several disks, on real ones: built, watched, cut off at every step, torn, and taken away without a trace."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    advised,
    apply,
    bench,
    checksums,
    inspect,
    kill_everywhere,
    killed,
    nodes,
    only_job,
    prepare,
    prepare_build,
    python,
    raidtui,
    read_something,
    serials,
    signatures,
    spec_text,
    teardown,
    unit,
    write_something,
)
from tests.kernel.test_script import SCRIPT, make_script, run_script

PAIR, THREE = serials(2), serials(3)
QUICK = str(Path(__file__).with_name("quick.toml"))  # the guest has the same folders
LEVELS = [
    ("raid1", 3, "raid1"),
    ("raid5", 3, "raid1"),
    ("raid0", 2, "raid1"),
    ("single", 2, "raid1"),
    ("raid1c3", 3, "raid1c3"),
    ("raid1c4", 4, "raid1c4"),
    ("raid10", 4, "raid1"),
    ("raid6", 4, "raid1c3"),
]
# Every superblock, also those that wipefs does not see; one line for each that is left.
REMAINS = """
for node in "$@"; do
    # Of a member that is the whole disk, and of one whose partition began at 1 MiB.
    for place in 65536 67108864 1114112 68157440; do
        dd if="$node" bs=4096 iflag=skip_bytes skip="$place" count=1 status=none | grep -aqE '[_!]BHRfS_M' && echo "$node $place"
    done
done
true
"""


def spec(level: str, members: list[str], **options: Any) -> str:
    return spec_text(level, members, backend="btrfs", **options)


def accepted(level: str) -> tuple[str, ...]:
    return ("--accept", "btrfs-parity") if level in {"raid5", "raid6"} else ()


def nothing_is_left(guest: Guest, disks: list[str]) -> None:
    assert unit(guest) is None
    assert signatures(guest, disks) == []
    assert guest.run(["sh", "-c", REMAINS, "remains", *nodes(guest, disks)]).stdout == ""
    assert "tank" not in guest.shell("cat /etc/fstab /proc/self/mountinfo").stdout


@pytest.mark.first(1)
@pytest.mark.parametrize(("level", "count", "metadata"), LEVELS)
def test_a_profile_is_built_holds_data_and_is_taken_away(
    large_guest: Guest, level: str, count: int, metadata: str
) -> None:
    guest, disks = large_guest, serials(count)
    text = spec(level, disks, partition=level != "raid0")
    calculated = raidtui(guest, "calc", "-", "--json", stdin=text).report
    built = apply(guest, text, disks, *accepted(level))
    assert built.code == 0, built.stderr
    found = unit(guest)
    assert found is not None
    assert (found["backend"], found["level"], found["health"]) == ("btrfs", level, "ok")
    assert found["size_bytes"] == calculated["array_bytes"]
    assert [member["disk"] for member in found["members"]] == disks
    assert found["mountpoints"] == ["/srv/tank"]
    profiles = guest.shell("btrfs filesystem df /srv/tank").stdout.lower()
    assert f"data, {level}:" in profiles
    assert f"metadata, {metadata}:" in profiles
    written = write_something(guest)
    assert read_something(guest) == written
    gone = teardown(guest, "tank", disks)
    assert gone.code == 0, gone.stderr
    nothing_is_left(guest, disks)


@pytest.mark.first(0)
def test_it_comes_back_after_a_power_cut_and_its_missing_disk_is_replaced_as_advised(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest("4x600MiB")
    built = apply(guest, spec("raid1", THREE), THREE)
    assert built.code == 0, built.stderr
    written = write_something(guest)
    guest.power_cut()
    guest.power_on()
    assert read_something(guest) == written
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["mountpoints"]) == ("ok", ["/srv/tank"])

    guest.shell("umount /srv/tank; blkdiscard -f /dev/ubdb1; sync")
    guest.power_cut()
    guest.power_on()  # mount --all refuses it, and the computer boots all the same
    half = unit(guest)
    assert half is not None
    assert (half["health"], half["level"], half["mountpoints"]) == ("inactive", "raid1", [])
    assert half["state"] == "1 of 3 disks missing (devid 2), not mounted"
    assert [member["state"] for member in half["members"]] == ["not mounted", "missing", "not mounted"]
    refused = teardown(guest, "tank", THREE)
    assert refused.code == 3
    assert "devid 2" in refused.stderr

    assert follow(guest) == ("inactive", ["raidtui care tank --do start-degraded"])
    assert " ro," in guest.shell("grep ' /srv/tank ' /proc/mounts").stdout
    assert read_something(guest) == written
    torn = unit(guest)
    assert torn is not None
    # Whether the chunks are on the missing disk depends on where mkfs put them.
    assert torn["health"] == "degraded"
    assert "1 of 3 disks missing (devid 2)" in torn["state"]
    guest.shell("mount -o remount,rw /srv/tank; dd if=/dev/urandom of=/srv/tank/more bs=1M count=30; sync")
    health, (done, *_) = follow(guest)
    assert health == "degraded"
    assert done.startswith("raidtui care tank --erase LAB-000")
    assert read_something(guest) == written
    whole = unit(guest)
    assert whole is not None
    assert (whole["health"], whole["state"]) == ("ok", "mounted, no device errors")
    used = [member["disk"] for member in whole["members"]]
    gone = teardown(guest, "tank", used)
    assert gone.code == 0, gone.stderr
    nothing_is_left(guest, used)


@pytest.mark.first(0)
def test_a_replacement_alone_leaves_chunks_without_a_copy_and_the_balance_follows(large_guest: Guest) -> None:
    guest = large_guest
    guest.shell(
        "mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; udevadm settle; blkdiscard -f /dev/ubdb; "
        "btrfs device scan --forget; btrfs device scan /dev/ubda; mkdir -p /srv/tank; "
        "mount -o degraded /dev/ubda /srv/tank; btrfs replace start -B 2 /dev/ubdc /srv/tank; sync"
    )
    assert follow(guest)[0] == "degraded"
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["state"]) == ("ok", "mounted, no device errors")


def test_a_disk_without_chunks_is_missing_and_no_data_is_lost(large_guest: Guest) -> None:
    guest = large_guest
    guest.shell(
        "mkfs.btrfs -q -f -L tank -d single -m raid1 /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle; mkdir -p /srv/tank; "
        "mount /dev/ubda /srv/tank; btrfs device add -f /dev/ubdd /srv/tank; umount /srv/tank; blkdiscard -f /dev/ubdd; "
        "btrfs device scan --forget; btrfs device scan /dev/ubda /dev/ubdb /dev/ubdc; udevadm settle"
    )
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["state"]) == ("inactive", "1 of 4 disks missing (devid 4), not mounted")
    guest.shell("mount -o degraded /dev/ubda /srv/tank")  # for writing: the kernel has judged each chunk
    found = unit(guest)
    assert found is not None
    assert found["health"] == "degraded"
    health, _ = follow(guest)
    assert health == "degraded"
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["state"]) == ("ok", "mounted, no redundancy")


@pytest.mark.first(0)
def test_a_disk_that_was_away_is_scrubbed_as_advised_and_is_a_whole_copy_then(large_guest: Guest) -> None:
    guest = large_guest
    guest.shell(
        "mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; btrfs device scan --forget; "
        "btrfs device scan /dev/ubda; mkdir -p /srv/tank; mount -o degraded /dev/ubda /srv/tank; "
        "head -c 20M /dev/urandom >/srv/tank/more; sha256sum </srv/tank/more >/root/sum; umount /srv/tank; "
        "btrfs device scan --forget; btrfs device scan; udevadm settle"
    )
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["state"]) == ("inactive", "not mounted, 1 disk out of date")
    _, commands = follow(guest)
    assert commands == ["raidtui care tank"]
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["state"]) == ("ok", "mounted, no device errors")
    guest.shell(
        "umount /mnt; btrfs device scan --forget; btrfs device scan /dev/ubdb; mount -o degraded,ro /dev/ubdb /srv/tank"
    )
    assert guest.shell("sha256sum </srv/tank/more | cmp - /root/sum").returncode == 0


@pytest.mark.first(0)
def test_a_disk_that_comes_back_to_a_mounted_filesystem_is_used_again_only_after_another_mount(
    large_guest: Guest,
) -> None:
    """The kernel and btrfs-progs say then that no device is missing, and nothing is written to it."""
    guest = large_guest
    guest.shell(
        "mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; udevadm settle; btrfs device scan --forget; "
        "btrfs device scan /dev/ubda; mkdir -p /srv/tank; "
        "echo 'LABEL=tank /srv/tank btrfs defaults,nofail 0 0' >>/etc/fstab; mount -o degraded /dev/ubda /srv/tank; "
        "btrfs device scan; head -c 20M /dev/urandom >/srv/tank/more; sync; sha256sum </srv/tank/more >/root/sum"
    )
    missing = guest.shell("cat /sys/fs/btrfs/*/devinfo/2/missing; btrfs filesystem show /srv/tank")
    assert missing.stdout.startswith("0\n")
    assert "MISSING" not in missing.stdout
    health, commands = follow(guest)
    assert (health, commands[0]) == ("degraded", "raidtui care tank")
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["state"]) == ("ok", "mounted, no device errors")
    guest.shell(
        "umount /srv/tank; btrfs device scan --forget; btrfs device scan /dev/ubdb; mount -o degraded,ro /dev/ubdb /srv/tank"
    )
    assert guest.shell("sha256sum </srv/tank/more | cmp - /root/sum").returncode == 0


@pytest.mark.first(0)
def test_counted_errors_are_scrubbed_though_the_job_is_killed_at_every_step(large_guest: Guest) -> None:
    guest = large_guest
    guest.shell(
        "mkfs.btrfs -q -f -L tank -d raid1 -m raid1 /dev/ubda /dev/ubdb; mkdir -p /srv/tank; mount /dev/ubda /srv/tank; "
        "head -c 60M /dev/urandom >/srv/tank/more; sha256sum </srv/tank/more >/root/sum; sync; "
        "dd if=/dev/urandom of=/dev/ubdb bs=1M seek=75 count=40 conv=notrunc,fsync status=none; "
        "echo 3 >/proc/sys/vm/drop_caches; btrfs scrub start -B /srv/tank; udevadm settle",
        check=False,
    )
    found = unit(guest)
    assert found is not None
    assert (found["health"], "corruption" in found["state"]) == ("errors", True)
    kill_everywhere(guest, prepare(guest, "care", "tank"))
    found = unit(guest)
    assert found is not None
    assert (found["health"], found["state"]) == ("ok", "mounted, no device errors")
    guest.shell(
        "umount /srv/tank; btrfs device scan --forget; btrfs device scan /dev/ubdb; mount -o degraded,ro /dev/ubdb /srv/tank"
    )
    assert guest.shell("sha256sum </srv/tank/more | cmp - /root/sum").returncode == 0


def follow(guest: Guest) -> tuple[str, list[str]]:
    """Do the first thing that is advised; its health before, and the commands."""
    (found,) = raidtui(guest, "status", "--json").report["units"]
    _, lines = advised(guest)
    done = guest.shell(f"{lines[0]} --accept without-checksums,not-copied", timeout=300)
    assert done.returncode == 0, f"{lines[0]}: {done.stderr}"
    return found["health"], lines


@pytest.mark.first(0)
def test_a_build_that_is_killed_at_every_step_is_finished(large_guest: Guest) -> None:
    guest = large_guest
    kill_everywhere(guest, prepare_build(guest, spec("raid1", PAIR), PAIR))
    found = unit(guest)
    assert found is not None
    assert (found["level"], len(found["members"]), found["mountpoints"]) == ("raid1", 2, ["/srv/tank"])
    assert guest.shell("grep -c /srv/tank /etc/fstab").stdout.strip() == "1"
    assert guest.shell("grep -c ' /srv/tank ' /proc/self/mountinfo").stdout.strip() == "1"
    guest.shell("touch /srv/tank/file; umount /srv/tank; btrfs check /dev/ubda1 2>&1; mount /srv/tank")


@pytest.mark.first(0)
def test_a_teardown_that_is_killed_at_every_step_is_finished(large_guest: Guest) -> None:
    guest = large_guest
    assert apply(guest, spec("raid1", PAIR), PAIR).code == 0
    guest.shell(f"rm -r {JOBS}/*")
    kill_everywhere(guest, prepare(guest, "teardown", "tank", "--erase", ",".join(PAIR)))
    nothing_is_left(guest, PAIR)


CUT_OFF = """
set -e
mkdir -p /tmp/real; tool=$(readlink -f "$(command -v mkfs.btrfs)"); cp "$tool" /tmp/real/mkfs.btrfs
cat >/tmp/slow <<'EOF'
#!/bin/sh
case $* in *--version*) exec /tmp/real/mkfs.btrfs "$@" ;; esac
/tmp/real/mkfs.btrfs "$@" || exit
for last; do :; done
# As if it had been cut off after the true superblock of the last member alone was written.
case $1 in --quiet) ;; *) exit ;; esac
for one; do case $one in /dev/*) [ "$one" = "$last" ] || printf '!BHRfS_M' | dd of="$one" bs=1 seek=65600 conv=notrunc status=none ;; esac; done
sync; kill -9 $PPID $$
EOF
chmod 755 /tmp/slow; mount --bind /tmp/slow "$tool"
"""


@pytest.mark.first(0)
@pytest.mark.parametrize("undo", [False, True])
def test_a_mkfs_that_is_cut_off_is_erased_and_done_again_or_undone(large_guest: Guest, undo: bool) -> None:
    """It leaves a superblock on the last member, and on the others one that neither blkid nor wipefs knows."""
    guest = large_guest
    job = prepare_build(guest, spec("raid1", THREE), THREE)
    guest.shell(CUT_OFF)
    try:
        running = guest.start(["raidtui", "job", "run", job["folder"]])
        running.wait(60)
    finally:
        guest.shell('umount "$(readlink -f "$(command -v mkfs.btrfs)")"')
    assert only_job(guest)["outcome"] in {"interrupted", "failed"}
    assert [one["type"] for one in signatures(guest, THREE) if one["type"] == "btrfs"] == ["btrfs"]
    done = raidtui(guest, "rollback" if undo else "resume", job["request"]["id"], "--json")
    assert done.code == 0, done.stderr
    if undo:
        nothing_is_left(guest, THREE)
    else:
        found = unit(guest)
        assert found is not None
        assert (len(found["members"]), found["mountpoints"]) == (3, ["/srv/tank"])


@pytest.mark.first(0)
def test_before_mkfs_the_disks_come_back_byte_for_byte(large_guest: Guest) -> None:
    guest = large_guest
    first, second = nodes(guest, PAIR)
    guest.shell(f"mkfs.btrfs -q -L old -d raid1 -m raid1 {first} {second}; sync; udevadm settle")
    before, seen = checksums(guest, PAIR), signatures(guest, PAIR)
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec("raid1", PAIR))
    job = prepare(guest, "apply", "/root/spec.toml", "--erase", ",".join(PAIR), "--accept", "foreign-pool")
    assert killed(guest, "step-done", "settle-partitions", "job", "run", job["folder"])
    assert checksums(guest, PAIR) != before
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert undone.report["sentence"] == "the disks are as they were before"
    assert (checksums(guest, PAIR), signatures(guest, PAIR)) == (before, seen)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("event", "step"), [("command", "mkfs"), ("step-done", "settle-filesystem"), ("step-done", "mount")]
)
def test_after_mkfs_it_is_taken_apart_and_the_loss_is_said(large_guest: Guest, event: str, step: str) -> None:
    guest = large_guest
    job = prepare_build(guest, spec("raid1", PAIR), PAIR)
    assert killed(guest, event, step, "job", "run", job["folder"])
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert "the old contents of the disks are lost" in undone.report["sentence"]
    nothing_is_left(guest, PAIR)


@pytest.mark.first(0)
@pytest.mark.parametrize("mounted", [True, False])
def test_one_that_is_in_use_is_not_undone(large_guest: Guest, mounted: bool) -> None:
    guest = large_guest
    job = prepare_build(guest, spec("raid1", PAIR), PAIR)
    assert killed(guest, "command", "mount", "job", "run", job["folder"])
    guest.shell("mountpoint -q /srv/tank || mount /srv/tank")
    before = write_something(guest)
    if not mounted:
        guest.shell("umount /srv/tank; btrfs device scan --forget")
    refused = raidtui(guest, "rollback", job["request"]["id"])
    assert refused.code == 3
    assert "holds data; a rollback would erase that" in refused.stderr
    guest.shell("btrfs device scan >/dev/null; mountpoint -q /srv/tank || mount /srv/tank")
    assert read_something(guest) == before


@pytest.mark.first(0)
def test_the_script_builds_and_removes_what_apply_and_teardown_would(large_guest: Guest) -> None:
    guest = large_guest
    make_script(guest, spec("raid1c3", THREE))
    code, said = run_script(guest, "--erase", ",".join(THREE))
    assert code == 0, said
    built = unit(guest)
    assert built is not None
    assert (built["level"], built["mountpoints"]) == ("raid1c3", ["/srv/tank"])
    removal = guest.run(["raidtui", "teardown", "tank", "--script"])
    assert removal.returncode == 0, removal.stderr
    guest.run(["sh", "-c", f"cat >{SCRIPT}"], stdin=removal.stdout)
    code, said = run_script(guest, "--erase", ",".join(THREE))
    assert code == 0, said
    nothing_is_left(guest, THREE)


NOW = """
from raidtui.backends.registry import reader
from raidtui.model.spec import Backend
from raidtui.model.struct import to_json
import subprocess
reader(Backend.BTRFS).now()  # pyudev is loaded, which starts one
subprocess.Popen = subprocess.run = None  # a look of every second starts no process
print(to_json({"units": reader(Backend.BTRFS).now()}))
"""


def now(guest: Guest) -> dict[str, Any]:
    done = python(guest, NOW)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["units"]
    assert isinstance(found, dict)
    return found


def test_scrub_balance_errors_and_a_missing_disk_are_watched(large_guest: Guest) -> None:
    """On disks that answer slowly, so that there is something to see."""
    guest = large_guest
    guest.shell(
        """
        modprobe -a dm-delay
        for letter in a b c; do
            echo "0 $(blockdev --getsz /dev/ubd$letter) delay /dev/ubd$letter 0 0" | dmsetup create slow-$letter
        done
        mkfs.btrfs -q -L tank -d raid1 -m raid1 /dev/mapper/slow-a /dev/mapper/slow-b /dev/mapper/slow-c
        mkdir -p /srv/tank; mount /dev/mapper/slow-a /srv/tank
        head -c 150000000 /dev/urandom >/srv/tank/data; sync
        for limit in /sys/fs/btrfs/*/devinfo/*/scrub_speed_max; do echo 8388608 >$limit; done
        """
    )
    idle = now(guest)
    assert (idle["health"], idle["activity"], idle["mountpoints"]) == ("ok", None, ["/srv/tank"])
    guest.shell("btrfs scrub start /srv/tank >/dev/null")
    seen = [now(guest)["activity"] for _ in range(3)]
    guest.shell("btrfs scrub cancel /srv/tank || true")
    assert [one["what"] for one in seen if one] == ["scrub"] * 3
    assert 0 < seen[-1]["fraction"] <= 1
    assert seen[-1]["total_bytes"] > 300_000_000
    guest.shell(
        """
        for letter in a b c; do
            echo "0 $(blockdev --getsz /dev/ubd$letter) delay /dev/ubd$letter 0 100" | dmsetup load slow-$letter
            dmsetup resume slow-$letter
        done
        btrfs balance start --bg --full-balance /srv/tank >/dev/null
        """
    )
    assert now(guest)["activity"]["what"] == "balance"
    guest.shell("btrfs balance pause /srv/tank", timeout=120)
    paused = now(guest)["activity"]
    assert (paused["what"], paused["paused"]) == ("balance", True)
    guest.shell("btrfs balance cancel /srv/tank", timeout=120)

    guest.shell(
        """
        dmsetup suspend --nolockfs slow-b  # frozen, Linux 7.2 would read its superblocks at the end, and let nobody write
        # Eight sectors that work: a device on nothing at all counts as gone.
        printf '0 8 linear /dev/ubdb 0\n8 %d error\n' $(($(blockdev --getsz /dev/ubdb) - 8)) | dmsetup load slow-b
        dmsetup resume slow-b
        head -c 1000000 /dev/urandom >/srv/tank/more; sync; sync
        """
    )
    end = time.monotonic() + 30
    while (broken := now(guest))["health"] != "errors" and time.monotonic() < end:
        guest.shell("touch /srv/tank/x; sync")
    assert broken["health"] == "errors"
    assert broken["state"].startswith("device errors: devid 2: ")
    assert "write" in broken["members"][1]["state"]
    assert [one["name"] for one in inspect(guest)["units"]] == ["tank"]


@pytest.mark.first(0)
def test_a_benchmark_keeps_the_profiles_and_leaves_nothing(large_guest: Guest) -> None:
    guest = large_guest
    assert apply(guest, spec("raid1", PAIR), PAIR).code == 0
    measured = bench(guest, "/srv/tank", "--profile", QUICK, "--json")
    assert measured.returncode == 0, measured.stderr
    made = json.loads(measured.stdout)["context"]["array"]
    assert (made["backend"], made["level"], made["metadata"], made["checksum"]) == (
        "btrfs",
        "raid1",
        "raid1",
        "crc32c",
    )
    assert guest.shell("ls -A /srv/tank").stdout == ""
