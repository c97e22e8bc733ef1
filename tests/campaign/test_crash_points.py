"""A sample of the campaign: what a power cut leaves at some points of a recorded run is finished or undone.

CI cuts the power ten times in growths, of md, LVM and Btrfs, and twice in a build.

With ``--long`` every scenario, at more points; `tests/campaign/run.py` tries as many as wanted, and repeats one.
"""

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.lab.guest import Guest, Setup
from raidtui.model.units import KIB, MIB
from tests.campaign.crashes import Disks, Recording, same_bytes
from tests.campaign.disk_server import DiskServer
from tests.campaign.judging import Case
from tests.campaign.recorder import DISCARD, FLUSH, WRITE, Record, Recorder
from tests.campaign.recording import recorded
from tests.campaign.run import PLACE, cases_of, try_cases
from tests.campaign.scenarios import SCENARIOS, record

IN_CI = {
    "build-md-raid1": 2,
    "grow-md-raid5": 4,
    "grow-lvm-raid1": 3,
    "grow-btrfs-raid1": 3,
}  # points of each; a guest of QEMU takes a minute to boot, so ZFS is in long
IN_LONG = 12
PARTITIONED_SUPERBLOCKS = (MIB + 64 * KIB, MIB + 64 * MIB)  # of a Btrfs in the first partition
MD_SUPERBLOCK = MIB + 4 * KIB  # of metadata 1.2 in the first partition
MD_MAGIC = (0xA92B4EFC).to_bytes(4, "little")
A, B = b"a" * 512, b"b" * 512


def recording(*records: Record, begin: int = 0) -> Recording:
    return Recording(
        scenario="none",
        sizes={"one": 4096, "other": 4096},
        records=records,
        begin=begin,
        marks=9,
        files={},
        facts={},
    )


def at(place: int, seed: int, of: Recording, folder: Path) -> list[bytes]:
    """What is on both disks after a crash."""
    (folder / "data").write_bytes(A + B)
    for part in ("flushed", "crash"):
        (folder / part).mkdir(exist_ok=True)
    disks = Disks(of, folder / "data", folder / "flushed")
    disks.move(place)
    disks.crash(seed, folder / "crash")
    disks.close()
    return [(folder / "crash" / name).read_bytes() for name in of.sizes]


def test_a_crash_keeps_what_was_flushed_and_any_part_of_the_rest(tmp_path: Path) -> None:
    some = recording(
        Record(WRITE, 0, 0, 512, 0),
        Record(WRITE, 1, 0, 512, 512),
        Record(FLUSH, 0),
        Record(WRITE, 0, 1024, 512, 512),
        Record(DISCARD, 0, 0, 512),
        Record(FLUSH, 1),
    )
    assert some.points == [2, 5, 6]
    first, other = at(5, 0, some, tmp_path)
    assert (first[:512], first[1024:1536], other[:512]) == (bytes(512), B, B)
    seen = {
        (first[:512] == A, first[1024:1536] == B, other[:512] == B)
        for first, other in (at(5, seed, some, tmp_path) for seed in range(1, 60))
    }
    assert len(seen) == 8, "each write is kept or lost for itself"
    assert all(at(6, seed, some, tmp_path)[1][:512] == B for seed in range(20)), "it was flushed"


def check_replay(recorder: Recorder | DiskServer, files: Sequence[Path], folder: Path) -> None:
    """Check that what was recorded makes the files again."""
    made = Recording(
        scenario="none",
        sizes={file.name: file.stat().st_size for file in files},
        records=tuple(recorder.records),
        begin=0,
        marks=9,
        files={},
        facts={},
    )
    for part in ("flushed", "crash"):
        (folder / part).mkdir()
    replayed = Disks(made, folder / "data", folder / "flushed")
    replayed.move(len(made.records))
    replayed.crash(0, folder / "crash")
    replayed.close()
    for file in files:
        assert same_bytes(file, folder / "crash" / file.name)


def test_what_a_guest_writes_is_recorded_byte_for_byte(tmp_path: Path) -> None:
    disks = tmp_path / "disks"
    guest = Guest(Setup(disks="2x16MiB", disk_dir=disks))
    with recorded(guest, disks, tmp_path / "data") as recorder:
        guest.shell(
            "mkfs.ext4 -q /dev/ubda; mount /dev/ubda /mnt; head -c 3000000 /dev/urandom >/mnt/a; sync; umount /mnt; "
            "dd if=/dev/urandom of=/dev/ubdb bs=4k count=100 conv=fsync status=none; blkdiscard -o 8192 -l 65536 /dev/ubdb"
        )
        files = [disks / disk.file_name for disk in guest.disks]
    assert {one.disk for one in recorder.records if one.kind == FLUSH} == {0, 1}
    check_replay(recorder, files, tmp_path)


def test_what_qemu_writes_is_recorded_byte_for_byte(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "other")]
    for file in files:
        file.write_bytes(b"\0" * 16 * KIB)
    server = DiskServer(tmp_path / "socket", tmp_path, tmp_path / "data")
    for name, orders in {
        "other": ["write -P 97 0 1024", "flush"],
        "one": [
            "write -P 98 512 8192",
            "write -z 4096 512",
            "discard 1024 512",
            "read -P 98 512 512",
            "flush",
        ],
    }.items():
        words = [word for order in orders for word in ("-c", order)]
        node = f"nbd+unix:///{name}?socket={tmp_path}/socket"
        done = subprocess.run(["qemu-io", "-f", "raw", *words, node], capture_output=True, check=False)
        assert (done.returncode, b"failed" in done.stdout) == (0, False), done.stdout
    server.end()
    assert server.names == ["other", "one"]
    kinds = [(one.kind, one.disk) for one in server.records]
    assert kinds[:2] == [(WRITE, 0), (FLUSH, 0)]
    assert [one for one in kinds[2:] if one[0] != FLUSH] == [(WRITE, 1), (WRITE, 1), (DISCARD, 1)]
    check_replay(server, [files[1], files[0]], tmp_path)


@pytest.mark.first(len(IN_CI))
@pytest.mark.parametrize("name", [*IN_CI, *(name for name in SCENARIOS if name not in IN_CI)])
def test_after_a_power_cut_at_any_flush_the_job_is_finished_or_undone(
    name: str, request: pytest.FixtureRequest
) -> None:
    made = record(name, PLACE / name)
    points = IN_LONG if request.config.getoption("--long") else IN_CI[name]
    assert wrongs(cases_of(made, points=points, shift=random.randrange(1000), seeds=1), made) == []


def wrongs(cases: Sequence[Case], of: Recording) -> list[str]:
    """What is wrong after these power cuts, each with the command that tries it again."""
    return [
        f"python -m tests.campaign.run {one.case}: {one.wrong}"
        for one in try_cases(cases, of, PLACE / of.scenario / "data")
        if one.wrong
    ]


def slots_in(content: bytes) -> bytes:
    """The slots of all members, as the superblock of an array says; empty if it is none."""
    return content[256:272] if content.startswith(MD_MAGIC) else b""


@pytest.mark.first(1)
@pytest.mark.parametrize("name", ["replace-md-raid5-gone", "replace-md-raid1-gone"])
def test_a_power_cut_as_a_rebuild_begins_does_not_make_its_member_in_sync(name: str) -> None:
    """Some superblocks give the new member its slot by then, and its own does not: md takes it as in sync."""
    made = record(name, PLACE / name)
    slots, begins = b"", 0
    with (PLACE / name / "data").open("rb") as data:
        for place, one in enumerate(made.records):
            if one.kind == WRITE and one.disk < 4 and one.at >= 0 and one.offset == MD_SUPERBLOCK:
                data.seek(one.at)
                if (now := slots_in(data.read(one.length))) not in {b"", slots}:
                    slots, begins = now, place
    point = next(place for place in made.points if place > begins)
    assert wrongs([Case(name, point, seed) for seed in range(1, 7)], made) == []


@pytest.mark.first(0)
@pytest.mark.parametrize("name", ["replace-btrfs-raid1", "replace-btrfs-single"])
def test_a_power_cut_while_a_btrfs_lets_its_old_device_go_leaves_neither_stuck(name: str) -> None:
    """The kernel erases the old superblock, commits without it, and flushes the erasure last: each may be there alone."""
    made = record(name, PLACE / name)
    old = [
        place
        for place, one in enumerate(made.records)
        if one.kind == WRITE and one.disk == 1 and one.offset in PARTITIONED_SUPERBLOCKS
    ]
    after = [place for place in made.points if place > old[-1]]
    cases = [Case(name, place, seed) for place in after[:4] for seed in range(4)]
    assert wrongs(cases, made) == []
