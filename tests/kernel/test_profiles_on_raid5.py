"""The profiles on a real array: what each leaves behind, what it says of itself, and what the members moved."""

import json
from collections.abc import Iterator
from statistics import median
from typing import Any

import pytest

from raidtui.lab.guest import Guest, Setup
from tests.kernel.driving import JOBS

PLACE = "/srv/five"
MINE = "/tmp/mine.toml"


@pytest.fixture(scope="module")
def five() -> Iterator[Guest]:
    """A RAID5 of three disks in sync, chunks of 64 KiB, with an ext4 on it."""
    with Guest(Setup(disks="3x200MiB")) as guest:
        guest.shell(
            f"""
            echo 500000 >/proc/sys/dev/raid/speed_limit_min
            mdadm --quiet --create /dev/md127 --run --level=5 --chunk=64K --raid-devices=3 --name=five \
                --homehost=lab --metadata=1.2 --bitmap=none /dev/ubda /dev/ubdb /dev/ubdc
            mdadm --wait /dev/md127 || true
            mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/md127
            mkdir -p {PLACE} && mount /dev/md127 {PLACE}
            """
        )
        yield guest


def bench(guest: Guest, rows: str, *words: str) -> Any:
    """Measure with a profile of these rows; the result as JSON."""
    write(guest, rows)
    done = guest.run(["raidtui", "bench", PLACE, "--profile", MINE, *words, "--json"], timeout=300)
    assert done.returncode == 0, done.stderr
    assert guest.shell(f"ls -A {PLACE}").stdout.split() == ["lost+found"], "nothing is left behind"
    return json.loads(done.stdout)


def write(guest: Guest, rows: str) -> None:
    top = 'name = "mine"\ntitle = "For a test"\nsize = "16MiB"\nruns = 1\nseconds = 1\n'
    guest.run(["tee", MINE], stdin=top + rows, check=True)


def cells(result: Any) -> dict[tuple[str, str], Any]:
    return {(cell["name"], cell["direction"]): cell for cell in result["cells"]}


def letters(cell: Any) -> str:
    return "".join(flag[0] for flag in cell.get("flags", ()))


@pytest.mark.first(0)
def test_small_writes_of_a_raid5_move_several_times_their_bytes(five: Guest) -> None:
    found = cells(bench(five, '[row."SEQ stripe Q8T1"]\n[row."RND chunk Q32T1"]\ndirections = ["write"]'))
    # A chunk alone: old data and old parity read, both written; a whole stripe: its data and one parity, 1.5 times.
    assert found["RND chunk Q32T1", "write"]["amplification"] > 1.9
    assert 1.4 < found["SEQ stripe Q8T1", "write"]["amplification"] < 2.2
    assert found["SEQ stripe Q8T1", "read"]["amplification"] == pytest.approx(1.0, abs=0.15)
    assert found["SEQ stripe Q8T1", "write"]["block_bytes"] == 128 * 1024


@pytest.mark.first(0)
def test_the_speed_now_is_counted_as_fio_counts_it(five: Guest) -> None:
    """The array counts an I/O for each chunk of 64 KiB, fio one for each 1 MiB."""
    write(five, '[row."SEQ1M Q8T1 read"]')
    looks = five.shell(
        f"""
        raidtui bench {PLACE} --profile {MINE} --seconds 3 --json >/tmp/found.json 2>/dev/null &
        while kill -0 $! 2>/dev/null; do
            cat {JOBS}/*/live 2>/dev/null && echo
            sleep 0.2
        done
        """,
        timeout=120,
    ).stdout
    seen = [json.loads(line) for line in looks.splitlines() if line]
    now = [one for one in seen if one["phase"] == "measuring" and one.get("iops")]
    assert len(now) > 3
    for one in now:
        assert one["iops"] == pytest.approx(one["bytes_per_second"] / 2**20)
    (found,) = json.loads(five.run(["cat", "/tmp/found.json"], check=True).stdout)["cells"]
    assert median(one["iops"] for one in now) == pytest.approx(found["iops"], rel=0.5)


FILES = """
row_by_row = true
{program}
[row."block"]
block = "8KiB"
cached = true
fresh = true
until = "end"
directions = ["write", "read"]

[row."rewrite"]
block = "8KiB"
cached = true
until = "end"
work = "rewrite"
directions = ["write"]

[row."create in order"]
work = "create"
files = 1024
directions = ["write"]

[row."delete in order"]
work = "delete"
files = 1024
directions = ["write"]
"""


@pytest.mark.first(0)
def test_what_went_into_the_cache_has_its_sync_beside_it_and_files_are_made_and_gone(five: Guest) -> None:
    result = bench(five, FILES.format(program=""))
    found = cells(result)
    assert (result["profile"], result["context"]["size_bytes"]) == ("mine", 16 * 2**20)
    assert letters(found["block", "write"]).startswith("C"), "16 MiB are memory, not disks"
    assert found["block +sync", "write"]["bytes_per_second"] < found["block", "write"]["bytes_per_second"]
    assert {"rewrite", "create in order", "delete in order"} <= {name for name, _ in found}
    assert found["create in order", "write"]["iops"] > 0
    assert found["create in order", "write"]["bytes_per_second"] == 0, "operations are counted, not bytes"
    assert five.shell(f"find {JOBS} -name 'cell.replay' -o -name live").stdout == ""


@pytest.mark.first(0)
def test_bonnie_itself_measures_where_it_is_and_the_result_says_so(five: Guest) -> None:
    result = bench(five, FILES.format(program='program = "bonnie++"'), "--size", "192MiB")
    assert result["context"]["engine"] == "bonnie++"
    assert result["context"]["tools"]["bonnie++"].startswith("2.")
    assert result["cells"], "at least one figure took long enough to be known"


@pytest.mark.first(0)
def test_files_that_a_kill_left_are_removed_by_the_next_benchmark_there(five: Guest) -> None:
    write(five, '[row."create in order"]\nwork = "create"\nfiles = 100000\ndirections = ["write"]')
    begun = five.start(["raidtui", "bench", PLACE, "--profile", MINE])
    five.shell(f"until find {PLACE} -name 'f.*' | grep -q .; do sleep 0.1; done", timeout=90)
    five.shell("pkill -9 -f '[r]aidtui.* job'; until ! pgrep -x fio; do sleep 0.1; done")
    assert begun.wait(60) == 4
    assert ".files" in five.shell(f"ls -A {PLACE}").stdout, "the kill came while they were there"
    bench(five, '[row."RND4K Q1T1"]\ndirections = ["read"]')
