"""What a disk without any signature holds all the same."""

import errno
import os
import random
import struct
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.machine.ask import Ask, ToolAnswer
from raidtui.machine.contents.unknown_data import looks_random, read_older_data, read_unknown_data
from raidtui.machine.reader import _with_older_data
from raidtui.machine.tools import find_tool
from raidtui.machine.tree import Tree
from raidtui.model.machine import Array, ClaimKind, Member
from raidtui.model.units import KIB, MIB, SECTOR

pytestmark = pytest.mark.processes  # real sfdisk and wipefs on images

SIZE = 8 * MIB + 512  # an odd number of sectors, as real disks have
TEXT = b"RAID is not a backup. " * 400


def no_answer(argv: Sequence[str]) -> ToolAnswer:
    raise AssertionError(f"{argv} was asked")


def made(folder: Path, *pieces: tuple[int, bytes], size: int = SIZE) -> str:
    """A disk with ``pieces`` at their places, and zeros."""
    path = folder / "disk"
    with path.open("wb") as file:
        file.truncate(size)
        for place, piece in pieces:
            file.seek(place)
            file.write(piece)
    return str(path)


def silent(argv: Sequence[str]) -> ToolAnswer:
    """blkid finds nothing there."""
    return ToolAnswer(returncode=2)


def words(path: str, ask: Ask = silent) -> str:
    """What is found, in words."""
    found = read_unknown_data(path, SIZE, ask=ask)
    assert found is not None
    return f"{'remains: ' * (found.what is ClaimKind.REMAINS)}{found.words}"


def test_zeros_hold_nothing(tmp_path: Path) -> None:
    assert read_unknown_data(made(tmp_path), SIZE, ask=no_answer) is None


def test_random_bytes_everywhere_may_be_an_encrypted_volume(tmp_path: Path) -> None:
    path = made(tmp_path, (0, os.urandom(SIZE)))
    assert "encrypted without a header" in words(path, no_answer)


@pytest.mark.parametrize("end", [SIZE // SECTOR - 33, (SIZE // SECTOR - 33) // 2048 * 2048, SIZE // SECTOR])
def test_a_member_in_the_last_partition_of_a_lost_table_is_found_by_its_superblock_at_the_end(
    tmp_path: Path, end: int
) -> None:
    begin = 2048
    offset = (
        end - begin - 16 & ~7
    )  # of metadata 1.0 in its device, as in Linux, drivers/md/md.c, super_1_load
    block = bytearray(4096)
    struct.pack_into("<II", block, 0, 0xA92B4EFC, 1)
    block[16:32] = uuid.UUID(int=1).bytes
    struct.pack_into("<Q", block, 144, offset)
    block[168:184] = uuid.UUID(int=2).bytes
    found = read_unknown_data(made(tmp_path, ((begin + offset) * SECTOR, bytes(block))), SIZE, ask=no_answer)
    assert found is not None
    assert (found.what, found.unit, found.member) == (
        ClaimKind.OVERWRITTEN,
        str(uuid.UUID(int=1)),
        str(uuid.UUID(int=2)),
    )
    assert "that began at 1.00 MiB" in found.words


@pytest.mark.parametrize("name", ["ELI", "MIRROR", "STRIPE", "RAID3"])
def test_a_disk_of_freebsd_that_is_blank_but_for_its_last_sector_is_not_blank(
    tmp_path: Path, name: str
) -> None:
    path = made(tmp_path, (SIZE - 512, f"GEOM::{name}".encode()))
    assert words(path) == f"member of GEOM::{name} of FreeBSD, which wipefs does not know"


def test_a_gpt_of_another_sector_size_or_a_larger_disk_hides_its_partitions(tmp_path: Path) -> None:
    """As a disk looks that was partitioned in a USB enclosure; wipefs sees its protective MBR alone."""
    found = read_unknown_data(made(tmp_path, (510, b"\x55\xaa"), (4096, b"EFI PART")), SIZE, ask=no_answer)
    assert found is not None
    assert found.what is ClaimKind.TABLE_MISFIT
    assert found.words.startswith("GPT partition table in sectors of 4,096 bytes")
    smaller = read_unknown_data(
        made(tmp_path, (510, b"\x55\xaa"), (512, b"EFI PART"), (544, (SIZE // 512).to_bytes(8, "little"))),
        SIZE,
        ask=no_answer,
    )
    assert smaller is not None
    assert smaller.words.startswith(f"GPT partition table of a disk of {SIZE + 512:,} bytes")
    own = read_unknown_data(made(tmp_path, (510, b"\x55\xaa"), (512, b"EFI PART")), SIZE, ask=silent)
    assert own is not None
    assert own.what is not ClaimKind.TABLE_MISFIT


@pytest.mark.parametrize("zeroed", [0, MIB, SIZE // 2 - MIB // 2, SIZE - MIB])
def test_what_was_erased_in_one_place_is_not_an_encrypted_volume(tmp_path: Path, zeroed: int) -> None:
    path = made(tmp_path, (0, os.urandom(SIZE)), (zeroed, bytes(MIB)))
    assert "encrypted" not in words(path)
    assert words(path).startswith("remains: ") == (zeroed == 0)  # only a head leads to the rest


def test_a_filesystem_where_the_first_partition_would_begin_is_named(tmp_path: Path) -> None:
    path = made(tmp_path, (MIB, TEXT))
    asked: list[Sequence[str]] = []

    def blkid(argv: Sequence[str]) -> ToolAnswer:
        asked.append(argv)
        return ToolAnswer(
            returncode=0, stdout="DEVNAME=/dev/sdx\nUUID=3f0c\nBLOCK_SIZE=1024\nTYPE=ext4\nUSAGE=filesystem\n"
        )

    assert words(path, blkid).startswith("ext4 at 1 MiB, where a first partition")
    assert asked == [["blkid", "--probe", "--offset", "1048576", "--output", "export", path]]


@pytest.mark.parametrize("mib", [2, 5])
def test_the_data_of_an_array_without_its_superblock_is_found_where_mdadm_puts_it(
    tmp_path: Path, mib: int
) -> None:
    path = made(tmp_path, (mib * MIB + 1024, TEXT[:512]))

    def blkid(argv: Sequence[str]) -> ToolAnswer:
        here = argv[3] == str(mib * MIB)
        return ToolAnswer(returncode=0 if here else 2, stdout="TYPE=ext4\n" if here else "")

    found = read_unknown_data(path, SIZE, ask=blkid)
    assert found is not None
    assert found.what is ClaimKind.OVERWRITTEN
    assert found.words.startswith(f"ext4 at {mib} MiB, where md puts the data of a member")
    older = read_older_data(path, ask=blkid)
    assert (older and older.words) == f"ext4 at {mib} MiB"
    nothing = read_unknown_data(path, SIZE, ask=lambda _: ToolAnswer(returncode=2))
    assert nothing is None or nothing.what is ClaimKind.REMAINS
    assert not read_older_data(path, ask=lambda _: ToolAnswer(returncode=2))


@pytest.mark.parametrize(
    ("blocks", "uuids", "is_older"),
    [
        (1000, ("one", "other"), False),  # each was in a partition of its own disk
        (1000, ("one", "one"), True),  # a mirror
        (1 << 30, ("one", "other"), True),  # larger than a disk: it was on several
    ],
)
def test_a_filesystem_that_was_on_one_disk_alone_is_not_that_of_an_older_array(
    tmp_path: Path, blocks: int, uuids: tuple[str, ...], is_older: bool
) -> None:
    block = bytearray(512)
    block[4:8], block[0x38:0x3A] = blocks.to_bytes(4, "little"), b"\x53\xef"
    for name in uuids[0] + "-a", uuids[1] + "-b":
        with (tmp_path / name).open("wb") as file:
            file.truncate(SIZE)
            file.seek(MIB + 1024)
            file.write(block)

    def blkid(argv: Sequence[str]) -> ToolAnswer:
        uuid = Path(argv[-1]).name.partition("-")[0]
        return ToolAnswer(returncode=0, stdout=f"UUID={uuid}\nTYPE=ext4\n")

    members = tuple(Member(path=f"/{one}-{end}") for one, end in zip(uuids, "ab", strict=True))
    array = Array(name="tank", node="/dev/md127", state="clean", members=members)
    older = _with_older_data(array, Tree(tmp_path), blkid).older
    assert older == tuple((one.path, "ext4 at 1 MiB") for one in members if is_older)


@pytest.mark.parametrize("place", [4096, 64 * 1024, 128 * 1024])
def test_a_superblock_further_into_the_first_partition_is_found_too(tmp_path: Path, place: int) -> None:
    """Those of md, Btrfs and ZFS: the first 4 KiB of the partition may be zeros."""
    path = made(tmp_path, (MIB + place, TEXT[:512]))
    found = words(path, lambda _: ToolAnswer(returncode=0, stdout="TYPE=linux_raid_member\n"))
    assert found.startswith("linux_raid_member at 1 MiB, where a first partition")


def test_a_btrfs_without_its_partition_table_is_not_blank(tmp_path: Path) -> None:
    path, partition = made(tmp_path), tmp_path / "partition"
    with partition.open("wb") as file:
        file.truncate(120 * MIB)
    subprocess.run([find_tool("mkfs.btrfs") or "", "-qf", partition], check=True)
    os.truncate(path, 122 * MIB)
    with open(path, "r+b") as file:
        file.seek(MIB)
        file.write(partition.read_bytes())
    found = read_unknown_data(path, 122 * MIB)
    assert found is not None
    assert found.words.startswith("btrfs at 1 MiB")
    assert found.what is not ClaimKind.REMAINS


@pytest.mark.parametrize("returncode", [None, 8])
def test_where_blkid_gives_no_answer_what_it_was_asked_about_is_no_mere_remain(
    tmp_path: Path, returncode: int | None
) -> None:
    """It timed out, or found several formats in one place."""
    found = words(made(tmp_path, (MIB, TEXT)), lambda _: ToolAnswer(returncode=returncode))
    assert found == "data at 1 MiB, in a format that blkid cannot determine"


def test_a_backup_superblock_of_ext4_is_not_the_begin_of_a_filesystem(tmp_path: Path) -> None:
    """With blocks of 1 KiB the first is 8 MiB behind the beginning, which wipefs erases; mdadm puts data 9 MiB in, too."""
    partition = tmp_path / "partition"
    with partition.open("wb") as file:
        file.truncate(40 * MIB)
    subprocess.run([find_tool("mkfs.ext4") or "", "-qF", "-b", "1024", str(partition)], check=True)
    content = partition.read_bytes()
    path = tmp_path / "disk"
    found = {}
    for wiped in (False, True):
        inside = content[:KIB] + bytes(KIB) + content[2 * KIB :] if wiped else content
        path.write_bytes(bytes(MIB) + inside)
        unknown = read_unknown_data(str(path), 41 * MIB)
        assert unknown is not None
        found[wiped] = unknown.what is ClaimKind.OVERWRITTEN
    assert found == {False: True, True: False}


def test_blkid_prints_the_entry_of_a_partition_where_it_finds_no_format(tmp_path: Path) -> None:
    """Exit code 0 then, and what is in it is as unknown as on a disk: nothing was overwritten."""
    entry = "DEVNAME=/dev/sdb1\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_NUMBER=1\n"
    path = made(tmp_path, (MIB, TEXT))
    found = read_unknown_data(path, SIZE, ask=lambda _: ToolAnswer(returncode=0, stdout=entry))
    assert found is not None
    assert found.words.startswith("data in no known format, at 1.00 MiB")
    assert found.what is ClaimKind.REMAINS


def test_a_sample_that_cannot_be_read_leaves_the_contents_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown is not blank, least of all with data at the head."""
    read = os.pread

    def pread(fd: int, size: int, place: int) -> bytes:
        if place >= MIB:
            raise OSError(errno.EIO, "Input/output error")
        return read(fd, size, place)

    monkeypatch.setattr(os, "pread", pread)
    expected = "contents unknown: cannot read samples of it (Input/output error)"
    assert words(made(tmp_path, (1024, TEXT))) == expected
    assert words(made(tmp_path)) == expected


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (MIB, "at 1.00 MiB"),
        (6 * MIB, "at 6.00 MiB"),
        (SIZE * 8 // 17 // 4096 * 4096, "at "),
        (SIZE - 700, "in the last 64.0 KiB"),
        (SIZE - 64 * 1024, "in the last 64.0 KiB"),
    ],
)
def test_remains_at_any_sampled_place_are_shown(tmp_path: Path, place: int, said: str) -> None:
    found = words(made(tmp_path, (place, TEXT[: min(4096, SIZE - place)])))
    assert found.startswith(f"remains: data in no known format, {said}")


def test_some_mebibytes_near_the_start_of_a_large_disk_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "disk"
    for place, count in ((3, 2), (10, 4), (20, 8), (90, 8), (500, 16), (700, 32)):
        with path.open("wb") as file:
            file.truncate(4 * 10**12)
            file.seek(place * MIB)
            file.write(TEXT[:4096] * (count * MIB // 4096))
        found = read_unknown_data(str(path), 4 * 10**12, ask=lambda _: ToolAnswer(returncode=2))
        assert found is not None, place
        assert found.what is ClaimKind.REMAINS


def test_an_erased_gpt_leaves_no_old_data(tmp_path: Path) -> None:
    """Not in its second copy either, at the end of the disk."""
    path = made(tmp_path)
    subprocess.run(
        [find_tool("sfdisk") or "", "--quiet", path],
        input="label: gpt\ntype=linux\n",
        text=True,
        check=True,
    )
    subprocess.run([find_tool("wipefs") or "", "--quiet", "--all", "--force", path], check=True)
    assert words(path) == "remains: remains of an erased partition table or array"
    with open(path, "r+b") as file:
        file.seek(SIZE - 20 * 1024)
        file.write(b"text")
    assert words(path) == "remains: data in no known format, in the last 64.0 KiB"


BCACHEFS = (4096 + 24, bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef"))


@pytest.mark.parametrize(
    ("pieces", "name"),
    [
        ([BCACHEFS], "bcachefs filesystem"),
        ([(8, b"\x01\x00\x10\x00"), (88, b"CS")], "encrypted volume of Apple's FileVault 2"),
        ([(65536 + 4, b"\x8b\x42\x3c\x10")], "scoutfs filesystem"),
        ([(64, b"\x57\x45\x56\x82")], "BSD disklabel"),
        ([(512, b"\x57\x45\x56\x82")], "BSD disklabel"),
        ([(8192, b"\xe5\xd6\xd3\xf1")], "DASD label of IBM Z"),
        ([(512, b"\xd3\xd5\xe7\xf1")], "DASD label of IBM Z"),
        ([(257, b"ustar")], "tar archive"),
    ],
)
def test_formats_that_wipefs_does_not_know_are_named(
    tmp_path: Path, pieces: list[tuple[int, bytes]], name: str
) -> None:
    path = made(tmp_path, *pieces)
    assert words(path, no_answer) == f"{name}, which wipefs does not know"
    wipefs = subprocess.run([find_tool("wipefs") or "", path], capture_output=True, text=True, check=True)
    assert wipefs.stdout == "" or name == "BSD disklabel"  # libblkid knows some of its places


@pytest.mark.parametrize("place", [0, 3, 511, 1024, 65536, 131071])
def test_anything_else_in_the_head_is_data(tmp_path: Path, place: int) -> None:
    assert words(made(tmp_path, (place, b"\1"))).startswith(f"data without a signature from byte {place:,}: ")


@pytest.mark.parametrize("program", ["mkfs.ext4 -qF", "mkfs.xfs -qf", "mkfs.btrfs -qf"])
def test_a_filesystem_on_the_whole_disk_is_not_free_once_wipefs_erased_its_signature(
    tmp_path: Path, program: str
) -> None:
    path = made(tmp_path)
    os.truncate(path, 400 * MIB)
    maker, option = program.split()
    subprocess.run([find_tool(maker) or "", option, path], capture_output=True, check=True)
    subprocess.run([find_tool("wipefs") or "", "--quiet", "--all", path], check=True)
    found = read_unknown_data(path, 400 * MIB, ask=silent)
    assert found is not None
    assert found.what is not ClaimKind.REMAINS
    if "btrfs" in program:  # wipefs leaves its copies
        assert found.what is ClaimKind.OVERWRITTEN
        assert found.words.startswith("superblock of a Btrfs gone")
    else:
        assert found.words.endswith("or what 'wipefs --all' leaves")


@pytest.mark.parametrize(("block", "place"), [(1024, "8.00 MiB"), (2048, "32.0 MiB"), (4096, "128 MiB")])
def test_an_ext4_whose_first_mebibytes_were_overwritten_by_zeros_is_not_free(
    tmp_path: Path, block: int, place: str
) -> None:
    path = made(tmp_path)
    os.truncate(path, 400 * MIB)
    maker = [find_tool("mkfs.ext4") or "", "-qF", "-b", str(block), path]
    subprocess.run(maker, capture_output=True, check=True)
    with Path(path).open("r+b") as file:
        file.write(bytes(4 * MIB))
    found = read_unknown_data(path, 400 * MIB, ask=silent)
    assert found is not None
    assert found.what is ClaimKind.UNKNOWN_DATA
    assert found.words.startswith(
        f"ext2, ext3 or ext4 without its beginning, with a copy of its superblock at {place}:"
    )


@pytest.mark.parametrize("size", ["400M", "1000000512", "5T"])
def test_an_xfs_whose_first_mebibytes_were_overwritten_by_zeros_is_not_free(
    tmp_path: Path, size: str
) -> None:
    path = made(tmp_path)
    subprocess.run(["truncate", "--size", size, path], check=True)
    subprocess.run([find_tool("mkfs.xfs") or "", "-qf", path], capture_output=True, check=True)
    with Path(path).open("r+b") as file:
        file.write(bytes(4 * MIB))
    length = Path(path).stat().st_size
    found = read_unknown_data(path, length, ask=silent)
    assert found is not None
    assert found.what is ClaimKind.UNKNOWN_DATA
    assert found.words.startswith("XFS without its beginning, with a copy of its superblock at ")


@pytest.mark.parametrize(
    ("place", "name", "words_of_it"), [(SIZE - 512, b"NTFS    ", "NTFS"), (12 * 512, b"EXFAT   ", "exFAT")]
)
def test_a_filesystem_of_windows_whose_boot_sector_was_overwritten_is_not_free(
    tmp_path: Path, place: int, name: bytes, words_of_it: str
) -> None:
    found = read_unknown_data(made(tmp_path, (place, b"\xeb\x52\x90" + name)), SIZE, ask=silent)
    assert found is not None
    assert found.what is ClaimKind.UNKNOWN_DATA
    assert found.words.startswith(f"{words_of_it} without its beginning, with a copy of its boot sector at ")


def test_a_copy_of_an_ext4_that_began_further_back_says_nothing_of_this_device(tmp_path: Path) -> None:
    path, moved = made(tmp_path), tmp_path / "moved"
    os.truncate(path, 40 * MIB)
    maker = [find_tool("mkfs.ext4") or "", "-qF", "-b", "1024", path]
    subprocess.run(maker, capture_output=True, check=True)
    content = bytes(4 * MIB) + Path(path).read_bytes()[4 * MIB :]
    for front, is_here in ((0, True), (MIB, False)):
        moved.write_bytes(bytes(front) + content)
        found = read_unknown_data(str(moved), front + 40 * MIB, ask=silent)
        assert (found is not None and found.what is ClaimKind.UNKNOWN_DATA) is is_here


@pytest.mark.parametrize("label", ["gpt", "dos"])
def test_an_erased_partition_table_is_a_remain(tmp_path: Path, label: str) -> None:
    path = made(tmp_path)
    table = f"label: {label}\nstart=2048, size=4096\n"
    subprocess.run([find_tool("sfdisk") or "", "--quiet", path], input=table, text=True, check=True)
    subprocess.run([find_tool("wipefs") or "", "--quiet", "--all", "--force", path], check=True)
    assert words(path).startswith("remains: ")


def test_a_device_that_cannot_be_opened_or_is_tiny_holds_nothing_that_could_be_named(tmp_path: Path) -> None:
    assert read_unknown_data(str(tmp_path / "none"), SIZE, ask=no_answer) is None
    assert read_unknown_data(made(tmp_path), 512, ask=no_answer) is None


def test_only_what_a_cipher_or_a_generator_made_looks_random() -> None:
    dice = random.Random(7)
    taken = sum(looks_random(dice.randbytes(4096)) for _ in range(2000))
    assert taken == 2000
    assert not looks_random(b"")
    assert not looks_random(bytes(4096))
    assert not looks_random(TEXT[:4096])
    assert not looks_random(bytes(range(16)) * 256)
    assert not looks_random(bytes(range(256)) * 16)
    assert not looks_random(dice.randbytes(3072) + bytes(1024))


def a_btrfs(folder: Path, size: int = 300 * MIB) -> Path:
    path = folder / "btrfs"
    with path.open("wb") as file:
        file.truncate(size)
    maker = [find_tool("mkfs.btrfs") or "", "-qf", "-L", "tank", str(path)]
    subprocess.run(maker, check=True, capture_output=True)
    return path


def overwrite(path: Path, place: int, piece: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(piece)


def test_a_btrfs_whose_first_superblock_is_gone_is_known_by_the_copy(tmp_path: Path) -> None:
    path = a_btrfs(tmp_path)
    blkid = [find_tool("blkid") or "", "--probe", "-s", "UUID", "-o", "value", str(path)]
    uuid = subprocess.run(blkid, check=True, capture_output=True, text=True).stdout.strip()
    assert uuid
    overwrite(path, 0, bytes(MIB))
    found = read_unknown_data(str(path), 300 * MIB)
    assert found is not None
    assert (found.what, found.unit) == (ClaimKind.OVERWRITTEN, uuid)
    assert found.words == "superblock of a Btrfs gone, a copy of it is at 64.0 MiB: tank, devid 1 of 1"


def test_a_superblock_of_a_btrfs_at_a_place_that_is_not_its_own_is_none_of_this_device(
    tmp_path: Path,
) -> None:
    """As of a partition that lay elsewhere, or of an image."""
    path = a_btrfs(tmp_path)
    with path.open("rb") as file:
        file.seek(64 * 1024)
        first = file.read(4096)
    disk = made(tmp_path, (64 * MIB, first))
    found = read_unknown_data(disk, 65 * MIB, ask=silent)
    assert found is None or found.what is not ClaimKind.OVERWRITTEN


def test_a_copy_whose_place_cannot_be_read_leaves_the_contents_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = a_btrfs(tmp_path)
    overwrite(path, 0, bytes(MIB))
    read = os.pread

    def pread(fd: int, size: int, place: int) -> bytes:
        if place == 64 * MIB:
            raise OSError(errno.EIO, "Input/output error")
        return read(fd, size, place)

    monkeypatch.setattr(os, "pread", pread)
    found = read_unknown_data(str(path), 300 * MIB)
    assert found is not None
    assert found.words == "contents unknown: cannot read samples of it (Input/output error)"
    assert found.what is not ClaimKind.REMAINS


@pytest.mark.processes
@pytest.mark.parametrize(("first", "misfits"), [(256, True), (2048, False)])
def test_an_mbr_that_an_enclosure_wrote_in_other_sectors_does_not_fit(
    tmp_path: Path, first: int, misfits: bool
) -> None:
    """With 2048, what begins at 8 MiB is a copy of the superblock of the ext4 that the table was written over."""
    path = made(tmp_path)
    os.truncate(path, 40 * MIB)
    maker = [find_tool("mkfs.ext4") or "", "-qF", "-b", "1024", "-E", f"offset={MIB if misfits else 0}", path]
    subprocess.run(maker, capture_output=True, check=True)
    entry = bytes(4) + b"\x83" + bytes(3) + first.to_bytes(4, "little") + (1024).to_bytes(4, "little")
    with Path(path).open("r+b") as file:
        file.write((bytes(446) + entry).ljust(510, b"\0") + b"\x55\xaa")
        if not misfits:
            file.write(bytes(8 * KIB))
    found = read_unknown_data(path, 40 * MIB)
    assert found is not None
    assert (found.what is ClaimKind.TABLE_MISFIT) is misfits
    assert found.words.startswith("MBR partition table in sectors of 4,096 bytes") is misfits


@pytest.mark.processes
def test_what_a_partition_has_at_eight_times_its_place_does_not_make_its_table_wrong(tmp_path: Path) -> None:
    path = made(tmp_path)
    os.truncate(path, 40 * MIB)
    for place in (MIB, 8 * MIB):
        maker = [find_tool("mkfs.ext4") or "", "-qF", "-b", "1024", "-E", f"offset={place}", path, "4096"]
        subprocess.run(maker, capture_output=True, check=True)
    entry = bytes(4) + b"\x83" + bytes(3) + (2048).to_bytes(4, "little") + (1024).to_bytes(4, "little")
    with Path(path).open("r+b") as file:
        file.write((bytes(446) + entry).ljust(510, b"\0") + b"\x55\xaa")
    found = read_unknown_data(path, 40 * MIB)
    assert found is None or found.what is not ClaimKind.TABLE_MISFIT


PV = b"LABELONE" + (1).to_bytes(8, "little") + bytes(4) + (32).to_bytes(4, "little") + b"LVM2 001"


@pytest.mark.parametrize(("size", "member"), [(SIZE - MIB, "PV-1"), (SIZE, "")])
def test_a_physical_volume_larger_than_the_rest_of_the_disk_was_on_an_array(
    tmp_path: Path, size: int, member: str
) -> None:
    label = PV + bytes(32) + size.to_bytes(8, "little")
    path = made(tmp_path, (MIB + 512, label))
    found = read_unknown_data(
        path, SIZE, ask=lambda _: ToolAnswer(returncode=0, stdout="UUID=PV-1\nTYPE=LVM2_member\n")
    )
    assert found is not None
    assert (found.what, found.unit, found.member) == (ClaimKind.OVERWRITTEN, member, member)
    assert (f"{size:,} bytes long" in found.words) == bool(member)


@pytest.mark.parametrize(("start", "is_member"), [(MIB, True), (0, False)])
def test_a_superblock_at_the_end_of_a_partition_without_a_table_is_found(
    tmp_path: Path, start: int, is_member: bool
) -> None:
    """One that began with the disk would be a signature of the disk."""
    place = 7 * MIB - 8192
    block = bytearray(256)
    block[:8] = (0xA92B4EFC).to_bytes(4, "little") + (1).to_bytes(4, "little")
    block[16:32], block[168:184] = b"\x0a" * 16, b"\x0b" * 16
    block[144:152] = ((place - start) // 512).to_bytes(8, "little")
    found = read_unknown_data(
        made(tmp_path, (place, bytes(block))), SIZE, ask=lambda _: ToolAnswer(returncode=2)
    )
    assert bool(found and found.member) == is_member
    if is_member:
        assert found is not None
        assert (found.what, found.unit[:8], found.member[:8]) == (
            ClaimKind.OVERWRITTEN,
            "0a0a0a0a",
            "0b0b0b0b",
        )
        assert "began at 1.00 MiB" in found.words
