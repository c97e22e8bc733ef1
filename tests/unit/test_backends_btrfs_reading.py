"""What is read of Btrfs: superblocks as mkfs.btrfs wrote them, what the kernel says of a mount, and units made of both."""

import shutil
import struct
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.redundancy import redundancy
from raidtui.backends.btrfs import kernel
from raidtui.backends.btrfs import reading as btrfs_reading
from raidtui.backends.btrfs.chunks import Chunk
from raidtui.backends.btrfs.kernel import KernelDevice, Running, read_errors, read_running
from raidtui.backends.btrfs.reading import Device, Filesystem, read_filesystems, reading_in, with_chunks
from raidtui.backends.btrfs.scrubs import read_scrub
from raidtui.backends.btrfs.space import btrfs_space
from raidtui.backends.btrfs.superblock import Superblock, crc32c, parse, used_apart
from raidtui.backends.btrfs.units import error_words, units_of
from raidtui.backends.reading import recorded_machine
from raidtui.backends.registry import reader
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.contents.btrfs_superblock import COPIES, PLACE
from raidtui.machine.tree import Tree
from raidtui.model.device import DeviceKind
from raidtui.model.errors import BadInput, Refused
from raidtui.model.finding import Remedy
from raidtui.model.machine import Mount
from raidtui.model.spec import Backend
from raidtui.model.unit import Health, Unit
from raidtui.plan.teardown import make_teardown
from tests.unit.btrfs_machines import SIZE, UUID, btrfs_disk, btrfs_machine, device, filesystem, missing
from tests.unit.plan_machines import machine

DATA = Path(__file__).parent / "data" / "btrfs"
BLOCK = (DATA / "superblock.bin").read_bytes()


# The superblock.


def test_a_superblock_says_what_mkfs_was_asked_for() -> None:
    found = parse(BLOCK)
    assert found is not None
    assert found.roots[0] == (6, 30588928)
    assert msgspec.structs.replace(found, roots=(), commit=0) == Superblock(
        uuid=UUID,
        label="tank",
        devices=3,
        generation=6,
        used_bytes=147456,
        checksum="crc32c",
        devid=1,
        size_bytes=2**30,
        allocated_bytes=276824064,
        device_uuid="69eb63e0-d963-451b-aa09-976a2eeeadaa",
        system=(Chunk(kind="system", profile="raid1c3", devids=(1, 2, 3)),),
    )


def changed(*numbers: tuple[int, int]) -> Superblock:
    """The superblock with other numbers of 8 bytes at these places."""
    block = bytearray(BLOCK)
    for place, number in numbers:
        struct.pack_into("<Q", block, place, number)
    block[:4] = crc32c(bytes(block[32:])).to_bytes(4, "little")
    found = parse(bytes(block))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("numbers", "apart"),
    [
        (((0xC9, 2), (0xD1, 2**31)), False),  # another device of it
        (((0x60, 30_000_000),), False),  # an fsync that a power cut kept from this one
        (((0x50, 30_000_000),), True),  # a commit of the same number with another root
        (((0x48, 9), (0x50, 30_000_000)), False),  # later, with the same roots before
        (((0x48, 9), (0x50, 30_000_000), (0xB2B, 30_000_000)), True),  # with another root before
    ],
)
def test_devices_that_were_used_apart_have_one_commit_with_two_roots(
    numbers: tuple[tuple[int, int], ...], apart: bool
) -> None:
    own, other = changed(), changed(*numbers)
    assert used_apart(own, other) is used_apart(other, own) is apart


@given(st.binary(max_size=400))
def test_no_array_of_system_chunks_ends_in_a_crash(array: bytes) -> None:
    block = bytearray(BLOCK)
    block[0x32B : 0x32B + len(array)] = array
    block[0xA0:0xA4] = len(array).to_bytes(4, "little")
    block[:4] = crc32c(bytes(block[32:])).to_bytes(4, "little")
    assert parse(bytes(block)) is not None


@pytest.mark.parametrize(
    ("profile", "devids", "health"),
    [
        ("raid1", (2, 3), Health.FAILED),
        ("raid1", (1, 2), Health.INACTIVE),
        ("raid1c3", (1, 2, 3), Health.INACTIVE),
    ],
)
def test_a_filesystem_without_its_system_chunk_has_failed_and_one_that_has_it_may_not(
    monkeypatch: pytest.MonkeyPatch, profile: str, devids: tuple[int, ...], health: Health
) -> None:
    """Without it no tree can be read, and 'mount -o degraded' fails: connect the disks is all that may be said."""
    block = parse(BLOCK)
    assert block is not None
    held = msgspec.structs.replace(block, system=(Chunk(kind="system", profile=profile, devids=devids),))
    monkeypatch.setattr("raidtui.backends.btrfs.reading.read_superblock", lambda path: held)
    (found,) = read_filesystems(["/dev/sda"], ())
    (unit,) = units_of(btrfs_machine(found))
    assert unit.health is health


@pytest.mark.parametrize("kind", ["sha256", "blake2", "xxhash"])
def test_superblocks_with_other_checksums_are_read(kind: str) -> None:
    raw = (DATA / f"{kind}.bin").read_bytes()
    found = parse(raw)
    assert found is not None
    assert found.checksum.startswith(kind)
    damaged = bytearray(raw)
    damaged[0x70] ^= 1  # of its size: only xxhash64, which Python has not, cannot say that it is wrong
    assert (parse(bytes(damaged)) is None) is (kind != "xxhash")


@given(st.integers(min_value=0, max_value=len(BLOCK) - 1), st.integers(min_value=1, max_value=255))
def test_a_superblock_with_a_wrong_byte_is_none(place: int, change: int) -> None:
    damaged = bytearray(BLOCK)
    damaged[place] ^= change
    found = parse(bytes(damaged))
    # Of the checksum's room crc32c takes four bytes; of another kind (two bytes at 0xC4) it is unknown.
    assert found is None or 4 <= place < 32 or place in {0xC4, 0xC5}
    assert parse(BLOCK[: len(BLOCK) - 1 - place]) is None


def test_the_checksum_is_that_of_castagnoli() -> None:
    assert crc32c(b"123456789") == 0xE3069283


def test_copies_are_where_the_kernel_has_them() -> None:
    assert (PLACE, COPIES) == (64 << 10, (64 << 20, 256 << 30))


# Its trees.


def test_the_trees_of_an_unmounted_filesystem_say_profiles_and_missing_devices() -> None:
    half = filesystem(device(1), device(3), mounted=False, data=(), metadata=())
    found = with_chunks(half, (DATA / "chunks.txt").read_text())
    assert (found.data, found.metadata) == (("raid1",), ("raid1c3",))
    assert found.devices == (
        device(1),
        Device(devid=2, size_bytes=2**30, allocated_bytes=437846016, missing=True),
        device(3),
    )


@pytest.mark.parametrize("text", ["", "ERROR: cannot open file system", "chunk tree\n"])
def test_trees_that_cannot_be_read_change_nothing(text: str) -> None:
    half = filesystem(device(1), missing(2), mounted=False)
    assert with_chunks(half, text) == half


def test_a_profile_without_copies_is_called_single() -> None:
    text = (DATA / "chunks.txt").read_text().replace("DATA|RAID1\n", "DATA|single\n")
    assert with_chunks(filesystem(), text).data == ("single",)


def test_a_device_that_was_removed_before_a_power_cut_is_in_the_filesystem_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = parse(BLOCK)
    assert own is not None
    now = msgspec.structs.replace(own, devices=2, generation=9, system=())
    before = msgspec.structs.replace(now, devices=3, generation=8)
    of_three = [msgspec.structs.replace(one, devid=at) for at, one in enumerate((now, now, before), 1)]
    blocks = dict(zip(("/dev/sda", "/dev/sdb", "/dev/sdc"), of_three, strict=True))
    monkeypatch.setattr("raidtui.backends.btrfs.reading.read_superblock", blocks.get)
    (found,) = read_filesystems(tuple(blocks), ())
    assert [(one.path, one.behind) for one in found.devices] == [("/dev/sda", False), ("/dev/sdb", False)]
    # The cut came between the superblocks of those that stay: which one was removed is not known.
    blocks["/dev/sda"] = msgspec.structs.replace(before, devid=1)
    (found,) = read_filesystems(tuple(blocks), ())
    assert len(found.devices) == 3


# A seed, and what has grown from it.


def test_a_device_of_a_seed_is_here_and_an_unrelated_seed_is_not_one(monkeypatch: pytest.MonkeyPatch) -> None:
    own = parse(BLOCK)
    assert own is not None
    grown = msgspec.structs.replace(own, devices=2, devid=2, system=())
    seed = msgspec.structs.replace(
        own, uuid="seed", devices=1, devid=1, seeding=True, device_uuid="of-the-seed"
    )
    blocks = {"/dev/sda": seed, "/dev/sdb": grown}
    monkeypatch.setattr("raidtui.backends.btrfs.reading.read_superblock", blocks.get)
    (found,) = read_filesystems(tuple(blocks), ())
    (unit,) = units_of(btrfs_machine(found))
    assert (unit.health, unit.state) == (
        Health.INACTIVE,
        "not mounted, perhaps grown from the seed on /dev/sda",
    )
    blocks["/dev/sda"] = msgspec.structs.replace(seed, seeding=False)
    (found,) = read_filesystems(tuple(blocks), ())
    assert [one.missing for one in found.devices] == [True, False]
    blocks["/dev/sda"] = msgspec.structs.replace(seed, devid=3)
    (found,) = read_filesystems(tuple(blocks), ())
    assert [one.missing for one in found.devices] == [True, False]


def test_the_trees_say_whether_a_missing_device_is_that_of_a_seed() -> None:
    text = (DATA / "chunks.txt").read_text()
    perhaps = filesystem(device(1), Device(devid=2, seed="/dev/sdz"), device(3), mounted=False)
    of_second = text.partition("DEV_ITEM 2)")[2].partition("\tuuid ")[2][:36]
    assert with_chunks(perhaps, text, {of_second: "/dev/sdy"}).devices[1] == Device(
        devid=2, size_bytes=2**30, allocated_bytes=437846016, seed="/dev/sdy"
    )
    assert with_chunks(perhaps, text, {"another": "/dev/sdz"}).devices[1].missing


# Two devices with one superblock.


def superblocks(monkeypatch: pytest.MonkeyPatch, **devids: tuple[int, int]) -> list[str]:
    """The paths of devices with these devids and generations, of a filesystem of three."""
    block = parse(BLOCK)
    assert block is not None
    found = {
        f"/dev/{name}": msgspec.structs.replace(block, devid=devid, generation=generation)
        for name, (devid, generation) in devids.items()
    }
    monkeypatch.setattr("raidtui.backends.btrfs.reading.read_superblock", found.get)
    return list(found)


def test_a_device_is_behind_if_more_than_the_last_commit_is_not_on_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paths = superblocks(monkeypatch, sda1=(1, 9), sdb1=(2, 8), sdc1=(3, 7))  # 8: a power cut may leave it so
    (found,) = read_filesystems(paths, (), Tree(tmp_path))
    assert [one.behind for one in found.devices] == [False, False, True]


def test_a_clone_beside_its_original_is_shown_and_only_to_be_disconnected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paths = superblocks(monkeypatch, sda1=(1, 9), sdb1=(2, 9), sdc1=(3, 9), sdd1=(2, 7))
    (found,) = read_filesystems(paths, (), Tree(tmp_path))
    assert [(one.devid, one.path, one.alike) for one in found.devices] == [
        (1, "/dev/sda1", ()),
        (2, "/dev/sdb1", ("/dev/sdd1",)),
        (3, "/dev/sdc1", ()),
    ]
    where = btrfs_machine(found, *(btrfs_disk(number) for number in range(1, 5)))
    (unit,) = units_of(where)
    assert [(one.slot, one.disk, one.state) for one in unit.members][1:3] == [
        (2, "S-0002", "not mounted"),
        (2, "S-0004", "the same superblock"),
    ]
    (care,) = reader(Backend.BTRFS).care(unit, where)
    assert isinstance(care, Remedy)
    assert care.text == (
        "S-0002 (sdb) and S-0004 (sdd) have the same superblock (devid 2): a clone beside its original, or a disk that "
        "was replaced. Disconnect the one that does not belong here; until then do not mount it"
    )
    assert not care.commands
    with pytest.raises(
        Refused, match=r"S-0002 \(sdb\) and S-0004 \(sdd\) have the same superblock.*disconnect"
    ):
        make_teardown("tank", where, seed=UUID)


def test_a_device_that_is_connected_again_is_missing_until_the_filesystem_is_mounted_again(
    monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    """udev registers it, and then `missing` is 0 and every tool says that all is well, but nothing is written to it."""
    Path(tree.path(f"/sys/fs/btrfs/{UUID}/devinfo/2/missing")).write_text("0\n")
    devices = tuple(
        KernelDevice(devid=devid, path=path, size_bytes=9, allocated_bytes=5)
        for devid, path in ((1, "/dev/sda1"), (2, "/dev/sdb1"))
    )
    monkeypatch.setattr(Asked, "devices", lambda _: devices)
    monkeypatch.setattr(Asked, "close", lambda _: None, raising=False)
    monkeypatch.setattr(kernel, "opened_at", lambda targets, uuid: Asked())
    (found,) = read_filesystems([], (), tree)
    assert [(one.devid, one.path, one.missing, one.back) for one in found.devices] == [
        (1, "/dev/sda1", False, ""),
        (2, "", True, "/dev/sdb1"),
    ]
    (unit,) = units_of(btrfs_machine(found))
    assert unit.health is Health.DEGRADED
    monkeypatch.setattr(kernel, "opened_at", lambda targets, uuid: None)
    (found,) = read_filesystems([], (), tree)
    assert [(one.devid, one.path, one.missing) for one in found.devices] == [
        (0, "/dev/sda1", False),
        (0, "", True),
    ], "without root it is not known which"


def test_a_clone_of_a_mounted_device_is_shown_too(monkeypatch: pytest.MonkeyPatch, tree: Tree) -> None:
    devices = tuple(
        KernelDevice(devid=devid, path=path, size_bytes=9, allocated_bytes=5)
        for devid, path in ((1, "/dev/sda1"), (2, "/dev/sdb1"))
    )
    monkeypatch.setattr(Asked, "devices", lambda _: devices)
    monkeypatch.setattr(Asked, "close", lambda _: None, raising=False)
    monkeypatch.setattr(kernel, "opened_at", lambda targets, uuid: Asked())
    paths = superblocks(monkeypatch, sdc1=(1, 6), sdd1=(2, 6))
    (found,) = read_filesystems(paths, (), tree)
    assert [(one.devid, one.missing, one.alike, one.back) for one in found.devices] == [
        (1, False, ("/dev/sdc1",), ""),
        (2, True, (), "/dev/sdd1"),
    ]
    whole = filesystem(device(1, alike=("/dev/sdc1",)), device(2))
    where = btrfs_machine(whole, *(btrfs_disk(number) for number in range(1, 4)))
    (unit,) = units_of(where)
    assert (unit.health, unit.state) == (
        Health.ERRORS,
        "mounted, but another disk has the superblock of devid 1",
    )
    (care,) = reader(Backend.BTRFS).care(unit, where)
    assert isinstance(care, Remedy)
    assert "S-0001 (sda) and S-0003 (sdc)" in care.text
    assert "Unmount the filesystem, disconnect" in care.text


# A mounted one.


class Asked:
    """A mount that gives these answers."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers

    def devices(self) -> tuple[KernelDevice, ...]:
        return ()

    def chunks(self) -> tuple[Chunk, ...]:
        return ()

    def scrubbed(self, devid: int) -> int | None:
        found: int | None = self._answers.get("scrubbed", {}).get(devid)
        return found

    def balanced(self) -> float | None:
        return self._answers.get("balanced")

    def replaced(self) -> float | None:
        return self._answers.get("replaced")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """The folder of a mounted filesystem in sysfs, with what is on its disks."""
    folder = tmp_path / f"sys/fs/btrfs/{UUID}"
    for kind, used in (("data", 4000), ("metadata", 900), ("system", 100)):
        profile = folder / f"allocation/{kind}/raid1"
        profile.mkdir(parents=True)
        (profile / "total_bytes").write_text("1\n")
        (profile.parent / "disk_used").write_text(f"{used}\n")
    for devid in (1, 2):
        info = folder / f"devinfo/{devid}"
        info.mkdir(parents=True)
        (info / "missing").write_text(f"{int(devid == 2)}\n")
        (info / "error_stats").write_text("write_errs 3\nread_errs 0\nflush_errs 0\ncorruption_errs 12\n")
    (folder / "devices").mkdir()
    (folder / "devices/sda1").touch()
    (folder / "label").write_text("tank\n")
    (folder / "checksum").write_text("crc32c (crc32c-intel)\n")
    (folder / "exclusive_operation").write_text("none\n")
    (tmp_path / "sys/fs/btrfs/features").mkdir()
    return Tree(tmp_path)


@pytest.mark.parametrize(
    ("words", "answers", "expected"),
    [
        ("none", {}, None),
        ("none", {"scrubbed": {1: 1000, 2: 1500}}, Running(what="scrub", fraction=0.5, done_bytes=2500, total_bytes=5000)),
        ("none", {"scrubbed": {1: 9000}}, Running(what="scrub", fraction=1.0, done_bytes=5000, total_bytes=5000)),
        ("balance", {"balanced": 0.25}, Running(what="balance", fraction=0.25)),
        ("balance paused", {"balanced": 0.25}, Running(what="balance", fraction=0.25, paused=True)),
        ("device replace", {"replaced": 0.125}, Running(what="replace", fraction=0.125)),
        ("none", {"replaced": 0.125}, Running(what="replace", fraction=0.125, paused=True, target_gone=True)),
        ("device remove", {}, Running(what="device remove")),
    ],
)  # fmt: skip
def test_what_it_does_is_known_with_its_fraction(
    tree: Tree, words: str, answers: dict[str, Any], expected: Running | None
) -> None:
    Path(tree.path(f"/sys/fs/btrfs/{UUID}/exclusive_operation")).write_text(f"{words}\n")
    assert read_running(UUID, Asked(**answers), (1, 2), tree) == expected


def test_the_new_disk_of_a_replacement_has_devid_0(tree: Tree) -> None:
    Path(tree.path(f"/sys/fs/btrfs/{UUID}/devinfo/0")).mkdir()
    paused = read_running(UUID, Asked(replaced=0.125), (1, 2), tree)
    assert paused == Running(what="replace", fraction=0.125, paused=True)


def test_errors_are_those_that_happened(tree: Tree) -> None:
    assert read_errors(UUID, 1, tree) == {"write": 3, "corruption": 12}
    assert read_errors(UUID, 7, tree) == {}


def test_a_mount_that_cannot_be_opened_still_shows_its_devices_and_profiles(tree: Tree) -> None:
    Path(tree.path(f"/sys/fs/btrfs/{UUID}/devices/sdb1")).touch()
    (found,) = read_filesystems((), (), tree)
    assert (found.label, found.node, found.data, found.checksum) == (
        "tank",
        "/dev/sda1",
        ("raid1",),
        "crc32c",
    )
    # Any user may see in sysfs that devid 2 is missing, and what was counted of devid 1; not which path that is.
    assert [(one.devid, one.path) for one in found.devices] == [(0, "/dev/sda1"), (0, "/dev/sdb1"), (2, "")]
    assert [one.devid for one in found.missing] == [2]
    assert [(one.devid, one.errors) for one in found.unplaced] == [(1, {"write": 3, "corruption": 12})]
    (unit,) = units_of(btrfs_machine(found))
    assert (unit.health, unit.state) == (
        Health.DEGRADED,
        "degraded, not redundant: 1 of 3 disks missing (devid 2)",
    )


def test_errors_of_a_device_are_said_though_only_root_can_read_which_it_is(tree: Tree) -> None:
    folder = Path(tree.path(f"/sys/fs/btrfs/{UUID}"))
    (folder / "devices/sdb1").touch()
    (folder / "devinfo/2/missing").write_text("0\n")
    (found,) = read_filesystems((), (), tree)
    (unit,) = units_of(btrfs_machine(found))
    assert unit.health is Health.ERRORS
    assert unit.state.startswith("device errors: devid 1: 3 write, 12 corruption errors")


def test_before_linux_5_6_only_root_knows_whether_a_device_is_missing(tree: Tree) -> None:
    folder = Path(tree.path(f"/sys/fs/btrfs/{UUID}"))
    (folder / "devices/sdb1").touch()
    shutil.rmtree(folder / "devinfo")
    (found,) = read_filesystems((), (), tree)
    (unit,) = units_of(btrfs_machine(found))
    assert unit.state == "mounted, redundancy unknown: the state of its devices cannot be read"
    assert redundancy(unit) is None


def test_a_filesystem_of_one_device_is_not_shown(tree: Tree) -> None:
    shutil.rmtree(tree.path(f"/sys/fs/btrfs/{UUID}/devinfo/2"))
    assert read_filesystems((), (), tree) == ()


def test_the_ioctls_have_the_sizes_of_the_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The number of an ioctl has the size of its record; the places of what is read are those of uapi/linux/btrfs.h."""
    numbers = []

    def answer(fd: int, number: int, record: bytearray) -> None:
        numbers.append((number >> 30, number >> 16 & 0x3FFF, number & 0xFF, len(record)))
        if number & 0xFF == 31:
            struct.pack_into("<QQ16s", record, 0, 1, 1, bytes(range(16)))
        elif number & 0xFF == 30:
            struct.pack_into("<QQ", record, 24, 5, 9)
            record[3072:3081] = b"/dev/sda1"
        elif number & 0xFF == 29:
            struct.pack_into("<4Q", record, 32, 1, 2, 300, 40)
        elif number & 0xFF == 34:
            struct.pack_into("<QQQ", record, 16 + 3 * 136, 8, 3, 2)
        else:
            struct.pack_into("<QQ", record, 16, 1, 250)

    monkeypatch.setattr(kernel, "ioctl", answer)
    mounted = kernel.Mounted(str(tmp_path))
    assert mounted.uuid == "00010203-0405-0607-0809-0a0b0c0d0e0f"
    assert mounted.devices() == (KernelDevice(devid=1, path="/dev/sda1", size_bytes=9, allocated_bytes=5),)
    assert (mounted.scrubbed(1), mounted.balanced(), mounted.replaced()) == (340, 0.25, 0.25)
    assert all(size == length for _, size, _, length in numbers)
    assert {(number, size) for _, size, number, _ in numbers} == {(31, 1024), (30, 4096), (29, 1024), (34, 1024), (53, 2600)}  # fmt: skip
    mounted.close()


# Units.


def the_unit(*devices: Device, mounted: bool = True, **changes: Any) -> Unit:
    (found,) = units_of(btrfs_machine(filesystem(*devices, mounted=mounted, **changes)))
    return found


def test_a_mounted_filesystem_is_a_unit_with_the_space_that_was_calculated() -> None:
    found = the_unit()
    assert (found.name, found.level, found.node, found.mountpoints) == (
        "tank",
        "raid1",
        "/dev/sda1",
        ("/srv/tank",),
    )
    assert found.path == f"/dev/disk/by-uuid/{UUID}"
    assert (found.health, found.state) == (Health.OK, "mounted, no device errors")
    assert found.size_bytes == btrfs_space("raid1", [SIZE, SIZE]).data_bytes
    assert [(one.slot, one.disk, one.state) for one in found.members] == [
        (1, "S-0001", "in use"),
        (2, "S-0002", "in use"),
    ]


SIX: dict[str, Any] = {"data": ("raid6",), "metadata": ("raid1c3",)}


@pytest.mark.parametrize(
    ("found", "health", "state"),
    [
        (filesystem(mounted=False), Health.INACTIVE, "not mounted"),
        (filesystem(device(1), missing(2), mounted=False), Health.INACTIVE, "1 of 2 disks missing (devid 2), not mounted"),
        (filesystem(device(1), missing(2)), Health.DEGRADED, "degraded, not redundant: 1 of 2 disks missing (devid 2)"),
        (filesystem(device(1), missing(2), missing(3)), Health.FAILED, "FAILED: 2 of 3 disks missing (devid 2, 3)"),
        (filesystem(device(1), device(2), missing(3), missing(4), **SIX), Health.DEGRADED, "degraded, not redundant: 2 of 4 disks missing (devid 3, 4)"),
        (filesystem(device(1), device(2), missing(3), missing(4), data=("raid6",)), Health.FAILED, "FAILED: 2 of 4 disks missing (devid 3, 4)"),
        (filesystem(device(1), missing(2), data=("raid1", "single")), Health.FAILED, "FAILED: 1 of 2 disks missing (devid 2)"),
        (filesystem(device(1), device(2, errors={"write": 1})), Health.ERRORS, "device errors: devid 2: 1 write error"),
        (filesystem(data=("raid0",)), Health.OK, "mounted, no redundancy"),
        (filesystem(running=Running(what="scrub", fraction=0.25)), Health.SYNCING, "scrub 25.0 %, usable now"),
        (filesystem(running=Running(what="balance", paused=True)), Health.OK, "mounted, balance paused"),
        (filesystem(running=Running(what="device remove")), Health.OK, "mounted, device remove is running"),
        (filesystem(running=Running(what="replace", fraction=0.5)), Health.DEGRADED, "a disk is being replaced: replace 50.0 %"),
    ],
)  # fmt: skip
def test_health_says_the_danger_first(found: Filesystem, health: Health, state: str) -> None:
    (unit,) = units_of(btrfs_machine(found))
    assert (unit.health, unit.state) == (health, state)


def test_a_member_with_errors_or_missing_says_so() -> None:
    found = the_unit(device(1, errors={"read": 2, "corruption": 30}), missing(2))
    assert [one.state for one in found.members] == ["2 read, 30 corruption errors", "missing"]
    assert error_words(device(1, errors={"flush": 1})) == "1 flush error"


def test_an_activity_without_a_fraction_says_only_that_it_runs() -> None:
    removing = the_unit(running=Running(what="device remove")).activity
    assert removing is not None
    assert (removing.what, removing.waiting) == ("device remove", "is running")
    paused = the_unit(running=Running(what="balance", fraction=0.25, paused=True)).activity
    assert paused is not None
    assert (paused.paused, paused.fraction, paused.waiting) == (True, 0.25, "")


@pytest.mark.parametrize("data", [(), ("raid1", "single")])
def test_the_space_of_unknown_or_mixed_profiles_is_not_guessed(data: tuple[str, ...]) -> None:
    assert the_unit(data=data).size_bytes == 0


def test_mounts_by_whatever_path_and_of_subvolumes_are_its_own() -> None:
    by_id = "/dev/disk/by-id/wwn-1-part1"
    mounts = (
        Mount(source=by_id, target="/srv/tank", type="btrfs"),
        Mount(source=by_id, target="/srv/tank/a", type="btrfs"),
        Mount(source="/dev/sdc1", target="/srv/other", type="btrfs"),
        Mount(source=by_id, target="/srv/liar", type="tmpfs"),
    )
    (found,) = units_of(btrfs_machine(filesystem(sources=(by_id,)), mounts=mounts))
    assert found.mountpoints == ("/srv/tank/a", "/srv/tank")


def test_a_benchmark_keeps_profiles_and_checksum() -> None:
    there = btrfs_machine(filesystem(data=("raid10",), metadata=("raid1c3",)))
    (unit,) = units_of(there)
    kept = reader(Backend.BTRFS).measured(unit, there)
    assert (kept.level, kept.metadata, kept.checksum) == ("raid10", "raid1c3", "crc32c")
    assert (kept.raid_disks, kept.chunk_bytes, kept.degraded) == (2, 64 << 10, 0)


def test_a_damaged_recording_is_refused() -> None:
    assert reading_in(machine()) is None
    there = btrfs_machine()
    there.readings["btrfs"] = {"filesystems": 5}
    with pytest.raises(BadInput, match="what the recorded machine says of Btrfs"):
        reading_in(there)


# The last scrub, as btrfs-progs 6.2 noted it of a mirror.


NOTED = "data_bytes_scrubbed:19922944|tree_bytes_scrubbed:491520|read_errors:0|csum_errors:{csum}|verify_errors:0|super_errors:0|uncorrectable_errors:{lost}|corrected_errors:{csum}|last_physical:137756672|t_start:{start}|t_resumed:0|duration:4|canceled:{canceled}|finished:{finished}"  # fmt: skip


@pytest.mark.parametrize(
    ("noted", "words", "whole"),
    [
        (
            {"canceled": 0, "finished": 1},
            "last scrub: no errors",
            True,
        ),
        ({"canceled": 1, "finished": 1}, "last scrub: stopped after 40.8 MB, no errors", False),
        ({"canceled": 0, "finished": 0}, "last scrub: stopped after 40.8 MB, no errors", False),
        (
            {"canceled": 0, "finished": 1, "csum": 3, "lost": 1},
            "last scrub: 2 uncorrectable errors, 6 errors corrected",
            True,
        ),
    ],
    ids=["whole", "canceled", "cut off", "errors"],
)
def test_what_came_of_the_last_scrub(tmp_path: Path, noted: dict[str, int], words: str, whole: bool) -> None:
    text = NOTED.format(**{"csum": 0, "lost": 0, "start": 1795377827, **noted})
    write_scrub(tmp_path, text)
    found = read_scrub(UUID, Tree(tmp_path))
    assert found is not None
    assert (found.words, found.whole) == (words, whole)


def test_errors_of_superblocks_count_and_counts_that_are_not_there_are_not_zero(tmp_path: Path) -> None:
    text = NOTED.format(csum=0, lost=0, start=1795377827, canceled=0, finished=1)
    write_scrub(tmp_path / "super", text.replace("super_errors:0", "super_errors:1"))
    found = read_scrub(UUID, Tree(tmp_path / "super"))
    assert found is not None
    assert (found.words, found.errors) == ("last scrub: 2 superblock errors", 2)
    write_scrub(tmp_path / "odd", text.replace("uncorrectable_errors", "odd_errors"))
    found = read_scrub(UUID, Tree(tmp_path / "odd"))
    assert found is not None
    assert (found.words, found.counted) == ("last scrub: not all errors known", False)


def test_of_a_scrub_that_has_only_begun_nothing_is_known(tmp_path: Path) -> None:
    write_scrub(tmp_path, NOTED.format(csum=0, lost=0, start=0, canceled=0, finished=0))
    assert read_scrub(UUID, Tree(tmp_path)) is None
    assert read_scrub("other", Tree(tmp_path)) is None


def write_scrub(root: Path, noted: str) -> None:
    """The file of a filesystem with two devices."""
    file = root / f"var/lib/btrfs/scrub.status.{UUID}"
    file.parent.mkdir(parents=True)
    file.write_text(f"scrub status:1\n{UUID}:1|{noted}\n{UUID}:2|{noted}\n")


@pytest.mark.parametrize(
    ("state", "looked_at"),
    [
        ("btrfs-on-volumes", ["/dev/dm-0", "/dev/dm-1"]),
        (
            "lvm-mirror-with-a-snapshot",
            [],
        ),  # both have an ext4, and one side of a mirror is no device of its own
    ],
)
def test_volumes_are_looked_at_though_udev_knows_of_no_signature_and_what_they_lie_on_is_not(
    monkeypatch: pytest.MonkeyPatch, state: str, looked_at: list[str]
) -> None:
    read = recorded_machine(str(Path(__file__).parents[1] / "machines" / "states" / f"{state}.json"))
    first = next(one for one in read.devices if one.kind is DeviceKind.VOLUME and one.type in {"btrfs", ""})
    devices = (msgspec.structs.replace(one, type="") if one is first else one for one in read.devices)
    seen: list[str] = []
    monkeypatch.setattr(btrfs_reading, "read_filesystems", lambda paths, _: seen.extend(paths))
    btrfs_reading.read(
        msgspec.structs.replace(read, devices=tuple(devices)), lambda _: ToolAnswer(returncode=None)
    )
    assert seen == looked_at
