"""What raidtui sees of disks on real buses, and that it sees them come and go."""

import json
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import raidtui
from raidtui.lab.command import Command
from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, inspect, nodes, serials
from tests.kernel.test_watch import WATCHER

ROOT = Path(raidtui.__file__).parent.parent
CREATE = "mdadm --quiet --create /dev/md/tank --run --homehost=lab --metadata=1.2 --bitmap=internal"

# Long enough to pull a disk meanwhile.
ROW = """
name = "row"
title = "One row"
runs = 1
seconds = 15
[row."SEQ1M Q1T1"]
directions = ["write"]
"""

PLUGGING = r"""
from tests.kernel.terminal import Terminal

with Terminal() as screen:
    screen.until("Enter opens it", seconds=120)
    screen.press("enter")
    screen.until("nvme0n1", seconds=120)
    print("seen", flush=True)
    while "nvme0n1" in screen.text:
        screen.watch(0.2)
    print("gone", flush=True)
    screen.until("nvme0n1", seconds=120)
    print("back", flush=True)
"""


def test_inspect_sees_of_every_disk_what_the_system_itself_sees(kept_vm: Guest) -> None:
    columns = "SERIAL,TRAN,WWN,ROTA,LOG-SEC,PHY-SEC,SIZE"
    listed = json.loads(kept_vm.run(["lsblk", "-Jbdo", columns], check=True).stdout)["blockdevices"]
    found = {disk["serial"]: disk for disk in inspect(kept_vm)["disks"]}
    for theirs in listed:
        ours = found[theirs["serial"]]
        assert (ours["wwn"], ours["rotational"]) == (theirs["wwn"] or "", theirs["rota"])
        assert ours["logical_sector_bytes"] == theirs["log-sec"]
        assert ours["physical_sector_bytes"] == theirs["phy-sec"]
        assert ours["size_bytes"] == theirs["size"]
        # lsblk has no word for virtio, for its SCSI controller, nor for what is behind a card.
        assert ours["transport"] == (
            theirs["tran"] or ("virtio" if ours["serial"] == "LAB-SYSTEM" else "scsi")
        )
    assert set(found) == {*serials(10), "LAB-SYSTEM"}


def test_each_bus_gives_what_it_was_asked_for(kept_vm: Guest) -> None:
    found = {disk["serial"]: disk for disk in inspect(kept_vm)["disks"]}
    seen = {
        serial: (
            disk["transport"],
            disk["logical_sector_bytes"],
            disk["physical_sector_bytes"],
            disk["rotational"],
        )
        for serial, disk in found.items()
        if serial in {"LAB-0001", "LAB-0005", "LAB-0006", "LAB-0008", "LAB-0009"}
    }
    assert seen == {
        "LAB-0001": ("scsi", 512, 512, True),
        "LAB-0005": ("nvme", 512, 512, False),
        "LAB-0006": ("scsi", 4096, 4096, True),
        "LAB-0008": ("sata", 512, 4096, True),
        "LAB-0009": ("usb", 512, 512, True),
    }
    assert found["LAB-0008"]["wwn"].startswith("0x5")


def test_a_card_and_the_disk_behind_it_are_known_without_the_cards_tool(kept_vm: Guest) -> None:
    """The kernel's own megaraid_sas, on QEMU's virtual card."""
    machine = inspect(kept_vm)
    (card,) = machine["cards"]
    assert (card["driver"], card["vendor"], card["device"]) == ("megaraid_sas", "1000", "0079")
    behind = next(disk for disk in machine["disks"] if disk["serial"] == "LAB-0010")
    assert behind["controller"]["driver"] == "megaraid_sas"
    host, *_ = kept_vm.shell(f"basename $(readlink /sys/class/block/{behind['name']}/device)").stdout.split(
        ":"
    )
    assert [int(host)] == card["hosts"]
    said = kept_vm.run(["raidtui", "inspect", "--no-smart"], check=True).stdout
    assert "storcli64" in said
    assert "is not installed" in " ".join(said.split())


class Watched:
    """A watcher in the guest, and what it has reported."""

    def __init__(self, guest: Guest, command: Command) -> None:
        self.guest = guest
        self.command = command
        self.read = 0

    def until(self, wanted: str) -> dict[str, Any]:
        """The next line in which ``wanted``, a pattern, is found. Five minutes are for a busy computer."""
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            lines = bytes(self.command.stdout).decode().split("\n")[:-1]
            while self.read < len(lines):
                self.read += 1
                if re.search(wanted, lines[self.read - 1]):
                    found: dict[str, Any] = json.loads(lines[self.read - 1])
                    return found
            self.guest.pump(0.2)
        raise AssertionError(f"no {wanted} in {bytes(self.command.stdout)[-2000:]!r}")


@pytest.fixture
def watched(vm: Guest) -> Iterator[Callable[[], Watched]]:
    """Starts a watcher; every disk that was pulled meanwhile is back at the end."""
    commands = []

    def start() -> Watched:
        command = vm.start([sys.executable, str(WATCHER)], env={"PYTHONPATH": str(ROOT)})
        commands.append(command)
        watched = Watched(vm, command)
        watched.until('"arrays"')
        return watched

    yield start
    for command in commands:
        command.close_input()
        assert command.wait(120) == 0


def mirror(vm: Guest, script: str = "") -> None:
    """A mirror of the first two disks, after ``script``."""
    vm.shell(f"{script}\n{CREATE} --level=1 -n2 {' '.join(nodes(vm, serials(2)))}; udevadm settle")


def seen(vm: Guest) -> set[str]:
    """The serial numbers that inspect finds."""
    return {disk["serial"] for disk in inspect(vm)["disks"]}


@pytest.mark.first(0)
def test_a_disk_pulled_from_an_idle_array_is_reported_and_comes_back(
    vm: Guest, watched: Callable[[], Watched]
) -> None:
    mirror(vm)
    vm.shell("mdadm --wait /dev/md/tank || :")
    assert "LAB-0002" in vm.run(["raidtui", "status"]).stdout
    reports = watched()
    vm.pull("LAB-0002")
    reports.until('"degraded": 1')
    assert "LAB-0002" not in seen(vm)
    assert "lost: LAB-0002" in vm.run(["raidtui", "status"]).stdout
    before = reports.read
    vm.plug("LAB-0002")
    reports.until('"disks": true')
    assert reports.read > before
    assert "LAB-0002" in seen(vm)


def test_a_usb_disk_replaces_another(vm_of: Callable[[str], Guest]) -> None:
    """The link of a USB disk has a colon, at which sfdisk ends a device name."""
    vm = vm_of("2xscsi:512MiB,1xusb:512MiB")
    spec = 'name = "tank"\nlevel = "raid1"\npersistent = false\nmembers = ["LAB-0001", "LAB-0002"]\n'
    built = f"printf {shlex.quote(spec)} | raidtui apply - --erase LAB-0001,LAB-0002"
    vm.shell(f"{built}; mdadm --wait /dev/md/tank || :", timeout=600)
    vm.shell("raidtui replace LAB-0002 LAB-0003 --erase LAB-0003 --accept usb", timeout=600)
    status = vm.run(["raidtui", "status"], check=True).stdout
    assert [line.split()[2:] for line in status.splitlines()[2:4]] == [
        ["LAB-0001", "in", "sync"],
        ["LAB-0003", "in", "sync"],
    ]


def test_locate_says_that_the_wrong_disk_was_pulled_and_ends_when_the_right_one_is(vm: Guest) -> None:
    mirror(vm)
    vm.shell("mdadm --wait /dev/md/tank || :")
    search = vm.start(["raidtui", "locate", "LAB-0001"])

    def until(word: str) -> None:
        deadline = time.monotonic() + 300
        while word.encode() not in bytes(search.stdout):
            assert search.returncode is None, bytes(search.stderr).decode()
            assert time.monotonic() < deadline, f"not {word!r}: {bytes(search.stdout)!r}"
            vm.pump(0.2)

    until("light blinks")
    vm.pull("LAB-0002")
    until("WRONG DISK: LAB-0002 was pulled, not LAB-0001. Put LAB-0002 back")
    vm.plug("LAB-0002")
    until("LAB-0002 is back.")
    until("degraded")
    vm.pull("LAB-0001")
    assert search.wait(60) == 0
    assert "LAB-0001 is out: that is the right disk." in bytes(search.stdout).decode()


@pytest.mark.first(0)
def test_a_disk_pulled_from_an_array_that_syncs_is_reported(
    vm: Guest, watched: Callable[[], Watched]
) -> None:
    mirror(vm, "echo 4000 >/proc/sys/dev/raid/speed_limit_max")
    reports = watched()
    reports.until('"action": "resync"')
    vm.pull("LAB-0002")
    reports.until('"degraded": 1')
    assert "degraded, not redundant: 1 of 2 members missing" in vm.run(["raidtui", "status"]).stdout
    vm.shell("echo 200000 >/proc/sys/dev/raid/speed_limit_max")


@pytest.mark.first(0)
def test_a_disk_pulled_under_a_benchmark_is_a_stamp_on_its_result(vm: Guest) -> None:
    mirror(vm)
    vm.shell(
        """
        mdadm --wait /dev/md/tank || :
        mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/md/tank
        mkdir -p /srv/tank
        mount /dev/md/tank /srv/tank
        """
    )
    vm.run(["tee", "/run/row.toml"], stdin=ROW, check=True)
    running = vm.start(
        ["raidtui", "bench", "/srv/tank", "--profile", "/run/row.toml", "--size", "64MiB", "--json"]
    )
    vm.shell(f"""until grep -qs '"phase":"measuring"' {JOBS}/*/live; do sleep 0.2; done""", timeout=300)
    vm.pull("LAB-0002")
    assert running.wait(300) == 0, bytes(running.stderr).decode()
    (cell,) = json.loads(running.stdout)["cells"]
    assert any("is degraded" in flag for flag in cell["flags"])
    vm.shell("umount /srv/tank")


def test_a_disk_that_is_pulled_and_plugged_leaves_and_joins_the_screen_without_a_key(vm: Guest) -> None:
    wizard = vm.start([sys.executable, "-c", PLUGGING], env={"PYTHONPATH": str(ROOT)})

    def until(word: bytes) -> None:
        deadline = time.monotonic() + 300
        while word not in bytes(wizard.stdout):
            assert wizard.returncode is None, bytes(wizard.stderr).decode()
            assert time.monotonic() < deadline, f"not {word!r}: {bytes(wizard.stdout)!r}"
            vm.pump(0.2)

    until(b"seen")
    vm.pull("LAB-0005")
    until(b"gone")
    vm.plug("LAB-0005")
    until(b"back")
    assert wizard.wait(60) == 0
