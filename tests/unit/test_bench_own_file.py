"""The test file has no name: whatever ends the benchmark, nothing is left in the target."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from raidtui.bench.live import FILE, Live, read_live, remove_live, write_live
from raidtui.bench.own_file import opened, remove_leftovers
from raidtui.bench.settings import settle
from raidtui.bench.target import Target
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.journal import BenchRequest
from raidtui.model.machine import Machine
from raidtui.model.system import System

MACHINE = Machine(system=System(hostname="attic", kernel="6.1"))
MIB = 2**20
SETTINGS = settle(BenchRequest(target="/srv"))


def target(path: Path) -> Target:
    return Target(path=str(path), is_device=False, settings=SETTINGS, number=path.stat().st_dev)


def test_the_file_can_be_written_through_its_descriptor_and_was_never_there(tmp_path: Path) -> None:
    with opened(target(tmp_path), MACHINE, size_bytes=MIB, job="job", erase="") as found:
        descriptor = found.descriptor
        assert list(tmp_path.iterdir()) == []
        assert os.fstat(descriptor).st_size == MIB
        assert os.fstat(descriptor).st_blocks == 0, "its blocks come from real writes"
        again = os.open(found.filename, os.O_WRONLY)
        os.write(again, b"through the name that fio uses")
        os.close(again)
        assert os.pread(descriptor, 7, 0) == b"through"
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_a_killed_session_are_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".raidtui-bench-20261121-old.tmp").write_bytes(b"x" * 100)
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / ".raidtui-bench-link.tmp").symlink_to(precious)
    (tmp_path / ".raidtui-bench-folder.tmp").mkdir()
    (tmp_path / "raidtui-bench-notes.tmp").write_text("mine too")
    folder = os.open(tmp_path, os.O_RDONLY)
    assert remove_leftovers(folder) == (".raidtui-bench-20261121-old.tmp",)
    os.close(folder)
    assert precious.read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 4


def test_a_folder_for_many_files_is_made_only_if_wanted_and_goes_with_all_that_is_in_it(
    tmp_path: Path,
) -> None:
    with opened(target(tmp_path), MACHINE, size_bytes=MIB, job="job", erase="", files=True) as found:
        Path(found.foldername, "many").write_text("files")
        assert [one.name for one in tmp_path.iterdir()] == [".raidtui-bench-job.files"]
        assert found.folder in found.descriptors
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_a_kill_left_is_removed_by_the_next_benchmark_there(tmp_path: Path) -> None:
    left = tmp_path / ".raidtui-bench-old.files"
    left.mkdir()
    (left / "f.0.1").touch()
    with opened(target(tmp_path), MACHINE, size_bytes=MIB, job="job", erase=""):
        assert list(tmp_path.iterdir()) == []


def test_two_benchmarks_do_not_measure_in_one_directory(tmp_path: Path) -> None:
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with (
        pytest.raises(Refused, match="another benchmark is running in"),
        opened(target(tmp_path), MACHINE, size_bytes=MIB, job="job", erase=""),
    ):
        raise AssertionError("it must not come this far")
    os.close(other)


def test_a_filesystem_that_cannot_lock_is_measured_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", cannot)
    with opened(target(tmp_path), MACHINE, size_bytes=MIB, job="job", erase="") as found:
        descriptor = found.descriptor
        assert os.fstat(descriptor).st_size == MIB


def test_another_filesystem_in_its_place_is_noticed(tmp_path: Path) -> None:
    moved = Target(path=str(tmp_path), is_device=False, settings=SETTINGS, number=tmp_path.stat().st_dev + 1)
    with (
        pytest.raises(Refused, match="changed after it was checked"),
        opened(moved, MACHINE, size_bytes=MIB, job="job", erase=""),
    ):
        raise AssertionError("it must not come this far")
    assert list(tmp_path.iterdir()) == []


def test_what_is_measured_stays_the_same_whatever_takes_its_place(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    with opened(target(here), MACHINE, size_bytes=MIB, job="job", erase="") as found:
        before = os.stat(found.filename)
        here.rename(tmp_path / "there")
        here.mkdir()
        after = os.stat(found.filename)
    assert (before.st_dev, before.st_ino) == (after.st_dev, after.st_ino)
    assert list(tmp_path.glob("*/*")) == []


def test_a_file_that_cannot_be_that_large_leaves_nothing(tmp_path: Path) -> None:
    with (
        pytest.raises(StepFailed, match=r"cannot extend the test file in .*: File too large"),
        opened(target(tmp_path), MACHINE, size_bytes=2**63 - 1, job="job", erase=""),
    ):
        raise AssertionError("it must not come this far")
    assert list(tmp_path.iterdir()) == []


def test_what_is_live_is_replaced_whole_and_goes_away(tmp_path: Path) -> None:
    assert read_live(tmp_path) is None
    live = Live(cell="SEQ1M Q8T1", direction="read", run=1, runs=6, phase="measuring", bytes_per_second=5e8)
    write_live(tmp_path, live)
    assert read_live(tmp_path) == live
    (tmp_path / FILE).write_text('{"cell": "SEQ')
    assert read_live(tmp_path) is None
    remove_live(tmp_path)
    assert list(tmp_path.iterdir()) == []
