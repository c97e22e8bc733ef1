"""What is read of LVM while real volumes are built, torn and repaired."""

import json
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import advised, apply, kill_everywhere, prepare, python, raidtui, serials, spec_text

LOOK = """
from raidtui.backends.lvm.report import read_lvm
from raidtui.backends.lvm.status import device_name, read_statuses
from raidtui.machine.ask import ask
from raidtui.model.struct import to_json
found, statuses = read_lvm(ask), read_statuses(ask)
group = next(one for one in found.groups if one.name == "my-vg")
volume = next(one for one in found.of(group) if one.name == "my-lv")
status = statuses.get(device_name(group.name, volume.name))
print(to_json({
    "group": group, "volume": volume, "type": volume.type, "legs": found.legs(volume), "half_made": found.half_made(volume),
    "status": status, "dead": status and status.dead, "settled": status and status.settled,
}))
"""
SLOW = "modprobe -a dm-raid raid456; echo 100 >/proc/sys/dev/raid/speed_limit_max; echo 50 >/proc/sys/dev/raid/speed_limit_min"
FAST = "echo 200000 >/proc/sys/dev/raid/speed_limit_max; until dmsetup status --target raid | grep -q ' idle '; do sleep 0.2; done"


def look(guest: Guest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(python(guest, LOOK).stdout)
    return found


def test_a_raid5_is_read_while_it_syncs_when_it_is_in_sync_and_without_a_disk(guest: Guest) -> None:
    guest.shell(
        f"{SLOW}; vgcreate -qq --addtag raidtui.seed my-vg /dev/ubda /dev/ubdb /dev/ubdc; "
        "lvcreate -qq -y --type raid5 -i 2 -I 128k -l 100%FREE -n my-lv my-vg"
    )
    syncing = look(guest)
    guest.shell(FAST)
    done = look(guest)
    guest.shell(
        "vgchange -qq -an my-vg; wipefs -qa /dev/ubdb; vgchange -qq -ay --activationmode degraded my-vg"
    )
    torn = look(guest)

    assert (syncing["type"], syncing["group"]["tags"]) == ("raid5", ["raidtui.seed"])
    assert syncing["volume"]["segments"][0]["stripe_bytes"] == 128 * 1024
    assert (syncing["status"]["action"], syncing["settled"], syncing["half_made"]) == ("resync", False, False)
    assert (done["settled"], done["volume"]["sync_percent"], done["dead"]) == (True, 100, [])
    assert done["legs"] == [["/dev/ubda"], ["/dev/ubdb"], ["/dev/ubdc"]]
    assert (torn["group"]["missing"], torn["volume"]["health"], torn["legs"][1]) == (1, "partial", [""])
    assert (torn["dead"], torn["settled"], torn["volume"]["sync_percent"]) == ([1], False, 100)


@pytest.mark.first(0)
def test_a_volume_whose_lvcreate_was_killed_is_half_made_until_it_is_removed(guest: Guest) -> None:
    guest.shell("modprobe -a dm-raid raid456; vgcreate -qq my-vg /dev/ubda /dev/ubdb /dev/ubdc")
    create = ["lvcreate", "-qq", "-y", "--type", "raid5", "-i", "2", "-l", "100%FREE", "-n", "my-lv", "my-vg"]
    killed = guest.start(create)
    guest.shell("until dmsetup ls | grep -q rmeta; do :; done; kill -9 $(pidof lvcreate)")
    killed.wait(10)

    cut_off = look(guest)
    assert (cut_off["half_made"], cut_off["volume"]["attr"][4], cut_off["status"]) == (True, "-", None)

    guest.shell("lvremove -qq -y my-vg/my-lv")
    guest.run(create, check=True)
    assert look(guest)["half_made"] is False


@pytest.mark.first(0)
def test_a_group_that_is_down_is_activated_and_its_disk_replaced_as_advised(
    guest: Guest,
) -> None:
    disks = serials(3)
    built = apply(guest, spec_text("raid5", disks, backend="lvm", filesystem="none"), disks, "--wait-sync")
    assert built.code == 0, built.stderr
    guest.shell(
        "vgchange -qq -an tank; wipefs -qa /dev/ubdb1 /dev/ubdb; blockdev --rereadpt /dev/ubdb; udevadm settle"
    )
    assert guest.shell(to_do(guest), timeout=300).returncode == 0
    assert unit(guest)["health"] == "degraded"
    assert guest.shell(to_do(guest), timeout=300).returncode == 0
    guest.shell(FAST)
    whole = unit(guest)
    assert (whole["health"], whole["state"], len(whole["members"])) == ("ok", "in sync", 3)
    assert to_do(guest) == ""


@pytest.mark.first(0)
def test_a_disk_that_is_taken_back_is_so_though_the_job_is_killed_at_every_step_and_a_repair_makes_all_equal(
    guest: Guest,
) -> None:
    guest.shell(AWAY)
    kill_everywhere(guest, prepare(guest, "care", "tank"))
    assert (unit(guest)["health"], unit(guest)["state"]) == ("ok", "in sync")
    assert guest.shell("cmp -n 20971520 /root/new /dev/tank/data").returncode == 0
    assert guest.shell("lvs --noheadings -o raid_mismatch_count tank/data").stdout.strip() == "0"

    python(guest, DAMAGE)
    assert python(guest, CARED.format(repair=False)).stdout.startswith("False")  # the check finds the damage
    assert python(guest, CARED.format(repair=True)).stdout.startswith("True")


# Another byte in the second copy, behind the kernel's back: 40 MiB into its data.
DAMAGE = """
import os
disk = os.open("/dev/ubdb", os.O_WRONLY)
os.pwrite(disk, b"x" * 4096, 41 << 20)
os.fsync(disk)
"""
CARED = """
import time
from raidtui.backends.reading import read_whole
from raidtui.backends.units import units_of
from raidtui.jobs.start import care_request, start_planned
from raidtui.jobs.store import job_state
from raidtui.model.journal import Outcome
from raidtui.model.procedure import Scrub
from raidtui.plan.care import make_care
machine = read_whole()
procedure = Scrub(unit=next(one.uuid for one in units_of(machine) if one.name == "tank"), repair={repair})
plan = make_care(procedure, machine, seed="00000000-0000-4000-8000-00000000000{{}}".format(int({repair})))
job = start_planned(care_request(plan, machine, procedure=procedure, erase=()), plan, machine)
while job_state(job.id).outcome is Outcome.RUNNING:
    time.sleep(1)
print(job_state(job.id).outcome is Outcome.DONE, job_state(job.id).outcome)
"""


def unit(guest: Guest) -> dict[str, Any]:
    """The one unit, as status has it."""
    (found,) = json.loads(guest.run(["raidtui", "status", "--json"], check=True).stdout)["units"]
    return dict(found)


def to_do(guest: Guest) -> str:
    """The commands that status prints, one after the other."""
    if not raidtui(guest, "status", "--json").report["findings"]:
        return ""
    return "\n".join(advised(guest)[1])


AWAY = """set -e
export LVM_SUPPRESS_FD_WARNINGS=1; hide() { "$@" --config 'devices/filter=["r|ubdb|"]'; }
vgcreate -qq tank /dev/ubda /dev/ubdb; lvcreate -qq -y --type raid1 -L 64M -n data tank
until dmsetup status --target raid | grep -q ' idle '; do sleep 0.2; done
vgchange -qq -an tank; hide vgchange -qq -ay --activationmode degraded tank
head -c 20M /dev/urandom >/root/new; dd if=/root/new of=/dev/tank/data conv=fsync status=none
hide lvchange -qq --addtag changed tank/data; hide vgchange -qq -an tank; udevadm settle
"""


@pytest.mark.first(0)
@pytest.mark.parametrize("active", [False, True])
def test_a_disk_that_came_back_is_used_again_checked_and_holds_what_was_written(
    guest: Guest, active: bool
) -> None:
    guest.shell(AWAY + (f"vgchange -qq -ay tank; {FAST}" if active else ""))
    (found,) = json.loads(guest.run(["raidtui", "status", "--json"]).stdout)["units"]
    assert found["state"].endswith("1 disk marked missing by LVM")
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    report = json.loads(guest.run(["raidtui", "status", "--json"]).stdout)
    assert (report["units"][0]["state"], report["findings"]) == ("in sync", [])
    guest.shell(
        "vgchange -qq -an tank; vgchange -qq -ay --activationmode degraded tank --config 'devices/filter=[\"r|ubda|\"]'"
    )
    assert guest.shell("cmp -n 20971520 /root/new /dev/tank/data").returncode == 0
