"""A filesystem of another size than its device is known by its superblock, before anything repairs or wastes it."""

import os
import struct
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.units import units_of
from raidtui.machine.contents.filesystem_size import filesystem_bytes, with_misfit
from raidtui.machine.contents.lost_beginning import with_lost_beginning
from raidtui.machine.tree import Tree
from raidtui.model.device import Device, DeviceKind
from raidtui.model.device_graph import DeviceGraph, MountedAt
from raidtui.model.errors import Refused
from raidtui.model.finding import Kind
from raidtui.model.machine import Mount
from raidtui.model.plan import Run
from raidtui.model.procedure import Fill
from raidtui.plan.care import make_care, title_of
from tests.unit.plan_machines import SEED
from tests.unit.test_recorded_states import found_in, state

MIB = 2**20


def ext(blocks: int, *, log: int = 2, features: int = 0) -> bytes:
    block = bytearray(4096)
    struct.pack_into("<I", block, 4, blocks & 0xFFFFFFFF)
    struct.pack_into("<I", block, 24, log)
    block[0x38:0x3A] = b"\x53\xef"
    struct.pack_into("<I", block, 0x60, features)
    struct.pack_into("<I", block, 0x150, blocks >> 32)
    return bytes(1024) + block


def btrfs(size: int) -> bytes:
    block = bytearray(4096)
    block[0x40:0x48] = b"_BHRfS_M"
    struct.pack_into("<Q", block, 0xD1, size)
    return bytes(65536) + block


XFS = b"XFSB" + struct.pack(">IQ", 4096, 1000) + bytes(4096)


@pytest.mark.parametrize(
    ("kind", "content", "size"),
    [
        ("ext4", ext(1000), 4096 * 1000),
        ("ext2", ext(1000, log=0), 1024 * 1000),
        ("ext4", ext((1 << 32) + 5, features=0x80), 4096 * ((1 << 32) + 5)),
        ("ext4", ext((1 << 32) + 5), 4096 * 5),  # without the feature the upper half means nothing
        ("ext4", ext(1000, log=40), 0),
        ("ext4", bytes(8192), 0),
        ("ext4", b"", 0),
        ("xfs", XFS, 4096 * 1000),
        ("xfs", bytes(8192), 0),
        ("btrfs", btrfs(5 * MIB), 5 * MIB),
        ("btrfs", bytes(70000), 0),
        ("vfat", ext(1000), 0),
    ],
)
def test_the_superblock_says_how_large_a_filesystem_is(
    tmp_path: Path, kind: str, content: bytes, size: int
) -> None:
    file = tmp_path / "device"
    file.write_bytes(content)
    assert filesystem_bytes(str(file), kind) == size
    assert filesystem_bytes(str(tmp_path / "none"), kind) == 0


def test_a_copy_speaks_only_where_nothing_is_known_and_nothing_begins(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    file = tmp_path / "dev" / "md0"
    copy = ext(20_000)[1024:]
    file.write_bytes(bytes(32 * MIB * 4) + copy[:0x5A] + b"\1\0" + copy[0x5C:])
    tree = Tree(tmp_path)
    os.truncate(file, 200 * MIB)
    with file.open("r+b") as image:  # in group 1, of 50,000 blocks
        image.seek(128 * MIB + 4)
        image.write(struct.pack("<I", 50_000))
    array = Device(name="md0", kind=DeviceKind.ARRAY, size_bytes=200 * MIB)
    assert with_lost_beginning(array, DeviceGraph([array]), tree).began.startswith(
        "ext2, ext3 or ext4 without"
    )
    volume = replace(array, kind=DeviceKind.VOLUME, dm_uuid=f"LVM-{'x' * 64}")
    assert with_lost_beginning(volume, DeviceGraph([volume]), tree).began
    for other in (
        replace(array, type="LVM2_member"),
        replace(array, kind=DeviceKind.PARTITION),
        replace(array, swaps=("/dev/md0",)),
        replace(volume, dm_uuid=f"LVM-{'x' * 64}-pool"),
    ):
        assert with_lost_beginning(other, DeviceGraph([other]), tree) == other
    with file.open("r+b") as image:
        image.write(ext(50_000))
    assert with_lost_beginning(array, DeviceGraph([array]), tree) == array


def test_only_what_nothing_lies_on_is_compared(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "md0").write_bytes(ext(1000))
    tree = Tree(tmp_path)
    array = Device(name="md0", kind=DeviceKind.ARRAY, size_bytes=4096 * 900, type="ext4")
    assert with_misfit(array, DeviceGraph([array]), tree).cut_bytes == 4096 * 100
    for fits in (replace(array, size_bytes=4096 * 1000), replace(array, type="linux_raid_member")):
        assert with_misfit(fits, DeviceGraph([fits]), tree) == fits
    under = replace(array, holders=("dm-0",))  # a part of a striped volume begins with the filesystem on it
    volume = Device(name="dm-0", kind=DeviceKind.VOLUME, size_bytes=4096 * 2000, slaves=("md0",))
    assert with_misfit(under, DeviceGraph([under, volume]), tree) == under


def test_no_repair_is_offered_and_nothing_else_is_said_of_the_unit() -> None:
    machine = state("filesystem-cut-array")
    (finding,) = found_in(machine)
    assert finding.what == "ext4 on tank: it has 167 MB by its superblock, and its device has 105 MB"
    assert finding.unit == units_of(machine)[0].uuid
    assert "repair" in finding.never
    assert not any(one.procedure or one.commands for one in finding.remedies)
    every = diagnose(units_of(machine), machine)
    assert not any(one.kind is Kind.NOT_CONFIGURED for one in every)


def test_space_at_the_end_is_unused_if_it_is_worth_a_word(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "md0").write_bytes(ext(100_000))
    tree, size = Tree(tmp_path), 4096 * 100_000
    array = Device(name="md0", kind=DeviceKind.ARRAY, size_bytes=size + 16 * MIB, type="ext4")
    assert with_misfit(array, DeviceGraph([array]), tree).unused_bytes == 16 * MIB
    (tmp_path / "dev" / "md0").write_bytes(ext(10_000_000))
    more = replace(array, size_bytes=100 * size + 16 * MIB)
    assert with_misfit(more, DeviceGraph([more]), tree) == more, "less than a hundredth"


def test_a_mounted_filesystem_may_be_larger_than_its_superblock_says_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "md0").write_bytes(XFS)
    array = Device(name="md0", number="9:0", kind=DeviceKind.ARRAY, size_bytes=4096 * 100_000, type="xfs")
    mount = Mount(source="/dev/md0", target="/srv/tank", type="xfs", device="/dev/md0", device_number="9:0")
    graph, tree = DeviceGraph([array], [MountedAt(mount=mount, here=True)]), Tree(tmp_path)
    for blocks, unused in ((900, 4096 * 99_000), (99_000, 0)):
        status = os.statvfs_result((4096, 4096, blocks, 0, 0, 0, 0, 0, 0, 255))
        monkeypatch.setattr(os, "statvfs", lambda place, status=status: status)
        assert with_misfit(array, graph, tree).unused_bytes == unused


def test_the_plan_enlarges_the_filesystem_and_nothing_else() -> None:
    machine = state("space-unused-mounted")
    (finding,) = (one for one in found_in(machine) if one.kind is Kind.SPACE_UNUSED)
    assert finding.what == "tank has 126 MB, and the ext4 on it leaves 62.9 MB of it unused"
    assert finding.first is not None
    assert finding.first.procedure == Fill(unit=finding.unit)
    plan = make_care(finding.first.procedure, machine, seed=SEED)
    assert [one.argv for step in plan.steps for one in step.actions if isinstance(one, Run)] == [
        ("resize2fs", "/dev/md/tank")
    ]
    assert (plan.disks, title_of(finding.first.procedure, plan)) == ((), "Let the filesystem use all of tank")
    full = state("filesystem-cut-array")
    with pytest.raises(Refused, match="no filesystem on tank is known to leave space unused"):
        make_care(Fill(unit=units_of(full)[0].uuid), full, seed=SEED)
