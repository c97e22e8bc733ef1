"""A scrub over two nights on a real kernel: all of the array is checked once, and nothing stays behind, also after kill -9."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import python

MD = "/sys/block/md127/md"
# The night ends with the file /tmp/morning.
SCRIPT = """
import os
from datetime import datetime, timedelta, timezone
from raidtui.backends.units_now import every_unit_now
from raidtui.jobs.nights import scrub_in_hours
from raidtui.machine.history import HistoryFile
from raidtui.model.history import ScrubPart, ScrubResult
from raidtui.model.hours import read_hours
def now():
    return datetime(2026, 11, 26, 12 if os.path.exists("/tmp/morning") else 1, tzinfo=timezone.utc)
unit = next(one for one in every_unit_now().units if one.is_called("md127"))
print(scrub_in_hours(unit, read_hours("01:00-06:00", what="hours"), now=now, look_seconds=0.2))
for one in (*HistoryFile().of(ScrubPart), *HistoryFile().of(ScrubResult)):
    print(one)
"""


def left(guest: Guest) -> list[str]:
    names = ("sync_action", "sync_min", "sync_max", "sync_speed_min")
    return guest.shell(f"cd {MD} && cat {' '.join(names)}").stdout.split("\n")[:4]


def array(guest: Guest) -> list[str]:
    """A slow RAID1 that differs at 4 and 100 MiB; what its files hold."""
    guest.shell(
        f"""
        rm -f /tmp/morning
        mdadm --create /dev/md127 --run --level=1 --assume-clean --raid-devices=2 --bitmap=none /dev/ubda /dev/ubdb
        for at in 4 100; do
            dd if=/dev/urandom of=/dev/ubdb bs=64K count=1 seek=$((at * 16)) oflag=direct status=none
        done
        echo 3000 >{MD}/sync_speed_max
        echo 2000 >{MD}/sync_speed_min
        """
    )
    return left(guest)


@pytest.mark.first(0)
def test_two_nights_check_all_of_it_once_and_nothing_stays_behind(guest: Guest) -> None:
    before = array(guest)
    assert before == ["idle", "0", "max", "2000 (local)"]
    guest.shell(
        f"(until [ $(cat {MD}/mismatch_cnt) -ge 128 ]; do sleep 0.1; done; touch /tmp/morning) </dev/null >/dev/null 2>&1 &"
    )
    first = python(guest, SCRIPT)
    assert "continues in the next night, from" in first.stdout, first.stderr
    assert "found=128" in first.stdout
    assert left(guest) == before
    assert "no mismatches" not in guest.run(["raidtui", "scrub"]).stdout

    guest.shell(f"rm /tmp/morning; echo 20000 >{MD}/sync_speed_max")
    second = python(guest, SCRIPT)
    assert "is scrubbed, in 2 nights" in second.stdout, second.stderr
    assert "found=256" in second.stdout
    assert guest.shell(f"cat {MD}/mismatch_cnt").stdout.strip() == "128", "the first night was not repeated"
    assert left(guest) == before


@pytest.mark.first(0)
def test_after_kill_9_the_next_start_follows_the_check_and_nothing_stays_behind(guest: Guest) -> None:
    before = array(guest)
    killed = f"""
import os, signal, threading, time
def kill():
    while open("{MD}/sync_action").read() != "check\\n":
        time.sleep(0.1)
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)
threading.Thread(target=kill).start()
{SCRIPT}"""
    assert python(guest, killed).returncode == 128 + 9
    assert left(guest)[0] == "check"
    guest.shell(f"echo 20000 >{MD}/sync_speed_max")
    done = python(guest, SCRIPT)
    assert "is scrubbed, in 1 night" in done.stdout, done.stderr
    assert "found=256" in done.stdout
    assert left(guest) == before
