"""A job that is killed at any point, or whose power is cut, goes on where it was and does nothing twice."""

import json
import re
import time
from collections.abc import Callable

from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, KILLER, apply, array, raidtui, serials, signatures, spec_text, teardown

PAIR = serials(2)


def kill_during(guest: Guest, command: str, event: str, step: str = "") -> str:
    """Run a command of raidtui whose job is killed at a point of its journal; returns the step it was killed at."""
    done = guest.shell(
        f"""
        size=$(cat {JOBS}/*/journal.jsonl 2>/dev/null | wc -c)
        python3 {KILLER} {JOBS} {event} '{step}' $size >/tmp/killed & killer=$!
        {command} >/dev/null 2>/tmp/said
        wait $killer; cat /tmp/killed
        """,
        check=False,
    )
    return done.stdout.strip()


def test_a_build_killed_at_the_begin_and_at_the_end_of_every_step_is_finished(guest: Guest) -> None:
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", PAIR))
    command = f"raidtui apply /root/spec.toml --erase {','.join(PAIR)}"
    first = kill_during(guest, command, "step")
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    assert job["outcome"] == "interrupted"
    steps = [one["id"] for one in json.loads(guest.shell(f"cat {job['folder']}/plan.json").stdout)["steps"]]
    assert first == steps[0]
    go_on = f"raidtui job run {job['folder']}"  # what 'resume' starts, without following it
    for number, step in enumerate(steps):
        if number:
            assert kill_during(guest, go_on, "step", step) == step
        assert kill_during(guest, go_on, "step-done", step) == step
    finished = raidtui(guest, "resume", job["request"]["id"], "--json")
    assert finished.code == 0, finished.said
    assert finished.report["steps_done"] == steps
    assert_once_and_whole(guest)


def assert_once_and_whole(guest: Guest) -> None:
    """One array, mounted, written down once."""
    found = array(guest)
    assert found is not None
    assert (found["level"], len(found["members"]), found["mountpoints"]) == ("raid1", 2, ["/srv/tank"])
    guest.shell("mdadm --wait /dev/md/tank || true; touch /srv/tank/file; sync")
    fstab, conf = guest.shell("cat /etc/fstab").stdout, guest.shell("cat /etc/mdadm/mdadm.conf").stdout
    assert len(re.findall("/srv/tank", fstab)) == 1
    assert len(re.findall("^ARRAY", conf, re.MULTILINE)) == 1
    assert guest.shell("grep -c ' /srv/tank ' /proc/self/mountinfo").stdout.strip() == "1"
    assert guest.shell("ls /sys/block | grep -c '^md'").stdout.strip() == "1"
    check = guest.shell(
        "umount /srv/tank && fsck.ext4 -fn /dev/md/tank; code=$?; mount /srv/tank; exit $code", check=False
    )
    assert check.returncode == 0, check.stdout


def test_a_teardown_killed_at_every_step_is_finished(guest: Guest) -> None:
    assert apply(guest, spec_text("raid1", PAIR), PAIR, "--wait-sync").code == 0
    guest.shell(f"rm -r {JOBS}/*")
    command = f"raidtui teardown tank --erase {','.join(PAIR)}"
    first = kill_during(guest, command, "step")
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    steps = [one["id"] for one in json.loads(guest.shell(f"cat {job['folder']}/plan.json").stdout)["steps"]]
    assert first == steps[0]
    go_on = f"raidtui job run {job['folder']}"  # what 'resume' starts, without following it
    for number, step in enumerate(steps):
        if number:
            assert kill_during(guest, go_on, "step", step) == step
        assert kill_during(guest, go_on, "step-done", step) == step
    finished = raidtui(guest, "resume", job["request"]["id"], "--json")
    assert finished.code == 0, finished.said
    assert signatures(guest, PAIR) == []
    assert array(guest) is None
    assert "tank" not in guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf").stdout


def cut_power_at(guest: Guest, command: list[str], words: bytes) -> None:
    """Run a command until it says ``words``, pull the plug a moment later, and boot again."""
    running = guest.start(command)
    deadline = time.monotonic() + 60
    while words not in running.stderr:
        assert time.monotonic() < deadline, running.stderr
        assert running.returncode is None, running.stderr
        guest.pump(0.05)
    guest.power_cut()
    guest.power_on()


def test_a_build_survives_power_cuts(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("2x128MiB")
    spec = spec_text("raid1", PAIR)
    guest.run(["sh", "-c", "cat >/var/lib/raidtui/spec.toml"], stdin=spec)
    plan = raidtui(guest, "plan", "/var/lib/raidtui/spec.toml", "--json").report
    titles = {step["id"]: step["title"].encode() for step in plan["steps"]}
    apply_it = ["raidtui", "apply", "/var/lib/raidtui/spec.toml", "--erase", ",".join(PAIR)]
    cut_power_at(guest, apply_it, titles["create"])
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    assert job["outcome"] == "interrupted"
    resume = ["raidtui", "resume", job["request"]["id"]]
    cut_power_at(guest, resume, titles["mkfs"])
    cut_power_at(guest, resume, titles["fstab"])
    finished = raidtui(guest, *resume[1:], "--json", "--wait-sync")
    assert finished.code == 0, finished.said
    assert_once_and_whole(guest)
    assert teardown(guest, "tank", PAIR).code == 0


def test_a_job_that_runs_cannot_be_resumed_or_undone(guest: Guest) -> None:
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", PAIR))
    running = guest.start(["raidtui", "apply", "/root/spec.toml", "--erase", ",".join(PAIR)])
    guest.shell(f"until ls {JOBS}/*/journal.jsonl 2>/dev/null; do sleep 0.1; done", timeout=60)
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    if job["outcome"] == "running":
        for command in ("resume", "rollback"):
            refused = raidtui(guest, command, job["request"]["id"])
            assert refused.code == 3
    assert running.wait(60) == 0
