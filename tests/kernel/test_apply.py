"""What `raidtui apply` does, says and leaves, on a real kernel."""

import signal

import pytest

from raidtui.lab.command import Command
from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    array,
    journal,
    nodes,
    only_job,
    python,
    raidtui,
    serials,
    spec_text,
)

THREE = serials(3)


@pytest.mark.first(0)
def test_it_returns_when_the_steps_are_done_and_the_kernel_goes_on_syncing(guest: Guest) -> None:
    guest.shell("echo 2000 >/proc/sys/dev/raid/speed_limit_max; echo 100 >/proc/sys/dev/raid/speed_limit_min")
    built = apply(guest, spec_text("raid5", THREE), THREE)
    assert built.code == 0, built.stderr
    found = built.report["array"]
    assert found["sync_action"] in ("recover", "resync")
    assert found["initial_build"] is True
    assert found["mountpoints"] == ["/srv/tank"]
    assert built.report["outcome"] == "done"


def test_every_step_and_command_is_in_the_journal(guest: Guest) -> None:
    built = apply(guest, spec_text("raid1", THREE[:2]), THREE[:2])
    assert built.code == 0, built.stderr
    entries = journal(guest, built.report["job"])
    events = [entry["event"] for entry in entries]
    assert events[0] == "started"
    assert (events[-1], entries[-1]["outcome"], entries[-1]["exit_code"]) == ("ended", "done", 0)
    assert [entry["seq"] for entry in entries] == list(range(len(entries)))
    begun = [entry["step"] for entry in entries if entry["event"] == "step"]
    done = [entry["step"] for entry in entries if entry["event"] == "step-done"]
    assert begun == done == built.report["steps_done"]
    create = next(e for e in entries if e["event"] == "command" and "--create" in e["argv"])
    assert create["returncode"] == 0
    assert create["seconds"] > 0
    said = create.get("stderr", "") + create.get("stdout", "")  # mdadm 4.4 says it on the other
    assert "array /dev/md/tank started" in said
    # Each step's command comes after the line that says the step begins.
    assert events.index("step") < events.index("command")


def test_a_dry_run_names_every_command_and_changes_nothing(guest: Guest) -> None:
    guest.shell("mkfs.ext4 -q /dev/ubda")
    guest.shell("touch /tmp/now")
    state = f"for one in a b; do head -c 32M /dev/ubd$one | sha256sum; done; find /etc /srv -newer /tmp/now; ls {JOBS}/.. | grep -v ^disks || true"
    before = guest.shell(state).stdout
    spec = spec_text("raid1", THREE[:2])
    dry = apply(guest, spec, THREE[:2], "--dry-run")
    assert dry.code == 0, dry.stderr
    assert dry.stderr.startswith(
        "On lab (virtual disks): build RAID1 tank; ERASES 2 disks: LAB-0001, LAB-0002\n"
    )
    assert dry.report["would_begin"] is True
    assert "$ mdadm --create /dev/md/tank" in dry.stderr
    assert "$ mkfs.ext4" in dry.stderr
    assert guest.shell(state).stdout == before
    # What the job would refuse the dry run refuses too.
    guest.shell("mount /dev/ubda /mnt")
    assert apply(guest, spec, THREE[:2], "--dry-run").code == 3


def test_the_array_is_persistent_and_written_down_once(guest: Guest) -> None:
    built = apply(guest, spec_text("raid1", THREE[:2]), THREE[:2])
    uuid = built.report["array"]["uuid"].replace("-", "")
    conf = guest.shell("cat /etc/mdadm/mdadm.conf").stdout
    (line,) = [one for one in conf.splitlines() if one.startswith("ARRAY")]
    assert uuid in line.replace(":", "")
    assert "spares=" not in line
    (mount,) = [one for one in guest.shell("cat /etc/fstab").stdout.splitlines() if "/srv/tank" in one]
    assert mount.startswith("UUID=")
    assert "nofail" in mount


@pytest.mark.first(0)
def test_it_waits_until_the_array_is_in_sync_when_asked(guest: Guest) -> None:
    built = apply(guest, spec_text("raid5", THREE, filesystem="none"), THREE, "--wait-sync")
    assert built.code == 0, built.stderr
    assert built.report["array"]["sync_action"] == "idle"
    assert built.report["array"]["degraded"] == 0


@pytest.mark.first(0)
def test_a_member_that_fails_during_the_sync_fails_the_waiting(guest: Guest) -> None:
    guest.shell("echo 2000 >/proc/sys/dev/raid/speed_limit_max; echo 100 >/proc/sys/dev/raid/speed_limit_min")
    spec = spec_text("raid1", THREE[:2], filesystem="none", partition=False)
    running = guest.start(["raidtui", "apply", "-", "--erase", ",".join(THREE[:2]), "--wait-sync"])
    running.write_all(spec.encode())
    (second,) = nodes(guest, THREE[1:2])
    guest.shell("until grep -q ^ARRAY /etc/mdadm/mdadm.conf; do sleep 0.2; done", timeout=60)
    assert "resync" in guest.shell("cat /proc/mdstat").stdout
    guest.shell(f"mdadm --fail /dev/md/tank {second}; echo 200000 >/proc/sys/dev/raid/speed_limit_max")
    assert running.wait(60) == 4
    assert b"degraded" in running.stderr
    assert only_job(guest)["outcome"] == "done"


@pytest.mark.first(0)
def test_a_spare_takes_over_and_the_waiting_ends_well(guest: Guest) -> None:
    guest.shell("echo 2000 >/proc/sys/dev/raid/speed_limit_max; echo 100 >/proc/sys/dev/raid/speed_limit_min")
    spec = spec_text("raid1", THREE[:2], spares=THREE[2:], filesystem="none", partition=False)
    running = guest.start(["raidtui", "apply", "-", "--erase", ",".join(THREE), "--wait-sync"])
    running.write_all(spec.encode())
    (second,) = nodes(guest, THREE[1:2])
    guest.shell("until grep -q ^ARRAY /etc/mdadm/mdadm.conf; do sleep 0.2; done", timeout=60)
    assert "resync" in guest.shell("cat /proc/mdstat").stdout
    guest.shell(f"mdadm --fail /dev/md/tank {second}; echo 200000 >/proc/sys/dev/raid/speed_limit_max")
    assert running.wait(90) == 0, running.stderr
    found = array(guest)
    assert found is not None
    assert found["degraded"] == 0


def start_and_wait_for_the_journal(guest: Guest, *more: str, size: tuple[int, int] | None = None) -> Command:
    """``raidtui apply`` of a RAID1, followed in the guest, as soon as its job has begun."""
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", THREE[:2]))
    running = guest.start(
        ["raidtui", "apply", "/root/spec.toml", "--erase", ",".join(THREE[:2]), *more], size=size
    )
    guest.shell(f"until grep -qs step {JOBS}/*/journal.jsonl; do sleep 0.1; done", timeout=60)
    return running


@pytest.mark.first(0)
def test_ctrl_c_only_stops_following_and_attach_finds_the_job_again(guest: Guest) -> None:
    running = start_and_wait_for_the_journal(guest)
    running.kill(signal.SIGINT)
    assert running.wait(30) == 130
    assert b"The job keeps running without this terminal; 'raidtui attach" in running.stderr
    attached = raidtui(guest, "attach", "--json")
    assert attached.code == 0, attached.stderr
    assert attached.report["outcome"] == "done"
    assert attached.report["array"]["mountpoints"] == ["/srv/tank"]


def test_the_job_outlives_its_terminal(guest: Guest) -> None:
    terminal = start_and_wait_for_the_journal(guest, size=(24, 80))
    terminal.kill(signal.SIGHUP)
    terminal.wait(30)
    assert raidtui(guest, "attach", "--json").report["outcome"] == "done"


def test_a_command_that_fails_says_what_is_left_and_can_be_resumed(guest: Guest) -> None:
    """mkfs is broken for a moment: the failure is a sentence, and resuming finishes the work."""
    real = guest.shell("command -v mkfs.ext4").stdout.strip()
    guest.shell(
        f"mv {real} {real}.away; printf '#!/bin/sh\\necho broken >&2; exit 9\\n' >{real}; chmod 755 {real}"
    )
    try:
        failed = apply(guest, spec_text("raid1", THREE[:2]), THREE[:2])
    finally:
        guest.shell(f"mv {real}.away {real}")
    assert failed.code == 4
    assert failed.report["outcome"] == "failed"
    for words in (
        "broken",
        "exit code 9",
        "The old contents of the disks are lost",
        "raidtui resume",
        "raidtui rollback",
    ):
        assert words in failed.report["sentence"]
    resumed = raidtui(guest, "resume", failed.report["job"], "--json")
    assert resumed.code == 0, resumed.stderr
    assert resumed.report["array"]["mountpoints"] == ["/srv/tank"]
    again = raidtui(guest, "resume", failed.report["job"])
    assert again.code == 3
    assert "is done" in again.stderr


def test_a_cancelled_job_stops_between_steps_and_goes_on_when_resumed(guest: Guest) -> None:
    running = start_and_wait_for_the_journal(guest, "--json")
    order = "import sys; from raidtui.jobs.start import cancel; cancel(sys.argv[1])"
    assert python(guest, order, only_job(guest)["request"]["id"]).returncode == 0
    assert running.wait(60) == 4
    job = only_job(guest)
    assert job["outcome"] == "cancelled"
    resumed = raidtui(guest, "resume", job["request"]["id"], "--json")
    assert resumed.code == 0, resumed.stderr
    assert resumed.report["array"]["mountpoints"] == ["/srv/tank"]
