"""The filesystem of the state folder fails under a job: one sentence, an exit code, and nothing done unrecorded."""

import time

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import serials, signatures, spec_text

PAIR = serials(2)
STATE = {"RAIDTUI_STATE": "/srv/state"}
APPLY = ["raidtui", "apply", "/run/spec.toml", "--erase", ",".join(PAIR)]


@pytest.fixture
def state(guest: Guest) -> Guest:
    """The guest with the state folder on a disk of its own, whose filesystem can be made to fail."""
    guest.shell(
        "mkfs.ext4 -q -F /dev/ubdh; mkdir /srv/state; mount /dev/ubdh /srv/state; chmod 700 /srv/state"
    )
    guest.run(["sh", "-c", "cat >/run/spec.toml"], stdin=spec_text("raid1", PAIR))
    return guest


def fail(guest: Guest) -> None:
    """Let ext4 find an error: it becomes read-only, also for files that are open."""
    guest.shell("mount -o remount,abort /srv/state", check=False)


def test_a_job_whose_state_folder_fails_stops_and_says_why(state: Guest) -> None:
    running = state.start(APPLY, env=STATE)
    end = time.monotonic() + 120
    while b"[3/" not in running.stderr:
        assert time.monotonic() < end, running.stderr
        state.pump(0.05)
    fail(state)
    while running.returncode is None:
        assert time.monotonic() < end, running.stderr
        state.pump(0.05)
    said = running.stderr.decode()
    assert running.returncode == 4
    # Linux 6.1 refuses only what writes; later kernels (6.12) refuse also what reads.
    reads = state.shell("cat /srv/state/jobs/*/request.json", check=False).returncode == 0
    why = "Read-only file system" if reads else "Input/output error"
    assert why in said.splitlines()[-1]
    assert "died unexpectedly" not in said
    assert "Traceback" not in said
    name = state.shell("ls /srv/state/jobs").stdout.strip()
    job = state.run(["raidtui", "jobs"], env=STATE)
    if reads:
        assert "failed" in job.stdout
    else:
        assert f"{name}/request.json cannot be read: {why}" in job.stderr
    for words in (["resume", name], ["rollback", name], APPLY[1:]):
        done = state.run(["raidtui", *words], env=STATE)
        assert done.returncode == 3
        assert "Nothing was started" in done.stderr or f"request.json cannot be read: {why}" in done.stderr
        assert "Traceback" not in done.stderr
    # The job itself may notice later than the command that followed it.
    state.shell(
        "for n in $(seq 50); do umount /srv/state && break; sleep 0.2; done 2>/dev/null; e2fsck -fy /dev/ubdh || test $? = 1; mount /dev/ubdh /srv/state"
    )
    assert state.run(["raidtui", "rollback", name], env=STATE).returncode == 0
    assert signatures(state, PAIR) == []
