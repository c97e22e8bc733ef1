"""The wizard in plain lines on a real kernel: from bare disks to a mounted array on a dumb terminal and through a pipe."""

import json
import re
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.text import spelled
from tests.kernel.driving import python, raidtui, serials, spec_text

DIALOG = r"""
import json, os, pty, select, sys, time

INTERRUPT = "\x03"
QUESTIONS = json.loads(sys.stdin.read())
pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(sys.executable, [sys.executable, "-m", "raidtui", "wizard", "--plain", "--every", "10%"])
out, seen = b"", 0

def read(until=""):
    # Until a question comes after the last one; without one, to the end.
    global out, seen
    end = time.monotonic() + 100
    while time.monotonic() < end:
        if until and (at := out.find(until.encode(), seen)) >= 0:
            seen = at + len(until)
            return
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            out += os.read(terminal, 65536)
        except OSError:
            if until:
                break
            return
    raise AssertionError(f"no {until!r} in:\n{out[seen:].decode()}")

for question, answer in QUESTIONS:
    read(question)
    os.write(terminal, answer.encode() + (b"" if answer == INTERRUPT else b"\n"))
read()
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"out": out.decode("latin-1"), "code": code}))
"""
INTERRUPT = "\x03"
OPTIONS = "Option to change, or plan [plan]: "
RESERVE = [(OPTIONS, "5"), (OPTIONS, "6"), ("Reserve [100MiB]: ", "1MiB")]
SERIALS = [(f"Type the last 4 characters of serial LAB-000{number}: ", f"000{number}") for number in (1, 2)]


def told(guest: Guest, questions: list[tuple[str, str]]) -> dict[str, Any]:
    """What the wizard said on a dumb terminal, and its exit code."""
    done = python(guest, DIALOG, stdin=json.dumps(questions))
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def is_plain(text: str) -> bool:
    """Whether nothing in ``text`` moves a cursor, draws or rings."""
    lines = text.replace("\r\n", "\n")
    return all(letter == "\n" or letter >= " " for letter in lines)


def test_on_a_dumb_terminal_bare_disks_become_a_mounted_array(guest: Guest) -> None:
    report = told(
        guest,
        [
            ("What to do [1]: ", "neu"),
            ("What to do [1]: ", "1"),
            ("Members: ", "1-2"),
            ("Hot spares, or none [none]: ", ""),
            ("Level [2]: ", "?"),
            ("Level [2]: ", ""),
            *RESERVE,
            (OPTIONS, "plan"),
            ("Type confirm to continue: ", "confirm"),
            (SERIALS[0][0], "yes"),
            *SERIALS,
            ("Type erase to ERASE 2 disks now: ", "yes"),
            ("Type erase to ERASE 2 disks now: ", "erase"),
            ("Create the mount folder /srv/tank\r\n", INTERRUPT),
            ("What now [1]: ", ""),
            ("]: ", "back to the overview"),
            ("What to do [1]: ", "q"),
        ],
    )
    assert report["code"] == 0, report["out"]
    out = report["out"]
    assert is_plain(out)
    assert "'neu' is not a number from 1 to" in out
    assert "ERASES 2 disks, all apparently blank, on " in out
    assert "Doesn't match disk 1 (…0001)." in out.encode("latin-1").decode()
    assert "Nothing was started: type erase, or b to go back." in out
    assert "The job keeps running without this terminal" in out
    assert "After you quit, jobs end with the lab." in out
    assert "/dev/md/tank: RAID1 of 2 members" in out
    assert guest.shell("findmnt -no SOURCE,FSTYPE /srv/tank").stdout.split() == ["/dev/md127", "ext4"]
    removes_it_again(guest)


def removes_it_again(guest: Guest) -> None:
    """The array of the first two disks is removed on a dumb terminal, and nothing is left of it."""
    report = told(
        guest,
        [
            ("What to do [1]: ", "remove"),
            ("Remove [1]: ", "tank"),
            ("Type confirm to continue: ", "confirm"),
            *SERIALS,
            ("Type erase to ERASE 2 disks now: ", "erase"),
            ("What to do [1]: ", "q"),
        ],
    )
    assert report["code"] == 0, report["out"]
    assert is_plain(report["out"])
    assert "1. array tank with ext4 'tank', mounted at /srv/tank: RAID1" in report["out"]
    assert "done: Remove array tank" in report["out"]
    left = guest.shell(
        "cat /etc/fstab /etc/mdadm/mdadm.conf /proc/mdstat; ls /srv; blkid -p /dev/ubda", check=False
    )
    assert "tank" not in left.stdout
    assert "md127" not in left.stdout


@pytest.mark.first(0)
def test_on_a_dumb_terminal_a_failed_disk_is_replaced_with_a_proof(guest: Guest) -> None:
    built = raidtui(guest, "apply", "-", "--erase", "LAB-0001,LAB-0002", stdin=spec_text("raid1", serials(2)))
    assert built.code == 0, built.stderr
    guest.shell(
        "mdadm --wait /dev/md/tank || true; echo twenty >/srv/tank/photos; mdadm /dev/md/tank --fail /dev/ubdb1"
    )
    report = told(
        guest,
        [
            ("What to do [1]: ", "care"),
            ("Finding [1]: ", "?"),
            ("Finding [1]: ", ""),
            ("What to do [1]: ", "1"),
            ("Type confirm to continue: ", "confirm"),
            ("Type the last 4 characters of serial LAB-0003: ", "0003"),
            ("Type erase to ERASE 1 disk now: ", "erase"),
            ("What to do [1]: ", "q"),
        ],
    )
    assert report["code"] == 0, report["out"]
    out = report["out"]
    assert is_plain(out)
    assert "ONE MORE FAILURE LOSES tank" in out
    assert "pull a disk before you have compared its serial number" in out
    assert "Full redundancy: " in out
    assert "LAB-0002 is in no array any more" in out
    assert "[UU]" in guest.shell("cat /proc/mdstat").stdout
    assert guest.shell("cat /srv/tank/photos").stdout == "twenty\n"


@pytest.mark.first(0)
@pytest.mark.timeout(1800)  # ten measurements
def test_through_a_pipe_a_sweep_measures_and_leaves_its_disks_free(large_guest: Guest) -> None:
    answers = ["sweep", "1-2", "stripe", "quick", "confirm", "0001", "0002", "erase", "q"]
    done = large_guest.run(["raidtui", "wizard", "--plain"], stdin="\n".join([*answers, ""]), timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    assert is_plain(done.stdout + done.stderr)
    assert "Sweep stripe: started as job " in done.stdout
    assert "Not measured" not in done.stdout
    said = " ".join(done.stdout.split())
    for array in (
        "single disk",
        "mdadm raid0 of 2",
        "lvm striped of 2",
        "lvm-on-md raid0 of 2",
        "mdadm raid1 of 2",
    ):
        for grid in ("streams", "cdm"):
            pattern = rf"{re.escape(spelled(array))} \(stripe, quick\), [^,]+, grid {grid}, of [^,]+, reads [\d.,]+ [kMG]B/s, writes "
            assert re.search(pattern, said), pattern
    assert all(disk["free"] for disk in raidtui(large_guest, "inspect", "--json").report["disks"])


@pytest.mark.first(0)
def test_through_a_pipe_an_array_is_built_and_measured_twice_and_compared(guest: Guest) -> None:
    answers = ["a new array", "1-3", "none", "raid1", "5", "6", "1MiB", "plan", "confirm"]
    answers += [*(f"000{number}" for number in range(1, 4)), "erase"]
    small = ["2", "8MiB", "2", "16MiB", "3", "1", "4", "1"]
    answers += [
        "benchmark /srv/tank",
        *small,
        "measure",
        "a benchmark",
        "1",
        *small,
        "measure",
        "compare results",
        "2 1",
    ]
    done = guest.run(["raidtui", "wizard", "--plain"], stdin="\n".join([*answers, ""]), timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert is_plain(done.stdout + done.stderr)
    assert "done: Build RAID1 tank" in done.stdout
    assert guest.shell("findmnt -no FSTYPE /srv/tank").stdout.strip() == "ext4"
    assert done.stdout.count("Result ") == 2
    assert "SEQ1M Q8T1 read: " in done.stdout
    assert "A is " in done.stdout
    assert "times A" in done.stdout
    assert raidtui(guest, "status", "--json").report["units"][0]["level"] == "raid1"


@pytest.mark.first(0)
def test_through_a_pipe_a_disk_that_works_is_replaced_and_the_array_grows(guest: Guest) -> None:
    built = raidtui(guest, "apply", "-", "--erase", "LAB-0001,LAB-0002", stdin=spec_text("raid1", serials(2)))
    assert built.code == 0, built.stderr
    guest.shell("mdadm --wait /dev/md/tank || true; echo twenty >/srv/tank/photos")
    answers = ["replace", "tank", "0002", "LAB-0003", "confirm", "0003", "erase"]
    answers += ["grow", "tank", "1", "0004", "confirm", "0004", "erase", "q"]
    done = guest.run(["raidtui", "wizard", "--plain"], stdin="\n".join([*answers, ""]), timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert is_plain(done.stdout + done.stderr)
    assert "done: Replace LAB-0002 with LAB-0003" in done.stdout
    assert "[UUU]" in guest.shell("cat /proc/mdstat").stdout
    assert {one["disk"] for one in raidtui(guest, "status", "--json").report["units"][0]["members"]} == {
        "LAB-0001",
        "LAB-0003",
        "LAB-0004",
    }
    assert guest.shell("cat /srv/tank/photos").stdout == "twenty\n"


def test_input_that_ends_before_the_last_confirmation_changes_nothing(guest: Guest) -> None:
    answers = ["1", "1 2 3", "none", "", "5", "6", "1MiB", "plan", "confirm", "0001", "0002", "0003"]
    done = guest.run(["raidtui", "wizard", "--plain"], stdin="\n".join([*answers, ""]), timeout=300)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "the input ended before this was answered: Type erase to ERASE 3 disks now" in done.stderr
    assert guest.shell("ls /sys/block | grep -c ^md", check=False).stdout.strip() == "0"
    assert guest.shell("ls /var/lib/raidtui/jobs", check=False).stdout == ""
