"""Benchmarks on a real kernel: the grid, and what is recorded with it."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, bench, clean, mirror

HERE = Path(__file__).parent  # the guest has the same folders
GRID = ["SEQ1M Q8T1", "RND4K Q32T1"]
QUICK = ("--profile", str(HERE / "quick.toml"))


def measured(guest: Guest, *words: str) -> Any:
    """The JSON document of a benchmark that must succeed."""
    done = bench(guest, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_grid_is_measured_on_an_array_and_stored(guest: Guest) -> None:
    target = mirror(guest)
    found = measured(guest, target, "--profile", str(HERE / "grid.toml"), "--label", "first")
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
    assert (context["size_bytes"], context["during_sync"]) == (16 * 2**20, "")
    assert "--time_based=1" in context["job_text"]
    stored = guest.run(["raidtui", "results", "show", "first", "--json"], check=True)
    assert json.loads(stored.stdout) == found
    clean(guest, target)


WRITES = """
name = "writes"
title = "Writes that both copies get"
size = "16MiB"
runs = 3
seconds = 2
[row."SEQ1M Q8T1 write once"]
until = "end"
[row."SEQ1M Q8T1 write"]
[row."RND4K Q32T1 write"]
"""


def amplifications(guest: Guest, target: str) -> list[float | None]:
    guest.run(["tee", "/tmp/writes.toml"], stdin=WRITES, check=True)
    return [
        cell["amplification"] for cell in measured(guest, target, "--profile", "/tmp/writes.toml")["cells"]
    ]


@pytest.mark.first(0)
def test_a_mirror_writes_every_byte_twice(guest: Guest) -> None:
    assert amplifications(guest, mirror(guest)) == pytest.approx([2.0, 2.0, 2.0], rel=0.02)


@pytest.mark.first(0)
def test_where_writes_are_put_off_no_amplification_is_reported(guest: Guest) -> None:
    """A Btrfs writes its trees later, in the time of another cell: a figure of one cell would be a wrong one."""
    guest.shell("mkfs.btrfs -q -d raid1 -m raid1 /dev/ubdc /dev/ubdd")
    guest.shell("mkdir -p /srv/two && mount /dev/ubdc /srv/two")
    assert amplifications(guest, "/srv/two") == [None, None, None]


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


@pytest.mark.first(0)
def test_nothing_is_measured_during_a_resync_unless_it_is_stamped(guest: Guest) -> None:
    target = slow_sync(guest)
    refused = bench(guest, target, *QUICK)
    assert refused.returncode == 3
    assert "/dev/md127 is busy (resync)" in refused.stderr
    assert guest.shell(f"ls {JOBS} 2>/dev/null || true").stdout == "", "no job was begun"
    found = measured(guest, target, *QUICK, "--during-sync")
    assert found["context"]["during_sync"] == "resync"
    for cell in found["cells"]:
        assert "R resync while measuring" in cell["flags"]


@pytest.mark.first(0)
def test_a_degraded_array_is_measured_and_stamped(guest: Guest) -> None:
    target = mirror(guest)
    guest.shell("mdadm --quiet --fail /dev/md127 /dev/ubdb; sleep 0.5")
    for cell in measured(guest, target, *QUICK)["cells"]:
        assert "R /dev/md127 is degraded" in cell["flags"]


@pytest.mark.first(0)
def test_a_block_device_is_only_read(guest: Guest) -> None:
    mirror(guest)
    before = guest.shell("umount /srv/one; sha256sum /dev/md127").stdout
    found = measured(guest, "/dev/md127", *QUICK)
    assert [cell["direction"] for cell in found["cells"]] == ["read"]
    assert found["context"]["array"]["name"] == "one"
    assert guest.shell("sha256sum /dev/md127").stdout == before
    assert "a mix writes" in bench(guest, "/dev/md127", *QUICK, "--mix").stderr


def test_a_blank_disk_that_is_named_is_written_and_blank_again(guest: Guest) -> None:
    found = measured(guest, "/dev/ubdc", *QUICK, "--erase", "LAB-0003")
    assert [cell["direction"] for cell in found["cells"]] == ["read", "write"]
    assert guest.shell("cmp /dev/ubdc /dev/zero 2>&1 || true").stdout.startswith("cmp: EOF on ")
    disks = json.loads(guest.run(["raidtui", "inspect", "--json"]).stdout)["disks"]
    assert next(disk for disk in disks if disk["serial"] == "LAB-0003")["free"]


@pytest.mark.first(0)
def test_an_array_without_anything_on_it_may_be_written_by_its_name(guest: Guest) -> None:
    mirror(guest)
    guest.shell("umount /srv/one; wipefs --all --quiet /dev/md127")
    found = measured(guest, "/dev/md127", *QUICK, "--erase", "one")
    assert [cell["direction"] for cell in found["cells"]] == ["read", "write"]


@pytest.mark.first(0)
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
    assert directions == ["read", "write", "mix"]
    assert guest.shell(f"ls -A {target}/home").stdout.split() == [".local"]
    refused = guest.run([*words, target, *QUICK], env=user, timeout=120)
    assert refused.returncode == 2
    assert "cannot be written by this user" in refused.stderr


FAKE_FIO = """
cat >/usr/local/sbin/fio <<'END'
#!/bin/sh
{body}
END
chmod +x /usr/local/sbin/fio
"""


@pytest.fixture
def fake_fio(guest: Guest) -> Any:
    """Put another fio before the real one, for one test."""

    def put(body: str) -> dict[str, str]:
        guest.shell(FAKE_FIO.format(body=body))
        return {}

    yield put
    guest.shell("rm -f /usr/local/sbin/fio")


@pytest.mark.first(0)
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
    assert "the I/O engine io_uring is not available" in done.stderr


def test_an_fio_that_is_too_old_or_missing_is_named_with_what_to_install(guest: Guest, fake_fio: Any) -> None:
    target = mirror(guest)
    old = guest.run(["raidtui", "bench", target, *QUICK], env=fake_fio("echo fio-3.27"), timeout=60)
    assert old.returncode == 5
    assert "fio, which measures, is 3.27 here and must be 3.28 or newer" in old.stderr
    guest.shell("rm -f /usr/local/sbin/fio; mv /usr/bin/fio /usr/bin/fio.away")
    missing = bench(guest, target, *QUICK)
    guest.shell("mv /usr/bin/fio.away /usr/bin/fio")
    assert missing.returncode == 5
    assert "fio, which measures, is not installed; on Debian: apt-get install fio" in missing.stderr


@pytest.mark.first(0)
def test_btrfs_with_checksums_is_measured_and_its_cache_is_told_if_it_is_used(guest: Guest) -> None:
    guest.shell("mkfs.btrfs -q /dev/ubdc /dev/ubdd && mkdir -p /srv/two && mount /dev/ubdc /srv/two")
    found = measured(guest, "/srv/two", *QUICK)
    assert found["context"]["filesystem"] == "btrfs"
    assert [disk["identity"] for disk in found["context"]["disks"]] == ["LAB-0003", "LAB-0004"]
