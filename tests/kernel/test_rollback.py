"""Undoing: before the first irreversible step byte for byte, after it honestly."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    checksums,
    killed,
    nodes,
    prepare,
    prepare_build,
    raidtui,
    read_something,
    serials,
    signatures,
    spec_text,
    unit,
    write_something,
)

PAIR = serials(2)


def fill(guest: Guest) -> None:
    """Disks with a past: random bytes, partitions, a filesystem, swap, Btrfs on a whole disk."""
    first, second = nodes(guest, PAIR)
    guest.shell(
        f"""
        for d in {first} {second}; do dd if=/dev/urandom of=$d bs=1M status=none || true; done
        printf 'label: gpt\\nsize=40MiB\\nsize=60MiB\\n' | sfdisk -q --wipe always {first}
        udevadm settle
        mkfs.ext4 -q -L old {first}1
        mkswap {first}2 >/dev/null
        wipefs -aq {second}
        mkfs.btrfs -q -f {second}
        sync; udevadm settle
        """
    )


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("event", "step", "partition", "backend"),
    [
        ("command", "wipe", True, "mdadm"),
        ("step-done", "wipe", False, "mdadm"),
        ("step-done", "settle-partitions", True, "lvm"),
        ("step-done", "settle-partitions", True, "mdadm"),
    ],
)
def test_before_the_array_is_created_the_disks_come_back_byte_for_byte(
    guest: Guest, event: str, step: str, partition: bool, backend: str
) -> None:
    fill(guest)
    before, seen = checksums(guest, PAIR), signatures(guest, PAIR)
    job = prepare_build(guest, spec_text("raid1", PAIR, partition=partition, backend=backend), PAIR)
    assert killed(guest, event, step, "job", "run", job["folder"])
    assert checksums(guest, PAIR) != before
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert undone.report["outcome"] == "rolled-back"
    assert undone.report["sentence"] == "the disks are as they were before"
    assert checksums(guest, PAIR) == before
    assert signatures(guest, PAIR) == seen
    assert raidtui(guest, "resume", job["request"]["id"]).code == 3


@pytest.mark.first(0)
def test_undoing_that_is_killed_at_every_step_can_go_on(guest: Guest) -> None:
    fill(guest)
    before = checksums(guest, PAIR)
    job = prepare_build(guest, spec_text("raid1", PAIR), PAIR)
    assert killed(guest, "step-done", "partition", "job", "run", job["folder"])
    for step in ("partition", "wipe"):
        for event in ("step", "step-undone"):
            assert killed(guest, event, step, "job", "rollback", job["folder"])
    refused = raidtui(guest, "resume", job["request"]["id"])
    assert refused.code == 3
    assert "is being rolled back" in refused.stderr
    undone = raidtui(guest, "rollback", job["request"]["id"])
    assert undone.code == 0, undone.stderr
    assert checksums(guest, PAIR) == before


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("backend", "event", "step"),
    [
        ("mdadm", "step-done", "mount"),
        ("lvm", "command", "volume"),
        ("lvm-on-md", "step-done", "mount"),
        ("lvm", "step-done", "mount"),
        ("lvm", "command", "physical-volumes"),
        ("lvm", "command", "group"),
        ("lvm-on-md", "command", "create"),
        ("lvm-on-md", "command", "physical-volumes"),
        ("lvm-on-md", "command", "group"),
        ("lvm-on-md", "command", "volume"),
    ],
)
def test_after_the_array_is_created_it_is_taken_apart_and_the_loss_is_told(
    guest: Guest, backend: str, event: str, step: str
) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR, backend=backend), PAIR)
    assert killed(guest, event, step, "job", "run", job["folder"])
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert "the old contents of the disks are lost" in undone.report["sentence"]
    assert unit(guest) is None
    assert "tank" not in guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf /proc/self/mountinfo").stdout
    assert signatures(guest, PAIR) == []


def test_what_somebody_put_on_the_disk_meanwhile_is_not_overwritten(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR, partition=False), PAIR)
    assert killed(guest, "step-done", "wipe", "job", "run", job["folder"])
    (first,) = nodes(guest, PAIR[:1])
    guest.shell(f"mkfs.ext4 -q {first}")
    after = checksums(guest, PAIR[:1])
    for command in ("rollback", "resume"):
        refused = raidtui(guest, command, job["request"]["id"])
        assert refused.code == 3
        assert "ext4" in refused.stderr
    assert checksums(guest, PAIR[:1]) == after


def test_a_damaged_capsule_is_not_put_back(guest: Guest) -> None:
    job = prepare_build(guest, spec_text("raid1", PAIR), PAIR)
    assert killed(guest, "step-done", "wipe", "job", "run", job["folder"])
    guest.shell(f"echo x >>{job['folder']}/capsule/LAB-0001/0.raw")
    refused = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert refused.code == 3
    assert "the capsule is damaged" in refused.report["sentence"]
    assert "raidtui resume" in refused.report["sentence"]


@pytest.mark.first(0)
def test_a_finished_build_is_not_undone_but_torn_down(guest: Guest) -> None:
    built = apply(guest, spec_text("raid1", PAIR), PAIR)
    assert built.code == 0, built.stderr
    refused = raidtui(guest, "rollback", built.report["job"])
    assert refused.code == 3
    assert "raidtui teardown tank" in refused.stderr
    # A teardown that has erased nothing yet can be undone; one that has can not.
    written = write_something(guest)
    guest.shell("rm -r /var/lib/raidtui/jobs/*")
    job = prepare(guest, "teardown", "tank", "--erase", ",".join(PAIR))
    assert killed(guest, "step-done", "fstab", "job", "run", job["folder"])
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.stderr
    assert undone.report["sentence"] == "tank is as it was before"
    assert read_something(guest) == written
    guest.shell("rm -r /var/lib/raidtui/jobs/*")
    job = prepare(guest, "teardown", "tank", "--erase", ",".join(PAIR))
    assert killed(guest, "command", "clear", "job", "run", job["folder"])
    refused = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert refused.code == 3
    assert "cannot be restored" in refused.report["sentence"]
    assert raidtui(guest, "resume", job["request"]["id"]).code == 0


@pytest.mark.first(0)
@pytest.mark.parametrize("backend", ["mdadm", "lvm", "lvm-on-md"])
def test_an_interrupted_build_that_is_in_use_is_not_undone(guest: Guest, backend: str) -> None:
    spec = spec_text("raid1", PAIR, backend=backend)
    job = prepare_build(guest, spec, PAIR)
    assert killed(guest, "command", "mount", "job", "run", job["folder"])
    before = write_something(guest)
    refused = raidtui(guest, "rollback", job["request"]["id"])
    assert refused.code == 3
    assert "/srv/tank holds data; a rollback would erase that" in refused.stderr
    assert read_something(guest) == before
