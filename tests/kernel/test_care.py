"""What 'raidtui care' does about a finding on a real kernel: as a plan, with the data the same before and after."""

import json
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, kill_everywhere, prepare, raidtui
from tests.kernel.test_replace import NEW, READ_ALL, A, B, C, is_whole, members


def findings(guest: Guest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(guest.run(["raidtui", "care", "--json"], check=True).stdout)[
        "findings"
    ]
    return found


def build(guest: Guest) -> str:
    """A mounted array called tank on three whole disks, in sync, with a bitmap and a file; return the file's checksum."""
    return guest.shell(
        """mdadm -q --create /dev/md/tank --run --level=5 --raid-devices=3 --bitmap=internal --bitmap-chunk=64K --metadata=1.2 \
            /dev/ubda /dev/ubdb /dev/ubdc
        mdadm -q --wait /dev/md/tank || :
        mdadm --detail --brief /dev/md/tank >>/etc/mdadm/mdadm.conf
        mkfs.ext4 -q /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank; udevadm settle
        dd if=/dev/urandom of=/srv/tank/data bs=1M count=40 status=none; sync;"""
        + READ_ALL
    ).stdout


def more_data(guest: Guest) -> str:
    guest.shell("dd if=/dev/urandom of=/srv/tank/data bs=1M count=8 seek=40 conv=notrunc status=none; sync")
    return guest.shell(READ_ALL).stdout


WRITTEN = "awk '$3==\"ubdb\" {print $10}' /proc/diskstats"  # sectors
PULL = "mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubdb; udevadm settle"
# mdadm 4.3 and newer refuse to fail a member that an array needs. The kernel fails it, and says that it is busy.
PULL_ANOTHER = (
    '{ echo faulty >"/sys/block/$(basename "$(readlink -f /dev/md/tank)")/md/dev-ubdc/state"; } 2>/dev/null || :; sleep 0.5; '
    "mdadm -q /dev/md/tank --remove /dev/ubdc || :"
)


def test_a_member_that_is_back_is_re_added_by_its_bitmap_and_checked(guest: Guest) -> None:
    build(guest)
    guest.shell(PULL)
    data = more_data(guest)
    (finding,) = findings(guest)
    assert finding["remedies"][0]["procedure"]["type"] == "re-add"
    before = int(guest.shell(WRITTEN).stdout)
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    written = int(guest.shell(WRITTEN).stdout) - before
    assert written * 512 < 60 << 20  # not the whole member of 150 MiB
    assert is_whole(guest, [A, B, C])
    assert guest.shell(READ_ALL).stdout == data
    assert (
        guest.shell("cat /sys/block/md127/md/last_sync_action /sys/block/md127/md/mismatch_cnt").stdout
        == "check\n0\n"
    )
    assert findings(guest) == []


@pytest.mark.first(0)
def test_an_array_is_started_whole_and_degraded_only_by_choice(guest: Guest) -> None:
    data = build(guest)
    guest.shell(
        "umount /srv/tank; mdadm -q --stop /dev/md/tank; mdadm -q --incremental /dev/ubda; udevadm settle"
    )
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert is_whole(guest, [A, B, C])
    guest.shell("mount /dev/md/tank /srv/tank")
    assert guest.shell(READ_ALL).stdout == data

    guest.shell(
        "umount /srv/tank; mdadm -q --stop /dev/md/tank; dd if=/dev/zero of=/dev/ubdb bs=1M count=4 status=none; "
        "udevadm settle; mdadm -q --incremental /dev/ubda; udevadm settle"
    )
    refused = raidtui(guest, "care", "tank")
    assert refused.code == 3
    assert "for you to decide" in refused.stderr
    assert guest.shell("cat /sys/block/md127/md/array_state").stdout == "inactive\n"
    done = raidtui(guest, "care", "tank", "--do", "start-degraded")
    assert done.code == 0, done.stderr
    assert set(members(guest)) == {A, C}
    guest.shell("mount /dev/md/tank /srv/tank")
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(1)
@pytest.mark.parametrize("out_of_date", [True, False])
def test_an_array_that_was_started_before_its_disks_were_here(guest: Guest, out_of_date: bool) -> None:
    """As a timer does while disks spin up: md fails, and mdadm cannot add a member to what is left of that."""
    build(guest)
    if out_of_date:
        guest.shell(PULL)
    data = more_data(guest)
    said = guest.shell(
        "umount /srv/tank; udevadm settle; udevadm control --stop-exec-queue; mdadm -q --stop /dev/md/tank; "
        f"mdadm -q --incremental /dev/ubda; {'mdadm -q --incremental /dev/ubdb;' if out_of_date else ''} mdadm --run /dev/md127; "
        "for one in b c; do mdadm --incremental /dev/ubd$one; done; udevadm control --start-exec-queue; udevadm settle",
        check=False,
    )
    assert "failed to add /dev/ubdc to existing array" in said.stderr
    done = raidtui(guest, "care", "tank", *(("--do", "start-degraded") if out_of_date else ()))
    assert done.code == 0, done.stderr
    assert set(members(guest)) == ({A, C} if out_of_date else {A, B, C})
    guest.shell("mount /dev/md/tank /srv/tank")
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_an_array_held_by_a_member_that_left_before_a_reshape_is_started_from_the_others(
    guest: Guest,
) -> None:
    guest.shell(
        "mdadm -q --create /dev/md/tank --run --metadata=1.2 --level=1 --raid-devices=3 --bitmap=internal /dev/ubda /dev/ubdb /dev/ubdc; "
        "mdadm -q --wait /dev/md/tank || :; mdadm -q /dev/md/tank --fail /dev/ubda; sleep 0.5; mdadm -q /dev/md/tank --remove /dev/ubda; "
        "mdadm -q --grow /dev/md/tank --raid-devices=2; mkfs.ext4 -qF /dev/md/tank; mkdir -p /srv/tank; mount /dev/md/tank /srv/tank; "
        "dd if=/dev/urandom of=/srv/tank/data bs=1M count=20 status=none; sync"
    )
    data = guest.shell(READ_ALL).stdout
    guest.shell(
        "umount /srv/tank; mdadm -q --stop /dev/md/tank; for one in a b c; do mdadm -q --incremental /dev/ubd$one; done; udevadm settle",
        check=False,
    )
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    guest.shell("mount /dev/md/tank /srv/tank")
    assert guest.shell(READ_ALL).stdout == data


def test_nothing_is_re_added_to_an_array_that_has_failed(guest: Guest) -> None:
    """mdadm would make a spare of it for good."""
    build(guest)
    guest.shell(PULL)
    guest.shell(PULL_ANOTHER)
    before = guest.shell("mdadm --examine /dev/ubdb /dev/ubdc").stdout
    done = raidtui(guest, "care", "tank")
    assert done.code == 3, done.stderr
    assert guest.shell("mdadm --examine /dev/ubdb /dev/ubdc").stdout == before


@pytest.mark.first(0)
def test_a_re_add_that_is_killed_at_every_step_is_finished(guest: Guest) -> None:
    build(guest)
    guest.shell(PULL)
    data = more_data(guest)
    kill_everywhere(guest, prepare(guest, "care", "tank"))
    assert is_whole(guest, [A, B, C])
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_a_failed_member_leaves_when_that_is_asked_for(guest: Guest) -> None:
    data = build(guest)
    guest.shell("mdadm -q /dev/md/tank --fail /dev/ubdb; sleep 0.5")
    done = raidtui(guest, "care", "tank", "--do", "remove-failed")
    assert done.code == 0, done.stderr
    assert members(guest) == {A: ("in_sync",), C: ("in_sync",)}
    assert guest.shell(READ_ALL).stdout == data


# Spares, checks and repairs, what a crash left behind, a start by force.


@pytest.mark.first(0)
def test_a_spare_is_added_takes_over_and_another_leaves(guest: Guest) -> None:
    data = build(guest)
    refused = raidtui(guest, "care", "tank", "--do", "add-spare", "--with", NEW)
    assert (refused.code, f"--erase {NEW}" in refused.stderr) == (3, True), refused.stderr
    done = raidtui(guest, "care", "tank", "--do", "add-spare", "--erase", NEW)
    assert done.code == 0, done.stderr
    assert members(guest)[NEW] == ("spare",)
    assert guest.shell(READ_ALL).stdout == data
    done = raidtui(guest, "care", "tank", "--do", "remove-spare", "--with", NEW)
    assert done.code == 0, done.stderr
    assert is_whole(guest, [A, B, C])
    assert guest.shell("wipefs --noheadings /dev/ubdd").stdout == ""
    done = raidtui(guest, "care", "tank", "--do", "add-spare", "--erase", NEW)
    assert done.code == 0, done.stderr
    guest.shell("mdadm -q /dev/md/tank --fail /dev/ubdb; mdadm -q --wait /dev/md/tank || :; sleep 0.5")
    assert {NEW, A, C} <= {disk for disk, state in members(guest).items() if state == ("in_sync",)}
    assert guest.shell(READ_ALL).stdout == data


def test_what_an_interrupted_program_left_is_put_right_and_a_check_reads_everything(guest: Guest) -> None:
    data = build(guest)
    md = "/sys/block/md127/md"
    guest.shell(f"echo 65536 >{md}/sync_max; echo 1024 >{md}/sync_min; echo frozen >{md}/sync_action")
    (finding,) = findings(guest)
    assert finding["kind"] == "held"
    done = raidtui(guest, "care", "tank")
    assert done.code == 0, done.stderr
    assert guest.shell(f"cat {md}/sync_action {md}/sync_min {md}/sync_max").stdout == "idle\n0\nmax\n"
    assert findings(guest) == []
    guest.shell(f"echo 65536 >{md}/sync_max; echo 1024 >{md}/sync_min")  # a check would wait there for ever
    done = raidtui(guest, "care", "tank", "--do", "check")
    assert done.code == 0, done.stderr
    assert guest.shell(f"cat {md}/last_sync_action {md}/sync_min {md}/sync_max").stdout == "check\n0\nmax\n"
    assert guest.shell(READ_ALL).stdout == data


def test_parity_that_does_not_fit_is_a_finding_and_repaired_only_if_that_is_accepted(guest: Guest) -> None:
    data = build(guest)
    # 64 KiB at the same place of one member. Where that is parity the data stays right; the checksum is of the rest.
    guest.shell(
        "dd if=/dev/urandom of=/dev/ubdc bs=64K count=1 seek=2000 oflag=direct conv=notrunc status=none"
    )
    failed = raidtui(guest, "care", "tank", "--do", "check")
    assert failed.code == 4, failed.stderr
    (finding,) = findings(guest)
    assert finding["kind"] == "errors"
    assert "mismatches in 128 sectors" in finding["what"]
    refused = raidtui(guest, "care", "tank", "--do", "repair")
    assert (refused.code, "--accept repair-overwrites" in refused.stderr) == (3, True), refused.stderr
    guest.shell(f"rm -r {JOBS}/*")
    kill_everywhere(guest, prepare(guest, "care", "tank", "--do", "repair", "--accept", "repair-overwrites"))
    assert guest.shell("cat /sys/block/md127/md/mismatch_cnt").stdout == "0\n"
    assert findings(guest) == []
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_an_array_that_lost_two_is_started_by_force_with_those_that_left_last(guest: Guest) -> None:
    build(guest)
    guest.shell(PULL)
    data = more_data(guest)
    guest.shell(PULL_ANOTHER)
    (finding,) = findings(guest)
    assert finding["kind"] == "failed"
    trial, copied, forced, *_ = finding["remedies"]
    assert trial["procedure"] == {"type": "recover", "unit": finding["unit"], "disks": [], "stop": True}
    assert "ddrescue" in copied["text"], "before anything is written"
    assert forced["procedure"] == {
        "type": "start",
        "unit": finding["unit"],
        "degraded": False,
        "forced": True,
    }
    refused = raidtui(guest, "care", "tank", "--do", "start-forced")
    assert (refused.code, "--accept forced-start" in refused.stderr) == (3, True), refused.stderr
    done = raidtui(guest, "care", "tank", "--do", "start-forced", "--accept", "forced-start")
    assert done.code == 0, done.stderr
    assert members(guest) == {A: ("in_sync",), C: ("in_sync",)}
    guest.shell("fsck -fn /dev/md/tank || :; mount /dev/md/tank /srv/tank")
    assert guest.shell(READ_ALL).stdout == data
    done = raidtui(guest, "care", "tank")  # and the one that left first, by its bitmap
    assert done.code == 0, done.stderr
    assert is_whole(guest, [A, B, C])
    assert guest.shell(READ_ALL).stdout == data


@pytest.mark.first(0)
def test_a_spare_group_is_written_into_the_line_of_the_array(guest: Guest) -> None:
    build(guest)
    guest.shell(
        "mdadm -q --create /dev/md/other --run --level=1 --raid-devices=1 --force --metadata=1.2 /dev/ubdd --spare-devices=0; "
        "udevadm settle"
    )
    done = raidtui(guest, "care", "tank", "--do", "spare-group", "--with", "nas")
    assert done.code == 0, done.stderr
    conf = guest.shell("cat /etc/mdadm/mdadm.conf").stdout
    assert "spare-group=nas" in conf
    done = raidtui(guest, "care", "tank", "--do", "spare-group")
    assert done.code == 0, done.stderr
    assert "spare-group" not in guest.shell("cat /etc/mdadm/mdadm.conf").stdout


@pytest.mark.first(0)
def test_in_a_spare_group_mdadms_monitor_moves_a_spare_and_nothing_is_lost(guest: Guest) -> None:
    guest.shell(
        """mdadm -q --create /dev/md/one --run --level=1 --raid-devices=2 --metadata=1.2 /dev/ubda /dev/ubdb \
            --spare-devices=1 /dev/ubdc
        mdadm -q --create /dev/md/two --run --level=1 --raid-devices=1 --force --metadata=1.2 /dev/ubdd
        mdadm -q --wait /dev/md/one /dev/md/two || :; udevadm settle"""
    )
    for name in ("one", "two"):
        done = raidtui(guest, "care", name, "--do", "spare-group", "--with", "nas")
        assert done.code == 0, done.stderr
    shown = guest.run(["raidtui", "status"], check=True).stdout
    assert shown.count("spare group nas: ") == 2, shown
    guest.shell(
        """mdadm --monitor --scan --delay=1 --program=/bin/true --daemonise --pid-file=/run/monitor.pid; sleep 2
        mdadm -q --grow /dev/md/two --raid-devices=2 --force
        for i in $(seq 60); do mdadm --detail /dev/md/two | grep -q /dev/ubdc && break; sleep 0.5; done
        mdadm -q --wait /dev/md/two || :; kill $(cat /run/monitor.pid)"""
    )
    units = {
        one["name"]: one for one in json.loads(guest.run(["raidtui", "status", "--json"]).stdout)["units"]
    }
    assert [one["path"] for one in units["two"]["members"]] == ["/dev/ubdd", "/dev/ubdc"], units
    assert [one["lost"] for one in units.values()] == [[], []]
    assert findings(guest) == []


FIRMWARE = """
export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
mdadm -q --create /dev/md/{kind} --run -e {kind} -n 2 /dev/ubda /dev/ubdb
mdadm -q --create /dev/md/vol0 --run -l 1 -n 2 /dev/md/{kind}; udevadm settle
{writable}
dd if=/dev/urandom of=/dev/md/vol0 bs=1M count=10 oflag=direct status=none; head -c 10M /dev/md/vol0 | sha256sum
mdadm -q --wait /dev/md/vol0 || :
mdadm -q --stop /dev/md/vol0; mdadm -q --stop /dev/md/{kind}; udevadm settle
"""

# mdmon makes a volume writable shortly after its start.
WRITABLE = "for i in $(seq 100); do grep -qx readonly /sys/block/md*/md/array_state || break; sleep 0.1; done"


@pytest.mark.first(0)
@pytest.mark.parametrize("kind", ["imsm", "ddf"])
def test_a_firmware_raid_that_is_stopped_is_started_as_a_plan(guest: Guest, kind: str) -> None:
    data = guest.shell(FIRMWARE.format(kind=kind, writable=WRITABLE)).stdout
    (finding,) = findings(guest)
    assert finding["remedies"][0]["procedure"]["type"] == "start"
    done = guest.run(
        ["raidtui", "care", kind], env={"IMSM_NO_PLATFORM": "1", "IMSM_DEVNAME_AS_SERIAL": "1"}, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert guest.shell(f"udevadm settle; {WRITABLE}; head -c 10M /dev/md/vol0* | sha256sum").stdout == data
    assert findings(guest) == []
