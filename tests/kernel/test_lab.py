"""The lab itself: a guest that is clean, isolated, and gone without a trace."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from raidtui.lab.guest import Guest

RAIDTUI = [sys.executable, "-m", "raidtui"]


def lab(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*RAIDTUI, "lab", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
        cwd=cwd,
    )


def leftovers() -> set[str]:
    """What a lab could leave: its folders, and processes that run from them."""
    folders = {str(path) for path in Path("/tmp").glob("raidtui-lab-*")}
    for process in psutil.process_iter(["name", "cmdline"]):
        words = " ".join(process.info["cmdline"] or ())
        if "linux.uml" in (process.info["name"] or "") or "raidtui.lab.keeper" in words:
            folders.add(f"{process.pid} {words[:60]}")
    return folders


def test_a_command_has_its_own_output_and_exit_code(tmp_path: Path) -> None:
    script = r"printf 'a\nb\r\n\000\377'; echo oops >&2; touch here; exit 7"
    done = lab("--disks", "1x32MiB", "--", "sh", "-c", script, cwd=tmp_path)
    assert done.stdout == b"a\nb\r\n\x00\xff"
    assert done.stderr == b"oops\n"
    assert done.returncode == 7
    assert not list(tmp_path.iterdir()), "what is written inside stays inside"


def test_much_output_comes_whole() -> None:
    done = lab("--disks", "1x32MiB", "--", "sh", "-c", "seq 1 60000")
    assert done.stdout.split() == [b"%d" % number for number in range(1, 60001)]


def test_a_shared_folder_can_be_written_from_inside(tmp_path: Path) -> None:
    done = lab(
        "--disks", "1x32MiB", "--share", str(tmp_path), "--", "sh", "-c", f"echo out > {tmp_path}/note"
    )
    assert done.returncode == 0
    assert (tmp_path / "note").read_text() == "out\n"


def test_the_guest_is_a_debian_with_identified_disks(guest: Guest) -> None:
    assert guest.shell("id -u; hostname").stdout.split() == ["0", "lab"]
    listed = guest.shell("lsblk -dno NAME,SERIAL,WWN /dev/ubda /dev/ubdb").stdout.split("\n")
    assert listed[0].split() == ["ubda", "LAB-0001", "0x5000c50000000001"]
    assert listed[1].split() == ["ubdb", "LAB-0002", "0x5000c50000000002"]
    assert "wwn-0x5000c50000000001" in guest.shell("ls /dev/disk/by-id").stdout.split()
    assert guest.shell("raidtui --version").stdout.startswith("raidtui ")


def test_a_real_array_syncs(guest: Guest) -> None:
    guest.shell(
        "mdadm --create /dev/md/pair --run --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb"
    )
    guest.shell("mdadm --wait /dev/md/pair || true")
    assert "[2/2] [UU]" in guest.shell("cat /proc/mdstat").stdout


def test_an_array_and_the_guests_changes_survive_a_power_cut(own_guest: Callable[[str], Guest]) -> None:
    guest = own_guest("2x64MiB")
    guest.shell(
        "mdadm --create /dev/md/pair --run --level=1 --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb"
    )
    guest.shell("mdadm --wait /dev/md/pair || true; echo kept > /etc/kept; sync")
    guest.power_cut()
    guest.power_on()
    assert "[UU]" in guest.shell("cat /proc/mdstat").stdout
    assert guest.shell("cat /etc/kept; test -b /dev/md/pair && echo by name").stdout == "kept\nby name\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_killed_lab_leaves_nothing_behind(number: signal.Signals, tmp_path: Path) -> None:
    before = leftovers()
    words = ["lab", "--disks", "1x32MiB", "--", "sh", "-c", "echo up; sleep 1000 & sleep 1000"]
    with subprocess.Popen([*RAIDTUI, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        os.kill(process.pid, number)
        process.wait(timeout=20)
    deadline = time.monotonic() + 10
    while leftovers() - before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert leftovers() - before == set()


def test_a_dying_guest_is_told_with_its_last_words() -> None:
    done = lab("--disks", "1x32MiB", "--", "sh", "-c", "echo c > /proc/sysrq-trigger; sleep 60")
    assert done.returncode == 4
    assert b"the guest ended before the command did" in done.stderr
    assert b"panic" in done.stderr
