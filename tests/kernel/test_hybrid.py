"""Bands of unequal disks on a real kernel: killed on the way, rebooted, degraded in every band, removed, rolled back.

That the volume is as large as calculated, to the byte, is a condition of its step.
"""

from collections.abc import Callable, Sequence

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    growing,
    inspect,
    kill_everywhere,
    killed,
    only_job,
    prepare,
    prepare_build,
    promised,
    raidtui,
    read_something,
    serials,
    signatures,
    spec_text,
    steps_of,
    teardown,
    unit,
    write_something,
)

DISKS = "2x96MiB,2x160MiB,1x208MiB"  # bands over all, over the three larger ones, and space above that waits
FIVE = serials(5)


def text(level: str = "hybrid1", filesystem: str = "ext4") -> str:
    return spec_text(level, FIVE, backend="hybrid", filesystem=filesystem, chunk="64KiB")


def nothing_left(guest: Guest, disks: Sequence[str] = FIVE) -> bool:
    seen = inspect(guest)
    lines = guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf; ls /dev/md || true; pvs --noheadings").stdout
    return (seen["units"], seen["arrays"], signatures(guest, disks)) == ([], [], []) and "tank" not in lines


def test_two_bands_are_built_as_calculated_read_as_one_unit_and_removed_in_one_plan(
    own_guest: Callable[[str], Guest],
) -> None:
    guest, three = own_guest("1x96MiB,2x160MiB"), serials(3)
    spec = spec_text("hybrid1", three, backend="hybrid", chunk="64KiB")
    calculated = raidtui(guest, "calc", "-", "--json", stdin=spec).report
    built = apply(guest, spec, three)
    assert built.code == 0, built.stderr
    found = unit(guest)
    assert found is not None
    assert (found["backend"], found["level"], found["size_bytes"]) == (
        "hybrid",
        "hybrid1",
        calculated["array_bytes"],
    )
    assert len(found["below"]) == 2
    gone = teardown(guest, "tank", three)
    assert gone.code == 0, gone.stderr
    assert nothing_left(guest, three)


@pytest.mark.first(0)
def test_a_volume_over_bands_is_resumed_comes_back_survives_a_failed_disk_and_leaves_nothing(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest(DISKS)
    calculated = raidtui(guest, "calc", "-", "--json", stdin=text()).report
    assert calculated["layout"] == "raid5 of 5 + raid5 of 3"
    assert "pending: one more disk of 215 MB gives 206 MB" in calculated["members"][4]["why"]
    job = prepare_build(guest, text(), FIVE)
    assert killed(guest, "command", "create-2", "job", "run", job["folder"])
    finished = raidtui(guest, "resume", job["request"]["id"], "--json", "--wait-sync")
    assert finished.code == 0, finished.stderr
    written = write_something(guest)
    guest.power_off()
    guest.power_on()
    assert read_something(guest) == written
    found = unit(guest)
    assert found is not None
    assert (found["backend"], found["level"], found["health"]) == ("hybrid", "hybrid1", "ok")
    assert found["size_bytes"] == calculated["array_bytes"]
    assert (found["raid_disks"], len(found["below"])) == (5, 2)
    assert sorted(one["called"] for one in found["members"]) == ["array tank-1", "array tank-2"]
    guest.shell("mdadm /dev/md/tank-1 --fail /dev/ubdd1; mdadm /dev/md/tank-2 --fail /dev/ubdd2")
    guest.shell("echo 3 >/proc/sys/vm/drop_caches")
    assert read_something(guest) == written
    hurt = unit(guest)
    assert hurt is not None
    assert hurt["health"] == "degraded"
    gone = teardown(guest, "tank", FIVE)
    assert gone.code == 0, gone.stderr
    assert nothing_left(guest)


@pytest.mark.first(0)
@pytest.mark.parametrize(("level", "filesystem"), [("hybrid1", "xfs"), ("hybrid2", "btrfs")])
def test_a_build_and_a_removal_killed_at_every_step_are_finished(
    own_guest: Callable[[str], Guest], level: str, filesystem: str
) -> None:
    guest = own_guest("2x352MiB,3x512MiB")
    kill_everywhere(guest, prepare_build(guest, text(level, filesystem), FIVE))
    found = unit(guest)
    assert found is not None
    assert (found["level"], found["mountpoints"]) == (level, ["/srv/tank"])
    kill_everywhere(guest, prepare(guest, "teardown", "tank", "--erase", ",".join(FIVE)))
    assert nothing_left(guest)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("event", "step"),
    [("step-done", "partition"), ("command", "create-2"), ("command", "physical-volumes"), ("command", "volume"), ("step-done", "mount")],
)  # fmt: skip
def test_a_build_that_was_killed_is_rolled_back(
    own_guest: Callable[[str], Guest], event: str, step: str
) -> None:
    guest = own_guest(DISKS)
    job = prepare_build(guest, text(), FIVE)
    assert killed(guest, event, step, "job", "run", job["folder"])
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert nothing_left(guest)


@pytest.mark.first(0)
def test_equal_disks_are_one_band_and_its_array_means_all_of_it(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("5x128MiB")
    built = apply(guest, text("hybrid2"), FIVE, "--wait-sync")
    assert built.code == 0, built.stderr
    found = unit(guest)
    assert found is not None
    assert (found["backend"], found["level"], len(found["below"])) == ("hybrid", "hybrid2", 1)
    gone = teardown(guest, "tank-1", FIVE)
    assert gone.code == 0, gone.stderr
    assert nothing_left(guest)


def grown_room(guest: Guest) -> list[str]:
    """A volume on three equal disks, of which two were replaced by larger ones; return the disks that it is on."""
    three, large = serials(3), ["LAB-0004", "LAB-0005"]
    built = apply(guest, spec_text("hybrid1", three, backend="hybrid", chunk="64KiB"), three, "--wait-sync")
    assert built.code == 0, built.stderr
    for old, new in zip(three, large, strict=False):
        moved = raidtui(guest, "replace", old, new, "--erase", new, "--json")
        assert moved.code == 0, moved.stderr
    guest.shell("rm -rf /var/lib/raidtui/jobs/*")  # the next job is the only one
    return [three[2], *large]


ROOM = "3x96MiB,2x192MiB"


@pytest.mark.first(0)
def test_larger_disks_give_a_new_band_that_survives_being_killed_at_every_step(
    own_guest: Callable[[str], Guest],
) -> None:
    guest = own_guest(ROOM)
    disks = grown_room(guest)
    written = write_something(guest)
    today, _, more = raidtui(guest, "grow", "tank", "--json").report["rows"]
    assert more["shape"]["unit_bytes"] > today["shape"]["unit_bytes"]
    job = prepare(guest, "grow", "tank", "--size", "max")
    go_on = ("job", "run", job["folder"])
    steps = [
        "partition",
        "partition-2",
        "create",
        "conf",
        "physical-volumes",
        "extend-group",
        "extend-volume",
        "enlarge",
    ]
    assert set(steps) <= {step["id"] for step in steps_of(guest, job)}
    for step in steps:
        assert killed(guest, "command" if step != "conf" else "step", step, *go_on), step
        assert killed(guest, "step-done", step, *go_on), step
        assert only_job(guest)["outcome"] == "interrupted", step
    finished = raidtui(guest, "resume", job["request"]["id"], "--json")
    assert finished.code == 0, finished.stderr
    assert read_something(guest) == written
    found = unit(guest)
    assert found is not None
    assert (found["size_bytes"], found["health"], len(found["below"])) == (
        more["shape"]["unit_bytes"],
        "ok",
        2,
    )
    held = guest.shell("df --output=size --block-size=1 /srv/tank | tail -1").stdout
    assert int(held) > 0.8 * found["size_bytes"]
    guest.power_off()
    guest.power_on()
    assert read_something(guest) == written
    again = raidtui(guest, "grow", "tank", "--json").report["rows"][2]["shape"]
    assert (again["procedure"], again["unit_bytes"]) == (None, found["size_bytes"])
    gone = teardown(guest, "tank", disks)
    assert gone.code == 0, gone.stderr
    assert nothing_left(guest, disks)


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("event", "step"), [("command", "partition-2"), ("command", "create"), ("step-done", "extend-group")]
)
def test_a_growth_that_was_killed_before_the_volume_has_grown_is_rolled_back(
    own_guest: Callable[[str], Guest], event: str, step: str
) -> None:
    guest = own_guest(ROOM)
    grown_room(guest)
    written, before = write_something(guest), unit(guest)
    job = prepare(guest, "grow", "tank", "--size", "max")
    assert killed(guest, event, step, "job", "run", job["folder"])
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert read_something(guest) == written
    after = unit(guest)
    assert before is not None
    assert after is not None
    assert (after["size_bytes"], after["below"]) == (before["size_bytes"], before["below"])
    assert guest.shell("lsblk -no TYPE /dev/ubdd | grep -c part").stdout.strip() == "1"
    assert "tank-2" not in guest.shell("cat /etc/mdadm/mdadm.conf; ls /dev/md").stdout


@pytest.mark.first(0)
def test_a_further_disk_joins_both_bands_killed_at_every_step(own_guest: Callable[[str], Guest]) -> None:
    guest, three, new = own_guest("1x96MiB,3x160MiB"), serials(3), serials(4)[-1]
    built = apply(guest, spec_text("hybrid1", three, backend="hybrid", chunk="64KiB"), three, "--wait-sync")
    assert built.code == 0, built.stderr
    guest.shell("rm -rf /var/lib/raidtui/jobs/*")
    written, shape = write_something(guest), promised(guest, "+1 disk")
    kill_everywhere(guest, prepare(guest, *growing(new)), waiting=False)
    found = unit(guest)
    assert found is not None
    assert (found["level"], found["size_bytes"], found["health"]) == ("hybrid1", shape["unit_bytes"], "ok")
    levels = {one["name"]: (one["level"], one["raid_disks"]) for one in inspect(guest)["arrays"]}
    assert levels == {"tank-1": ("raid5", 4), "tank-2": ("raid5", 3)}
    assert read_something(guest) == written
    held = guest.shell("df --output=size --block-size=1 /srv/tank | tail -1").stdout
    assert int(held) > 0.8 * found["size_bytes"]
    guest.power_off()
    guest.power_on()
    assert read_something(guest) == written
    gone = teardown(guest, "tank", [*three, new])
    assert gone.code == 0, gone.stderr
    assert nothing_left(guest, [*three, new])
