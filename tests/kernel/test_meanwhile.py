"""What somebody has stored on an array, while the job that builds it or takes it away was interrupted, stays."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    array,
    checksums,
    killed,
    nodes,
    prepare,
    prepare_build,
    raidtui,
    read_something,
    serials,
    spec_text,
    teardown,
    write_something,
)

PAIR = serials(2)
ALONE = (
    f'name = "lone"\nbackend = "disk"\nlevel = "single"\nmembers = ["{PAIR[0]}"]\n'
    '[filesystem]\ntype = "ext4"\nlabel = "lone"\nmountpoint = "/srv/tank"\n'
)


@pytest.mark.first(0)
@pytest.mark.parametrize("alone", [False, True])
def test_files_in_a_filesystem_that_is_mounted_nowhere_are_seen_before_it_is_undone(
    guest: Guest, alone: bool
) -> None:
    erase = PAIR[:1] if alone else PAIR
    job = prepare_build(guest, ALONE if alone else spec_text("raid1", PAIR), erase)
    assert killed(guest, "step-done", "mount", "job", "run", job["folder"])
    written = write_something(guest)
    guest.shell("umount /srv/tank")
    refused = raidtui(guest, "rollback", job["request"]["id"])
    assert refused.code == 3, refused.stderr
    assert "holds data; a rollback would erase that" in refused.stderr
    guest.shell("mount /srv/tank")
    assert read_something(guest) == written
    guest.shell("rm /srv/tank/data; umount /srv/tank")
    undone = raidtui(guest, "rollback", job["request"]["id"])
    assert undone.code == 0, undone.stderr
    assert "/tmp/raidtui-" not in guest.shell("cat /proc/self/mountinfo").stdout


@pytest.mark.first(0)
def test_an_array_without_a_filesystem_is_not_undone_once_it_was_there_to_be_used(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR, filesystem="none"), PAIR)
    assert killed(guest, "step-done", "clear", "job", "run", job["folder"])
    guest.shell("dd if=/dev/urandom of=/dev/md/tank bs=1M count=1 oflag=direct status=none")
    refused = raidtui(guest, "rollback", job["request"]["id"])
    assert refused.code == 3
    assert "'raidtui teardown tank' removes it" in refused.stderr
    guest.shell("mdadm --stop /dev/md/tank")
    refused = raidtui(guest, "rollback", job["request"]["id"])
    assert refused.code == 3
    assert "is not running, so what is on it now is unknown" in refused.stderr


@pytest.mark.first(0)
def test_what_was_made_on_a_new_array_before_the_job_goes_on_stops_it(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR), PAIR)
    assert killed(guest, "step-done", "create", "job", "run", job["folder"])
    guest.shell(
        "udevadm settle; mkfs.ext4 -q -L mine /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank"
    )
    written = write_something(guest)
    guest.shell("umount /srv/tank")
    for command in ("resume", "rollback"):
        refused = raidtui(guest, command, job["request"]["id"])
        assert refused.code == 3, refused.stderr
        assert "which this job did not put there" in refused.stderr
    guest.shell("mount /dev/md/tank /srv/tank")
    assert read_something(guest) == written


@pytest.mark.first(0)
def test_an_array_that_was_stopped_meanwhile_is_started_again_and_the_build_finished(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR), PAIR)
    assert killed(guest, "step-done", "clear", "job", "run", job["folder"])
    guest.shell("udevadm settle; mdadm --stop /dev/md/tank")
    resumed = raidtui(guest, "resume", job["request"]["id"])
    assert resumed.code == 0, resumed.stderr
    assert array(guest) is not None


@pytest.mark.first(1)
@pytest.mark.parametrize("step", ["fstab", "clear"])
def test_a_teardown_does_not_erase_what_came_after_it_was_confirmed(guest: Guest, step: str) -> None:
    assert apply(guest, spec_text("raid1", PAIR), PAIR).code == 0
    guest.shell("rm -r /var/lib/raidtui/jobs/*")
    job = prepare(guest, "teardown", "tank", "--erase", ",".join(PAIR))
    assert killed(guest, "step-done", step, "job", "run", job["folder"])
    guest.shell("mkfs.ext4 -q -F -L mine /dev/md/tank; mount /dev/md/tank /srv/tank")
    written = write_something(guest)
    refused = raidtui(guest, "resume", job["request"]["id"])
    assert refused.code == 3, refused.stderr
    assert "which this job did not put there" in refused.stderr
    assert read_something(guest) == written


@pytest.mark.first(0)
def test_a_process_or_a_loop_device_that_uses_an_array_keeps_it(guest: Guest) -> None:
    assert apply(guest, spec_text("raid1", PAIR, filesystem="none"), PAIR).code == 0
    guest.shell(
        "mkfs.ext4 -q /dev/md/tank; (exec sleep 1000 <>/dev/md/tank >/dev/null 2>&1 & echo $! >/root/pid)"
    )
    refused = teardown(guest, "tank", PAIR)
    assert refused.code != 0
    assert "(sleep) has it open" in refused.stderr
    guest.shell("kill $(cat /root/pid); modprobe loop; losetup -f /dev/md/tank")
    refused = teardown(guest, "tank", PAIR)
    assert refused.code != 0
    assert "the loop device /dev/loop0 uses it" in refused.stderr
    assert "ext4" in guest.shell("wipefs /dev/md/tank").stdout
    guest.shell("losetup -D")
    assert teardown(guest, "tank", PAIR).code == 0


@pytest.mark.first(0)
def test_who_cannot_undo_for_want_of_a_disk_learns_where_the_old_bytes_are(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR), PAIR)
    assert killed(guest, "step-done", "wipe", "job", "run", job["folder"])
    (second,) = nodes(guest, PAIR[1:])
    rules = "/run/udev/rules.d/99-test.rules"
    told = "udevadm trigger --subsystem-match=block --action=change; udevadm settle"
    serial = 'ENV{ID_SERIAL_SHORT}="OTHER", ENV{ID_SERIAL}="OTHER", ENV{ID_WWN}=""'
    try:
        guest.shell(
            f"mkdir -p /run/udev/rules.d; echo 'KERNEL==\"{second.removeprefix('/dev/')}\", {serial}' >{rules}; "
            f"udevadm control --reload; until udevadm info --query=property --name={second} "
            f"| grep -qx ID_SERIAL_SHORT=OTHER; do {told}; done"
        )
        refused = raidtui(guest, "rollback", job["request"]["id"])
    finally:
        guest.shell(f"rm -f {rules}; udevadm control --reload; {told}")
    assert refused.code == 3
    assert "LAB-0002 was confirmed, but now" in refused.stderr
    assert f"what this job overwrote is kept in {job['folder']}/capsule" in refused.stderr


@pytest.mark.first(0)
def test_disks_full_of_random_bytes_come_back_and_it_is_said(guest: Guest) -> None:
    guest.shell(
        f"for d in {' '.join(nodes(guest, PAIR))}; do dd if=/dev/urandom of=$d bs=1M status=none || true; done; sync"
    )
    before = checksums(guest, PAIR)
    job = prepare_build(guest, spec_text("raid1", PAIR), PAIR)
    assert killed(guest, "step-done", "wipe", "job", "run", job["folder"])
    undone = raidtui(guest, "rollback", job["request"]["id"])
    assert undone.code == 0, undone.stderr
    assert checksums(guest, PAIR) == before
