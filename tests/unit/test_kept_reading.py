"""Readings every few minutes: SMART data and versions are an hour old at most, and of the disks that are here."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.jobs.kept_reading import FILE, KEPT_SECONDS, read_sparingly
from raidtui.machine.kernel_log import last_error
from raidtui.model.machine import Disk, Machine
from raidtui.model.problem import Problem
from raidtui.model.smart import Smart
from tests.unit import plan_machines
from tests.unit.machine_trees import MadeTree
from tests.unit.plan_machines import disk

HOT = Smart(temperature_celsius=41)


class Computer:
    """Counts how it is read."""

    def __init__(self) -> None:
        self.disks: tuple[Disk, ...] = (disk(1), disk(2))
        self.more: dict[str, Any] = {}
        self.reads: list[str] = []

    def read(self, *, smart: bool = True, known_tools: dict[str, str] | None = None) -> Machine:
        self.reads.append("whole" if smart else "quick")
        assert smart or known_tools == plan_machines.TOOLS
        told = tuple(msgspec.structs.replace(one, smart=HOT if smart else None) for one in self.disks)
        return msgspec.structs.replace(plan_machines.machine(), disks=told, **self.more)


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Computer:
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    return Computer()


def test_smart_is_read_once_an_hour(computer: Computer) -> None:
    for moment in ((100.0).__float__, (400.0).__float__, (100 + KEPT_SECONDS).__float__):
        machine = read_sparingly(computer.read, now=moment)
        assert [one.smart for one in machine.disks] == [HOT, HOT]
    assert computer.reads == ["whole", "quick", "whole"]


def test_a_new_disk_and_another_boot_are_read_whole(computer: Computer) -> None:
    read_sparingly(computer.read, now=lambda: 500.0)
    computer.disks = (*computer.disks, disk(3))
    machine = read_sparingly(computer.read, now=lambda: 600.0)
    assert [one.smart for one in machine.disks] == [HOT] * 3
    assert computer.reads == ["whole", "quick", "whole"]
    read_sparingly(computer.read, now=lambda: 10.0)
    assert computer.reads[3:] == ["whole"], "the clock has begun anew"


def test_what_was_not_read_well_is_not_kept(computer: Computer, tmp_path: Path) -> None:
    computer.more = {"problems": (Problem(what="smart", text="smartctl did not answer"),)}
    read_sparingly(computer.read, now=lambda: 1.0)
    assert not (tmp_path / "run" / FILE).exists()


def test_smart_is_read_at_once_after_an_error_of_a_disk_and_only_then(computer: Computer) -> None:
    logged = [None, None, 7, 7, 7, 9, None, 9]  # None: the log cannot be read
    for at, number in enumerate(logged):
        read_sparingly(computer.read, now=lambda at=at: 10.0 + at, error=lambda number=number: number)  # type: ignore[misc]
    assert computer.reads == [
        *("whole", "quick"),
        *("quick", "whole", "quick", "quick"),
        *("quick", "whole", "quick", "quick"),
    ]


def test_smart_is_read_at_once_after_a_member_failed(computer: Computer) -> None:
    def look() -> None:
        read_sparingly(computer.read, now=lambda: 10.0, error=lambda: 0)

    array = plan_machines.array()
    computer.more = {"arrays": (array,)}
    look()
    look()
    first, *others = array.members
    faulty = msgspec.structs.replace(first, slot=None, state=("faulty",))
    computer.more = {"arrays": (msgspec.structs.replace(array, members=(*others, faulty)),)}
    look()
    look()
    assert computer.reads == ["whole", "quick", "quick", "whole", "quick"]


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2", True),
        ("blk_update_request: I/O error, dev sdb, sector 81", True),
        ("critical medium error, dev sdc, sector 12345 op 0x0:(READ) flags 0x80700", True),
        ("md/raid1:md0: Disk failure on sdb1, disabling device.", True),
        ("md/raid:md127: read error corrected (8 sectors at 1234 on sdb1)", True),
        ("BTRFS error (device sda): bdev /dev/sdb errs: wr 0, rd 2, flush 0, corrupt 0, gen 0", True),
        ("nvme nvme0: I/O 12 QID 3 timeout, aborting", True),
        ("operation not supported error, dev sda, sector 0 op 0x9:(WRITE_ZEROES)", False),
        ("I/O error, dev sr0, sector 0", False),
        ("I/O error, dev fd0, sector 0 op 0x0:(READ)", False),
        ("I/O error, dev loop3, sector 0", False),
        ("Buffer I/O error on dev dm-0, logical block 0, async page read", False),
        ("md/raid1:md0: active with 2 out of 2 mirrors", False),
        ("EXT4-fs (sda1): mounted filesystem", False),
    ],
)
def test_an_error_of_a_disk_is_seen_in_the_log_of_the_kernel(
    tmp_path: Path, text: str, is_error: bool
) -> None:
    made = MadeTree(tmp_path / "tree")
    assert last_error(made.tree) is None, "the log cannot be read"
    made.write(
        "/dev/kmsg", f"6,41,1234,-;usb 1-1: new device\n3,42,1235,-;{text}\n DEVICE=b8:0\n6,43,1236,-;x\n"
    )
    assert last_error(made.tree) == (42 if is_error else 0)


@pytest.mark.parametrize("text", ["", "{}", "x" * 1000, '{"at": "x", "tools": {}, "smart": {}}'])
def test_rubbish_and_a_folder_that_cannot_be_written_are_a_whole_reading(
    computer: Computer, tmp_path: Path, text: str
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / FILE).write_text(text)
    read_sparingly(computer.read, now=lambda: 1.0)
    assert computer.reads == ["whole"]
    (tmp_path / "run" / FILE).unlink()
    (tmp_path / "run" / FILE).mkdir()
    assert read_sparingly(computer.read, now=lambda: 2.0).disks[0].smart == HOT
