"""What stops a job before its first write: exit code 3 and a disk that nobody touched."""

import json
import re
import sys
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import (
    apply,
    array,
    checksums,
    nodes,
    python,
    raidtui,
    serials,
    signatures,
    spec_text,
)

PAIR = serials(2)
# Starts a job from a reading of the machine that is some seconds old, as a person does who thinks before they
# confirm. What happens in between is the argument.
LATE = """
import subprocess, sys, uuid
from raidtui.commands.terminal.follow import follow_to_the_end
from raidtui.jobs.start import build_request, start_planned
from raidtui.machine.reader import read_machine
from raidtui.model.errors import RaidtuiError
from raidtui.backends.specfile import read_spec
from raidtui.plan.build import make_plan

machine = read_machine()
plan = make_plan(read_spec(sys.stdin.read(), origin="here"), machine, seed=str(uuid.uuid4()))
subprocess.run(["sh", "-ec", sys.argv[1]], check=True)
try:
    request = build_request(plan, machine, erase=[disk.serial for disk in plan.disks])
    job = start_planned(request, plan, machine)
except RaidtuiError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
sys.exit(follow_to_the_end(job.id, as_json=True))
"""


def start_late(guest: Guest, happens: str, spec: str) -> tuple[int, str]:
    """Plan, let something happen, then start what was planned."""
    done = python(guest, LATE, happens, stdin=spec)
    return done.returncode, done.stderr


def test_one_disk_missing_or_one_too_many_is_refused_and_nothing_is_touched(guest: Guest) -> None:
    before = checksums(guest, PAIR)
    for erase in (PAIR[:1], [*PAIR, "LAB-0003"], ["LAB-0001", "LAB-0003"]):
        refused = apply(guest, spec_text("raid1", PAIR), erase)
        assert refused.code == 3, refused.stderr
    assert checksums(guest, PAIR) == before
    assert raidtui(guest, "jobs", "--json").report == {"jobs": []}


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        ("mkfs.ext4 -q {0}", "changed after it was confirmed: ext4"),
        ("mkfs.ext4 -q {0} && mkdir -p /srv/other && mount {0} /srv/other", "is in use now"),
        ("mkswap {0} >/dev/null && swapon {0}", "is in use now"),
        ("echo size=10MiB | sfdisk -q {0}", "changed after it was confirmed"),
        (
            "mdadm --create /dev/md/other --run --level=1 --raid-devices=1 --force --bitmap=none {0}",
            "is in use now",
        ),
        ("modprobe loop; losetup /dev/loop0 {0}", "is in use now"),
    ],
    ids=["filesystem", "mounted", "swap", "partitioned", "array", "loop"],
)
def test_a_disk_that_changed_after_the_plan_stops_the_job(guest: Guest, happens: str, reason: str) -> None:
    first = nodes(guest, PAIR)[0]
    untouched = checksums(guest, PAIR[1:])
    code, said = start_late(guest, happens.format(first), spec_text("raid1", PAIR))
    assert code == 3, said
    assert reason in said
    assert "LAB-0001" in said
    assert checksums(guest, PAIR[1:]) == untouched
    assert array(guest) is None
    guest.shell("umount /srv/other; swapoff -a; losetup -D; mdadm --stop /dev/md/other; true", check=False)


def test_a_disk_that_another_process_keeps_open_exclusively_stops_the_job(guest: Guest) -> None:
    (first,) = nodes(guest, PAIR[:1])
    hold = f"""
    {sys.executable} -S -c 'import os, time; os.open("{first}", os.O_RDWR | os.O_EXCL); time.sleep(60)' >/dev/null 2>&1 &
    echo $! >/tmp/holder; sleep 2
    """
    code, said = start_late(guest, hold, spec_text("raid1", PAIR))
    guest.shell("kill $(cat /tmp/holder)")
    assert code == 3, said
    assert "LAB-0001" in said
    assert signatures(guest, PAIR) == []


IDENTITY = "/run/udev/rules.d/99-test.rules"


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (
            'KERNEL=="ubda", ENV{ID_SERIAL_SHORT}="LAB-0099", ENV{ID_SERIAL}="LAB-0099"',
            "LAB-0001 was confirmed, but",
        ),
        ('KERNEL=="ubda", ENV{ID_MODEL}="Another"', "its model was"),
        ('KERNEL=="ubdc", ENV{ID_SERIAL_SHORT}="LAB-0001", ENV{ID_SERIAL}="LAB-0001"', "LAB-0001"),
    ],
    ids=["another serial", "another model", "the same serial twice"],
)
def test_a_swapped_disk_stops_the_job(guest: Guest, rule: str, reason: str) -> None:
    disk, key, value = re.findall(r'KERNEL=="(\w+)", ENV\{(\w+)\}="([^"]+)"', rule)[0]
    # udev reads its rules again when it comes to it: an event may still meet the old ones.
    happens = (
        f"echo '{rule}' >{IDENTITY}; udevadm control --reload; "
        f"until udevadm info --query=property --name={disk} | grep -qx '{key}={value}'; do "
        "udevadm trigger --subsystem-match=block --action=change; udevadm settle; done"
    )
    try:
        code, said = start_late(guest, happens, spec_text("raid1", PAIR))
    finally:
        guest.shell(
            f"rm -f {IDENTITY}; udevadm control --reload; "
            "udevadm trigger --subsystem-match=block --action=change; udevadm settle"
        )
    assert code == 3, said
    assert reason in said
    assert signatures(guest, PAIR) == []


def test_two_jobs_on_one_disk_the_second_is_refused(guest: Guest) -> None:
    one, other = (
        spec_text("raid1", PAIR, name="one"),
        spec_text("raid1", ["LAB-0002", "LAB-0003"], name="other"),
    )
    guest.run(["sh", "-c", "cat >/root/one.toml"], stdin=one)
    guest.run(["sh", "-c", "cat >/root/other.toml"], stdin=other)
    script = """
    raidtui apply /root/one.toml --erase LAB-0001,LAB-0002 --json >/tmp/one.json 2>/tmp/one.err & first=$!
    raidtui apply /root/other.toml --erase LAB-0002,LAB-0003 --json >/tmp/other.json 2>/tmp/other.err & second=$!
    wait $first; a=$?; wait $second; b=$?
    echo $a $b
    """
    codes = guest.shell(script, check=False).stdout.split()
    said = guest.shell("cat /tmp/one.err /tmp/other.err").stdout
    assert sorted(codes) == ["0", "3"], said
    found = {entry["name"] for entry in raidtui(guest, "inspect", "--json").report["arrays"]}
    assert found == ({"one"} if codes[0] == "0" else {"other"})


def test_a_recorded_machine_cannot_be_changed(guest: Guest) -> None:
    guest.shell("raidtui inspect --json >/tmp/machine.json")
    spec = spec_text("raid1", PAIR)
    refused = raidtui(
        guest, "--machine", "/tmp/machine.json", "apply", "-", "--erase", ",".join(PAIR), stdin=spec
    )
    assert refused.code == 3
    assert "recorded machine" in refused.stderr
    refused = raidtui(guest, "teardown", "tank", "--machine", "/tmp/machine.json", "--erase", "LAB-0001")
    assert refused.code == 3


def test_a_plan_whose_commands_were_tampered_with_is_not_run(guest: Guest) -> None:
    """Commands come from the spec alone; a request whose fingerprint does not fit them is refused."""
    code, said = start_late(guest, "true", spec_text("raid1", PAIR, filesystem="none"))
    assert code == 0, said
    (job,) = raidtui(guest, "jobs", "--json").report["jobs"]
    folder = job["folder"]
    request: dict[str, Any] = json.loads(guest.shell(f"cat {folder}/request.json").stdout)
    assert "argv" not in json.dumps(request)
    request["spec"]["name"] = "other"
    guest.run(["sh", "-c", f"cat >{folder}/request.json"], stdin=json.dumps(request))
    guest.shell(f"rm {folder}/journal.jsonl")
    again = raidtui(guest, "resume", job["request"]["id"])
    assert again.code == 3, again.stderr
    assert "different commands from those that were confirmed" in again.stderr
