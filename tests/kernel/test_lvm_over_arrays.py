"""One volume over several arrays, on a real kernel: killed on the way, degraded in each array, removed, rolled back.

That the volume is as large as calculated, to the byte, is a condition of its step.
"""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    inspect,
    killed,
    prepare_build,
    raidtui,
    read_something,
    serials,
    signatures,
    spec_text,
    teardown,
    unit,
    write_something,
)

SIX, FOUR = serials(6), serials(4)


@pytest.mark.first(0)
def test_a_volume_striped_over_two_arrays_is_resumed_and_survives_a_failed_disk_in_each(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid50", SIX, backend="lvm-on-md", chunk="64KiB"), SIX)
    assert killed(guest, "command", "create-2", "job", "run", job["folder"])
    finished = raidtui(guest, "resume", job["request"]["id"], "--json", "--wait-sync")
    assert finished.code == 0, finished.stderr
    written = write_something(guest)
    guest.shell("mdadm /dev/md/tank-1 --fail /dev/ubdb1; mdadm /dev/md/tank-2 --fail /dev/ubdf1")
    guest.shell("echo 3 >/proc/sys/vm/drop_caches")
    assert read_something(guest) == written
    found = unit(guest)
    assert found is not None
    assert (found["level"], found["health"], found["mountpoints"]) == ("raid50", "degraded", ["/srv/tank"])
    assert [one["called"] for one in found["members"]] == ["array tank-1", "array tank-2"]
    gone = teardown(guest, "tank", SIX)
    assert gone.code == 0, gone.stderr
    assert signatures(guest, SIX) == []
    assert "tank" not in guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf; ls /dev/md || true").stdout


@pytest.mark.first(0)
def test_a_volume_that_fills_two_mirrors_one_after_the_other_is_rolled_back(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", FOUR, backend="lvm-on-md", arrays=2), FOUR)
    assert killed(guest, "step-done", "mount", "job", "run", job["folder"])
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    seen = inspect(guest)
    assert (seen["units"], seen["arrays"], signatures(guest, FOUR)) == ([], [], [])


@pytest.mark.first(1)
@pytest.mark.parametrize("way", ["by force", "as tried"])
def test_an_array_that_failed_under_a_mounted_volume_is_started_again(guest: Guest, way: str) -> None:
    """LVM cannot read the metadata of the group any more, so it cannot deactivate the volume."""
    members = serials(3)
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid5", members, backend="lvm-on-md"))
    built = raidtui(guest, "apply", "/root/spec.toml", "--erase", ",".join(members), "--json", "--wait-sync")
    assert built.code == 0, built.stderr
    written = write_something(guest)
    guest.shell(
        "sync; for one in ubdb1 ubdc1; do { echo faulty >/sys/block/md127/md/dev-$one/state; } 2>/dev/null || :; "
        "sleep 0.7; done; mdadm -q /dev/md127 --remove failed || :; udevadm settle"
    )
    if way == "by force":
        done = raidtui(guest, "care", "tank", "--do", "start-forced", "--accept", "forced-start")
        assert done.code == 0, done.stderr
    else:
        refused = raidtui(guest, "recover", "tank", "--stop")
        assert refused.code == 3
        assert "mounted at /srv/tank; unmount that first" in refused.stderr
        guest.shell("umount /srv/tank")
        tried = raidtui(guest, "recover", "tank", "--stop", "--json")
        assert tried.code == 0, tried.stderr
        done = raidtui(guest, "recover", "tank", "--for-real", "1", "--accept", "forced-start")
        assert done.code == 0, done.stderr
    guest.shell("udevadm settle; vgchange -qq --activate y tank; mount -a")
    assert read_something(guest) == written
