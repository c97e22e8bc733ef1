"""What a run shows of itself: its speed now as fio counts it, and what the disks moved for each byte."""

from collections.abc import Sequence

import msgspec
import pytest

from raidtui.bench.device_stack import Below
from raidtui.bench.fio_output import Eta, read_eta
from raidtui.bench.observer import Moment, did_io
from raidtui.bench.rows import Planned, Row
from raidtui.bench.settings import settle
from raidtui.bench.target import Target
from raidtui.bench.watch import Speed, Trace, speed_of
from raidtui.machine.counters import Counters
from raidtui.model.journal import BenchRequest

SETTINGS = settle(BenchRequest(target="/srv/data"))
ARRAY = Target(
    path="/srv/data",
    is_device=False,
    settings=SETTINGS,
    number=1,
    filesystem="ext4",
    below=Below(top=("md127",), disks=("sda", "sdb")),
)
BTRFS = msgspec.structs.replace(
    ARRAY, filesystem="btrfs", below=Below(top=("sda", "sdb"), disks=("sda", "sdb"))
)
ROW = Row(name="SEQ1M Q8T1", block_bytes=2**20, queue_depth=8)
READ, WRITE = Planned(row=ROW, direction="read"), Planned(row=ROW, direction="write")
ETA = read_eta("Jobs: 1 (f=1): [M(1)][5.0%][r=200MiB/s,w=100MiB/s][r=200,w=100 IOPS][eta 00m:09s]")


def counters(read: float = 0, written: float = 0, ios: int = 0) -> Counters:
    return Counters(
        read_bytes=int(read), write_bytes=int(written), reads=ios, writes=0, busy_seconds=ios / 100
    )


def moment(at: float, top: Counters | None, disks: Counters | None = None) -> Moment:
    return Moment(at=at, top=top, disks=disks)


def test_an_array_that_counts_an_io_for_each_chunk_shows_the_ios_that_fio_counts() -> None:
    # 64 MiB in a quarter of a second: 64 I/Os of fio, 1024 of an array whose chunks have 64 KiB.
    before, after = moment(0, counters()), moment(0.25, counters(read=64 * 2**20, ios=1024))
    assert speed_of(READ, ARRAY, before, after, Eta()) == Speed(bytes_per_second=256 * 2**20, iops=256)


def test_what_others_write_meanwhile_is_not_the_speed_of_a_read() -> None:
    before, after = moment(0, counters()), moment(0.25, counters(read=2**20, written=2**30))
    assert speed_of(READ, ARRAY, before, after, Eta()).iops == 4


@pytest.mark.parametrize("cell", [READ, WRITE])
def test_where_the_devices_move_more_than_fio_it_is_fio_that_says_how_fast(cell: Planned) -> None:
    before, after = moment(0, counters()), moment(0.25, counters(read=2**30, written=2**30, ios=9999))
    found = speed_of(cell, BTRFS, before, after, ETA)
    assert found.iops == {"read": 200, "write": 100}[cell.direction]
    assert speed_of(cell, BTRFS, before, after, Eta()) == Speed(), "unknown is not zero"


def test_through_the_cache_it_is_fio_that_says_how_fast() -> None:
    cell = msgspec.structs.replace(WRITE, row=msgspec.structs.replace(ROW, cached=True))
    before, after = moment(0, counters()), moment(0.25, counters(written=2**30))
    assert speed_of(cell, ARRAY, before, after, ETA).iops == 100


def test_two_jobs_that_both_read_cannot_be_told_apart() -> None:
    row = msgspec.structs.replace(ROW, beside="SEQ1M Q8T1 read")
    before, after = moment(0, counters()), moment(0.25, counters(read=2**30))
    assert speed_of(Planned(row=row, direction="read"), ARRAY, before, after, ETA) == Speed()


def trace(cell: Planned, target: Target, moments: Sequence[Moment]) -> Trace:
    made = Trace(cell, target)
    for one in moments:
        made.add(one)
    return made


def steady(seconds: float, *, fio_rate: float, factor: float, top: bool = True) -> list[Moment]:
    """Four looks a second at an fio that begins at once and ends 0.1 s before the last look."""
    found = []
    for quarter in range(round(seconds * 4) + 1):
        at = quarter / 4
        done = fio_rate * min(at, seconds - 0.1)
        one = counters(written=done)
        found.append(
            moment(at, one if top else counters(written=done * factor), counters(written=done * factor))
        )
    return found


MB = 1_000_000


def test_on_an_array_every_byte_of_the_members_is_divided_by_what_fio_moved() -> None:
    seen = steady(6, fio_rate=100 * MB, factor=2.0)
    found = trace(WRITE, ARRAY, seen).amplification(fio_bytes=490 * MB, seconds=4.9, ramp_seconds=1)
    assert found == pytest.approx(2.0)


def test_where_writes_are_put_off_nothing_is_said() -> None:
    seen = steady(6, fio_rate=100 * MB, factor=2.0, top=False)
    for ramp in (0, 1):
        assert (
            trace(WRITE, BTRFS, seen).amplification(fio_bytes=490 * MB, seconds=4.9, ramp_seconds=ramp)
            is None
        )


def test_a_short_run_after_a_slower_ramp_is_looked_at_in_its_middle() -> None:
    slow = steady(2, fio_rate=10 * MB, factor=2.0, top=False)
    last = slow[-1]
    assert last.disks is not None
    then = [
        moment(2 + 0.25 * n, None, counters(written=last.disks.write_bytes + min(n * 0.25, 1.2) * 200 * MB))
        for n in range(1, 6)
    ]
    found = trace(WRITE, ARRAY, [*slow, *then]).amplification(fio_bytes=100 * MB, seconds=1.0, ramp_seconds=2)
    assert found == pytest.approx(2.0, rel=0.05)


def test_without_a_ramp_all_that_the_disks_took_counts_with_what_the_cache_held_back() -> None:
    cell = msgspec.structs.replace(WRITE, row=msgspec.structs.replace(ROW, cached=True))
    seen = [moment(0, None, counters()), moment(9, None, counters(read=50 * MB, written=150 * MB))]
    assert trace(cell, ARRAY, seen).amplification(fio_bytes=100 * MB, seconds=0.1, ramp_seconds=0) == 2.0


def test_where_the_disks_are_not_known_nothing_is_said() -> None:
    seen = [moment(at / 4, counters(written=at * MB)) for at in range(20)]
    for ramp in (0, 1):
        assert (
            trace(WRITE, ARRAY, seen).amplification(fio_bytes=19 * MB, seconds=4, ramp_seconds=ramp) is None
        )


def test_what_runs_beside_moves_the_disks_too_and_so_nothing_is_said() -> None:
    row = msgspec.structs.replace(ROW, beside="RND4K Q32T1 write")
    seen = steady(6, fio_rate=100 * MB, factor=2.0)
    beside = trace(Planned(row=row, direction="read"), ARRAY, seen)
    assert beside.amplification(fio_bytes=490 * MB, seconds=4.9, ramp_seconds=1) is None


def test_a_run_too_short_to_look_into_says_nothing() -> None:
    seen = [moment(one.at, None, one.disks) for one in steady(0.5, fio_rate=100 * MB, factor=2.0)]
    found = trace(WRITE, ARRAY, seen).amplification(fio_bytes=20 * MB, seconds=0.2, ramp_seconds=1)
    assert found is None


def test_a_disk_that_is_busy_with_one_io_for_ever_does_nothing() -> None:
    stuck = msgspec.structs.replace(counters(ios=5), busy_seconds=99.0)
    assert not did_io(moment(0, counters(ios=5)), moment(1, stuck))
    assert did_io(moment(0, counters(ios=5)), moment(1, counters(ios=6)))
