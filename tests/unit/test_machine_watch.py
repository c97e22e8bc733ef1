"""Watching: the thread, its end, and what it listens to. The kernel's part is tested in the lab."""

import os
import threading
import time
from pathlib import Path

import pytest

from raidtui.machine.md.arrays import ArrayReader, lookup_in
from raidtui.machine.watch import Stop, Watcher, _follow_partitions, _patience, follow_arrays
from raidtui.model.machine import Array, Sync
from tests.unit.machine_trees import MadeTree


def test_the_first_reading_comes_at_once_and_stop_ends_the_thread(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.write("/proc/mdstat", "unused devices: <none>\n")
    readings: list[tuple[Array, ...]] = []
    came = threading.Event()

    def changed(arrays: tuple[Array, ...]) -> None:
        readings.append(arrays)
        came.set()

    reader = ArrayReader(made.tree, lookup_in({}))
    before = threading.active_count()
    watcher = Watcher("test", lambda stop: follow_arrays(made.tree, reader, changed, stop))
    assert came.wait(5)
    watcher.stop()
    assert threading.active_count() == before
    assert readings[0] == ()


@pytest.mark.slow
def test_a_sync_is_read_every_second_and_a_quiet_array_not_at_all(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    for name in ("sda", "sdb"):
        made.disk(name)
    made.array("md127", [("sda", "0", "in_sync"), ("sdb", "1", "in_sync")], level="raid1")
    made.write("/proc/mdstat", "")
    times: list[float] = []
    reader = ArrayReader(made.tree, lookup_in(made.properties))

    def start() -> Watcher:
        times.clear()
        return Watcher(
            "test",
            lambda stop: follow_arrays(made.tree, reader, lambda _: times.append(time.monotonic()), stop),
        )

    def await_readings(number: int) -> None:
        deadline = time.monotonic() + 10
        while len(times) < number and time.monotonic() < deadline:
            time.sleep(0.05)

    quiet = start()
    await_readings(1)
    time.sleep(1.5)
    quiet.stop()
    assert len(times) == 1
    made.write("/sys/block/md127/md/sync_action", "check\n")
    made.write("/sys/block/md127/md/sync_completed", "8 / 16\n")
    syncing = start()
    await_readings(2)
    syncing.stop()
    assert times[1] - times[0] > 0.9


def test_whoever_is_woken_by_a_stop_finds_it_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Stop()
    seen: list[bool] = []
    monkeypatch.setattr(os, "write", lambda _fd, _byte: seen.append(bool(stop)))
    stop.set()
    assert seen == [True]


def test_stopping_from_inside_the_callback_does_not_wait_for_itself(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    reader = ArrayReader(made.tree, lookup_in({}))
    box: list[Watcher] = []
    ready, ended = threading.Event(), threading.Event()

    def changed(_: tuple[Array, ...]) -> None:
        assert ready.wait(5)
        box[0].stop()
        ended.set()

    box.append(Watcher("test", lambda stop: follow_arrays(made.tree, reader, changed, stop)))
    ready.set()
    assert ended.wait(5)
    box[0].stop()  # a second time, and when all is over, is no error


@pytest.mark.slow
def test_without_udev_a_new_partition_is_noticed(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.write("/proc/partitions", "8 0 100 sda\n")
    came = threading.Event()
    watcher = Watcher("test", lambda stop: _follow_partitions(made.tree, came.set, stop))
    time.sleep(0.1)
    made.write("/proc/partitions", "8 0 100 sda\n8 1 50 sda1\n")
    assert came.wait(5)
    watcher.stop()


def test_a_raised_stop_stays_raised() -> None:
    stop = Stop()
    assert not stop
    stop.set()
    stop.set()
    assert stop
    stop.close()
    stop.set()  # nobody listens any more; nothing is written to a descriptor that may be another's by now


@pytest.mark.parametrize(
    ("total", "rate", "waiting", "seconds"),
    [
        (10**9, 10**8, "", 1.0),  # ten seconds
        (4 * 10**12, 2 * 10**9, "", 2.0),  # half an hour
        (4 * 10**12, 10**8, "", 3.0),  # eleven hours
        (10**12, 0, "", 1.0),  # stalled
        (10**12, 10**6, "delayed", 1.0),
    ],
)
def test_a_long_sync_is_read_less_often_than_a_short_one(
    tmp_path: Path, total: int, rate: int, waiting: str, seconds: float
) -> None:
    sync = Sync(action="resync", done_bytes=0, total_bytes=total, bytes_per_second=rate, waiting=waiting)
    arrays = (Array(name="a", node="/dev/md0", sync=sync), Array(name="b", node="/dev/md1"))
    assert _patience(MadeTree(tmp_path).tree, arrays) == seconds
