"""Benchmarks on a real kernel: the grid, what is left when it is stopped, and what is refused."""

import json
import subprocess
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, python

GRID = ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"]
QUICK = ("--profile", "real", "--size", "16MiB", "--runs", "1", "--seconds", "1")


def bench(guest: Guest, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return guest.run(["raidtui", "bench", *words], timeout=timeout)


def measured(guest: Guest, *words: str) -> Any:
    """The JSON document of a benchmark that must succeed."""
    done = bench(guest, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def mirror(guest: Guest, *, at: str = "/srv/one") -> str:
    """A RAID1 in sync with an ext4 on it, mounted."""
    guest.shell(
        f"""
        echo 200000 >/proc/sys/dev/raid/speed_limit_min
        mdadm --quiet --create /dev/md127 --run --level=1 --raid-devices=2 --bitmap=none --name=one \
            --homehost=lab --metadata=1.2 /dev/ubda /dev/ubdb
        mdadm --wait /dev/md127 || true
        mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/md127
        mkdir -p {at} && mount /dev/md127 {at}
        """
    )
    return at


def clean(guest: Guest, target: str) -> None:
    """See that a benchmark left no file, no process and no used space in ``target``."""
    assert guest.shell(f"ls -A {target}").stdout.split() == ["lost+found"]
    assert guest.shell("pgrep -x fio || true").stdout == ""
    used = guest.shell(f"sync; df --output=used -B1 {target} | tail -1").stdout
    assert int(used) < 2**20


def wait_for_cell(guest: Guest) -> None:
    """Wait until the job that was begun has measured a cell, so that fio is at work."""
    guest.shell(
        f'until grep -q \'"event":"cell"\' {JOBS}/*/journal.jsonl 2>/dev/null; do sleep 0.1; done', timeout=90
    )


def test_the_grid_is_measured_on_an_array_and_stored(guest: Guest) -> None:
    target = mirror(guest)
    found = measured(guest, target, "--size", "64MiB", "--runs", "2", "--seconds", "1", "--label", "first")
    assert [(cell["name"], cell["direction"]) for cell in found["cells"]] == [
        (name, direction) for direction in ("read", "write") for name in GRID
    ]
    for cell in found["cells"]:
        assert len(cell["runs"]) == 2
        assert cell["bytes_per_second"] > 0
        assert cell["bytes_per_second"] == pytest.approx(cell["iops"] * cell["block_bytes"], rel=0.05)
        assert cell["latency_mean_seconds"] > 0
        assert not [flag for flag in cell["flags"] if flag[0] in "CRE"], cell
    context = found["context"]
    assert (context["filesystem"], context["array"]["level"], context["engine"]) == (
        "ext4",
        "raid1",
        "io_uring",
    )
    assert [disk["identity"] for disk in context["disks"]] == ["LAB-0001", "LAB-0002"]
    assert (context["size_bytes"], context["during_sync"]) == (64 * 2**20, "")
    assert "--time_based=1" in context["job_text"]
    stored = guest.run(["raidtui", "results", "show", "first", "--json"], check=True)
    assert json.loads(stored.stdout) == found
    clean(guest, target)


def test_ctrl_c_stops_at_once_and_leaves_nothing(guest: Guest) -> None:
    target = mirror(guest)
    script = f"""
        # A shell starts what is in the background deaf to Ctrl-C.
        python3 -c 'import os, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); \
            os.execvp("raidtui", ["raidtui", "bench", "{target}", "--size", "64MiB", "--seconds", "5"])' &
        until grep -q '"event":"cell"' {JOBS}/*/journal.jsonl 2>/dev/null; do sleep 0.1; done
        test -n "$(pgrep -x fio)" || sleep 1
        begin=$(date +%s%N)
        kill -INT $!
        wait $!
        echo "code $? after $(( ($(date +%s%N) - begin) / 1000000 )) ms"
    """
    done = guest.shell(script, timeout=120, check=False)
    code, milliseconds = done.stdout.split()[1], int(done.stdout.split()[3])
    assert code == "130", done.stderr
    assert milliseconds < 5000
    assert "stopped as asked" in done.stderr
    clean(guest, target)
    assert json.loads(guest.run(["raidtui", "results", "list", "--json"]).stdout) == {"results": []}
    jobs = json.loads(guest.run(["raidtui", "jobs", "--json"]).stdout)["jobs"]
    assert [(job["outcome"], job["exit_code"]) for job in jobs] == [("cancelled", 130)]


@pytest.mark.parametrize("victim", ["job", "screen"])
def test_a_killed_benchmark_leaves_nothing(guest: Guest, victim: str) -> None:
    target = mirror(guest)
    script = f"""
        raidtui bench {target} --size 64MiB --profile real --seconds 2 --runs 2 --label again &
        screen=$!
        until grep -q '"event":"cell"' {JOBS}/*/journal.jsonl 2>/dev/null; do sleep 0.1; done
        job=$(cat {JOBS}/*/lock)
        kill -KILL ${victim}
        wait $screen
        echo "code $?"
    """
    done = guest.shell(script, timeout=120, check=False)
    if victim == "job":
        assert done.stdout.split() == ["code", "4"]
        assert "gone without a word" in done.stderr
    else:
        # The benchmark itself goes on without its screen, and ends.
        assert done.stdout.split() == ["code", "137"]
        guest.shell(
            f'until grep -q \'"event":"ended"\' {JOBS}/*/journal.jsonl; do sleep 0.2; done', timeout=120
        )
        assert guest.run(["raidtui", "results", "show", "again"]).returncode == 0
    guest.shell("while pgrep -x fio; do sleep 0.1; done", timeout=5)
    clean(guest, target)
    assert bench(guest, target, *QUICK).returncode == 0, "the next one is not in its way"


def slow_sync(guest: Guest) -> str:
    """A RAID1 that resyncs for minutes, with an ext4 on it."""
    guest.shell(
        """
        echo 100 >/proc/sys/dev/raid/speed_limit_min; echo 200 >/proc/sys/dev/raid/speed_limit_max
        mdadm --quiet --create /dev/md127 --run --level=1 --raid-devices=2 --bitmap=none --metadata=1.2 \
            /dev/ubda /dev/ubdb
        until grep -q 'resync *=' /proc/mdstat; do sleep 0.1; done
        mkfs.ext4 -q /dev/md127
        mkdir -p /srv/one && mount /dev/md127 /srv/one
        """
    )
    return "/srv/one"


def test_nothing_is_measured_during_a_resync_unless_it_is_stamped(guest: Guest) -> None:
    target = slow_sync(guest)
    refused = bench(guest, target, *QUICK)
    assert refused.returncode == 3
    assert "/dev/md127 is not idle (resync)" in refused.stderr
    assert guest.shell(f"ls {JOBS} 2>/dev/null || true").stdout == "", "no job was begun"
    found = measured(guest, target, *QUICK, "--during-sync")
    assert found["context"]["during_sync"] == "resync"
    for cell in found["cells"]:
        assert "R resync while measuring" in cell["flags"]


def test_a_degraded_array_is_measured_and_stamped(guest: Guest) -> None:
    target = mirror(guest)
    guest.shell("mdadm --quiet --fail /dev/md127 /dev/ubdb; sleep 0.5")
    for cell in measured(guest, target, *QUICK)["cells"]:
        assert "R /dev/md127 is degraded" in cell["flags"]


@pytest.mark.parametrize(
    ("prepare", "target", "code", "sentence"),
    [
        ("true", "/srv/nowhere", 2, "/srv/nowhere cannot be measured: No such file or directory"),
        ("touch /srv/one/file", "/srv/one/file", 2, "neither a directory nor a block device"),
        ("mount -o remount,ro /srv/one", "/srv/one", 3, "mounted read-only (/srv/one)"),
        ("fallocate -l 110M /srv/one/full", "/srv/one", 3, "with what must stay free; make room there"),
        ("true", "/run", 3, "/run is on a tmpfs, which is memory"),
        ("true", "/", 3, "overlay whose upper folder"),
        ("true", "/dev", 3, "which is memory"),
        ("true", "/sys/block", 2, "in the kernel's own filesystem sysfs"),
        ("mount -t ramfs none /srv/one/lost+found", "/srv/one/lost+found", 3, "is on a ramfs"),
    ],
)
def test_a_target_that_cannot_be_measured_is_one_sentence(
    guest: Guest, prepare: str, target: str, code: int, sentence: str
) -> None:
    mirror(guest)
    guest.shell(prepare)
    done = bench(guest, target, "--size", "128MiB")
    guest.shell("umount /srv/one/lost+found 2>/dev/null || true")
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert guest.shell(f"ls {JOBS} 2>/dev/null || true").stdout == "", "no job was begun"


def test_a_block_device_is_only_read(guest: Guest) -> None:
    mirror(guest)
    before = guest.shell("umount /srv/one; sha256sum /dev/md127").stdout
    found = measured(guest, "/dev/md127", *QUICK)
    assert [cell["direction"] for cell in found["cells"]] == ["read", "read"]
    assert found["context"]["array"]["name"] == "one"
    assert guest.shell("sha256sum /dev/md127").stdout == before
    assert "a mix writes" in bench(guest, "/dev/md127", *QUICK, "--mix").stderr


def test_a_blank_disk_that_is_named_is_written_and_blank_again(guest: Guest) -> None:
    found = measured(guest, "/dev/ubdc", *QUICK, "--erase", "LAB-0003")
    assert [cell["direction"] for cell in found["cells"]] == ["read", "read", "write", "write"]
    assert guest.shell("cmp /dev/ubdc /dev/zero 2>&1 || true").stdout.startswith("cmp: EOF on /dev/ubdc")
    disks = json.loads(guest.run(["raidtui", "inspect", "--json"]).stdout)["disks"]
    assert next(disk for disk in disks if disk["serial"] == "LAB-0003")["free"]


def test_a_stopped_benchmark_of_a_disk_leaves_it_blank(guest: Guest) -> None:
    script = f"""
        raidtui bench /dev/ubdc --size 64MiB --profile real --seconds 5 --erase LAB-0003 &
        until grep -q '"event":"cell"' {JOBS}/*/journal.jsonl 2>/dev/null; do sleep 0.1; done
        kill -TERM $(cat {JOBS}/*/lock)
        wait $!
        echo "code $?"
    """
    done = guest.shell(script, timeout=120, check=False)
    assert done.stdout.split() == ["code", "130"], done.stderr
    assert guest.shell("cmp /dev/ubdc /dev/zero 2>&1 || true").stdout.startswith("cmp: EOF on /dev/ubdc")


@pytest.mark.parametrize(
    ("prepare", "device", "erase", "sentence"),
    [
        ("true", "/dev/ubdc", "LAB-0004", "name its serial number: --erase LAB-0003"),
        ("true", "/dev/ubdc", "003", "name its serial number: --erase LAB-0003"),
        ("mkfs.ext4 -q /dev/ubdc", "/dev/ubdc", "LAB-0003", "/dev/ubdc is not blank and free"),
        ("true", "/dev/ubda", "LAB-0001", "/dev/ubda is not blank and free"),
        ("true", "/dev/md127", "one", "in use: mounted at /srv/one"),
        ("umount /srv/one", "/dev/md127", "one", "/dev/md127 is not blank: ext4 is on it"),
    ],
)
def test_a_device_that_is_not_blank_or_not_named_is_not_written(
    guest: Guest, prepare: str, device: str, erase: str, sentence: str
) -> None:
    mirror(guest)
    guest.shell(prepare)
    guest.shell("udevadm settle")
    before = guest.shell(f"sync; head -c 8M {device} | sha256sum").stdout
    done = bench(guest, device, *QUICK, "--erase", erase)
    assert done.returncode == 3
    assert sentence in done.stderr
    assert guest.shell(f"head -c 8M {device} | sha256sum").stdout == before


def test_an_array_without_anything_on_it_may_be_written_by_its_name(guest: Guest) -> None:
    mirror(guest)
    guest.shell("umount /srv/one; wipefs --all --quiet /dev/md127")
    found = measured(guest, "/dev/md127", *QUICK, "--erase", "one")
    assert [cell["direction"] for cell in found["cells"]] == ["read", "read", "write", "write"]


def test_an_ordinary_user_measures_a_directory_of_their_own(guest: Guest) -> None:
    target = mirror(guest)
    guest.shell(f"mkdir {target}/home && chown nobody {target}/home")
    # Reads everything, for wherever the interpreter is kept, but is nobody and may write nothing of others.
    able = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    words = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *able, "raidtui", "bench"]
    user = {"HOME": f"{target}/home"}
    done = guest.run([*words, f"{target}/home", *QUICK, "--mix", "--json"], env=user, timeout=120)
    assert done.returncode == 0, done.stderr
    directions = [cell["direction"] for cell in json.loads(done.stdout)["cells"]]
    assert directions == ["read"] * 2 + ["write"] * 2 + ["mix"] * 2
    assert guest.shell(f"ls -A {target}/home").stdout.split() == [".local"]
    refused = guest.run([*words, target, *QUICK], env=user, timeout=120)
    assert refused.returncode == 2
    assert "cannot be written by this user" in refused.stderr


FAKE_FIO = """
mkdir -p /root/bin
cat >/root/bin/fio <<'END'
#!/bin/sh
{body}
END
chmod +x /root/bin/fio
"""


@pytest.fixture
def fake_fio(guest: Guest) -> Any:
    """Put another fio before the real one, for one test."""

    def put(body: str) -> dict[str, str]:
        guest.shell(FAKE_FIO.format(body=body))
        path = guest.shell("echo $PATH").stdout.strip()
        return {"PATH": f"/root/bin:{path}"}

    yield put
    guest.shell("rm -rf /root/bin")


def test_where_io_uring_is_forbidden_libaio_measures_and_that_is_recorded(
    guest: Guest, fake_fio: Any
) -> None:
    target = mirror(guest)
    path = fake_fio(
        'case "$*" in *io_uring*) echo "fio: engine io_uring not loadable" >&2; exit 1 ;; esac; exec /usr/bin/fio "$@"'
    )
    done = guest.run(["raidtui", "bench", target, *QUICK, "--json"], env=path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["context"]["engine"] == "libaio"
    assert "the engine io_uring is not to be had" in done.stderr


def test_an_fio_that_is_too_old_or_missing_is_named_with_what_to_install(guest: Guest, fake_fio: Any) -> None:
    target = mirror(guest)
    old = guest.run(["raidtui", "bench", target, *QUICK], env=fake_fio("echo fio-3.27"), timeout=60)
    assert old.returncode == 5
    assert "fio, which measures, is 3.27 here and must be 3.28 or newer" in old.stderr
    guest.shell("mv /usr/bin/fio /usr/bin/fio.away")
    missing = bench(guest, target, *QUICK)
    guest.shell("mv /usr/bin/fio.away /usr/bin/fio")
    assert missing.returncode == 5
    assert "fio, which measures, is not installed; on Debian: apt-get install fio" in missing.stderr


def test_a_disk_that_fails_while_it_is_measured_is_a_sentence(guest: Guest) -> None:
    guest.shell(
        """
        sectors=$(blockdev --getsz /dev/ubdc)
        dmsetup create frail --table "0 $sectors linear /dev/ubdc 0"
        """
    )
    script = f"""
        raidtui bench /dev/mapper/frail --size 64MiB --profile real --seconds 3 &
        until grep -q '"event":"cell"' {JOBS}/*/journal.jsonl 2>/dev/null; do sleep 0.1; done
        dmsetup suspend --noflush frail
        dmsetup load frail --table "0 $(blockdev --getsz /dev/ubdc) error"
        dmsetup resume frail
        wait $!
        echo "code $?"
    """
    done = guest.shell(script, timeout=120, check=False)
    assert done.stdout.split() == ["code", "4"]
    assert "has an I/O error" in done.stderr
    guest.shell("dmsetup remove frail")


FULL = """
import os, sys
from pathlib import Path
from raidtui.bench.fio import Place, prefill_argv
from raidtui.bench.fio_errors import job_of
from raidtui.bench.fio_process import run_fio
from raidtui.bench.stop import StopRequests
from raidtui.model.errors import StepFailed
target = sys.argv[1]
folder = Path("/run/fio-full"); folder.mkdir()
descriptor = os.open(target, os.O_RDWR | os.O_TMPFILE)
size = os.statvfs(target).f_bavail * 4096 * 2 // 2**20 * 2**20
os.ftruncate(descriptor, size)
place = Place(filename=f"/proc/self/fd/{descriptor}", size_bytes=size)
with StopRequests() as stop:
    done = run_fio(prefill_argv(place), program="/usr/bin/fio", folder=folder, keep=(descriptor,), stop=stop,
                   tick=lambda eta: None)
try:
    job_of(done, target=target, engine="io_uring")
except StepFailed as error:
    print(error)
"""


def test_a_target_that_becomes_full_is_a_sentence(guest: Guest) -> None:
    target = mirror(guest)
    said = python(guest, FULL, target)
    guest.shell("rm -rf /run/fio-full")
    assert said.stdout == (
        f"{target} became full while it was measured; make room there or give a smaller --size\n"
    ), said.stderr


def test_btrfs_with_checksums_is_measured_and_its_cache_is_told_if_it_is_used(guest: Guest) -> None:
    guest.shell("mkfs.btrfs -q /dev/ubdc /dev/ubdd && mkdir -p /srv/two && mount /dev/ubdc /srv/two")
    found = measured(guest, "/srv/two", *QUICK)
    assert found["context"]["filesystem"] == "btrfs"
    assert [disk["identity"] for disk in found["context"]["disks"]] == ["LAB-0003", "LAB-0004"]


def test_two_benchmarks_of_one_disk_are_not_made_at_once(guest: Guest) -> None:
    target = mirror(guest)
    guest.shell(f"mkdir {target}/other")
    script = f"""
        raidtui bench {target} --size 16MiB --profile real --seconds 3 --runs 2 >/dev/null 2>&1 &
        until grep -q '"event":"cell"' {JOBS}/*/journal.jsonl 2>/dev/null; do sleep 0.1; done
        raidtui bench {target}/other --size 16MiB --profile real --runs 1 --seconds 1
        echo "code $?"
        kill -TERM $(head -qn1 {JOBS}/*/lock | head -1)
        wait
    """
    done = guest.shell(script, timeout=120, check=False)
    assert done.stdout.split() == ["code", "3"]
    assert "another job works on the disk LAB-0001" in done.stderr
