"""The parts of a burn-in: what is read of a disk, what fio says of it, how several run side by side, how it resumes."""

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.bench.burnin.children import Command, Pause, Ran, Work, run_all
from raidtui.bench.burnin.course import (
    AGAIN,
    BLANK,
    READ,
    SECTORS,
    VERIFY,
    WRITE,
    Course,
    courses_of,
)
from raidtui.bench.burnin.disks import check_to_write, disks_to_read
from raidtui.bench.burnin.results import results_of
from raidtui.bench.burnin.surface import (
    BLOCK,
    MOST_FAULTS,
    Faults,
    Pass,
    blocks_of,
    fio_argv,
    pieces_of,
    rates_of,
    zone_size,
)
from raidtui.bench.stop import Cancelled, StopRequests
from raidtui.jobs.journal import Journal, read_journal
from raidtui.model.errors import BadInput, Refused, StepFailed
from raidtui.model.journal import BurnInNote, Event
from raidtui.model.machine import Claim, ClaimKind, Signature, Weight
from raidtui.model.units import GIB, MIB, TIB
from tests.unit.plan_machines import disk, machine

FAULT = "fio: io_u error on file /proc/self/fd/7: Input/output error: read offset={}, buflen={}"


@pytest.mark.parametrize("size", [20 * TIB, 20_000_588_955_648, 160 * MIB, 100 * MIB + 512, 8 * MIB, 4096])
def test_the_zones_are_all_of_the_disk_and_nothing_twice(size: int) -> None:
    length = zone_size(size)
    count = -(-size // length)
    assert count <= 512
    assert length % BLOCK == 0
    pieces = list(pieces_of(range(count), size))
    assert pieces[0].offset == 0
    assert sum(piece.size for piece in pieces) == size
    for before, after in pairwise(pieces):
        assert before.offset + before.size == after.offset
    assert all(piece.size % piece.block == 0 for piece in pieces)


@pytest.mark.parametrize("what", [Pass.READ, Pass.VERIFY])
def test_what_only_reads_can_write_nothing(what: Pass) -> None:
    argv = fio_argv("/proc/self/fd/7", list(pieces_of([0, 1], 16 * MIB)), what)
    assert {"--readonly", "--rw=read", "--allow_file_create=0", "--direct=1"} <= set(argv)
    assert not [word for word in argv if "write" in word]


def test_each_written_block_holds_its_own_place_and_at_the_end_zeros() -> None:
    pieces = list(pieces_of([0], 16 * MIB))
    write, verify, blank = (fio_argv("x", pieces, what) for what in (Pass.WRITE, Pass.VERIFY, Pass.BLANK))
    assert {"--rw=write", "--verify_pattern=%o", "--do_verify=0"} <= set(write)
    assert "--verify_pattern=%o" in verify
    assert {"--rw=write", "--zero_buffers=1"} <= set(blank)
    assert not [word for word in blank if "verify" in word]


def test_neighboring_faults_are_one_range() -> None:
    faults = Faults()
    for offset in (0, MIB, 5 * MIB):
        faults.hear(FAULT.format(offset, MIB))
    faults.hear("fio: something else")
    assert faults.ranges == [(0, 2 * MIB), (5 * MIB, MIB)]
    assert faults.blocks == 3
    assert faults.last == "fio: something else"
    assert list(blocks_of(faults.ranges)) == [(0, MIB), (MIB, MIB), (5 * MIB, MIB)]


def test_where_data_differs() -> None:
    faults = Faults()
    for line in (
        "fio: got pattern '78', wanted '00'. Bad bits 4",
        "fio: bad pattern block offset 516",
        "pattern: verify failed at file /proc/self/fd/7 offset 9437184, length 0 (requested block: offset=9437184, "
        "length=1048576, flags=8)",
        "pattern: verify failed at file x offset 0, length 0 (requested block: offset=0, length=1048576, flags=8)",
        FAULT.format(MIB, MIB).replace("read offset", "write offset"),
    ):
        faults.hear(line)
    assert faults.differs == [9 * MIB + 516, 0]
    assert faults.ranges == [(MIB, MIB)]
    assert faults.blocks == 3


def output(*read: tuple[int, int]) -> str:
    """What fio prints about jobs that read so many bytes in so many milliseconds."""
    jobs = [
        {"jobname": str(number), "read": {"io_bytes": count, "io_kbytes": count // 1024, "runtime": took}}
        for number, (count, took) in enumerate(read)
    ]
    return f"fio: a warning\n{json.dumps({'fio version': 'fio-3.33', 'jobs': jobs})}\n"


def test_the_speed_of_zones() -> None:
    pieces = list(pieces_of([0, 1, 2], 16 * MIB + 512))
    said = output((8 * MIB, 80), (7 * MIB, 80), (512, 1))
    assert rates_of(said, pieces) == {0: 8 * MIB * 1000 // 80, 2: 512_000}, "one was not read to its end"


@pytest.mark.parametrize("said", ["", "rubbish", "{", "[]", '{"jobs": []}', output((8 * MIB, 80))])
def test_what_fio_did_not_say_is_an_error(said: str) -> None:
    pieces = list(pieces_of([0, 1], 16 * MIB))
    with pytest.raises(StepFailed, match="fio"):
        rates_of(said, pieces, said="no such option")


def shell(script: str) -> Command:
    return Command(argv=("sh", "-c", script), program="/bin/sh", device="none")


def collect(found: list[Ran], *wanted: Command | Pause) -> Work:
    for one in wanted:
        ran = yield one
        if ran is not None:
            found.append(ran)


@pytest.mark.slow
@pytest.mark.processes
def test_commands_of_several_disks_run_side_by_side(tmp_path: Path) -> None:
    first: list[Ran] = []
    second: list[Ran] = []
    begin = time.monotonic()
    works = {
        "a": collect(first, shell("sleep 0.6; echo one"), Pause(0.1), shell("exit 3")),
        "b": collect(second, shell(f"echo '{FAULT.format(MIB, MIB)}' >&2; sleep 0.6; echo two")),
    }
    with StopRequests() as stop:
        run_all(works, tmp_path, stop=stop, patience_seconds=30)
    assert time.monotonic() - begin < 2
    assert [(one.returncode, one.output) for one in first] == [(0, "one\n"), (3, "")]
    assert [(one.returncode, one.output) for one in second] == [(0, "two\n")]
    assert second[0].faults.ranges == [(MIB, MIB)]


@pytest.mark.slow
@pytest.mark.processes
def test_a_disk_that_hangs_holds_up_only_itself(tmp_path: Path) -> None:
    hangs: list[Ran] = []
    goes_on: list[Ran] = []
    works = {
        "a": collect(hangs, shell("exec sleep 60")),
        "b": collect(goes_on, *[shell("sleep 0.2")] * 3),
    }
    begin = time.monotonic()
    with StopRequests() as stop:
        run_all(works, tmp_path, stop=stop, patience_seconds=0.5)
    assert time.monotonic() - begin < 10
    assert [one.returncode for one in hangs] == [None]
    assert hangs[0].silent_seconds >= 0.5
    assert [one.returncode for one in goes_on] == [0, 0, 0]


@pytest.mark.processes
def test_a_disk_with_too_many_faults_is_not_read_on(tmp_path: Path) -> None:
    found: list[Ran] = []
    size = (MOST_FAULTS + 1) * MIB
    works = {"a": collect(found, shell(f"echo '{FAULT.format(0, size)}' >&2; exec sleep 60"))}
    with StopRequests() as stop:
        run_all(works, tmp_path, stop=stop, patience_seconds=60)
    assert [one.returncode for one in found] == [None]
    assert found[0].faults.blocks == MOST_FAULTS + 1


@pytest.mark.processes
def test_a_stop_ends_every_command_at_once(tmp_path: Path) -> None:
    mark = tmp_path / "ended"
    works = {name: collect([], shell(f"sleep 60; touch {mark}")) for name in "ab"}
    begin = time.monotonic()
    with StopRequests() as stop:
        stop.requested = True
        with pytest.raises(Cancelled):
            run_all(works, tmp_path, stop=stop, patience_seconds=60)
    assert time.monotonic() - begin < 5
    assert not mark.exists()


def test_a_burn_in_continues_from_its_journal(tmp_path: Path) -> None:
    first, second = replace(disk(1), size_bytes=4 * GIB), replace(disk(2), size_bytes=4 * GIB)
    with Journal(tmp_path) as journal:
        for noted in (
            BurnInNote(disk="S-0001", step=READ, rates={"0": 100, "1": 0}, faults=((9 * MIB, MIB),)),
            BurnInNote(disk="S-0001", step=AGAIN, rates={"0": 300}),
            BurnInNote(disk="S-0001", step=AGAIN, rates={"0": 200}),
            BurnInNote(disk="S-0001", step=SECTORS, bad=((18_432, 18_433),)),
            BurnInNote(disk="S-0002", step=READ, gave_up="it completed nothing for 15 min"),
            BurnInNote(disk="S-0003", step=READ, rates={"0": 100}),
        ):
            journal.append(Event.CELL, step=noted.step, data=noted)
    courses = courses_of([first, second], read_journal(tmp_path))
    one, two = courses["S-0001"], courses["S-0002"]
    assert one.zones == 512
    assert one.left(READ) == list(range(2, 512))
    assert one.reading.rates[:3] == (300, 0, 0)
    assert one.reading.again == (0,)
    assert one.may_try([0, 1]) == [0, 1]
    assert (one.bad, one.faults) == (((18_432, 18_433),), [])
    assert two.left(READ) == []
    assert two.may_try([0]) == []
    one.learn(BurnInNote(disk="S-0001", step=AGAIN, rates={"0": 1}))
    one.learn(BurnInNote(disk="S-0001", step=AGAIN, rates={"0": 1}))
    one.learn(BurnInNote(disk="S-0001", step=AGAIN, rates={"0": 1}))
    assert one.may_try([0, 1]) == [1], "a doubtful zone is not read for ever"


def claim(what: ClaimKind, weight: Weight) -> Claim:
    return Claim(
        what=what, weight=weight, device="/dev/sda", detail="mounted at /srv", how_to_free="umount /srv"
    )


def test_disks_in_use_are_refused() -> None:
    busy = replace(disk(1), free=False, taken_by=(claim(ClaimKind.MOUNT, Weight.BUSY),))
    here = machine(busy)
    with pytest.raises(
        Refused, match=r"S-0001 \(/dev/sda\) is in use: mounted at /srv; to free it: umount /srv"
    ):
        disks_to_read(["S-0001", "S-0002"], here)


@pytest.mark.parametrize(
    ("what", "weight"),
    [
        (ClaimKind.FILESYSTEM, Weight.DATA),
        (ClaimKind.UNREADABLE, Weight.UNUSABLE),
        (ClaimKind.READ_ONLY, Weight.UNUSABLE),
    ],
)
def test_what_is_on_a_disk_does_not_matter_while_it_is_only_read(what: ClaimKind, weight: Weight) -> None:
    old = replace(disk(1), free=False, taken_by=(claim(what, weight),))
    assert disks_to_read(["S-0001", "0x5000c50000000001", "S-0002"], machine(old)) == (
        old,
        disk(2),
    )


def test_only_blank_disks_that_are_named_are_written() -> None:
    here = machine()
    both = disks_to_read(["S-0001", "S-0002"], here)
    check_to_write(both, ["S-0001", "0002"], here)
    for erase in ([], ["S-0001"], ["S-0001", "S-0003"], ["S-0001", "S-0001"]):
        with pytest.raises(Refused):
            check_to_write(both, erase, here)
    remains = claim(ClaimKind.REMAINS, Weight.DATA)
    erased = replace(disk(1), taken_by=(remains,))
    check_to_write([erased], ["S-0001"], machine(erased))


@pytest.mark.parametrize(
    "changes",
    [
        {"free": False, "taken_by": (claim(ClaimKind.FILESYSTEM, Weight.DATA),)},
        {"signatures": (Signature(device="/dev/sda", offset=1080, type="ext4"),)},
        {"read_only": True},
        {"zoned": "host-managed"},
        {"wwn": "", "serial": "", "by_id": ()},
    ],
)
def test_what_is_not_blank_or_cannot_be_written(changes: dict[str, Any]) -> None:
    old = replace(disk(1), **changes)
    with pytest.raises(Refused):
        check_to_write([old], ["S-0001"], machine(old))


def test_test_data_of_an_interrupted_pass_is_no_obstacle_but_anything_else_is() -> None:
    ours = replace(disk(1), free=False, taken_by=(claim(ClaimKind.UNKNOWN_DATA, Weight.DATA),))
    check_to_write([ours], ["S-0001"], machine(ours), begun=True)
    with pytest.raises(Refused, match="is not blank"):
        check_to_write([ours], ["S-0001"], machine(ours))
    check_to_write([disk(1)], ["S-0001"], machine(ours), begun=True)  # the disk as it was before
    ext4 = (Signature(device="/dev/sda", offset=1080, type="ext4"),)
    theirs = replace(ours, signatures=ext4)
    with pytest.raises(Refused, match="is not blank"):
        check_to_write([theirs], ["S-0001"], machine(theirs), begun=True)


def test_a_written_pass_continues_with_the_zones_that_are_left() -> None:
    course = Course(replace(disk(1), size_bytes=4 * GIB))
    dirty = [course.is_dirty]
    course.learn(BurnInNote(disk="S-0001", step=WRITE, rates={"0": 100}, faults=((0, MIB),)))
    assert course.left(WRITE) == list(range(1, 512))
    assert (course.unwritten, course.faults) == ([(0, MIB)], [])
    assert course.left(READ) == list(range(512)), "that is another step"
    dirty.append(course.is_dirty)
    course.learn(BurnInNote(disk="S-0001", step=VERIFY, rates={"0": 100}, differs=(9,)))
    course.learn(BurnInNote(disk="S-0001", step=BLANK, rates={str(zone): 1 for zone in range(512)}))
    assert [*dirty, course.is_dirty] == [False, True, False]
    (result,) = results_of([course], "2026-11-20", {"S-0001": ("pending sectors 0 → 8",)})
    assert result.unwritable == ((0, 2047),)
    assert result.differing == ((0, 0),)
    assert result.grown == ("pending sectors 0 → 8",)
    assert not result.written
    assert result.has_errors


def test_disks_that_cannot_be_burned_in() -> None:
    drive = replace(disk(1), device_number="", path="", slot="252:3")
    empty = replace(disk(2), size_bytes=0)
    here = replace(machine(), disks=(drive, empty, disk(3)))
    with pytest.raises(Refused, match="has no device"):
        disks_to_read(["S-0001"], here)
    with pytest.raises(Refused, match="reports no size"):
        disks_to_read(["S-0002"], here)
    with pytest.raises(BadInput, match="is a device name"):
        disks_to_read(["/dev/sdc"], here)
    with pytest.raises(BadInput, match="name the disks"):
        disks_to_read([], here)
    with pytest.raises(Refused, match="only root"):
        disks_to_read(["S-0003"], replace(here, complete=False))
