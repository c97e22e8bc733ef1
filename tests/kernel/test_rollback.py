"""Undoing: before the first irreversible step byte for byte, after it honestly."""

import json

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    JOBS,
    apply,
    array,
    checksums,
    nodes,
    raidtui,
    serials,
    signatures,
    spec_text,
)
from tests.kernel.test_resume import kill_during

PAIR = serials(2)


def fill(guest: Guest) -> None:
    """Disks with a past: random bytes, partitions, filesystems, swap, md metadata at the end."""
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


@pytest.mark.parametrize(("step", "partition"), [("wipe", True), ("partition", True), ("wipe", False)])
def test_before_the_array_is_created_the_disks_come_back_byte_for_byte(
    guest: Guest, step: str, partition: bool
) -> None:
    fill(guest)
    before, seen = checksums(guest, PAIR), signatures(guest, PAIR)
    spec = spec_text("raid1", PAIR, partition=partition)
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec)
    accept = ",".join(high_hazards(guest))
    command = f"raidtui apply /root/spec.toml --erase {','.join(PAIR)}" + (
        f" --accept {accept}" if accept else ""
    )
    assert kill_during(guest, command, "step-done", step) == step, guest.shell("cat /tmp/said").stdout
    assert checksums(guest, PAIR) != before
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.said
    assert undone.report["outcome"] == "rolled-back"
    assert "as they were before" in undone.report["sentence"]
    assert checksums(guest, PAIR) == before
    assert signatures(guest, PAIR) == seen
    assert raidtui(guest, "resume", job["request"]["id"]).code == 3


def high_hazards(guest: Guest) -> list[str]:
    plan = raidtui(guest, "plan", "/root/spec.toml", "--json").report
    return sorted({hazard["id"] for hazard in plan["hazards"] if hazard["severity"] == "HIGH"})


def test_after_the_array_is_created_it_is_taken_apart_and_the_loss_is_told(guest: Guest) -> None:
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", PAIR))
    command = f"raidtui apply /root/spec.toml --erase {','.join(PAIR)}"
    assert kill_during(guest, command, "step-done", "fstab") == "fstab"
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    undone = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert undone.code == 0, undone.said
    assert "what was on the disks is gone" in undone.report["sentence"]
    assert array(guest) is None
    assert "tank" not in guest.shell("cat /etc/fstab /etc/mdadm/mdadm.conf /proc/self/mountinfo").stdout
    assert not [one for one in signatures(guest, PAIR) if one["type"] not in ("gpt", "PMBR")]


def test_undoing_that_is_killed_can_go_on(guest: Guest) -> None:
    fill(guest)
    before = checksums(guest, PAIR)
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", PAIR))
    accept = ",".join(high_hazards(guest))
    command = f"raidtui apply /root/spec.toml --erase {','.join(PAIR)}" + (
        f" --accept {accept}" if accept else ""
    )
    assert kill_during(guest, command, "step-done", "partition") == "partition"
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    rollback = f"raidtui rollback {job['request']['id']}"
    assert kill_during(guest, rollback, "step")
    refused = raidtui(guest, "resume", job["request"]["id"])
    assert refused.code == 3
    assert "is being undone" in refused.said
    assert raidtui(guest, *rollback.split()[1:]).code == 0
    assert checksums(guest, PAIR) == before


def test_what_somebody_put_on_the_disk_meanwhile_is_not_overwritten(guest: Guest) -> None:
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", PAIR, partition=False))
    command = f"raidtui apply /root/spec.toml --erase {','.join(PAIR)}"
    assert kill_during(guest, command, "step-done", "wipe") == "wipe"
    (first,) = nodes(guest, PAIR[:1])
    guest.shell(f"mkfs.ext4 -q {first}")
    after = checksums(guest, PAIR[:1])
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    for command in ("rollback", "resume"):
        refused = raidtui(guest, command, job["request"]["id"])
        assert refused.code in (3, 4)
        assert "ext4" in refused.said
    assert checksums(guest, PAIR[:1]) == after


def test_a_finished_build_is_not_undone_but_torn_down(guest: Guest) -> None:
    built = apply(guest, spec_text("raid1", PAIR), PAIR)
    assert built.code == 0, built.said
    refused = raidtui(guest, "rollback", built.report["job"])
    assert refused.code == 3
    assert "raidtui teardown tank" in refused.said


def test_a_damaged_capsule_stops_the_undoing(guest: Guest) -> None:
    fill(guest)
    guest.run(["sh", "-c", "cat >/root/spec.toml"], stdin=spec_text("raid1", PAIR))
    accept = ",".join(high_hazards(guest))
    command = f"raidtui apply /root/spec.toml --erase {','.join(PAIR)}" + (
        f" --accept {accept}" if accept else ""
    )
    assert kill_during(guest, command, "step-done", "wipe") == "wipe"
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    guest.shell(f"echo x >>{JOBS}/{job['request']['id']}/capsule/LAB-0001/0.raw")
    after = checksums(guest, PAIR[:1])
    refused = raidtui(guest, "rollback", job["request"]["id"], "--json")
    assert refused.code == 4
    assert "the capsule is damaged" in refused.report["sentence"]
    assert checksums(guest, PAIR[:1]) == after
    assert json.loads(guest.shell(f"cat {JOBS}/{job['request']['id']}/request.json").stdout)
