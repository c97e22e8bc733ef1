"""Changes are told within two seconds, quiet arrays cost nothing, and a terminal is not flooded."""

import json
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import raidtui
from raidtui.lab.command import Command
from raidtui.lab.guest import Guest
from tests.kernel.driving import advised, apply, serials, spec_text

ROOT = Path(raidtui.__file__).parent.parent
WATCHER = Path(__file__).with_name("watcher.py")
CREATE = "mdadm --quiet --create /dev/md/tank --run --homehost=lab --metadata=1.2 --bitmap=internal"
SOON = 2.0


class Watched:
    """The lines of a watcher in the guest, and the guest's clock."""

    def __init__(self, guest: Guest, command: Command) -> None:
        self.guest = guest
        self.command = command

    def lines(self) -> list[dict[str, Any]]:
        """Every whole line so far."""
        self.guest.run(["true"])  # takes in what has come meanwhile
        text = bytes(self.command.stdout).decode()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def do(self, script: str) -> float:
        """Run a script in the guest; returns the guest's time just before its last command."""
        *before, last = script.split("; ")
        return float(self.guest.shell("; ".join([*before, "date +%s.%N", last])).stdout.split()[0])

    def told(self, since: float, wanted: str) -> float:
        """Seconds from ``since`` until a callback in whose line ``wanted`` (a pattern) is found."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for line in self.lines():
                if line["at"] >= since and re.search(wanted, json.dumps(line)):
                    return float(line["at"]) - since
            time.sleep(0.2)
        raise AssertionError(f"nobody told of {wanted}; the last lines are {self.lines()[-3:]}")


@pytest.fixture
def watched(guest: Guest) -> Iterator[Watched]:
    """A watcher that has made its first callback."""
    command = guest.start([sys.executable, str(WATCHER)], env={"PYTHONPATH": str(ROOT)})
    watched = Watched(guest, command)
    watched.told(0, '"arrays"')
    yield watched
    command.close_input()
    assert command.wait(20) == 0
    assert b'"ended"' in bytes(command.stdout)


def test_every_change_of_an_array_is_told_within_two_seconds(watched: Watched) -> None:
    begin = watched.do(f"{CREATE} --level=1 -n2 /dev/ubda /dev/ubdb -x1 /dev/ubdc")
    # To create takes a while itself: the kernel has the array only near its end.
    assert watched.told(begin, '"/dev/md127".*"/dev/ubda"') < SOON + 3
    watched.do("mdadm --wait /dev/md127 || :; sleep 0.5")

    begin = watched.do("echo 2000 >/sys/block/md127/md/sync_speed_max; mdadm -q /dev/md127 --fail /dev/ubda")
    assert watched.told(begin, '"/dev/ubda": .null, "faulty"') < SOON
    assert watched.told(begin, '"action": "recover".*"/dev/ubdc": .0, "spare"') < SOON

    begin = watched.do("mdadm -q /dev/md127 --remove /dev/ubda")
    assert watched.told(begin, r'"members": {"/dev/ubd[bc]": \[[^]]*\], "/dev/ubd[bc]": \[[^]]*\]}') < SOON

    begin = watched.do("mdadm -q --stop /dev/md127")
    assert watched.told(begin, r'"arrays": \[\]') < SOON


def test_progress_is_told_every_second_and_silence_costs_nothing(watched: Watched) -> None:
    watched.do(f"echo 4000 >/proc/sys/dev/raid/speed_limit_max; {CREATE} --level=1 -n2 /dev/ubda /dev/ubdb")
    begin = watched.do("sleep 6")
    told = [line for line in watched.lines() if line["at"] > begin and "arrays" in line]
    assert 4 <= len(told) <= 8
    watched.do("echo 200000 >/sys/block/md127/md/sync_speed_max; mdadm --wait /dev/md127 || :; sleep 2")
    quiet = watched.lines()
    watched.do("sleep 6")
    begin = watched.do("echo check >/sys/block/md127/md/sync_action")
    assert watched.told(begin, '"action": "check"') < SOON
    after = watched.lines()[len(quiet)]
    # The next callback after the silence is that of the check, and the silence took no processor time.
    assert after["at"] >= begin - 0.1
    assert after["cpu"] - quiet[-1]["cpu"] < 0.5


def test_disks_partitions_and_mounts_are_told(watched: Watched) -> None:
    begin = watched.do("printf ',32M\\n' | sfdisk -q /dev/ubda")
    assert watched.told(begin, '"disks"') < SOON + 1
    watched.do("udevadm settle; mkfs.ext4 -q /dev/ubda1; mkdir -p /srv/x; sleep 2")
    begin = watched.do("mount /dev/ubda1 /srv/x")
    assert watched.told(begin, '"disks"') < SOON


def test_status_watch_is_frugal_and_ends_on_ctrl_c(guest: Guest) -> None:
    guest.shell(
        f"{CREATE} --level=5 -n4 /dev/ubd[abcd]; "
        "echo 2000 >/sys/block/md127/md/sync_speed_max; udevadm settle"
    )
    status = guest.start(["raidtui", "status", "--watch"], size=(24, 80))
    deadline = time.monotonic() + 20
    while b"(sync " not in bytes(status.stdout) and time.monotonic() < deadline:
        guest.shell("sleep 0.2")
    first = len(status.stdout)
    begin = time.monotonic()
    guest.shell("sleep 8")
    rate = (len(status.stdout) - first) / (time.monotonic() - begin)
    assert 10 < rate <= 1024
    status.write(b"\x03")
    assert status.wait(20) == 130
    assert b"Traceback" not in bytes(status.stdout)


def test_status_json_lines_follow_a_failure(guest: Guest) -> None:
    guest.shell(f"{CREATE} --level=1 -n2 /dev/ubda /dev/ubdb; mdadm --wait /dev/md127 || :; udevadm settle")
    status = guest.start(["raidtui", "status", "--watch", "--json"])
    deadline = time.monotonic() + 20
    while b"\n" not in bytes(status.stdout) and time.monotonic() < deadline:
        guest.shell("sleep 0.2")
    guest.shell("mdadm -q /dev/md127 --fail /dev/ubda; sleep 2.5")
    status.kill(signal.SIGINT)
    assert status.wait(20) == 130
    first, *_, last = (json.loads(line) for line in bytes(status.stdout).decode().splitlines())
    assert first["arrays"][0]["words"] == "in sync"
    assert last["arrays"][0]["words"] == "degraded, not redundant: 1 of 2 members missing (ubda faulty)"


def test_status_once_shows_what_each_member_does(guest: Guest) -> None:
    guest.shell(f"echo 4000 >/proc/sys/dev/raid/speed_limit_max; {CREATE} --level=1 -n2 /dev/ubda /dev/ubdb")
    document = json.loads(guest.run(["raidtui", "status", "--json"]).stdout)
    (one,) = document["arrays"]
    assert one["array"]["sync"]["action"] == "resync"
    assert any(member["write_bytes_per_second"] > 0 for member in one["activity"])
    shown = guest.run(["raidtui", "status"]).stdout
    assert "resync " in shown
    assert "% busy" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_disk_that_is_gone_is_named_until_it_is_acknowledged(guest: Guest) -> None:
    """A spare took over and the failed member was removed: nothing of it is left in the kernel."""
    guest.shell(
        f"{CREATE} --level=1 -n2 /dev/ubda /dev/ubdb -x1 /dev/ubdc; mdadm --wait /dev/md127 || :; udevadm settle"
    )
    status = guest.start(["raidtui", "status", "--watch", "--json"])
    deadline = time.monotonic() + 20
    while b"\n" not in bytes(status.stdout) and time.monotonic() < deadline:
        guest.shell("sleep 0.2")
    guest.shell("mdadm -q /dev/md127 --fail /dev/ubda; mdadm --wait /dev/md127 || :; sleep 2.5")
    faulty = guest.run(["raidtui", "status"]).stdout
    assert re.search(r"/dev/ubda +LAB-0001 +faulty", faulty)
    guest.shell("mdadm -q /dev/md127 --remove /dev/ubda; sleep 6")
    status.kill(signal.SIGINT)
    assert status.wait(20) == 130
    last = json.loads(bytes(status.stdout).decode().splitlines()[-1])["arrays"][0]
    assert last["words"] == "in sync"
    (lost,) = last["array"]["lost"]
    assert (lost["disk"], lost["path"], lost["state"]) == ("LAB-0001", "/dev/ubda", ["faulty"])

    assert "not in it now: LAB-0001, " in guest.run(["raidtui", "status"]).stdout  # another process, later
    done = guest.run(["raidtui", "status", "--acknowledge", "tank"])
    assert done.returncode == 0
    assert "acknowledged as not in it now: LAB-0001" in done.stdout
    assert "LAB-0001" not in guest.run(["raidtui", "status"]).stdout
    assert guest.run(["raidtui", "status", "--acknowledge", "tank"]).returncode == 2


def state_of(guest: Guest) -> str:
    """The words for the one array once its sync has ended."""
    guest.shell("mdadm --wait /dev/md127 || :; udevadm settle")
    (one,) = json.loads(guest.run(["raidtui", "status", "--json"]).stdout)["arrays"]
    return str(one["words"])


def test_a_missing_member_is_replaced_by_the_printed_commands(guest: Guest) -> None:
    """Members are partitions: the free disk is partitioned as they are."""
    guest.shell(
        "for d in a b c; do printf 'label: gpt\\nstart=1MiB, size=100MiB, type=A19D880F-05FC-4D3B-A006-743F0F84911E\\n' "
        f"| sfdisk -q /dev/ubd$d; done; udevadm settle; {CREATE} --level=5 -n3 /dev/ubd[abc]1; "
        "mdadm --wait /dev/md127 || :; mdadm -q /dev/md127 --fail /dev/ubdb1; sleep 0.5; "
        "mdadm -q /dev/md127 --remove /dev/ubdb1; wipefs -qa /dev/ubdb1; wipefs -qa /dev/ubdb; udevadm settle"
    )
    _, commands = advised(guest)
    assert len(commands) == 1
    guest.shell(commands[0])
    assert state_of(guest) == "in sync"


@pytest.mark.first(0)
def test_an_array_that_is_auto_read_only_is_set_going_by_the_printed_command(guest: Guest) -> None:
    guest.shell(
        f"echo 1000 >/proc/sys/dev/raid/speed_limit_max; {CREATE} --level=1 -n2 /dev/ubda /dev/ubdb; "
        "mkfs.ext4 -q /dev/md127; udevadm settle; mdadm -q --stop /dev/md127; "
        "mdadm -q --assemble /dev/md/tank /dev/ubda /dev/ubdb; udevadm settle"
    )
    assert "pending" in guest.run(["cat", "/proc/mdstat"]).stdout.lower()
    assert advised(guest)[1] == ["raidtui care tank"]
    guest.shell(
        "mkdir -p /srv/t; echo UUID=$(blkid -s UUID -o value /dev/md127) /srv/t ext4 nofail 0 2 >>/etc/fstab"
    )
    assert advised(guest)[1] == ["mount /srv/t"]
    guest.shell("mount /srv/t; sleep 1; echo 200000 >/proc/sys/dev/raid/speed_limit_max")
    assert state_of(guest) == "in sync"


@pytest.mark.first(0)
def test_an_inactive_array_is_started_by_the_printed_command(guest: Guest) -> None:
    guest.shell(
        f"{CREATE} --level=1 -n2 /dev/ubda /dev/ubdb; mdadm --wait /dev/md127 || :; udevadm settle; "
        "raidtui status >/dev/null; mdadm -q --stop /dev/md127; udevadm settle; mdadm -q --incremental /dev/ubda"
    )
    shown = guest.run(["raidtui", "status"]).stdout
    assert "inactive, not started: it has 1 of its 2 members" in shown
    assert "add LAB-0002 (ubdb), which is here and up to date" in shown
    assert "not in it now: LAB-0002, RAIDTUI LAB, connected as ubdb, was slot 1" in shown
    assert "spare" not in shown
    _, (command,) = advised(guest)
    guest.shell(command)
    assert state_of(guest) == "in sync, auto-read-only"


def test_a_disk_that_went_before_anybody_looked_is_named_since_the_build(guest: Guest) -> None:
    disks = serials(2)
    built = apply(guest, spec_text("raid1", disks), disks)
    assert built.code == 0, built.stderr
    guest.shell(
        "mdadm --wait /dev/md/tank || :; mdadm -q /dev/md/tank --fail /dev/ubdb1; sleep 0.5; "
        "mdadm -q /dev/md/tank --remove /dev/ubdb1"
    )
    assert f"not in it now: {disks[1]}, " in guest.run(["raidtui", "status"]).stdout


@pytest.mark.first(0)
def test_a_disk_that_is_missing_from_a_volume_group_is_named_until_it_is_acknowledged(guest: Guest) -> None:
    """LVM lists it without a name, and the group stays inactive until it is activated."""
    disks = serials(2)
    built = apply(guest, spec_text("raid1", disks, backend="lvm", filesystem="none"), disks)
    assert built.code == 0, built.stderr
    guest.shell(
        "vgchange -qq -an tank; wipefs -qa /dev/ubdb1 /dev/ubdb; blockdev --rereadpt /dev/ubdb; udevadm settle"
    )
    down = guest.run(["raidtui", "status"]).stdout
    assert "inactive: 1 disk missing" in down
    assert re.search(rf"not in it now: {disks[1]}, .* connected as ubdb, was slot 1 ", " ".join(down.split()))
    guest.shell("vgchange -qq -ay --activationmode degraded tank")
    (found,) = json.loads(guest.run(["raidtui", "status", "--json"]).stdout)["units"]
    assert (found["health"], [one["disk"] for one in found["lost"]]) == ("degraded", disks[1:])
    assert (
        f"acknowledged as not in it now: {disks[1]}"
        in guest.run(["raidtui", "status", "--acknowledge", "tank"]).stdout
    )
    assert "not in it now: " not in guest.run(["raidtui", "status"]).stdout  # now a free disk like any other


def test_a_disk_that_is_pulled_is_a_finding_with_its_serial_as_soon_as_the_loss_is_shown(
    guest: Guest,
) -> None:
    """Reading the whole computer, for what to do about it, takes seconds more."""
    guest.shell(
        """mdadm -q --create /dev/md/tank --run --level=1 --raid-devices=2 --bitmap=internal --metadata=1.2 /dev/ubda /dev/ubdb
        mdadm -q --wait /dev/md/tank || :; udevadm settle"""
    )
    watch = guest.start(["raidtui", "status", "--watch", "--json"])
    lines: list[dict[str, Any]] = []
    pulled = False
    begin = time.monotonic()
    while not any(unit["lost"] for line in lines for unit in line["units"]):
        assert time.monotonic() - begin < 120, bytes(watch.stderr)
        if lines and not pulled:
            pulled = True
            guest.shell("lab pull LAB-0002")
        guest.pump(0.2)
        whole, _, _ = bytes(watch.stdout).rpartition(b"\n")
        lines = [json.loads(line) for line in whole.splitlines()]
    watch.kill(15)
    first = next(line for line in lines if any(unit["lost"] for unit in line["units"]))
    assert [[disk["disk"] for disk in one["disks"]] for one in first["findings"]] == [["LAB-0002"]]
