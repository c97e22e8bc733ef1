"""A job that is killed at any point, or whose power is cut, goes on where it was and does nothing twice."""

import re
from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    cut_power_at,
    journal,
    kill_everywhere,
    killed,
    only_job,
    prepare,
    prepare_build,
    raidtui,
    serials,
    signatures,
    spec_text,
    steps_of,
    teardown,
    unit,
)
from tests.kernel.test_recover_metadata import TEAR

PAIR = serials(2)


def assert_whole(guest: Guest, backend: str = "mdadm") -> None:
    """One array, mounted once, written down once, with a sound filesystem."""
    found = unit(guest)
    assert found is not None
    count = 1 if backend == "lvm-on-md" else 2
    assert (found["level"], len(found["members"]), found["mountpoints"]) == ("raid1", count, ["/srv/tank"])
    fstab, conf = guest.shell("cat /etc/fstab").stdout, guest.shell("cat /etc/mdadm/mdadm.conf").stdout
    assert len(re.findall("/srv/tank", fstab)) == 1
    assert guest.shell("grep -c ' /srv/tank ' /proc/self/mountinfo").stdout.strip() == "1"
    if backend != "lvm":
        assert len(re.findall("^ARRAY", conf, re.MULTILINE)) == 1
        assert guest.shell("ls /sys/block | grep -c '^md'").stdout.strip() == "1"
    if backend != "mdadm":
        assert guest.shell("vgs --noheadings -o vg_name,lv_count").stdout.split() == ["tank", "1"]
    guest.shell(f"touch /srv/tank/file; umount /srv/tank; fsck.ext4 -fn {found['path']}; mount /srv/tank")


@pytest.mark.first(1)
@pytest.mark.parametrize("backend", ["mdadm", "lvm", "lvm-on-md"])
def test_a_build_that_is_killed_at_every_step_is_finished(guest: Guest, backend: str) -> None:
    kill_everywhere(guest, prepare_build(guest, spec_text("raid1", PAIR, backend=backend), PAIR))
    assert_whole(guest, backend)


@pytest.mark.first(1)
@pytest.mark.parametrize("way", ["run", "rollback"])
def test_a_group_whose_metadata_was_torn_as_its_volume_was_created(guest: Guest, way: str) -> None:
    """LVM changes no group of which it cannot read the metadata on any disk, so the group is made again, or erased."""
    job = prepare_build(guest, spec_text("linear", PAIR, backend="lvm", partition=False), PAIR)
    assert killed(guest, "step", "volume", "job", "run", job["folder"])
    guest.shell(TEAR.format("/dev/ubd[ab]"))
    done = guest.run(["raidtui", "job", way, job["folder"]], timeout=300)
    assert done.returncode == 0, (done.stdout, done.stderr)
    found = unit(guest)
    assert (found is not None and found["mountpoints"] == ["/srv/tank"]) is (way == "run")


@pytest.mark.first(0)
@pytest.mark.parametrize("backend", ["mdadm", "lvm", "lvm-on-md"])
def test_a_teardown_that_is_killed_at_every_step_is_finished(guest: Guest, backend: str) -> None:
    assert apply(guest, spec_text("raid1", PAIR, backend=backend), PAIR).code == 0
    guest.shell(f"rm -r {JOBS}/*")
    kill_everywhere(guest, prepare(guest, "teardown", "tank", "--erase", ",".join(PAIR)))
    assert signatures(guest, PAIR) == []
    assert unit(guest) is None
    assert "tank" not in guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf").stdout


@pytest.mark.first(0)
@pytest.mark.parametrize("undo", [False, True])
def test_an_lvcreate_that_is_cut_off_is_removed_and_done_again_or_undone(guest: Guest, undo: bool) -> None:
    """It leaves a volume with our tag that is not active, and its metadata as volumes beside it."""
    three = serials(3)
    job = prepare_build(guest, spec_text("raid5", three, backend="lvm"), three)
    guest.shell("modprobe -a dm-raid raid456")
    running = guest.start(["raidtui", "job", "run", job["folder"]])
    guest.shell("until dmsetup ls | grep -q rmeta; do :; done; kill -9 $(pidof lvcreate)", timeout=120)
    assert running.wait(60) == 4
    assert only_job(guest)["outcome"] == "failed"
    assert guest.shell("lvs --noheadings -o lv_attr tank/data").stdout.split() == ["rwi---r--k"]
    done = raidtui(guest, "rollback" if undo else "resume", job["request"]["id"], "--json")
    assert done.code == 0, done.stderr
    found = unit(guest)
    if undo:
        assert found is None
        assert signatures(guest, three) == []
    else:
        assert found is not None
        assert (found["level"], found["mountpoints"]) == ("raid5", ["/srv/tank"])


def test_a_command_that_outlives_its_killed_job_is_waited_for_and_not_repeated(guest: Guest) -> None:
    """mkfs is slow here; the job is killed with SIGKILL from outside while it runs, and resumed at once."""
    tool = guest.shell("command -v mkfs.ext4").stdout.strip()
    slow = '#!/bin/sh\n[ "$1" = -V ] || { touch /tmp/mkfs-runs; sleep 4; }\nexec /tmp/real/mkfs.ext4 "$@"\n'
    guest.shell(
        f"""
        rm -rf /tmp/mkfs-runs /tmp/real; mkdir /tmp/real
        ln -s "$(readlink -f {tool})" /tmp/real/mkfs.ext4; mv {tool} /tmp/real/link
        cat >{tool} <<'EOF'
{slow}EOF
        chmod 755 {tool}
        """
    )
    try:
        guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", PAIR))
        running = guest.start(["raidtui", "apply", "/root/spec.toml", "--erase", ",".join(PAIR), "--json"])
        guest.shell("until [ -e /tmp/mkfs-runs ]; do sleep 0.1; done", timeout=90)
        job = only_job(guest)
        guest.shell(f"kill -9 {job['pid']}")
        assert running.wait(30) == 4
        assert b"died unexpectedly" in running.stderr
        resumed = raidtui(guest, "resume", job["request"]["id"], "--json")
    finally:
        guest.shell(f"mv -f /tmp/real/link {tool}")
    assert resumed.code == 0, resumed.stderr
    told = journal(guest, job["request"]["id"])
    assert not [one for one in told if one["event"] == "command" and one["argv"][0] == "mkfs.ext4"]
    assert [one["text"] for one in told if one["event"] == "step-done" and one["step"] == "mkfs"] == [
        "done before the interruption"
    ]
    assert_whole(guest)


@pytest.mark.first(0)
def test_a_build_survives_power_cuts(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("2x128MiB")
    guest.run(["sh", "-c", "cat >/var/lib/raidtui/spec.toml"], stdin=spec_text("raid1", PAIR))
    cut_power_at(
        guest,
        ["raidtui", "apply", "/var/lib/raidtui/spec.toml", "--erase", ",".join(PAIR)],
        "$ wipefs --all",
    )
    job = only_job(guest)
    assert job["outcome"] == "interrupted"
    titles = {step["id"]: step["title"] for step in steps_of(guest, job)}
    resume = ["raidtui", "resume", job["request"]["id"]]
    for step in ("create", "mkfs"):
        cut_power_at(guest, resume, titles[step])
    assert killed(guest, "step-done", "fstab", "job", "run", job["folder"])
    guest.power_cut()
    guest.power_on()
    finished = raidtui(guest, *resume[1:], "--json", "--wait-sync")
    assert finished.code == 0, finished.stderr
    assert_whole(guest)

    apart = ["raidtui", "teardown", "tank", "--erase", ",".join(PAIR)]
    cut_power_at(guest, apart, "Stop the array")
    job = raidtui(guest, "jobs", "--json").report["jobs"][0]
    finished = raidtui(guest, "resume", job["request"]["id"], "--json")
    assert finished.code == 0, finished.stderr
    assert signatures(guest, PAIR) == []


def test_a_job_that_runs_cannot_be_resumed_or_undone(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR), PAIR)
    holding = guest.start(["flock", f"{job['folder']}/lock", "sleep", "30"])
    guest.shell("sleep 1")
    for command in ("resume", "rollback"):
        refused = raidtui(guest, command, job["request"]["id"])
        assert refused.code == 3
        assert "is running; follow it" in refused.stderr
    holding.kill(9)
    holding.wait(10)
    assert teardown(guest, "tank", PAIR).code == 2
